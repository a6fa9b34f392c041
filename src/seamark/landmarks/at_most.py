"""As many landmarks as there are: up to a number, or all columns of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..measures import Measure
from .base import Landmarks, Strategy, get_strategy


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


class AllColumns(Strategy):
    """The columns of an n × R precomputed matrix: all of them are landmarks."""

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Return every column."""
        return Landmarks(measure.domain.landmarks(X, np.arange(X.shape[1])))
