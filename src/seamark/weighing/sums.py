"""Sums of features against targets, fold by fold: all that an alignment needs, in one pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from ..features import Features
from .columns import Array, Rows, blocks_of, finite

SPARSE_ROWS = 10_000


class Candidates:
    """Features to choose among, block by block; sparse ones stay sparse.

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

    def blocks(self, rows: Rows) -> Iterator[tuple[slice, Any]]:
        """Yield blocks of the given rows, which rise; slices count within these rows."""
        if self.map is None and not sparse.issparse(self.X):
            yield from blocks_of(self.X, rows)
            return
        for where in self._row_blocks(len(rows)):
            objects = self.X[rows[where]]
            yield where, objects if self.map is None else self.map.block(objects)

    def _row_blocks(self, n: int) -> list[slice]:
        if self.map is not None:
            slices: list[slice] = self.map.row_blocks(n)
            return slices
        return [slice(a, min(n, a + SPARSE_ROWS)) for a in range(0, n, SPARSE_ROWS)]

    def read(self, rows: Rows, columns: Rows) -> Any:
        """Return some columns of some rows, dense; a map never evaluates the others."""
        if self.map is not None:
            few = Candidates(self.X, self.map.subset(columns))
            return np.concatenate([_dense(block) for _, block in few.blocks(rows)])
        if isinstance(self.X, Features):
            return np.concatenate([block for _, block in blocks_of(self.X, rows, columns)])
        return _dense(self.X[rows][:, columns])


def _dense(block: Any) -> Any:
    return block.toarray() if sparse.issparse(block) else block


@dataclass(frozen=True)
class TargetSums:
    """Sums over the rows of each fold.

    Parameters
    ----------
    products : ndarray of shape (folds, N, outputs)
        Σ φₘ(xᵢ) yᵢ.
    moments : ndarray of shape (folds, N, 3), or (folds, N, 0) if nobody asks
        Σ φₘ(xᵢ), Σ φₘ(xᵢ)² and Σ φₘ(xᵢ)² ‖yᵢ‖², the terms i = j of the alignment.
    counts : ndarray of shape (folds,)
        Rows.
    """

    products: Array
    moments: Array
    counts: Array

    @classmethod
    def of(
        cls, candidates: Candidates, rows: Rows, Y: Array, folds: Rows, *, moments: bool
    ) -> TargetSums:
        """Read the given rows once; Y and folds are theirs."""
        width, n_folds = candidates.n_features, int(folds.max()) + 1
        products = np.zeros((n_folds, width, Y.shape[1]))
        others = np.zeros((n_folds, width, 3 if moments else 0))
        for where, block in candidates.blocks(rows):
            for fold in np.unique(folds[where]):
                mine = folds[where] == fold
                part = block if mine.all() else block[np.flatnonzero(mine)]
                y = Y[where][mine]
                products[fold] += part.T @ y.astype(part.dtype)
                if moments:
                    others[fold] += _moments(part, np.square(y).sum(axis=1))
            finite(products.sum(axis=(0, 2)))
        return cls(products, others, np.bincount(folds).astype(np.float64))

    def without(self, fold: int) -> TargetSums:
        """Return the sums over all other folds."""
        kept = np.arange(len(self.counts)) != fold
        return TargetSums(self.products[kept], self.moments[kept], self.counts[kept])

    def alignment(self, *, diagonal: bool, normalise: bool) -> Array:
        """Return vₘ = ‖Σ φₘ(xᵢ) yᵢ‖² over n², over all folds."""
        n = self.counts.sum()
        v = np.square(self.products.sum(axis=0)).sum(axis=1)
        moments = self.moments.sum(axis=0)
        if not diagonal:
            v -= moments[:, 2]
        v /= n * n
        return np.asarray(v * self._unit_squares() if normalise else v)

    def correlations(self) -> Array:
        """Return the squared correlation of each feature with each output, whose means are 0.

        But for a factor that is the same for all features.
        """
        return np.asarray(np.square(self.products.sum(axis=0)) * self._unit_squares()[:, None])

    def _unit_squares(self) -> Array:
        """Return 1/variance of each feature; 0 for those that are constant."""
        n, moments = self.counts.sum(), self.moments.sum(axis=0)
        square = moments[:, 1] / n
        variance = square - np.square(moments[:, 0] / n)
        # Of a constant feature the variance is float32's rounding.
        varies = variance > 1e-6 * square
        return np.asarray(np.divide(1.0, variance, out=np.zeros_like(square), where=varies))


def _moments(block: Any, lengths: Array) -> Array:
    squares = block.multiply(block).tocsr() if sparse.issparse(block) else np.square(block)
    of_squares = squares.T @ np.column_stack([np.ones_like(lengths), lengths]).astype(block.dtype)
    return np.column_stack([np.asarray(block.sum(axis=0)).ravel(), of_squares])
