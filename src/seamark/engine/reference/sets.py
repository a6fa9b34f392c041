"""Nearest distances both ways between sets of vectors, in numpy and scipy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from ..protocols import Doubles, Floats, Offsets

TILE_VALUES = 1 << 17  # distances held at a time


class SetsPlan:
    """Landmark sets, to compute values against in float64.

    Parameters
    ----------
    values : ndarray of shape (vectors, dimensions)
        Vectors of all landmarks, minus `centre`.
    offsets : ndarray of shape (R + 1,)
        Where each landmark begins; none is empty.
    centre : ndarray of shape (dimensions,)
        Subtracted from the objects' vectors.
    value : {"larger_mean", "largest", "sum_of_means"}
        What becomes of the distances of all vectors of two sets to their nearest in the other set.
    """

    def __init__(self, values: Doubles, offsets: Offsets, centre: Doubles, value: str) -> None:
        self.values = np.asarray(values, np.float64)
        self.offsets = offsets
        self.centre = centre
        self.value = value

    @property
    def nbytes(self) -> int:
        """Bytes of the landmarks."""
        return self.values.nbytes

    def run(self, values: NDArray[Any], offsets: Offsets, out: Floats, stop: Any) -> None:
        """Write the value of each set of vectors against each landmark into `out`."""
        if not out.shape[1]:
            return
        for i in range(len(out)):
            if stop[0]:
                return
            out[i] = self._row(values[offsets[i] : offsets[i + 1]])

    def _row(self, vectors: NDArray[Any]) -> Doubles:
        """One object against all landmarks: distances of some of its vectors at a time."""
        starts = self.offsets[:-1]
        gather = np.maximum if self.value == "largest" else np.add
        forth = np.zeros(len(starts))  # of the object's vectors to their nearest
        nearest = np.full(len(self.values), np.inf)  # to each landmark vector
        step = max(1, TILE_VALUES // len(self.values))
        for start in range(0, len(vectors), step):
            D = cdist(vectors[start : start + step] - self.centre, self.values)
            np.minimum(nearest, D.min(axis=0), out=nearest)
            gather(forth, gather.reduce(np.minimum.reduceat(D, starts, axis=1)), out=forth)
        back: Doubles = gather.reduceat(nearest, starts)
        if self.value != "largest":
            forth /= len(vectors)
            back /= np.diff(self.offsets)
        join = np.add if self.value == "sum_of_means" else np.maximum
        join(forth, back, out=back)
        return back
