"""Landmark series in the lanes of warps, as the kernels of `warping.cu` take them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..protocols import Doubles
from .device import Defines, Device, Ints

LANES = 32
WARPS = 4
TEMPLATED = 3  # channels up to which a landmark lies in registers
REGISTERS = {1: 32, 2: 32, 3: 28, 0: 12}  # columns of a strip at most, by channels
BANDED = 16  # in a band: a wider strip would hold more cells outside of it
SEVERAL = {1: 32, 2: 24, 3: 16, 0: 12}  # columns of a strip where a landmark takes several
SERIES_PER_WARP = 4
BORDER_BYTES = 256 << 20

BLOCK = np.dtype(
    [("values", "i8"), ("alone", "i8"), ("strips", "i4"), ("lanes", "i4"), ("first", "i4")],
    align=True,
)


def widths(channels: int, banded: bool) -> tuple[int, int]:
    """Columns of a strip at most, and where a landmark takes several."""
    kind = channels if channels <= TEMPLATED else 0
    most, several = REGISTERS[kind], SEVERAL[kind]
    return (min(BANDED, most), min(BANDED, most)) if banded else (most, several)


def blocks_of(lengths: Ints, most: int, several: int) -> dict[int, list[Ints]]:
    """Landmarks in blocks of a warp's lanes, of about one length, by columns of a strip.

    Parameters
    ----------
    lengths : ndarray of int
    most, several : int
        As `widths` returns them.

    Examples
    --------
    >>> blocks = blocks_of(np.array([3, 50, 5] * 20), 32, 16)
    >>> {columns: [len(block) for block in some] for columns, some in blocks.items()}
    {8: [32], 16: [28]}
    """
    order = np.argsort(lengths, kind="stable")
    blocks: dict[int, list[Ints]] = {}
    for start in range(0, len(order), LANES):
        members = order[start : start + LANES]
        longest = int(lengths[members[-1]])
        columns = -(-longest // 4) * 4 if longest <= most else several
        blocks.setdefault(columns, []).append(members)
    return blocks


def laid(
    values: Doubles, offsets: Ints, lengths: Ints, blocks: list[Ints], columns: int
) -> tuple[NDArray[np.float32], Ints]:
    """Lay steps out as [column][value][lane], block by block; 0 beyond a landmark's end.

    Returns them, and where each block begins.
    """
    parts, starts = [np.zeros(0, np.float32)], [0]
    for members in blocks:
        width = -(-int(lengths[members].max()) // columns) * columns
        block = np.zeros((width, values.shape[1], LANES), np.float32)
        for lane, member in enumerate(members):
            from_ = offsets[member + 1] - lengths[member]
            block[: lengths[member], :, lane] = values[from_ : offsets[member + 1]]
        parts.append(block.ravel())
        starts.append(starts[-1] + block.size)
    return np.concatenate(parts), np.array(starts[:-1], np.int64)


class Group:
    """Blocks of landmarks whose strips have one number of columns.

    Parameters
    ----------
    device : Device
    columns : int
        Of a strip.
    blocks : list of ndarray of int
        Numbers of the landmarks of each.
    values : ndarray of shape (steps, channels)
    offsets : ndarray of int
    lead : int, default=0
        Steps of origin before every landmark.
    """

    def __init__(
        self,
        device: Device,
        columns: int,
        blocks: list[Ints],
        values: Doubles,
        offsets: Ints,
        lead: int = 0,
    ) -> None:
        self.device, self.columns, self.blocks = device, columns, blocks
        self.channels = values.shape[1]
        self.offsets, self.lengths = offsets, np.diff(offsets) - lead
        self.members = np.concatenate(blocks)
        self.n_blocks = len(blocks)
        flat, starts = self._values(values, lead)
        alone = np.cumsum([0, *(self._width(members) * LANES for members in blocks)])
        firsts = np.cumsum([0, *map(len, blocks)])
        records = np.zeros(self.n_blocks, BLOCK)
        records["values"], records["alone"], records["first"] = starts, alone[:-1], firsts[:-1]
        records["lanes"] = [len(members) for members in blocks]
        records["strips"] = [self._width(members) // columns for members in blocks]
        self.strips = int(records["strips"].max())
        self.arrays = (
            device.upload(records.view(np.uint8)),
            device.upload(flat),
            device.upload(self.lengths[self.members].astype(np.int32)),
            device.upload(self.members.astype(np.int32)),
        )
        self.nbytes = sum(int(array.nbytes) for array in self.arrays)

    def _width(self, members: Ints) -> int:
        """Columns of a block, in whole strips."""
        return -(-int(self.lengths[members].max()) // self.columns) * self.columns

    def _values(self, values: Doubles, lead: int) -> tuple[NDArray[np.float32], Ints]:
        """Lay the values out; origins lie before the first column."""
        flat, starts = laid(values, self.offsets, self.lengths, self.blocks, self.columns)
        if not lead:
            return flat, starts
        origins = np.zeros((self.n_blocks, values.shape[1], LANES), np.float32)
        for block, members in zip(origins, self.blocks, strict=True):
            block[:, : len(members)] = values[self.offsets[members]].T
        size = origins[0].size
        parts = np.split(flat, starts[1:])
        joined = [
            x for both in zip(origins.reshape(self.n_blocks, -1), parts, strict=True) for x in both
        ]
        return np.concatenate(joined), starts + size * np.arange(1, self.n_blocks + 1)

    def alone(self, steps: Doubles) -> Any:
        """Upload numbers of the landmarks' steps, as their values lie."""
        flat, _ = laid(steps[:, None], self.offsets, self.lengths, self.blocks, self.columns)
        return self.device.upload(flat)

    def launch(
        self,
        source: str,
        kernel: str,
        defines: Defines,
        n: int,
        longest: int,
        before: tuple[Any, ...],
        after: tuple[Any, ...],
        out: Any,
        last: tuple[Any, ...] = (),
    ) -> None:
        """Run a kernel for n series, the longest of so many steps.

        `before` are the arguments up to the landmarks, `after` those up to the borders, `last`
        those after the result.
        """
        channels = self.channels if self.channels <= TEMPLATED else 0
        down = -(-n // (WARPS * SERIES_PER_WARP))
        border = longest if self.strips > 1 else 0
        if border:  # every warp in flight keeps one
            room = BORDER_BYTES // (self.n_blocks * WARPS * LANES * 4 * border)
            full = -(-16 * self.device.multiprocessors // self.n_blocks)
            down = min(down, max(1, min(room, full)))
        down = min(down, 65535)
        size = max(1, down * self.n_blocks * WARPS * LANES * border)
        borders = self.device.empty(size, np.float32)
        shape = {"LENGTH": self.columns, "CHANNELS": channels, "ROWS": 2 if channels else 4}
        defines = {**shape, "WARPS": WARPS, **defines}
        result = borders, np.int64(border), out, np.int64(out.shape[1]), *last
        given = (self.n_blocks, down), LANES * WARPS, 0, *before, *self.arrays, *after, *result
        self.device.launch(f"band+rules+warping+{source}", kernel, defines, *given)
