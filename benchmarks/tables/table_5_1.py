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
# Targets were scaled to [0, 1] in step 1. CPUData's begin at 0: either way they are the same.
LARGEST = "steps 2"
FROM_ZERO = ("cpusmall",)


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
    X, y = raw.data, raw.target
    if row.data.endswith("bodyfat"):
        X, y = protocol.swap_target(X, y)
    # The paper does not say how targets are scaled. KR tells: see the table's protocol.
    return Problem(protocol.standardised(X), protocol.by_largest(y))


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


def define(known: dict[str, methods.Factory], cell: Cell, row: Row, steps: str) -> str:
    model = known[cell.method](row.measure, cell.n_landmarks, cell.split)
    return f"{methods.definition(model)}; train {TRAINING_SHARE}, bins {BINS}, {SCALING}, {steps}"


def define_regression(cell: Cell, row: Row) -> str:
    steps = STEPS if Path(row.data).name in FROM_ZERO else LARGEST
    return define(REGRESSION, cell, row, steps)


REASONS = {
    ("CAHousing, sigmoid", "RegLand-Sp"): "in part the luck of splits. 15 splits have 0.0168 ± "
    "0.0007, means of five of them 0.0165 to 0.0174. Totals of rooms and people are up to 30 "
    "standard deviations from their mean, and ten of the 6192 test rows make 5 % to 10 % of the "
    "error. It is not the number of candidates, which is not printed (1000 have 0.0165 on "
    "the five splits, 5000 have 0.0166). Gradients divided by the columns' norms, which the "
    "algorithm as printed does not do, have 0.0150 on three splits where the raw ones have 0.0165",
    ("Wine-Red, sigmoid", "ORLand"): "within the luck of splits: 30 have 0.443 ± 0.024, means of "
    "five of them 0.426 to 0.458, the paper's five 0.42 ± 0.04. It is not the share of training "
    "rows, which is not printed: 30 splits have 0.446 with 80 % of the rows, 0.438 with 90 %",
    ("Wine-White, Manhattan", "ORLand"): "in part the luck of splits. KR says 6 of nearly all "
    "wines: over all rows 6 is off by 0.630, in our test parts by 0.636, the paper's by 0.62, and "
    "ORLand's errors go with these (correlation 0.6 over 30 splits). 30 splits have 0.515 ± 0.013, "
    "and 0.510 ± 0.025 with 90 % training rows, where means of five are 0.493 to 0.525. No other "
    "setting explains the rest: on three splits 0.513 as it stands, 0.517 with features in [0, 1], "
    "0.520 with IMC, 0.545 with learned thresholds, 0.524 and 0.517 with margins 1 and 0.1, 0.509 "
    "with 200 landmarks; on ten 0.515 as it stands, 0.512, 0.516 and 0.516 with penalties 1e-3, "
    "1e-5 and 1e-7",
    ("Bank-32, Manhattan", "ORLand"): "within the luck of splits and of the 50 landmarks drawn: 20 "
    "splits have 1.66 ± 0.08, means of five of them 1.61 to 1.70; with features in [0, 1] it had "
    "1.93",
}


COMMON = (
    "Similarities: sigmoid tanh(⟨x, y⟩/d − 1) and Manhattan −‖x − y‖₁, as printed.",
    "Five random splits, as printed. Their shares are not printed; assumed here: "
    f"{TRAINING_SHARE:.0%} of the rows train, the others test.",
    "Features have mean 0 and variance 1 over all rows. That is not printed, but inferred from KR, "
    "which has nothing to tune: with the sigmoid, features in [0, 1] give it 0.012 on Abalone, "
    "0.036 on CPUData, 2.5 on Bank-8 and 2.5 on House-8 and House-16, and standardised ones 0.021, "
    "0.043, 2.9, 2.8 and 2.7, where 0.021, 0.041, 2.9, 2.8 and 2.7 are printed; Manhattan rows "
    "hardly tell.",
    "The out-of-the-box estimator has the same objects and the same measure (the distance, where "
    "the paper negates one), and its default number of landmarks, which is larger: 1000, or all.",
)


def regression() -> Table:
    printed, source = read_printed("5.1a")
    unlike = {
        "remark": "the paper does not say which PumaDyn it has; ours is another: of KR's error the "
        "printed RegLand-Sp leaves 6 % to 8 %, ours, where the noise is high, 50 % to 80 %",
        "same_data": False,
    }
    rows = (
        *rows_of("Abalone", "abalone", 4177),
        *rows_of("Bodyfat", "bodyfat", 252, remark="target: density"),
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
        define=define_regression,
        printed=printed,
        source=source,
        protocol=(
            *COMMON,
            "Targets divided by the largest of their absolute values: not printed, but inferred "
            "from KR. With all rows but its own as references (CAHousing: 7000) KR has, sigmoid "
            "and Manhattan, 0.0207 and 0.0164 on Abalone, 0.00045 and 0.00039 on Bodyfat, 0.0588 "
            "and 0.0576 on CAHousing, 0.042 and 0.044 on CPUData, where 0.021 and 0.017, 0.00046 "
            "and 0.00039, 0.059 and 0.058, 0.041 and 0.043 are printed. Scaled to [0, 1] it has "
            "0.062 and 0.061 on CAHousing and 0.043 on Bodyfat, which would need a rule of its "
            "own, and the 0.23 of PumaDyn would be close to 0.25, the largest variance in [0, 1].",
            "RegLand is in the paper's figure only, of which the text names one point: CPUData, "
            "sigmoid, 20 landmarks, where RegLand has 0.016 and RegLand-Sp less than 0.02 (Kar and "
            "Jain) or 0.002 (thesis). There ours have 0.0105 ± 0.005 and 0.0016 ± 0.0003, on five "
            f"splits. RegLand's solver ends after {SVR_STEPS} steps, converged or not.",
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
        define=lambda cell, row: define(ORDINAL, cell, row, STEPS),
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
