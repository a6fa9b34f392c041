"""Features: n × R numbers that may be too many to hold, so they come in blocks of rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

BLOCK_BYTES = 32 << 20  # of one block of features
Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]


class Features(ABC):
    """A matrix of features, read one block of rows after another, as often as needed."""

    shape: tuple[int, int]

    @abstractmethod
    def blocks(self, columns: Any = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield rows, in order, and their features as a float array, only `columns` if given.

        A block belongs to whoever reads it: it may be changed, and is not kept.
        """

    def rows(self, indices: Rows) -> NDArray[Any]:
        """Return the features of some rows, in the order asked for."""
        whole: NDArray[Any] = np.concatenate([block for _, block in self.blocks()])
        return whole[indices]

    def columns_without(self, hidden: Mask) -> Rows | None:
        """Return the columns for a model that must not know the hidden rows; None: all.

        Columns are often made or chosen with the help of rows, whose labels may have a say: what
        rows outside a fold are to be judged by must not have been chosen with the fold's labels.
        """
        return None


class InMemory(Features):
    """Features that are there already, as an array or CSR matrix.

    Examples
    --------
    >>> [(rows.start, block.shape) for rows, block in InMemory(np.zeros((5, 2))).blocks()]
    [(0, (5, 2))]
    """

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix
        self.shape = matrix.shape

    def blocks(self, columns: Any = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield copies of blocks of rows."""
        n, width = self.shape
        step = max(1, BLOCK_BYTES // (8 * max(1, width)))
        for start in range(0, n, step):
            rows = slice(start, min(n, start + step))
            yield rows, self._dense(self.matrix[rows], columns)

    def rows(self, indices: Rows) -> NDArray[Any]:
        """Pick rows."""
        return self._dense(self.matrix[indices], None)

    @staticmethod
    def _dense(block: Any, columns: Any) -> NDArray[Any]:
        block = block if columns is None else block[:, columns]
        return block.toarray() if sparse.issparse(block) else np.array(block)


class Selected(Features):
    """Some columns of other features."""

    def __init__(self, features: Features, columns: Rows) -> None:
        self.features = features
        self.columns = np.asarray(columns)
        self.shape = (features.shape[0], len(self.columns))

    def blocks(self, columns: Any = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield blocks of the chosen columns."""
        return self.features.blocks(self.columns if columns is None else self.columns[columns])

    def rows(self, indices: Rows) -> NDArray[Any]:
        """Pick rows of the chosen columns."""
        return self.features.rows(indices)[:, self.columns]

    def columns_without(self, hidden: Mask) -> Rows | None:
        """Return those of the chosen columns that do not depend on hidden rows."""
        columns = self.features.columns_without(hidden)
        return None if columns is None else np.flatnonzero(np.isin(self.columns, columns))


class SomeRows(Features):
    """Some rows of other features, which are read block by block and not computed one by one."""

    def __init__(self, features: Features, kept: Rows) -> None:
        self.features = features
        self.kept = np.unique(kept)
        self.shape = (len(self.kept), features.shape[1])

    def blocks(self, columns: Any = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield what is kept of each block."""
        start = 0
        for rows, block in self.features.blocks(columns):
            first, last = np.searchsorted(self.kept, [rows.start, rows.stop])
            if last > first:
                yield slice(start, start + last - first), block[self.kept[first:last] - rows.start]
                start += last - first

    def columns_without(self, hidden: Mask) -> Rows | None:
        """Return columns that depend on none of the rows left out, nor on hidden ones."""
        unknown = np.ones(self.features.shape[0], dtype=bool)
        unknown[self.kept[~hidden]] = False
        return self.features.columns_without(unknown)


def selected(features: Features, columns: Rows | None) -> Features:
    """Return some columns of features; all of them if there is None."""
    return features if columns is None else Selected(features, columns)


def as_features(X: Any) -> Features:
    """Return features as they are, or a matrix as features."""
    return X if isinstance(X, Features) else InMemory(X)
