"""Sets of vectors compared by a few numbers that sum them up."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..objects import Domain, Ragged, Vectors, sets
from .algebra import Wrapped
from .base import Fact, Measure

Floats = NDArray[np.float64]
NUMBER_SECONDS = 5e-9  # per number of a set


def summaries_of(X: Ragged) -> Floats:
    """Return the least, the mean and the largest value of every variable, set by set.

    Parameters
    ----------
    X : Ragged
        Ingested sets, none of them empty.
    """
    values, starts = np.asarray(X.flat, dtype=np.float64), X.offsets[:-1] - X.offsets[0]
    means = np.add.reduceat(values, starts) / X.lengths[:, None]
    least, largest = (f.reduceat(values, starts) for f in (np.minimum, np.maximum))
    return np.hstack([least, means, largest])


class Summaries(Wrapped):
    """A measure of vectors, between what sums sets up: least, mean and largest value of variables.

    Where the members of a set stand about, this says more than which of them are near; forests and
    support vector machines on the same numbers are what is usual for bags.

    Parameters
    ----------
    measure : Measure
        What compares the vectors of 3·d numbers, d of each sort.

    Examples
    --------
    >>> import seamark as sm
    >>> by_summaries = Summaries(sm.measures.Manhattan())
    >>> by_summaries.cross([[[0.0, 0.0], [3.0, 4.0]]], [[[0.0, 0.0]], [[3.0, 4.0]]])
    array([[10.5, 10.5]], dtype=float32)
    """

    def __init__(self, measure: Measure) -> None:
        self.measure = measure

    def __str__(self) -> str:
        return f"{self.measure}, of least, mean and largest values"

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        """Sets of vectors."""
        return sets

    @property
    def landmark_domain(self) -> Domain:
        """Sets of vectors."""
        return sets

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """Bounds of the measure inside."""
        return self.measure.bounds

    @property
    def triangle(self) -> Fact:  # type: ignore[override]
        """As the measure inside."""
        return self.measure.triangle

    @property
    def psd(self) -> Fact:  # type: ignore[override]
        """As the measure inside."""
        return self.measure.psd

    def check_parameters(self) -> None:
        """Require a measure of vectors."""
        super().check_parameters()
        if not isinstance(self.measure.domain, Vectors):
            raise TypeError(
                f"{self.measure!r} compares {self.measure.domain.name}; Summaries needs a measure "
                "of vectors, such as Manhattan()."
            )

    def fitted_to(self, X: Any, rng: np.random.Generator) -> Self:
        """Fit the measure inside to the summaries of X."""
        self.check_parameters()
        return self._with(measure=self.measure.fitted_to(summaries_of(X), rng))

    def self_values(self, X: Any) -> Floats:
        """Those of the summaries."""
        return self.measure.self_values(summaries_of(X))

    def compile(self, L: Any) -> engine.Plan:
        """Compile the summaries of the landmarks."""
        return _SummariesPlan(self.measure.compile(summaries_of(L)), 3 * L.values.shape[1])


class _SummariesPlan(engine.Plan):
    """A plan of vectors whose rows are sets, summed up before they are compared."""

    def __init__(self, plan: engine.Plan, width: int) -> None:
        self.plan, self.width = plan, width
        self.n_landmarks, self.n_parts = plan.n_landmarks, plan.n_parts
        self.home = plan.home  # type: ignore[misc]
        self.scratch_per_row = plan.scratch_per_row + 16 * width

    def fill(self, X: Any, out: Any, stop: Any) -> None:
        """Fill from summaries."""
        self.plan.fill(summaries_of(X), out, stop)

    def seconds(self, X: Any) -> Floats:
        """As long as the plan inside takes, and a pass over the numbers."""
        inside = self.plan.seconds(np.zeros((len(X), self.width)))
        return np.asarray(inside + NUMBER_SECONDS * self.width * X.lengths)
