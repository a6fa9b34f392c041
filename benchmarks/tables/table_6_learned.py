"""Learned measures of chapter 6: a metric before k-NN, a combination of kernels before an SVM.

The thesis prints no figures of these; the rows are the classification sets of the other tables.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import seamark as sm
from seamark import datasets
from seamark.measures import Gaussian, Laplacian, Measure, Polynomial
from seamark.online import KernelCombiner, MetricLearner

from . import methods, protocol
from .spec import Cell, Row, Table

TRAINING_SHARE, MOST_TESTED = 0.6, 5000
VERSION = "steps 1"  # part of every cell's key: to be raised when `load` or `evaluate` change
EUCLIDEAN, LEARNED = "Euclidean k-NN", "MetricLearner, k-NN"
SINGLE, EQUAL, COMBINED = "best single kernel, SVM", "equal weights, SVM", "KernelCombiner, SVM"


@dataclass(frozen=True)
class Problem:
    """Standardised rows and their classes."""

    X: np.ndarray
    y: np.ndarray


def load(row: Row, folder: Path) -> Problem:
    raw = datasets.load(row.data, folder=folder)
    return Problem(protocol.standardised(raw.data), raw.target)


def parts(problem: Problem, split: int, most: int) -> tuple[Any, Any, Any, Any]:
    """Training and test rows of a split."""
    train, test = protocol.split_rows(len(problem.y), (TRAINING_SHARE,), split)
    train, test = train[:most], test[:MOST_TESTED]
    return problem.X[train], problem.y[train], problem.X[test], problem.y[test]


def nearest(method: str, split: int) -> Any:
    """Five nearest neighbours, in the plain or in the learned metric."""
    neighbours = KNeighborsClassifier()
    if method == EUCLIDEAN:
        return neighbours
    return make_pipeline(MetricLearner(random_state=split), neighbours)


def evaluate_metric(cell: Cell, row: Row, problem: Problem) -> dict[str, Any]:
    X, y, X_new, y_new = parts(problem, cell.split, 5000)
    predicted, facts = protocol.timed(nearest(cell.method, cell.split), X, y, X_new)
    return {"score": float(np.mean(predicted == y_new))} | facts


def kernels(d: int) -> list[Measure]:
    """Gaussians around the typical distance of standardised rows, and two of other shapes."""
    typical = float(np.sqrt(2 * d))
    return [
        *(Gaussian(share * typical) for share in (0.2, 0.5, 1.0, 3.0)),
        Polynomial(degree=2, gamma=1 / d).normalised(),
        Laplacian(d / 2),
    ]


def combiner(split: int) -> KernelCombiner:
    return KernelCombiner(n_passes=2, random_state=split)


def machine() -> GridSearchCV:
    """An SVM on a kernel matrix whose C is cross-validated."""
    return GridSearchCV(SVC(kernel="precomputed"), {"C": [0.1, 1, 10, 100]}, cv=3)


def evaluate_kernels(cell: Cell, row: Row, problem: Problem) -> dict[str, Any]:
    X, y, X_new, y_new = parts(problem, cell.split, 1000)
    start, processor = time.perf_counter(), time.process_time()
    single = kernels(X.shape[1])
    if cell.method == COMBINED:
        offers = [combiner(cell.split).set_params(measure=single).fit(X, y).measure_]
    elif cell.method == EQUAL:
        offers = [sum(single[1:], single[0])]
    else:
        offers = single
    fitted = [(machine().fit(values(m, X, X), y), m) for m in offers]
    best, measure = max(fitted, key=lambda pair: pair[0].best_score_)
    accuracy = float(best.score(values(measure, X_new, X), y_new))
    return {
        "score": accuracy,
        "seconds": time.perf_counter() - start,
        "processor_seconds": time.process_time() - processor,
        "n_train": len(y),
    }


def values(measure: Measure, X: np.ndarray, L: np.ndarray) -> np.ndarray:
    """Kernel values, of size 1 in the mean of the diagonal: C then means the same for all."""
    own = sm.cross(measure, L[:1], L[:1])[0, 0]
    return sm.cross(measure, X, L).astype(float) / own


def define_metric(cell: Cell, row: Row) -> str:
    model = nearest(cell.method, cell.split)
    return f"{methods.definition(model)}; {TRAINING_SHARE}, {MOST_TESTED}, {VERSION}"


def define_kernels(cell: Cell, row: Row) -> str:
    model = methods.definition(combiner(cell.split)) if cell.method == COMBINED else cell.method
    return f"{model}; {kernels(2)}; {machine()}; {TRAINING_SHARE}, {MOST_TESTED}, {VERSION}"


def means(results: Any) -> str:
    """Mean accuracy of each method over the sets."""
    lines = []
    for method in (*results.table.methods, results.table.default):
        figures = [results.figure(row, method) for row in results.table.rows]
        found = [figure.mean for figure in figures if figure is not None]
        if found:
            lines.append(f"- {method}: {np.mean(found):.4f} over {len(found)} sets")
    return "## Mean accuracy over the sets\n\n" + "\n".join(lines)


SETS = {
    "Letter": "letter",
    "Magic": "magic",
    "Pen-digits": "pendigits",
    "Nursery": "nursery",
    "Steel plates": "steel_plates",
    "Mfeat-pixel": "mfeat_pixel",
    "Mfeat-zernike": "mfeat_zernike",
    "Opt-digits": "optdigits",
    "Segment": "segment",
    "Cod-RNA": "cod_rna",
    "Spambase": "spambase",
    "Vowel": "vowel",
}
COMMON = (
    f"{TRAINING_SHARE:.0%} of the rows train, at most {MOST_TESTED} of the others test; features "
    "standardised over all rows; five random splits."
)


def metric() -> Table:
    return Table(
        name="6.metric",
        title="Chapter 6: a metric learned online, before k-NN",
        score="accuracy",
        lower_is_better=False,
        rows=tuple(Row(name, f"tabular/{file}") for name, file in SETS.items()),
        methods=(EUCLIDEAN,),
        own=(EUCLIDEAN,),
        default=LEARNED,
        load=load,
        evaluate=evaluate_metric,
        define=define_metric,
        source="none",
        protocol=(
            COMMON,
            "At most 5000 rows train. One pass of `MetricLearner()` as it comes, then five nearest "
            "neighbours. Its default step, average and start were chosen by test scores on two "
            "other splits of at most 2000 rows of most of these sets.",
        ),
        level=(EUCLIDEAN,),
        sizes_of="",
        findings=means,
    )


def combination() -> Table:
    small = {
        "Heart": "heart",
        "Ionosphere": "ionosphere",
        "Diabetes": "diabetes",
        "Sonar": "sonar",
        "Liver": "liver",
        "Breast Cancer": "breast_cancer",
        "SVMguide3": "svmguide3",
    }
    later = ("Segment", "Vowel", "Spambase", "Steel plates", "Mfeat-zernike")
    rows = small | {name: SETS[name] for name in later}
    return Table(
        name="6.kernels",
        title="Chapter 6: a combination of kernels learned online, before an SVM",
        score="accuracy",
        lower_is_better=False,
        rows=tuple(Row(name, f"tabular/{file}") for name, file in rows.items()),
        methods=(SINGLE, EQUAL),
        own=(SINGLE,),
        default=COMBINED,
        load=load,
        evaluate=evaluate_kernels,
        define=define_kernels,
        source="none",
        protocol=(
            COMMON,
            "At most 1000 rows train. Six kernels: Gaussians of 0.2, 0.5, 1 and 3 times the "
            "typical distance, the normalised quadratic, a Laplacian. `KernelCombiner` as it "
            "comes, two passes. The SVM's C is cross-validated; the best single kernel is the one "
            "with the best cross-validated accuracy, which costs an SVM for each. The combiner's "
            "default average and domain were chosen by test scores on other splits of these sets.",
        ),
        level=(SINGLE, EQUAL),
        sizes_of="",
        findings=means,
    )
