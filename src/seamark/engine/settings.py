"""What is in force while work runs: where it runs, on how many workers, within which bounds.

And what is noted of it: evaluations, and the seconds of its steps.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, field, fields
from typing import Any

from .progress import Progress, progress_bar
from .sizes import Sizes


@dataclass
class Counter:
    """Number of pairs evaluated so far."""

    evaluations: int = 0


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
class Settings(Sizes):
    """What work goes by: where it runs, how long a part of it takes, and all of `Sizes`.

    Settings are a context: `using` changes some of them for what runs inside, in the thread
    that runs it. Work that is handed to other threads or processes takes them along. Thresholds
    of numerics and statistics are none of them; see `Sizes`.

    Attributes
    ----------
    backend, executor : object or None
        What plans are compiled for, and what runs them; None: the best for each plan.
    n_jobs : int or None
        Workers, where a call does not say.
    chunk_seconds : float
        Estimated work in one chunk of rows: how long Ctrl-C may take.
    trial_seconds : float
        Calls of a Python function that are made before anything is estimated from them.
    tile_seconds : float
        Calls in one tile: what an interruption may lose.
    batch_seconds : float
        Calls that each process gets before results are collected.
    processes_from : float
        Estimated seconds from which starting processes pays.
    slow_from : float
        Estimated seconds from which the user is told.
    checkpoint_seconds : float
        Least time between two savings of the sums of a fit: what a kill may lose.
    counters : tuple of Counter
        Those that count evaluations; see `counting`.
    steps : Steps or None
        What notes the seconds of each `step`.
    rows : slice or ndarray or None
        Numbers, among the user's, of the rows at work, for messages; see `numbering`.
    """

    backend: Any = None
    executor: Any = None
    n_jobs: int | None = None
    chunk_seconds: float = 0.1
    trial_seconds: float = 0.1
    tile_seconds: float = 0.5
    batch_seconds: float = 2.0
    processes_from: float = 1.0
    slow_from: float = 60.0
    checkpoint_seconds: float = 5.0
    counters: tuple[Counter, ...] = ()
    steps: Steps | None = None
    rows: Any = None

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
            counter.evaluations += evaluations


_in_force: ContextVar[Settings] = ContextVar("seamark_settings", default=Settings())  # noqa: B039


def settings() -> Settings:
    """Return the settings in force here and now."""
    return _in_force.get()


def row_chunks(n: int, bytes_per_row: int) -> list[slice]:
    """Cut n rows into runs, each of no more than `feature_bytes`, and of one row at least.

    Examples
    --------
    >>> with changed(feature_bytes=100):
    ...     row_chunks(5, 40)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(1, settings().feature_bytes // max(1, bytes_per_row))
    return [slice(start, min(n, start + step)) for start in range(0, n, step)]


def within(budget: int) -> dict[str, Any]:
    """Return the settings by which a fit holds no more than so many bytes.

    Examples
    --------
    >>> found = within(80_000_000)
    >>> found["kept_bytes"], found["waiting_bytes"]
    (80000000, 10000000)
    """
    shares = {"waiting_bytes": 8, "equations_bytes": 16, "row_products_bytes": 2}
    shares |= {"spread_bytes": 8, "held_bytes": 1, "feature_bytes": 16, "compared_bytes": 16}
    least = 1 << 20  # below that there is nothing to save
    some = {name: max(least, budget // share) for name, share in shares.items()}
    now = settings()
    return {"budget": budget, "kept_bytes": budget} | {
        name: min(most, getattr(now, name)) for name, most in some.items()
    }


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
    outer = _in_force.get()
    counters = outer.counters if counter is None else (*outer.counters, counter)
    if unknown := changes.keys() - vars(outer).keys():
        raise TypeError(f"there is no setting {', '.join(sorted(unknown))}; see engine.Settings.")
    inside = object.__new__(Settings)  # `replace` would look at every setting, each time
    vars(inside).update(vars(outer) | {"counters": counters} | changes)
    token = _in_force.set(inside)
    try:
        yield inside
    finally:
        _in_force.reset(token)


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
    outer = settings().rows
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
    steps = _in_force.get().steps
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
    steps = _in_force.get().steps
    if steps is not None and steps.bar is not None and steps.left > 1:
        steps.left -= 1
        steps.bar.advance(1)
