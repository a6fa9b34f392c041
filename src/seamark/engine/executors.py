"""Executors, which fill rows in chunks: threads, libraries, calls, processes and Dask workers.

Free memory is looked up before values are made, so that no process is killed for them.

`run` gives rows to the executor of a plan, `cross` compiles a measure and runs it, `using` changes
where and how all that runs inside.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray

from .backends import backends, carried, named, restored
from .plan import CombinedPlan, Executor, Job, PairError, Plan, Recipe, Stop, Values
from .progress import PartOfBar, Progress, progress_bar
from .python_calls import CallPlan, Packed, call_pairs, surviving
from .settings import Settings, changed, in_force
from .threads import n_threads, run_tasks

SCRATCH_BYTES = 48 << 20  # temporary arrays of all threads together; at most 64 MB are promised
FEW = 64  # rows that may be filled at once, whatever scratch they need
MANY = 1 << 20  # values that are worth dividing, however quick each is
AHEAD = 4  # chunks sent to each thread of a Dask worker before results are waited for

# Half of a symmetric matrix is computed as panels of columns; so many make the work 53 % of the
# whole, and fewer columns than this would leave lanes of the kernels empty.
PANELS = 16
NARROWEST_PANEL = 128


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
        if len(pieces) == 1 and float(seconds.sum()) < in_force.get().chunk_seconds:
            stop = np.zeros(1, dtype=np.uint8)  # a pool would cost more
            job.finished(fill_chunk(plan, X, out, *pieces[0], job, stop))
            return
        tasks = (partial(fill_chunk, plan, X, out, a, b, job) for a, b in pieces)
        run_tasks(tasks, threads, job.finished)


def run_in_turn(recipe: Recipe, X: Any, out: Values, job: Job) -> None:
    """Fill in the calling thread, for libraries that bring threads of their own.

    Chunks are still short, so that Ctrl-C and the progress bar get their turn between them.
    """
    plan, stop = recipe.plan(), np.zeros(1, dtype=np.uint8)
    for a, b in chunks(plan.seconds(X) / n_threads(), plan.scratch_per_row, 1):
        job.finished(fill_chunk(plan, X, out, a, b, job, stop))


def run_parts(recipe: Recipe, X: Any, out: Values, job: Job) -> None:
    """Fill parts of a plan, each where it is at home, on chunks of rows that fit into memory."""
    plan = recipe.plan()
    if not isinstance(plan, CombinedPlan):
        raise TypeError(f"{type(plan).__name__} has no parts.")
    step = max(1, SCRATCH_BYTES // max(1, plan.scratch_per_row))
    for start in range(0, X.shape[0], step):
        rows, part = slice(start, start + step), job.moved(start)
        blocks = [out[rows], *(np.empty_like(out[rows]) for _ in plan.recipes[1:])]
        for each, block in zip(plan.recipes, blocks, strict=True):
            execute(each, X[rows], block, part)
        plan.combine(X[rows], blocks)


def run_calls(recipe: Recipe, X: Any, out: Values, job: Job) -> None:
    """Call a Python function, in this process or, if `n_jobs` asks for it, in several."""
    call_pairs(recipe.plan(), X, out, job)


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


class Cluster(Processes):
    """The workers of a `distributed.Client`, to which rows travel; landmarks travel once.

    Parameters
    ----------
    client : distributed.Client
    """

    def __init__(self, client: Any) -> None:
        self.client = client

    def run(self, recipe: Recipe, X: Any, out: Values, job: Job) -> None:
        """Cut the rows into chunks, and send a few of them ahead."""
        if self.client.status != "running":
            raise RuntimeError(
                f"the Dask client is {self.client.status}; start another, or leave `using` it."
            )
        plan = recipe.plan()
        workers = max(1, sum(self.client.nthreads().values()))
        pieces = deque(chunks(plan.seconds(X), plan.scratch_per_row, workers))
        packed = self.client.scatter(Packed.of(recipe), broadcast=True, hash=False)
        now = carried()
        sent: deque[tuple[int, int, Any]] = deque()
        try:
            with job.naming():
                while pieces or sent:
                    while pieces and len(sent) < AHEAD * workers:
                        a, b = pieces.popleft()
                        work = (fill_elsewhere, packed, now, X[a:b], plan.n_landmarks, a)
                        sent.append((a, b, self.client.submit(*work, pure=False)))
                    a, b, block = sent.popleft()
                    out[a:b] = block.result()
                    job.finished((b - a) * plan.n_landmarks * plan.n_parts)
        except BaseException:  # a traceback holds futures, and they would go on being worked on
            self.client.cancel([future for *_, future in sent])
            raise


EXECUTORS: dict[str, Executor] = {"threads": Threads(), "processes": Processes()}
"""Those that `using` knows by name."""
HOMES: dict[str, Callable[[Recipe, Any, Values, Job], None]] = {
    "threads": EXECUTORS["threads"].run,
    "library": run_in_turn,
    "calls": run_calls,
    "parts": run_parts,
}
"""What fills the rows of plans that are at home there, where no executor is in force."""


def run(
    plan: Plan | Recipe,
    X: Any,
    *,
    n_jobs: int | None = None,
    progress: bool | Progress = False,
) -> Values:
    """Values of the rows of X against the landmarks of a plan or recipe, (n, R), float32.

    Parameters
    ----------
    plan : Plan or Recipe
        What fills rows; a recipe is compiled for the backend in force.
    X : objects
        The rows, ingested.
    n_jobs : int, optional
        Threads, or processes for Python functions; -1: all cores. Default: as the context says.
    progress : bool or Progress, default=False
        Show a bar, or advance the one given.

    Returns
    -------
    ndarray of shape (n, R), float32
        ``out[i, j]`` is the value of row i of X against landmark j.
    """
    recipe = plan if isinstance(plan, Recipe) else Recipe.of(plan)
    compiled = recipe.plan()
    n, width = X.shape[0], compiled.n_landmarks
    what = f"values of {n} rows against {width} landmarks"
    require_room(4 * n * width, what, "take fewer, or rows in parts")
    out = np.empty((n, width), dtype=np.float32)
    now = in_force.get()
    if n_jobs is not None:
        n_threads(n_jobs)  # stops unless it is a number of them
    fits = out.size < MANY and len(out) * compiled.scratch_per_row <= SCRATCH_BYTES
    here = compiled.home == "threads" and now.executor is None and not progress
    small = here and (len(out) <= FEW or fits)
    if small and float(compiled.seconds(X).sum()) < now.chunk_seconds / 50:
        # Cutting rows and looking for threads would take longer than the work itself.
        try:
            compiled.check(X)
            compiled.fill(X, out, np.zeros(1, dtype=np.uint8))
        except PairError as error:
            raise error.named(now.row(error.row), error.landmark) from None
        if now.counters:
            now.count(out.size * compiled.n_parts)
        return out
    workers = now.n_jobs if n_jobs is None else n_jobs
    with changed(n_jobs=workers), showing(progress, out.size * compiled.n_parts) as bar:
        execute(recipe, X, out, Job(bar) if isinstance(bar, Progress) else Job())
    return out


@contextmanager
def showing(progress: bool | Progress, total: int) -> Iterator[bool | Progress]:
    """Show a job of so many values in one bar; yield what its parts advance, False if none is."""
    if not progress or not total:
        yield False
        return
    with progress_bar(progress) as bar:
        bar.start(total)
        yield PartOfBar(bar)


def execute(recipe: Recipe, X: Any, out: Values, job: Job) -> None:
    """Check the rows, and let the executor in force, or what the plan is at home in, fill them."""
    compiled = recipe.plan()
    with job.naming():
        compiled.check(X)
    forced = in_force.get().executor
    fill = HOMES[compiled.home]
    if forced is not None and not (forced.sends and recipe.landmarks is None):
        fill = forced.run if forced.takes(compiled) else fill
    fill(recipe, X, out, job)


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

    A chunk is at most about `chunk_seconds` of work and its share of `SCRATCH_BYTES`; with several
    workers there are at least eight chunks for each, unless the work is not worth dividing.

    Examples
    --------
    >>> chunks(np.full(10, 0.05), 0, 1)
    [(0, 2), (2, 4), (4, 6), (6, 8), (8, 10)]
    >>> chunks(np.full(10, 1e-6), 0, 2)
    [(0, 10)]
    """
    n, most_seconds = len(seconds), in_force.get().chunk_seconds
    total = float(seconds.sum())
    pieces = total / most_seconds
    if workers > 1 and total > most_seconds / 50:
        pieces = max(pieces, min(8.0 * workers, total / (most_seconds / 50)))
        pieces = workers * float(np.ceil(pieces / workers))  # or some would wait for the others
    most = SCRATCH_BYTES // (workers * scratch_per_row) if scratch_per_row else n
    if pieces <= 1.0 and n <= most:  # as when one object is predicted
        return [(0, n)] if n else []
    work = np.cumsum(seconds) / max(total, 1e-300) * max(pieces, 1.0)
    bounds = [0]
    while bounds[-1] < n:
        start = bounds[-1]
        done = float(work[start - 1]) if start else 0.0
        end = int(np.searchsorted(work, done + 1.0 + 1e-9, side="right"))
        bounds.append(min(n, max(start + 1, min(end, start + max(1, most)))))
    return list(pairwise(bounds))


@contextmanager
def using(
    where: Any = None,
    *,
    n_jobs: int | None = None,
    budget: int | None = None,
    **settings: Any,
) -> Iterator[Settings]:
    """Change where and how work runs, for all that is called inside.

    Parameters
    ----------
    where : str, Executor or distributed.Client, optional
        A backend, such as "reference", "v3" or "cuda" (one NVIDIA GPU, through CuPy); or an
        executor: "threads", or "processes", which sends rows and landmarks to other processes. A
        Dask client sends them to its workers.
    n_jobs : int, optional
        Threads or processes, where a call does not say.
    budget : int, optional
        Bytes that a fit may hold beside its objects: sums to solve for, and with the rest values,
        in place of computing them again.
    **settings
        Any other of `seamark.engine.Settings`.

    Examples
    --------
    >>> import seamark as sm
    >>> with sm.engine.using("reference", n_jobs=1):
    ...     sm.cross("levenshtein", ["sea"], ["mark", "see"])
    array([[4., 1.]], dtype=float32)
    """
    if isinstance(where, Executor):
        settings["executor"] = where
    elif type(where).__module__.partition(".")[0] == "distributed" and hasattr(where, "submit"):
        settings["executor"] = Cluster(where)
    elif where in ("threads", "processes"):
        settings["executor"] = EXECUTORS[where]
    elif where is not None and (found := named(where)) is not None:
        settings["backend"] = found
    elif where is not None:
        known = ", ".join([*backends(), "cuda", "threads", "processes"])
        raise ValueError(f"there is no backend or executor {where!r} here; there are {known}.")
    if n_jobs is not None:
        settings["n_jobs"] = n_jobs
    if budget is not None:
        settings["budget"] = budget
    try:
        with changed(**settings) as inside:
            yield inside
    finally:
        release = getattr(settings.get("backend"), "release", None)
        if release is not None:  # memory of a device
            release()


def cross(
    compile_landmarks: Callable[[Any], Plan],
    X: Any,
    L: Any = None,
    *,
    symmetric: bool = False,
    n_jobs: int | None = None,
    progress: bool | Progress = False,
) -> Values:
    """Values of X against L, or of X against itself if L is None.

    Parameters
    ----------
    compile_landmarks : callable
        Turns landmark objects into a `Plan`.
    X, L : objects
        Ingested collections.
    symmetric : bool
        Whether value (i, j) may stand for (j, i). Only then is half the work left out.
    n_jobs : int or None
        Threads or processes.
    progress : bool or Progress
        Whether to show a progress bar.

    Returns
    -------
    ndarray of shape (n, R), float32
    """
    if L is not None or not symmetric:
        recipe = Recipe(compile_landmarks, X if L is None else L)
        return run(recipe, X, n_jobs=n_jobs, progress=progress)
    n = X.shape[0]
    require_room(
        4 * n * n, f"values of {n} rows against each other", "take landmarks, or fewer rows"
    )
    out = np.empty((n, n), dtype=np.float32)
    width = max(NARROWEST_PANEL, -(-n // PANELS))
    panels = [(a, min(a + width, n)) for a in range(0, n, width)]
    with using(n_jobs=n_jobs), progress_bar(progress) as bar:
        job, one = Job(bar), compile_landmarks(X[:1])
        if isinstance(one, CallPlan):  # it can leave out any pair
            bar.start(n * (n + 1) // 2)
            call_pairs(compile_landmarks(X), X, out, job, np.tri(n, dtype=bool))
        else:
            bar.start(one.n_parts * sum((n - a) * (b - a) for a, b in panels))
            for a, b in panels:
                recipe = Recipe(compile_landmarks, X[a:b])
                execute(recipe, X[a:], out[a:, a:b], job.moved(a, a))
    for a, b in panels:  # mirrored to the rows right of the diagonal
        square, lower = out[a:b, a:b], np.tril_indices(b - a, -1)
        square[lower[1], lower[0]] = square[lower]
        out[a:b, b:] = out[b:, a:b].T
    return out


# Free memory.


ASKED_BYTES = 1 << 30  # of an array from which on free memory is looked up
_CGROUP = Path("/sys/fs/cgroup")
_NAMES = (
    ("memory.max", "memory.current", "inactive_file"),
    ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "total_inactive_file"),
)
"""A limit, what is used of it, and what of that the system gives back; as Linux names them now and
as it did before."""


def require_room(n_bytes: int, what: str, remedy: str) -> None:
    """Stop if so many bytes are more than this process can get.

    Parameters
    ----------
    n_bytes : int
    what : str
        What they are for.
    remedy : str
        What the user can do.

    Examples
    --------
    >>> require_room(1 << 60, "features of 10 rows", "take fewer")
    Traceback (most recent call last):
    ...
    MemoryError: features of 10 rows take 1073741824.0 GB, and ... GB are free; take fewer.
    """
    if n_bytes < ASKED_BYTES:
        return
    free = free_bytes()
    if free is not None and n_bytes > free:
        size, left = n_bytes / 2**30, free / 2**30
        raise MemoryError(f"{what} take {size:.1f} GB, and {left:.1f} GB are free; {remedy}.")


def free_bytes() -> int | None:
    """Return the memory that this process can still get; None: nobody can tell.

    What the system has free, caches included, or what is left of a container's limit.
    """
    found = [left for left in (_of_system(), _of_container()) if left is not None]
    return min(found, default=None)


def _of_system() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _of_container() -> int | None:
    """Return what is left of a limit; pages of files that can be dropped are not in use."""
    for limit, used, dropped in _NAMES:
        try:
            most = (_CGROUP / limit).read_text().strip()
            taken = int((_CGROUP / used).read_text())
            if most == "max":
                return None
            lines = (_CGROUP / used).with_name("memory.stat").read_text().splitlines()
            taken -= next((int(line.split()[1]) for line in lines if line.startswith(dropped)), 0)
            return max(0, int(most) - taken)
        except (OSError, ValueError, IndexError):
            continue
    return None
