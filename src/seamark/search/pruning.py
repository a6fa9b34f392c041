"""Objects passed over unseen: lower bounds of distances from a few numbers kept of each object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..estimating import Numbers, Rows
from ..measures import Custom, Measure
from ..measures.custom import TRIAL, takes_batches
from .nearest import Found, Keys, Nearest, smallest
from .store import SLACK, Searched

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
