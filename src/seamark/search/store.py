"""Objects to be searched, in stretches that are compiled when they are first needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .. import engine
from ..estimating import Numbers, Rows
from ..measures import Measure
from .nearest import Found, Keys
from .own import OwnSearch

SLACK = 5e-4
"""Values of native kernels are within 2·10⁻⁴: bounds must be so much smaller to be sure."""


@dataclass
class Stretch:
    """Some of the objects, compiled together.

    Attributes
    ----------
    rows : ndarray of int
        Which ones, in rising order.
    span : tuple of ndarray or None
        Smallest and largest of their sketches.
    recipe : Recipe or None
        Their plan; None: not compiled yet.
    """

    rows: Rows
    span: tuple[Numbers, Numbers] | None = None
    recipe: engine.Recipe | None = None


class Searched:
    """A measure and the objects that are searched with it.

    Objects with like sketches lie in one stretch, so that a whole stretch can be passed over.

    Parameters
    ----------
    measure : Measure
        All numbers.
    objects : objects
        Ingested, as landmarks.
    n_jobs : int, optional
        Threads or processes.

    Examples
    --------
    >>> import seamark as sm
    >>> from seamark.search.nearest import Nearest
    >>> words = sm.data.strings.ingest(["sea", "seamark", "mark"])
    >>> found = Nearest(1, 1)
    >>> Searched(sm.measures.Levenshtein(), words).scan(words[1:2], found)
    >>> found.rows
    array([[1]])
    """

    def __init__(self, measure: Measure, objects: Any, n_jobs: int | None = None) -> None:
        self.measure = measure
        self.objects = objects
        self.n_jobs = n_jobs
        self.sign = np.float32(measure.distance_sign())
        self.bounds: Callable[[Any], Any] | Literal[False] | None = None
        """Lower bounds of distances to all objects; False: there are none; None: not made yet."""
        self.own = OwnSearch(measure)
        self.stretches = list(self._cut(0))

    def _cut(self, start: int) -> Iterator[Stretch]:
        """Yield stretches of the objects from a row on, alike ones together."""
        n = self.objects.shape[0]
        rows = np.arange(start, n)
        called = self.measure.compile(self.objects[:1]).home != "threads"
        now = engine.settings()
        size = now.called_rows if called else now.index_rows
        sketches = self.measure.sketch(self.objects[start:]) if start < n else None
        if sketches is not None and n - start > size:
            rows = rows[np.argsort(sketches[:, 0], kind="stable")]
        for a in range(0, n - start, size):
            own = np.sort(rows[a : a + size])
            if sketches is None:
                yield Stretch(own)
            else:
                part = sketches[own - start]
                yield Stretch(own, (part.min(axis=0), part.max(axis=0)))

    def _plan(self, stretch: Stretch) -> engine.Recipe:
        if stretch.recipe is None:
            stretch.recipe = self.measure.recipe(self.objects[stretch.rows])
        return stretch.recipe

    def keys(self, queries: Any, rows: Rows) -> Keys:
        """Keys of queries against some rows."""
        recipe = self.measure.recipe(self.objects[rows])
        return self.sign * engine.run(recipe, queries, n_jobs=self.n_jobs)

    def scan(self, queries: Any, found: Found) -> None:
        """Compare queries with all objects, except those that are too far away to matter."""
        done = self.own.run(self.objects, queries, found, self.n_jobs)
        if done == queries.shape[0]:
            return
        sketches = self.measure.sketch(queries) if self.stretches[0].span is not None else None
        order = np.arange(queries.shape[0])
        if sketches is not None:  # those that need the same stretches go together
            order = np.argsort(sketches[:, 0], kind="stable")
        order = order[order >= done]
        widest = max(len(stretch.rows) for stretch in self.stretches)
        for some in engine.row_chunks(len(order), 4 * widest):
            self._scan_some(queries, np.sort(order[some]), sketches, found)

    def _scan_some(self, queries: Any, which: Rows, sketches: Numbers | None, found: Found) -> None:
        bounds = self._stretch_bounds(None if sketches is None else sketches[which], len(which))
        for b in np.argsort(bounds.mean(axis=0), kind="stable"):
            stretch = self.stretches[b]
            need = which[bounds[:, b] <= found.cutoff[which]]
            if len(need):
                some = queries if len(need) == queries.shape[0] else queries[need]
                with engine.numbering(need):
                    values = engine.run(self._plan(stretch), some, n_jobs=self.n_jobs)
                found.take(need, stretch.rows, self.sign * values)

    def _stretch_bounds(self, sketches: Numbers | None, n: int) -> Numbers:
        """Least key that each query can have in each stretch, (queries, stretches)."""
        bounds = np.full((n, len(self.stretches)), -np.inf)
        for b, stretch in enumerate(self.stretches):
            if sketches is not None and stretch.span is not None:
                low, high = stretch.span
                apart = np.maximum(low - sketches, sketches - high)
                bounds[:, b] = (1 - SLACK) * np.maximum(apart, 0).max(axis=1)
        return bounds

    def add(self, objects: Any) -> None:
        """Take in further objects, already joined to those here; the last stretch may grow."""
        last = self.stretches[-1]
        start = self.objects.shape[0]
        alone = np.array_equal(last.rows, np.arange(start - len(last.rows), start))
        if alone and len(last.rows) < engine.settings().index_rows:
            start = int(last.rows[0])
            self.stretches.pop()
        self.objects, self.bounds = objects, None
        self.stretches += self._cut(start)

    def keep(self, kept: Rows, objects: Any) -> None:
        """Stay with some rows, in rising order, which are the objects given; drop the others."""
        new = np.full(self.objects.shape[0], -1, dtype=np.intp)
        new[kept] = np.arange(len(kept))
        self.objects, self.bounds, self.own = objects, None, OwnSearch(self.measure)
        stretches = []
        for stretch in self.stretches:
            rows = new[stretch.rows]
            left = rows[rows >= 0]
            if len(left) == len(rows):
                stretch.rows = left
                stretches.append(stretch)
            elif len(left):
                stretches.append(Stretch(left, stretch.span))
        self.stretches = stretches
