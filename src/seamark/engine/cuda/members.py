"""Smallest distances of vectors to the members of sets on the device, by tiles of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..protocols import Doubles
from .device import Device, Ints
from .tiled_sets import GROUP, SetsOfVectors, groups_of, lossy
from .tiles import COLUMNS, ROWS, SETS, THREADS, narrow, narrow_width
from .unsure import SURE, Unsure, loses, noted

SHARED = SETS.nbytes + 4 * (ROWS * (COLUMNS + 1) + GROUP * COLUMNS)
SOURCE = "tiles+tiled_sets+members"


class MembersPlan(SetsOfVectors):
    """Landmark vectors on the device.

    Parameters
    ----------
    device : Device
    values, centre
        As in `seamark.engine.kernels.Backend`.
    """

    def __init__(self, device: Device, values: Doubles, centre: Doubles) -> None:
        self.device, self.centre = device, centre
        self.n_landmarks, self.d = values.shape
        # The nearest member is no longer than the landmark and their distance.
        sizes = np.sqrt(np.einsum("ij,ij->i", values, values))
        self.values64 = device.upload(values)
        self.arrays = (
            device.upload(narrow(values)),
            device.upload(np.asarray(loses(values).any(axis=1), np.uint8)),
            device.upload((2.0 * SURE * sizes).astype(np.float32)),
        )

    def values(self, vectors: Doubles, offsets: Ints) -> Any:
        """Return the distances of sets, less the centre, as an array on the device."""
        n, R = len(offsets) - 1, self.n_landmarks
        out = self.device.empty((n, R), np.float32)
        if n == 0 or R == 0:
            return out
        groups, where = groups_of(offsets, ROWS), self.device.upload(offsets)
        sets = self.device.upload(narrow(vectors)), where, self.device.upload(groups), len(groups)
        rows = *sets, self.device.upload(lossy(vectors, offsets))
        grid = -(-R // COLUMNS), min(len(groups), 65535)

        def launch(unsure: Unsure) -> None:
            given = *rows, *self.arrays, R, narrow_width(self.d), out, *unsure.arguments
            self._launch("members", grid, THREADS, SHARED, *given)

        pairs = noted(self.device, n * R, launch)
        if len(pairs):
            grid = min(-(-len(pairs) // 64), 65535), 1
            again = self.device.upload(vectors), where, self.values64, R, self.d, pairs, len(pairs)
            self._launch("members_again", grid, 64, 0, *again, out)
        return out

    def _launch(self, kernel: str, grid: tuple[int, int], *rest: Any) -> None:
        self.device.launch(SOURCE, kernel, SETS.defines(True, self.d), grid, *rest)
