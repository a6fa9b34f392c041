"""Sums of features against targets, fold by fold: all that an alignment needs, in one pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..engine import settings
from ..engine.lapack import tiles
from ..features import Features
from ..maps import ComputedFeatures
from .columns import Array, Rows, finite, read, shown


class AsTheyCome(Features):
    """Features of a map or a CSR matrix, whose blocks stay sparse if they are.

    Parameters
    ----------
    X : CSR matrix; objects, ingested, if there is a map
    map : Map or None
        Fitted.
    """

    def __init__(self, X: Any, map: Any = None) -> None:
        self.X, self.map = X, map
        self.shape = (X.shape[0], int(X.shape[1] if map is None else map.n_features_out_))

    def chunks(self, columns: Any = None) -> Iterator[tuple[slice, Any]]:
        """Yield chunks of all columns."""
        n = self.shape[0]
        few = settings().sparse_rows
        for rows in tiles(0, n, few) if self.map is None else self.map.row_chunks(n):
            yield rows, self.X[rows] if self.map is None else self.map.block(self.X[rows])


class Candidates:
    """Features to choose among.

    Parameters
    ----------
    X : matrix or Features if there is no map; else objects, ingested
    map : Map or None
        Fitted.
    groups : ndarray of int or None
        Number of each row's group of equal objects, for folds.
    """

    def __init__(self, X: Any, map: Any = None, groups: Rows | None = None) -> None:
        self.X = X
        self.map = map
        self.groups = groups
        self.n_features = int(X.shape[1] if map is None else map.n_features_out_)

    def some(self, rows: Rows) -> Features:
        """Return the given rows, which rise; sparse blocks stay sparse."""
        if self.map is None and not sparse.issparse(self.X):
            return shown(self.X, rows)
        return AsTheyCome(self.X[rows], self.map)

    def read(self, rows: Rows, columns: Rows) -> NDArray[Any]:
        """Return some columns of some rows, dense; a map never evaluates the others."""
        if self.map is not None:
            return ComputedFeatures(self.map, self.X).rows(rows, columns)
        return read(self.X, rows, columns)


@dataclass(frozen=True)
class TargetSums:
    """Sums over the rows of each fold.

    Parameters
    ----------
    products : ndarray of shape (folds, N, outputs)
        Σ φₘ(xᵢ) yᵢ.
    moments : ndarray of shape (folds, N, 3), or of fewer if nobody asks for the last
        Σ φₘ(xᵢ), Σ φₘ(xᵢ)² and Σ φₘ(xᵢ)² ‖yᵢ‖², the terms i = j of the alignment.
    counts : ndarray of shape (folds,)
        Rows.
    """

    products: Array
    moments: Array
    counts: Array

    @classmethod
    def of(cls, features: Features, Y: Array, folds: Rows, *, moments: int) -> TargetSums:
        """Read all rows once; `moments`: how many of them are asked for, 0, 2 or 3."""
        width, n_folds = features.shape[1], int(folds.max()) + 1

        def part(rows: slice, block: Any) -> TargetSums:
            sums = cls(
                np.zeros((n_folds, width, Y.shape[1])),
                np.zeros((n_folds, width, moments)),
                np.bincount(folds[rows], minlength=n_folds).astype(np.float64),
            )
            for fold in np.flatnonzero(sums.counts):
                mine = np.flatnonzero(folds[rows] == fold)
                y = Y[rows][mine].astype(block.dtype)
                lengths = np.square(y).sum(axis=1)
                for strip in tiles(0, width, settings().strip_columns):
                    some = block[:, strip] if len(mine) == block.shape[0] else block[mine, strip]
                    sums.products[fold, strip] = some.T @ y
                    if moments:
                        sums.moments[fold, strip] = _moments(some, lengths, moments)
            # The sums of a column are not finite if one of its numbers is not.
            finite((sums.moments[..., 0] if moments else sums.products.sum(axis=2)).sum(axis=0))
            return sums

        found: TargetSums = features.reduce(part)
        return found

    def __iadd__(self, other: TargetSums) -> Self:
        np.add(self.products, other.products, out=self.products)
        np.add(self.moments, other.moments, out=self.moments)
        np.add(self.counts, other.counts, out=self.counts)
        return self

    @cached_property
    def total(self) -> TargetSums:
        """The sums over all folds, as those of one."""
        every = self.products, self.moments, self.counts
        return TargetSums(*(one.sum(axis=0, keepdims=True) for one in every))

    def without(self, fold: int) -> TargetSums:
        """Return the sums over all other folds."""
        kept, every = self.total, (self.products, self.moments, self.counts)
        wholes = kept.products, kept.moments, kept.counts
        return TargetSums(*(whole - one[fold] for whole, one in zip(wholes, every, strict=True)))

    def alignment(self, *, diagonal: bool, normalise: bool) -> Array:
        """Return vₘ = ‖Σ φₘ(xᵢ) yᵢ‖² over n², over all folds."""
        n = self.counts.sum()
        v = np.square(self.products.sum(axis=0)).sum(axis=1)
        moments = self.moments.sum(axis=0)
        if not diagonal:
            v -= moments[:, 2]
        v /= n * n
        return np.asarray(v * self._unit_squares() if normalise else v)

    def correlations(self, means: Array) -> Array:
        """Return the squared correlation of each feature with each output.

        But for a factor that is the same for all features.

        Parameters
        ----------
        means : ndarray of shape (outputs,)
            Of the outputs; small ones, of which products cost no digits.
        """
        products = self.products.sum(axis=0) - np.outer(self.moments[:, :, 0].sum(axis=0), means)
        return np.asarray(np.square(products) * self._unit_squares()[:, None])

    def _unit_squares(self) -> Array:
        """Return 1/variance of each feature; 0 for those that are constant."""
        n, moments = self.counts.sum(), self.moments.sum(axis=0)
        square = moments[:, 1] / n
        variance = square - np.square(moments[:, 0] / n)
        # Of a constant feature the variance is float32's rounding.
        varies = variance > 1e-6 * square
        return np.asarray(np.divide(1.0, variance, out=np.zeros_like(square), where=varies))


def _moments(block: Any, lengths: Array, count: int) -> Array:
    """Return the first 2 or 3 moments of each column."""
    first = np.asarray(block.sum(axis=0)).ravel()
    if count < 3 and not sparse.issparse(block):
        return np.column_stack([first, np.einsum("ij,ij->j", block, block)])
    squares = block.multiply(block).tocsr() if sparse.issparse(block) else np.square(block)
    weights = np.column_stack([np.ones_like(lengths), lengths])[:, : count - 1]
    return np.column_stack([first, squares.T @ weights.astype(block.dtype)])
