"""Which objects are looked at: landmarks, objects to learn from, objects to report on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Domain, distinct, seed_from
from ..estimating import matrix_inside
from ..io import RowSource, hashed_sample
from ..landmarks import interleaved, shared_out
from ..measures import Measure
from ..targets import by_class
from .tasks import AssessedTask

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

FEWEST = 12  # objects below which nothing can be held out
# The most objects and references, and references that are compared with each other.
ASSESSED_REFERENCES = 500
# The most objects and references, and references that are compared with each other.
ASSESSED_SQUARE = 300


@dataclass(frozen=True)
class Split:
    """Some objects, in three parts.

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
    """

    learn: Rows
    test: Rows
    reference: Rows | None
    columns: Rows
    groups: Rows | None = field(default=None, kw_only=True)

    @property
    def rows(self) -> Rows:
        """Rows of all objects that are compared with the landmarks."""
        return np.concatenate([self.learn, self.test])

    @property
    def square_rows(self) -> Rows:
        """Rows of the landmarks that are compared with each other."""
        few = ASSESSED_SQUARE
        return np.array([], np.intp) if self.reference is None else self.reference[:few]

    @property
    def n_objects(self) -> int:
        """Number of all objects."""
        return len(self.rows) + (0 if self.reference is None else len(self.reference))

    @property
    def n_values(self) -> int:
        """Number of values wanted."""
        return len(self.rows) * len(self.columns) + len(self.square_rows) ** 2

    def require_enough(self, budget: int) -> None:
        """Stop if there is too little to judge by."""
        parts = (self.learn, self.test, self.columns)
        if min(map(len, parts)) < 2 or sum(map(len, parts)) < FEWEST:
            raise ValueError(
                f"{len(self.rows)} objects against {len(self.columns)} landmarks are too few to "
                f"judge a measure; give at least {FEWEST} objects, and a budget (now {budget}) of "
                "some hundreds of evaluations."
            )


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
    if task.strata is None:
        return rng.permutation(n)
    return interleaved([rng.permutation(group) for group in by_class(task.strata, n)])


def split_columns(order: Rows, width: int, values: int, rng: np.random.Generator) -> Split:
    """Split the rows of an n × R matrix, whose columns are the landmarks."""
    columns = np.sort(rng.permutation(width)[:ASSESSED_REFERENCES])
    rows = order[: values // max(1, len(columns))]
    return Split(rows[::2], rows[1::2], None, columns)


def split(order: Rows, task: AssessedTask, groups: Rows) -> Split:
    """Deal rows to landmarks, learning and testing: `n_references`, and halves of the rest.

    Equal objects are in one part, if enough differ: what is
    learned from a row must not be tested on its copy. Parts keep their sizes: surplus copies are
    left out.
    """
    one_of_each = distinct(order, groups)
    if task.query is not None or not FEWEST <= len(one_of_each) < len(order):
        return _split(order, task)
    parts = _split(one_of_each, task)
    R = n_references(len(order))
    half = (len(order) - R) // 2
    learn, test = (
        order[np.isin(groups[order], groups[part])][:half] for part in (parts.learn, parts.test)
    )
    landmarks = parts.columns  # one of each leads, for nested curves
    copies = order[np.isin(groups[order], groups[landmarks]) & ~np.isin(order, landmarks)]
    reference = np.concatenate([landmarks, copies])[:R]
    return Split(learn, test, reference, reference, groups=groups)


def _split(order: Rows, task: AssessedTask) -> Split:
    if not len(order):
        return Split(order, order, order, order)  # a budget for nothing; `require_enough` says so
    R = n_references(len(order))
    if task.query is not None:
        # Whole queries: rows of one query must not be both learned from and tested on.
        place = _dense_rank(task.query[order])
        pools = [order[3 * place // (place.max(initial=0) + 1) == third] for third in range(3)]
        return Split(pools[1], pools[2], pools[0][:R], pools[0][:R])
    classes = by_class(None if task.strata is None else task.strata[order], len(order))
    shares = shared_out(R, [len(rows) for rows in classes])
    dealt = [
        (order[rows[share::2]], order[rows[share + 1 :: 2]], order[rows[:share]])
        for rows, share in zip(classes, shares, strict=True)
    ]
    learn, test, references = (list(parts) for parts in zip(*dealt, strict=True))
    reference = interleaved(references)  # any first few hold all classes, for nested curves
    return Split(np.concatenate(learn), np.concatenate(test), reference, reference)


def _dense_rank(values: Rows) -> Rows:
    """Number the different values in the order in which they first come."""
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


# Values of the measure among a few objects, within a budget of evaluations.


Values = NDArray[np.float32]

FITTING_SHARE = 20  # at most one evaluation in so many goes into a measure's own parameters
PROBE = 4  # objects whose values show what a value costs; no more than there are references


@dataclass(frozen=True)
class Sample(Split):
    """Values of a measure among the objects of a split.

    Attributes
    ----------
    measure : Measure
        With all parameters as numbers.
    landmarks : objects
        The landmarks themselves.
    values : ndarray of shape (len(learn) + len(test), R)
        Of learn and test rows, in this order, against the landmarks.
    square : ndarray of shape (S, S) or None
        Of `square_rows` among themselves, if there are any.
    n_evaluations : int
        Spent on all this.
    seconds : float
        Per evaluation.
    """

    measure: Measure
    landmarks: Any
    values: Values
    square: Values | None
    n_evaluations: int
    seconds: float


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
            parts = split_columns(order, X.shape[1], affordable, rng)
        else:
            groups = np.zeros(X.shape[0], dtype=np.intp)
            groups[order] = measure.domain.groups(X[order])
            parts = split(order[: most_objects(len(order), affordable)], task, groups)
        parts.require_enough(budget)
        _require_variety(task, parts.learn)
        progress.start(parts.n_values)
        part = engine.PartOfBar(progress)
        before, began = counter.evaluations, time.perf_counter()
        landmarks = measure.domain.landmarks(X, parts.columns)
        with _naming_the_sample():
            recipe = measure.recipe(landmarks)
            values = engine.run(recipe, X[parts.rows], n_jobs=n_jobs, progress=part)
            square = _square(measure, X, parts.square_rows, n_jobs, part)
        seconds = (time.perf_counter() - began) / max(1, counter.evaluations - before)
    return Sample(
        **vars(parts),
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


def _require_variety(task: AssessedTask, learn: Rows) -> None:
    if np.ptp(task.learned[learn]) == 0:
        raise ValueError(
            f"the {len(learn)} objects to learn from all have the target "
            f"{task.labels[learn].tolist()[0]!r}; give more objects, or more of other targets."
        )


def _square(
    measure: Measure, X: Any, rows: Rows, n_jobs: int | None, progress: engine.Progress
) -> Values | None:
    """Values in both directions, even if the measure is declared symmetric: that is checked."""
    if len(rows) == 0:
        return None
    recipe = measure.recipe(measure.domain.landmarks(X, rows))
    return engine.run(recipe, X[rows], n_jobs=n_jobs, progress=progress)


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


def rows_to_judge(
    source: RowSource, y: Any, domain: Domain, rng: np.random.Generator
) -> tuple[Any, Any]:
    """Return objects and targets of rows of a source, as many at random as a sample has."""
    if y is not None:
        raise ValueError("a source of rows brings its own targets, rows(…, target=…); leave y out.")
    most = engine.settings().hashed_from
    sample = hashed_sample(source, domain, seed_from(rng), most, "classes", by_row=True)
    order = np.argsort(sample.rows)
    return sample.objects[order], np.asarray(sample.y)[order]


# From values of a measure to similarities in [−1, 1], of which the theory speaks.


MOSTLY = 0.9  # share of objects that must be nearest to themselves to show a direction


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
        low, high = _range(measure, values, square)
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


def _range(
    measure: Measure, values: NDArray[Any], square: NDArray[Any] | None
) -> tuple[float, float]:
    """Return the measure's bounds where they are finite, else what was seen."""
    parts = [values] if square is None else [values, square]
    low = min(float(part.min()) for part in parts)
    high = max(float(part.max()) for part in parts)
    bounds = measure.bounds
    return (
        float(bounds[0]) if np.isfinite(bounds[0]) else low,
        float(bounds[1]) if np.isfinite(bounds[1]) else high,
    )
