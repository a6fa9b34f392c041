"""As many landmarks as there are to be had, up to a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..measures import Measure
from .base import Landmarks, Strategy
from .names import get_strategy


class AtMost(Strategy):
    """So many landmarks by another strategy, or as many as there are, without a warning.

    Parameters
    ----------
    n : int, default=1000
        This decides, and not the number of landmarks that a map is asked for.
    strategy : str or Strategy, default="auto"
        Chooses them.

    Examples
    --------
    >>> from seamark.measures import Euclidean
    >>> X = np.arange(10.0)[:, None]
    >>> len(AtMost(50).choose(X, None, Euclidean(), 3, np.random.default_rng(0)))
    10
    """

    def __init__(self, n: int = 1000, strategy: Any = "auto") -> None:
        self.n = n
        self.strategy = strategy

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Choose by the strategy inside."""
        return get_strategy(self.strategy, measure).choose(X, y, measure, self.n, rng)
