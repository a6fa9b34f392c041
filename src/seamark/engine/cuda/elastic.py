"""The elastic family on the device: rules of their own in the frame of dynamic time warping."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..protocols import Doubles
from .device import Device, Ints
from .parts import fill, part_of, parts
from .warping import Group, blocks_of, widths

RULES = {"wdtw": 0, "adtw": 1, "erp": 2, "edr": 3, "lcss": 4, "msm": 5, "twe": 6}
ROOTED = ("erp", "msm", "twe")
STEPPED = ("erp", "twe")
LEVELLED = ("edr", "lcss")
PADDING = 64  # weights of columns beyond a landmark's end, which nobody uses


class ElasticPlan:
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
        self.device, self.rule, self.gap = device, rule, gap
        self.first, self.second, self.lead = first, second, int(rule == "twe")
        self.steps, self.fraction = steps, -1.0 if fraction == 1.0 else fraction
        self.banded = self.steps >= 0 or self.fraction >= 0
        self.n_landmarks, self.channels = len(offsets) - 1, values.shape[1]
        lengths = np.diff(offsets) - self.lead
        self.longest = int(lengths.max(initial=1))
        most, several = widths(self.channels, self.banded)
        if rule in STEPPED:  # columns take more registers than DTW's
            most = min(most, several)
        self.groups = [
            Group(device, columns, blocks, values, offsets, self.lead)
            for columns, blocks in blocks_of(lengths, most, several).items()
        ]
        alone, sums = self._alone(values, offsets)
        levels = self._levels(values, offsets)
        none = device.upload(np.zeros(1, np.float32))
        self.after = []
        for group in self.groups:
            of_steps = (group.alone(alone), group.alone(sums)) if rule in STEPPED else (none, none)
            self.after.append((*of_steps, device.upload(levels[group.members])))

    @property
    def nbytes(self) -> int:
        """Bytes of the landmarks on the device."""
        of_steps = sum(int(array.nbytes) for arrays in self.after for array in arrays)
        return of_steps + sum(group.nbytes for group in self.groups)

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

    def values(self, values: Doubles, offsets: Ints) -> Any:
        """Return the path costs of series as an array on the device."""
        n = len(offsets) - 1
        out = self.device.empty((n, self.n_landmarks), np.float32)
        if n == 0 or self.n_landmarks == 0:
            return out
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
        return out

    def run(self, values: Doubles, offsets: Ints, out: NDArray[np.float32], stop: Any) -> None:
        """See `seamark.engine.kernels.KernelPlan`."""
        cut = parts(self.device, offsets, 4 * self.n_landmarks, 4 * self.channels + 8)
        fill(self.device, cut, lambda p: self.values(*part_of(values, offsets, p)), out, stop)
