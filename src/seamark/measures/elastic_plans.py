"""Plans of the elastic family: series made ready for the kernels, and costs made values."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Ragged
from .centre import Magnified, centre_of
from .prepared import PlanAround
from .series import (
    CELL_SECONDS,
    CHANNEL_SECONDS,
    DTW,
    band_numbers,
    cells,
    reject_infinite,
    require_paths,
)

SLOWER = 3.0  # than a cell of DTW


class Rule(Protocol):
    """What a plan asks a measure."""

    name: Any
    window: Any

    def numbers(self) -> tuple[float, float]:
        """Numbers of the kernel's rule."""

    def finished(self, out: NDArray[np.float32], X: Ragged, lengths: NDArray[np.int64]) -> None:
        """Turn costs of paths into values, in place."""


class PathCosts(engine.Plan):
    """Costs of paths between series and landmarks, by the rule of a measure."""

    def __init__(self, measure: Rule, L: Ragged) -> None:
        self.measure = measure
        self.n_landmarks = len(L)
        self.lengths = L.lengths
        kernels = engine.backend()
        self.slowness = kernels.slowness
        # One for all channels: a threshold may come of the deviation of all values together.
        self.centre = centre_of(L.flat.reshape(-1, 1))
        gap = np.full(L.values.shape[1], getattr(measure, "g", 0.0) - self.centre)
        fixed = (*band_numbers(measure.window), measure.name, *measure.numbers())

        def make(values: Any, offsets: Any, centre: float, unit: float) -> engine.KernelPlan:
            return kernels.elastic(values, offsets, *fixed, gap / unit)

        root = bool(getattr(measure, "root", False))
        powers = {"wdtw": 1 if root else 2, "erp": 1}  # what grows with the series
        if measure.name == "edr" and measure.numbers()[0] < 0:
            powers["edr"] = 0
        self.finished = root and measure.name in powers  # by the plan, which takes the root
        self.plans: list[Any] = [
            Magnified(make, *part, root=root, power=powers[measure.name])
            if measure.name in powers
            else make(*part, 0.0, 1.0)
            for part in self._parts(L)
        ]
        # Channels that are warped for themselves are added up.
        self.scratch_per_row = 4 * self.n_landmarks * (len(self.plans) > 1)

    def _parts(self, X: Ragged) -> list[tuple[NDArray[np.float64], NDArray[np.int64]]]:
        """Return values and offsets for every kernel plan: of "msm" one channel each."""
        values, offsets = X.flat - self.centre, X.offsets - X.offsets[0]
        if self.measure.name == "twe":  # begins at 0, which is off the centre now
            values = np.insert(values, offsets[:-1], -self.centre, axis=0)
            offsets = offsets + np.arange(len(offsets))
        if self.measure.name == "msm":
            return [(np.ascontiguousarray(c)[:, None], offsets) for c in values.T]
        return [(np.ascontiguousarray(values), offsets)]

    def check(self, X: Ragged) -> None:
        """Stop at a band without a path."""
        require_paths(self.measure.window, X.lengths, self.lengths)

    def seconds(self, X: Ragged) -> NDArray[np.float64]:
        """By the cells in the band."""
        n_channels = X.values.shape[1] / len(self.plans)
        per_cell = SLOWER * len(self.plans) * (CELL_SECONDS + CHANNEL_SECONDS * n_channels)
        per_cell *= self.slowness
        return np.asarray(per_cell * cells(self.measure.window, X.lengths, self.lengths))

    def fill(self, X: Ragged, out: NDArray[np.float32], stop: Any) -> None:
        """Sum up the costs of all parts."""
        for k, (plan, part) in enumerate(zip(self.plans, self._parts(X), strict=True)):
            values = out if k == 0 else np.empty_like(out)
            plan.run(*part, values, stop)
            if stop[0]:
                return  # what was not computed is anything
            if k:
                out += values
        reject_infinite(self.measure.window, out, X.lengths, self.lengths)
        if not self.finished:
            self.measure.finished(out, X, self.lengths)


class SlopeCosts(PlanAround):
    """Costs of paths between the slopes of series and of landmarks."""

    def __init__(self, window: Any, root: bool, L: Ragged) -> None:
        super().__init__(DTW(window, root=root).compile(slopes(L)))

    def check(self, X: Ragged) -> None:
        """Stop at a band without a path."""
        super().check(slopes(X))

    def fill(self, X: Ragged, out: NDArray[np.float32], stop: Any) -> None:
        """As DTW, of slopes."""
        super().fill(slopes(X), out, stop)


def slopes(X: Ragged) -> Ragged:
    """Slopes of every series, by Keogh and Pazzani; see `DDTW`.

    Examples
    --------
    >>> from seamark.data import series
    >>> list(slopes(series.ingest([[0.0, 1.0, 4.0, 9.0], [3.0, 5.0]])))
    [array([1.5, 3.5]), array([2.])]
    """
    x, starts = X.flat.astype(np.float64), X.offsets[:-1] - X.offsets[0]
    lengths = np.maximum(X.lengths - 2, 1)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    # Step number, in the flat array, to the left of each slope.
    left = np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])
    ends = np.repeat(starts + X.lengths - 1, lengths)
    own, right = np.minimum(left + 1, ends), np.minimum(left + 2, ends)
    values = ((x[own] - x[left]) + (x[right] - x[left]) / 2) / 2
    short = np.repeat(X.lengths < 3, lengths)
    values[short] = (x[right] - x[left])[short]
    return Ragged(values, offsets, X.domain)
