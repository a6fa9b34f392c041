"""Features of a map over objects, made chunk by chunk, their values kept while memory lasts."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..engine.lapack import tiles
from ..features import Features, Mask, Rows
from ..transfers import Transfer
from .cache import Budget, ValueCache
from .device_features import DeviceFeatures, DeviceValues, fits_device
from .pilot import Pilot

if TYPE_CHECKING:
    from .landmark import LandmarkMap


class CachedFeatures(Features):
    """Features of objects under a fitted landmark map.

    Values of the measure are computed once, and kept in the smallest type that holds them exactly
    (edit distances in a byte or two); beyond the budget they are computed again, and counted
    again. Features under other transfers, or of some rows and landmarks, share what is kept.

    Parameters
    ----------
    map : LandmarkMap
        Fitted.
    X : objects
        Ingested.
    budget : int or Budget, optional
        Bytes of values that may be kept; a budget is shared with others. Default: `kept_bytes`.
    progress : bool or Progress
        Shown while values are computed.
    pilot : Pilot, optional
        Values of some rows that are known from fitting the map.
    groups : ndarray of int, optional
        Of equal objects, for folds.
    chunks : list of slice, optional
        Rows that are read together; default: as many as the map takes at a time.
    """

    def __init__(
        self,
        map: LandmarkMap,
        X: Any,
        *,
        budget: int | Budget | None = None,
        progress: bool | engine.Progress = False,
        pilot: Pilot | None = None,
        groups: Rows | None = None,
        chunks: list[slice] | None = None,
    ) -> None:
        self.map = map
        self.X = X
        self.groups = groups
        self.shape = (X.shape[0], map.n_features_out_)
        self.transfers: list[Transfer] = map.transfers_
        self.order = map.feature_order
        self._progress = progress
        budget = engine.settings().kept_bytes if budget is None else budget
        shared = budget if isinstance(budget, Budget) else Budget(budget)
        self._cache = ValueCache(map, X, shared, chunks)  # shared by all copies
        self.row_slices = self._cache.chunks
        if pilot is not None:
            self._cache.keep(pilot.rows, None, pilot.values)
        self._rows: Rows | None = None  # of fit's X, rising, if these are some of them
        self._places: Rows | None = None  # of the values in the cache, if these are some of them
        self._held: list[NDArray[Any]] | None = None  # values of few rows, once they were read

    def with_transfers(self, transfers: list[Transfer]) -> CachedFeatures:
        """Return the same values under other transfers; what is kept is shared."""
        other = copy(self)
        other.transfers = transfers
        return other

    def of_rows(self, rows: Rows, columns: Rows) -> CachedFeatures:
        """Return features of some rows, and where the map allows it of some landmarks only.

        What is kept is shared: values that are read here are not computed again elsewhere.

        Parameters
        ----------
        rows : ndarray of int
            Rising.
        columns : ndarray of int
        """
        some = copy(self)
        if self.map.is_divisible and len(columns) < self.shape[1]:
            places = self.map.values_behind(columns)
            some.map = self.map.subset(columns)
            some._places = places if self._places is None else self._places[places]
        some.X = self.X[rows]
        some.shape = (len(rows), some.map.n_features_out_)
        some.transfers, some.order = some.map.transfers_, some.map.feature_order
        some.groups = None if self.groups is None else self.groups[rows]
        some._rows = rows if self._rows is None else self._rows[rows]
        few = 4 * len(rows) * some.map.n_values <= engine.settings().compared_bytes
        some._held = [] if few else None
        return some

    def drop(self) -> None:
        """Forget all values that are kept, and give back their memory."""
        self._cache.drop()

    def columns_without(self, hidden: Mask) -> Rows | None:
        """Return the columns whose landmarks are not among the hidden rows.

        What is left of landmarks that were drawn with labels (from each class its share, in
        pairs) is such a draw from the other rows. Of landmarks chosen one by one (`Diverse`) it is
        those that come from there; hidden labels had a say in their neighbours only. No value is
        computed again.
        """
        rows = np.flatnonzero(hidden) if self._rows is None else self._rows[hidden]
        return self.map.columns_without(rows)

    def chunks(self, columns: Any = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield chunks of features."""
        every = self.row_slices if self._rows is None else self.map.row_chunks(self.shape[0])
        missing = sum(map(self.n_missing, every)) if self._progress else 0
        with engine.showing(self._progress, missing) as bar:
            for rows in every:
                yield rows, self.chunk(rows, columns, bar)

    def on_device(self) -> Features | None:
        """Return features of values that are kept there; all transfers share them."""
        if self._rows is not None or not fits_device(self.map, self.transfers):
            return None
        if self._cache.on_device is None:
            self._cache.on_device = DeviceValues(self.map, self.X, self._cache)
        return DeviceFeatures(self, self._cache.on_device, self.transfers[0])

    def n_missing(self, rows: slice) -> int:
        """Return how many values must be computed to read a chunk."""
        among = rows if self._rows is None else self._rows[rows]
        return self._cache.n_missing(among, self._places)

    def chunk(
        self,
        rows: slice | Rows,
        columns: Any = None,
        progress: bool | engine.Progress = False,
        values: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """Return the features of a run of rows, or of others that rise; `values`: if read."""
        one = self.map
        if values is None and self._held is not None and self._rows is not None:
            if not self._held:  # put together once, for all who compare transfers on them
                self._held.append(self._cache.read(self._rows, self._places, progress))
            values = self._held[0][rows]
        elif values is None:
            among = rows if self._rows is None else self._rows[rows]
            values = self._cache.read(among, self._places, progress)
        if values.size > 2 * engine.settings().strip_values:
            return self._in_strips(rows, columns, values)
        several = len(self.transfers) > 1 or one.passthrough or one.pairs_ is not None
        pointwise = not several and one.columns_ is None and self.transfers[0].pointwise
        if columns is not None and pointwise:  # each column of values makes one of features
            return one.features(values[:, columns].astype(np.float32), self.transfers)
        features = one.features(values.astype(np.float32), self.transfers)
        if one.passthrough:
            features = one.with_columns_of(self.X[rows], features)
        return features if columns is None else features[:, columns]

    def _in_strips(self, rows: slice | Rows, columns: Any, values: NDArray[Any]) -> NDArray[Any]:
        """Return the features of many rows, made of a few at a time, which stay in cache."""
        strips = tiles(0, len(values), max(1, engine.settings().strip_values // values.shape[1]))
        numbers = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        first = self.chunk(numbers[strips[0]], columns, values=values[strips[0]])
        out = np.empty((len(values), first.shape[1]), dtype=first.dtype)
        out[strips[0]] = first

        def fill(strip: slice) -> None:
            out[strip] = self.chunk(numbers[strip], columns, values=values[strip])

        engine.side_by_side(fill, strips[1:])
        return out

    def rows(self, indices: Rows, columns: Any = None) -> NDArray[Any]:
        """Return the features of some rows, in the order asked for; only `columns` if given."""
        rising, turn = np.unique(indices, return_inverse=True)
        return self.chunk(rising, columns)[turn]
