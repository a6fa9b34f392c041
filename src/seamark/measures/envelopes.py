"""Lower bounds of warping distances from envelopes (Keogh's), for series of one length."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d, minimum_filter1d

from .. import engine
from ..data import Ragged
from .centre import centre_of

SLACK = 5e-4
"""Values and bounds are rounded; bounds are made so much smaller."""
ROUNDING = 2.4e-7
"""Of float32, for a difference of two numbers, relative to the larger."""

Floats = NDArray[np.float32]


class Envelopes:
    """Series of one length, to be bounded below.

    Within a band, every step of one series is matched with one of few steps of the other: no path
    costs less than what lies outside the band's smallest and largest values.

    Parameters
    ----------
    X : Ragged
        Of one length; values as the measure compares them.
    width : int
        Steps from the diagonal that a path may take.

    Examples
    --------
    >>> from seamark.data import series
    >>> walks = Envelopes(series.ingest([[0.0, 0.0, 0.0], [5.0, 5.0, 9.0]]), width=1)
    >>> walks.below(series.ingest([[0.0, 1.0, 2.0]])).round(1)
    array([[1. , 8.6]])
    """

    def __init__(self, X: Ragged, width: int) -> None:
        self.length, self.width = int(X.lengths[0]), width
        self.centre = centre_of(X.flat)
        self.points = self._flat(X)
        self.largest = float(np.abs(self.points).max(initial=0))

    def _flat(self, X: Ragged) -> Floats:
        return (X.flat - self.centre).astype(np.float32).reshape(len(X), -1)

    def below(self, queries: Ragged) -> NDArray[np.float64]:
        """Bounds of the roots of summed squares, (queries, series); 0 for other lengths."""
        bounds = np.zeros((len(queries), len(self.points)))
        same = np.flatnonzero(queries.lengths == self.length)
        if len(same):
            bounds[same] = self._below(self._flat(queries[same]))
        return bounds

    def _below(self, queries: Floats) -> NDArray[np.float64]:
        steps = queries.reshape(len(queries), self.length, -1)
        size = 2 * min(self.width, self.length) + 1
        high = maximum_filter1d(steps, size, axis=1, mode="nearest").reshape(queries.shape)
        low = minimum_filter1d(steps, size, axis=1, mode="nearest").reshape(queries.shape)
        sums = np.empty((len(queries), len(self.points)), dtype=np.float32)
        kernel, stop = engine.backend().envelopes, np.zeros(1, dtype=np.uint8)
        few = engine.settings().envelope_rows
        for a in range(0, len(self.points), few):
            points = self.points[a : a + few]
            for i in range(len(queries)):
                out = sums[i, a : a + few]
                kernel(points, low[i : i + 1], high[i : i + 1], out, stop)
        largest = np.maximum(self.largest, np.abs(queries).max(axis=1, keepdims=True))
        lost = ROUNDING * np.sqrt(queries.shape[1]) * largest
        below: NDArray[np.float64] = (1 - SLACK) * np.sqrt(sums.astype(np.float64)) - lost
        return np.maximum(below, 0.0, out=below)


def one_length(X: Any) -> bool:
    """Whether all series are of one length."""
    return bool((X.lengths == X.lengths[0]).all())
