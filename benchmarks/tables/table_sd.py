"""Tables of Sinha and Duchi: a kernel learned by alignment against random features as drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import seamark as sm
from seamark.baselines import JointFeatureSVM, MultipleKernelSVM
from seamark.linear_model import RidgeClassifier
from seamark.measures import Gaussian

from .methods import definition
from .protocol import split_rows, standardised, timed
from .spec import Cell, Row, Table, read_printed

TRAINING_SHARE = 0.75
POOL = 20_000
JOINT_ROWS, JOINT_POOL, JOINT_STEPS = 5000, 2000, 20
MOST_RANDOM = 4000  # features; more would take a ridge many minutes
# Rivals hold a matrix of all pairs for each kernel; the paper gives them 17 500 and 7500 rows.
RATIO_ROWS, JOINT_KERNEL_ROWS = 6000, 3000
# Part of every cell's key: to be raised when a step of `load` or `evaluate` changes.
STEPS = "steps 2"


@dataclass(frozen=True)
class Recipe:
    """A line of the paper's Table 3: base kernel, head, ρ/N, and the share of rows for q."""

    base: str
    head: str
    rho: float
    share: float


@dataclass(frozen=True)
class Problem:
    """Vectors, two classes, and rows that train and test in a split."""

    X: Any
    y: np.ndarray
    split: np.ndarray | None = field(default=None)


RECIPES = {
    "adult": Recipe("gaussian", "logistic", 0.0120, 0.50),
    "farm": Recipe("linear", "ridge", 0.0050, 1.0),
    "mnist17": Recipe("arc_cosine", "logistic", 0.0300, 0.25),
    "mnist49": Recipe("arc_cosine", "logistic", 0.0300, 0.25),
    "mnist56": Recipe("arc_cosine", "logistic", 0.0300, 0.25),
    "weight": Recipe("gaussian", "ridge", 0.0020, 0.50),
}
LARGER = {
    "mnist17": Recipe("arc_cosine", "streamed ridge", 0.00100, 0.50),
    "mnist49": Recipe("arc_cosine", "streamed ridge", 0.00100, 0.50),
    "mnist56": Recipe("arc_cosine", "streamed ridge", 0.00100, 0.50),
}
WITHOUT_WEIGHT = (
    "not run, as only half of the rows are at hand, and its ρ/N = 0.00015 keeps so many features "
    "that the ridge, which chooses its penalty by folds, took over ten minutes and 10 GB"
)
FILES = {
    "adult": "tabular/adult_a9a",
    "farm": "tabular/farm_ads",
    "mnist17": "strings/mnist_images",
    "mnist49": "strings/mnist_images",
    "mnist56": "strings/mnist_images",
    "weight": "tabular/wle_half",
}


def load(row: Row, folder: Path) -> Problem:
    with np.load(folder / f"{row.data}.npz") as raw:
        if row.name == "farm":
            parts = (raw["data"].astype(np.float32), raw["indices"], raw["indptr"])
            return Problem(sparse.csr_matrix(parts, shape=raw["shape"]), raw["y"] == 1)
        if row.name.startswith("mnist"):
            pair = [int(digit) for digit in row.name[-2:]]
            kept = np.isin(raw["y"], pair)
            images = raw["images"][kept].reshape(kept.sum(), -1).astype(np.float32) / 255
            return Problem(images, raw["y"][kept] == pair[0], raw["split"][kept])
        if row.name == "weight":
            return Problem(standardised(raw["X"]).astype(np.float32), raw["y"] == 0)
        return Problem(raw["X"].astype(np.float32), raw["y"] == 1, raw["split"])


def base_map(recipe: Recipe, n: int, seed: int) -> Any:
    """Random features of the base kernel; every column once, if it is linear."""
    if recipe.base == "gaussian":
        return sm.RandomFourier(Gaussian("mean"), n_components=n, random_state=seed)
    if recipe.base == "arc_cosine":
        return sm.ArcCosine(2, n_components=n, random_state=seed)
    return sm.Coordinates()


def head(recipe: Recipe) -> Any:
    """Both choose or need no scale: ridge by its penalty, logistic regression by standardising."""
    if recipe.head == "ridge":
        # scikit-learn's, which is quick where there are more features than rows.
        return RidgeClassifierCV(np.logspace(-3, 3, 7))
    if recipe.head == "streamed ridge":
        return RidgeClassifier(calibrate=False, cv=3)
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=300, tol=1e-3))


def aligned(recipe: Recipe, n: int, seed: int) -> Any:
    sample = None if recipe.share == 1 else round(recipe.share * n)
    return sm.Aligned(
        base_map(recipe, POOL, seed),
        rho_per_feature=recipe.rho,
        n_sample=sample,
        random_state=seed,
    )


def rival(method: str, recipe: Recipe, seed: int) -> Any | None:
    """Methods that learn a kernel and an SVM from all pairs of some rows."""
    rivals = {
        "ABMKSVM": MultipleKernelSVM(weights="ratio", n_sample=RATIO_ROWS, random_state=seed),
        "MKSVM": MultipleKernelSVM(weights="joint", n_sample=JOINT_KERNEL_ROWS, random_state=seed),
        "Joint": JointFeatureSVM(
            base_map(recipe, JOINT_POOL, seed),
            rho_per_feature=recipe.rho,
            n_sample=JOINT_ROWS,
            max_iter=JOINT_STEPS,
            random_state=seed,
        ),
    }
    return rivals.get(method)


def contestant(method: str, recipe: Recipe, X: Any, y: np.ndarray, seed: int) -> Any:
    """OK, or as many features as OK keeps (ten times as many), as they are drawn; or a rival."""
    known = rival(method, recipe, seed)
    if known is not None:
        return known
    learned = aligned(recipe, len(y), seed)
    if method == "OK":
        return make_pipeline(learned, head(recipe))
    times = 10 if method.endswith("10") else 1
    n = min(times * len(learned.fit(X, y).support_), MOST_RANDOM)
    if recipe.base == "linear":
        chosen = np.random.default_rng(seed).permutation(X.shape[1])[:n]
        return make_pipeline(_Columns(chosen), head(recipe))
    return make_pipeline(base_map(recipe, n, seed), head(recipe))


class _Columns(sm.Coordinates):
    """Some columns, drawn at random beforehand."""

    def __init__(self, columns: Any = None) -> None:
        self.columns = columns

    def fit(self, X: Any, y: Any = None) -> Any:
        return self

    def transform(self, X: Any) -> Any:
        return X[:, self.columns]


def parts_of(problem: Problem, split: int) -> tuple[np.ndarray, np.ndarray]:
    """Training and test rows: the standard split, or a random one."""
    if problem.split is None:
        train, test = split_rows(len(problem.y), (TRAINING_SHARE,), split)
        return train, test
    order = np.random.default_rng([20160612, split]).permutation(len(problem.y))
    return order[problem.split[order] == 0], order[problem.split[order] == 1]


def evaluate(cell: Cell, row: Row, problem: Problem) -> dict[str, Any]:
    """Share of test rows that are wrong, in percent."""
    recipe = row.measure
    train, test = parts_of(problem, cell.split)
    if cell.table == "sd-2":
        train = train[:JOINT_ROWS]
    X, y = problem.X[train], problem.y[train]
    if cell.method == DEFAULT:
        model = out_of_the_box(recipe, cell.split)
    else:
        model = contestant(cell.method, recipe, X, y, cell.split)
    predicted, facts = timed(model, X, y, problem.X[test])
    wrong = 100 * float(np.mean(predicted != problem.y[test]))
    kept = getattr(getattr(model, "steps", [("", None)])[0][1], "support_", None)
    return {"score": wrong, "kept": None if kept is None else len(kept)} | facts


DEFAULT = "Aligned, ρ by folds"


def out_of_the_box(recipe: Recipe, seed: int) -> Any:
    """Our own choices: ρ on folds, our ridge."""
    learned = sm.Aligned(base_map(recipe, 5000, seed), n_sample=10_000, random_state=seed)
    return make_pipeline(learned, RidgeClassifier(calibrate=False))


def define(cell: Cell, row: Row) -> str:
    recipe = row.measure
    if cell.method == DEFAULT:
        model = out_of_the_box(recipe, cell.split)
    else:
        alone = make_pipeline(aligned(recipe, 1000, cell.split), head(recipe))
        model = rival(cell.method, recipe, cell.split) or alone
    return f"{cell.method}: {definition(model)}; {recipe}; {TRAINING_SHARE}; {STEPS}"


PROTOCOL = (
    f"Standard splits where there are some, else {TRAINING_SHARE:.0%} train, as printed. Seeds "
    "differ from split to split.",
    "Base kernels, heads, ρ/N, N = 20 000 and the share of rows that q is found on are those of "
    "the paper's Table 3; the arc-cosine is of order 2, which the paper says of another set. The "
    "width of the Gaussian is not printed: it is the mean distance here (on one split of adult OK "
    "then has 15.2 %; with width 1, 18.5 %).",
    "Targets are centred, where the paper has ±1: better with classes of unequal size (adult, one "
    "split: 15.2 % against 15.7 %).",
    "Not printed, assumed: pixels are in [0, 1], the columns of weight are standardised, those of "
    "adult and farm as they are. Logistic regression has standardised features and C = 1; ridge "
    "chooses its penalty by folds.",
    "Random has as many features as OK keeps, Random10 ten times as many, at most "
    f"{MOST_RANDOM}; with a linear kernel they are columns.",
    f"ABMKSVM has {RATIO_ROWS} training rows and MKSVM {JOINT_KERNEL_ROWS}, drawn at random; the "
    "paper has up to 17 500 and 7500.",
    f"Joint has {JOINT_POOL} features to weigh, and solves at most {JOINT_STEPS} SVMs.",
    "Seconds are of fit and prediction. The paper's are of another machine.",
)


NOT_AT_HAND = {
    "reuters": "not run, as RCV1-v2 (23,149 documents to train and 781,265 to test) is not at hand",
    "buzz": "not run, as the Twitter data of buzz (140,707 rows) are not at hand",
    "ads": "not run, as UCI's Internet Advertisements (3,279 rows) are not at hand",
}


def printed_rows(printed: dict[tuple[str, str], Any]) -> list[str]:
    """Return the rows of a printed table, in its order."""
    return list(dict.fromkeys(row for row, _ in printed))


def table(
    number: str,
    recipes: dict[str, Recipe],
    methods: tuple[str, ...],
    absent: dict[str, str],
    **facts: Any,
) -> Table:
    printed, source = read_printed(f"sd-{number}")
    return Table(
        name=f"sd-{number}",
        score="error in percent",
        lower_is_better=True,
        rows=tuple(
            Row(name, "", absent=absent[name])
            if name in absent
            else Row(
                name,
                FILES[name],
                recipes[name],
                "only half of the rows are in the data folder" if name == "weight" else "",
                same_data=name != "weight",
            )
            for name in printed_rows(printed)
        ),
        methods=methods,
        own=("OK",),
        default=DEFAULT,
        load=load,
        evaluate=evaluate,
        define=define,
        printed=printed,
        source=source,
        protocol=PROTOCOL,
        quick_splits=1,
        n_landmarks=POOL,
        level=methods,
        sizes_of="",
        **facts,
    )


def benchmarks() -> Table:
    """Tables 4 and 5, which hold what Table 1 says of these sets."""
    title = "Tables 1, 4 and 5 of Sinha and Duchi: learned and random features"
    methods = ("OK", "Random", "Random10", "ABMKSVM", "MKSVM")
    chance = (
        "the gap is half the standard deviation over random splits, of which the paper has one; "
        "our own choice of ρ on folds reaches the printed figure"
    )
    reasons = {("farm", "OK"): chance}
    return table("4", RECIPES, methods, NOT_AT_HAND, title=title, n_splits=3, reasons=reasons)


def joint() -> Table:
    """Table 2: against features and SVM learned together, on 5000 rows."""
    title = "Table 2 of Sinha and Duchi: against joint optimisation, on 5000 rows"
    recipes = {"adult": RECIPES["adult"]}
    return table("2", recipes, ("OK", "Joint"), NOT_AT_HAND, title=title, n_splits=2)


def larger() -> Table:
    """Table 6: a smaller ρ keeps more features."""
    title = "Table 6 of Sinha and Duchi: more features"
    return table("6", LARGER, ("OK",), {"weight": WITHOUT_WEIGHT}, title=title, n_splits=2)
