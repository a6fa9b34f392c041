"""Partitions of Dask collections as a source of rows, worked on where they lie."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import reduce
from importlib.metadata import version
from itertools import chain, pairwise
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .. import engine
from ..engine.executors import Cluster
from ..engine.python_calls import cloudpickle
from .base import ArrayRows, Chunk, Pass, RowSource, as_targets, rows_of_bytes

VARIABLE = "MALLOC_TRIM_THRESHOLD_"
TRIM, MMAP = -1, -3  # glibc's numbers of the two thresholds
FREED_BYTES = 1 << 29  # freed memory that a worker keeps while it works on a partition
LARGE = 1 << 25  # bytes: the most that glibc takes
PLAIN_LARGE = 1 << 17  # glibc's own
GROWN_TRIM = 1 << 26  # what glibc comes to by itself, where nobody sets anything


class _Malloc:
    """The thresholds of glibc's malloc, which are settings of the whole process, and so counted."""

    def __init__(self) -> None:
        self._lock, self._users = threading.Lock(), 0

    @contextmanager
    def kept(self, in_worker: bool = False) -> Iterator[None]:
        """Keep freed memory inside, where Dask has asked for giving back each piece at once.

        Dask starts workers with a low threshold, so that memory is not held for nothing. Then
        every array of more than 128 kB is fresh memory, which the system has to clear page by
        page: half as much time again for a chunk of many small steps. What is kept is bounded, and
        given back at the end. A worker that nobody gave a threshold has tasks in a thread that is
        not the first of its process, whose memory glibc gives back often, too.
        """
        given = os.environ.get(VARIABLE, "")
        if not given.isdigit() and not in_worker:
            yield
            return
        self._enter()
        try:
            yield
        finally:
            self._leave(*((int(given), PLAIN_LARGE) if given.isdigit() else (GROWN_TRIM, LARGE)))

    def _enter(self) -> None:
        with self._lock, suppress(AttributeError, OSError):  # no glibc: nothing to do
            self._users += 1
            if self._users == 1:
                libc = ctypes.CDLL(None)
                libc.mallopt(TRIM, FREED_BYTES)
                libc.mallopt(MMAP, LARGE)

    def _leave(self, trim: int, large: int) -> None:
        with self._lock, suppress(AttributeError, OSError):
            self._users -= 1
            if self._users == 0:
                libc = ctypes.CDLL(None)
                libc.mallopt(TRIM, trim)
                libc.mallopt(MMAP, large)
                libc.malloc_trim(0)


keeping_memory = _Malloc().kept


# The Dask client in force: what it computes, and what is sent to its cluster once.


WARNED_FROM = "distributed.admin.large-graph-warning-threshold"


def client_in_force() -> Any:
    """Return the client whose workers do the work; None: it is done in this process.

    It is that of `engine.using`, else the one that Dask itself would take. Inside a task of a
    worker there is none: the task would wait for others that wait for its thread.
    """
    executor = engine.settings().executor
    if executor is not None:
        return executor.client if isinstance(executor, Cluster) else None
    if "distributed" not in sys.modules:
        return None
    from distributed import default_client, get_worker

    try:
        get_worker()
    except ValueError:
        try:
            return default_client()
        except ValueError:
            pass
    return None


def asked_for() -> bool:
    """Whether `engine.using` names a client: a client that is merely there may be gone by now."""
    return isinstance(engine.settings().executor, Cluster)


def threads_there() -> int:
    """Return how many threads all workers have together; without a client, those here."""
    client = client_in_force()
    if client is None:
        return engine.n_threads()
    with answering(client):
        return sum(client.nthreads().values())


def computed(*collections: Any) -> Any:
    """Compute with the client in force, or in threads here; a cluster that is gone is named."""
    import dask

    client = client_in_force()
    if client is None:
        return dask.compute(*collections)
    with answering(client):
        return dask.compute(*collections, scheduler=client)


@contextmanager
def answering(client: Any) -> Iterator[None]:
    """Say in one sentence what is wrong where a cluster does not answer inside."""
    if client.status != "running":
        raise RuntimeError(
            f"the Dask client is {client.status}, so that nothing can be computed on its cluster; "
            "start another, or close it to work in this process."
        )
    from distributed.scheduler import KilledWorker

    try:
        yield
    except KilledWorker as error:
        raise RuntimeError(
            "workers died one after the other at the same partition, most likely because it takes "
            "more memory than they have: make partitions smaller (repartition), or give workers "
            "more memory."
        ) from error
    except _gone() as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise RuntimeError(
            f"the Dask cluster stopped answering ({type(error).__name__}); models that are fitted "
            "already are unaffected: connect again, and repeat the call."
        ) from error


def _gone() -> tuple[type[BaseException], ...]:
    """Return what is raised where a cluster is no more."""
    import asyncio
    import concurrent.futures

    import distributed.client

    found = [OSError, TimeoutError, asyncio.CancelledError, concurrent.futures.CancelledError]
    newer = getattr(distributed.client, "FutureCancelledError", None)
    return tuple(found if newer is None else [*found, newer])


class Held:
    """A value as a task, which Dask can run again where a worker is lost."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self) -> Any:
        """Return it."""
        return self.value


def held(values: Sequence[Any]) -> list[Any]:
    """Send values to the cluster once, for all passes to come; without a client they stay here.

    Scattered data would be lost with their worker. Dask warns of large graphs because the same data
    may be sent again and again; these are sent once.
    """
    client = client_in_force()
    if client is None:
        return list(values)
    import dask

    with dask.config.set({WARNED_FROM: "1 GB"}), answering(client):
        return [client.submit(Held(one), key=f"held-{uuid4()}") for one in values]


def sent(value: Any) -> Any:
    """Return a value for many tasks to take: it travels to the cluster once, and to each worker."""
    import dask

    if client_in_force() is None:
        return dask.delayed(value, traverse=False)
    return held([value])[0]


# Work on its way to Dask workers: of the same version, and stopped when nobody waits for it.


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


# Rows of Dask collections: dataframes, bags and arrays, worked on where they lie.


BRANCHES = 4  # sums that are added at a time
LANES = 2  # chains of partitions for each thread of the workers, and at least
FEWEST_LANES = 8  # as many: workers may join late


def is_collection(X: Any) -> bool:
    """Tell whether X is a Dask collection; Dask itself is not imported."""
    return hasattr(X, "__dask_graph__") and not type(X).__module__.startswith("xarray")


@dataclass(eq=False, repr=False)
class DaskRows(RowSource):
    """Partitions of a Dask collection; sums are made where they lie, and added up in a tree.

    Partitions make chains, in which each adds its sums to those of the one before, so that sums
    stay with a worker, and only those of whole chains travel. Small partitions that follow each
    other are one step of a chain.

    Parameters
    ----------
    parts, labels, weights : list of Delayed or Future
        Objects of each partition, their targets and weights; None: there are none.
    """

    parts: list[Any]
    labels: list[Any]
    weights: list[Any]
    sizes: Sequence[int] | None = None
    """Of the partitions, where they are known; else they are counted."""
    firsts: list[int] = field(init=False)
    _shown: Chunk | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        import dask

        if self.sizes is None:
            self.sizes = computed(*[dask.delayed(size_of)(part) for part in self.parts])
        ends = np.cumsum(self.sizes, dtype=np.intp)
        self.n_rows = int(ends[-1]) if len(ends) else 0
        if not self.n_rows:
            raise ValueError("the collection has no rows.")
        self.firsts = (ends - np.asarray(self.sizes)).tolist()

    def chunks(self, start: int = 0) -> Iterator[Chunk]:
        """Yield partitions, computed one by one and brought here."""
        import dask

        for one in list(self._partitions())[start:]:
            (chunk,) = computed(dask.delayed(as_chunk)(*one))
            if len(chunk):
                yield chunk

    def _partitions(self) -> Iterator[tuple[int, Any, Any, Any]]:
        return zip(self.firsts, self.parts, self.labels, self.weights, strict=True)

    def reduce(self, part: Callable[[Chunk], Any], how: Pass | None = None) -> Any:
        """Add up on the workers; only the sum comes here."""
        import dask

        if how is not None and how.checkpoint is not None:
            raise ValueError(
                "checkpoint= is for rows that this process reads; a cluster repeats lost work "
                "by itself: leave it out."
            )
        work = sent(Carried(part))
        pieces = [self._lane(work, steps) for steps in self._lanes()]
        while len(pieces) > 1:
            groups = [pieces[a : a + BRANCHES] for a in range(0, len(pieces), BRANCHES)]
            pieces = [dask.delayed(added)(group) for group in groups]
        total, evaluations = computed(pieces[0])[0]
        engine.settings().count(evaluations)
        return total

    def _lane(self, work: Any, steps: list[slice]) -> Any:
        """Return the sums of some steps, one after the other."""
        import dask

        step, total = dask.delayed(apply), None
        for some in steps:
            columns = self.parts[some], self.labels[some], self.weights[some]
            total = step(work, self.firsts[some.start], *columns, total)
        return total

    def _lanes(self) -> list[list[slice]]:
        """Return chains of steps, and of each step which partitions it takes."""
        from dask.sizeof import sizeof

        first, wanted = self.first(), max(FEWEST_LANES, LANES * threads_there())
        most = rows_of_bytes(sizeof(first.objects) / max(1, len(first)))
        steps = grouped(self.sizes or [], min(most, -(-int(self.n_rows or 0) // wanted)))
        ends = np.linspace(0, len(steps), min(wanted, len(steps)) + 1).astype(int)
        return [steps[a:b] for a, b in pairwise(ends)]

    def first(self) -> Chunk:
        """Return the first rows, of which few are brought here."""
        import dask

        if self._shown is None:
            at = int(np.flatnonzero(np.asarray(self.sizes))[0])
            found = dask.delayed(beginning)(self.parts[at], self.labels[at], self.weights[at])
            self._shown = as_chunk(0, *computed(found)[0])
        return self._shown

    @property
    def fingerprint(self) -> str:
        """Not to be told: see `reduce`."""
        return f"{self.n_rows} rows in {len(self.parts)} partitions"


def grouped(sizes: Sequence[int], most: int) -> list[slice]:
    """Return runs of partitions of at most so many rows together, or of one that has more.

    Examples
    --------
    >>> grouped([3, 4, 9, 1, 1], 8)
    [slice(0, 2, None), slice(2, 3, None), slice(3, 5, None)]
    """
    starts, rows = [0], 0
    for i, n in enumerate(sizes):
        if rows and rows + n > most:
            starts.append(i)
            rows = 0
        rows += n
    return [slice(a, b) for a, b in pairwise([*starts, len(sizes)])]


def spread(source: ArrayRows) -> DaskRows:
    """Return rows that are in memory as partitions on the cluster of the client in force."""
    lanes = max(FEWEST_LANES, LANES * threads_there())
    most = min(int(source.chunk_rows or 1), -(-int(source.n_rows or 0) // lanes))
    chunks = list(replace(source, chunk_rows=max(1, most)).chunks())
    columns = zip(*((one.objects, one.target, one.weight) for one in chunks), strict=True)
    parts, labels, weights = (
        held(column) if column[0] is not None else list(column) for column in columns
    )
    return DaskRows(parts, labels, weights, [len(one) for one in chunks])


def made_there(source: ArrayRows, work: Callable[[Any], NDArray[Any]]) -> NDArray[Any]:
    """Return what `work` makes of rows that are in memory, on the cluster of the client in force.

    What it makes comes here, and should be smaller than features are.
    """
    import dask

    far, carried = spread(source), sent(Carried(work))
    tasks = enumerate(zip(far.parts, far.firsts, strict=True))
    made = [dask.delayed(predict)(carried, part, i, first) for i, (part, first) in tasks]
    return np.concatenate(computed(*made))


def dask_rows(X: Any, y: Any = None, sample_weight: Any = None) -> DaskRows:
    """Return a collection and its targets as rows.

    Parameters
    ----------
    X : dask.dataframe column or frame, dask.bag, dask.array
    y, sample_weight : collections with the same partitions, or arrays, optional
    """
    if hasattr(X, "rechunk"):  # rows of an array are whole
        X = X.rechunk(dict.fromkeys(range(1, X.ndim), -1)) if X.ndim > 1 else X
        y, sample_weight = (
            one.rechunk({0: X.chunks[0]}) if hasattr(one, "rechunk") else one
            for one in (y, sample_weight)
        )
    parts = _delayed(X)
    rows = DaskRows(parts, [None] * len(parts), [None] * len(parts), known_sizes(X))
    for name, given in (("labels", y), ("weights", sample_weight)):
        if given is None:
            continue
        if is_collection(given):
            found = _delayed(given)
        else:
            whole = np.asarray(given)
            if len(whole) != rows.n_rows:
                raise ValueError(
                    f"X has {rows.n_rows} objects and {len(whole)} {name} came with them; give one "
                    "for each."
                )
            found = held(np.split(whole, rows.firsts[1:]))
        if len(found) != len(parts):
            raise ValueError(
                f"X has {len(parts)} partitions and its {name} have {len(found)}; repartition one "
                "like the other."
            )
        setattr(rows, name, found)
    return rows


def lazily(X: Any, work: Callable[[Any], NDArray[Any]], dtype: Any, width: int | None) -> Any:
    """Return a dask.array of what `work` makes of each partition, computed when it is asked for.

    Parameters
    ----------
    X : Dask collection
    work : callable
    dtype : dtype
        Of what it returns.
    width : int or None
        Columns of what it returns; None: it has one dimension.
    """
    import dask
    import dask.array as da

    if hasattr(X, "rechunk") and X.ndim > 1:
        X = X.rechunk(dict.fromkeys(range(1, X.ndim), -1))
    sizes, first = known_sizes(X), 0
    carried = dask.delayed(Carried(work), traverse=False)
    pieces = []
    for i, part in enumerate(_delayed(X)):
        n = np.nan if sizes is None else sizes[i]
        made = dask.delayed(predict)(carried, part, i, None if sizes is None else first)
        first += 0 if sizes is None else sizes[i]
        pieces.append(da.from_delayed(made, (n,) if width is None else (n, width), dtype=dtype))
    return da.concatenate(pieces, axis=0)


def known_sizes(X: Any) -> Sequence[int] | None:
    """Return the rows of each partition, where a collection knows them; None: it does not."""
    sizes = X.chunks[0] if hasattr(X, "chunks") else None
    return None if sizes is None or np.isnan(sizes).any() else tuple(map(int, sizes))


def _delayed(X: Any) -> list[Any]:
    found = X.to_delayed()
    return list(found.ravel()) if isinstance(found, np.ndarray) else list(found)
