"""Dynamic time warping on the device: landmarks in lanes, strips of columns in registers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..protocols import Doubles
from .device import Device, Ints
from .parts import fill, part_of, parts
from .unsure import SURE, Unsure, noted, sizes_of
from .warping import Group, blocks_of, widths

RULE = 7  # of `rules.cu`


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
        blocks = blocks_of(np.diff(offsets), *widths(self.channels, self.banded))
        self.groups = [
            Group(device, columns, some, values, offsets) for columns, some in blocks.items()
        ]
        sizes = sizes_of(values, offsets)
        self.sizes = [device.upload(sizes[group.members]) for group in self.groups]

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

        band = self.steps, np.float64(self.fraction), np.float32(SURE)
        before = narrow, where, sizes, np.int64(n), self.channels, *band
        rooted = int(self.euclidean)
        defines = {"RULE": RULE, "ROOTED": rooted, "BANDED": int(self.banded)}

        def launch(unsure: Unsure) -> None:
            for group, own in zip(self.groups, self.sizes, strict=True):
                given = n, longest, before, (own,), out, unsure.arguments
                group.launch("dtw", "dtw", defines, *given)

        pairs = noted(self.device, n * self.n_landmarks, launch)
        if len(pairs):
            self._again(values, where, pairs, out)
        return out

    def _again(self, values: Doubles, offsets: Any, pairs: Any, out: Any) -> None:
        blocks = min(-(-len(pairs) // 64), 8 * self.device.multiprocessors)
        rows = self.device.empty(self.longest * blocks * 64, np.float64)
        series = self.device.upload(values), offsets, self.values64, self.offsets64, self.channels
        rule = self.steps, np.float64(self.fraction), int(self.banded), int(self.euclidean)
        given = *series, *rule, pairs, len(pairs), rows, out, np.int64(self.n_landmarks)
        self.device.launch("band+dtw_again", "dtw_again", {}, (blocks, 1), 64, 0, *given)

    def run(self, values: Doubles, offsets: Ints, out: NDArray[np.float32], stop: Any) -> None:
        """See `seamark.engine.kernels.KernelPlan`."""
        per_step = 12 * self.channels
        cut = parts(self.device, offsets, 4 * self.n_landmarks, per_step)
        fill(self.device, cut, lambda p: self.values(*part_of(values, offsets, p)), out, stop)
