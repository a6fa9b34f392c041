"""Windows of series on the device: distances to the nearest place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..plan import Doubles
from ..reference import Windows
from .device import Device, DevicePlan, Ints
from .series import noted

LANES = 32
WARPS = 4
TOGETHER = (8, 4, 2)  # windows to a warp, one of these
SHARED = 64 << 10  # bytes of weights in shared memory up to which more windows share a warp

TILE = np.dtype(
    [("weights", "i8"), ("channels", "i8")]
    + [(n, "i4") for n in ("first", "count", "n_channels", "length", "dilation")],
    align=True,
)
WINDOW = np.dtype(
    [("weights", "i8"), ("channels", "i8")]
    + [(n, "i4") for n in ("n_channels", "length", "dilation", "shaped")]
    + [("size", "f8")],
    align=True,
)


def alike(windows: Windows, differenced: bool) -> Iterator[tuple[tuple[Any, ...], list[int]]]:
    """Yield windows of one kind that share all but their values, and what they share."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for w in np.flatnonzero(windows.differenced.astype(bool) == differenced).tolist():
        where = windows.channels_of(w)
        length = int(windows.offsets[w + 1] - windows.offsets[w]) // len(where)
        key = bool(windows.normalised[w]), length, int(windows.dilations[w]), where
        groups.setdefault(key, []).append(w)
    yield from sorted(groups.items())


class Tiles:
    """Tiles of as many windows, raw or compared by shape.

    Parameters
    ----------
    together : int
    raw : bool
    """

    def __init__(self, together: int, raw: bool) -> None:
        self.together, self.raw = together, raw
        self.records: list[tuple[int, ...]] = []
        self.weights: list[Doubles] = []
        self.columns: list[int] = []
        self.sizes: list[float] = []
        self.size = 0  # weights of the largest tile
        self.most_channels = 1

    def add(
        self, members: list[int], rows: list[tuple[Doubles, float]], channels: int, dilation: int
    ) -> None:
        """Add a tile of windows that share all but their values."""
        count, length = rows[0][0].shape
        block = np.zeros((count, length, self.together))
        for k, (values, _) in enumerate(rows):
            block[:, :, k] = values
        start = sum(w.size for w in self.weights)
        where = len(self.columns), len(members), count, length, dilation
        self.records.append((start, channels, *where))
        self.weights.append(block)
        self.columns += members
        self.sizes += [size for _, size in rows]
        self.size = max(self.size, block.size)
        self.most_channels = max(self.most_channels, count)

    def shared(self, longest: int) -> tuple[int, int]:
        """Bytes of shared memory of a block of threads, and from row to row; 0: rows stay outside.

        `longest` is the length of the longest row.
        """
        own = (WARPS if self.raw else 1) * self.size + WARPS * self.together * LANES
        pitch = longest + 4 * LANES  # lanes read beyond the last place
        staged = own + WARPS * self.most_channels * pitch
        return (4 * staged, pitch) if 4 * staged <= SHARED else (4 * own, 0)

    def upload(self, device: Device) -> tuple[Any, ...]:
        """Return tiles, weights, columns and sizes on the device."""
        flat = np.concatenate([block.ravel() for block in self.weights])
        columns = np.array(self.columns, np.int32)
        records = np.array(self.records, TILE).view(np.uint8)
        return tuple(map(device.upload, (records, flat, columns, np.array(self.sizes))))


def together_for(count: int, values: int, raw: bool, most: int) -> int:
    """How many of `count` windows of so many values go to a warp; 0: not even the fewest fit.

    Examples
    --------
    >>> [together_for(n, 11, True, 1 << 17) for n in (100, 5, 4, 1)]
    [8, 8, 4, 2]
    >>> together_for(100, 3000, True, 1 << 17), together_for(8, 10**6, True, 1 << 17)
    (2, 0)
    """

    def needed(together: int) -> int:
        return 4 * ((WARPS if raw else 1) * values * together + WARPS * together * LANES)

    fitting = [t for t in TOGETHER if needed(t) <= SHARED] or [
        t for t in TOGETHER if needed(t) <= most
    ]
    enough = [t for t in fitting if t >= count]
    return enough[-1] if enough else fitting[0] if fitting else 0


# Windows found in series on the device: places in lanes, windows that are alike in registers.


ROW_THREADS = 128
SERIES_PER_WARP = 8


class SubsequencePlan(DevicePlan):
    """Windows on the device.

    Parameters
    ----------
    device : Device
    *windows : ndarrays
        As in `seamark.engine.reference.SubsequencePlan`.
    n_channels : int
        Channels of series.
    flat : float
        Deviation, in that of the series, up to which a place has no shape.
    """

    def __init__(self, device: Device, *windows: Any) -> None:
        *arrays, self.channels, self.flat = windows
        self.device, own = device, Windows(*arrays)
        self.n_landmarks = len(own.dilations)
        kinds = [kind for kind in (False, True) if (own.differenced.astype(bool) == kind).any()]
        self.kinds = [_Kind(self, own, differenced) for differenced in kinds]
        self.per_item = 8 * self.channels + sum(kind.per_step for kind in self.kinds)
        self.per_row = sum(kind.per_step * kind.least for kind in self.kinds)

    def put(self, values: Doubles, offsets: Ints, out: Any) -> None:
        """See `DevicePlan`."""
        series = self.device.upload(values), self.device.upload(offsets)
        for kind in self.kinds:
            kind.fill(*series, offsets, out)


class _Kind:
    """Windows of values, or of differences: they share the rows that are made of series."""

    def __init__(self, plan: SubsequencePlan, windows: Windows, differenced: bool) -> None:
        self.device, self.channels, self.flat = plan.device, plan.channels, plan.flat
        self.differenced, self.least = differenced, 1
        # Numbers of lengths, dilations and channels of windows that are compared by shape.
        spreads, tiles = dict[tuple[int, int, int], int](), dict[tuple[int, bool], Tiles]()
        self._of_channels: list[tuple[int, int]] = []
        self._exact: list[Doubles] = []
        self._n_exact = 0
        self._windows = np.zeros(plan.n_landmarks, WINDOW)
        for (shape, length, dilation, where), members in alike(windows, differenced):
            self.least = max(self.least, (length - 1) * dilation + 1)
            first = len(self._of_channels)
            kinds = [(c, length, dilation) for c in where]
            numbers = [spreads.setdefault(k, len(spreads)) if shape else 0 for k in kinds]
            self._of_channels += zip(where, numbers, strict=True)
            rows = [windows.rows(w) for w in members]
            for w, (values, size) in zip(members, rows, strict=True):  # kept in float64
                facts = first, *values.shape, dilation, int(shape), size
                self._windows[w] = (self._n_exact, *facts)
                self._exact.append(values)
                self._n_exact += values.size
            left = len(members)
            while left:
                n = together_for(left, length * len(where), not shape, self.device.shared_bytes)
                if n == 0:
                    raise ValueError(
                        f"landmark {members[0]} has {length * len(where)} values, more than the "
                        "GPU can hold at a time; use the CPU for windows of that size."
                    )
                next_ = slice(len(members) - left, len(members) - left + n)
                some = tiles.setdefault((n, not shape), Tiles(n, not shape))
                some.add(members[next_], rows[next_], first, dilation)
                left -= min(n, left)
        self.n_spreads = len(spreads)
        self._upload(spreads, list(tiles.values()))

    def _upload(self, spreads: dict[tuple[int, int, int], int], tiles: list[Tiles]) -> None:
        upload = self.device.upload
        self.of_channels = upload(np.array(self._of_channels, np.int32))
        self.spreads = upload(np.array([*spreads, (0, 1, 1)], np.int32))
        self.exact = upload(np.concatenate([rows.ravel() for rows in self._exact]))
        self.windows = upload(self._windows.view(np.uint8))
        self.tiles = [(tile, tile.upload(self.device)) for tile in tiles]
        del self._of_channels, self._exact, self._windows

    @property
    def per_step(self) -> int:
        """Bytes on the device for a step of a series."""
        return int(8 * self.channels + 4 * self.n_spreads)

    def fill(self, x: Any, offsets: Any, own_offsets: Ints, out: Any) -> None:
        """Write the columns of these windows."""
        n = len(own_offsets) - 1
        lengths = np.maximum(np.diff(own_offsets) - self.differenced, self.least)
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        where = offsets, self.device.upload(starts), np.int64(n), self.channels
        rows = _Rows(self, x, (*where, int(self.differenced)), lengths)
        pairs = noted(self.device, n * out.shape[1], lambda unsure: self._tiles(rows, out, unsure))
        if not len(pairs):
            return
        shape = (min(len(pairs), 65535), 1), ROW_THREADS, 8 * ROW_THREADS
        series = rows.x, *rows.where, rows.means, rows.units, rows.inverses
        exact = self.windows, self.exact, self.of_channels
        given = *series, *exact, pairs, len(pairs), out, np.int64(out.shape[1])
        self.device.launch("series+subsequence_again", "subsequence_again", {}, *shape, *given)

    def _tiles(self, rows: _Rows, out: Any, unsure: tuple[Any, ...]) -> None:
        for tiles, (records, weights, *results) in self.tiles:
            most = -(-rows.n // (WARPS * SERIES_PER_WARP))
            full = -(-64 * self.device.multiprocessors // len(tiles.records))
            down = min(65535, max(most, min(full, -(-rows.n // WARPS))))
            shared, pitch = tiles.shared(rows.longest)
            defines = {"TOGETHER": tiles.together, "STAGED": int(pitch > 0), "WARPS": WARPS}
            defines["RAW"] = int(tiles.raw)
            shape = (len(tiles.records), down), WARPS * LANES, shared
            own = rows.raw if tiles.raw else rows.scaled
            series = *rows.where, own, rows.means, rows.sizes, rows.inverses
            windows = records, weights, self.of_channels, *results, tiles.size, tiles.most_channels
            given = *series, *windows, pitch, out, np.int64(out.shape[1]), *unsure
            self.device.launch("series+subsequence", "subsequence", defines, *shape, *given)


class _Rows:
    """Series as windows are compared with them, on the device; `lengths` with repeated values."""

    def __init__(self, kind: _Kind, x: Any, where: tuple[Any, ...], lengths: Ints) -> None:
        device, channels = kind.device, kind.channels
        self.x, self.where = x, where
        self.n, self.longest = len(lengths), int(lengths.max())
        n = self.n
        total = int(lengths.sum())
        self.raw, self.scaled = (device.empty(total * channels, np.float32) for _ in range(2))
        of_rows = [device.empty(n * channels, np.float64) for _ in range(3)]
        self.means, self.units, self.sizes = of_rows
        self.inverses = device.empty(max(1, total * kind.n_spreads), np.float32)
        shape = (min(n * channels, 65535), 1), ROW_THREADS, 8 * ROW_THREADS
        given = x, *where, self.raw, self.scaled, *of_rows
        device.launch("series+series_rows", "series_rows", {}, *shape, *given)
        if kind.n_spreads:
            grid = kind.n_spreads, min(n, 65535)
            spread = self.scaled, kind.spreads, np.float32(kind.flat), self.inverses
            given = *where, *spread
            device.launch("series+series_rows", "spreads", {}, grid, ROW_THREADS, 0, *given)
