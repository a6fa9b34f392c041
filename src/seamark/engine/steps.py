"""Steps of a long job: what it is doing, how far that is, and where its time went."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy

from .progress import Progress, progress_bar


class Steps:
    """Seconds of each step so far; a step inside another is not counted twice.

    Parameters
    ----------
    progress : bool or Progress
        Where steps are shown.
    """

    def __init__(self, progress: bool | Progress = False) -> None:
        self.seconds: dict[str, float] = {}
        self.progress = progress
        self.bar = Progress()
        self.left = 0  # parts of the bar
        self._name = "other"
        self._since = time.perf_counter()

    def turn_to(self, name: str) -> str:
        """Count the time from now on as another step's, and return the one it was."""
        now, before = time.perf_counter(), self._name
        self.seconds[before] = self.seconds.get(before, 0.0) + now - self._since
        self._name, self._since = name, now
        return before


_steps: ContextVar[Steps | None] = ContextVar("seamark_steps", default=None)


@contextmanager
def timing(progress: bool | Progress = False) -> Iterator[dict[str, float]]:
    """Note how many seconds each `step` takes that runs inside; "other" is the rest.

    Parameters
    ----------
    progress : bool or Progress
        Where steps that have parts are shown.

    Examples
    --------
    >>> with timing() as seconds:
    ...     with step("tuning"):
    ...         pass
    >>> list(seconds)
    ['other', 'tuning']
    """
    steps = Steps(progress)
    token = _steps.set(steps)
    try:
        yield steps.seconds
    finally:
        steps.turn_to("other")
        _steps.reset(token)


@contextmanager
def step(name: str, parts: int = 0) -> Iterator[None]:
    """Say what runs inside; without effect where nobody is `timing`.

    Parameters
    ----------
    name : str
        As users know it.
    parts : int
        About how many parts it has, each of which ends with a `tick`; 0: it is not shown.
    """
    steps = _steps.get()
    if steps is None:
        yield
        return
    before, outer = steps.turn_to(name), (steps.bar, steps.left)
    steps.bar, steps.left = copy(progress_bar(steps.progress if parts else False)), parts
    steps.bar.start(parts, f"parts of {name}")
    try:
        yield
        steps.bar.advance(steps.left)
    finally:
        steps.bar.close()
        steps.bar, steps.left = outer
        steps.turn_to(before)


def tick() -> None:
    """Say that a part of the step is done; the last one is done when the step ends."""
    steps = _steps.get()
    if steps is not None and steps.left > 1:
        steps.left -= 1
        steps.bar.advance(1)
