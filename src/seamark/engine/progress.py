"""A progress bar: tqdm if present, else rich, else text."""

from __future__ import annotations

import importlib.util
import sys
import time
from typing import Any, ClassVar


class Progress:
    """Silent progress: the base class, and what ``progress=False`` means."""

    shown: ClassVar[bool] = False
    """Whether anyone sees what is said."""

    def start(self, total: int, unit: str = "values") -> None:
        """Begin a job of `total` units."""

    def advance(self, amount: int) -> None:
        """Say that `amount` more units are done."""

    def expect(self, jobs: int) -> None:
        """Say about how many jobs there will be."""

    def extend(self, total: int, name: str) -> None:
        """Say that there are `total` units in all, and what the next of them are."""

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

    def extend(self, total: int, name: str) -> None:
        self._bar.total = total
        self._bar.set_description(f"seamark: {name}")

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

    def extend(self, total: int, name: str) -> None:
        self._bar.update(self._task, total=total, description=f"seamark: {name}")

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

    def extend(self, total: int, name: str) -> None:
        self._total, self._unit = total, f"parts, {name}"

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


class OneBar(Progress):
    """One bar for all jobs of a fit, which count alike: each that begins is named.

    Parameters
    ----------
    bar : Progress
        What is shown; begun with the first job, and ended by `finish`.
    """

    PARTS = 10  # of a job

    def __init__(self, bar: Progress) -> None:
        # Shared by copies, each of which is another job of the same whole.
        self._whole: dict[str, Any] = {"bar": bar, "jobs": 0, "expected": 1}

    @property
    def shown(self) -> bool:  # type: ignore[override]
        """As the whole."""
        return bool(self._whole["bar"].shown)

    def expect(self, jobs: int) -> None:
        """Take note."""
        self._whole["expected"] = jobs

    def start(self, total: int, unit: str = "values") -> None:
        """Begin a job, of any size."""
        whole = self._whole
        if whole["jobs"] == 0:
            whole["bar"].start(self.PARTS * whole["expected"], "parts")
        whole["jobs"] += 1
        whole["expected"] = max(whole["expected"], whole["jobs"])
        whole["bar"].extend(self.PARTS * whole["expected"], unit.removeprefix("parts of "))
        self._total, self._done, self._parts = max(total, 1), 0, 0

    def advance(self, amount: int) -> None:
        """Pass on every part that is done."""
        self._done += amount
        parts = min(self.PARTS, self.PARTS * self._done // self._total)
        if parts > self._parts:
            self._whole["bar"].advance(parts - self._parts)
            self._parts = parts

    def say(self, message: str) -> None:
        """Pass on."""
        self._whole["bar"].say(message)

    def close(self) -> None:
        """End the job; others may follow."""
        if hasattr(self, "_total"):
            self.advance(self._total)

    def finish(self) -> None:
        """End all of it: jobs that did not come are done."""
        whole = self._whole
        left = whole["expected"] - whole["jobs"]
        if whole["jobs"] and left:
            whole["bar"].extend(self.PARTS * whole["expected"], "done")
            whole["bar"].advance(self.PARTS * left)
        whole["bar"].close()


class PartOfBar(Progress):
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
