"""Pairs of landmarks of different classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..measures import Measure
from ..targets import require_targets
from .base import NOT_A_ROW, Landmarks, Strategy, Stratified


class LandmarkPairs(Strategy):
    """Pairs of landmarks of different classes; a value is K(x, l⁺) − K(x, l⁻).

    The number of landmarks then counts pairs. They are drawn with replacement from rows that
    another strategy chooses.

    Parameters
    ----------
    of : Strategy, optional
        Chooses the rows, as many as pairs; default `Stratified`.
    """

    name = "pairs"

    def __init__(self, of: Strategy | None = None) -> None:
        self.of = of

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Choose rows, then pair them across classes."""
        require_targets(y)
        if y is None or len(np.unique(y)) < 2:
            raise ValueError("landmark pairs need labels of at least two classes.")
        pool = (self.of or Stratified()).choose(X, y, measure, n, rng)
        if pool.sources is None or NOT_A_ROW in pool.sources:
            raise ValueError("landmark pairs need landmarks with labels: rows of X or parts.")
        labels = np.asarray(y)[pool.sources]
        first = rng.integers(len(pool), size=n)
        second = np.empty_like(first)
        for label in np.unique(labels):
            here = labels[first] == label
            others = np.flatnonzero(labels != label)
            if len(others) == 0:
                raise ValueError(f"all chosen landmarks are of class {label!r}; choose more.")
            second[here] = rng.choice(others, size=int(here.sum()))
        return replace(pool, pairs=np.column_stack([first, second]))
