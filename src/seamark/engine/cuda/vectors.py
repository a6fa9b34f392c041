"""Vectors on the device: sums of absolute differences, sets of vectors and their members."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..plan import Doubles
from .device import Device, DevicePlan, Ints
from .series import SURE, loses, noted

COLUMNS, THREADS = 128, 256
RUN = 512  # coordinates that are summed up in float32 at a time


@dataclass(frozen=True)
class Tile:
    """A shape of tiles.

    Parameters
    ----------
    down : {4, 8}
        Rows of sums to a thread.
    depth : int
        Coordinates in shared memory at a time.
    inner : int
        Of these unrolled.
    at_once : int
        Blocks that are to fit a multiprocessor: registers are shared out accordingly.
    """

    down: int
    depth: int
    inner: int
    at_once: int

    @property
    def rows(self) -> int:
        """Rows of a tile."""
        return 16 * self.down

    @property
    def nbytes(self) -> int:
        """Bytes of shared memory for the coordinates of a tile."""
        return 4 * self.depth * (self.rows + 4 + COLUMNS + 4)

    def defines(self, squared: bool, d: int) -> dict[str, int]:
        """Return what `tiles.cu` is to be compiled with, for rows of d coordinates."""
        shape = {"DOWN": self.down, "DEPTH": self.depth, "INNER": self.inner}
        sums = {"SQUARED": int(squared), "ONE_RUN": int(d <= RUN)}
        return {**shape, **sums, "AT_ONCE": self.at_once}


SETS = Tile(down=4, depth=16, inner=16, at_once=3)
ROWS = SETS.rows


def narrow_width(d: int) -> int:
    """Return the coordinates of a narrowed row."""
    return -(-d // 4) * 4


def narrow(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return rows in float32, with zeros up to a multiple of four coordinates.

    Examples
    --------
    >>> narrow(np.ones((1, 3)))
    array([[1., 1., 1., 0.]], dtype=float32)
    """
    n, d = rows.shape
    if d % 4 == 0:
        return rows.astype(np.float32)
    out = np.zeros((n, narrow_width(d)), np.float32)
    out[:, :d] = rows
    return out


# Manhattan distances on the device, by tiles of rows and landmarks.


TILE = Tile(down=4, depth=16, inner=16, at_once=3)


class ManhattanPlan(DevicePlan):
    """Landmark rows on the device.

    Parameters
    ----------
    device : Device
    L : ndarray of shape (R, d)
    """

    def __init__(self, device: Device, L: Doubles) -> None:
        self.device = device
        self.n_landmarks, self.d = L.shape
        self.per_item = 12 * self.d
        self.L64 = device.upload(L)
        self.L = device.upload(narrow(L))
        limits = _limits(L)
        self.limits, self.highest = device.upload(limits), float(limits.max(initial=0.0))

    def put(self, X: Doubles, offsets: Ints, out: Any) -> None:
        """See `DevicePlan`; every row is one item."""
        n, R = len(X), self.n_landmarks
        x_limits = _limits(X)
        x, limits = self.device.upload(narrow(X)), self.device.upload(x_limits)
        highest = np.float32(1.001 * (float(x_limits.max()) + self.highest))
        grid = -(-n // TILE.rows), -(-R // COLUMNS)
        given = x, np.int64(n), self.L, R, narrow_width(self.d), limits, self.limits, highest, out

        run, defines = partial(self.device.launch, "tiles+manhattan"), TILE.defines(False, self.d)

        def launch(unsure: tuple[Any, ...]) -> None:
            run("manhattan", defines, grid, THREADS, TILE.nbytes, *given, *unsure)

        pairs = noted(self.device, n * R, launch)
        if len(pairs):
            few = min(-(-len(pairs) // THREADS), 65535), 1
            again = self.device.upload(X), self.L64, R, self.d, pairs, len(pairs), out
            run("manhattan_again", defines, few, THREADS, 0, *again)


def _limits(rows: Doubles) -> NDArray[np.float32]:
    """What a distance must exceed, with that of the other row, to be sure in float32."""
    narrow = rows.astype(np.float32)
    return np.asarray(SURE * np.where(narrow != rows, np.abs(narrow), 0).sum(axis=1), np.float32)


# Sets of vectors as the kernels of `tiled_sets.cu` take them: which share a tile, what is lost.


GROUP = 16  # sets that share a tile at most


class SetsOfVectors(DevicePlan):
    """A plan whose rows are sets of vectors, of which the `centre` is taken off.

    A subclass has the kernel's name, sources and defines, and its landmarks laid out: how many
    groups they are in, and what the kernels are given beside rows.
    """

    kernel: ClassVar[str]
    sources: ClassVar[str]
    defines: dict[str, int]
    centre: Doubles
    d: int
    shared: int
    n_groups: int
    values64: Any
    arrays: tuple[Any, ...]

    @abstractmethod
    def arguments(self, out: Any) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]:
        """What follows the landmarks; and what is given before and after pairs done again."""

    def put(self, vectors: NDArray[Any], offsets: Ints, out: Any) -> None:
        """See `DevicePlan`."""
        vectors = np.ascontiguousarray(vectors - self.centre)
        groups, where = groups_of(offsets, ROWS), self.device.upload(offsets)
        rows = self.device.upload(narrow(vectors)), where, self.device.upload(groups), len(groups)
        lossy_rows = self.device.upload(lossy(vectors, offsets))
        down = min(len(groups), 65535)
        following, before, after = self.arguments(out)

        def launch(unsure: tuple[Any, ...]) -> None:
            given = *rows, lossy_rows, *self.arrays, *following, *unsure
            shape = (self.n_groups, down), THREADS, self.shared
            self.device.launch(self.sources, self.kernel, self.defines, *shape, *given)

        pairs = noted(self.device, out.size, launch)
        if len(pairs):
            shape = (min(-(-len(pairs) // 64), 65535), 1), 64, 0
            again = self.device.upload(vectors), where, self.values64, *before, self.d
            given = *again, pairs, len(pairs), out, *after
            self.device.launch(self.sources, f"{self.kernel}_again", self.defines, *shape, *given)


def lossy(values: Doubles, offsets: Ints) -> NDArray[np.uint8]:
    """Whether float32 loses anything of each set."""
    if len(offsets) == 1:
        return np.zeros(0, np.uint8)
    return np.logical_or.reduceat(loses(values).any(axis=1), offsets[:-1]).astype(np.uint8)


def groups_of(offsets: Ints, tile: int) -> NDArray[np.int32]:
    """First set and number of sets that share a tile; one alone that is larger than a tile."""
    groups, start, n = [], 0, len(offsets) - 1
    ends = np.minimum(
        np.searchsorted(offsets, offsets + tile, side="right") - 1, np.arange(n + 1) + GROUP
    ).tolist()
    while start < n:
        end = max(start + 1, min(n, ends[start]))
        groups.append((start, end - start))
        start = end
    return np.array(groups, np.int32).reshape(-1, 2)


# Nearest distances between sets of vectors on the device, by tiles of vectors.


VALUES = {"larger_mean": 0, "largest": 1, "sum_of_means": 2}
FIXED_BYTES = SETS.nbytes + 4 * (2 * GROUP * GROUP + ROWS * (COLUMNS + 1) + ROWS * GROUP)


class SetsPlan(SetsOfVectors):
    """Landmark sets on the device.

    Parameters
    ----------
    device : Device
    values, offsets, centre, value
        As in `seamark.engine.backends.Backend`.
    """

    kernel: ClassVar[str] = "sets"
    sources: ClassVar[str] = "tiles+tiled_sets+sets"

    def __init__(
        self, device: Device, values: Doubles, offsets: Ints, centre: Doubles, value: str
    ) -> None:
        self.device, self.centre = device, centre
        self.n_landmarks, self.d = len(offsets) - 1, values.shape[1]
        self.per_item = 12 * self.d
        self.defines = {**SETS.defines(True, self.d), "VALUE": VALUES[value]}
        groups, lengths = groups_of(offsets, COLUMNS), np.diff(offsets)
        self.n_groups = len(groups)
        self.shared = FIXED_BYTES + 4 * max(GROUP * COLUMNS, int(lengths.max(initial=0)))
        if self.shared > device.shared_bytes:
            raise ValueError(
                f"landmark {int(lengths.argmax())} has {lengths.max()} vectors, more than the GPU "
                "can hold at a time; use the CPU for landmarks of that size."
            )
        # A vector is no longer than its nearest and their distance: the landmark's size stands
        # for the object's too.
        terms = 4.0 if value == "sum_of_means" else 2.0
        squares = np.einsum("ij,ij->i", values, values)
        sizes = np.sqrt(np.maximum.reduceat(squares, offsets[:-1])) if self.n_landmarks else squares
        self.values64, self.offsets = device.upload(values), device.upload(offsets)
        self.arrays = (
            device.upload(narrow(values)),
            self.offsets,
            device.upload(groups),
            device.upload(lossy(values, offsets)),
            device.upload((terms * SURE * sizes).astype(np.float32)),
        )

    def arguments(self, out: Any) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]:
        """See `SetsOfVectors`."""
        R = np.int64(self.n_landmarks)
        return (narrow_width(self.d), out, R), (self.offsets,), (R,)


# Smallest distances of vectors to the members of sets on the device, by tiles of vectors.


SHARED = SETS.nbytes + 4 * (ROWS * (COLUMNS + 1) + GROUP * COLUMNS)


class MembersPlan(SetsOfVectors):
    """Landmark vectors on the device.

    Parameters
    ----------
    device : Device
    values, centre
        As in `seamark.engine.backends.Backend`.
    """

    kernel: ClassVar[str] = "members"
    sources: ClassVar[str] = "tiles+tiled_sets+members"
    shared = SHARED

    def __init__(self, device: Device, values: Doubles, centre: Doubles) -> None:
        self.device, self.centre = device, centre
        self.n_landmarks, self.d = values.shape
        self.per_item = 12 * self.d
        self.defines = SETS.defines(True, self.d)
        self.n_groups = -(-self.n_landmarks // COLUMNS)
        # The nearest member is no longer than the landmark and their distance.
        sizes = np.sqrt(np.einsum("ij,ij->i", values, values))
        self.values64 = device.upload(values)
        self.arrays = (
            device.upload(narrow(values)),
            device.upload(np.asarray(loses(values).any(axis=1), np.uint8)),
            device.upload((2.0 * SURE * sizes).astype(np.float32)),
        )

    def arguments(self, out: Any) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]:
        """See `SetsOfVectors`."""
        R = self.n_landmarks
        return (R, narrow_width(self.d), out), (R,), ()
