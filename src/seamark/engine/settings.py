"""Settings in force while work runs, and notes of it: evaluations, and the seconds of its steps."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, field, fields
from typing import Any

from .progress import CallbackProgress, OneBar, Progress, progress_bar

KEPT_BYTES = 1 << 30  # that a fit holds if nobody says


@dataclass
class Counter:
    """Number of pairs evaluated so far."""

    evaluations: int = 0

    def add(self, evaluations: int) -> None:
        """Count more of them."""
        self.evaluations += evaluations


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
    inside: float = 0.0  # seconds of the steps that ended inside the present one


@dataclass(frozen=True)
class Settings:
    """What work goes by: where it runs, on how many workers, within which bounds.

    Settings are a context: `using` changes some of them for what runs inside, in the thread
    that runs it. Work that is handed to other threads or processes takes them along.

    Attributes
    ----------
    backend, executor : object or None
        What plans are compiled for, and what runs them; None: the best for each plan.
    n_jobs : int or None
        Workers, where a call does not say.
    chunk_seconds : float
        Estimated work in one chunk of rows: how long Ctrl-C may take.
    counters : tuple of Counter
        Those that count evaluations; see `counting`.
    steps : Steps or None
        What notes the seconds of each `step`.
    rows : slice or ndarray or None
        Numbers, among the user's, of the rows at work, for messages; see `numbering`.
    feature_bytes : int
        Features of one chunk of rows.
    budget : int or None
        Bytes that a fit was told to hold at most: sums to solve for, and values, in place of
        computing them again. It refuses to hold more; see `share` and `kept_bytes`.
    device_bytes : int or None
        Memory of a GPU that a run may take beside its landmarks; None: half of what is free.
    hashed_from : int
        With more rows than this, folds and landmarks are drawn by a hash of seed and object, so
        that every way and order of reading rows draws the same.
    chunk_rows : int
        The most rows that are read from files at a time.
    """

    backend: Any = None
    executor: Any = None
    n_jobs: int | None = None
    chunk_seconds: float = 0.1
    counters: tuple[Counter, ...] = ()
    steps: Steps | None = None
    rows: Any = None
    feature_bytes: int = 32 << 20
    budget: int | None = None
    device_bytes: int | None = None
    hashed_from: int = 100_000
    chunk_rows: int = 1 << 16

    @property
    def kept_bytes(self) -> int:
        """What a fit may hold, asked for or not."""
        return KEPT_BYTES if self.budget is None else self.budget

    def share(self, part: int, most: int) -> int:
        """Return the bytes that one use of memory may take: at most this part of the budget.

        Examples
        --------
        >>> with changed(budget=80_000_000):
        ...     settings().share(8, 128 << 20)
        10000000
        """
        # Below a megabyte there is nothing to save.
        return most if self.budget is None else min(most, max(1 << 20, self.budget // part))

    def row(self, i: int) -> int:
        """Return the user's number of row i of those at work."""
        if self.rows is None:
            return i
        return int(self.rows.start + i if isinstance(self.rows, slice) else self.rows[i])

    def portable(self) -> dict[str, Any]:
        """Return what another process is to go by: all but what belongs to this one."""
        own = ("backend", "executor", "n_jobs", "counters", "steps", "rows")
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name not in own}

    def count(self, evaluations: int) -> None:
        """Add to every open counter."""
        for counter in self.counters:
            counter.add(evaluations)


in_force: ContextVar[Settings] = ContextVar("seamark_settings", default=Settings())  # noqa: B039


def settings() -> Settings:
    """Return the settings in force here and now; `in_force` holds them."""
    return in_force.get()


def row_chunks(n: int, bytes_per_row: int) -> list[slice]:
    """Cut n rows into runs, each of no more than `feature_bytes`, and of one row at least.

    Examples
    --------
    >>> with changed(feature_bytes=100):
    ...     row_chunks(5, 40)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    now = in_force.get()
    step = max(1, now.share(16, now.feature_bytes) // max(1, bytes_per_row))
    return [slice(start, min(n, start + step)) for start in range(0, n, step)]


@contextmanager
def changed(counter: Counter | None = None, **changes: Any) -> Iterator[Settings]:
    """Change some settings for what runs inside.

    Parameters
    ----------
    counter : Counter, optional
        Counts the evaluations inside, beside those that count already.
    **changes
        Any of `Settings`.

    Examples
    --------
    >>> with changed(n_jobs=2) as inside:
    ...     inside.n_jobs, settings() is inside
    (2, True)
    >>> settings().n_jobs is None
    True
    """
    outer = in_force.get()
    counters = outer.counters if counter is None else (*outer.counters, counter)
    if unknown := changes.keys() - vars(outer).keys():
        raise TypeError(f"there is no setting {', '.join(sorted(unknown))}; see engine.Settings.")
    inside = object.__new__(Settings)  # `replace` would look at every setting, each time
    vars(inside).update(vars(outer) | {"counters": counters} | changes)
    token = in_force.set(inside)
    try:
        yield inside
    finally:
        in_force.reset(token)


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
    with changed(counter):
        yield counter


def numbering(rows: Any, *, within: bool = False) -> AbstractContextManager[Settings]:
    """State which of the user's rows are worked on inside, so that messages name them.

    Parameters
    ----------
    rows : slice or ndarray of int
    within : bool
        Whether a slice counts from the rows that are worked on already, if these are a slice.
    """
    outer = in_force.get().rows
    if within and isinstance(outer, slice):
        rows = slice(outer.start + rows.start, outer.start + rows.stop)
    return changed(rows=rows)


@contextmanager
def step(name: str, parts: int = 0) -> Iterator[None]:
    """Say what runs inside; without effect where no `Steps` are in force.

    Parameters
    ----------
    name : str
        As users know it.
    parts : int
        About how many parts it has, each of which ends with a `tick`; 0: it is not shown.
    """
    steps = in_force.get().steps
    if steps is None:
        yield
        return
    start, outer = time.perf_counter(), (steps.bar, steps.left, steps.inside)
    bar = copy(progress_bar(steps.progress)) if parts and steps.progress else None
    steps.bar, steps.left, steps.inside = bar, parts, 0.0
    if bar is not None:
        bar.start(parts, f"parts of {name}")
    try:
        yield
        if bar is not None:
            bar.advance(steps.left)
    finally:
        if bar is not None:
            bar.close()
        spent = time.perf_counter() - start
        steps.seconds[name] = steps.seconds.get(name, 0.0) + spent - steps.inside
        steps.bar, steps.left = outer[:2]
        steps.inside = outer[2] + spent


def tick() -> None:
    """Say that a part of the step is done; the last one is done when the step ends."""
    steps = in_force.get().steps
    if steps is not None and steps.bar is not None and steps.left > 1:
        steps.left -= 1
        steps.bar.advance(1)


@contextmanager
def fit_context(estimator: Any, progress: bool) -> Iterator[bool | Progress]:
    """Note evaluations and seconds of a fit that begins and ends here, and tell callbacks of it.

    Yields what shows progress inside: the callbacks if there are any, else what was asked for.
    """
    callbacks = getattr(estimator, "_skl_callbacks", None)
    context = estimator._init_callback_context(max_subtasks=None) if callbacks else None
    if context is not None:
        context.call_on_fit_task_begin(estimator=estimator)
    one = OneBar(progress_bar(True)) if progress is True and context is None else None
    shown = one or (progress if context is None else CallbackProgress(estimator, context))
    workers = {} if estimator.n_jobs is None else {"n_jobs": estimator.n_jobs}
    steps, counter = Steps(shown), Counter()
    try:
        with changed(counter, steps=steps, **workers), step("other"):
            yield shown
    finally:
        if one is not None:
            one.finish()
    estimator.n_evaluations_, estimator.fit_times_ = counter.evaluations, steps.seconds
    if context is not None:
        context.call_on_fit_task_end(estimator=estimator)
