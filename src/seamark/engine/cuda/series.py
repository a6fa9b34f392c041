"""Series on the device: time warping and other elastic measures, unsure pairs in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..plan import Doubles
from .device import Defines, Device, DevicePlan, Ints

SURE = 1e-3
NOTED_PAIRS = 1 << 20  # pairs noted at first, to be computed again in float64
BORDER_BYTES = 256 << 20  # of borders that warps keep between strips of series
"""A value below this share of its objects' sizes is computed again, as the CPU's kernels do."""


def loses(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which numbers float32 does not hold."""
    with np.errstate(over="ignore"):
        return np.asarray(values.astype(np.float32) != values)


def sizes_of(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float32]:
    """Length of the longest vector of each object; 0 if float32 loses nothing of the object.

    Examples
    --------
    >>> values = np.array([[3.0, 4.0], [0.0, 1.0], [0.1, 0.0]])
    >>> sizes_of(values, np.array([0, 2, 3]))
    array([0. , 0.1], dtype=float32)
    """
    if len(offsets) == 1:
        return np.zeros(0, np.float32)
    squares = np.einsum("ij,ij->i", values, values)
    lossy = loses(values).any(axis=1)
    starts = offsets[:-1]
    sizes = np.sqrt(np.maximum.reduceat(squares, starts))
    return np.where(np.logical_or.reduceat(lossy, starts), sizes, 0.0).astype(np.float32)


def noted(device: Device, most: int, launch: Callable[[tuple[Any, ...]], None]) -> Any:
    """Run kernels, and return the pairs they were not sure of, on the device.

    Parameters
    ----------
    device : Device
    most : int
        Pairs there are.
    launch : callable
        ``launch(unsure)`` runs the kernels, which are given a counter, and a list with room for so
        many pairs, as row · landmarks + landmark; once more, if the list was too short.
    """
    room, count = max(1, min(most, NOTED_PAIRS)), np.zeros(1, np.int32)
    while True:
        counter, pairs = device.upload(np.zeros(1, np.int32)), device.empty(room, np.int64)
        launch((counter, pairs, room))
        device.download(counter, count)
        if count[0] <= room:
            return pairs[: int(count[0])]
        room = int(count[0])


# Landmark series in the lanes of warps, as the kernels of `warping.cu` take them.


LANES = 32
WARPS = 4
TEMPLATED = 3  # channels up to which a landmark lies in registers
REGISTERS = {1: 32, 2: 32, 3: 28, 0: 12}  # columns of a strip at most, by channels
BANDED = 16  # in a band: a wider strip would hold more cells outside of it
SEVERAL = {1: 32, 2: 24, 3: 16, 0: 12}  # columns of a strip where a landmark takes several
SERIES_PER_WARP = 4

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


# Dynamic time warping on the device: landmarks in lanes, strips of columns in registers.


RULE = 7  # of `rules.cu`


class SeriesPlan(DevicePlan):
    """Landmark series on the device, in groups.

    Parameters
    ----------
    device : Device
    values, offsets, steps, fraction
        As in `seamark.engine.backends.Backend`.
    lead : int
        Steps of origin before every landmark.
    narrow : bool
        Whether strips are as narrow as where a landmark takes several.
    """

    def __init__(
        self,
        device: Device,
        values: Doubles,
        offsets: Ints,
        steps: int,
        fraction: float,
        lead: int = 0,
        narrow: bool = False,
    ) -> None:
        self.device, self.lead = device, lead
        self.steps = steps
        self.fraction = -1.0 if fraction == 1.0 else fraction  # the whole matrix
        self.banded = self.steps >= 0 or self.fraction >= 0
        self.n_landmarks, self.channels = len(offsets) - 1, values.shape[1]
        lengths = np.diff(offsets) - lead
        self.longest = int(lengths.max(initial=1))
        most, several = widths(self.channels, self.banded)
        blocks = blocks_of(lengths, min(most, several) if narrow else most, several)
        self.groups = [
            Group(device, columns, some, values, offsets, lead) for columns, some in blocks.items()
        ]


class DTWPlan(SeriesPlan):
    """Landmark series on the device.

    Parameters
    ----------
    device : Device
    values, offsets, steps, fraction, euclidean
        As in `seamark.engine.backends.Backend`.
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
        super().__init__(device, values, offsets, steps, fraction)
        self.euclidean, self.per_item = euclidean, 12 * self.channels
        self.values64, self.offsets64 = device.upload(values), device.upload(offsets)
        sizes = sizes_of(values, offsets)
        self.sizes = [device.upload(sizes[group.members]) for group in self.groups]

    def put(self, values: Doubles, offsets: Ints, out: Any) -> None:
        """See `DevicePlan`."""
        n = len(offsets) - 1
        narrow = self.device.upload(values.astype(np.float32))
        where = self.device.upload(offsets)
        sizes = self.device.upload(sizes_of(values, offsets))
        longest = int(np.diff(offsets).max())

        band = self.steps, np.float64(self.fraction), np.float32(SURE)
        before = narrow, where, sizes, np.int64(n), self.channels, *band
        rooted = int(self.euclidean)
        defines = {"RULE": RULE, "ROOTED": rooted, "BANDED": int(self.banded)}

        def launch(unsure: tuple[Any, ...]) -> None:
            for group, own in zip(self.groups, self.sizes, strict=True):
                group.launch("dtw", "dtw", defines, n, longest, before, (own,), out, unsure)

        pairs = noted(self.device, n * self.n_landmarks, launch)
        if not len(pairs):
            return
        blocks = min(-(-len(pairs) // 64), 8 * self.device.multiprocessors)
        rows = self.device.empty(self.longest * blocks * 64, np.float64)
        series = self.device.upload(values), where, self.values64, self.offsets64, self.channels
        rule = self.steps, np.float64(self.fraction), int(self.banded), int(self.euclidean)
        given = *series, *rule, pairs, len(pairs), rows, out, np.int64(self.n_landmarks)
        self.device.launch("band+dtw_again", "dtw_again", {}, (blocks, 1), 64, 0, *given)


# The elastic family on the device: rules of their own in the frame of dynamic time warping.


RULES = {"wdtw": 0, "adtw": 1, "erp": 2, "edr": 3, "lcss": 4, "msm": 5, "twe": 6}
ROOTED = ("erp", "msm", "twe")
STEPPED = ("erp", "twe")
LEVELLED = ("edr", "lcss")
PADDING = 64  # weights of columns beyond a landmark's end, which nobody uses


class ElasticPlan(SeriesPlan):
    """Landmark series on the device.

    Parameters
    ----------
    device : Device
    values, offsets, steps, fraction, rule, first, second, gap
        As in `seamark.engine.reference.ElasticPlan`.
    """

    def __init__(
        self,
        device: Device,
        values: Doubles,
        offsets: Ints,
        steps: int,
        fraction: float,
        rule: str,
        first: float,
        second: float,
        gap: Doubles,
    ) -> None:
        # Columns of steps that cost something alone take more registers than DTW's.
        lead, narrow = int(rule == "twe"), rule in STEPPED
        super().__init__(device, values, offsets, steps, fraction, lead, narrow)
        self.rule, self.gap, self.first, self.second = rule, gap, first, second
        self.per_item = 4 * self.channels + 8
        alone, sums = self._alone(values, offsets)
        levels = self._levels(values, offsets)
        none = device.upload(np.zeros(1, np.float32))
        self.after = []
        for group in self.groups:
            of_steps = (group.alone(alone), group.alone(sums)) if rule in STEPPED else (none, none)
            self.after.append((*of_steps, device.upload(levels[group.members])))

    def _alone(self, values: Doubles, offsets: Ints) -> tuple[Doubles, Doubles]:
        """Cost of each step in one series alone, and their sums from the series' first on."""
        if self.rule not in STEPPED:
            return np.zeros(1), np.zeros(1)
        if self.rule == "erp":
            alone = np.linalg.norm(values - self.gap, axis=1)
        else:
            alone = np.linalg.norm(np.diff(values, axis=0, prepend=values[:1]), axis=1)
            alone += self.first + self.second
        sums = np.cumsum(alone, dtype=np.longdouble)
        before = np.repeat(sums[offsets[:-1]] - alone[offsets[:-1]], np.diff(offsets))
        return alone, (sums - before).astype(np.float64)

    def _levels(self, values: Doubles, offsets: Ints) -> NDArray[np.float32]:
        """Square of the largest distance at which steps match, of each series."""
        n = len(offsets) - 1
        if self.rule not in LEVELLED or n == 0:
            return np.zeros(max(n, 1), np.float32)
        if self.first >= 0:
            return np.full(n, self.first**2, np.float32)
        counts = np.diff(offsets) * values.shape[1]
        means = np.add.reduceat(values.sum(axis=1), offsets[:-1]) / counts
        centred = values - np.repeat(means, np.diff(offsets))[:, None]
        squares = np.add.reduceat(np.einsum("ij,ij->i", centred, centred), offsets[:-1])
        return np.asarray((np.sqrt(squares / counts) / 4.0) ** 2, np.float32)

    def _weights(self, longest: int) -> tuple[Any, int]:
        """Logistic weights of 2 |i − j| less the longer length, and the number of the first."""
        if self.rule != "wdtw":
            return self.device.upload(np.zeros(1, np.float32)), 0
        most = max(longest, self.longest)
        halves = np.arange(-most, 2 * (most + PADDING))
        with np.errstate(over="ignore"):  # a weight of 0
            weights = 1.0 / (1.0 + np.exp(-0.5 * self.first * halves))
        return self.device.upload(weights.astype(np.float32)), most

    def put(self, values: Doubles, offsets: Ints, out: Any) -> None:
        """See `DevicePlan`."""
        n = len(offsets) - 1
        upload, longest = self.device.upload, int(np.diff(offsets).max())
        rows = upload(values.astype(np.float32)), upload(offsets), np.int64(n), self.channels
        number = 2.0 * self.first if self.rule == "twe" else self.first
        band = self.lead, self.steps, np.float64(self.fraction), np.float32(number)
        alone = (upload(steps.astype(np.float32)) for steps in self._alone(values, offsets))
        levels = upload(self._levels(values, offsets))
        before = *rows, *band, *alone, levels, *self._weights(longest)
        rooted = int(self.rule in ROOTED)
        defines = {"RULE": RULES[self.rule], "ROOTED": rooted, "BANDED": int(self.banded)}
        for group, after in zip(self.groups, self.after, strict=True):
            group.launch("elastic", "elastic", defines, n, longest, before, after, out)
