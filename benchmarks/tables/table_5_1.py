"""Table 5.1 of the thesis (Table 1 of Kar and Jain): regression and ordinal regression."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from seamark import datasets
from seamark.measures import Manhattan, Sigmoid

from . import methods, protocol
from .spec import Cell, Row, Table, read_printed

TRAINING_SHARE = 0.7
BINS = 10
# The paper does not say how features are scaled. KR, which has nothing to tune, tells: see COMMON.
SCALING = "standardised"
GRADED = ("wine_red", "wine_white")
"""Sets whose targets are labels already."""
# As many as scikit-learn takes by itself: enough steps for large C take a minute a cell and more.
# On the sigmoid rows it often ends short of the minimum, and its curve is rough.
SVR_STEPS = 1000
REGRESSION = {
    "KR": methods.kernel_regression,
    "RegLand": methods.preset("regland", {"head__max_iter": SVR_STEPS}),
    "RegLand-Sp": methods.preset("regland_sp"),
    "LandmarkRegressor": methods.default_regressor,
}
ORDINAL = {
    "KR": methods.kernel_regression,
    "ORLand": methods.preset("orland"),
    "LandmarkOrdinal": methods.default_ordinal,
}


# Part of every cell's key: to be raised when a step of `load_…` or `evaluate_…` changes.
STEPS = "steps 1"


@dataclass(frozen=True)
class Problem:
    """Scaled objects and targets of a row."""

    X: np.ndarray
    y: np.ndarray


def rows_of(name: str, file: str, n: int, **facts: Any) -> list[Row]:
    """Both rows of a data set: the table has a column group for each similarity."""
    # r = −1 and a = 1/d are the measure's defaults.
    measures = {"sigmoid": Sigmoid(), "Manhattan": Manhattan().negated()}
    most = int(TRAINING_SHARE * n)
    return [
        Row(f"{name}, {which}", f"tabular/{file}", measure, most_landmarks=most, **facts)
        for which, measure in measures.items()
    ]


def load_regression(row: Row, folder: Path) -> Problem:
    raw = datasets.load(row.data, folder=folder)
    if row.data.endswith("bodyfat"):
        # The printed errors are those of density as it is, between 0.995 and 1.109.
        X, y = protocol.swap_target(raw.data, raw.target)
        return Problem(protocol.standardised(X), y)
    return Problem(protocol.standardised(raw.data), protocol.to_unit(raw.target))


def load_ordinal(row: Row, folder: Path) -> Problem:
    raw = datasets.load(row.data, folder=folder)
    is_graded = Path(row.data).name in GRADED
    y = raw.target.astype(int) if is_graded else protocol.equal_frequency(raw.target, BINS)
    return Problem(protocol.standardised(raw.data), y)


def fit_and_predict(model: Any, problem: Problem, split: int) -> tuple[Any, Any, dict[str, Any]]:
    """Predictions of the test part of a split, its targets, and what the run was like."""
    train, test = protocol.split_rows(len(problem.y), (TRAINING_SHARE,), split)
    X, y = problem.X, problem.y
    predicted, facts = protocol.timed(model, X[train], y[train], X[test])
    return predicted, y[test], facts


def evaluate_regression(cell: Cell, row: Row, problem: Problem) -> dict[str, Any]:
    model = REGRESSION[cell.method](row.measure, cell.n_landmarks, cell.split)
    predicted, y, facts = fit_and_predict(model, problem, cell.split)
    return {"score": protocol.mean_squared(predicted, y)} | facts


def evaluate_ordinal(cell: Cell, row: Row, problem: Problem) -> dict[str, Any]:
    model = ORDINAL[cell.method](row.measure, cell.n_landmarks, cell.split)
    predicted, y, facts = fit_and_predict(model, problem, cell.split)
    if cell.method == "KR":
        predicted = protocol.rounded(predicted, problem.y)
    return {"score": protocol.mean_absolute(predicted, y)} | facts


def define(known: dict[str, methods.Factory], cell: Cell, row: Row) -> str:
    model = known[cell.method](row.measure, cell.n_landmarks, cell.split)
    return f"{methods.definition(model)}; train {TRAINING_SHARE}, bins {BINS}, {SCALING}, {STEPS}"


HOUSING = (
    "KR, which has nothing to tune, is 5 % above print on both CAHousing rows as well, so part of "
    "it is not the method's; which splits or scaling the paper has is not known"
)
REASONS = {
    ("CAHousing, sigmoid", "RegLand-Sp"): f"{HOUSING}; features in [0, 1] give 0.0177 too",
    ("CAHousing, Manhattan", "RegLand-Sp"): HOUSING,
    ("Wine-Red, sigmoid", "ORLand"): "the share of training rows is not printed: on three splits "
    "0.438 with 70 % of the rows, 0.400 with 90 %",
    ("Wine-White, Manhattan", "ORLand"): "no setting tried explains it: on three splits 0.513 as "
    "it stands, 0.517 with features in [0, 1], 0.516 with 90 % training rows, 0.520 with IMC, "
    "0.545 with learned thresholds, 0.524 and 0.517 with margins 1 and 0.1, 0.509 with 200 "
    "landmarks; KR is 3 % above print as well",
    ("Bank-32, Manhattan", "ORLand"): "within the paper's standard deviation of 0.09, and ours, "
    "over splits and the 50 landmarks drawn, is 0.07; with features in [0, 1] it had 1.93",
}


COMMON = (
    "Similarities: sigmoid tanh(⟨x, y⟩/d − 1) and Manhattan −‖x − y‖₁, as printed.",
    "Five random splits, as printed. Their shares are not printed; assumed here: "
    f"{TRAINING_SHARE:.0%} of the rows train, the others test.",
    "Features have mean 0 and variance 1 over all rows. That is not printed, but inferred from KR, "
    "which has nothing to tune: with the sigmoid, features in [0, 1] give it 0.013 on Abalone, "
    "0.036 on CPUData, 2.5 on Bank-8 and 2.5 on House-8 and House-16, and standardised ones 0.022, "
    "0.043, 2.9, 2.8 and 2.7, where 0.021, 0.041, 2.9, 2.8 and 2.7 are printed; Manhattan rows "
    "hardly tell.",
    "The out-of-the-box estimator has the same objects and the same measure (the distance, where "
    "the paper negates one), and its default number of landmarks, which is larger: 1000, or all.",
)


def regression() -> Table:
    printed, source = read_printed("5.1a")
    unlike = {
        "remark": "the paper does not say which PumaDyn it has; ours seems to be another",
        "same_data": False,
    }
    rows = (
        *rows_of("Abalone", "abalone", 4177),
        *rows_of("Bodyfat", "bodyfat", 252, remark="target: density, unscaled"),
        *rows_of("CAHousing", "cahousing", 20640),
        *rows_of("CPUData", "cpusmall", 8192),
        *rows_of("PumaDyn-8", "puma8nh", 8192, **unlike),
        *rows_of("PumaDyn-32", "puma32h", 8192, **unlike),
    )
    return Table(
        name="5.1a",
        title="Table 5.1(a): regression with similarities",
        score="mean squared error",
        lower_is_better=True,
        rows=rows,
        methods=("KR", "RegLand", "RegLand-Sp"),
        own=("RegLand-Sp",),
        default="LandmarkRegressor",
        load=load_regression,
        evaluate=evaluate_regression,
        define=lambda cell, row: define(REGRESSION, cell, row),
        printed=printed,
        source=source,
        protocol=(
            *COMMON,
            "Targets scaled to [0, 1], but for Bodyfat's density: not printed, inferred from the "
            "size of the errors.",
            "RegLand is in the paper's figure only: no number is printed. Its solver ends after "
            f"{SVR_STEPS} steps, converged or not.",
        ),
        level=("KR",),
        reasons=REASONS,
        curve=(10, 20, 100),
        curve_splits=1,
        curve_methods=("RegLand", "RegLand-Sp"),
    )


def ordinal() -> Table:
    printed, source = read_printed("5.1b")
    rows = (
        *rows_of("Wine-Red", "wine_red", 1599),
        *rows_of("Wine-White", "wine_white", 4898),
        *rows_of("Bank-8", "bank8fm", 8192),
        *rows_of("Bank-32", "bank32nh", 8192),
        *rows_of("House-8", "house8l", 22784),
        *rows_of("House-16", "house16h", 22784),
    )
    return Table(
        name="5.1b",
        title="Table 5.1(b): ordinal regression with similarities",
        score="mean absolute error",
        lower_is_better=True,
        rows=rows,
        methods=("KR", "ORLand"),
        own=("ORLand",),
        default="LandmarkOrdinal",
        load=load_ordinal,
        evaluate=evaluate_ordinal,
        define=lambda cell, row: define(ORDINAL, cell, row),
        printed=printed,
        source=source,
        protocol=(
            *COMMON,
            f"Bank and House: targets in {BINS} bins of equal frequency; the number of bins is not "
            "printed, but inferred from the size of the errors. Wine: grades as they are.",
            "KR is rounded, as printed.",
        ),
        level=("KR",),
        reasons=REASONS,
        curve=(10, 20, 100),
        curve_splits=1,
        curve_methods=("ORLand",),
    )
