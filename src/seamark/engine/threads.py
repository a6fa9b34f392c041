"""Threads: how many, BLAS kept to one inside each, and an interruptible pool."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache
from itertools import filterfalse, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
from threadpoolctl import ThreadpoolController

from .settings import in_force

SMALL_MATRIX = 1500  # rows of a matrix up to which one thread works on it, of BLAS too

if TYPE_CHECKING:
    from .plan import Stop


def n_threads(n_jobs: int | None = None) -> int:
    """Return how many threads `n_jobs` means here, or that of the settings in force.

    None: the cores available to this process, or fewer if SEAMARK_NUM_THREADS, OMP_NUM_THREADS or
    a surrounding `threadpoolctl.threadpool_limits` says so. Negative numbers count from all cores.
    """
    n_jobs = in_force.get().n_jobs if n_jobs is None else n_jobs
    whole = isinstance(n_jobs, (int, np.integer)) and not isinstance(n_jobs, bool)
    if n_jobs is not None and not whole:
        raise ValueError(f"n_jobs must be a whole number, or None, not {n_jobs!r}.")
    if n_jobs is None:
        limits = [_blas.threads()]
        texts = (os.environ.get(name, "") for name in ("SEAMARK_NUM_THREADS", "OMP_NUM_THREADS"))
        limits += [int(text) for text in texts if text.isdigit()]
        return max(1, min(limits))
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0; give a number of threads, or -1 for all cores.")
    return int(n_jobs) if n_jobs > 0 else max(1, int(joblib.cpu_count()) + 1 + n_jobs)


class _Blas:
    """Keeps BLAS at one thread while any of our pools works.

    The limit is one setting of the whole process, so it is counted: two jobs that overlap, started
    from two threads of the user's, must not restore each other's value.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._users = 0
        self._before: int = 0
        self._limiter: Any = None

    @staticmethod
    @cache
    def _controller() -> Any:
        return ThreadpoolController().select(user_api="blas")

    def threads(self) -> int:
        """Return the cores, or the limit the user has set, even while a pool has lowered it."""
        with self._lock:
            if self._users:
                return self._before
            cores = int(joblib.cpu_count())  # which reads files
            controllers = self._controller().lib_controllers
            return int(min([cores, *map(attrgetter("num_threads"), controllers)]))

    @contextmanager
    def single_threaded(self, size: int = 0) -> Iterator[None]:
        """Keep BLAS to one thread while matrices of this size are worked on, if that is small.

        Threads of BLAS wait for each other in a loop. Where cores are shared, a small factorisation
        then takes a hundred times as long; where they are not, threads gain little on it.
        """
        if size > SMALL_MATRIX:
            yield
            return
        with self._lock:
            if self._users == 0:
                self._before = self.threads()
                self._limiter = self._controller().limit(limits=1)
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if self._users == 0:
                    self._limiter.restore_original_limits()


_blas = _Blas()
blas_for = _blas.single_threaded

AHEAD = 4  # tasks queued for each thread

_thread = threading.local()  # `shares`: whether it is one of several that share some work


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Return threads that wait for work: to start sixteen takes longer than many a task.

    They never wait for each other: what they are given to divide, they do by themselves.
    """
    return ThreadPoolExecutor(threads, "seamark", setattr, (_thread, "shares", True))


if hasattr(os, "register_at_fork"):  # threads do not survive a fork
    os.register_at_fork(after_in_child=_pool.cache_clear)


def side_by_side(work: Callable[..., Any], *items: Sequence[Any], worth: bool = True) -> list[Any]:
    """Return ``list(map(work, *items))``, worked out by as many threads as there are.

    Good where the work lets other threads run: NumPy's products and loops do, as does what is in
    `lapack`; SciPy's wrappers of LAPACK do not. BLAS is kept to one thread in each: its own
    threads wait for each other in a loop, which costs a core each, and where cores are shared a
    hundred times the work. Inside such work there is nothing left to divide.

    Parameters
    ----------
    work : callable
        Must not depend on the order in which items are taken.
    *items : sequences
        Of one length; work gets one of each.
    worth : bool
        False: one after the other, since handing them over would take longer.

    Examples
    --------
    >>> side_by_side(pow, [2, 3], [3, 2])
    [8, 9]
    """
    n = len(items[0])
    alone = not worth or n < 2 or getattr(_thread, "shares", False)
    threads = 1 if alone else n_threads()
    if threads == 1:
        return list(map(work, *items))
    each = list(zip(*items, strict=True))
    found: list[Any] = [None] * n
    left, stopped = iter(range(n)), threading.Event()

    def share() -> None:
        before, _thread.shares = getattr(_thread, "shares", False), True
        try:
            for i in left:  # an iterator that each thread takes its next one from
                if stopped.is_set():
                    return
                found[i] = work(*each[i])
        except BaseException:
            stopped.set()
            raise
        finally:
            _thread.shares = before

    helpers = min(threads, n) - 1
    with _blas.single_threaded():
        others = [_pool(threads).submit(copy_context().run, share) for _ in range(helpers)]
        try:
            share()
        finally:
            started = list(filterfalse(Future.cancel, others))
            wait(started)
        for other in started:
            other.result()
    return found


def run_tasks(
    tasks: Iterable[Callable[[Stop], int]], threads: int, done: Callable[[int], None]
) -> None:
    """Run every task, each given a stop flag to poll; call `done` with what each returns.

    Even one thread goes through the pool, because the main thread must be free to receive Ctrl-C.
    Then queued tasks are dropped, and running ones see the flag. Only a few tasks are queued at a
    time: handing over thousands would take seconds in which an error goes unnoticed.
    """
    stop: Stop = np.zeros(1, dtype=np.uint8)
    if getattr(_thread, "shares", False):
        for task in tasks:
            done(task(stop))
        return
    left, pool = iter(tasks), _pool(threads)
    queued: set[Future[int]] = set()
    with _blas.single_threaded():
        try:
            # Settings are a context, which threads of a pool do not have by themselves.
            queued = {
                pool.submit(copy_context().run, task, stop)
                for task in islice(left, AHEAD * threads)
            }
            while queued:
                finished, queued = wait(queued, return_when=FIRST_COMPLETED)
                for future in finished:
                    done(future.result())
                queued |= {
                    pool.submit(copy_context().run, task, stop)
                    for task in islice(left, len(finished))
                }
        except BaseException:
            stop[0] = 1
            for future in queued:
                future.cancel()
            wait(queued)
            raise
