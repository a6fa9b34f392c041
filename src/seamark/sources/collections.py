"""Rows of Dask collections: dataframes, bags and arrays, worked on where they lie."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from .base import Chunk, Pass, RowSource
from .workers import Carried, added, apply, as_chunk, predict, size_of

BRANCHES = 4  # sums that are added at a time


def is_collection(X: Any) -> bool:
    """Tell whether X is a Dask collection; Dask itself is not imported."""
    return hasattr(X, "__dask_graph__")


@dataclass(eq=False, repr=False)
class DaskRows(RowSource):
    """Partitions of a Dask collection; sums are made where they lie, and added up in a tree.

    Parameters
    ----------
    parts, labels, weights : list of Delayed
        Objects of each partition, their targets and weights; None: there are none.
    """

    parts: list[Any]
    labels: list[Any]
    weights: list[Any]
    sizes: Sequence[int] | None = None
    """Of the partitions, where they are known; else they are counted."""
    firsts: list[int] = field(init=False)

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
        for first, *held in list(self._partitions())[start:]:
            chunk = as_chunk(first, *computed(*held))
            if len(chunk):
                yield chunk

    def _partitions(self) -> Iterator[tuple[int, Any, Any, Any]]:
        return zip(self.firsts, self.parts, self.labels, self.weights, strict=True)

    def reduce(self, part: Callable[[Chunk], Any], how: Pass | None = None) -> Any:
        """Add up on the workers; only the sum comes here."""
        import dask

        if how is not None and how.checkpoint is not None:
            raise ValueError(
                "checkpoint= is for rows that this process reads; a cluster does lost work again "
                "by itself: leave it out."
            )
        # One task holds the work, so that it travels to each worker once.
        work = dask.delayed(Carried(part), traverse=False)
        pieces = [dask.delayed(apply)(work, *one) for one in self._partitions()]
        while len(pieces) > 1:
            groups = [pieces[a : a + BRANCHES] for a in range(0, len(pieces), BRANCHES)]
            pieces = [dask.delayed(added)(group) for group in groups]
        total, evaluations = computed(pieces[0])[0]
        engine.settings().count(evaluations)
        return total

    @property
    def fingerprint(self) -> str:
        """Not to be told: see `reduce`."""
        return f"{self.n_rows} rows in {len(self.parts)} partitions"


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
            found = np.split(whole, rows.firsts[1:])
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


def computed(*collections: Any) -> Any:
    """Compute with the client in force, or in threads here; a cluster that is gone is named."""
    import dask

    client = _client()
    if client is not None and client.status != "running":
        raise RuntimeError(
            f"the Dask client is {client.status}, so that nothing can be computed on its cluster; "
            "start another, or close it to work in this process."
        )
    if client is None:
        return dask.compute(*collections)
    from distributed.scheduler import KilledWorker

    try:
        return dask.compute(*collections)
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


def _client() -> Any:
    """Return the distributed client in force; None: there is none."""
    if "distributed" not in sys.modules:
        return None
    from distributed import default_client

    try:
        return default_client()
    except ValueError:
        return None


def _delayed(X: Any) -> list[Any]:
    found = X.to_delayed()
    return list(found.ravel()) if isinstance(found, np.ndarray) else list(found)
