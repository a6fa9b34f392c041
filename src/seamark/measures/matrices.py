"""Measures of vectors with a matrix inside, such as a learner finds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .. import engine
from ..data import vectors
from .base import Fact, Measure
from .dot_products import DotProducts
from .prepared import PlanAround
from .vector_plans import Distances, SquaredDistances

ROUNDING = 1e-9  # of the largest entry or eigenvalue: asymmetry and negativity below this are none


class _WithMatrix(Measure):
    """A measure of vectors made of a square matrix W."""

    domain = vectors

    def __init__(self, W: Any) -> None:
        self.W = W

    @property
    def _matrix(self) -> NDArray[np.float64]:
        return np.asarray(self.W, dtype=np.float64)

    def check_parameters(self) -> None:
        """Require a finite square matrix."""
        W = self._matrix
        if W.ndim != 2 or W.shape[0] != W.shape[1]:
            raise ValueError(f"W must be a square matrix, not one of shape {W.shape}.")
        if not np.isfinite(W).all():
            raise ValueError("W holds NaN or infinity; give finite numbers.")

    def _require_width(self, X: Any) -> None:
        if X.shape[1] != len(self._matrix):
            raise ValueError(
                f"vectors have {X.shape[1]} features and W is for {len(self._matrix)}; "
                "give vectors of the same length."
            )


class Mahalanobis(_WithMatrix):
    """Distance √((x − y)ᵀW(x − y)), or its square, for a positive semidefinite W.

    Parameters
    ----------
    W : ndarray of shape (d, d)
        Symmetric, without negative eigenvalues.
    squared : bool, default=False
        Whether values are squared distances.

    Examples
    --------
    >>> Mahalanobis(np.diag([4.0, 1.0])).cross([[0.0, 0.0]], [[3.0, 0.0], [0.0, 3.0]])
    array([[6., 3.]], dtype=float32)
    """

    kind = "distance"
    bounds = (0.0, np.inf)
    symmetric = True

    def __init__(self, W: Any, squared: bool = False) -> None:
        super().__init__(W)
        self.squared = squared

    @property
    def triangle(self) -> Fact:  # type: ignore[override]
        """Return True for the distance; the square of one breaks it."""
        return not self.squared

    def check_parameters(self) -> None:
        """Require a positive semidefinite matrix."""
        super().check_parameters()
        if not _is_symmetric(self._matrix) or not _is_psd(self._matrix):
            raise ValueError(
                "W must be symmetric and positive semidefinite, or distances would be imaginary; "
                "project it first: seamark.online.PSDCone().project(W)."
            )

    def factor(self) -> NDArray[np.float64]:
        """Return F with W = FFᵀ: the distance is Euclidean between the rows of XF."""
        values, axes = np.linalg.eigh(self._matrix)
        return np.asarray(axes * np.sqrt(np.maximum(values, 0)))

    def compile(self, L: Any) -> engine.Plan:
        """Map the landmarks."""
        self._require_width(L)
        factor = self.factor()
        plan = (SquaredDistances if self.squared else Distances)(_mapped(L, factor))
        return _Mapped(plan, factor)


class Bilinear(_WithMatrix):
    """Similarity xᵀWy for any square W; asymmetric or indefinite as W is.

    Parameters
    ----------
    W : ndarray of shape (d, d)
        The matrix; it need not be symmetric.

    Examples
    --------
    >>> Bilinear(np.array([[0.0, 1.0], [0.0, 0.0]])).cross([[1.0, 0.0], [0.0, 1.0]])
    array([[0., 1.],
           [0., 0.]], dtype=float32)
    """

    kind = "similarity"

    @property
    def symmetric(self) -> Fact:  # type: ignore[override]
        """Return whether W is symmetric."""
        return _is_symmetric(self._matrix)

    @property
    def psd(self) -> Fact:  # type: ignore[override]
        """Return whether W is symmetric and has no negative eigenvalue."""
        return _is_symmetric(self._matrix) and _is_psd(self._matrix)

    def compile(self, L: Any) -> engine.Plan:
        """Multiply the landmarks once: what is left are inner products."""
        self._require_width(L)
        return DotProducts(_mapped(L, self._matrix.T), lambda t: None)

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """Return xᵀWx."""
        dense = X.toarray() if sparse.issparse(X) else X
        return np.asarray(np.einsum("ij,ij->i", dense @ self._matrix, dense))


class _Mapped(PlanAround):
    """Another plan's values on mapped rows."""

    def __init__(self, plan: engine.Plan, factor: NDArray[np.float64]) -> None:
        super().__init__(plan, 8 * factor.shape[1])
        self.factor = factor

    def fill(self, X: Any, out: NDArray[np.float32], stop: Any) -> None:
        super().fill(_mapped(X, self.factor), out, stop)


def _mapped(X: Any, factor: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(X @ factor)


def _is_symmetric(W: NDArray[np.float64]) -> bool:
    return bool(np.abs(W - W.T).max(initial=0.0) <= ROUNDING * np.abs(W).max(initial=0.0))


def _is_psd(W: NDArray[np.float64]) -> bool:
    values = np.linalg.eigvalsh(W)
    return bool(values.min(initial=0.0) >= -ROUNDING * np.abs(values).max(initial=0.0))
