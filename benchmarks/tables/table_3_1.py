"""Table 3.1 of the thesis: exact dot-product kernels against their random Maclaurin features."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import seamark as sm
from seamark import datasets
from seamark.linear_model import LinearSVM
from seamark.measures import Exponential, Measure, Polynomial

from . import methods, speedups
from .protocol import split_rows, timed, to_unit
from .spec import Cell, Row, Table, read_printed

TRAINING_SHARE = 0.6
MOST_TRAINING = 20_000
MOST_TEST = 40_000
BLOCK_ROWS = 2_000  # of a kernel that is not LIBSVM's own, in prediction
COST = {"a": 1.0, "b": 10.0}
# Of more than two classes, those that are on one side; sorted as in the data.
SIDES = {"Nursery": (1, 3, 4), "Covertype": (1,)}
KERNELS: dict[str, Measure] = {"a": Polynomial(degree=10), "b": Exponential()}
FILES = {
    "Nursery": "nursery",
    "Spambase": "spambase",
    "Cod-RNA": "cod_rna",
    "Adult": "adult_a9a",
    "IJCNN": "ijcnn1",
    "Covertype": "covtype",
}
SIZES = {
    "Nursery": {"RF": 500, "H0/1": 100},
    "Spambase": {"RF": 500, "H0/1": 50},
    "Cod-RNA": {"RF": 500, "H0/1": 50},
    "Adult": {"RF": 500, "H0/1": 100},
    "IJCNN": {"RF": 1000, "H0/1": 200},
    "Covertype": {"RF": 1000, "H0/1": 100},
}
# Part of every cell's key: to be raised when a step of `load` or `evaluate` changes.
STEPS = "steps 2"
OURS = 500


@dataclass(frozen=True)
class Problem:
    """Vectors, and which of two classes they are in."""

    X: np.ndarray
    y: np.ndarray


def load(row: Row, folder: Path) -> Problem:
    """Scale columns, to [−1, 1] or to [0, 1]; several classes become two."""
    raw = datasets.load(row.data, folder=folder)
    _, codes = np.unique(raw.target, return_inverse=True)
    X = to_unit(raw.data)
    X = 2 * X - 1 if isinstance(row.measure, Polynomial) else X
    return Problem(X, np.isin(codes, SIDES.get(row.name, (1,))))


@dataclass(frozen=True)
class ExponentialKernel:
    """exp(⟨x, y⟩/σ²) for LIBSVM to call; its text, part of a cell's key, names the width alone."""

    width: Any
    """A number, or in a definition the rule by which it is found."""

    def __call__(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        K = A @ (B / self.width**2).T
        return np.exp(K, out=K)  # in place: all pairs of 20,000 rows take 3.2 GB


class BlockwiseSVC(SVC):
    """LIBSVM that predicts a chunk of rows at a time: a kernel of ours is in memory as a whole."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        starts = range(0, len(X), BLOCK_ROWS)
        return np.concatenate([SVC.predict(self, X[i : i + BLOCK_ROWS]) for i in starts])


def exact(kernel: Measure) -> SVC:
    """LIBSVM; of its own kernel it computes rows of the matrix as it needs them."""
    if isinstance(kernel, Polynomial):
        return SVC(kernel="poly", degree=10, gamma=1.0, coef0=1.0, cache_size=1000)
    return BlockwiseSVC(C=COST["b"], kernel=ExponentialKernel(kernel.width), cache_size=1000)


def linear(kernel: Measure) -> LinearSVM:
    return LinearSVM(C=COST["a" if isinstance(kernel, Polynomial) else "b"])


def model_of(cell: Cell, kernel: Measure, d: int) -> Any:
    """One of the contestants for a kernel whose parameters are numbers."""
    if cell.method == "K":
        return exact(kernel)
    if cell.method == "RF":
        features = partial(sm.RandomMaclaurin, h01=False, n_components=cell.n_landmarks)
        plain = features(kernel, degrees="geometric", projection="rademacher")
        return make_pipeline(plain.set_params(random_state=cell.split), linear(kernel))
    if cell.method == "H0/1":
        # The thesis does not count the d + 1 columns that are exact; our parameter counts all.
        features = partial(sm.RandomMaclaurin, h01=True, n_components=cell.n_landmarks + d + 1)
        half = features(kernel, degrees="geometric", projection="rademacher")
        return make_pipeline(half.set_params(random_state=cell.split), linear(kernel))
    ours = sm.RandomMaclaurin(kernel, n_components=OURS, random_state=cell.split)
    return make_pipeline(ours, linear(kernel))


def evaluate(cell: Cell, row: Row, problem: Problem) -> dict[str, Any]:
    """Accuracy and seconds; vectors are divided by the largest norm among those that train."""
    train, test = split_rows(len(problem.y), (TRAINING_SHARE,), cell.split)
    train, test = train[:MOST_TRAINING], test[:MOST_TEST]
    X, y = problem.X, problem.y
    longest = np.linalg.norm(X[train], axis=1).max()
    known, new = X[train] / longest, X[test] / longest
    kernel = row.measure.fitted_to(known, np.random.default_rng(cell.split))
    predicted, facts = timed(model_of(cell, kernel, X.shape[1]), known, y[train], new)
    return {"score": float(np.mean(predicted == y[test]))} | facts


def define(cell: Cell, row: Row) -> str:
    model = model_of(cell, row.measure, 0)
    limits = f"{TRAINING_SHARE}, {MOST_TRAINING}, {MOST_TEST}, {SIDES.get(row.name)}"
    return f"{methods.definition(model)}; {limits}; {STEPS}"


INFERRED = {
    "a": "columns scaled to [−1, 1], C = 1. On one split of Nursery and Spambase K then has 0.999 "
    "and 0.941 (printed 0.999, 0.938); columns as they are give 0.994 and 0.645, [0, 1] 0.997 and "
    "0.923.",
    "b": "columns scaled to [0, 1], C = 10. On one split of Nursery, Spambase and Cod-RNA K has "
    "0.976, 0.931 and 0.954 with C = 1 and 0.999, 0.927 and 0.929 with C = 100 (printed 0.998, "
    "0.935, 0.952; 10,000 rows of Cod-RNA); with [−1, 1] it fails on Spambase, where distances "
    "are small against norms.",
}


EXACT = {
    "a": "it computes rows of its own polynomial kernel as it needs them. On one split 4 % of "
    "Nursery's rows are its support vectors, 6 % of IJCNN's, 14 % of Cod-RNA's, 19 % of Spambase's "
    "(44 % of Covertype's): what takes it 0.1 to 2 seconds, no linear solver does 200 times faster",
    "b": "the kernel is not one of its own, so that all pairs come first, by a matrix product",
}


def protocol(part: str) -> tuple[str, ...]:
    return (
        f"{TRAINING_SHARE:.0%} of the rows train, at most {MOST_TRAINING:,}, both as printed; of "
        f"the others at most {MOST_TEST:,} test.",
        f"Not printed, inferred from K, which has nothing else to choose: {INFERRED[part]}",
        "Vectors are divided by the largest norm in the training set; the thesis says they were "
        "normalised, not how.",
        "The thesis makes two classes of several at random. Here Nursery is {not_recom, "
        "very_recom} against the others, with which K is as printed, and Covertype is class 2 "
        "against the others.",
        "RF and H0/1 are the thesis's maps, degrees drawn from the geometric measure with p = 2, "
        "with as many random features as printed; a linear SVM with squared hinge follows, as "
        f"LIBLINEAR has it, by our own solver. K is scikit-learn's LIBSVM; {EXACT[part]}.",
        f"Out of the box: `RandomMaclaurin` with {OURS} columns in all, and the same linear SVM.",
    )


CLOSE = "the gap is within the standard deviation over splits"
REASONS = {
    "a": {
        ("Nursery", "RF"): CLOSE,
        ("Spambase", "H0/1"): CLOSE,
        ("Spambase", "RF"): "the exact kernel is 0.003 below the print too: scaling and C are not "
        "printed; with C = 100 one split has 0.9315, as printed",
    },
    "b": {
        ("Nursery", "RF"): "the exact kernel is 0.003 below the print too: scaling and C are not "
        "printed",
        ("Spambase", "RF"): CLOSE,
    },
}


def table(part: str) -> Table:
    printed, source = read_printed(f"3.1{part}")
    return Table(
        name=f"3.1{part}",
        title=f"Table 3.1({part}): "
        + ("polynomial kernel (1 + t)^10" if part == "a" else "exponential kernel exp(t/σ²)"),
        score="accuracy",
        lower_is_better=False,
        rows=tuple(
            Row(row, f"tabular/{file}", KERNELS[part], sizes=SIZES[row], most_splits=MOST.get(row))
            for row, file in FILES.items()
        ),
        methods=("K", "RF", "H0/1"),
        own=("RF", "H0/1"),
        default="RandomMaclaurin",
        load=load,
        evaluate=evaluate,
        define=define,
        printed=printed,
        source=source,
        protocol=protocol(part),
        n_splits=5,
        quick_splits=1,
        n_landmarks=500,
        level=("K",),
        curve=(50, 200, 1000),
        curve_methods=("RF", "H0/1"),
        curve_splits=1,
        sizes_of="random features",
        reasons=REASONS[part],
        alone=True,
        findings=partial(speedups.section, name=f"3.1{part}"),
    )


# Exact kernels of 20 000 rows take a minute or more: fewer splits of the large sets.
MOST = {"Cod-RNA": 2, "Adult": 2, "IJCNN": 2, "Covertype": 2}


def polynomial() -> Table:
    return table("a")


def exponential() -> Table:
    return table("b")
