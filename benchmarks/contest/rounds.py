"""Rounds of the contest: which sets, which splits, which score, and who takes part."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, log_loss, r2_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelEncoder

import seamark as sm
from seamark import datasets
from seamark.data import Ragged

from ..tables.spec import Cell, Row, Table
from ..tables.table_d2ke import windows
from . import peers, peers_series
from .names import CLASSIFICATION, MULTIVARIATE, REGRESSION, SETS, STRINGS, UNIVARIATE

OURS = "seamark"
STEPS = "steps 1"
"""Part of every cell's key: to be raised when loading or scoring changes."""
MOST_TRAINING, MOST_TEST = 10_000, 5_000
TRAINING_SHARE = 0.7
SEED = 20261116

Parts = tuple[Any, np.ndarray, Any, np.ndarray, dict[str, Any]]


def load(row: Row, folder: Path) -> dict[str, Any]:
    """Read a set: objects, targets, the standard split, and queries where there are any."""
    raw = datasets.load(row.data, folder=folder)
    X, y, split = raw.data, raw.target, raw.split
    if row.name == "ActRecog":
        X, y = windows(X, y)
    with np.load(Path(folder) / f"{row.data}.npz", allow_pickle=False) as file:
        qid = file["qid"] if "qid" in file.files else None
    if isinstance(X, np.ndarray):
        X = X.astype(np.float64)
    return {"X": X, "y": np.asarray(y), "split": split, "qid": qid}


def parted(data: dict[str, Any], task: str, number: int) -> Parts:
    """Training and test part: the standard split, or a random one that `number` decides."""
    y, rows, rng = data["y"], np.arange(len(data["y"])), np.random.default_rng([SEED, number])
    if data["split"] is not None:
        train, test = rows[data["split"] != 1], rows[data["split"] == 1]
    else:
        train, test = random_parts(rows, y, task, number)
    if task != "ranking":  # queries stay whole
        train, test = some(train, MOST_TRAINING, rng), some(test, MOST_TEST, rng)
    labels = LabelEncoder().fit(y).transform(y) if task == "classification" else y.astype(float)
    qid = {} if data["qid"] is None else {"train": data["qid"][train], "test": data["qid"][test]}
    return data["X"][train], labels[train], data["X"][test], labels[test], qid


def random_parts(
    rows: np.ndarray, y: np.ndarray, task: str, number: int
) -> tuple[np.ndarray, np.ndarray]:
    """A random split, of each class alike where every class has two rows."""
    alike = task == "classification" and np.unique(y, return_counts=True)[1].min() > 1
    train, test = train_test_split(
        rows,
        train_size=TRAINING_SHARE,
        stratify=y if alike else None,
        random_state=SEED + number,
    )
    return np.sort(train), np.sort(test)


def some(rows: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """No more than so many rows, in their order."""
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))


def ours(task: str, seed: int) -> Any:
    """Our estimator as it comes out of the box."""
    kinds = {
        "classification": sm.LandmarkClassifier,
        "regression": sm.LandmarkRegressor,
        "ranking": sm.LandmarkRanker,
    }
    return kinds[task](random_state=seed)


def task_of(row: Row) -> str:
    return row.remark or "classification"


def model_of(cell: Cell, row: Row) -> Any:
    """A new estimator for a cell."""
    if cell.method == OURS:
        return ours(task_of(row), cell.split)
    field = {"series": peers_series.PEERS, "strings": peers.STRINGS, "sets": peers.SETS}
    return field.get(cell.table, peers.tables(task_of(row)))[cell.method](cell.split)


def evaluate(cell: Cell, row: Row, data: dict[str, Any]) -> dict[str, Any]:
    """Fit, predict, and score, with processor seconds."""
    task = task_of(row)
    X, y, X_new, y_new, qid = parted(data, task, cell.split)
    warmed_up(cell.method, cell.table, task)
    if cell.table == "series" and X.values.shape[1] > 1:
        warmed_up(cell.method, cell.table, task, 2)
    model = model_of(cell, row)
    start, clock = time.process_time(), time.perf_counter()
    model.fit(X, y, **({"qid": qid["train"]} if qid and cell.method == OURS else {}))
    fitted = time.process_time()
    predicted = np.asarray(model.predict(X_new))
    done = time.process_time()
    result = {
        "score": score(task, y_new, predicted, qid),
        "seconds": time.perf_counter() - clock,
        "fit_seconds": fitted - start,
        "predict_seconds": done - fitted,
        "n_train": len(y),
        "n_test": len(y_new),
    }
    return result | probabilities(model, X_new, y_new, task)


def score(task: str, y: np.ndarray, predicted: np.ndarray, qid: dict[str, Any]) -> float:
    """Accuracy, R², or the mean NDCG of queries."""
    if task == "classification":
        return float(accuracy_score(y, predicted))
    if task == "regression":
        return float(r2_score(y, predicted))
    return float(sm.linear_model.ndcg(predicted, y, qid["test"]))


def probabilities(model: Any, X: Any, y: np.ndarray, task: str) -> dict[str, float]:
    """Log-loss, of a classifier that gives probabilities."""
    if task != "classification" or not hasattr(model, "predict_proba"):
        return {}
    given = np.clip(model.predict_proba(X), 1e-9, 1)
    given /= given.sum(axis=1, keepdims=True)
    every = np.full((len(y), max(y.max() + 1, int(np.max(model.classes_)) + 1)), 1e-9)
    every[:, np.asarray(model.classes_, dtype=int)] = given
    return {"log_loss": float(log_loss(y, every, labels=np.arange(every.shape[1])))}


@cache
def warmed_up(method: str, table: str, task: str, channels: int = 1) -> None:
    """Fit once to a little of nothing, so that nobody pays for compiling or loading.

    Some compile other code for series of several channels.
    """
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 10)
    if table == "series":
        X: Any = Ragged(
            rng.normal(size=(20 * 40, channels)).astype(np.float32),
            np.arange(21) * 40,
            sm.data.Series(flat=channels == 1),
        )
    elif table == "strings":
        X = sm.data.strings.ingest(["".join(rng.choice(list("abc"), 8)) for _ in range(20)])
    elif table == "sets":
        X = Ragged(rng.normal(size=(60, 3)).astype(np.float32), np.arange(21) * 3, sm.data.Sets())
    else:
        X = rng.normal(size=(20, 3))
    model = model_of(Cell(table, "", method, 0, None), Row("", "", remark=task))
    extra = {"qid": np.repeat(np.arange(4), 5)} if task == "ranking" and method == OURS else {}
    try:
        model.fit(X, y if task != "regression" else y + X[:, 0], **extra).predict(X)
    except Exception as error:  # too little for it: the cell itself will tell
        print(f"{method} could not be warmed up: {error}")


def define(cell: Cell, row: Row) -> str:
    return f"{STEPS} {cell.table} {task_of(row)} {cell.method}"


def contest(
    name: str, title: str, rows: tuple[Row, ...], methods: tuple[str, ...], n_splits: int
) -> Table:
    return Table(
        name=name,
        title=title,
        score="accuracy",
        lower_is_better=False,
        rows=rows,
        methods=methods,
        own=(),
        default=OURS,
        load=load,
        evaluate=evaluate,
        define=define,
        n_splits=n_splits,
        quick_splits=1,
        level=methods,
        sizes_of="",
    )


def series() -> Table:
    """Univariate and multivariate series; their standard split where there is one."""
    rows = tuple(Row(name, f"series/ucr/{name}", most_splits=1) for name in UNIVARIATE)
    rows += tuple(Row(name, f"series/{name}", most_splits=1) for name in MULTIVARIATE)
    return contest("series", "Series", rows, tuple(peers_series.PEERS), 1)


def strings() -> Table:
    rows = tuple(Row(name, f"strings/{name}") for name in STRINGS)
    return contest("strings", "Strings", rows, tuple(peers.STRINGS), 3)


def sets() -> Table:
    rows = tuple(Row(name, f"sets/{name}") for name in SETS)
    return contest("sets", "Sets of vectors", rows, tuple(peers.SETS), 5)


def tables() -> Table:
    """Classification, regression and ranking of vectors."""
    rows = tuple(Row(name, f"tabular/{name}") for name in CLASSIFICATION)
    rows += tuple(Row(name, f"tabular/{name}", remark="regression") for name in REGRESSION)
    rows += (Row("mq2008", "tabular/mq2008", remark="ranking"),)
    return contest("tables", "Tables", rows, tuple(peers.tables("classification")), 2)


ROUNDS: dict[str, Callable[[], Table]] = {
    "series": series,
    "strings": strings,
    "sets": sets,
    "tables": tables,
}
