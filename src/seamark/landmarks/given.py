"""Landmarks that the user brings: objects, or the columns of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..measures import Measure
from .base import Landmarks, Strategy


class Given(Strategy):
    """The landmarks you name.

    Parameters
    ----------
    objects : objects
        The landmarks themselves.
    """

    def __init__(self, objects: Any = None) -> None:
        self.objects = objects

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Return them all; n does not matter."""
        return Landmarks(measure.landmark_domain.ingest(self.objects, like=X))


class AllColumns(Strategy):
    """The columns of an n × R precomputed matrix: all of them are landmarks."""

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Return every column."""
        return Landmarks(measure.domain.landmarks(X, np.arange(X.shape[1])))
