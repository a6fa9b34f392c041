"""Sets of vectors as the kernels of `tiled_sets.cu` take them: which share a tile, what is lost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..protocols import Doubles
from .device import Device, Ints
from .parts import fill, part_of, parts
from .unsure import loses

GROUP = 16  # sets that share a tile at most


class SetsOfVectors(ABC):
    """A plan whose rows are sets of vectors; a subclass has `values` of rows less the centre."""

    device: Device
    centre: Doubles
    n_landmarks: int
    d: int
    values64: Any
    arrays: tuple[Any, ...]

    @abstractmethod
    def values(self, vectors: Doubles, offsets: Ints) -> Any:
        """Return the values of sets, less the centre, as an array on the device."""

    @property
    def nbytes(self) -> int:
        """Bytes of the landmarks on the device."""
        return int(self.values64.nbytes) + sum(int(array.nbytes) for array in self.arrays)

    def run(self, values: NDArray[Any], offsets: Ints, out: NDArray[np.float32], stop: Any) -> None:
        """See `seamark.engine.kernels.KernelPlan`."""
        cut = parts(self.device, offsets, 4 * self.n_landmarks, 12 * self.d)

        def centred(part: slice) -> Any:
            vectors, own = part_of(values, offsets, part)
            return self.values(np.ascontiguousarray(vectors - self.centre), own)

        fill(self.device, cut, centred, out, stop)


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
