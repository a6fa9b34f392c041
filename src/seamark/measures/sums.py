"""The sum of two measures. Facts follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Anything, Domain
from .base import Fact, Kind, Measure

Values = NDArray[np.float32]


class Sum(Measure):
    """The sum of two measures on the same objects, as ``m1 + m2``.

    Parameters
    ----------
    left, right : Measure
        What is added: two distances, or two similarities.

    Examples
    --------
    >>> import seamark as sm
    >>> m = sm.measures.Gaussian(width=1.0) + 0.5 * sm.measures.Linear()
    >>> m.psd, m.cross([[1.0, 0.0]], [[1.0, 0.0], [0.0, 0.0]]).round(3)
    (True, array([[1.5  , 0.607]], dtype=float32))
    """

    def __init__(self, left: Measure, right: Measure) -> None:
        self.left = left
        self.right = right

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        """Return the more specific domain: a callable takes the objects of the other measure."""
        return self._leading.domain

    @property
    def landmark_domain(self) -> Domain:
        """Landmarks of the measure of the more specific domain."""
        return self._leading.landmark_domain

    @property
    def _leading(self) -> Measure:
        return self.right if isinstance(self.left.domain, Anything) else self.left

    def check_parameters(self) -> None:
        """Require one domain and one kind."""
        self.left.check_parameters()
        self.right.check_parameters()
        for place in ("domain", "landmark_domain"):
            a, b = getattr(self.left, place), getattr(self.right, place)
            if a != b and not isinstance(a, Anything) and not isinstance(b, Anything):
                raise ValueError(f"cannot add a measure of {a.name} and one of {b.name}.")
        if None not in (self.left.kind, self.right.kind) and self.left.kind != self.right.kind:
            raise ValueError(
                f"cannot add a {self.left.kind} and a {self.right.kind}; negate one: m.negated()."
            )

    @property
    def kind(self) -> Kind | None:  # type: ignore[override]
        """Return the common kind, if both are known."""
        return self.left.kind if self.left.kind == self.right.kind else None

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """Return the sums of the bounds."""
        (a, b), (c, d) = self.left.bounds, self.right.bounds
        return a + c, b + d

    @property
    def symmetric(self) -> Fact:  # type: ignore[override]
        """Return True if both are; False if just one is known not to be."""
        if self.left.symmetric and self.right.symmetric:
            return True
        # Two asymmetric measures may cancel each other; one alone cannot be cancelled.
        return False if {self.left.symmetric, self.right.symmetric} == {True, False} else None

    @property
    def triangle(self) -> Fact:  # type: ignore[override]
        """Return True if both hold it; never False, as one may hide the other's violation."""
        return True if self.left.triangle and self.right.triangle else None

    @property
    def psd(self) -> Fact:  # type: ignore[override]
        """Return True if both are; the sum of an indefinite and a definite one may be either."""
        return True if self.left.psd and self.right.psd else None

    def fitted_to(self, X: Any, rng: np.random.Generator) -> Self:
        """Fit both."""
        return self._with(left=self.left.fitted_to(X, rng), right=self.right.fitted_to(X, rng))

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """Return the sums of self-values."""
        return self.left.self_values(X) + self.right.self_values(X)

    def compile(self, L: Any) -> engine.Plan:
        """Compile both, and add their blocks."""

        def add(rows: Any, blocks: Sequence[Values]) -> None:
            np.add(blocks[0], blocks[1], out=blocks[0])

        return engine.CombinedPlan([self.left.recipe(L), self.right.recipe(L)], add)
