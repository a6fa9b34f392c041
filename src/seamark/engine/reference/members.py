"""Smallest distances of landmark vectors to the members of sets, in numpy and scipy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from ..protocols import Doubles, Floats, Offsets
from .sets import TILE_VALUES


class MembersPlan:
    """Landmark vectors, to compute distances to in float64.

    Parameters
    ----------
    values : ndarray of shape (R, dimensions)
        The landmarks, less `centre`.
    centre : ndarray of shape (dimensions,)
        Taken off the objects' vectors.
    """

    def __init__(self, values: Doubles, centre: Doubles) -> None:
        self.values = values
        self.centre = centre

    @property
    def nbytes(self) -> int:
        """Bytes of the landmarks."""
        return self.values.nbytes

    def run(self, values: NDArray[Any], offsets: Offsets, out: Floats, stop: Any) -> None:
        """Write the smallest distance of each set to each landmark into `out`."""
        step = max(1, TILE_VALUES // max(1, len(self.values)))
        for i in range(len(out)):
            nearest = np.full(len(self.values), np.inf)
            for start in range(offsets[i], offsets[i + 1], step):
                if stop[0]:
                    return
                some = values[start : min(start + step, offsets[i + 1])] - self.centre
                np.minimum(nearest, cdist(some, self.values).min(axis=0), out=nearest)
            out[i] = nearest
