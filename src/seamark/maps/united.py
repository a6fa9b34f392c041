"""Features of a union, read from its blocks, which keep their values within one budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..features import Features, MapFeatures, Mask, Rows
from .chunks import dense32
from .mapped import MappedFeatures
from .union import MapUnion


class ComputedFeatures(MapFeatures):
    """Features of a block that keeps no values: random ones, or columns of X."""

    def n_missing(self, rows: slice) -> int:
        """Return 0: no measure is evaluated."""
        return 0

    def chunk(
        self, rows: slice, columns: Any = None, progress: bool | engine.Progress = False
    ) -> NDArray[Any]:
        """Return the features of a run of rows."""
        block = dense32(self.map.block(self.X[rows]))
        return block if columns is None else block[:, columns]


class UnitedFeatures(Features):
    """Features of objects under a fitted union.

    Parameters
    ----------
    map : MapUnion
        Fitted.
    parts : list of MappedFeatures or ComputedFeatures
        Of every map in it, in their order, over the same rows.
    chunks : list of slice
        Rows that are read together.
    progress : bool or Progress
        Shown while values are computed.
    groups : ndarray of int, optional
        Of equal objects, for folds.
    """

    def __init__(
        self,
        map: MapUnion,
        parts: list[MappedFeatures | ComputedFeatures],
        chunks: list[slice],
        *,
        progress: bool | engine.Progress = False,
        groups: Rows | None = None,
    ) -> None:
        self.map = map
        self.parts = parts
        self.chunks = chunks
        self.groups = groups
        self.shape = (parts[0].shape[0], map.n_features_out_)
        self.owners = map.owners()
        self.order = map.feature_order
        self._progress = progress

    def columns_without(self, hidden: Mask) -> Rows | None:
        """Return the columns whose landmarks are neither hidden rows nor parts of such."""
        return self.map.columns_without(np.flatnonzero(hidden))

    def blocks(self, columns: Any = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield blocks of features; parts of which no column is asked for are not computed."""
        asked = self._asked(columns)[0]
        missing = sum(part.n_missing(rows) for part, _ in asked for rows in self.chunks)
        with engine.progress_bar(self._progress if missing else False) as bar:
            if missing:
                bar.start(missing)
            for rows in self.chunks:
                yield rows, self.chunk(rows, columns, engine.Part(bar))

    def chunk(
        self, rows: slice, columns: Any = None, progress: bool | engine.Progress = False
    ) -> NDArray[Any]:
        """Return the features of a run of rows."""
        asked, turn = self._asked(columns)
        some = [part.chunk(rows, own, progress) for part, own in asked]
        return np.concatenate(some, axis=1)[:, turn]

    def rows(self, indices: Rows, columns: Any = None) -> NDArray[Any]:
        """Return the features of some rows, in the order asked for; only `columns` if given."""
        asked, turn = self._asked(columns)
        some = [
            part.rows(indices) if own is None else part.rows(indices)[:, own] for part, own in asked
        ]
        return np.concatenate(some, axis=1)[:, turn]

    def _asked(self, columns: Any) -> tuple[list[tuple[Any, Rows | None]], Rows]:
        """Return the parts to read and which columns of each, and how to order these."""
        if columns is None:
            return [(part, None) for part in self.parts], self.map.order_
        wanted, owners = self.map.order_[columns], self.map.owners()[columns]
        starts = np.cumsum([0, *(part.shape[1] for part in self.parts)])
        places = [np.flatnonzero(owners == number) for number in range(len(self.parts))]
        asked = [
            (part, wanted[place] - start)
            for part, place, start in zip(self.parts, places, starts, strict=False)
            if len(place)
        ]
        return asked, np.argsort(np.concatenate(places))
