"""Table 4.1 of the thesis: classification from precomputed, mostly indefinite similarities."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from seamark.measures import Precomputed

from . import methods, protocol
from .spec import Cell, Row, Table, read_printed

TRAINING, VALIDATION = 0.7, 0.1
# Our estimators take training and validation rows together, and hold the latter out themselves.
HELD_OUT = {"tune__share": VALIDATION / (TRAINING + VALIDATION)}
NAMES = ("AmazonBinary", "AuralSonar", "Patrol", "Voting", "Protein")
NAMES += ("Mirex07", "Amazon47", "FaceRec")
METHODS = {
    "BBS": methods.preset("bbs", HELD_OUT),
    "BBS+D": methods.preset("bbs_d", HELD_OUT),
    "DBOOST": methods.preset("dboost"),
    "FTUNE-S": methods.preset("ftune", HELD_OUT),
    "FTUNE+D-S": methods.preset("ftune", HELD_OUT, diverse=True),
    "LandmarkClassifier": methods.default_classifier,
}
# Part of every cell's key: to be raised when a step of `load` or `evaluate` changes.
STEPS = "steps 1"


@dataclass(frozen=True)
class Problem:
    """All objects against all, and their classes."""

    S: np.ndarray
    y: np.ndarray


def load(row: Row, folder: Path) -> Problem:
    with np.load(Path(folder) / f"{row.data}.npz", allow_pickle=False) as file:
        return Problem(file["S"], file["y"])


def evaluate(cell: Cell, row: Row, problem: Problem) -> dict[str, Any]:
    """Accuracy on the test part; columns are training objects, the only ones known at fit."""
    parts = protocol.split_rows(len(problem.y), (TRAINING, VALIDATION), cell.split)
    known, test = np.concatenate(parts[:2]), parts[2]
    model = METHODS[cell.method](row.measure, cell.n_landmarks, cell.split)
    S, y = problem.S, problem.y
    predicted, facts = protocol.timed(
        model, S[np.ix_(known, known)], y[known], S[np.ix_(test, known)]
    )
    return {"score": float(np.mean(predicted == y[test]))} | facts


def define(cell: Cell, row: Row) -> str:
    model = METHODS[cell.method](row.measure, cell.n_landmarks, cell.split)
    return f"{methods.definition(model)}; shares {TRAINING}, {VALIDATION}; {STEPS}"


PROTOCOL = (
    f"Twenty random splits: {TRAINING:.0%} of the rows train, {VALIDATION:.0%} validate, the "
    "others test, as printed. What is not: the winner is fitted to training and validation rows.",
    "A landmark is a pair of objects for DBOOST and FTUNE; for BBS it is one object, of which "
    "there may be fewer than asked for: then all are taken.",
    "BBS+D and FTUNE-S are in the paper's figure only: no number is printed.",
    "The out-of-the-box estimator has its default number of landmarks: 1000, or all rows.",
)


def table(name: str, n_landmarks: int, **facts: Any) -> Table:
    printed, source = read_printed(name)
    measure = Precomputed(kind="similarity")
    return Table(
        name=name,
        title=f"Table 4.1({name[-1]}): similarity matrices, {n_landmarks} landmarks",
        score="accuracy",
        lower_is_better=False,
        rows=tuple(Row(data, f"similarity/{data}", measure) for data in NAMES),
        methods=("BBS", "BBS+D", "DBOOST", "FTUNE-S", "FTUNE+D-S"),
        own=("FTUNE+D-S",),
        default="LandmarkClassifier",
        load=load,
        evaluate=evaluate,
        define=define,
        printed=printed,
        source=source,
        protocol=PROTOCOL,
        n_splits=20,
        quick_splits=5,
        n_landmarks=n_landmarks,
        **facts,
    )


def few_landmarks() -> Table:
    """4.1(a), whose page also has the plot: its points lie between both tables."""
    curved = ("BBS", "BBS+D", "FTUNE-S", "FTUNE+D-S", "DBOOST")
    return table("4.1a", 30, curve=(10, 60, 150, 300), curve_methods=curved, curve_splits=5)


def many_landmarks() -> Table:
    voting = (
        "BBS, DBOOST and the out-of-the-box estimator stay at 0.95 as well, with 30 landmarks or "
        "300, so what differs is the data or the splits rather than the method"
    )
    return table("4.1b", 300, reasons={("Voting", "FTUNE+D-S"): voting})
