"""Nearest distances between sets of vectors on the device, by tiles of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..protocols import Doubles
from .device import Device, Ints
from .tiled_sets import GROUP, SetsOfVectors, groups_of, lossy
from .tiles import COLUMNS, ROWS, SETS, THREADS, narrow, narrow_width
from .unsure import SURE, Unsure, noted

VALUES = {"larger_mean": 0, "largest": 1, "sum_of_means": 2}
FIXED_BYTES = SETS.nbytes + 4 * (2 * GROUP * GROUP + ROWS * (COLUMNS + 1) + ROWS * GROUP)


class SetsPlan(SetsOfVectors):
    """Landmark sets on the device.

    Parameters
    ----------
    device : Device
    values, offsets, centre, value
        As in `seamark.engine.kernels.Backend`.
    """

    def __init__(
        self, device: Device, values: Doubles, offsets: Ints, centre: Doubles, value: str
    ) -> None:
        self.device, self.centre = device, centre
        self.n_landmarks, self.d = len(offsets) - 1, values.shape[1]
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

    def values(self, vectors: Doubles, offsets: Ints) -> Any:
        """Return the values of sets, less the centre, as an array on the device."""
        n, R = len(offsets) - 1, self.n_landmarks
        out = self.device.empty((n, R), np.float32)
        if n == 0 or R == 0:
            return out
        groups, where = groups_of(offsets, ROWS), self.device.upload(offsets)
        sets = self.device.upload(narrow(vectors)), where, self.device.upload(groups), len(groups)
        rows = *sets, self.device.upload(lossy(vectors, offsets))
        grid = self.n_groups, min(len(groups), 65535)

        def launch(unsure: Unsure) -> None:
            given = *rows, *self.arrays, narrow_width(self.d), out, np.int64(R), *unsure.arguments
            self._launch("sets", grid, THREADS, self.shared, *given)

        pairs = noted(self.device, n * R, launch)
        if len(pairs):
            grid = min(-(-len(pairs) // 64), 65535), 1
            again = self.device.upload(vectors), where, self.values64, self.offsets, self.d
            self._launch("sets_again", grid, 64, 0, *again, pairs, len(pairs), out, np.int64(R))
        return out

    def _launch(self, kernel: str, grid: tuple[int, int], *rest: Any) -> None:
        self.device.launch("tiles+tiled_sets+sets", kernel, self.defines, grid, *rest)
