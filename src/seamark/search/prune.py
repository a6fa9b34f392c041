"""Objects ready to be searched: blocks, bounds that pass over them, and the nearest found."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..engine.lapack import tiles
from ..measures import Custom, Measure
from ..measures.custom import TRIAL, takes_batches

Rows = NDArray[np.intp]
Numbers = NDArray[np.float64]
Keys = NDArray[np.float32]

INDEX_ROWS = 8192
"""Objects of a block of an index."""
CALLED_ROWS = 1 << 17
"""The same where a Python function is called."""
PART_ROWS = 1 << 20
"""Objects of one part of an index of strings: a thread needs a few bytes for each."""
NO_ROW = np.iinfo(np.intp).max
LAST = 0xFFFFFFFF
"""Rows beneath it are sorted together with their keys, as the lower half of one number."""
NOTHING = np.uint64(2**64 - 1)
QUERIES_AT_ONCE, GROUP, CROWDED = 64, 32, 8
"""So many keys stay in cache; of so many the least is compared; times k, too many to sort."""


class Found:
    """What is found so far for each of m queries."""

    cutoff: Any
    """For each query the largest key that can still matter."""
    most: int | None = None
    """How many are wanted for each query; None: all up to the cut-off."""

    @abstractmethod
    def add(self, query: int, rows: Rows, keys: Keys) -> None:
        """Take rows and keys of one query; none is beyond its cut-off."""

    def take(self, queries: Rows, rows: Rows, keys: Keys) -> None:
        """Look at the keys of some queries against some rows, which are in rising order."""
        hits = keys <= self.cutoff[queries, None]
        for i in np.flatnonzero(hits.any(axis=1)):
            self.add(int(queries[i]), rows[hits[i]], keys[i][hits[i]])

    def receive(self, queries: Rows, counts: Rows, rows: Rows, keys: Keys) -> None:
        """Take what another search found for some queries, so many for each, the nearest first."""
        ends = np.cumsum(counts)
        for i in np.flatnonzero(counts):
            own = slice(ends[i] - counts[i], ends[i])
            self.add(int(queries[i]), rows[own], keys[own])


class Nearest(Found):
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
        self.rows: Rows = np.full((n_queries, k), NO_ROW, dtype=np.intp)
        self.most: int = k

    @property
    def cutoff(self) -> Keys:
        """The k-th smallest key so far; infinite until k were seen."""
        return np.asarray(self.keys[:, -1])

    def take(self, queries: Rows, rows: Rows, keys: Keys) -> None:
        """Keep what is among the k nearest, of some dozen queries at a time."""
        if self.most == 0 or rows[-1] >= LAST:
            super().take(queries, rows, keys)
        else:
            for some in tiles(0, len(queries), QUERIES_AT_ONCE):
                self._take_few(queries[some], rows, keys[some])

    def _take_few(self, queries: Rows, rows: Rows, keys: Keys) -> None:
        """Keep what is among the k nearest: keys and rows are sorted as one number."""
        cutoff = np.array(self.cutoff[queries])
        new = np.isinf(cutoff)  # of these there is no telling yet which keys can matter
        if new.any() and len(rows) >= self.most * GROUP:
            cutoff[new] = _bound(keys[new], self.most)
        hits = keys <= cutoff[:, None]
        query, column = np.divmod(np.flatnonzero(hits), len(rows))
        counts = np.bincount(query, minlength=len(queries))
        crowded = counts > CROWDED * self.most  # many keys are the same
        if crowded.any():
            for i in np.flatnonzero(crowded):
                self.add(int(queries[i]), rows[hits[i]], keys[i][hits[i]])
            query, column = (part[~crowded[query]] for part in (query, column))
            counts[crowded] = 0
        if not len(query):
            return
        place = self.most + np.arange(len(query)) - np.repeat(np.cumsum(counts) - counts, counts)
        joined = np.full((len(queries), self.most + counts.max()), NOTHING)
        known = np.minimum(self.rows[queries], LAST)
        joined[:, : self.most] = _as_one(self.keys[queries], known.astype(np.uint64))
        joined[query, place] = _as_one(keys[query, column], rows[column].astype(np.uint64))
        joined.sort(axis=1)
        self.keys[queries], self.rows[queries] = _apart(joined[:, : self.most])

    def receive(self, queries: Rows, counts: Rows, rows: Rows, keys: Keys) -> None:
        """Keep what is among the k nearest."""
        if (counts == self.most).all() and np.isinf(self.keys[queries]).all():  # all is new
            self.keys[queries] = keys.reshape(-1, self.most)
            self.rows[queries] = rows.reshape(-1, self.most)
        else:
            super().receive(queries, counts, rows, keys)

    def add(self, query: int, rows: Rows, keys: Keys) -> None:
        """Keep what is among the k nearest."""
        near = smallest(keys, self.most)
        all_keys = np.concatenate([self.keys[query], keys[near]])
        all_rows = np.concatenate([self.rows[query], rows[near]])
        order = np.lexsort((all_rows, all_keys))[: self.most]
        self.keys[query], self.rows[query] = all_keys[order], all_rows[order]


class Within(Found):
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

    def add(self, query: int, rows: Rows, keys: Keys) -> None:
        """Keep all of it."""
        self._found[query].append((keys, rows))

    def of(self, query: int) -> tuple[Keys, Rows]:
        """Return the keys of one query and their rows, the nearest first."""
        found = self._found[query]
        if not found:
            return np.empty(0, dtype=np.float32), np.empty(0, dtype=np.intp)
        keys, rows = (np.concatenate(parts) for parts in zip(*found, strict=True))
        order = np.lexsort((rows, keys))
        return keys[order], rows[order]


def _bound(keys: Keys, k: int) -> Keys:
    """Return for each query a key that its k smallest do not exceed: of groups' least the k-th."""
    n_groups = keys.shape[1] // GROUP
    least = keys[:, : n_groups * GROUP].reshape(len(keys), GROUP, n_groups).min(axis=1)
    bound = np.partition(least, k - 1, axis=1)[:, k - 1]
    return np.where(np.isnan(bound), np.float32(np.inf), bound)


def _as_one(keys: Keys, rows: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers that rise as keys do, and where these are equal as rows do."""
    bits = (keys + np.float32(0)).view(np.uint32)  # no −0
    signs = bits >> np.uint32(31)
    rising = bits ^ np.where(signs, np.uint32(0xFFFFFFFF), np.uint32(0x80000000))
    return (rising.astype(np.uint64) << np.uint64(32)) | rows


def _apart(joined: NDArray[np.uint64]) -> tuple[Keys, Rows]:
    """Return the keys and rows of numbers of `_as_one`.

    Examples
    --------
    >>> keys = np.array([-2.5, 0.0, np.inf], dtype=np.float32)
    >>> _apart(_as_one(keys, np.array([7, 8, 9], np.uint64)))
    (array([-2.5,  0. ,  inf], dtype=float32), array([7, 8, 9]))
    """
    rising = (joined >> np.uint64(32)).astype(np.uint32)
    signs = rising >> np.uint32(31)
    bits = rising ^ np.where(signs, np.uint32(0x80000000), np.uint32(0xFFFFFFFF))
    rows = (joined & LAST).astype(np.intp)
    return bits.view(np.float32), np.where(rows == LAST, NO_ROW, rows)


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


# Searches of a measure's own, in parts that grow.


class Part(NamedTuple):
    """Objects from a row on, made ready to be searched; None: the measure has no such search."""

    start: int
    size: int
    search: Any


class OwnSearch:
    """Objects searched by what the measure itself knows, quicker than value by value.

    Parameters
    ----------
    measure : Measure
        All numbers.

    Examples
    --------
    >>> import seamark as sm
    >>> from seamark.search.prune import Nearest
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
        while self.parts and self.parts[-1].size <= min(n - start, PART_ROWS - 1):
            start = self.parts.pop().start
        for a in range(start, n, PART_ROWS):
            some = objects[a : a + PART_ROWS]
            self.parts.append(Part(a, some.shape[0], self.measure.searching(some)))


# Objects to be searched, in stretches that are compiled when they are first needed.


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
    >>> from seamark.search.prune import Nearest
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
        size = CALLED_ROWS if called else INDEX_ROWS
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
        if alone and len(last.rows) < INDEX_ROWS:
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


def without_own(keys: Keys, rows: Rows, own: Rows) -> tuple[Keys, Rows]:
    """Return the nearest without each query's own row, one fewer for each.

    Where as many others are equally near, so that its own is not among them, the last goes.

    Examples
    --------
    >>> keys = np.array([[0.0, 1.0], [0.0, 0.0]], dtype=np.float32)
    >>> without_own(keys, np.array([[0, 2], [0, 2]]), np.array([0, 3]))
    (array([[1.],
           [0.]], dtype=float32), array([[2],
           [0]]))
    """
    dropped = rows == own[:, None]
    dropped[~dropped.any(axis=1), -1] = True
    return keys[~dropped].reshape(len(own), -1), rows[~dropped].reshape(len(own), -1)


def nearest(
    measure: Measure,
    queries: Any,
    objects: Any,
    k: int,
    *,
    own: Rows | None = None,
    n_jobs: int | None = None,
) -> tuple[Keys, Rows]:
    """Return the values of each query's k nearest objects, and the rows of these.

    Parameters
    ----------
    measure : Measure
        A distance, or a similarity: then the most similar are the nearest. All numbers.
    queries, objects : objects
        Ingested; `objects` as landmarks.
    k : int
    own : ndarray of int, optional
        Rows of the objects that the queries are; no query is a neighbour of itself then.
    n_jobs : int, optional
        Threads or processes.

    Returns
    -------
    values : ndarray of shape (n_queries, k), float32
        The nearest first.
    rows : ndarray of shape (n_queries, k)
        Of objects equally near, those with the smallest row numbers count.

    Examples
    --------
    >>> import seamark as sm
    >>> words = sm.data.strings.ingest(["sea", "seamark", "mark"])
    >>> nearest(sm.measures.Levenshtein(), words[:1], words, 2)
    (array([[0., 4.]], dtype=float32), array([[0, 1]]))
    """
    store = Searched(measure, objects, n_jobs)
    found = Nearest(queries.shape[0], k + (own is not None))
    store.scan(queries, found)
    keys, rows = found.keys, found.rows
    if own is not None:
        keys, rows = without_own(keys, rows, own)
    return store.sign * keys, rows


# Objects passed over unseen: lower bounds of distances from a few numbers kept of each object.


DEAR = 1e-6
"""Estimated seconds of one value from which keeping values against landmarks pays."""
FEWEST = 256
"""Objects from which it pays."""
FIRST = 32
"""Objects compared before the first look at what can be left out; then twice as many, and so on."""


def wanted(measure: Measure, objects: Any, n_landmarks: int | None) -> int:
    """Return how many landmarks to keep values against; 0: none."""
    n = objects.shape[0]
    metric = measure.kind == "distance" and measure.symmetric is True and measure.triangle is True
    if n_landmarks is not None:
        if n_landmarks and not metric:
            raise ValueError(
                f"n_landmarks={n_landmarks} needs a symmetric distance that keeps the triangle "
                f"inequality, which {measure!r} does not declare; leave it out."
            )
        return min(n_landmarks, int(n))
    if not metric or n < FEWEST:
        return 0
    return min(32, int(np.sqrt(n) / 4)) if is_dear(measure, objects) else 0


def is_dear(measure: Measure, objects: Any) -> bool:
    """Whether one value takes long enough for bounds to pay."""
    plan = measure.compile(objects[:1])
    return float(plan.seconds(objects[:FEWEST]).mean()) > DEAR


def bounding(measure: Measure, objects: Any) -> Callable[[Any], NDArray[Any]] | None:
    """Return a function from queries to lower bounds of their distances, where that pays."""
    if objects.shape[0] < FEWEST or measure.kind != "distance":
        return None
    own = measure.bounding(objects)
    if own is not None or not is_dear(measure, objects):
        return own
    sketches = measure.sketch(objects)
    if sketches is None:
        return None
    return lambda queries: apart(measure.sketch(queries), sketches, 0.0)  # type: ignore[arg-type]


def settled(measure: Measure, objects: Any) -> Measure:
    """Return a measure that need not try out, for every few objects, what its function takes."""
    if isinstance(measure, Custom) and measure.vectorised is None:
        batches = takes_batches(measure.f, objects[: TRIAL[0]], objects[: TRIAL[1]])
        return measure._with(vectorised=batches)
    return measure


def far_apart(store: Searched, n_landmarks: int) -> tuple[Rows, Keys]:
    """Choose landmarks, each the farthest from those before; return rows and all values.

    Returns
    -------
    rows : ndarray of shape (n_landmarks,)
    values : ndarray of shape (n, n_landmarks)
    """
    n = store.objects.shape[0]
    values, nearest = np.empty((n, n_landmarks), dtype=np.float32), np.full(n, np.inf)
    rows = np.zeros(n_landmarks, dtype=np.intp)
    for j in range(n_landmarks):
        rows[j] = 0 if j == 0 else int(nearest.argmax())
        every = Nearest(1, n)
        store.scan(store.objects[rows[j : j + 1]], every)
        values[every.rows[0], j] = every.keys[0]
        nearest = np.minimum(nearest, values[:, j])
    return rows, values


def apart(own: NDArray[Any], kept: NDArray[Any], rounded: float = SLACK) -> Numbers:
    """Lower bounds of the distances of queries to all objects, from a few numbers of each.

    Of sketches it is what these promise. Of values against landmarks it is what the triangle
    inequality says (LAESA): no distance is below the difference of two distances to one landmark.

    Parameters
    ----------
    own : ndarray of shape (queries, s)
    kept : ndarray of shape (n, s)
    rounded : float
        How far these numbers may be off, relative to themselves.

    Examples
    --------
    >>> apart(np.array([[5.0]]), np.array([[1.0], [5.0]])).round(1)
    array([[4., 0.]])
    """
    least = np.zeros((len(own), len(kept)))
    for query, bounds in zip(own.astype(np.float64), least, strict=True):
        for j, value in enumerate(query):
            column = kept[:, j].astype(np.float64)
            lost = rounded * (np.abs(column) + abs(value))
            np.maximum(bounds, np.abs(column - value) - lost, out=bounds)
    return (1 - SLACK) * least


def refine(
    store: Searched, queries: Any, found: Found, bounds: Callable[[Any], NDArray[Any]]
) -> None:
    """Compare each query with objects in the order of their lower bounds, while they matter.

    Parameters
    ----------
    store : Searched
    queries : objects
    found : Found
    bounds : callable
        ``bounds(queries)`` returns numbers (queries, n) that no key is below.
    """
    for rows in engine.row_chunks(queries.shape[0], 8 * store.objects.shape[0]):
        for i, lower in enumerate(bounds(queries[rows]), start=rows.start):
            with engine.numbering(np.array([i])):
                _refine_one(store, queries[i : i + 1], np.array([i]), lower, found)


def _refine_one(
    store: Searched, query: Any, number: Rows, lower: NDArray[Any], found: Found
) -> None:
    first = smallest(lower, FIRST)
    first = first[lower[first] <= found.cutoff[number[0]]]
    if not len(first):
        return
    found.take(number, first, store.keys(query, first))
    rest = np.flatnonzero(lower <= found.cutoff[number[0]])
    rest = rest[~np.isin(rest, first)]
    order = rest[np.argsort(lower[rest], kind="stable")]
    rising, start, size = lower[order], 0, 2 * FIRST
    while True:
        reach = int(np.searchsorted(rising, found.cutoff[number[0]], side="right"))
        stop = min(start + size, reach)
        if stop <= start:
            return
        rows = np.sort(order[start:stop])
        found.take(number, rows, store.keys(query, rows))
        start, size = stop, 2 * size
