"""Settings in force while work runs, and notes of it: evaluations, and the seconds of its steps."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, field, fields
from typing import Any

from .progress import Progress, progress_bar


@dataclass(frozen=True)
class Sizes:
    """How much is done, kept or looked at at a time, in one place; all are `Settings`.

    They budget memory and work. Thresholds of numerics and statistics (tolerances, penalties that
    are tried, sizes below which nothing can be told) stand where they are used, and shapes that a
    kernel is compiled for stand beside it.

    Attributes
    ----------
    feature_bytes : int
        Features of one chunk of rows.
    kept_bytes : int
        What a fit may hold: sums to solve for, and values, in place of computing them again.
    budget : int or None
        The same where it was asked for, so that a fit refuses to hold more; see `within`.
    device_bytes : int or None
        Memory of a GPU that a run may take beside its landmarks; None: half of what is free.
    device_from : float
        Multiplications of a ridge's sums from which on they are made on a GPU, if that is in use.
    device_scores : int
        Scores from which on the sums of a calibration are made on a GPU.
    hashed_from : int
        With more rows than this, folds and landmarks are drawn by a hash of seed and object, so
        that every way and order of reading rows draws the same.
    small_matrix : int
        Matrices of this size or less are worked on by one thread, of BLAS too.
    product_tile : int
        Rows and columns of a product of matrices that are one thread's share.
    compared_bytes : int
        Values of some rows that are put together once, for all transfers compared on them.
    strip_values : int
        Numbers that stay in the cache of a core while they are worked on.
    small_job : float
        Multiplications of a ridge up to which float64 takes so little time that nothing is saved.
    first_rows : int
        Rows that give a ridge its centre and scale.
    product_rows : int
        Rows of one float32 product: more of them would lose digits.
    waiting_bytes : int
        Rows waiting for a product, over all folds.
    row_products_bytes : int
        Products of rows with rows, by which a ridge with few rows is solved.
    equations_bytes : int
        Normal equations that are kept; larger ones are scaled again.
    scaled_bytes, scaled_rows : int
        Columns, and rows of a matrix, scaled at a time, to need no second matrix of them.
    strip_columns : int
        Columns copied or squared at a time.
    few_rows : int
        Rows whose eigenvalues cost less than a handful of factors.
    few_columns : int
        Columns that the search for a penalty does not make fewer; as few rows, in the dual form.
    few_bends : float
        Bends, as a share of the columns, up to which a matrix of bends is quicker.
    scored_values : int
        Features scored at a time; float64 copies of them stay in cache.
    chance_rows : int
        Rows whose chances are computed together, and stay in cache.
    calibration_rows : int
        Numbers of rows, evenly spread, that a calibrated model keeps.
    spread_rows, spread_bytes : int
        Errors by which the spread of predictions is learned, and features of their rows.
    held_bytes : int
        Features that a weighing reads once and holds.
    chunk_rows, chunk_bytes : int
        The most that is read from files at a time.
    many_rows : int
        Rows beyond which the default takes fewer features, so that time stays what it is.
    held_letters, scored_letters : int
        Letters whose n-grams are held at once, and letters times targets of a ridge on them.
    relevance_rows, relevance_columns, relevance_landmarks, slope_rows : int
        The most on which relevances of columns are compared, and rows that give slopes.
    pool_rows : int
        Rows whose features `partial_fit` keeps: calibration and units come from them.
    usual_landmarks : int
        Landmarks whose own nearest landmark shows how far away objects usually are.
    prototype_landmarks : int
        Landmarks of which prototypes are chosen: each costs as much as a prediction.
    explained_bytes : int
        Features of landmarks, while objects are explained.
    located_steps, path_steps : int
        Letters or steps looked at to say where a likeness lies, and steps of a warping path.
    contrasted_letters, contrasted_steps : int
        Letters, or steps of series, of near objects that are contrasted with one.
    drawn_rows : int
        Points whose places in a buffer are drawn at once.
    kernel_rows : int
        Objects whose kernel values are computed together.
    assessed_objects, assessed_references, assessed_square : int
        The most objects and references, and references that are compared with each other.
    triangle_objects : int
        Objects whose triangles are looked at: a million triples.
    curve_rows, curve_weights : int
        Of linear programmes: rows to learn from, and references that get a weight.
    greedy_landmarks : int
        Landmarks that an assessment chooses one by one.
    """

    feature_bytes: int = 32 << 20
    kept_bytes: int = 1 << 30
    budget: int | None = None
    device_bytes: int | None = None
    device_from: float = 5e9
    device_scores: int = 100_000
    hashed_from: int = 100_000
    small_matrix: int = 1500
    product_tile: int = 512
    compared_bytes: int = 32 << 20
    strip_values: int = 2**18
    small_job: float = 4e9
    first_rows: int = 512
    product_rows: int = 4096
    waiting_bytes: int = 128 << 20
    row_products_bytes: int = 1 << 30
    equations_bytes: int = 64 << 20
    scaled_bytes: int = 8 << 20
    scaled_rows: int = 64
    strip_columns: int = 1024
    few_rows: int = 64
    few_columns: int = 80
    few_bends: float = 0.6
    scored_values: int = 1 << 19
    chance_rows: int = 4096
    calibration_rows: int = 1000
    spread_rows: int = 20_000
    spread_bytes: int = 2**27
    held_bytes: int = 4 << 30
    chunk_rows: int = 1 << 16
    chunk_bytes: int = 64 << 20
    many_rows: int = 200_000
    held_letters: int = 20_000_000
    scored_letters: int = 20_000_000
    relevance_rows: int = 4000
    relevance_columns: int = 2000
    relevance_landmarks: int = 256
    slope_rows: int = 100
    pool_rows: int = 2000
    usual_landmarks: int = 300
    prototype_landmarks: int = 300
    explained_bytes: int = 2**28
    located_steps: int = 2000
    path_steps: int = 300
    contrasted_letters: int = 4000
    contrasted_steps: int = 600
    drawn_rows: int = 4096
    kernel_rows: int = 512
    assessed_objects: int = 2000
    assessed_references: int = 500
    assessed_square: int = 300
    triangle_objects: int = 100
    curve_rows: int = 300
    curve_weights: int = 150
    greedy_landmarks: int = 60


# What is in force while work runs: where it runs, on how many workers, within which bounds.


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
