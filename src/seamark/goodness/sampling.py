"""Which objects are looked at, and the values of the measure among them, within a budget."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..estimator import matrix_inside
from ..landmarks import by_class, interleaved, shared_out
from ..measures import Measure
from .tasks import Task

Rows = NDArray[np.intp]
Values = NDArray[np.float32]

MOST_OBJECTS = 2000
MOST_REFERENCES = 500
MOST_IN_SQUARE = 300
FITTING_SHARE = 20  # at most one evaluation in so many goes into a measure's own parameters
PROBE = 4  # objects whose values show what a value costs; no more than there are references
FEWEST = 12  # objects below which nothing can be held out


@dataclass(frozen=True)
class Sample:
    """Values of a measure among a few objects.

    Attributes
    ----------
    measure : Measure
        With all parameters as numbers.
    learn, test : ndarray of int
        Rows of objects: what is learned is learned from the first, and reported on the second.
    reference : ndarray of int or None
        Rows of the landmarks; None if the landmarks are columns of a matrix and have no labels.
    landmarks : objects
        The landmarks themselves.
    values : ndarray of shape (len(learn) + len(test), R)
        Of learn and test rows, in this order, against the landmarks.
    square : ndarray of shape (S, S) or None
        Of the first S references among themselves.
    n_evaluations : int
        Spent on all this.
    seconds : float
        Per evaluation.
    """

    measure: Measure
    learn: Rows
    test: Rows
    reference: Rows | None
    landmarks: Any
    values: Values
    square: Values | None
    n_evaluations: int
    seconds: float

    @property
    def rows(self) -> Rows:
        """Rows of all objects against the landmarks."""
        return np.concatenate([self.learn, self.test])


def n_references(n: int) -> int:
    """Return how many of n objects serve as references: a third, at most 500."""
    return min(MOST_REFERENCES, n // 3)


def cost(n: int) -> int:
    """Return the values that n objects take: others × references, and the square.

    Examples
    --------
    >>> cost(2000)
    840000
    """
    R = n_references(n)
    return R * (n - R) + min(R, MOST_IN_SQUARE) ** 2


def most_objects(n: int, values: int) -> int:
    """Return the largest number of objects, at most n, whose cost fits."""
    low, high = 0, n
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if cost(middle) <= values else (low, middle - 1)
    return low


def draw(
    measure: Measure,
    X: Any,
    task: Task,
    *,
    most: int,
    budget: int,
    rng: np.random.Generator,
    n_jobs: int | None,
    progress: engine.Progress,
) -> Sample:
    """Draw objects and compute the values, with at most `budget` evaluations."""
    order = shuffled(task, X.shape[0], rng)
    with engine.counting() as counter:
        few = order[: max(2, min(most, int((budget // FITTING_SHARE) ** 0.5)))]
        measure = measure.fitted_to(X[np.sort(few)], rng)
        per_value = _evaluations_per_value(measure, X, order)
        left = int((budget - counter.evaluations) / per_value)
        matrix = matrix_inside(measure)
        if matrix is not None and not matrix.square:
            parts = _columns(X, order[:most], left, rng)
        else:
            parts = _split(order, task, most_objects(min(most, len(order)), left))
        learn, test, reference, columns = parts
        _require_enough(learn, test, columns, budget)
        landmarks = measure.domain.landmarks(X, columns)
        square_rows = None if reference is None else reference[:MOST_IN_SQUARE]
        rows = np.concatenate([learn, test])
        size = len(rows) * len(columns) + (0 if square_rows is None else len(square_rows) ** 2)
        progress.start(size)
        began, before = time.perf_counter(), counter.evaluations
        part = engine.Part(progress)
        values = engine.run(measure.compile(landmarks), X[rows], n_jobs=n_jobs, progress=part)
        square = None
        if square_rows is not None:
            plan = measure.compile(measure.domain.landmarks(X, square_rows))
            square = engine.run(plan, X[square_rows], n_jobs=n_jobs, progress=part)
        spent = max(1, counter.evaluations - before)
        seconds = (time.perf_counter() - began) / spent
    return Sample(
        measure, learn, test, reference, landmarks, values, square, counter.evaluations, seconds
    )


def shuffled(task: Task, n: int, rng: np.random.Generator) -> Rows:
    """Return all rows in random order: any first few hold all classes, or whole queries."""
    if task.query is not None:
        queries = rng.permutation(np.unique(task.query))
        return np.argsort(np.argsort(queries)[task.query], kind="stable")
    if task.strata is None:
        return rng.permutation(n)
    return interleaved([rng.permutation(group) for group in by_class(task.strata, n)])


def _evaluations_per_value(measure: Measure, X: Any, order: Rows) -> float:
    """Return how many evaluations a value takes: several for a sum, some for normalising."""
    few = order[:PROBE]
    columns = few if not _rectangular(measure) else np.arange(min(PROBE, X.shape[1]))
    plan = measure.compile(measure.domain.landmarks(X, columns))
    with engine.counting() as probe:
        engine.run(plan, X[few], n_jobs=1)
    return max(1.0, probe.evaluations / (len(few) * len(columns)))


def _rectangular(measure: Measure) -> bool:
    matrix = matrix_inside(measure)
    return matrix is not None and not matrix.square


Parts = tuple[Rows, Rows, Rows | None, Rows]


def _columns(X: Any, order: Rows, values: int, rng: np.random.Generator) -> Parts:
    """Split the rows of an n × R matrix, all of whose columns are landmarks."""
    columns = np.sort(rng.permutation(X.shape[1])[:MOST_REFERENCES])
    rows = order[: values // max(1, len(columns))]
    return rows[::2], rows[1::2], None, columns


def _split(order: Rows, task: Task, n: int) -> Parts:
    """Deal n rows to references, learning and testing: a third, or `n_references`, and halves."""
    order, R = order[:n], n_references(n)
    if task.query is not None:
        # Whole queries: rows of one query must not be both learned from and tested on.
        place = _dense_rank(task.query[order])
        pools = [order[3 * place // (place.max(initial=0) + 1) == third] for third in range(3)]
        return pools[1], pools[2], pools[0][:R], pools[0][:R]
    groups = by_class(None if task.strata is None else task.strata[order], n)
    shares = shared_out(R, [len(group) for group in groups])
    dealt = [
        (order[group[share::2]], order[group[share + 1 :: 2]], order[group[:share]])
        for group, share in zip(groups, shares, strict=True)
    ]
    learn, test, references = (list(parts) for parts in zip(*dealt, strict=True))
    reference = interleaved(references)  # any first few hold all classes, for nested curves
    return np.concatenate(learn), np.concatenate(test), reference, reference


def _dense_rank(values: Rows) -> Rows:
    """Return 0 for the first value met, 1 for the next other one, and so on."""
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def _require_enough(learn: Rows, test: Rows, columns: Rows, budget: int) -> None:
    if len(learn) + len(test) + len(columns) < FEWEST or min(map(len, (learn, test, columns))) < 2:
        raise ValueError(
            f"{len(learn) + len(test)} objects against {len(columns)} landmarks are too few to "
            f"judge a measure; give at least {FEWEST} objects, and a budget (now {budget}) of "
            "some hundreds of evaluations."
        )
