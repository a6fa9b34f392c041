"""Elastic distances of series: edits with numbers, and relatives of dynamic time warping."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Ragged, series
from ..data.missing import present_steps
from ..validation import require_bounded
from .algebra import PlanAround
from .base import Fact, Measure, require_number
from .centre import centre_of
from .dtw import DTW, PathPlan, band_numbers, require_window

Floats = NDArray[np.float32]
Lengths = NDArray[np.int64]

SLOWER = 3.0  # than a cell of DTW


def slopes(X: Ragged) -> Ragged:
    """Slopes of every series, by Keogh and Pazzani; see `DDTW`.

    Examples
    --------
    >>> from seamark.data import series
    >>> list(slopes(series.ingest([[0.0, 1.0, 4.0, 9.0], [3.0, 5.0]])))
    [array([1.5, 3.5]), array([2.])]
    """
    X = present_steps(X)
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


class Elastic(Measure):
    """What these measures share: a band, and a distance of 0 of every series to itself."""

    domain = series
    kind = "distance"
    bounds = (0.0, np.inf)
    symmetric = True
    self_value = 0.0
    metric: ClassVar[bool] = False
    """Whether the triangle inequality holds without a band."""
    numbers: ClassVar[tuple[str, ...]] = ()
    """Parameters that the kernel's rule takes, from 0 on."""
    optional: ClassVar[bool] = False
    """Whether they may be None, which is passed on as −1."""
    power: int | None = None
    """Power of the series that values grow with, so that tiny ones are magnified; None: none."""
    channelwise: ClassVar[bool] = False
    """Whether every channel is warped for itself."""

    window: float | None

    def check_parameters(self) -> None:
        """Require a sensible band, and numbers that are none below 0."""
        super().check_parameters()
        require_bounded(type(self), vars(self))
        require_window(self.window)
        for name in self.numbers:
            if getattr(self, name) is not None or not self.optional:
                require_number(name, getattr(self, name), 0)

    @property
    def triangle(self) -> Fact:  # type: ignore[override]
        """Known without a band; in one it is not."""
        return self.metric if self.window is None else None

    finish: Callable[..., None] | None = None
    """Turns costs of paths into values, in place, by the lengths of rows and landmarks."""

    def compile(self, L: Ragged) -> engine.Plan:
        """Lay the landmarks out in lanes."""
        L = present_steps(L)
        kernels = engine.backend()
        # One for all channels: a threshold may come of the deviation of all values together.
        centre = centre_of(L.flat.reshape(-1, 1))
        gap = np.full(L.values.shape[1], getattr(self, "g", 0.0) - centre)
        given = [getattr(self, name) for name in self.numbers]
        first, second, *_ = *(-1.0 if number is None else float(number) for number in given), 0, 0
        rule = (*band_numbers(self.window), self.name, float(first), float(second))
        root = bool(getattr(self, "root", False))

        def parts(X: Ragged) -> list[Any]:
            values, offsets = X.flat - centre, X.offsets - X.offsets[0]
            if self.name == "twe":  # begins at 0, which is off the centre now
                values = np.insert(values, offsets[:-1], -centre, axis=0)
                offsets = offsets + np.arange(len(offsets))
            columns = np.split(values, values.shape[1], axis=1) if self.channelwise else [values]
            return [(np.ascontiguousarray(some), offsets) for some in columns]

        def make(values: Any, offsets: Any, centre: float, unit: float) -> engine.KernelPlan:
            return kernels.elastic(values, offsets, *rule, gap / unit)

        return PathPlan(
            self.window,
            L,
            parts,
            make,
            power=self.power,
            root=root,
            finish=self.finish,
            slower=SLOWER,
        )


@dataclass(eq=False, repr=False)
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

    window: float | None = None
    c: float = 1.0

    name: ClassVar[str] = "msm"
    channelwise = True
    numbers = ("c",)
    metric = True


@dataclass(eq=False, repr=False)
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

    window: float | None = None
    nu: float = 0.001
    lmbda: float = 1.0

    name: ClassVar[str] = "twe"
    numbers = ("nu", "lmbda")
    metric = True


@dataclass(eq=False, repr=False)
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

    window: float | None = None
    g: float = 0.0

    name: ClassVar[str] = "erp"
    ranges: ClassVar = {"g": (-np.inf, np.inf)}
    power = 1
    metric = True


@dataclass(eq=False, repr=False)
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

    window: float | None = None
    epsilon: float | None = None

    name: ClassVar[str] = "edr"
    numbers = ("epsilon",)
    optional = True
    bounds = (0.0, 1.0)

    @property
    def power(self) -> int | None:  # type: ignore[override]
        """A threshold of the series themselves grows with them, and shares stay."""
        return 0 if self.epsilon is None else None

    def finish(self, out: Floats, rows: Lengths, landmarks: Lengths) -> None:
        """Divide by the longer length."""
        out /= np.maximum(rows[:, None], landmarks).astype(np.float32)


@dataclass(eq=False, repr=False)
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

    window: float | None = None
    epsilon: float = 1.0

    name: ClassVar[str] = "lcss"
    numbers = ("epsilon",)
    bounds = (0.0, 1.0)

    def finish(self, out: Floats, rows: Lengths, landmarks: Lengths) -> None:
        """Turn counts of what matches into shares of what does not."""
        out /= np.minimum(rows[:, None], landmarks).astype(np.float32)
        np.subtract(np.float32(1.0), out, out=out)


# Relatives of dynamic time warping that add up squares: weighted, amerced, of derivatives.


@dataclass(eq=False, repr=False)
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

    window: float | None = None
    g: float = 0.05
    root: bool = False

    name: ClassVar[str] = "wdtw"
    numbers = ("g",)

    @property
    def power(self) -> int:  # type: ignore[override]
        """1 of roots, else 2."""
        return 1 if self.root else 2


@dataclass(eq=False, repr=False)
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

    window: float | None = None
    warp_penalty: float = 1.0
    root: bool = False

    name: ClassVar[str] = "adtw"
    numbers = ("warp_penalty",)


@dataclass(eq=False, repr=False)
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

    window: float | None = None
    root: bool = False

    name: ClassVar[str] = "ddtw"

    def compile(self, L: Ragged) -> engine.Plan:
        """Lay the landmarks' slopes out in lanes."""
        plan = DTW(self.window, root=self.root).compile(slopes(L))
        return PlanAround(plan, prepare=slopes, outline=slopes)
