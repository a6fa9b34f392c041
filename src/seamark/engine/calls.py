"""`CallPlan`: n × R values from any Python function, in this process or in several."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import joblib
import numpy as np

from ..user_warnings import warn_user
from .errors import MeasureError, SlowMeasureWarning
from .evaluate import Calls, Doubles, Failure, name_of
from .kernels import carried
from .memory import Memory, remembering
from .plan import Job, Plan, Stop, Values
from .processes import evaluate_elsewhere, packed, surviving
from .progress import duration
from .settings import changed, settings
from .threads import n_threads
from .tiles import Region, Tile, Tiles

GROWTH = 8  # a tile is at most so many times the one before: first calls are often slow
CALL_SECONDS = 1e-5  # where nothing is known of a function yet


class CallPlan(Plan):
    """Landmarks for a measure that is a Python function.

    Parameters
    ----------
    f : callable
        ``f(x, y) -> number`` or ``f(X, L) -> (n, R) array``.
    L : objects
        Ingested landmarks.
    vectorised : callable
        ``vectorised(X, L)`` says which of the two `f` is; asked once, when a value is needed.
    memory : path, optional
        Folder in which finished values are kept.
    symmetric : bool
        Whether a kept value stands for the swapped pair too.

    Examples
    --------
    >>> plan = CallPlan(lambda x, y: x - y, np.array([1, 5], dtype=object), lambda X, L: False)
    >>> out = np.empty((1, 2), dtype=np.float32)
    >>> plan.fill(np.array([3], dtype=object), out, np.zeros(1, dtype=np.uint8))
    >>> out
    array([[ 2., -2.]], dtype=float32)
    """

    home = "calls"

    def __init__(
        self,
        f: Callable[..., Any],
        L: Any,
        vectorised: Callable[[Any, Any], bool],
        *,
        memory: Any = None,
        symmetric: bool = False,
    ) -> None:
        self.f = f
        self.L = L
        self.n_landmarks = L.shape[0]
        self.vectorised = vectorised
        self.memory = memory
        self.symmetric = symmetric
        self._calls: Calls | None = None

    def fill(self, X: Any, out: Values, stop: Stop) -> None:
        """Compare every row with every landmark, here and now; whoever asks for it counts."""
        with changed(counters=()):
            call_region(self, X, Region.full(X.shape[0], self.n_landmarks), out, Job(), workers=1)

    def seconds(self, X: Any) -> Doubles:
        """Nothing is known of a function that was not called; `call_region` measures."""
        return np.full(X.shape[0], CALL_SECONDS * self.n_landmarks)

    def calls(self, X: Any) -> Calls:
        """Return the function and its landmarks, having found out what the function takes."""
        if self._calls is None:
            self._calls = Calls(self.f, self.L, self.vectorised(X, self.L))
        return self._calls


def call_region(
    plan: CallPlan, X: Any, region: Region, out: Values, job: Job, workers: int | None = None
) -> None:
    """Call a function on the pairs of a region, in this process or in several.

    Parameters
    ----------
    plan : CallPlan
    X : objects
    region : Region
        For each row the landmarks it is compared with.
    out : ndarray of float32
        One row per row, from the row's first landmark on.
    job : Job
    workers : int, optional
        Processes; default: what the settings in force ask for.
    """
    workers = n_workers(settings().n_jobs) if workers is None else workers
    with remembering(plan.memory, plan.f, X, plan.L, mirrored=plan.symmetric) as memory:
        run = _Run(X, region, out, job, memory)
        if run.tiles.left:
            run.go(plan.calls(X), workers)


def n_workers(n_jobs: int | None) -> int:
    """Return how many processes `n_jobs` asks for; None asks for none but this one."""
    if n_jobs is None:
        return 1
    return min(n_threads(n_jobs), int(joblib.effective_n_jobs(n_jobs)))


class _Run:
    """One run of a plan: its tiles, and what is known by now of their cost."""

    def __init__(
        self, X: Any, region: Region, out: Values, job: Job, memory: Memory | None
    ) -> None:
        self.X, self.region, self.out, self.job, self.memory = X, region, out, job, memory
        need = None if memory is None else memory.recall(region, out)
        if memory is not None and memory.store.n_damaged:
            message = (
                f"{memory.store.path} was damaged: of the values kept there, "
                f"{memory.store.n_damaged} did not agree with a checksum; what is needed of them "
                "is computed again."
            )
            warn_user(message, RuntimeWarning)
        self.tiles = Tiles(region, need)
        job.found(int((region.last - region.first).sum()) - self.tiles.left)
        self.seconds_each = 0.0
        self.budget = 1

    def go(self, calls: Calls, workers: int) -> None:
        """Compute what is missing: the first tiles here, the others where it is faster."""
        self.calls = calls
        began, tiles_done = time.perf_counter(), 0
        while self.tiles.left and (
            tiles_done < 2 or time.perf_counter() - began < settings().trial_seconds
        ):  # two, for the first call of all may load or compile something
            self._here(self._next())
            tiles_done += 1
        self._tell(workers)
        if workers > 1 and self.seconds_each * self.tiles.left > settings().processes_from:
            self._in_processes(workers)
        while self.tiles.left:
            self._here(self._next())

    def _next(self, most: int | None = None) -> Tile:
        budget = self.budget if most is None else min(self.budget, most)
        return self.tiles.next(budget, oblong=self.calls.vectorised)

    def _here(self, tile: Tile) -> None:
        values = np.full(tile.shape, np.nan)
        failure = None
        began = time.perf_counter()
        try:
            rows = self.X[tile.a : tile.b]
            failure = self.calls.evaluate(rows, tile.c, tile.d, tile.wanted, values)
        finally:  # what Ctrl-C left is worth keeping too
            self._keep(tile, values)
        self._learn(time.perf_counter() - began, values)
        self._complain(tile, failure)

    def _in_processes(self, workers: int) -> None:
        sent, now = packed(self.calls), carried()
        task = joblib.delayed(evaluate_elsewhere)
        with joblib.Parallel(workers, batch_size=1, pre_dispatch="all") as pool:
            while self.tiles.left:
                tiles = self._next_batch(workers)
                with surviving(name_of(self.calls.f)):
                    outcomes = pool(
                        task(sent, now, self.X[tile.a : tile.b], tile) for tile in tiles
                    )
                for tile, outcome in zip(tiles, outcomes, strict=True):
                    self._keep(tile, outcome.values)
                if any(outcome.interrupted for outcome in outcomes):
                    raise KeyboardInterrupt
                for tile, outcome in zip(tiles, outcomes, strict=True):
                    self._complain(tile, outcome.failure)
                total = sum(outcome.seconds for outcome in outcomes)
                self._learn(total, *(outcome.values for outcome in outcomes))

    def _next_batch(self, workers: int) -> list[Tile]:
        """Return a few tiles for each process; the last ones small, so that all end together."""
        tile_seconds = max(settings().tile_seconds, self.seconds_each)
        size = workers * max(1, round(settings().batch_seconds / tile_seconds))
        most = -(-self.tiles.left // size)
        tiles: list[Tile] = []
        while self.tiles.left and len(tiles) < size:
            tiles.append(self._next(most))
        return tiles

    def _learn(self, seconds: float, *blocks: Doubles) -> None:
        """Take the cost of the latest calls as that of the next."""
        done = sum(int(np.count_nonzero(~np.isnan(values))) for values in blocks)
        self.seconds_each = max(seconds, 1e-9) / max(1, done)
        grown = GROWTH * max(1, done // len(blocks))
        self.budget = max(1, min(int(settings().tile_seconds / self.seconds_each), grown))

    def _keep(self, tile: Tile, values: Doubles) -> None:
        """Write values where they belong, on disk too, and count them."""
        done = ~np.isnan(values)
        evaluations = int(np.count_nonzero(done))
        if tile.wanted is not None:
            done &= tile.wanted
        offset = int(self.region.first[tile.a])
        part = self.out[tile.a : tile.b, tile.c - offset : tile.d - offset]
        np.copyto(part, values, where=done, casting="same_kind")
        if self.memory is not None and evaluations:
            self.memory.keep(tile, values)
        self.job.finished(evaluations, int(np.count_nonzero(done)))

    def _complain(self, tile: Tile, failure: Failure | None) -> None:
        if failure is None:
            return
        landmark = self.job.first_landmark + tile.c
        if failure.row is None or failure.column is None:
            first, last = self.job.row(tile.a), self.job.row(tile.b - 1)
            m = tile.shape[1]
            where = f"rows {first} to {last} of X and landmarks {landmark} to {landmark + m - 1}"
        else:
            row = self.job.row(tile.a + failure.row)
            where = f"row {row} of X and landmark {landmark + failure.column}"
        name = name_of(self.calls.f)
        raise MeasureError(f"{name} failed on {where}: {failure.text}") from failure.cause

    def _tell(self, workers: int) -> None:
        """Say once how long it will take, if long; as a warning, unless progress is shown."""
        seconds = self.seconds_each * self.tiles.left / workers
        if seconds <= settings().slow_from:
            return
        unit = "values" if self.calls.vectorised else "calls"
        message = (
            f"{_rounded(self.tiles.left)} {unit} at {duration(self.seconds_each)}: about "
            f"{duration(seconds)} in {workers} process{'es' if workers > 1 else ''}"
        )
        advice = ["n_jobs=-1 to use all cores"] if workers == 1 else []
        advice += ["memory=<folder> to make it resumable"] if self.memory is None else []
        message += f"; pass {', or '.join(advice)}." if advice else "."
        if self.job.progress.shown:
            self.job.progress.say(message)
        else:
            warn_user(message, SlowMeasureWarning)


def _rounded(n: int) -> str:
    """Return a count for people.

    Examples
    --------
    >>> _rounded(999), _rounded(1_234_567)
    ('999', '1.23 M')
    """
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if n >= size:
            return f"{n / size:.3g} {unit}"
    return str(n)
