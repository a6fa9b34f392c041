"""What random columns are products of: projections of vectors, or columns of an inner map."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..engine import settings
from ..measures.vectors import squared_norms
from .base import Map
from .chunks import dense32
from .products import Factors, InnerColumns, Projected
from .projections import Projection, VectorPairs, pairs_of

Array = NDArray[np.float64]
Index = NDArray[np.intp]

MOST_EXACT = 4  # highest degree whose monomials may be listed


class Source(ABC):
    """Independent unbiased features of one kernel K, of which n multiply to one of Kⁿ.

    Attributes
    ----------
    squared_radius : float
        Largest K(x, x) in the data. All else is for K over this, which is at most 1.
    products : ndarray
        K of typical pairs.
    own : ndarray
        K(x, x) of the rows whose pairs these are.
    unit : int
        Columns come in such numbers.
    d : int
        Dimension of the exact features of K.
    last_exact : int
        Highest power that may be computed exactly.
    """

    squared_radius: float
    products: Array
    own: Array
    unit: int = 1
    d: int = 1
    last_exact: int = 0

    @abstractmethod
    def variance(self, n: int) -> Array:
        """Variance of the product of a column of degree n at x and at y, of each typical pair."""

    @abstractmethod
    def draw(self, degrees: Index, rng: np.random.Generator) -> Factors:
        """Draw the factors of columns of rising degrees."""


class VectorSource(Source):
    """Projections of vectors: K is the inner product."""

    last_exact = MOST_EXACT

    def __init__(self, X: Any, sample: Any, projection: Projection) -> None:
        self.squared_radius = float(squared_norms(X).max()) or 1.0
        self.projection = projection
        self.unit = projection.unit
        self.d = X.shape[1]
        self.pairs = VectorPairs.of(sample * (1.0 / np.sqrt(self.squared_radius)))
        self.products = self.pairs.products
        self.own = np.asarray(squared_norms(sample) / self.squared_radius, np.float64)

    def variance(self, n: int) -> Array:
        """From the projection's formula."""
        return self.projection.variance(self.pairs, n)

    def draw(self, degrees: Index, rng: np.random.Generator) -> Factors:
        """Draw one matrix for all first factors, one for all second ones, …."""
        return Projected.draw(degrees, self.projection, self.d, rng)


class InnerSource(Source):
    """Columns of a random map, every column drawn anew: a product of dependent ones is biased."""

    def __init__(self, inner: Map, X: Any, sample: Any, rng: np.random.Generator) -> None:
        if not inner.has_independent_columns:
            raise ValueError(
                f"inner={inner!r} has columns that depend on each other, and the product of such "
                "is biased; take RandomFourier without orthogonal=True, ArcCosine, or "
                'RandomMaclaurin with h01=False, degrees="geometric" and real projections.'
            )
        self.inner = inner
        self.X = X
        width = settings().inner_columns
        trial = self._fitted(width, rng)
        W = dense32(trial.block(sample)).astype(np.float64) * np.sqrt(width)
        self.squared_radius = float(np.square(W).mean(axis=1).max()) or 1.0
        W /= np.sqrt(self.squared_radius)
        which = pairs_of(len(W))
        self.own = np.asarray(np.square(W).mean(axis=1))
        self.products = (W @ W.T)[which] / width
        self.moments = (np.square(W) @ np.square(W).T)[which] / width

    def variance(self, n: int) -> Array:
        """E[W(x)²W(y)²]ⁿ − K²ⁿ, as seen in these columns."""
        return np.asarray(np.maximum(0.0, self.moments**n - self.products ** (2 * n)))

    def draw(self, degrees: Index, rng: np.random.Generator) -> Factors:
        """Fit an inner map with a column for every factor."""
        widths = Factors.of_degrees(degrees)
        total = max(1, sum(widths))
        return InnerColumns(self._fitted(total, rng), widths, np.sqrt(total / self.squared_radius))

    def _fitted(self, n: int, rng: np.random.Generator) -> Map:
        copy: Map = clone(self.inner)
        copy.set_params(n_components=n, random_state=rng)
        # Columns may come sorted, by degree for instance; shuffled, each is like any other.
        return copy.fit(self.X).subset(rng.permutation(n))
