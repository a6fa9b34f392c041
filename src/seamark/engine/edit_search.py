"""The nearest strings by edits: which queries on which threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .context import using
from .edit_join import Codes, Offsets, Strings
from .executors import chunks
from .plan import Stop
from .protocols import EditSearchPlan
from .settings import settings
from .threads import n_threads, run_tasks

Near = tuple[Offsets, Offsets, Codes, int]
"""How many were found for each query; their numbers; their edits; steps that it took."""


def edits_near(
    search: EditSearchPlan,
    queries: Strings,
    limits: NDArray[np.int32],
    most: int,
    seconds: float,
    n_jobs: int | None = None,
) -> Near:
    """Return the nearest of a search's strings for each query, the nearest first.

    Parameters
    ----------
    search : EditSearchPlan
    queries : tuple of codes and offsets
    limits : ndarray of int32
        Edits that each query may be away.
    most : int
        How many to find for each.
    seconds : float
        Rough time for one query.
    n_jobs : int, optional
    """
    n, now = len(limits), settings()
    found: dict[int, Near] = {}

    def task(a: int, b: int, stop: Stop) -> int:
        offsets = np.ascontiguousarray(queries[1][a : b + 1])
        got = search.near(queries[0], offsets, limits[a:b], most, stop)
        found[a] = got[0], got[1], got[2], got[4]
        return got[3]

    if n * seconds < now.chunk_seconds / 50:  # handing them to a thread would take longer
        now.count(task(0, n, np.zeros(1, dtype=np.uint8)))
        return found[0]
    with using(n_jobs=n_jobs):
        pieces = chunks(np.full(n, seconds), 0, n_threads())
        run_tasks(_tasks(task, pieces), n_threads(), now.count)
    counts, numbers, edits, steps = zip(*(found[a] for a, _ in pieces), strict=True)
    return np.concatenate(counts), np.concatenate(numbers), np.concatenate(edits), sum(steps)


def _tasks(
    task: Callable[[int, int, Stop], int], pieces: list[tuple[int, int]]
) -> Iterator[Callable[[Stop], int]]:
    for a, b in pieces:
        yield partial(task, a, b)
