"""What a search keeps while it goes over objects: the k nearest, or all within a radius.

Both take *keys*: distances, or similarities with the sign turned, so that small means alike.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..estimating import Rows

Keys = NDArray[np.float32]


class Found(Protocol):
    """What is found so far for each of m queries."""

    @property
    def cutoff(self) -> Keys:
        """For each query the largest key that can still matter."""

    @property
    def most(self) -> int | None:
        """How many are wanted for each query; None: all up to the cut-off."""

    def take(self, queries: Rows, rows: Rows, keys: Keys) -> None:
        """Look at the keys of some queries against some rows, which are in rising order."""

    def receive(self, queries: Rows, counts: Rows, rows: Rows, keys: Keys) -> None:
        """Take what another search found for some queries, so many for each, the nearest first."""


class Nearest:
    """The k smallest keys of each query, and their rows; of equal keys the first rows count.

    Parameters
    ----------
    n_queries, k : int

    Examples
    --------
    >>> found = Nearest(1, 2)
    >>> found.take(np.array([0]), np.array([4, 7, 8]), np.array([[3, 1, 2]], dtype=np.float32))
    >>> found.take(np.array([0]), np.array([0, 1]), np.array([[9, 2]], dtype=np.float32))
    >>> found.keys, found.rows
    (array([[1., 2.]], dtype=float32), array([[7, 1]]))
    """

    def __init__(self, n_queries: int, k: int) -> None:
        self.keys: Keys = np.full((n_queries, k), np.inf, dtype=np.float32)
        self.rows: Rows = np.full((n_queries, k), np.iinfo(np.intp).max, dtype=np.intp)

    @property
    def cutoff(self) -> Keys:
        """The k-th smallest key so far; infinite until k were seen."""
        return np.asarray(self.keys[:, -1])

    @property
    def most(self) -> int:
        """How many are wanted for each query."""
        return int(self.keys.shape[1])

    def receive(self, queries: Rows, counts: Rows, rows: Rows, keys: Keys) -> None:
        """Keep what is among the k nearest."""
        if (counts == self.most).all() and np.isinf(self.keys[queries]).all():  # all is new
            self.keys[queries] = keys.reshape(-1, self.most)
            self.rows[queries] = rows.reshape(-1, self.most)
            return
        ends = np.cumsum(counts)
        for i in np.flatnonzero(counts):
            own = slice(ends[i] - counts[i], ends[i])
            self._merge(int(queries[i]), rows[own], keys[own], np.arange(counts[i]))

    def take(self, queries: Rows, rows: Rows, keys: Keys) -> None:
        """Keep what is among the k nearest."""
        hits = keys <= self.cutoff[queries, None]
        for i in np.flatnonzero(hits.any(axis=1)):
            self._merge(int(queries[i]), rows, keys[i], np.flatnonzero(hits[i]))

    def _merge(self, query: int, rows: Rows, keys: Keys, hits: Rows) -> None:
        near = smallest(keys[hits], self.keys.shape[1])
        all_keys = np.concatenate([self.keys[query], keys[hits][near]])
        all_rows = np.concatenate([self.rows[query], rows[hits][near]])
        order = np.lexsort((all_rows, all_keys))[: self.keys.shape[1]]
        self.keys[query], self.rows[query] = all_keys[order], all_rows[order]


class Within:
    """All keys up to a radius.

    Parameters
    ----------
    n_queries : int
    radius : float
        In keys: minus the least similarity, if larger means alike.

    Examples
    --------
    >>> found = Within(1, 2.0)
    >>> found.take(np.array([0]), np.array([4, 7]), np.array([[3, 1]], dtype=np.float32))
    >>> found.of(0)
    (array([1.], dtype=float32), array([7]))
    """

    def __init__(self, n_queries: int, radius: float) -> None:
        self.cutoff: Keys = np.full(n_queries, radius, dtype=np.float32)
        self._found: list[list[tuple[Keys, Rows]]] = [[] for _ in range(n_queries)]

    most = None

    def receive(self, queries: Rows, counts: Rows, rows: Rows, keys: Keys) -> None:
        """Keep all of it."""
        ends = np.cumsum(counts)
        for i in np.flatnonzero(counts):
            own = slice(ends[i] - counts[i], ends[i])
            self._found[int(queries[i])].append((keys[own], rows[own]))

    def take(self, queries: Rows, rows: Rows, keys: Keys) -> None:
        """Keep what lies within."""
        hits = keys <= self.cutoff[queries, None]
        for i in np.flatnonzero(hits.any(axis=1)):
            self._found[int(queries[i])].append((keys[i][hits[i]], rows[hits[i]]))

    def of(self, query: int) -> tuple[Keys, Rows]:
        """Return the keys of one query and their rows, the nearest first."""
        found = self._found[query]
        if not found:
            return np.empty(0, dtype=np.float32), np.empty(0, dtype=np.intp)
        keys, rows = (np.concatenate(parts) for parts in zip(*found, strict=True))
        order = np.lexsort((rows, keys))
        return keys[order], rows[order]


def smallest(keys: Keys, k: int) -> Rows:
    """Places of the k smallest keys (all, if there are fewer); of equal ones the first.

    Examples
    --------
    >>> smallest(np.array([2.0, 1.0, 2.0, 2.0], dtype=np.float32), 2)
    array([0, 1])
    """
    if k >= len(keys):
        return np.arange(len(keys))
    last = np.partition(keys, k - 1)[k - 1]
    nearer = np.flatnonzero(keys < last)
    tied = np.flatnonzero(keys == last)[: k - len(nearer)]
    return np.sort(np.concatenate([nearer, tied]))
