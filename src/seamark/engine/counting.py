"""Counts measure evaluations, whoever asks for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass
class Counter:
    """Number of pairs evaluated so far."""

    evaluations: int = 0


_open: ContextVar[tuple[Counter, ...]] = ContextVar("seamark_counters", default=())


@contextmanager
def counting() -> Iterator[Counter]:
    """Count the measure evaluations of everything that runs inside.

    Examples
    --------
    >>> import seamark as sm
    >>> with sm.engine.counting() as counter:
    ...     _ = sm.cross("levenshtein", ["a", "bc"], ["abc", "c", ""])
    >>> counter.evaluations
    6
    """
    counter = Counter()
    token = _open.set((*_open.get(), counter))
    try:
        yield counter
    finally:
        _open.reset(token)


def count(evaluations: int) -> None:
    """Add to every open counter."""
    for counter in _open.get():
        counter.evaluations += evaluations
