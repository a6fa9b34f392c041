"""Some rows of features."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base import Features, Mask, Rows


class SomeRows(Features):
    """Some rows of other features, which are read chunk by chunk and not computed one by one.

    Parameters
    ----------
    features : Features
    kept : ndarray of int
        Rows.
    hides : ndarray of int, optional
        Rows on which columns must not depend; default: all that are not kept.
    """

    def __init__(self, features: Features, kept: Rows, hides: Rows | None = None) -> None:
        self.features = features
        self.kept = np.unique(kept)
        self.hides = np.setdiff1d(np.arange(features.shape[0]), kept) if hides is None else hides
        self.shape = (len(self.kept), features.shape[1])
        self.groups = None if features.groups is None else features.groups[self.kept]
        self.order = features.order
        self.owners = features.owners

    def chunks(self, columns: Any = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield what is kept of each block."""
        for rows, block in self.features.chunks(columns):
            places, some = self._of(rows, block)
            if len(some):
                yield places, some

    def reduce(self, part: Callable[[slice, NDArray[Any]], Any], columns: Any = None) -> Any:
        """Pass over the other features' rows, and leave out what is not kept."""

        def of_some(rows: slice, block: NDArray[Any]) -> Any:
            places, some = self._of(rows, block)
            return part(places, some) if len(some) else None

        return self.features.reduce(of_some, columns)

    def rows(self, indices: Rows, columns: Any = None) -> NDArray[Any]:
        """Pick rows among those kept."""
        return self.features.rows(self.kept[indices], columns)

    def _of(self, rows: slice, block: NDArray[Any]) -> tuple[slice, NDArray[Any]]:
        """What is kept of a chunk, and its place among what is kept."""
        first, last = (int(i) for i in np.searchsorted(self.kept, [rows.start, rows.stop]))
        return slice(first, last), block[self.kept[first:last] - rows.start]

    def columns_without(self, hidden: Mask) -> Rows | None:
        """Return columns that depend on none of the rows that this hides, nor on hidden ones."""
        unknown = np.zeros(self.features.shape[0], dtype=bool)
        unknown[self.hides] = True
        unknown[self.kept[hidden]] = True
        return self.features.columns_without(unknown)
