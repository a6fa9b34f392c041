"""Objects passed over unseen: lower bounds of distances from a few numbers kept of each object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..measures import Custom, Measure
from ..measures.custom import TRIAL, takes_batches
from .nearest import Found, Keys, Nearest, Numbers, Rows
from .store import SLACK, Store

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
    plan = measure.compile(objects[:1])
    dear = float(plan.seconds(objects[:FEWEST]).mean()) > DEAR
    return min(32, int(np.sqrt(n) / 4)) if dear else 0


def settled(measure: Measure, objects: Any) -> Measure:
    """Return a measure that need not try out, for every few objects, what its function takes."""
    if isinstance(measure, Custom) and measure.vectorised is None:
        batches = takes_batches(measure.f, objects[: TRIAL[0]], objects[: TRIAL[1]])
        return measure._with(vectorised=batches)
    return measure


def far_apart(store: Store, n_landmarks: int) -> tuple[Rows, Keys]:
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


def apart(query: Numbers, kept: Keys, slack: float = SLACK) -> Numbers:
    """Lower bounds of the distances of one query to all objects (LAESA).

    By the triangle inequality no distance is below the difference of the two distances to any
    landmark. Each of the three may be off by rounding.

    Parameters
    ----------
    query : ndarray of shape (n_landmarks,)
    kept : ndarray of shape (n, n_landmarks)

    Examples
    --------
    >>> apart(np.array([5.0]), np.array([[1.0], [5.0]], dtype=np.float32)).round(1)
    array([4., 0.])
    """
    least = np.zeros(len(kept))
    for j, value in enumerate(query):
        column = kept[:, j].astype(np.float64)
        np.maximum(least, np.abs(column - value) - slack * (column + value), out=least)
    return (1 - slack) * least


def refine(store: Store, queries: Any, found: Found, bounds: Callable[[int], NDArray[Any]]) -> None:
    """Compare each query with objects in the order of their lower bounds, while they matter.

    Parameters
    ----------
    store : Store
    queries : objects
    found : Found
    bounds : callable
        ``bounds(i)`` returns, for query i, a number per object that no key is below.
    """
    for i in range(queries.shape[0]):
        lower = bounds(i)
        order = np.argsort(lower, kind="stable")
        rising, query, one = lower[order], queries[i : i + 1], np.array([i])
        start, size = 0, FIRST
        while True:
            reach = int(np.searchsorted(rising, found.cutoff[i], side="right"))
            stop = min(start + size, reach)
            if stop <= start:
                break
            rows = np.sort(order[start:stop])
            with engine.numbering(one):
                found.take(one, rows, store.keys(query, rows))
            start, size = stop, 2 * size
