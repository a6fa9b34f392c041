"""Sets of vectors: distances to the nearest member."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Members, Ragged, sets
from .base import Kind, Measure
from .centre import Magnified, centre_of
from .kernels import Width, check_width, decaying, typical_distance
from .vectors import Euclidean

COORDINATE_SECONDS = 2.5e-11  # per coordinate of a pair of vectors, and
PAIR_SECONDS = 1.8e-10  # per pair of vectors
VALUE_SECONDS = 1e-8  # per pair of sets


class _Nearest(Measure):
    """A distance made of all vectors' distances to the nearest of the other set."""

    domain = sets
    kind = "distance"
    bounds = (0.0, np.inf)
    symmetric = True
    self_value = 0.0
    value: ClassVar[str]
    """What the kernel makes of the nearest distances."""

    def compile(self, L: Ragged) -> engine.Plan:
        """Lay the landmarks out in lanes."""
        kernels, value = engine.backend(), self.value
        offsets = L.offsets - L.offsets[0]
        return _SetPlan(L.flat, offsets, lambda v, o, centre: kernels.sets(v, o, centre, value))


class ModifiedHausdorff(_Nearest):
    """Modified Hausdorff distance: the larger of the two mean distances to the nearest vector.

    Every vector of a set has a Euclidean distance to the nearest vector of the other set; their
    mean over x and their mean over y differ, and the larger is taken (Dubuisson and Jain, 1994).

    Notes
    -----
    Computed in float32 from differences of coordinates; values of sets that float32 cannot tell
    apart are computed again from both halves of the doubles. The error is typically 10⁻⁶ and at
    most 10⁻⁴ of the value, and 10⁻¹⁴ of the largest coordinate, whatever sizes the sets of one
    collection have. Equal sets give exactly 0. A value
    does not depend on the number of threads, nor on which other objects are computed with it.

    Examples
    --------
    >>> ModifiedHausdorff().cross([[[0.0, 0.0], [3.0, 4.0]]], [[[0.0, 0.0]], [[3.0, 0.0]]])
    array([[2.5, 3.5]], dtype=float32)
    """

    name: ClassVar[str] = "modified_hausdorff"
    triangle = False
    value: ClassVar[str] = "larger_mean"


class Hausdorff(_Nearest):
    """Hausdorff distance: the largest of all distances to the nearest vector of the other set.

    Notes
    -----
    Computed as `ModifiedHausdorff` is, with the same error.

    Examples
    --------
    >>> Hausdorff().cross([[[0.0, 0.0], [3.0, 4.0]]], [[[0.0, 0.0]], [[3.0, 0.0]]])
    array([[5., 4.]], dtype=float32)
    """

    name: ClassVar[str] = "hausdorff"
    triangle = True
    value: ClassVar[str] = "largest"


class Chamfer(_Nearest):
    """Chamfer distance: the sum of the two mean distances to the nearest vector of the other set.

    The distances are plain, not squared.

    Notes
    -----
    Computed as `ModifiedHausdorff` is, with the same error.

    Examples
    --------
    >>> Chamfer().cross([[[0.0, 0.0], [3.0, 4.0]]], [[[0.0, 0.0]], [[3.0, 0.0]]])
    array([[2.5, 6.5]], dtype=float32)
    """

    name: ClassVar[str] = "chamfer"
    triangle = False
    value: ClassVar[str] = "sum_of_means"


class _SetPlan(engine.Plan):
    """Sets compared with landmark sets, or with single vectors.

    ``kernel(values, offsets, centre)`` lays the landmarks out. Its scratch does not grow with a
    chunk: it takes the objects in tiles of its own.
    """

    def __init__(self, values: NDArray[Any], offsets: Any, kernel: Any) -> None:
        self.n_landmarks, self.n_vectors = len(offsets) - 1, len(values)
        self.slowness, centre = engine.backend().slowness, centre_of(values)

        def make(values: Any, offsets: Any, centre: Any, unit: float) -> engine.KernelPlan:
            plan: engine.KernelPlan = kernel(values, offsets, centre)
            return plan

        self.plan = Magnified(make, np.ascontiguousarray(values - centre), offsets, centre)
        self.fills_device = self.plan.fills_device

    def fill(self, X: Ragged, out: NDArray[np.float32], stop: Any) -> None:
        """Give the kernel the vectors of all sets, end to end."""
        single = np.can_cast(X.values.dtype, np.float32)  # a Ragged may hold integers
        values = np.ascontiguousarray(X.flat, dtype=np.float32 if single else np.float64)
        self.plan.run(values, X.offsets - X.offsets[0], out, stop)

    def seconds(self, X: Ragged) -> NDArray[np.float64]:
        """By the pairs of vectors."""
        per_pair = PAIR_SECONDS + COORDINATE_SECONDS * X.values.shape[1]
        per_set = self.n_landmarks * VALUE_SECONDS
        work: NDArray[np.float64] = X.lengths * (self.n_vectors * per_pair) + per_set
        return work * self.slowness


# Sets against single vectors: how near the nearest member is, as in multiple-instance learning.


@dataclass(eq=False, repr=False)
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

    width: Width | None = None

    name: ClassVar[str] = "member"
    domain = sets
    landmark_domain = Members()  # vectors out of sets
    symmetric = False

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
        kernels, each = engine.backend(), np.arange(len(L) + 1)
        plan = _SetPlan(L, each, lambda values, _, centre: kernels.members(values, centre))
        if self.width is None:
            return plan
        return decaying(plan, -1.0 / (2.0 * float(self.width) ** 2), squared=True)
