"""Features whose values are computed, kept and transformed on the device of the backend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import engine
from ..features import Features, Mask, Rows
from ..transfers import Transfer

if TYPE_CHECKING:
    from .cache import ValueCache

PER_VALUE = 4 + 4 + 8  # bytes of these


class DeviceValues:
    """Values of objects against a map's landmarks on the device, kept there while memory lasts.

    Parameters
    ----------
    map : Evaluating
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
        now = engine.settings()
        self.left = 0 if known is None else int(now.device_kept * room)
        chunk = min(now.device_chunk_bytes, room // 4)
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
            with engine.numbering(rows, within=True), engine.step("values"):
                values = values_on(self.device, self.map, self.X[rows])
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
            yield rows, features_of(self.values, self.values.read(number), self.transfer, some)

    def rows(self, indices: Rows, columns: Any = None) -> Any:
        """Return the features of some rows on the host."""
        return self.host.rows(indices, columns)

    def columns_without(self, hidden: Mask) -> Rows | None:
        """As on the host."""
        columns: Rows | None = self.host.columns_without(hidden)
        return columns


def values_on(device: Any, map: Any, X: Any) -> Any:
    """Return the values of ingested objects against the landmarks of a map, on the device."""
    recipe, measure = map.recipes()[0], map.measures_[0]
    if map.transfers_[0].needs_distances and not measure.bounds[0] >= 0:
        return device.upload(map.values(X))  # which refuses what is below 0
    return engine.run_on(device, recipe, X, n_jobs=map.n_jobs)


def features_of(values: DeviceValues, block: Any, transfer: Transfer, columns: Any) -> Any:
    """Return features of a block of values, some columns of them if any are given."""
    with values.device.speaking():
        own = block if columns is None else np.take(block, columns, axis=1)
        made = transfer.apply(own.astype(np.float32))  # a copy
        if transfer.averaged:
            made *= np.float32(values.map.scale_)
    return made


def fits_device(map: Any, transfers: list[Transfer]) -> bool:
    """Tell whether each value of a map becomes a feature of its own, by one function for all."""
    plain = len(map.measures_) == 1 and not map.passthrough and map.pairs_ is None
    plain = plain and map.columns_ is None and len(transfers) == 1
    return plain and transfers[0].pointwise and not transfers[0].looks_between
