"""Cells in worker processes of one thread each, so that processor seconds stay comparable.

An executor of the standard library gives up all its tasks when one worker is killed, as happens
to cells that need too much memory; here such a cell fails, and a new worker takes the next one.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path

from .outcomes import Outcome, attempts
from .spec import Cell, Table

Build = Callable[[], Table]
# Spawned, not forked: threads of BLAS do not survive a fork.
SPAWN = get_context("spawn")
LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "SEAMARK_NUM_THREADS")


def in_workers(
    build: Build, folder: Path | None, cells: list[Cell], jobs: int
) -> Iterator[Outcome]:
    """Run cells in `jobs` processes, begun in their order, and yield outcomes as they come.

    Tables hold functions that cannot be sent; each worker builds its own by `build`, a function
    of a module.
    """
    waiting, busy = iter(cells), []
    try:
        for cell in islice(waiting, jobs):
            busy.append(Worker(build, folder))
            busy[-1].begin(cell)
        while busy:
            for worker in ready(busy):
                outcome, following = worker.outcome(), next(waiting, None)
                if following is None:
                    busy.remove(worker)
                    worker.stop()
                else:
                    worker.begin(following)
                yield outcome
    finally:
        for worker in busy:
            worker.stop()


class Worker:
    """A process that runs one cell at a time; it is begun anew if it has died."""

    def __init__(self, build: Build, folder: Path | None) -> None:
        self._arguments = build, folder
        self._process = None

    def begin(self, cell: Cell) -> None:
        if self._process is None:
            self._start()
        self._cell, self._begun = cell, time.perf_counter()
        with suppress(BrokenPipeError):  # of a process that has died: `outcome` will notice
            self.connection.send(cell)

    def _start(self) -> None:
        self.connection, theirs = SPAWN.Pipe()
        process = SPAWN.Process(target=serve, args=(theirs, *self._arguments), daemon=True)
        with worker_surroundings():
            process.start()
        self._process = process
        theirs.close()  # so that the pipe ends with the process

    def outcome(self) -> Outcome:
        """Return how the cell ended; a process that died on it has failed it."""
        try:
            return self.connection.recv()
        except (EOFError, ConnectionResetError):
            self._process.join()
            died = f"the worker died with exit code {self._process.exitcode}"
            self.stop()
            return Outcome(self._cell, time.perf_counter() - self._begun, failure=died)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.join()
            self.connection.close()
            self._process = None


def ready(workers: list[Worker]) -> list[Worker]:
    """Wait until some workers have something to tell."""
    told = wait([worker.connection for worker in workers])
    return [worker for worker in workers if worker.connection in told]


def serve(connection: Connection, build: Build, folder: Path | None) -> None:
    """Run the cells that come, until there is nobody to send any."""
    attempt = attempts(build(), folder)
    with suppress(EOFError, BrokenPipeError):
        while True:
            connection.send(attempt(connection.recv()))


@contextmanager
def worker_surroundings() -> Iterator[None]:
    """Processes begun here inherit one thread for each library, and that Ctrl-C is not for them.

    Both must be so before they import anything.
    """
    before = {name: os.environ.get(name) for name in LIMITS}
    on_interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.update(dict.fromkeys(LIMITS, "1"))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, on_interrupt)
        for name in LIMITS:
            del os.environ[name]
        os.environ.update({name: value for name, value in before.items() if value is not None})
