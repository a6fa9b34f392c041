"""Candidate columns: what a greedy step asks of a matrix, dense, sparse or read in chunks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..engine import settings
from ..features import ColumnMoments, Features, SomeRows, as_features

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

_SHORTLIST = 32  # columns whose scores are computed again in float64; if more, all are
# Of a column's size: an orthogonal remainder below it would get a huge weight, and a Gram matrix,
# which holds squares, could not tell it from rounding.
_COLLINEAR = 1e-6


def shown(X: Any, rows: Rows) -> Features:
    """Return some rows, which rise, of a matrix or of features; as they are if these are all."""
    features = as_features(X)
    return features if len(rows) == features.shape[0] else SomeRows(features, rows)


def read(X: Any, rows: Rows, columns: Any = None) -> NDArray[Any]:
    """Return rows and columns of a matrix or of features as one array."""
    return shown(X, rows).stacked(lambda _, block: block, columns)


@dataclass(frozen=True)
class Statistics:
    """Weighted facts of each column; weights sum to 1."""

    means: Array  # zeros where columns are not centred
    norms: Array  # of the centred columns
    sizes: Array  # norms of the columns as given, to which rounding is proportional

    @classmethod
    def of_moments(cls, moments: ColumnMoments, *, centred: bool) -> Statistics:
        """From the moments of the columns about a shift."""
        sizes = np.sqrt(moments.variance + np.square(moments.mean))
        if not centred:
            return cls(np.zeros_like(sizes), sizes, sizes)
        return cls(moments.mean, np.sqrt(moments.variance), sizes)


class Peak(float):
    """A largest number: of two, the larger is kept."""

    def __add__(self, other: float) -> Peak:
        return Peak(max(self, other))


class CandidateColumns(ABC):
    """The candidates A: columns less their weighted means, or as they are if not `centred`."""

    held: ClassVar[bool] = True  # a pass over all values is cheap

    def __init__(self, X: Any, rows: Rows, weights: Array, *, centred: bool) -> None:
        self.X = X
        self.rows = rows
        self.weights = weights
        self.centred = centred
        self.width = int(X.shape[1])

    @cached_property
    def statistics(self) -> Statistics:
        """Means, norms and sizes, in one pass; a value that is not finite stops it."""

        def part(rows: slice, block: NDArray[Any]) -> ColumnMoments:
            moments = ColumnMoments.of(block, self.shift(block), self.weights[rows])
            finite(moments.second)
            return moments

        return Statistics.of_moments(self.shown.reduce(part), centred=self.centred)

    @property
    def shown(self) -> Features:
        """The rows looked at."""
        return shown(self.X, self.rows)

    def shift(self, block: NDArray[Any]) -> Array:
        """Where a block is measured from: its first row, so that large means cost no digits."""
        return block[0].astype(np.float64) if self.centred else np.zeros(self.width)

    @cached_property
    def peak(self) -> float:
        """Return max |A| over rows that count."""
        means = self.statistics.means

        def part(rows: slice, block: NDArray[Any]) -> Peak:
            counts = self.weights[rows] > 0
            return Peak(float(np.abs(block[counts] - means).max(initial=0.0)))

        return float(self.shown.reduce(part))

    @property
    def collinear(self) -> float:
        """Relative remainder under which a column adds only rounding; depends on its dtype."""
        return max(_COLLINEAR, 16.0 * float(np.finfo(self.dtype).eps))

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[Any]:
        """Type the values were stored in."""

    @abstractmethod
    def column(self, j: int) -> Array:
        """Column j of A."""

    @abstractmethod
    def correlate(self, V: Array) -> Array:
        """AᵀV, for V of shape (n, outputs)."""

    def products(self, V: Array) -> Array:
        """Columns as they came, times V, in float64 and in one pass."""
        found: Array = self.shown.reduce(
            lambda rows, block: block.astype(np.float64, copy=False).T @ V[rows]
        )
        return found

    def scores(self, V: Array, scale: Array) -> Array:
        """Squared norms over outputs of AᵀV times a scale per column, good at least at the top."""
        return np.asarray(np.square(self.correlate(V) * scale[:, None]).sum(axis=1))


class Dense(CandidateColumns):
    """An array. Large ones are scouted in float32, and the best of them weighed in float64."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the array."""
        dtype: np.dtype[Any] = self.X.dtype
        return dtype

    @cached_property
    def _own(self) -> NDArray[Any]:
        whole = len(self.rows) == len(self.X)
        return np.asarray(self.X if whole else self.X[self.rows])

    @cached_property
    def _scout(self) -> NDArray[np.float32]:
        means = self.statistics.means
        return self.shown.stacked(lambda _, block: (block - means).astype(np.float32))

    @cached_property
    def _reach(self) -> Array:
        squares = np.einsum("ij,ij->j", self._scout, self._scout)
        return np.asarray(np.sqrt(squares.astype(np.float64)))

    def column(self, j: int) -> Array:
        """One column, less its mean."""
        return np.asarray(self._own[:, j].astype(np.float64) - self.statistics.means[j])

    def correlate(self, V: Array) -> Array:
        """In float64, casting chunk by chunk if need be."""
        product = self._own.T @ V if self.dtype == np.float64 else self.products(V)
        return np.asarray(product - np.outer(self.statistics.means, V.sum(axis=0)))

    def scores(self, V: Array, scale: Array) -> Array:
        """Scores; beyond the shortlist those of a scouted array have float32's digits."""
        if not settings().scouted_values <= self._own.size <= settings().held_bytes // 4:
            return super().scores(V, scale)
        length = float(np.linalg.norm(V)) or 1.0
        G = self._scout.T @ (V / length).astype(np.float32)
        scores = np.square(G.astype(np.float64) * (length * scale)[:, None]).sum(axis=1)
        # Rounding hides who is best among those near the top. Where a residual is nearly
        # orthogonal to everything (ill-conditioned columns), that is nearly all.
        roots = np.sqrt(scores)
        rounding = 1e-4 * roots.max() + 2e-6 * length * float((scale * self._reach).max())
        near = np.flatnonzero(roots >= roots.max() - rounding)
        if len(near) > _SHORTLIST:
            return super().scores(V, scale)
        exact = self._own[:, near].astype(np.float64).T @ V
        exact -= np.outer(self.statistics.means[near], V.sum(axis=0))
        scores[near] = np.square(exact * scale[near, None]).sum(axis=1)
        return np.asarray(scores)


class Sparse(CandidateColumns):
    """A sparse matrix, which stays one: its means are subtracted from what is computed."""

    def __init__(self, X: Any, rows: Rows, weights: Array, *, centred: bool) -> None:
        super().__init__(X, rows, weights, centred=centred)
        self._csc = sparse.csc_array(X[rows], dtype=np.float64)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the stored values."""
        dtype: np.dtype[Any] = self.X.dtype
        return dtype

    @cached_property
    def statistics(self) -> Statistics:
        """Means, norms and sizes, from stored values alone."""
        first, second = self._csc.T @ self.weights, self._csc.power(2).T @ self.weights
        zero = np.zeros(self.width)
        moments = ColumnMoments(zero, 1.0, first, second, zero)
        return Statistics.of_moments(moments, centred=self.centred)

    def column(self, j: int) -> Array:
        """One column, less its mean."""
        return np.asarray(self._csc[:, [j]].toarray()[:, 0] - self.statistics.means[j])

    def correlate(self, V: Array) -> Array:
        """One sparse product."""
        return np.asarray(self._csc.T @ V - np.outer(self.statistics.means, V.sum(axis=0)))


class StreamedColumns(CandidateColumns):
    """Features too many to hold: every call reads them all again."""

    held = False

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Type of the first block."""
        return next(self.shown.chunks([0]))[1].dtype

    def column(self, j: int) -> Array:
        """One column, evaluated by itself."""
        return np.asarray(read(self.X, self.rows, [j])[:, 0] - self.statistics.means[j])

    def correlate(self, V: Array) -> Array:
        """One pass."""
        return np.asarray(self.products(V) - np.outer(self.statistics.means, V.sum(axis=0)))


def finite(values: Array) -> None:
    """Stop on a column whose sum is not finite."""
    if not np.isfinite(values).all():
        j = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(
            f"column {j} of X holds NaN or infinity; impute it, or leave the column out."
        )


def settled(X: Any) -> Any:
    """Decide by size: features that fit are read, once, into an array; others stay as they are.

    They are read too where their Gram matrix, which would be the other way, is no smaller.
    """
    if not isinstance(X, Features):
        return X
    n, width = X.shape
    item = next(X.chunks([0]))[1].dtype.itemsize
    fits = n * width * item <= settings().held_bytes or width * 8 >= n * item
    return read(X, np.arange(n)) if fits else X


def candidates(X: Any, rows: Rows, weights: Array, *, centred: bool) -> CandidateColumns:
    """Return the columns of a matrix or of features."""
    if sparse.issparse(X):
        return Sparse(X, rows, weights, centred=centred)
    kind = StreamedColumns if isinstance(X, Features) else Dense
    return kind(X, rows, weights, centred=centred)
