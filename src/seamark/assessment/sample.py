"""Which objects are looked at: landmarks, objects to learn from, objects to report on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import distinct
from ..landmarks import interleaved, shared_out
from ..measures import Measure, matrix_inside
from ..targets import by_class
from .tasks import AssessedTask

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Values = NDArray[np.float32]

FEWEST = 12  # objects below which nothing can be held out
ASSESSED_REFERENCES = 500  # the most landmarks
ASSESSED_SQUARE = 300  # landmarks that are compared with each other
FITTING_SHARE = 20  # at most one evaluation in so many goes into a measure's own parameters
PROBE = 4  # objects whose values show what a value costs; no more than there are references
MOSTLY = 0.9  # share of objects that must be nearest to themselves to show a direction

Parts = tuple[Rows, Rows, Rows | None, Rows, Rows | None]
"""To learn from, to test on, landmarks, their numbers, groups of equal objects: see `Sample`."""


def n_references(n: int) -> int:
    """Return how many of n objects serve as references: a third, at most 500."""
    return min(ASSESSED_REFERENCES, n // 3)


def cost(n: int) -> int:
    """Return the values that n objects take: others × references, and the square.

    Examples
    --------
    >>> cost(2000)
    840000
    """
    R = n_references(n)
    return R * (n - R) + min(R, ASSESSED_SQUARE) ** 2


def most_objects(n: int, values: int) -> int:
    """Return the largest number of objects, at most n, whose cost fits."""
    low, high = 0, n
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if cost(middle) <= values else (low, middle - 1)
    return low


def shuffled(task: AssessedTask, n: int, rng: np.random.Generator) -> Rows:
    """Return all rows in random order: any first few hold all classes, or whole queries."""
    if task.query is not None:
        queries = rng.permutation(np.unique(task.query))
        return np.argsort(np.argsort(queries)[task.query], kind="stable")
    if not task.n_classes:
        return rng.permutation(n)
    return interleaved([rng.permutation(group) for group in by_class(task.y, n)])


def split(order: Rows, task: AssessedTask, groups: Rows) -> Parts:
    """Deal rows to landmarks, learning and testing: `n_references`, and halves of the rest.

    Equal objects are in one part, if enough differ: what is
    learned from a row must not be tested on its copy. Parts keep their sizes: surplus copies are
    left out.
    """
    one_of_each = distinct(order, groups)
    if task.query is not None or not FEWEST <= len(one_of_each) < len(order):
        learn, test, landmarks = _deal(order, task)
        return learn, test, landmarks, landmarks, None
    *parts, landmarks = _deal(one_of_each, task)  # one of each leads, for nested curves
    R = n_references(len(order))
    half = (len(order) - R) // 2
    learn, test = (order[np.isin(groups[order], groups[part])][:half] for part in parts)
    copies = order[np.isin(groups[order], groups[landmarks]) & ~np.isin(order, landmarks)]
    reference = np.concatenate([landmarks, copies])[:R]
    return learn, test, reference, reference, groups


def _deal(order: Rows, task: AssessedTask) -> tuple[Rows, Rows, Rows]:
    """Deal rows without regard to copies: to learn from, to test on, landmarks."""
    if not len(order):
        return order, order, order  # a budget for nothing, which `draw` refuses
    R = n_references(len(order))
    if task.query is not None:
        # Whole queries: rows of one query must not be both learned from and tested on. They are
        # numbered in the order in which they first come.
        _, first, inverse = np.unique(task.query[order], return_index=True, return_inverse=True)
        place = np.argsort(np.argsort(first))[inverse]
        pools = [order[3 * place // (place.max(initial=0) + 1) == third] for third in range(3)]
        return pools[1], pools[2], pools[0][:R]
    classes = by_class(task.y[order] if task.n_classes else None, len(order))
    shares = shared_out(R, [len(rows) for rows in classes])
    dealt = [
        (order[rows[share::2]], order[rows[share + 1 :: 2]], order[rows[:share]])
        for rows, share in zip(classes, shares, strict=True)
    ]
    learn, test, references = (list(parts) for parts in zip(*dealt, strict=True))
    # Any first few landmarks hold all classes, for nested curves.
    return np.concatenate(learn), np.concatenate(test), interleaved(references)


# Values of the measure among a few objects, within a budget of evaluations.


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Some objects, in three parts, and values of a measure among them.

    Attributes
    ----------
    learn, test : ndarray of int
        Rows of objects: what is learned is learned from the first, and reported on the second.
    reference : ndarray of int or None
        Rows of the landmarks; None if the landmarks are columns of a matrix and have no targets.
    columns : ndarray of int
        The landmarks' numbers, as the measure's domain takes them.
    groups : ndarray of int or None
        Number of each row's group of equal objects, which are in one part; None: rows are all
        there is, or too few objects differ.
    measure : Measure
        With all parameters as numbers.
    landmarks : objects
        The landmarks themselves.
    values : ndarray of shape (len(learn) + len(test), R)
        Of learn and test rows, in this order, against the landmarks.
    square : ndarray of shape (S, S) or None
        Of the first landmarks among themselves, if they are objects.
    n_evaluations : int
        Spent on all this.
    seconds : float
        Per evaluation.
    """

    learn: Rows
    test: Rows
    reference: Rows | None
    columns: Rows
    groups: Rows | None = None
    measure: Measure
    landmarks: Any
    values: Values
    square: Values | None
    n_evaluations: int
    seconds: float

    @property
    def rows(self) -> Rows:
        """Rows of all objects that are compared with the landmarks."""
        return np.concatenate([self.learn, self.test])

    @property
    def n_objects(self) -> int:
        """Number of all objects."""
        return len(self.rows) + (0 if self.reference is None else len(self.reference))


def draw(
    measure: Measure,
    X: Any,
    task: AssessedTask,
    *,
    most: int,
    budget: int,
    rng: np.random.Generator,
    n_jobs: int | None,
    progress: engine.Progress,
) -> Sample:
    """Draw objects and compute the values.

    Parameters
    ----------
    measure : Measure
    X : objects
        Ingested.
    task : AssessedTask
    most : int
        Objects to draw, at most.
    budget : int
        Evaluations, at most and in all.
    rng : Generator
    n_jobs : int or None
    progress : Progress
    """
    matrix = matrix_inside(measure)
    if matrix is not None:
        matrix.require_shape(X)
    order = shuffled(task, X.shape[0], rng)[:most]
    with engine.counting() as counter:
        few = order[: max(2, int((budget // FITTING_SHARE) ** 0.5))]
        with _naming_the_sample():
            measure = measure.fitted_to(X[np.sort(few)], rng)
            per_value = _evaluations_per_value(measure, X, order)
        affordable = int((budget - counter.evaluations) / per_value)
        if _rectangular(measure):
            columns = np.sort(rng.permutation(X.shape[1])[:ASSESSED_REFERENCES])
            rows = order[: affordable // max(1, len(columns))]
            parts: Parts = rows[::2], rows[1::2], None, columns, None
        else:
            groups = np.zeros(X.shape[0], dtype=np.intp)
            groups[order] = measure.domain.groups(X[order])
            parts = split(order[: most_objects(len(order), affordable)], task, groups)
        learn, test, reference, columns, known = parts
        rows = np.concatenate([learn, test])
        if min(len(learn), len(test), len(columns)) < 2 or len(rows) + len(columns) < FEWEST:
            raise ValueError(
                f"{len(rows)} objects against {len(columns)} landmarks are too few to judge a "
                f"measure; give at least {FEWEST} objects, and a budget (now {budget}) of some "
                "hundreds of evaluations."
            )
        if np.ptp(task.learned[learn]) == 0:
            raise ValueError(
                f"the {len(learn)} objects to learn from all have the target "
                f"{task.labels[learn].tolist()[0]!r}; give more objects, or more of other targets."
            )
        own = columns[:0] if reference is None else reference[:ASSESSED_SQUARE]
        progress.start(len(rows) * len(columns) + len(own) ** 2)
        part = engine.PartOfBar(progress)
        before, began = counter.evaluations, time.perf_counter()
        landmarks, square = measure.domain.landmarks(X, columns), None
        with _naming_the_sample():
            recipe = measure.recipe(landmarks)
            values = engine.run(recipe, X[rows], n_jobs=n_jobs, progress=part)
            if len(own):
                # In both directions, even if the measure is declared symmetric: that is checked.
                recipe = measure.recipe(measure.domain.landmarks(X, own))
                square = engine.run(recipe, X[own], n_jobs=n_jobs, progress=part)
        seconds = (time.perf_counter() - began) / max(1, counter.evaluations - before)
    return Sample(
        learn=learn,
        test=test,
        reference=reference,
        columns=columns,
        groups=known,
        measure=measure,
        landmarks=landmarks,
        values=values,
        square=square,
        n_evaluations=counter.evaluations,
        seconds=seconds,
    )


@contextmanager
def _naming_the_sample() -> Iterator[None]:
    """Add to errors of the measure that objects are numbered as in the sample, not as in X."""
    try:
        yield
    except Exception as error:
        error.add_note(
            "Objects and landmarks are numbered as those of the sample that assess drew."
        )
        raise


def _evaluations_per_value(measure: Measure, X: Any, order: Rows) -> float:
    """Return how many evaluations a value takes: several for a sum, some for normalising."""
    few = order[:PROBE]
    columns = np.arange(min(PROBE, X.shape[1])) if _rectangular(measure) else few
    recipe = measure.recipe(measure.domain.landmarks(X, columns))
    with engine.counting() as probe:
        engine.run(recipe, X[few], n_jobs=1)
    return max(1.0, probe.evaluations / (len(few) * len(columns)))


def _rectangular(measure: Measure) -> bool:
    """Whether the objects are rows of a matrix all of whose columns are landmarks."""
    matrix = matrix_inside(measure)
    return matrix is not None and not matrix.square


# From values of a measure to similarities in [−1, 1], of which the theory speaks.


@dataclass(frozen=True)
class Scale:
    """K = (value − middle) / half, half < 0 for distances.

    Attributes
    ----------
    middle, half : float
    kind : str
        "distance" or "similarity": what the measure says, or what was seen.
    declared : bool
        Whether the measure says so.

    Examples
    --------
    >>> Scale(5.0, -5.0, "distance", True).apply(np.array([0.0, 10.0]))
    array([ 1., -1.])
    """

    middle: float
    half: float
    kind: str
    declared: bool

    @classmethod
    def seen(cls, measure: Measure, values: NDArray[Any], square: NDArray[Any] | None) -> Scale:
        """Return the scale for what was seen.

        Distances, and similarities that are never positive, are mapped from their range onto [−1,
        1]. Other similarities keep their zero, and are divided by the largest size if that
        exceeds 1: so a kernel stays a kernel.
        """
        kind = measure.kind or seen_kind(square)
        parts = [values] if square is None else [values, square]
        seen = min(float(part.min()) for part in parts), max(float(part.max()) for part in parts)
        low, high = (
            float(bound) if np.isfinite(bound) else end
            for bound, end in zip(measure.bounds, seen, strict=True)
        )
        declared = measure.kind is not None
        if kind == "distance" or high <= 0:
            half = (high - low) / 2 or 1.0
            return cls((low + high) / 2, -half if kind == "distance" else half, kind, declared)
        return cls(0.0, max(1.0, abs(low), abs(high)), kind, declared)

    def apply(self, values: NDArray[Any]) -> Floats:
        """Return similarities in [−1, 1], float64."""
        return np.clip((values.astype(np.float64) - self.middle) / self.half, -1.0, 1.0)

    def __str__(self) -> str:
        if self.middle == 0 and self.half == 1:
            return "as they are"
        shift = "value" if self.middle == 0 else f"(value − {self.middle:.4g})"
        if self.half < 0:
            shift = f"({self.middle:.4g} − value)"
        return f"{shift} / {abs(self.half):.4g}"


def seen_kind(square: NDArray[Any] | None) -> str:
    """Guess the kind of a measure that does not declare it; a similarity if there is no sign.

    It is a distance if most objects have their smallest value with themselves.

    Examples
    --------
    >>> seen_kind(np.array([[0.0, 1.0], [1.0, 0.0]]))
    'distance'
    """
    if square is None or np.ptp(square) == 0:
        return "similarity"
    own = square.diagonal()
    least = float((own <= square.min(axis=1)).mean())
    largest = float((own >= square.max(axis=1)).mean())
    return "distance" if least >= MOSTLY and least > largest else "similarity"
