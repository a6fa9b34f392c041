"""Rows of Dask collections: dataframes, bags and arrays, worked on where they lie."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from .base import Chunk, Pass, RowSource, rows_of_bytes
from .clients import computed, held, sent, threads_there
from .given import ArrayRows
from .workers import Carried, added, apply, as_chunk, beginning, predict, size_of

BRANCHES = 4  # sums that are added at a time
LANES = 2  # chains of partitions for each thread of the workers, and at least
FEWEST_LANES = 8  # as many: workers may join late


def is_collection(X: Any) -> bool:
    """Tell whether X is a Dask collection; Dask itself is not imported."""
    return hasattr(X, "__dask_graph__")


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
