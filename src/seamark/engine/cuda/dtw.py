"""Dynamic time warping on the device: landmarks in lanes, strips of columns in registers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .device import Device
from .parts import fill, part_of, parts
from .unsure import SURE, Unsure, noted, sizes_of

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

LANES = 32
WARPS = 4
TEMPLATED = 3  # channels up to which a landmark lies in registers
REGISTERS = {1: 32, 2: 32, 3: 28, 0: 12}  # columns of a strip at most, by channels
BANDED = 16  # in a band: a wider strip would hold more cells outside of it
SEVERAL = {1: 32, 2: 24, 3: 16, 0: 12}  # columns of a strip where a landmark takes several
SERIES_PER_WARP = 4
BORDER_BYTES = 256 << 20

BLOCK = np.dtype([("values", "i8"), ("strips", "i4"), ("lanes", "i4"), ("first", "i4")], align=True)


class DTWPlan:
    """Landmark series on the device.

    Parameters
    ----------
    device : Device
    values, offsets, steps, fraction, euclidean
        As in `seamark.engine.kernels.Backend`.
    """

    def __init__(
        self,
        device: Device,
        values: Doubles,
        offsets: Ints,
        steps: int,
        fraction: float,
        euclidean: bool,
    ) -> None:
        self.device = device
        self.steps, self.euclidean = steps, euclidean
        self.fraction = -1.0 if fraction == 1.0 else fraction  # the whole matrix
        self.banded = self.steps >= 0 or self.fraction >= 0
        self.n_landmarks, self.channels = len(offsets) - 1, values.shape[1]
        self.values64, self.offsets64 = device.upload(values), device.upload(offsets)
        self.longest = int(np.diff(offsets).max(initial=1))
        self.groups = [
            _Group(self, length, blocks, values, offsets)
            for length, blocks in _blocks(np.diff(offsets), self.channels, self.banded).items()
        ]

    @property
    def nbytes(self) -> int:
        """Bytes of the landmarks on the device."""
        return int(self.values64.nbytes) + sum(group.nbytes for group in self.groups)

    def values(self, values: Doubles, offsets: Ints) -> Any:
        """Return the path costs of series as an array on the device."""
        n = len(offsets) - 1
        out = self.device.empty((n, self.n_landmarks), np.float32)
        if n == 0 or self.n_landmarks == 0:
            return out
        narrow = self.device.upload(values.astype(np.float32))
        where = self.device.upload(offsets)
        sizes = self.device.upload(sizes_of(values, offsets))
        longest = int(np.diff(offsets).max())

        def launch(unsure: Unsure) -> None:
            for group in self.groups:
                group.launch(narrow, where, sizes, longest, out, unsure)

        pairs = noted(self.device, n * self.n_landmarks, launch)
        if len(pairs):
            self._again(values, where, pairs, out)
        return out

    def _again(self, values: Doubles, offsets: Any, pairs: Any, out: Any) -> None:
        blocks = min(-(-len(pairs) // 64), 8 * self.device.multiprocessors)
        rows = self.device.empty(self.longest * blocks * 64, np.float64)
        self.device.launch(
            "band+dtw_again",
            "dtw_again",
            {},
            (blocks, 1),
            64,
            0,
            self.device.upload(values),
            offsets,
            self.values64,
            self.offsets64,
            self.channels,
            self.steps,
            np.float64(self.fraction),
            int(self.banded),
            int(self.euclidean),
            pairs,
            len(pairs),
            rows,
            out,
            np.int64(self.n_landmarks),
        )

    def run(self, values: Doubles, offsets: Ints, out: NDArray[np.float32], stop: Any) -> None:
        """See `seamark.engine.kernels.KernelPlan`."""
        per_step = 12 * self.channels
        cut = parts(self.device, offsets, 4 * self.n_landmarks, per_step)
        fill(self.device, cut, lambda p: self.values(*part_of(values, offsets, p)), out, stop)


def _blocks(lengths: Ints, channels: int, banded: bool) -> dict[int, list[Ints]]:
    """Landmarks in blocks of a warp's lanes, of about one length, by columns of a strip."""
    order = np.argsort(lengths, kind="stable")
    kind = channels if channels <= TEMPLATED else 0
    most, several = REGISTERS[kind], SEVERAL[kind]
    if banded:
        most = several = min(BANDED, most)
    blocks: dict[int, list[Ints]] = {}
    for start in range(0, len(order), LANES):
        members = order[start : start + LANES]
        longest = int(lengths[members[-1]])
        columns = -(-longest // 4) * 4 if longest <= most else several
        blocks.setdefault(columns, []).append(members)
    return blocks


class _Group:
    """Blocks of landmarks whose strips have one number of columns."""

    def __init__(
        self, plan: DTWPlan, columns: int, blocks: list[Ints], values: Doubles, offsets: Ints
    ) -> None:
        self.plan, self.columns = plan, columns
        lengths = np.diff(offsets)
        records, laid, first, start = [], [], 0, 0
        for members in blocks:
            strips = -(-int(lengths[members].max()) // columns)
            block = np.zeros((strips * columns, plan.channels, LANES), np.float32)
            for lane, member in enumerate(members):
                landmark = values[offsets[member] : offsets[member + 1]]
                block[: len(landmark), :, lane] = landmark
            records.append((start, strips, len(members), first))
            laid.append(block.ravel())
            first, start = first + len(members), start + block.size
        self.n_blocks = len(blocks)
        self.strips = max(record[1] for record in records)
        members = np.concatenate(blocks)
        sizes = sizes_of(values, offsets)[members]
        upload = plan.device.upload
        self.arrays = (
            upload(np.array(records, BLOCK).view(np.uint8)),
            upload(np.concatenate(laid)),
            upload(lengths[members].astype(np.int32)),
            upload(members.astype(np.int32)),
            upload(sizes),
        )
        self.nbytes = sum(int(array.nbytes) for array in self.arrays)

    def launch(
        self, x: Any, offsets: Any, sizes: Any, longest: int, out: Any, unsure: Unsure
    ) -> None:
        """Fill the columns of these landmarks."""
        plan, n = self.plan, len(offsets) - 1
        channels = plan.channels if plan.channels <= TEMPLATED else 0
        down = -(-n // (WARPS * SERIES_PER_WARP))
        border = longest if self.strips > 1 else 0
        if border:  # every warp in flight keeps one
            room = BORDER_BYTES // (self.n_blocks * WARPS * LANES * 4 * border)
            full = -(-16 * plan.device.multiprocessors // self.n_blocks)
            down = min(down, max(1, min(room, full)))
        down = min(down, 65535)
        borders = plan.device.empty(
            max(1, down * self.n_blocks * WARPS * LANES * border), np.float32
        )
        plan.device.launch(
            "band+dtw",
            "dtw",
            {
                "LENGTH": self.columns,
                "CHANNELS": channels,
                "ROWS": 2 if channels else 4,
                "ROOTED": int(plan.euclidean),
                "BANDED": int(plan.banded),
                "WARPS": WARPS,
            },
            (self.n_blocks, down),
            LANES * WARPS,
            0,
            x,
            offsets,
            sizes,
            np.int64(n),
            plan.channels,
            plan.steps,
            np.float64(plan.fraction),
            np.float32(SURE),
            *self.arrays,
            borders,
            np.int64(border),
            out,
            np.int64(plan.n_landmarks),
            *unsure.arguments,
        )
