"""Sets against single vectors: how near the nearest member is, as in multiple-instance learning."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Domain, Members, Ragged, sets
from .base import Kind, Measure
from .centre import Magnified, centre_of
from .radial import Decaying, Width, check_width, typical_distance
from .sets import COORDINATE_SECONDS, PAIR_SECONDS, SetPlan
from .vectors import Euclidean

_members = Members()


class Member(Measure):
    """Smallest distance of any member of the set to a vector, min over b in B of ‖b − v‖.

    Landmarks are *members*, single vectors (Maron and Lozano-Pérez, 1998; Chen, Bi and Wang, 2006).

    Parameters
    ----------
    width : float, "mean", "median" or None, default=None
        None: the distance d. Otherwise the similarity exp(−d² / 2σ²), the largest Gaussian of any
        member, with this σ; a rule takes the mean or median distance between members of the data.

    Notes
    -----
    Computed as `ModifiedHausdorff` is, with the same error; a set that holds the vector itself is
    at exactly 0.

    Examples
    --------
    >>> Member().cross([[[0.0, 0.0], [3.0, 4.0]], [[6.0, 8.0]]], [[0.0, 0.0], [3.0, 3.0]])
    array([[ 0.       ,  1.       ],
           [10.       ,  5.8309517]], dtype=float32)
    """

    name: ClassVar[str] = "member"
    domain = sets
    symmetric = False

    def __init__(self, width: Width | None = None) -> None:
        self.width = width

    @property
    def landmark_domain(self) -> Domain:
        """Vectors out of sets."""
        return _members

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        """A distance, or with a width a similarity."""
        return "distance" if self.width is None else "similarity"

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """Distances have no upper bound."""
        return (0.0, np.inf) if self.width is None else (0.0, 1.0)

    def check_parameters(self) -> None:
        """Require a positive width, a rule, or None."""
        if self.width is not None:
            check_width(self.width)

    def fitted_to(self, X: Any, rng: np.random.Generator) -> Self:
        """Return a copy whose width is the typical distance between members."""
        if self.width is None:
            return self
        vectors = X.flat if isinstance(X, Ragged) else X
        return self._with(width=typical_distance(Euclidean(), vectors, self.width, rng))

    def compile(self, L: Any) -> engine.Plan:
        """Lay the landmarks out in lanes."""
        plan = _NearestMembers(L)
        if self.width is None:
            return plan
        return Decaying(plan, -1.0 / (2.0 * float(self.width) ** 2), squared=True)


class _NearestMembers(SetPlan):
    def __init__(self, L: NDArray[Any]) -> None:
        kernels, centre = engine.backend(), centre_of(L)

        def make(values: Any, offsets: Any, centre: Any, unit: float) -> engine.KernelPlan:
            return kernels.members(values, centre)

        values, offsets = np.ascontiguousarray(L - centre), np.arange(len(L) + 1)
        plan = Magnified(make, values, offsets, centre)
        super().__init__(plan, len(L), kernels.slowness)

    def seconds(self, X: Ragged) -> NDArray[np.float64]:
        per_vector = PAIR_SECONDS + COORDINATE_SECONDS * X.values.shape[1]
        return np.asarray(X.lengths * (self.n_landmarks * per_vector * self.slowness))
