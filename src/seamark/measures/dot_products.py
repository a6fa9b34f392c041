"""Inner products of vectors, and what is made of them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .. import engine
from ..data import vectors
from .base import Fact, Measure
from .vector_plans import VectorPlan, sparse_products, squared_norms

SHORT = 16  # so many terms may be added up in float32: each addition may cost 6e-8 of the sum


class DotProducts(VectorPlan):
    """A pointwise function of inner products."""

    def __init__(self, L: Any, function: Any) -> None:
        super().__init__(L)
        self.function = function
        self.sparse = sparse.issparse(L)
        self.original = L
        self.dtype = np.float32 if self.n_features <= SHORT else np.float64
        self.L = L if self.sparse else L.astype(self.dtype, copy=False)

    def fill(self, X: Any, out: NDArray[np.float32], stop: Any) -> None:
        """Inner products of a chunk of rows, then the function in place."""
        if self.sparse or sparse.issparse(X):
            out[:] = sparse_products(X, self.original)
        else:
            engine.backend().products(X.astype(self.dtype, copy=False), self.L, out)
        self.function(out)


class DotProductKernel(Measure):
    """A similarity f(⟨x, y⟩)."""

    domain = vectors
    kind = "similarity"
    symmetric = True
    convergence: float = np.inf
    """Radius within which the Maclaurin series converges, if there is one."""

    def maclaurin(self, terms: int) -> NDArray[np.float64]:
        """Return the first coefficients a₀, a₁, … of f; all parameters are numbers by now."""
        raise TypeError(
            f"{self!r} gives no Maclaurin series; Linear, Polynomial, Exponential, Vovk and "
            "PowerSeries do."
        )

    @abstractmethod
    def function(self, t: NDArray[Any]) -> None:
        """Replace inner products by values, in place."""

    def compile(self, L: Any) -> engine.Plan:
        """Keep the landmarks."""
        return DotProducts(L, self.function)

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """Return f(‖x‖²)."""
        t = squared_norms(X)
        self.function(t)
        return t


class Linear(DotProductKernel):
    """Inner product ⟨x, y⟩.

    Examples
    --------
    >>> Linear().cross([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]], dtype=float32)
    """

    name: ClassVar[str] = "linear"
    psd: Fact = True

    def maclaurin(self, terms: int) -> NDArray[np.float64]:
        """0, 1, 0, …."""
        return np.asarray(np.arange(terms) == 1, dtype=np.float64)

    def function(self, t: NDArray[Any]) -> None:
        """Nothing to do."""


class Cosine(Measure):
    """Cosine similarity ⟨x, y⟩ / ‖x‖‖y‖; 0 if a vector is zero.

    Examples
    --------
    >>> Cosine().cross([[2.0, 0.0]], [[1.0, 0.0], [0.0, 3.0], [0.0, 0.0]])
    array([[1., 0., 0.]], dtype=float32)
    """

    name: ClassVar[str] = "cosine"
    domain = vectors
    kind = "similarity"
    bounds = (-1.0, 1.0)
    symmetric = True
    psd: Fact = True

    def compile(self, L: Any) -> engine.Plan:
        """Scale the landmarks to unit length."""
        return _Cosines(L, lambda t: np.clip(t, -1, 1, out=t))

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """1, or 0 for a zero vector."""
        return (squared_norms(X) > 0).astype(np.float64)


class _Cosines(DotProducts):
    def __init__(self, L: Any, function: Any) -> None:
        super().__init__(unit_rows(L), function)

    def fill(self, X: Any, out: NDArray[np.float32], stop: Any) -> None:
        super().fill(unit_rows(X), out, stop)


def unit_rows(X: Any) -> Any:
    """Rows divided by their norms; zero rows stay zero."""
    norms = np.sqrt(squared_norms(X))
    scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    return sparse.diags(scale) @ X if sparse.issparse(X) else X * scale[:, None]
