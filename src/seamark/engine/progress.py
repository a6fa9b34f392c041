"""A progress bar (tqdm if present, else rich, else text), and the steps of a job it shows."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, field
from typing import Any, ClassVar


class Progress:
    """Silent progress: the base class, and what ``progress=False`` means."""

    shown: ClassVar[bool] = False
    """Whether anyone sees what is said."""

    def start(self, total: int, unit: str = "values") -> None:
        """Begin a job of `total` units."""

    def advance(self, amount: int) -> None:
        """Say that `amount` more units are done."""

    def say(self, message: str) -> None:
        """Show one line of text, such as a cost estimate."""

    def close(self) -> None:
        """End the job, finished or not."""

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class _TqdmProgress(Progress):
    """Progress through tqdm (a widget in notebooks)."""

    shown = True

    def start(self, total: int, unit: str = "values") -> None:
        from tqdm.auto import tqdm

        self._bar: Any = tqdm(total=total, unit=f" {unit}", unit_scale=True, desc="seamark")

    def advance(self, amount: int) -> None:
        self._bar.update(amount)

    def say(self, message: str) -> None:
        self._bar.write(message, file=sys.stderr)

    def close(self) -> None:
        if hasattr(self, "_bar"):
            self._bar.close()


class _RichProgress(Progress):
    """Progress through rich."""

    shown = True

    def start(self, total: int, unit: str = "values") -> None:
        from rich.console import Console
        from rich.progress import Progress as Bar

        self._bar: Any = Bar(console=Console(stderr=True))
        self._task = self._bar.add_task(f"seamark ({unit})", total=total)
        self._bar.start()

    def advance(self, amount: int) -> None:
        self._bar.advance(self._task, amount)

    def say(self, message: str) -> None:
        self._bar.console.print(message)

    def close(self) -> None:
        if hasattr(self, "_bar"):
            self._bar.stop()


class _TextProgress(Progress):
    """Progress as lines on standard error, at most one every two seconds."""

    shown = True

    def start(self, total: int, unit: str = "values") -> None:
        self._total, self._done, self._unit = total, 0, unit
        self._began = self._shown = time.monotonic()

    def advance(self, amount: int) -> None:
        self._done += amount
        now = time.monotonic()
        if now - self._shown >= 2.0 or self._done >= self._total:
            self._shown = now
            left = (now - self._began) * (self._total - self._done) / max(self._done, 1)
            share = 100 * self._done / max(self._total, 1)
            rate = self._done / max(now - self._began, 1e-9)
            done = f"{share:3.0f} % of {self._total} {self._unit}, {rate:.3g} a second"
            self.say(f"{done}, {duration(left)} left")

    def say(self, message: str) -> None:
        print(f"seamark: {message}", file=sys.stderr)


class CallbackProgress(Progress):
    """Progress as subtasks of a fitting estimator, for scikit-learn's callbacks (1.9 and later).

    Parameters
    ----------
    estimator : estimator
        The one whose `fit` is running.
    context : sklearn.callback.CallbackContext
        Its task, which gets one subtask per job, and that one a subtask for every percent.
    """

    PARTS = 100

    def __init__(self, estimator: Any, context: Any) -> None:
        self._estimator = estimator
        self._context = context

    def start(self, total: int, unit: str = "values") -> None:
        """Begin a task."""
        task = self._context.subcontext(unit, max_subtasks=self.PARTS)
        self._task: Any = task.call_on_fit_task_begin(estimator=self._estimator)
        self._total, self._done, self._parts = total, 0, 0

    def advance(self, amount: int) -> None:
        """Report every percent that has been passed."""
        self._done += amount
        while self._parts < min(self.PARTS, self.PARTS * self._done // max(self._total, 1)):
            part = self._task.subcontext("part")
            part.call_on_fit_task_begin(estimator=self._estimator)
            part.call_on_fit_task_end(estimator=self._estimator)
            self._parts += 1

    def close(self) -> None:
        """End the task."""
        if hasattr(self, "_task"):
            self._task.call_on_fit_task_end(estimator=self._estimator)


class Part(Progress):
    """The share of one job in the bar of a larger one, which is started and closed elsewhere."""

    def __init__(self, whole: Progress) -> None:
        self._whole = whole

    @property
    def shown(self) -> bool:  # type: ignore[override]
        """As the whole."""
        return self._whole.shown

    def advance(self, amount: int) -> None:
        """Pass on."""
        self._whole.advance(amount)

    def say(self, message: str) -> None:
        """Pass on."""
        self._whole.say(message)


def progress_bar(show: bool | Progress) -> Progress:
    """Return the best progress bar this environment has, a silent one, or the one given."""
    if isinstance(show, Progress):
        return show
    if not show:
        return Progress()
    if importlib.util.find_spec("tqdm"):
        return _TqdmProgress()
    return _RichProgress() if importlib.util.find_spec("rich") else _TextProgress()


@contextmanager
def showing(progress: bool | Progress, total: int) -> Iterator[bool | Progress]:
    """Show a job of so many values in one bar; yield what its parts advance, False if none is."""
    if not progress or not total:
        yield False
        return
    with progress_bar(progress) as bar:
        bar.start(total)
        yield Part(bar)


@dataclass
class Steps:
    """Seconds of each step so far; a step inside another is not counted twice.

    Parameters
    ----------
    progress : bool or Progress
        Where steps are shown.
    """

    progress: bool | Progress = False
    seconds: dict[str, float] = field(default_factory=dict)
    bar: Progress | None = None
    left: int = 0  # parts of the bar
    name: str = "other"
    since: float = field(default_factory=time.perf_counter)

    def turn_to(self, name: str) -> str:
        """Count the time from now on as another step's, and return the one it was."""
        now, before = time.perf_counter(), self.name
        self.seconds[before] = self.seconds.get(before, 0.0) + now - self.since
        self.name, self.since = name, now
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
    bar = copy(progress_bar(steps.progress)) if parts and steps.progress else None
    steps.bar, steps.left = bar, parts
    if bar is not None:
        bar.start(parts, f"parts of {name}")
    try:
        yield
        if bar is not None:
            bar.advance(steps.left)
    finally:
        if bar is not None:
            bar.close()
        steps.bar, steps.left = outer
        steps.turn_to(before)


def tick() -> None:
    """Say that a part of the step is done; the last one is done when the step ends."""
    steps = _steps.get()
    if steps is not None and steps.bar is not None and steps.left > 1:
        steps.left -= 1
        steps.bar.advance(1)


def duration(seconds: float) -> str:
    """Return a time span for people.

    Examples
    --------
    >>> duration(0.0031), duration(0.37), duration(42), duration(9000), duration(2e5)
    ('3.1 ms', '370 ms', '42 s', '2.5 h', '2.3 days')
    """
    for limit, unit, name in ((1e-3, 1e-6, "µs"), (1.0, 1e-3, "ms")):
        if seconds < limit:
            amount = seconds / unit
            return f"{amount:.0f} {name}" if amount >= 10 else f"{amount:.2g} {name}"
    for limit, unit, name in ((90, 1, "s"), (5400, 60, "min"), (172800, 3600, "h")):
        if seconds < limit:
            return f"{seconds / unit:.0f} {name}" if unit < 3600 else f"{seconds / unit:.1f} {name}"
    return f"{seconds / 86400:.1f} days"
