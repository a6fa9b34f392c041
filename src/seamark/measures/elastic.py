"""The elastic family: measures of series that align them as DTW does, with other costs.

Those that add up squares, as DTW does, are in `warping`.
"""

from __future__ import annotations

import numbers
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..bounds import require_bounded
from ..data import Ragged, series
from ..engine import Plan
from .base import Fact, Measure
from .elastic_plans import PathCosts
from .series import require_window


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
