"""Pairs of strings within a number of edits, and the nearest strings, by the native kernels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .backends import EditSearchPlan, backend
from .executors import chunks, using
from .plan import Stop
from .progress import Progress, progress_bar
from .settings import settings
from .threads import n_threads, run_tasks

JOINED_ROWS = 4096  # strings of one task that looks for pairs

Codes = NDArray[np.int32]
Offsets = NDArray[np.int64]
Strings = tuple[Codes, Offsets]
"""Texts in codes, sorted by length."""
EditPairs = tuple[Offsets, Offsets, NDArray[np.int32]]


class TooManyPairsError(ValueError):
    """More pairs than were asked for at most."""


def edit_pairs(
    texts: Strings,
    n_symbols: int,
    limit: int,
    *,
    others: Strings | None = None,
    most: int,
    n_jobs: int | None = None,
    progress: bool | Progress = False,
) -> EditPairs:
    """Return the numbers of both strings of every pair within `limit` edits, and the edits.

    Parameters
    ----------
    texts : tuple of codes and offsets
        Sorted by length; codes are below `n_symbols`.
    n_symbols : int
    limit : int
    others : tuple of codes and offsets, optional
        What they are compared with, sorted by length too; `n_symbols` stands for any other symbol.
        Default: each other, and the first number of a pair is the smaller one.
    most : int
        With more pairs than this it stops.
    n_jobs : int, optional
    progress : bool or Progress, default=False
    """
    plan = backend().edits(*texts, n_symbols, limit)
    probes, own = (texts, True) if others is None else (others, False)
    found: list[EditPairs] = []
    room = most  # pairs that may still come, of all threads together

    def probe(start: int, end: int, stop: Stop) -> int:
        nonlocal room
        offsets = np.ascontiguousarray(probes[1][start : end + 1])
        numbers, places, edits = plan.probe(probes[0], offsets, start if own else -1, room, stop)
        room -= len(edits)
        if room < 0:
            raise TooManyPairsError(f"there are more than {most} pairs")
        found.append((numbers, places + start, edits))
        return end - start

    with using(n_jobs=n_jobs), progress_bar(progress) as bar:
        meetings = list(_meetings(np.diff(texts[1]), np.diff(probes[1]), limit, own))
        bar.start(sum(b - a for *_, a, b in meetings), unit="strings")
        for first, last, a, b in meetings:
            plan.build(first, last)
            starts = range(a, b, JOINED_ROWS)
            tasks = (partial(probe, start, min(b, start + JOINED_ROWS)) for start in starts)
            run_tasks(tasks, n_threads(), bar.advance)
    left, right, edits = zip(*found, strict=True) if found else ((), (), ())
    empty = np.empty(0, dtype=np.int64)
    return (
        np.concatenate([empty, *left]),
        np.concatenate([empty, *right]),
        np.concatenate([empty.astype(np.int32), *edits]),
    )


def _meetings(
    lengths: Offsets, others: Offsets, limit: int, own: bool
) -> Iterator[tuple[int, int, int, int]]:
    """Yield runs of texts of one length, and the run of probes that can be near them."""
    for length in np.unique(lengths):
        first, last = np.searchsorted(lengths, [length, length + 1])
        shortest = length if own else length - limit
        a, b = np.searchsorted(others, [shortest, length + limit + 1])
        if b > a:
            yield int(first), int(last), int(a), int(b)


# The nearest strings by edits: which queries on which threads.


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
        run_tasks((partial(task, a, b) for a, b in pieces), n_threads(), now.count)
    counts, numbers, edits, steps = zip(*(found[a] for a, _ in pieces), strict=True)
    return np.concatenate(counts), np.concatenate(numbers), np.concatenate(edits), sum(steps)
