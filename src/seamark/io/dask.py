"""Partitions of Dask collections as a source of rows, worked on where they lie."""

from __future__ import annotations

import asyncio
import ctypes
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from importlib.metadata import version
from itertools import chain, islice, pairwise
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .. import engine
from ..data import is_collection
from ..engine.executors import Cluster
from ..engine.python_calls import cloudpickle
from .base import ArrayRows, Chunk, Pass, RowSource, as_targets, rows_of_bytes, size_of

VARIABLE = "MALLOC_TRIM_THRESHOLD_"
TRIM, MMAP = -1, -3  # glibc's numbers of the two thresholds
FREED_BYTES = 1 << 29  # freed memory that a worker keeps while it works on a partition
LARGE = 1 << 25  # bytes: the most that glibc takes
PLAIN_LARGE = 1 << 17  # glibc's own
GROWN_TRIM = 1 << 26  # what glibc comes to by itself, where nobody sets anything


@contextmanager
def keeping_memory(in_worker: bool = False) -> Iterator[None]:
    """Keep freed memory inside, where Dask has asked for giving back each piece at once.

    Dask starts workers with a low threshold, so that memory is not held for nothing. Then every
    array of more than 128 kB is fresh memory, which the system has to clear page by page: half as
    much time again for a chunk of many small steps. What is kept is bounded, and given back at the
    end. A worker that nobody gave a threshold has tasks in a thread that is not the first of its
    process, whose memory glibc gives back often, too.
    """
    given = os.environ.get(VARIABLE, "")
    libc: Any = ctypes.CDLL(None) if os.name == "posix" else None
    if not (given.isdigit() or in_worker) or not hasattr(libc, "mallopt"):  # or no glibc
        yield
        return
    libc.mallopt(TRIM, FREED_BYTES)
    libc.mallopt(MMAP, LARGE)
    try:
        yield
    finally:  # another thread that is still at work only gets slower
        libc.mallopt(TRIM, int(given) if given.isdigit() else GROWN_TRIM)
        libc.mallopt(MMAP, PLAIN_LARGE if given.isdigit() else LARGE)
        libc.malloc_trim(0)


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


def lanes_there() -> int:
    """Return how many chains of partitions keep the workers busy; without a client, threads here.

    They are a few for each thread, and not few at all, for workers may join late.
    """
    client = client_in_force()
    if client is None:
        return max(FEWEST_LANES, LANES * engine.n_threads())
    with answering(client):
        return max(FEWEST_LANES, LANES * int(sum(client.nthreads().values())))


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
    except FileNotFoundError:
        raise
    except (OSError, asyncio.CancelledError, CancelledError) as error:
        raise RuntimeError(
            f"the Dask cluster stopped answering ({type(error).__name__}); models that are fitted "
            "already are unaffected: connect again, and repeat the call."
        ) from error


def itself(value: Any) -> Any:
    """Return a value: as a task, which Dask can run again where a worker is lost."""
    return value


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
        return [client.submit(partial(itself, one), key=f"held-{uuid4()}") for one in values]


def sent(value: Any) -> Any:
    """Return a value for many tasks to take: it travels to the cluster once, and to each worker."""
    import dask

    if client_in_force() is None:
        return dask.delayed(value, traverse=False)
    return held([value])[0]


# Work on its way to Dask workers: of the same version, and stopped when nobody waits for it.


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
        found = version("seamark")
        if found != self.version:
            raise RuntimeError(
                f"this worker has seamark {found}, and the client has {self.version}; install the "
                "same version everywhere."
            )
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
    with at_work(carried) as counter, engine.numbering(chunk.rows):
        made = work(chunk)
        if made is not None and total is not None:
            made += total
    return total if made is None else made, evaluations + counter.evaluations


def predict(carried: Carried, objects: Any, number: int, first: int | None) -> NDArray[Any]:
    """Predict for a partition, on one thread.

    `number` is the partition's, `first` that of its first row; None: nobody knows.
    """
    work = carried.work
    with at_work(carried):
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


def beginning(*columns: Any) -> list[Any]:
    """Return the first rows of each column of a partition; None of what is not there."""
    found = [part.iloc if hasattr(part, "iloc") else part for part in columns]
    return [None if part is None else part[:SHOWN_ROWS] for part in found]


def joined(parts: list[Any]) -> Any:
    """Return partitions that follow each other as one."""
    some = [part for part in parts if part is not None and size_of(part)] or parts[:1]
    one: Any = some[0]
    if len(some) == 1 or one is None:
        return one
    if hasattr(one, "iloc"):
        import pandas as pd

        return pd.concat(some, ignore_index=True)
    if hasattr(one, "column_names"):
        import pyarrow as pa

        return pa.concat_tables(some)
    if sparse.issparse(one):
        return sparse.vstack(some, format="csr")
    if isinstance(one, np.ndarray):
        return np.concatenate(some)
    return reduce(one.domain.joined, some) if hasattr(one, "domain") else list(chain(*some))


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


class NotWanted(BaseException):
    """Nobody waits for the result any more; no error of the work, so nothing should handle it."""


class WantedCounter(engine.Counter):
    """A counter that ends the work of a task that is cancelled, after Ctrl-C at the client, say.

    Dask itself drops tasks that have not begun, and lets the others end, which may take hours where
    a partition is large and a function slow. Values are counted chunk by chunk.

    Parameters
    ----------
    task : object
        What the worker knows of the task.
    """

    def __init__(self, task: Any) -> None:
        super().__init__()
        self.task = task

    def add(self, evaluations: int) -> None:
        """Count, and stop if nobody waits for the result."""
        super().add(evaluations)
        if self.task.state not in ("executing", "long-running", "resumed"):
            raise NotWanted


@contextmanager
def at_work(carried: Carried) -> Iterator[engine.Counter]:
    """Work inside as the client would, on one thread, and count evaluations."""
    task = None
    if "distributed.worker" in sys.modules:
        from distributed.worker import get_worker, thread_state

        with suppress(ValueError, AttributeError):  # it is no task of a worker
            task = get_worker().state.tasks.get(getattr(thread_state, "key", None))
    counter = engine.Counter() if task is None else WantedCounter(task)
    with (
        keeping_memory(in_worker=task is not None),
        engine.restored(carried.settings),
        engine.changed(counter),
    ):
        yield counter


# Rows of Dask collections: dataframes, bags and arrays, worked on where they lie.


BRANCHES = 4  # sums that are added at a time
LANES = 2  # chains of partitions for each thread of the workers
FEWEST_LANES = 8


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

        columns = zip(self.firsts, self.parts, self.labels, self.weights, strict=True)
        for one in islice(columns, start, None):
            (chunk,) = computed(dask.delayed(as_chunk)(*one))
            if len(chunk):
                yield chunk

    def reduce(self, part: Callable[[Chunk], Any], how: Pass | None = None) -> Any:
        """Add up on the workers; only the sum comes here."""
        import dask

        if how is not None and how.checkpoint is not None:
            raise ValueError(
                "checkpoint= is for rows that this process reads; a cluster repeats lost work "
                "by itself: leave it out."
            )
        work, step, pieces = sent(Carried(part)), dask.delayed(apply), []
        for lane in self._lanes():
            total = None
            for some in lane:
                columns = self.parts[some], self.labels[some], self.weights[some]
                total = step(work, self.firsts[some.start], *columns, total)
            pieces.append(total)
        while len(pieces) > 1:
            groups = [pieces[a : a + BRANCHES] for a in range(0, len(pieces), BRANCHES)]
            pieces = [dask.delayed(added)(group) for group in groups]
        total, evaluations = computed(pieces[0])[0]
        engine.settings().count(evaluations)
        return total

    def _lanes(self) -> list[list[slice]]:
        """Return chains of steps, and of each step which partitions it takes."""
        from dask.sizeof import sizeof

        first, wanted = self.first(), lanes_there()
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
    most = min(int(source.chunk_rows or 1), -(-int(source.n_rows or 0) // lanes_there()))
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
    parts, sizes = partitions(X)
    rows = DaskRows(parts, [None] * len(parts), [None] * len(parts), sizes)
    for name, given in (("labels", y), ("weights", sample_weight)):
        if given is None:
            continue
        if is_collection(given):
            alike = hasattr(X, "rechunk") and hasattr(given, "rechunk")
            found, _ = partitions(given.rechunk({0: X.chunks[0]}) if alike else given)
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

    (parts, sizes), first, pieces = partitions(X), 0, []
    carried = dask.delayed(Carried(work), traverse=False)
    for i, part in enumerate(parts):
        n = np.nan if sizes is None else sizes[i]
        made = dask.delayed(predict)(carried, part, i, None if sizes is None else first)
        first += 0 if sizes is None else sizes[i]
        pieces.append(da.from_delayed(made, (n,) if width is None else (n, width), dtype=dtype))
    return da.concatenate(pieces, axis=0)


def partitions(X: Any) -> tuple[list[Any], Sequence[int] | None]:
    """Return the partitions of a collection, and the rows of each, where it knows them."""
    if hasattr(X, "rechunk") and X.ndim > 1:  # rows of an array are whole
        X = X.rechunk(dict.fromkeys(range(1, X.ndim), -1))
    found, sizes = X.to_delayed(), X.chunks[0] if hasattr(X, "chunks") else None
    known = None if sizes is None or np.isnan(sizes).any() else tuple(map(int, sizes))
    return list(found.ravel() if isinstance(found, np.ndarray) else found), known
