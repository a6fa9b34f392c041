"""Features of fitted maps, read chunk by chunk: computed, side by side, or on a device."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..features import Features, InMemory, Mask, Rows, Selected
from ..transfers import Transfer, features_of
from .base import Map, dense32

if TYPE_CHECKING:
    from .value_cache import ValueCache


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


class DeviceFeatures(Selected):
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
        super().__init__(host)
        self.values, self.transfer = values, transfer
        self.row_slices = values.row_slices

    def chunks(self, columns: Any = None) -> Iterator[tuple[slice, Any]]:
        """Yield chunks of float32 on the device."""
        device = self.values.device
        some = None if columns is None else device.upload(np.asarray(columns, dtype=np.int64))
        for number, rows in enumerate(self.row_slices):
            block = self.values.read(number)
            with device.speaking():
                own = block if some is None else np.take(block, some, axis=1)
                copied = own.astype(np.float32)
                made = features_of(self.transfer, copied, self.values.map.scale_)
            yield rows, made


class ComputedFeatures(Features):
    """Features of objects under any fitted map, computed again whenever they are read.

    Columns asked for are the only ones computed, where the map can do so.

    Parameters
    ----------
    map : Map
        Fitted.
    X : objects
        Ingested.
    unseen : Unseen, optional
        Features that some of the rows have instead, since the map was fitted to them.
    places : ndarray of int, optional
        Of the rows among those of `unseen`; -1: not among them.

    Examples
    --------
    >>> import seamark as sm
    >>> X = np.eye(3)
    >>> features = ComputedFeatures(sm.LandmarkMap("euclidean", transfer="identity").fit(X), X)
    >>> [block.shape for _, block in features.chunks([2, 0])]
    [(3, 2)]
    """

    def __init__(
        self, map: Map, X: Any, unseen: Unseen | None = None, places: Rows | None = None
    ) -> None:
        self.map = map
        self.X = X
        self.unseen = unseen
        self.places = places
        self.shape = (X.shape[0], map.n_features_out_)
        self.row_slices = map.row_chunks(X.shape[0])

    def chunks(self, columns: Any = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield chunks of features, dense."""
        if columns is None or self.unseen is not None or not self.map.is_divisible:
            return super().chunks(columns)
        return ComputedFeatures(self.map.subset(np.asarray(columns)), self.X).chunks()

    def on_device(self) -> Features | None:
        """Return features that are computed there."""
        one: Any = self.map
        if not hasattr(one, "fits_device") or not one.fits_device(one.transfers_):
            return None
        return DeviceFeatures(self, DeviceValues(one, self.X), one.transfers_[0])

    def rows(self, indices: Rows, columns: Any = None) -> NDArray[Any]:
        """Compute the features of some rows."""
        places = None if self.places is None else self.places[indices]
        some = ComputedFeatures(self.map, self.X[indices], self.unseen, places)
        return some.stacked(lambda _, block: block, columns)

    def chunk(
        self, rows: slice, columns: Any = None, progress: bool | engine.Progress = False
    ) -> NDArray[Any]:
        """Return the features of a run of rows."""
        with engine.numbering(rows, within=True):
            block = dense32(self.map.block(self.X[rows]))
        if self.unseen is not None and self.places is not None:
            own = np.flatnonzero(self.places[rows] >= 0)
            block[np.ix_(own, self.unseen.columns)] = self.unseen.held[self.places[rows][own]]
        return block if columns is None else block[:, columns]


class UnitedFeatures(Features):
    """Features of objects under a fitted union.

    Parameters
    ----------
    map : MapUnion
        Fitted.
    parts : list of CachedFeatures, ComputedFeatures, InMemory or GapFeatures
        Of every map in it, in their order, over the same rows.
    chunks : list of slice
        Rows that are read together.
    progress : bool or Progress
        Shown while values are computed.
    groups : ndarray of int, optional
        Of equal objects, for folds.
    """

    owners: Rows

    def __init__(
        self,
        map: Any,
        parts: list[Any],
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
        known: Rows | None = self.map.columns_without(np.flatnonzero(hidden))
        return known

    def n_missing(self, rows: slice, columns: Any = None) -> int:
        """Return how many values must be computed to read a chunk."""
        asked = range(len(self.parts)) if columns is None else np.unique(self.owners[columns])
        return sum([self.parts[number].n_missing(rows) for number in asked])

    def chunk(
        self, rows: slice, columns: Any = None, progress: bool | engine.Progress = False
    ) -> NDArray[Any]:
        """Return the features of a run of rows."""
        return self._joined(columns, lambda part, own: part.chunk(rows, own, progress))

    def rows(self, indices: Rows, columns: Any = None) -> NDArray[Any]:
        """Return the features of some rows, in the order asked for; only `columns` if given."""
        return self._joined(columns, lambda part, own: part.rows(indices, own))

    def _joined(self, columns: Any, read: Callable[[Any, Rows | None], Any]) -> NDArray[Any]:
        """Put together what is read of each part; one of which no column is asked is not read."""
        if columns is None:
            blocks = [read(part, None) for part in self.parts]
            return np.concatenate(blocks, axis=1)[:, self.map.order_]
        wanted, owners = self.map.order_[columns], self.owners[columns]
        places = [np.flatnonzero(owners == number) for number in range(len(self.parts))]
        blocks, start = [], 0
        for part, place in zip(self.parts, places, strict=True):
            if len(place):
                blocks.append(read(part, wanted[place] - start))
            start += part.shape[1]
        return np.concatenate(blocks, axis=1)[:, np.argsort(np.concatenate(places))]


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
        decided = [k for k, part in enumerate(parts) if isinstance(part, InMemory)]
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
        known = np.where(self.hashes[places] == hashes, places, -1)
        return ComputedFeatures(features.map, features.X, self, known)
