"""Windows as the kernels of `subsequence.cu` take them: those that share all but their values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..protocols import Doubles
from ..reference.subsequence import ROUNDING, shaped
from .device import Device, Ints

Bytes = NDArray[np.uint8]

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


@dataclass(frozen=True)
class Windows:
    """Windows as they come: see `seamark.engine.reference.SubsequencePlan`."""

    values: Doubles
    offsets: Ints
    dilations: Ints
    channels: Ints
    channel_offsets: Ints
    normalised: Bytes
    differenced: Bytes

    def channels_of(self, w: int) -> tuple[int, ...]:
        """Channels of a window."""
        return tuple(self.channels[self.channel_offsets[w] : self.channel_offsets[w + 1]].tolist())

    def rows(self, w: int) -> tuple[Doubles, float]:
        """Values of a window, (channels, length), as they are compared; and the size of its shape.

        The size is the sum of squares of the window and of a place that is not flat.
        """
        count = int(self.channel_offsets[w + 1] - self.channel_offsets[w])
        rows = self.values[self.offsets[w] : self.offsets[w + 1]].reshape(count, -1)
        if not self.normalised[w]:
            return rows, 0.0
        least = ROUNDING * np.abs(rows).max(axis=1)
        rows = shaped(rows, least)
        return rows, float(rows.shape[1] * (count + rows.any(axis=1).sum()))

    def alike(self, differenced: bool) -> Iterator[tuple[tuple[Any, ...], list[int]]]:
        """Yield windows of one kind that share all but their values, and what they share."""
        groups: dict[tuple[Any, ...], list[int]] = {}
        for w in np.flatnonzero(self.differenced.astype(bool) == differenced).tolist():
            where = self.channels_of(w)
            length = int(self.offsets[w + 1] - self.offsets[w]) // len(where)
            key = bool(self.normalised[w]), length, int(self.dilations[w]), where
            groups.setdefault(key, []).append(w)
        yield from sorted(groups.items())


class Spreads:
    """Numbers for lengths, dilations and channels of windows that are compared by shape."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[int, int, int], int] = {}

    def number(self, channel: int, length: int, dilation: int) -> int:
        """Return the number of one, a new one if it is not known yet."""
        return self.numbers.setdefault((channel, length, dilation), len(self.numbers))


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
