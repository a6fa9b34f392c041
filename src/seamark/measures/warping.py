"""Relatives of dynamic time warping that add up squares: weighted, amerced, of derivatives."""

from __future__ import annotations

import numbers
from typing import ClassVar

import numpy as np

from ..data import Ragged
from ..engine import Plan
from .elastic import Elastic
from .elastic_plans import SlopeCosts


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
