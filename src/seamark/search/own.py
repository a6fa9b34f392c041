"""Searches of a measure's own, in parts that grow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import engine
from ..measures import Measure
from ..measures.base import Search
from .nearest import Found


@dataclass
class Part:
    """Objects from a row on, made ready to be searched; None: the measure has no such search."""

    start: int
    size: int
    search: Search | None


class OwnSearch:
    """Objects searched by what the measure itself knows, quicker than value by value.

    Parameters
    ----------
    measure : Measure
        All numbers.

    Examples
    --------
    >>> import seamark as sm
    >>> from seamark.search.nearest import Nearest
    >>> words = sm.data.strings.ingest(["sea", "seamark", "mark", "market", "marker"])
    >>> found = Nearest(1, 1)
    >>> OwnSearch(sm.measures.Levenshtein()).run(words, words[1:2], found), found.rows
    (1, array([[1]]))
    """

    def __init__(self, measure: Measure) -> None:
        self.measure = measure
        self.parts: list[Part] = []
        self.backend: Any = None

    def run(self, objects: Any, queries: Any, found: Found, n_jobs: int | None = None) -> int:
        """Search all objects for the first of the queries; return for how many it was done.

        For the others it does not pay: values are to be computed.
        """
        self._grow(objects)
        able = [(part.start, part.search) for part in self.parts if part.search is not None]
        done = 0
        while done < queries.shape[0] and len(able) == len(self.parts):
            left = queries[done:] if done else queries
            some = min(one.suits(left, found.cutoff[done:], found.most) for _, one in able)
            if some == 0:
                break
            which = np.arange(done, done + some)
            for start, search in able:
                got = search.near(left[:some], found.cutoff[which], found.most, n_jobs)
                found.receive(which, got[0], start + got[1], got[2])
            done += some
        return done

    def _grow(self, objects: Any) -> None:
        """Take in what was added; a part no larger than that is made anew, together with it."""
        if self.backend is not engine.backend():
            self.backend, self.parts = engine.backend(), []
        n = objects.shape[0]
        start = self.parts[-1].start + self.parts[-1].size if self.parts else 0
        if start == n:
            return
        most = engine.settings().part_rows
        while self.parts and self.parts[-1].size <= min(n - start, most - 1):
            start = self.parts.pop().start
        for a in range(start, n, most):
            some = objects[a : a + most]
            self.parts.append(Part(a, some.shape[0], self.measure.searching(some)))
