"""Elastic distances of series: edits with numbers, and relatives of dynamic time warping."""

from __future__ import annotations

import numbers
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..bounds import require_bounded
from ..data import Ragged, series
from ..engine import Plan
from .algebra import PlanAround
from .base import Fact, Measure
from .centre import Magnified, centre_of
from .dtw import (
    CELL_SECONDS,
    CHANNEL_SECONDS,
    DTW,
    band_numbers,
    cells,
    reject_infinite,
    require_paths,
    require_window,
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


# The elastic family: measures of series that align them as DTW does, with other costs.


class Elastic(Measure):
    """What these measures share: a band, and a distance of 0 of every series to itself.

    A subclass names its kernel's `rule` and its numbers.
    """

    domain = series
    kind = "distance"
    bounds = (0.0, np.inf)
    symmetric = True
    metric: ClassVar[bool] = False
    """Whether the triangle inequality holds without a band."""

    window: float | None

    def check_parameters(self) -> None:
        """Require a sensible band, and numbers that are none below 0."""
        require_bounded(type(self), vars(self))
        require_window(self.window)
        for name, value in self.get_params().items():
            open_or_flag = value is None or isinstance(value, (bool, np.bool_))
            if name in ("window", "g") or open_or_flag:
                continue
            if not isinstance(value, numbers.Real) or not 0 <= float(value) < np.inf:
                raise ValueError(f"{name} must be a number from 0, not {value!r}.")

    @property
    def triangle(self) -> Fact:  # type: ignore[override]
        """Known without a band; in one it is not."""
        return self.metric if self.window is None else None

    def numbers(self) -> tuple[float, float]:
        """Numbers of the kernel's rule."""
        return 0.0, 0.0

    def finished(self, out: NDArray[np.float32], X: Ragged, lengths: NDArray[np.int64]) -> None:
        """Turn costs of paths into values, in place."""
        if getattr(self, "root", False):
            np.sqrt(out, out=out)

    def compile(self, L: Ragged) -> Plan:
        """Lay the landmarks out in lanes."""
        return PathCosts(self, L)

    def self_values(self, X: Ragged) -> NDArray[np.float64]:
        """0."""
        return np.zeros(len(X))


class MSM(Elastic):
    """Move–split–merge: values are moved at their difference; steps are split and merged at a cost.

    A split or merge costs `c`, and more if the new value does not lie between its neighbours
    (Stefan, Athitsos and Das). Of several channels the sum, each warped for itself.

    Parameters
    ----------
    window : None, int or float, default=None
        Sakoe–Chiba band. None: no band. An int: at most so many steps from the diagonal. A float
        in [0, 1]: this share of the shorter series, as aeon reads it.
    c : float, default=1.0
        Cost of a split or merge.

    Examples
    --------
    >>> MSM(c=0.5).cross([[0.0, 1.0, 2.0]], [[0.0, 1.0, 1.0, 2.0], [3.0, 1.0, 2.0]])
    array([[0.5, 3. ]], dtype=float32)
    """

    name: ClassVar[str] = "msm"
    metric = True

    def __init__(self, window: float | None = None, c: float = 1.0) -> None:
        self.window = window
        self.c = c

    def numbers(self) -> tuple[float, float]:
        """The cost."""
        return float(self.c), 0.0


class TWE(Elastic):
    """Time warp edit distance: matches cost by values and times, deletions by a step's change.

    Every series begins, before its first step, at 0 (Marteau; as in aeon).

    Parameters
    ----------
    window : None, int or float, default=None
        Sakoe–Chiba band. None: no band. An int: at most so many steps from the diagonal. A float
        in [0, 1]: this share of the shorter series, as aeon reads it.
    nu : float, default=0.001
        Stiffness: cost of a step of time between matched values.
    lmbda : float, default=1.0
        Cost of a deletion.

    Examples
    --------
    >>> TWE(nu=0.0).cross([[0.0, 1.0, 2.0]], [[0.0, 1.0, 1.0, 2.0], [0.0, 1.0, 3.0]])
    array([[1., 1.]], dtype=float32)
    """

    name: ClassVar[str] = "twe"
    metric = True

    def __init__(self, window: float | None = None, nu: float = 0.001, lmbda: float = 1.0) -> None:
        self.window = window
        self.nu = nu
        self.lmbda = lmbda

    def numbers(self) -> tuple[float, float]:
        """Stiffness and cost of a deletion."""
        return float(self.nu), float(self.lmbda)


class ERP(Elastic):
    """Edit distance with real penalty: a step without a partner costs its distance to g.

    The textbook's (Chen and Ng), with edges that grow step by step; aeon's hold the whole sum.

    Parameters
    ----------
    window : None, int or float, default=None
        Sakoe–Chiba band. None: no band. An int: at most so many steps from the diagonal. A float
        in [0, 1]: this share of the shorter series, as aeon reads it.
        Edges belong to it where the cells beside them do.
    g : float, default=0.0
        Value that gaps are compared with, in every channel.

    Examples
    --------
    >>> ERP().cross([[0.0, 1.0, 2.0]], [[1.0, 2.0], [0.0, 1.0, 2.0, 3.0]])
    array([[0., 3.]], dtype=float32)
    """

    name: ClassVar[str] = "erp"
    metric = True

    def __init__(self, window: float | None = None, g: float = 0.0) -> None:
        self.window = window
        self.g = g

    def check_parameters(self) -> None:
        """Require a number."""
        super().check_parameters()
        if not isinstance(self.g, numbers.Real) or not np.isfinite(float(self.g)):
            raise ValueError(f"g must be a number, not {self.g!r}.")


class EDR(Elastic):
    """Edit distance on real sequences: share of steps that must be edited until the others match.

    Steps match that are nearer than `epsilon`, or equal. Divided by the longer length; steps before
    the first match of one series are free, as in aeon.

    Parameters
    ----------
    window : None, int or float, default=None
        Sakoe–Chiba band. None: no band. An int: at most so many steps from the diagonal. A float
        in [0, 1]: this share of the shorter series, as aeon reads it.
        Edges belong to it where the cells beside them do.
    epsilon : float, optional
        Default: a quarter of the larger deviation of the two series.

    Examples
    --------
    >>> EDR(epsilon=0.5).cross([[0.0, 1.0, 2.0, 3.0]], [[0.1, 1.1, 5.0, 3.1]])
    array([[0.25]], dtype=float32)
    """

    name: ClassVar[str] = "edr"
    bounds = (0.0, 1.0)

    def __init__(self, window: float | None = None, epsilon: float | None = None) -> None:
        self.window = window
        self.epsilon = epsilon

    def numbers(self) -> tuple[float, float]:
        """The threshold, or that there is none."""
        return -1.0 if self.epsilon is None else float(self.epsilon), 0.0

    def finished(self, out: NDArray[np.float32], X: Ragged, lengths: NDArray[np.int64]) -> None:
        """Divide by the longer length."""
        out /= np.maximum(X.lengths[:, None], lengths).astype(np.float32)


class LCSS(Elastic):
    """Longest common subsequence: share of the shorter series that has no match in the other.

    Parameters
    ----------
    window : None, int or float, default=None
        Sakoe–Chiba band. None: no band. An int: at most so many steps from the diagonal. A float
        in [0, 1]: this share of the shorter series, as aeon reads it.
    epsilon : float, default=1.0
        Steps match that are at most so far apart.

    Examples
    --------
    >>> LCSS(epsilon=0.5).cross([[0.0, 1.0, 2.0, 3.0]], [[0.1, 1.1, 5.0, 3.1]])
    array([[0.25]], dtype=float32)
    """

    name: ClassVar[str] = "lcss"
    bounds = (0.0, 1.0)

    def __init__(self, window: float | None = None, epsilon: float = 1.0) -> None:
        self.window = window
        self.epsilon = epsilon

    def numbers(self) -> tuple[float, float]:
        """The threshold."""
        return float(self.epsilon), 0.0

    def finished(self, out: NDArray[np.float32], X: Ragged, lengths: NDArray[np.int64]) -> None:
        """Turn counts of what matches into shares of what does not."""
        out /= np.minimum(X.lengths[:, None], lengths).astype(np.float32)
        np.subtract(np.float32(1.0), out, out=out)


# Relatives of dynamic time warping that add up squares: weighted, amerced, of derivatives.


class WDTW(Elastic):
    """Weighted DTW: squared differences count more the farther apart in time they are.

    The weight of |i − j| is logistic, 1/2 at half of the longer length.

    Parameters
    ----------
    window : None, int or float, default=None
        Sakoe–Chiba band. None: no band. An int: at most so many steps from the diagonal. A float
        in [0, 1]: this share of the shorter series, as aeon reads it.
    g : float, default=0.05
        How steeply weights rise.
    root : bool, default=False
        Take the square root, so that values have the unit of the data.

    Examples
    --------
    >>> WDTW(g=0.0).cross([[0.0, 0.0, 1.0]], [[0.0, 1.0], [0.0, 3.0]])
    array([[0., 2.]], dtype=float32)
    """

    name: ClassVar[str] = "wdtw"

    def __init__(self, window: float | None = None, g: float = 0.05, root: bool = False) -> None:
        self.window = window
        self.g = g
        self.root = root

    def check_parameters(self) -> None:
        """Require a number from 0."""
        super().check_parameters()
        if not isinstance(self.g, numbers.Real) or not 0 <= float(self.g) < np.inf:
            raise ValueError(f"g must be a number from 0, not {self.g!r}.")

    def numbers(self) -> tuple[float, float]:
        """The steepness."""
        return float(self.g), 0.0


class ADTW(Elastic):
    """Amerced DTW: squared differences, and a penalty for every step off the diagonal.

    Parameters
    ----------
    window : None, int or float, default=None
        Sakoe–Chiba band. None: no band. An int: at most so many steps from the diagonal. A float
        in [0, 1]: this share of the shorter series, as aeon reads it.
    warp_penalty : float, default=1.0
        The penalty.
    root : bool, default=False
        Take the square root, so that values have the unit of the data.

    Examples
    --------
    >>> ADTW(warp_penalty=0.5).cross([[0.0, 0.0, 1.0]], [[0.0, 1.0], [0.0, 3.0]])
    array([[0.5, 4.5]], dtype=float32)
    """

    name: ClassVar[str] = "adtw"

    def __init__(
        self, window: float | None = None, warp_penalty: float = 1.0, root: bool = False
    ) -> None:
        self.window = window
        self.warp_penalty = warp_penalty
        self.root = root

    def numbers(self) -> tuple[float, float]:
        """The penalty."""
        return float(self.warp_penalty), 0.0


class DDTW(Elastic):
    """Derivative DTW: dynamic time warping of slopes (Keogh and Pazzani), so levels do not count.

    A slope is the mean of that to the left neighbour and of that between both neighbours; series
    of n steps have n − 2. Those of one or two steps have one: from the first to the last.

    Parameters
    ----------
    window : None, int or float, default=None
        Sakoe–Chiba band on slopes. None: no band. An int: at most so many steps from the
        diagonal. A float in [0, 1]: this share of the shorter series, as aeon reads it.
    root : bool, default=False
        Take the square root of the sum of squares.

    Examples
    --------
    >>> DDTW().cross([[0.0, 1.0, 2.0, 3.0]], [[5.0, 6.0, 7.0], [0.0, 2.0, 4.0, 6.0]])
    array([[0., 2.]], dtype=float32)
    """

    name: ClassVar[str] = "ddtw"

    def __init__(self, window: float | None = None, root: bool = False) -> None:
        self.window = window
        self.root = root

    def compile(self, L: Ragged) -> Plan:
        """Lay the landmarks' slopes out in lanes."""
        return SlopeCosts(self.window, self.root, L)
