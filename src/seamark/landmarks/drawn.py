"""Landmarks drawn from the rows at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..measures import Measure
from ..objects import distinct
from .base import FromRows, Landmarks, Rows, rows_to_choose, shared_out


class Uniform(FromRows):
    """Rows drawn at random without replacement; one that equals another drawn is skipped.

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

    def __init__(self, candidates: Any = None) -> None:
        self.candidates = candidates

    def rows(self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator) -> Rows:
        """Draw."""
        return distinct(rng.permutation(X.shape[0]), measure.domain.groups(X))[:n]


class Stratified(FromRows):
    """Rows drawn at random, each class with its share, and at least one.

    Of equal objects one is drawn; shares are of the objects that differ.
    """

    def rows(self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator) -> Rows:
        """Draw within classes."""
        groups = rows_to_choose(y, n, measure.domain.groups(X), rng)
        shares = shared_out(n, [len(group) for group in groups])
        chosen = [group[:share] for group, share in zip(groups, shares, strict=True)]
        return rng.permutation(np.concatenate(chosen))


class Everything(Uniform):
    """Every row, or as many at random as are allowed: candidates, to be chosen among later.

    Parameters
    ----------
    at_most : int, default=5000
        This decides, and not the number of landmarks.
    candidates : objects, optional
        Take these instead of the rows of X.
    """

    def __init__(self, at_most: int = 5000, candidates: Any = None) -> None:
        self.at_most = at_most
        self.candidates = candidates

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Take all, or `at_most`; n does not matter."""
        return super().choose(X, y, measure, self.at_most, rng)
