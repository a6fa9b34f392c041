"""Trees in numpy: all rows go down all trees at once, one level after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


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
