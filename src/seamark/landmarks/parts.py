"""Landmarks that are parts of rows: windows of series, substrings, members of sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import engine
from ..data import distinct
from ..measures import Measure
from ..targets import shuffled
from .base import Landmarks, Rows, Strategy, groups_in

SECOND_DRAW = 4  # times as many, where equal parts left too few


class Parts(Strategy):
    """Random parts of the rows, for a measure that compares objects with parts of such.

    What a part is, and how it is cut, the measure's `landmark_domain` knows. Each part has the row
    it was cut from as its source: a fold that holds this row, or an equal one, does without the
    part. Of equal parts one is kept.

    With more rows than `engine.settings().hashed_from` parts are cut from those rows that have the
    smallest hashes of a seed and the object, a few times as many as parts.
    """

    name = "parts"

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Cut n parts that differ, or as many as two draws find."""
        if not measure.compares_parts:
            raise ValueError(
                f"{measure!r} compares {measure.domain.name} with {measure.domain.name}, so "
                'landmarks are whole objects; take landmarks="uniform", or a measure of parts.'
            )
        chosen = self._cut(X, measure, n, n, rng)
        return chosen if len(chosen) == n else self._cut(X, measure, SECOND_DRAW * n, n, rng)

    def _cut(
        self, X: Any, measure: Measure, drawn: int, n: int, rng: np.random.Generator
    ) -> Landmarks:
        rows = self._rows(X, measure, n, rng)
        parts, sources = measure.landmark_domain.cut(X if rows is None else X[rows], drawn, rng)
        kept = distinct(np.arange(parts.shape[0]), measure.landmark_domain.groups(parts))[:n]
        sources = np.asarray(sources, np.intp)[kept]
        return Landmarks(parts[kept], sources if rows is None else rows[sources], are_parts=True)

    def _rows(self, X: Any, measure: Measure, n: int, rng: np.random.Generator) -> Rows | None:
        """Return the rows to cut from, in an order that depends on the objects only; None: all."""
        if X.shape[0] <= engine.settings().hashed_from:
            return None
        kinds = groups_in(X, measure.domain)
        (order,) = shuffled([distinct(np.arange(X.shape[0]), kinds)], kinds, rng)
        return order[: SECOND_DRAW * n]
