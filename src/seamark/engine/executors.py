"""Executors: threads, libraries, calls, parts of a sum and processes, each with pieces of rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray

from .calls import CallPlan, call_region
from .kernels import carried, restored
from .packing import Packed
from .plan import EXECUTORS, CombinedPlan, Executor, Job, Plan, Recipe, Stop, Values, run
from .processes import surviving
from .settings import settings
from .threads import n_threads, run_tasks
from .tiles import Region


class Threads(Executor):
    """Threads of this process, for plans that release the GIL."""

    def takes(self, plan: Plan) -> bool:
        """Whether it is at home here."""
        return plan.home == "threads"

    def run(self, recipe: Recipe, X: Any, out: Values, job: Job) -> None:
        """Cut the rows into chunks and give them to the threads."""
        plan, threads = recipe.plan(), n_threads()
        seconds = plan.seconds(X)
        pieces = chunks(seconds, plan.scratch_per_row, threads)
        if len(pieces) == 1 and float(seconds.sum()) < settings().chunk_seconds:
            stop = np.zeros(1, dtype=np.uint8)  # a pool would cost more
            job.finished(fill_chunk(plan, X, out, *pieces[0], job, stop))
            return
        tasks = (partial(fill_chunk, plan, X, out, a, b, job) for a, b in pieces)
        run_tasks(tasks, threads, job.finished)


class InTurn(Executor):
    """The calling thread, for libraries that bring threads of their own.

    Chunks are still short, so that Ctrl-C and the progress bar get their turn between them.
    """

    def run(self, recipe: Recipe, X: Any, out: Values, job: Job) -> None:
        """Cut the rows into chunks and hand them over one by one."""
        plan, stop = recipe.plan(), np.zeros(1, dtype=np.uint8)
        for a, b in chunks(plan.seconds(X) / n_threads(), plan.scratch_per_row, 1):
            job.finished(fill_chunk(plan, X, out, a, b, job, stop))


class InParts(Executor):
    """Parts of a plan, each on its own executor, on chunks of rows that fit into memory."""

    def run(self, recipe: Recipe, X: Any, out: Values, job: Job) -> None:
        """Run the parts one after another, and combine their blocks."""
        plan = recipe.plan()
        if not isinstance(plan, CombinedPlan):
            raise TypeError(f"{type(plan).__name__} has no parts.")
        step = max(1, settings().scratch_bytes // max(1, plan.scratch_per_row))
        for start in range(0, X.shape[0], step):
            some = slice(start, start + step)
            plan.execute(X[some], out[some], job.moved(start))


class InCalls(Executor):
    """Calls of a Python function, in this process or, if `n_jobs` asks for it, in several."""

    def run(self, recipe: Recipe, X: Any, out: Values, job: Job) -> None:
        """Call it on every pair."""
        plan = recipe.plan()
        call_pairs(plan, X, Region.full(X.shape[0], plan.n_landmarks), out, job)


def call_pairs(plan: Plan, X: Any, region: Region, out: Values, job: Job) -> None:
    """Call a function on some pairs only, for a plan that does nothing but calls."""
    if not isinstance(plan, CallPlan):
        raise TypeError(f"{type(plan).__name__} computes whole rows only.")
    call_region(plan, X, region, out, job)


class Processes(Executor):
    """Other processes, to which rows and the recipe travel; each compiles it once."""

    sends = True

    def takes(self, plan: Plan) -> bool:
        """Whether it is not a Python function: calls are timed, stored and divided elsewhere."""
        return plan.home in ("threads", "library")

    def run(self, recipe: Recipe, X: Any, out: Values, job: Job) -> None:
        """Cut the rows into chunks and send them out."""
        plan, workers = recipe.plan(), n_threads()
        pieces = chunks(plan.seconds(X), plan.scratch_per_row, workers)
        packed, now, width = Packed.of(recipe), carried(), plan.n_landmarks
        send = joblib.delayed(fill_elsewhere)
        pool = joblib.Parallel(workers, batch_size=1, return_as="generator")
        blocks = pool(send(packed, now, X[a:b], width, a) for a, b in pieces)
        with surviving("rows"), job.naming():
            for (a, b), block in zip(pieces, blocks, strict=True):
                out[a:b] = block
                job.finished(block.size * plan.n_parts)


def fill_elsewhere(
    packed: Packed, settings: dict[str, Any], X: Any, width: int, start: int
) -> Values:
    """Fill a chunk in a worker process, on one thread."""
    out = np.empty((X.shape[0], width), dtype=np.float32)
    with restored(settings), Job().naming(start):
        packed.opened().plan().fill(X, out, np.zeros(1, dtype=np.uint8))
    return out


EXECUTORS |= {
    "threads": Threads(),
    "library": InTurn(),
    "calls": InCalls(),
    "parts": InParts(),
    "processes": Processes(),
}


def run_on(device: Any, plan: Plan | Recipe, X: Any, *, n_jobs: int | None = None) -> Any:
    """Values as of `run` on a device: whole numbers in the smallest type, others in float32."""
    recipe = Recipe.of(plan)
    compiled, n = recipe.plan(), X.shape[0]
    if not compiled.fills_device:
        return device.upload(run(recipe, X, n_jobs=n_jobs))
    most = compiled.largest(X)
    small = np.float32 if most is None or most > 65535 else np.uint8 if most < 256 else np.uint16
    out, job = device.empty((n, compiled.n_landmarks), small), Job()
    with job.naming():
        compiled.check(X)
        compiled.fill(X, out, np.zeros(1, dtype=np.uint8))
    job.finished(n * compiled.n_landmarks * compiled.n_parts)
    return out


def fill_chunk(plan: Plan, X: Any, out: Values, a: int, b: int, job: Job, stop: Stop) -> int:
    """Fill rows a to b; return how many evaluations that took."""
    with job.naming(a):
        plan.fill(X[a:b], out[a:b], stop)
    return (b - a) * plan.n_landmarks * plan.n_parts


def chunks(
    seconds: NDArray[np.float64], scratch_per_row: int, workers: int
) -> list[tuple[int, int]]:
    """Cut rows into chunks, given the seconds of each.

    A chunk is at most about `chunk_seconds` of work and its share of `scratch_bytes`; with several
    workers there are at least eight chunks for each, unless the work is not worth dividing.

    Examples
    --------
    >>> chunks(np.full(10, 0.05), 0, 1)
    [(0, 2), (2, 4), (4, 6), (6, 8), (8, 10)]
    >>> chunks(np.full(10, 1e-6), 0, 2)
    [(0, 10)]
    """
    n, now = len(seconds), settings()
    total = float(seconds.sum())
    pieces = total / now.chunk_seconds
    if workers > 1 and total > now.chunk_seconds / 50:
        pieces = max(pieces, min(8.0 * workers, total / (now.chunk_seconds / 50)))
        pieces = workers * float(np.ceil(pieces / workers))  # or some would wait for the others
    most = now.scratch_bytes // (workers * scratch_per_row) if scratch_per_row else n
    if pieces <= 1.0 and n <= most:  # as when one object is predicted
        return [(0, n)] if n else []
    work = np.cumsum(seconds) / max(total, 1e-300) * max(pieces, 1.0)
    return list(pairwise(_bounds(work, max(1, most))))


def _bounds(work: NDArray[np.float64], most: int) -> Iterator[int]:
    """Yield where chunks of one unit of work and so many rows begin, and the end."""
    start = 0
    yield start
    while start < len(work):
        done = float(work[start - 1]) if start else 0.0
        end = int(np.searchsorted(work, done + 1.0 + 1e-9, side="right"))
        start = min(len(work), max(start + 1, min(end, start + most)))
        yield start
