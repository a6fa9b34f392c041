"""Landmarks that are parts of rows: windows of series, substrings, members of sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..measures import Measure
from ..objects import distinct
from .base import Landmarks, Strategy

SECOND_DRAW = 4  # times as many, where equal parts left too few


class Parts(Strategy):
    """Random parts of the rows, for a measure that compares objects with parts of such.

    What a part is, and how it is cut, the measure's `landmark_domain` knows. Each part has the row
    it was cut from as its source: a fold that holds this row, or an equal one, does without the
    part. Of equal parts one is kept.
    """

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Cut n parts that differ, or as many as two draws find."""
        if not measure.compares_parts:
            raise ValueError(
                f"{measure!r} compares {measure.domain.name} with {measure.domain.name}, so "
                'landmarks are whole ones; take landmarks="uniform", or a measure of parts.'
            )
        chosen = self._cut(X, measure, n, n, rng)
        return chosen if len(chosen) == n else self._cut(X, measure, SECOND_DRAW * n, n, rng)

    def _cut(
        self, X: Any, measure: Measure, drawn: int, n: int, rng: np.random.Generator
    ) -> Landmarks:
        parts, sources = measure.landmark_domain.cut(X, drawn, rng)
        kept = distinct(np.arange(parts.shape[0]), measure.landmark_domain.groups(parts))[:n]
        return Landmarks(parts[kept], np.asarray(sources, np.intp)[kept], are_parts=True)
