"""Vectors: inner products, absolute differences, sets of vectors and their members, trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from ..plan import Doubles, Floats, Offsets

PRODUCT_ROWS = 64
HELD_DISTANCES = 1 << 17  # between members of sets, at a time


def products(X: Floats | Doubles, L: Floats | Doubles, out: Floats) -> None:
    """Inner products of dense rows, which do not depend on how many other rows X has.

    They are added up in the type of both, float32 or float64. What follows is about float32: in
    float64 rounding the result hides what the paths of BLAS differ in.

    BLAS takes other paths, with other roundings, for one row and for many; so it is always given
    the same number of rows, the last ones filled up with zeros. Some kernels of BLAS (OpenBLAS for
    Haswell) round by the place of a row among these as well: there the last digit of a value may
    depend on where its row stands. Eight rows at a time would end that, at 0.4 times the speed.
    """
    if X.dtype != out.dtype:
        out[:] = X @ L.T
        return
    n = len(X)
    whole = n - n % PRODUCT_ROWS
    # A stack of matrices is multiplied one by one; cutting an axis in two never copies.
    np.matmul(
        X[:whole].reshape(-1, PRODUCT_ROWS, X.shape[1]),
        L.T,
        out=out[:whole].reshape(-1, PRODUCT_ROWS, len(L)),
    )
    if whole < n:
        padded = np.zeros((PRODUCT_ROWS, X.shape[1]), dtype=np.float32)
        padded[: n - whole] = X[whole:]
        out[whole:] = np.matmul(padded, L.T)[: n - whole]


# Manhattan distances in numpy.


def manhattan(X: Doubles, L: Doubles, out: Floats, stop: Any) -> None:
    """Write the Manhattan distances of the rows of X to the rows of L into `out`."""
    for j, landmark in enumerate(L):
        if stop[0]:
            return
        out[:, j] = np.abs(X - landmark).sum(axis=1)


# Nearest distances both ways between sets of vectors, in numpy and scipy.


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
        step = max(1, HELD_DISTANCES // len(self.values))
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


# Smallest distances of landmark vectors to the members of sets, in numpy and scipy.


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

    def run(self, values: NDArray[Any], offsets: Offsets, out: Floats, stop: Any) -> None:
        """Write the smallest distance of each set to each landmark into `out`."""
        step = max(1, HELD_DISTANCES // max(1, len(self.values)))
        for i in range(len(out)):
            nearest = np.full(len(self.values), np.inf)
            for start in range(offsets[i], offsets[i + 1], step):
                if stop[0]:
                    return
                some = values[start : min(start + step, offsets[i + 1])] - self.centre
                np.minimum(nearest, cdist(some, self.values).min(axis=0), out=nearest)
            out[i] = nearest


# Trees: all rows go down all trees at once, one level after the other.


class TreesPlan:
    """Nodes of trees, and the values of their leaves.

    Parameters
    ----------
    roots : ndarray of shape (number of trees,), int64
    children : ndarray of shape (number of nodes,), int32
        The left child, which the right one follows; -1 in a leaf.
    columns, thresholds : ndarray of shape (number of nodes,), int32 and uint16
        A row goes left where its code in the column is no larger than the threshold.
    leaves : ndarray of shape (number of nodes,), int32
        Which values a leaf has.
    values : ndarray of shape (l, T), float32
    """

    def __init__(
        self,
        roots: NDArray[np.int64],
        children: NDArray[np.int32],
        columns: NDArray[np.int32],
        thresholds: NDArray[np.uint16],
        leaves: NDArray[np.int32],
        values: NDArray[np.float32],
    ) -> None:
        self.roots, self.children, self.columns = roots, children, columns
        self.thresholds, self.leaves, self.values = thresholds, leaves, values

    def run(self, codes: NDArray[np.uint16], out: NDArray[Any]) -> None:
        """Write the mean of the values of all trees for each row."""
        n = len(codes)
        at = np.tile(self.roots, n)
        rows = np.repeat(np.arange(n), len(self.roots))
        moving = np.flatnonzero(self.children[at] >= 0)
        while len(moving):
            here = at[moving]
            larger = codes[rows[moving], self.columns[here]] > self.thresholds[here]
            at[moving] = self.children[here] + larger
            moving = moving[self.children[at[moving]] >= 0]
        found = self.values[self.leaves[at].reshape(n, -1)]
        out[:] = found.mean(axis=1, dtype=np.float64)
