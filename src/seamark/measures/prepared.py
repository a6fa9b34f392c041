"""Measures of objects that are made into others, such as vectors, before they are compared."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .. import engine
from .algebra import Wrapped


class Prepared(Wrapped):
    """A measure that compares what `prepared` makes of objects; all facts are the other's."""

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """Bounds of the measure inside."""
        return self.measure.bounds

    @abstractmethod
    def prepared(self, X: Any) -> Any:
        """Return what the measure inside compares, of ingested objects."""

    def outline(self, X: Any) -> Any:
        """Return something as large as the prepared objects, to tell how long they will take."""
        return X

    def fitted_to(self, X: Any, rng: np.random.Generator) -> Self:
        """Fit the measure inside to what it compares."""
        self.check_parameters()
        return self._with(measure=self.measure.fitted_to(self.prepared(X), rng))

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """Those of what is compared."""
        return self.measure.self_values(self.prepared(X))

    def compile(self, L: Any) -> engine.Plan:
        """Compile the prepared landmarks."""
        landmarks = self.prepared(L)
        return PreparedPlan(self.measure.compile(landmarks), self, landmarks)


class PlanAround(engine.Plan):
    """Another plan, as it is but for `fill`; with more scratch, if that needs some."""

    def __init__(self, plan: engine.Plan, scratch_per_row: int = 0) -> None:
        self.plan = plan
        self.n_landmarks, self.n_parts = plan.n_landmarks, plan.n_parts
        self.home = plan.home  # type: ignore[misc]
        self.scratch_per_row = plan.scratch_per_row + scratch_per_row

    def fill(self, X: Any, out: NDArray[np.float32], stop: Any) -> None:
        """Fill by the other plan."""
        self.plan.fill(X, out, stop)

    def seconds(self, X: Any) -> NDArray[np.float64]:
        """As long as the other plan takes."""
        return self.plan.seconds(X)

    def check(self, X: Any) -> None:
        """Check for the other plan."""
        self.plan.check(X)


class PreparedPlan(PlanAround):
    """A plan whose rows are prepared, chunk by chunk, before they are compared."""

    def __init__(self, plan: engine.Plan, measure: Prepared, landmarks: Any) -> None:
        width = landmarks.shape[1] if len(landmarks.shape) > 1 else landmarks.values.shape[1]
        super().__init__(plan, 32 * width)
        self.measure = measure

    def fill(self, X: Any, out: Any, stop: Any) -> None:
        """Fill from prepared rows."""
        super().fill(self.measure.prepared(X), out, stop)

    def seconds(self, X: Any) -> NDArray[np.float64]:
        """As long as the plan inside takes."""
        return super().seconds(self.measure.outline(X))

    def check(self, X: Any) -> None:
        """Check for the plan inside."""
        super().check(self.measure.outline(X))
