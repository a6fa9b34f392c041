"""Features that are computed whenever they are read, and those of a union, read from its blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..features import Features, Mask, Rows
from .base import Map
from .cached_features import CachedFeatures
from .chunks import dense32
from .device_features import DeviceFeatures, DeviceValues, fits_device
from .gapped import mean_of_present
from .gaps import WithGaps
from .landmark import LandmarkMap
from .union import MapUnion


class ComputedFeatures(Features):
    """Features of objects under any fitted map, computed again whenever they are read.

    Columns asked for are the only ones computed, where the map can do so.

    Parameters
    ----------
    map : Map
        Fitted.
    X : objects
        Ingested.

    Examples
    --------
    >>> import seamark as sm
    >>> X = np.eye(3)
    >>> features = ComputedFeatures(sm.LandmarkMap("euclidean", transfer="identity").fit(X), X)
    >>> [block.shape for _, block in features.chunks([2, 0])]
    [(3, 2)]
    """

    def __init__(self, map: Map, X: Any) -> None:
        self.map = map
        self.X = X
        self.shape = (X.shape[0], map.n_features_out_)

    def chunks(self, columns: Any = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield chunks of features, dense."""
        some, asked = self, columns
        if columns is not None and self.map.is_divisible:
            some, asked = ComputedFeatures(self.map.subset(np.asarray(columns)), self.X), None
        for rows in some.map.row_chunks(self.shape[0]):
            with engine.numbering(rows, within=True):
                block = some.chunk(rows, asked)
            yield rows, block

    def on_device(self) -> Features | None:
        """Return features that are computed there."""
        one: Any = self.map
        if not isinstance(one, LandmarkMap) or not fits_device(one, one.transfers_):
            return None
        return DeviceFeatures(self, DeviceValues(one, self.X), one.transfers_[0])

    def rows(self, indices: Rows, columns: Any = None) -> NDArray[Any]:
        """Compute the features of some rows."""
        objects = ComputedFeatures(self.map, self.X[indices])
        return objects.stacked(lambda _, block: block, columns)

    def n_missing(self, rows: slice) -> int:
        """Return 0: nothing is kept, so nothing is missing."""
        return 0

    def chunk(
        self, rows: slice, columns: Any = None, progress: bool | engine.Progress = False
    ) -> NDArray[Any]:
        """Return the features of a run of rows."""
        block = dense32(self.map.block(self.X[rows]))
        return block if columns is None else block[:, columns]


class UnseenFeatures(Features):
    """Features of the rows that a map was fitted to, where y decides them: as of new rows.

    Parameters
    ----------
    map : Map
        Fitted.
    held : ndarray of shape (n, number of features)
        Each row's by a map that has not seen it.
    """

    def __init__(self, map: Map, held: NDArray[Any]) -> None:
        self.map, self.held, self.shape = map, held, held.shape

    def chunks(self, columns: Any = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield chunks of features."""
        for rows in self.map.row_chunks(self.shape[0]):
            yield rows, self.chunk(rows, columns)

    def rows(self, indices: Rows, columns: Any = None) -> NDArray[Any]:
        """Return the features of some rows."""
        block = self.held[indices]
        return block if columns is None else block[:, columns]

    def n_missing(self, rows: slice) -> int:
        """Return 0: all are there."""
        return 0

    def chunk(
        self, rows: slice, columns: Any = None, progress: bool | engine.Progress = False
    ) -> NDArray[Any]:
        """Return the features of a run of rows."""
        block = self.held[rows]
        return block if columns is None else block[:, columns]


class UnitedFeatures(Features):
    """Features of objects under a fitted union.

    Parameters
    ----------
    map : MapUnion
        Fitted.
    parts : list of CachedFeatures or ComputedFeatures
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
        parts: list[CachedFeatures | ComputedFeatures],
        chunks: list[slice],
        *,
        progress: bool | engine.Progress = False,
        groups: Rows | None = None,
    ) -> None:
        self.map = map
        self.parts = parts
        self.row_slices = chunks
        self.groups = groups
        self.shape = (parts[0].shape[0], map.n_features_out_)
        self.owners = map.owners()
        seeing = [number for number, part in enumerate(parts) if part.map.sees_targets]
        self.made_with_targets = tuple(seeing)
        self.order = map.feature_order
        self._progress = progress

    def columns_without(self, hidden: Mask) -> Rows | None:
        """Return the columns whose landmarks are neither hidden rows nor parts of such."""
        return self.map.columns_without(np.flatnonzero(hidden))

    def chunks(self, columns: Any = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield chunks of features; parts of which no column is asked for are not computed."""
        asked = self._asked(columns)[0]
        missing = 0
        if self._progress:
            missing = sum(part.n_missing(rows) for part, _ in asked for rows in self.row_slices)
        with engine.showing(self._progress, missing) as bar:
            for rows in self.row_slices:
                yield rows, self.chunk(rows, columns, bar)

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


class GapFeatures:
    """Features of a column with gaps, to be read chunk by chunk, as `UnitedFeatures` reads them.

    Parameters
    ----------
    part : CachedFeatures or ComputedFeatures
        Of the objects, with some other object in the place of each missing one.
    missing : ndarray of bool
    """

    def __init__(self, part: Any, missing: Mask) -> None:
        self.part, self.missing = part, missing
        first = slice(0, min(len(missing), part.map.row_chunks(len(missing))[0].stop))
        gap = mean_of_present(part.chunk(first), missing)
        self.map = WithGaps.of(part.map, gap, bool(missing.any()))
        self.shape = (len(missing), self.map.n_features_out_)

    def n_missing(self, rows: slice) -> int:
        """Return how many values must be computed to read a chunk."""
        return int(self.part.n_missing(rows))

    def chunk(
        self, rows: slice, columns: Any = None, progress: bool | engine.Progress = False
    ) -> NDArray[Any]:
        """Return the features of a run of rows."""
        block = self.map.joined(self.part.chunk(rows, None, progress), self.missing[rows])
        return block if columns is None else block[:, columns]

    def rows(self, indices: Rows, columns: Any = None) -> NDArray[Any]:
        """Return the features of some rows, in the order asked for."""
        block = self.map.joined(self.part.rows(indices), self.missing[indices])
        return block if columns is None else block[:, columns]
