"""Features of fitted maps, read chunk by chunk: computed, cached, side by side, or on a device."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..engine.lapack import tiles
from ..features import Features, InMemory, Mask, Rows
from ..landmarks import NOT_A_ROW
from ..transfers import Identity, Transfer, Whitening
from .base import Map, dense32
from .value_cache import STRIP_VALUES, Budget, ValueCache

# Values of some rows that are put together once, for all transfers compared on them.
COMPARED_BYTES = 32 << 20

if TYPE_CHECKING:
    from .landmark import LandmarkMap, Pilot
    from .union import MapUnion


DEVICE_KEPT = 0.5  # share of a GPU's memory that values may take; the rest is for sums
DEVICE_CHUNK_BYTES = 1 << 30  # of values, features and float64 rows of one chunk on a GPU
PER_VALUE = 4 + 4 + 8  # bytes of these


class DeviceValues:
    """Values of objects against a map's landmarks on the device, kept there while memory lasts.

    Parameters
    ----------
    map : LandmarkMap
        Fitted, of one measure.
    X : objects
        Ingested.
    known : ValueCache, optional
        Of the host: what is known there is not evaluated again, and what only the host can
        evaluate is kept there. None: values are not asked for again, and not kept.
    """

    def __init__(self, map: Any, X: Any, known: ValueCache | None = None) -> None:
        self.map, self.X, self.known = map, X, known
        self.device = engine.backend().device
        room = self.device.free_bytes()
        self.left = 0 if known is None else int(DEVICE_KEPT * room)
        chunk = min(DEVICE_CHUNK_BYTES, room // 4)
        step = max(1, chunk // (PER_VALUE * max(1, map.n_values)))
        n = X.shape[0]
        self.row_slices = [slice(start, min(n, start + step)) for start in range(0, n, step)]
        self._kept: dict[int, Any] = {}

    def keeps(self, number: int) -> bool:
        """Tell whether the values of a chunk are there already."""
        return number in self._kept

    def read(self, number: int) -> Any:
        """Return the values of a chunk, not to be overwritten."""
        if number in self._kept:
            return self._kept[number]
        rows, known = self.row_slices[number], self.known
        here = known is not None and not self.map.recipes()[0].plan().fills_device
        if known is not None and (here or known.n_missing(rows) == 0):
            values = self.device.upload(known.read(rows))
        else:
            one, objects = self.map, self.X[rows]
            refuses = one.transfers_[0].needs_distances and not one.measures_[0].bounds[0] >= 0
            with engine.numbering(rows, within=True), engine.step("values"):
                if refuses:  # what is below 0
                    values = self.device.upload(one.values(objects))
                else:
                    recipe = one.recipes()[0]
                    values = engine.run_on(self.device, recipe, objects, n_jobs=one.n_jobs)
        if values.nbytes <= self.left:
            self.left -= values.nbytes
            self._kept[number] = values
        return values


class DeviceFeatures(Features):
    """Features of a landmark map, made on the device from values there.

    Parameters
    ----------
    host : CachedFeatures or ComputedFeatures
        The same on the host: few rows are read there.
    values : DeviceValues
    transfer : Transfer
        Pointwise.
    """

    def __init__(self, host: Any, values: DeviceValues, transfer: Transfer) -> None:
        self.host, self.values, self.transfer = host, values, transfer
        self.shape, self.groups, self.order = host.shape, host.groups, host.order
        self.row_slices = values.row_slices

    def chunks(self, columns: Any = None) -> Iterator[tuple[slice, Any]]:
        """Yield chunks of float32 on the device."""
        device = self.values.device
        some = None if columns is None else device.upload(np.asarray(columns, dtype=np.int64))
        for number, rows in enumerate(self.row_slices):
            block = self.values.read(number)
            with device.speaking():
                own = block if some is None else np.take(block, some, axis=1)
                made = self.transfer.apply(own.astype(np.float32))  # a copy
                if self.transfer.averaged:
                    made *= np.float32(self.values.map.scale_)
            yield rows, made

    def rows(self, indices: Rows, columns: Any = None) -> Any:
        """Return the features of some rows on the host."""
        return self.host.rows(indices, columns)

    def columns_without(self, hidden: Mask) -> Rows | None:
        """As on the host."""
        columns: Rows | None = self.host.columns_without(hidden)
        return columns


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
        few = 4 * len(rows) * some.map.n_values <= engine.settings().share(16, COMPARED_BYTES)
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

    @property
    def mixes_landmarks(self) -> bool:
        """Whether whitening made the columns, of landmarks all of which are rows."""
        sources = self.map.landmark_sources_
        own = sources is not None and bool((np.asarray(sources) != NOT_A_ROW).all())
        return own and self._rows is None and isinstance(self.transfers[0], Whitening)

    def made_without(self, hidden: Mask) -> CachedFeatures:
        """Whiten the other landmarks; all of them where none is left."""
        sources, whitening = np.asarray(self.map.landmark_sources_), self.transfers[0]
        kept = ~hidden[sources]
        if not isinstance(whitening, Whitening) or not kept.any():
            return self
        between = self.with_transfers([whitening.transfer or Identity()]).rows(sources)
        other = self.with_transfers([whitening.without(between, kept)])
        other.shape = (self.shape[0], other.transfers[0].n_features(len(sources)))
        return other

    def chunks(self, columns: Any = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield chunks of features."""
        every = self.row_slices if self._rows is None else self.map.row_chunks(self.shape[0])
        missing = sum(map(self.n_missing, every)) if self._progress else 0
        shown = engine.showing(self._progress, missing) if missing else nullcontext(False)
        with shown as bar:
            for rows in every:
                yield rows, self.chunk(rows, columns, bar)

    def on_device(self) -> Features | None:
        """Return features of values that are kept there; all transfers share them."""
        if self._rows is not None or not self.map.fits_device(self.transfers):
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
        if values.size > 2 * STRIP_VALUES:
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
        strips = tiles(0, len(values), max(1, STRIP_VALUES // values.shape[1]))
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
        if not hasattr(one, "fits_device") or not one.fits_device(one.transfers_):
            return None
        return DeviceFeatures(self, DeviceValues(one, self.X), one.transfers_[0])

    def rows(self, indices: Rows, columns: Any = None) -> NDArray[Any]:
        """Compute the features of some rows."""
        objects = ComputedFeatures(self.map, self.X[indices])
        return objects.stacked(lambda _, block: block, columns)

    def chunk(
        self, rows: slice, columns: Any = None, progress: bool | engine.Progress = False
    ) -> NDArray[Any]:
        """Return the features of a run of rows."""
        block = dense32(self.map.block(self.X[rows]))
        return block if columns is None else block[:, columns]


class UnseenFeatures(InMemory):
    """Features of the rows that a map was fitted to, where y decides them: as of new rows.

    Parameters
    ----------
    map : Map
        Fitted.
    held : ndarray of shape (n, number of features)
        Each row's by a map that has not seen it.
    """

    def __init__(self, map: Map, held: NDArray[Any]) -> None:
        super().__init__(held)
        self.map = map

    def chunk(
        self, rows: slice, columns: Any = None, progress: bool | engine.Progress = False
    ) -> NDArray[Any]:
        """Return the features of a run of rows."""
        return self.rows(rows, columns)


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
        shown = engine.showing(self._progress, missing) if missing else nullcontext(False)
        with shown as bar:
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


@dataclass(frozen=True, eq=False)
class Unseen:
    """Features of the objects of a sample as maps give them that have not seen these.

    Attributes
    ----------
    hashes : ndarray of int
        Of the objects, sorted.
    held : ndarray of shape (n, number of columns)
    columns : ndarray of int
        Where these stand among all features.
    """

    hashes: NDArray[np.int64]
    held: NDArray[Any]
    columns: Rows

    @classmethod
    def of(cls, features: Any, hashes: NDArray[np.int64]) -> Self | None:
        """Return those among the features of a sample that y has decided; None: there are none."""
        parts: list[Any] = features.parts if isinstance(features, UnitedFeatures) else []
        decided = [k for k, part in enumerate(parts) if isinstance(part, UnseenFeatures)]
        if not decided:
            return None
        owners = features.map.owners()
        columns = np.concatenate([np.flatnonzero(owners == k) for k in decided])
        held = np.concatenate([parts[k].matrix for k in decided], axis=1)
        first = np.unique(hashes, return_index=True)[1]
        return cls(hashes[first], held[first], columns)

    def put_into(self, features: ComputedFeatures, hashes: NDArray[np.int64]) -> ComputedFeatures:
        """Return features of objects in which those of the sample have their own."""
        places = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        known = self.hashes[places] == hashes
        return PartlySeen(features, self, np.where(known, places, -1)) if known.any() else features


class PartlySeen(ComputedFeatures):
    """Features of rows some of which a map was fitted to; see `Unseen`.

    Parameters
    ----------
    features : ComputedFeatures
    unseen : Unseen
    places : ndarray of int
        Of the rows among those of `unseen`; -1: not among them.
    """

    def __init__(self, features: ComputedFeatures, unseen: Unseen, places: Rows) -> None:
        super().__init__(features.map, features.X)
        self.unseen, self.places = unseen, places

    def chunks(self, columns: Any = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield chunks of features."""
        for rows in self.map.row_chunks(self.shape[0]):
            with engine.numbering(rows, within=True):
                block = self.chunk(rows, columns)
            yield rows, block

    def rows(self, indices: Rows, columns: Any = None) -> NDArray[Any]:
        """Compute the features of some rows."""
        some = ComputedFeatures(self.map, self.X[indices])
        return PartlySeen(some, self.unseen, self.places[indices]).chunk(slice(None), columns)

    def chunk(
        self, rows: slice, columns: Any = None, progress: bool | engine.Progress = False
    ) -> NDArray[Any]:
        """Return the features of a run of rows."""
        block = super().chunk(rows)
        own = np.flatnonzero(self.places[rows] >= 0)
        block[np.ix_(own, self.unseen.columns)] = self.unseen.held[self.places[rows][own]]
        return block if columns is None else block[:, columns]
