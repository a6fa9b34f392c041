"""Work on its way to Dask workers: of the same version, and stopped when nobody waits for it."""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce
from importlib.metadata import version
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .. import engine
from ..engine.packing import cloudpickle
from .base import Chunk, as_targets
from .malloc import keeping_memory

POLL_SECONDS = 0.25
SHOWN_ROWS = 2000  # that show what rows look like


class Carried:
    """A function that travels packed, and is unpacked by workers of the same version only.

    The settings in force where it was made travel with it.

    What another version cannot unpack would fail with an error that names a class of ours; so the
    version is asked first. In the process where it was made nothing is packed.

    Parameters
    ----------
    work : callable
    """

    def __init__(self, work: Callable[..., Any]) -> None:
        self.version, self.settings = version("seamark"), engine.carried()
        self._work: Callable[..., Any] | None = work
        self._packed = b""

    def __getstate__(self) -> dict[str, Any]:
        packed = self._packed or cloudpickle.dumps(self._work)
        return {"version": self.version, "settings": self.settings, "packed": packed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.version, self.settings = state["version"], state["settings"]
        self._packed, self._work = state["packed"], None

    @property
    def work(self) -> Callable[..., Any]:
        """The function, unpacked once."""
        require_version(self.version)
        if self._work is None:
            self._work = cloudpickle.loads(self._packed)
        return self._work


Summed = tuple[Any, int]
"""A sum, and how many evaluations it took."""


def apply(
    carried: Carried,
    first: int,
    objects: list[Any],
    target: list[Any],
    weight: list[Any],
    before: Summed | None,
) -> Summed:
    """Add what the work makes of some partitions to the sum of those before.

    That is left as it came: it may be needed for another try.
    """
    work = carried.work
    total, evaluations = before or (None, 0)
    chunk = as_chunk(first, joined(objects), joined(target), joined(weight))
    if not len(chunk):
        return total, evaluations
    with (
        keeping_memory(in_worker=_task_state() is not None),
        while_wanted(),
        engine.restored(carried.settings),
        engine.numbering(chunk.rows),
        engine.counting() as counter,
    ):
        made = work(chunk)
        if made is not None and total is not None:
            made += total
    return total if made is None else made, evaluations + counter.evaluations


def predict(carried: Carried, objects: Any, number: int, first: int | None) -> NDArray[Any]:
    """Predict for a partition, on one thread.

    `number` is the partition's, `first` that of its first row; None: nobody knows.
    """
    work = carried.work
    kept = keeping_memory(in_worker=_task_state() is not None)
    with kept, engine.restored(carried.settings), while_wanted():
        if first is not None:
            with engine.numbering(slice(first, first + size_of(objects))):
                return np.asarray(work(objects))
        try:
            return np.asarray(work(objects))
        except engine.MeasureError as error:
            raise engine.MeasureError(f"in partition {number}: {error}") from error.__cause__


def as_chunk(first: int, objects: Any, target: Any, weight: Any) -> Chunk:
    """Return a partition as a chunk."""
    target = None if target is None else as_targets(target)
    weight = None if weight is None else np.asarray(weight, dtype=np.float64)
    return Chunk(first, objects, target, weight)


def size_of(part: Any) -> int:
    """Count the rows of a partition."""
    return int(part.shape[0]) if hasattr(part, "shape") else len(part)


def beginning(objects: Any, target: Any, weight: Any) -> tuple[Any, Any, Any]:
    """Return the first rows of a partition."""
    return _few(objects), _few(target), _few(weight)


def _few(part: Any) -> Any:
    if part is None:
        return None
    return (part.iloc if hasattr(part, "iloc") else part)[:SHOWN_ROWS]


def joined(parts: list[Any]) -> Any:
    """Return partitions that follow each other as one."""
    if parts[0] is None:
        return None
    some = [part for part in parts if size_of(part)] or parts[:1]
    if len(some) == 1:
        return some[0]
    if hasattr(some[0], "iloc") or hasattr(some[0], "column_names"):
        return _joined_tables(some)
    if sparse.issparse(some[0]):
        return sparse.vstack(some, format="csr")
    if hasattr(some[0], "domain"):  # objects of ours
        return reduce(some[0].domain.joined, some)
    return np.concatenate(some) if isinstance(some[0], np.ndarray) else list(chain(*some))


def _joined_tables(some: list[Any]) -> Any:
    """Return columns and frames of pandas, or tables of pyarrow, one below the other."""
    if hasattr(some[0], "iloc"):
        import pandas as pd

        return pd.concat(some, ignore_index=True)
    import pyarrow as pa

    return pa.concat_tables(some)


def added(pieces: list[Summed]) -> Summed:
    """Add up without changing what came: a worker may hold it for another try."""
    total, evaluations, own = None, 0, False
    for piece, count in pieces:
        evaluations += count
        if piece is None:
            continue
        if total is None:
            total = piece
        elif own:
            total += piece
        else:
            total, own = total + piece, True
    return total, evaluations


def require_version(expected: str) -> None:
    """Stop in a worker that has another version of this package."""
    found = version("seamark")
    if found != expected:
        raise RuntimeError(
            f"this worker has seamark {found}, and the client has {expected}; install the same "
            "version everywhere."
        )


class NotWanted(BaseException):
    """Nobody waits for the result any more; no error of the work, so nothing should handle it."""


@contextmanager
def while_wanted() -> Iterator[None]:
    """End what runs inside when its task is cancelled, after Ctrl-C at the client, say.

    Dask itself drops tasks that have not begun, and lets the others end, which may take hours where
    a partition is large and a function slow. Nothing happens where no worker runs.
    """
    asked = _task_state()
    if asked is None:
        yield
        return
    ended, me = threading.Event(), threading.get_ident()
    lock, sent = threading.Lock(), [False]

    def watch() -> None:
        while not ended.wait(POLL_SECONDS):
            if asked() in ("executing", "long-running", "resumed"):
                continue
            with lock:
                if ended.is_set():
                    return
                sent[0] = True  # again and again: a function may catch everything
                _interrupt(me, NotWanted)

    watcher = threading.Thread(target=watch, name="seamark-wanted", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        with lock:
            ended.set()
        if sent[0]:
            _await_late()


def _interrupt(thread: int, kind: type[BaseException]) -> None:
    """Raise an exception in another thread, when that comes to its next step of Python code."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))


def _await_late() -> None:
    """Receive what was sent and has not arrived, which would otherwise hit Dask's own code."""
    try:
        for _ in range(10):
            time.sleep(0.001)
    except NotWanted:
        pass


def _task_state() -> Callable[[], str | None] | None:
    """Return what tells the state of the task of this thread; None: it is no task of a worker."""
    if "distributed.worker" not in sys.modules:
        return None
    from distributed.worker import get_worker, thread_state

    key = getattr(thread_state, "key", None)
    try:
        worker = get_worker()
        tasks = worker.state.tasks
    except (ValueError, AttributeError):
        return None

    def state() -> str | None:
        return getattr(tasks.get(key), "state", None)

    return None if key is None or state() is None else state
