"""Landmarks drawn at random: uniform, stratified, at most so many."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data import distinct
from ..measures import Measure
from ..targets import shuffled
from .base import (
    FromRows,
    Landmarks,
    Rows,
    Strategy,
    get_strategy,
    groups_in,
    rows_to_choose,
    shared_out,
)


class Uniform(FromRows):
    """Rows drawn at random without replacement; one that equals another drawn is skipped.

    With more rows than `engine.settings().hashed_from` they are those with the smallest hashes of a
    seed and the object, which are the same in whatever order and pieces rows are read.

    Parameters
    ----------
    candidates : objects, optional
        Draw from these instead of the rows of X: more objects, without labels.

    Examples
    --------
    >>> from seamark.measures import Euclidean
    >>> X = np.arange(10.0)[:, None]
    >>> len(Uniform().choose(X, None, Euclidean(), 3, np.random.default_rng(0)))
    3
    """

    name = "uniform"

    def __init__(self, candidates: Any = None) -> None:
        self.candidates = candidates

    def rows(self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator) -> Rows:
        """Draw."""
        groups = groups_in(X, measure.domain)
        (order,) = shuffled([np.arange(X.shape[0])], groups, rng)
        return distinct(order, groups)[:n]


class Stratified(FromRows):
    """Rows drawn at random, each class with its share, and at least one.

    Of equal objects one is drawn; shares are of the objects that differ.
    """

    name = "stratified"

    def rows(self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator) -> Rows:
        """Draw within classes."""
        groups = groups_in(X, measure.domain)
        classes = rows_to_choose(y, n, groups, rng)
        shares = shared_out(n, [len(rows) for rows in classes])
        chosen = [rows[:share] for rows, share in zip(classes, shares, strict=True)]
        return shuffled([np.concatenate(chosen)], groups, rng)[0]


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
