"""Values of the measure among a few objects, within a budget of evaluations."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Domain, seed_from
from ..estimating import matrix_inside
from ..io import RowSource, hashed_sample
from ..measures import Measure
from .intervals import Rows
from .splitting import Split, most_objects, shuffled, split, split_columns
from .tasks import AssessedTask

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
