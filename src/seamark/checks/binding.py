"""Checks made ready to run one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

Case = TypeVar("Case")


def bound(checks: Sequence[Callable[[Case], None]], case: Case) -> Iterator[Callable[[], None]]:
    """Yield the checks with their case filled in, each named as the promise it checks."""
    for check in checks:
        ready = partial(check, case)
        ready.__name__ = check.__name__.lstrip("_")  # type: ignore[attr-defined]
        yield ready
