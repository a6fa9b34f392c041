"""Threads: how many, BLAS kept to one inside each, and an interruptible pool."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache
from itertools import islice, repeat
from operator import attrgetter
from typing import Any

import joblib
import numpy as np
from threadpoolctl import ThreadpoolController

from .plan import Stop
from .settings import settings


def n_threads(n_jobs: int | None = None) -> int:
    """Return how many threads `n_jobs` means here, or that of the settings in force.

    None: the cores available to this process, or fewer if SEAMARK_NUM_THREADS, OMP_NUM_THREADS or
    a surrounding `threadpoolctl.threadpool_limits` says so. Negative numbers count from all cores.
    """
    n_jobs = settings().n_jobs if n_jobs is None else n_jobs
    whole = isinstance(n_jobs, (int, np.integer)) and not isinstance(n_jobs, bool)
    if n_jobs is not None and not whole:
        raise ValueError(f"n_jobs must be a whole number, or None, not {n_jobs!r}.")
    if n_jobs is None:
        limits = [int(joblib.cpu_count()), _blas.threads()]
        texts = map(os.environ.get, ("SEAMARK_NUM_THREADS", "OMP_NUM_THREADS"), repeat(""))
        limits += map(int, filter(str.isdigit, texts))
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
        self._lock = threading.Lock()
        self._users = 0
        self._before: int = 0
        self._limiter: Any = None

    @staticmethod
    @cache
    def _controller() -> Any:
        return ThreadpoolController().select(user_api="blas")

    def _current(self) -> int:
        controllers = self._controller().lib_controllers
        return min(map(attrgetter("num_threads"), controllers), default=os.cpu_count() or 1)

    def threads(self) -> int:
        """Return the limit the user has set, whether or not a pool of ours has lowered it."""
        with self._lock:
            return self._before if self._users else self._current()

    @contextmanager
    def single_threaded(self, size: int = 0) -> Iterator[None]:
        """Keep BLAS to one thread while matrices of this size are worked on, if that is small.

        Threads of BLAS wait for each other in a loop. Where cores are shared, a small factorisation
        then takes a hundred times as long; where they are not, threads gain little on it.
        """
        if size > settings().small_matrix:
            yield
            return
        with self._lock:
            if self._users == 0:
                self._before = self._current()
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


def run_tasks(
    tasks: Iterable[Callable[[Stop], int]], threads: int, done: Callable[[int], None]
) -> None:
    """Run every task, each given a stop flag to poll; call `done` with what each returns.

    Even one thread goes through the pool, because the main thread must be free to receive Ctrl-C.
    Then queued tasks are dropped, and running ones see the flag. Only a few tasks are queued at a
    time: handing over thousands would take seconds in which an error goes unnoticed.
    """
    stop: Stop = np.zeros(1, dtype=np.uint8)
    left = iter(tasks)
    with _blas.single_threaded(), ThreadPoolExecutor(threads, "seamark") as pool:
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
            pool.shutdown(wait=True, cancel_futures=True)
            raise
