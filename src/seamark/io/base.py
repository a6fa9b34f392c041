"""Sources of rows that need not be in memory: the protocol, arrays, sequences and functions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Domain, Ragged, is_missing
from .checkpoint import Checkpoint

CHUNK_BYTES = 64 << 20  # the most that is read from files at a time


def size_of(objects: Any) -> int:
    """Count rows of any kind."""
    return int(objects.shape[0]) if hasattr(objects, "shape") else len(objects)


@dataclass(frozen=True, eq=False)
class Chunk:
    """A run of rows as they came.

    Attributes
    ----------
    first : int
        Number of the first row, among all of the source.
    objects : objects
        Raw: what a domain ingests.
    target, weight : ndarray or None
        One entry for each row, if the source has them.
    notes : dict or None
        By `first`, hashes of rows that lie in memory: 8 bytes each, for the next pass.
    """

    first: int
    objects: Any
    target: NDArray[Any] | None = None
    weight: NDArray[np.float64] | None = None
    notes: dict[int, Any] | None = None

    def __len__(self) -> int:
        return size_of(self.objects)

    @property
    def rows(self) -> slice:
        """Numbers of its rows."""
        return slice(self.first, self.first + len(self))

    def ingested(self, domain: Domain) -> Any:
        """Return the objects of a domain; what is wrong with one names its place in the source."""
        return self.naming(domain.ingest, self.objects)

    def naming(self, read: Callable[[Any], Any], objects: Any) -> Any:
        """Return what is read of objects; what is wrong with one names its place in the source."""
        try:
            return read(objects)
        except (TypeError, ValueError) as error:
            if not self.first:
                raise
            raise type(error)(f"in the rows from {self.first} on: {error}") from error

    def require_weights(self) -> None:
        """Stop at a weight that is none."""
        if self.weight is None:
            return
        weight = np.asarray(self.weight)
        if weight.dtype.kind not in "biuf":
            raise ValueError(f"weights must be numbers, not {weight.flat[0]!r}.")
        bad = ~(weight.astype(np.float64) >= 0) | ~np.isfinite(weight.astype(np.float64))
        if bad.any():
            at = int(bad.argmax())
            raise ValueError(
                f"row {self.first + at} has the weight {weight[at]}; give numbers of at least 0."
            )

    def require_targets(self) -> None:
        """Stop at a row without a target."""
        if self.target is None:
            raise ValueError("the rows have no targets; name their column with target=.")
        flat = self.target.reshape(len(self.target), -1)
        if flat.dtype == object:
            bad = np.array([any(map(is_missing, row)) for row in flat], dtype=bool)
        else:
            bad = ~np.isfinite(flat).all(axis=1) if flat.dtype.kind == "f" else np.zeros(1, bool)
        if bad.any():
            raise ValueError(
                f"row {self.first + int(bad.argmax())} has no target; fill it, or drop the row."
            )


@dataclass
class Pass:
    """How a pass over all rows is to go.

    Attributes
    ----------
    checkpoint : Checkpoint or None
        Where sums of finished chunks are kept; what is added up then needs `arrays` and `taking`.
    progress : bool or Progress
        Where rows, rate and time left are shown.
    """

    checkpoint: Checkpoint | None = None
    progress: bool | engine.Progress = False


class RowSource(ABC):
    """Rows that can be read again and again, a chunk at a time, always in the same order.

    `fit`, `predict`, `transform` of models and maps, and `assess`, take one in place of X.

    Attributes
    ----------
    n_rows : int or None
        How many there are, if that is known before they are read.
    """

    n_rows: int | None = None
    _n_read: int

    @abstractmethod
    def chunks(self, start: int = 0) -> Iterator[Chunk]:
        """Yield chunks of rows in order, from chunk number `start` on."""

    def first(self) -> Chunk:
        """Return the first rows, as many as are easily had: they show what all look like."""
        found = next(self.chunks(), None)
        if found is None or not len(found):
            raise ValueError("the source has no rows.")
        return found

    @property
    def fingerprint(self) -> str:
        """What tells this source from others, for a fit that is resumed."""
        return repr(self)

    @property
    def expected_rows(self) -> int:
        """About how many rows there are, for the time left; 0: nobody can tell."""
        return self.n_rows or 0

    def reduce(self, part: Callable[[Chunk], Any], how: Pass | None = None) -> Any:
        """Add up what `part` makes of every chunk, in the order of the rows.

        Parameters
        ----------
        part : callable
            Gets a chunk, and returns something new that has ``+=``, or None.
        how : Pass, optional
        """
        how = how or Pass()
        total, start = (None, 0) if how.checkpoint is None else how.checkpoint.found()
        with engine.progress_bar(how.progress) as bar:
            bar.start(self.expected_rows, "rows")
            if start:
                bar.advance(how.checkpoint.rows if how.checkpoint else 0)
            number, end = start, 0
            for chunk in self.chunks(start):
                number, end = number + 1, chunk.rows.stop
                with engine.numbering(chunk.rows):
                    piece = part(chunk)
                if total is None:
                    total = piece
                elif piece is not None:
                    total += piece
                if how.checkpoint is not None:
                    how.checkpoint.keep(total, number, chunk.rows.stop)
                bar.advance(len(chunk))
        if number > start:
            before = self.__dict__.setdefault("_n_read", end)
            if end != before:
                del self._n_read
                raise ValueError(
                    f"{before} rows were read before and {end} now; a source must give the same "
                    "rows each time it is read, and files must not change meanwhile."
                )
        if how.checkpoint is not None:
            how.checkpoint.keep(total, number, -1, now=True)
        return total

    def mapped(self, work: Callable[[Any], Any]) -> Mapped:
        """Return the source of what `work` makes of the raw objects of each chunk, when read.

        Examples
        --------
        >>> import seamark as sm
        >>> lengths = sm.rows(["sea", "mark"]).mapped(lambda names: [len(name) for name in names])
        >>> [chunk.objects for chunk in lengths.chunks()]
        [[3, 4]]
        """
        return Mapped(self, work)

    def stacked(self, work: Callable[[Any], NDArray[Any]]) -> NDArray[Any]:
        """Return what `work` makes of the raw objects of each chunk, one below the other."""
        return np.concatenate([chunk.objects for chunk in self.mapped(work).chunks()])

    def __repr__(self) -> str:
        n = "rows" if self.n_rows is None else f"{self.n_rows} rows"
        return f"<{type(self).__name__}: {n}>"


@dataclass(eq=False, repr=False)
class Mapped(RowSource):
    """What a function makes of the chunks of another source."""

    source: RowSource
    work: Callable[[Any], Any]
    n_rows: int | None = field(init=False)

    def __post_init__(self) -> None:
        self.n_rows = self.source.n_rows

    def chunks(self, start: int = 0) -> Iterator[Chunk]:
        """Yield chunks as the function returns them."""
        for chunk in self.source.chunks(start):
            with engine.numbering(chunk.rows):
                made = self.work(chunk.objects)
            yield Chunk(chunk.first, made, chunk.target, chunk.weight)

    @property
    def fingerprint(self) -> str:
        """That of what is read."""
        return f"mapped {self.source.fingerprint}"


def rows_of_bytes(row_bytes: float) -> int:
    """Return how many rows of this size make a chunk.

    Examples
    --------
    >>> rows_of_bytes(20), rows_of_bytes(1 << 20)
    (65536, 64)
    """
    now = engine.settings()
    return int(np.clip(CHUNK_BYTES // max(1.0, row_bytes), 1, now.chunk_rows))


def as_targets(given: Any) -> NDArray[Any]:
    """Return targets as an array: of text, if all are."""
    found = np.asarray(given)
    text = found.dtype == object and found.size and all(isinstance(one, str) for one in found.flat)
    return found.astype(str) if text else found


# Sources of what is there: arrays, memory-mapped ones too, lists, and functions that read.


@dataclass(eq=False, repr=False)
class ArrayRows(RowSource):
    """Rows of an array, a memory-mapped file, or any sequence.

    Parameters
    ----------
    objects : array or sequence
        Sliced, and otherwise left alone: of a memory-mapped file a chunk at a time is read.
    target, weight : array, optional
        One entry for each row.
    chunk_rows : int, optional
        Rows of a chunk; default: up to 65,536, and 64 MB.
    """

    objects: Any
    target: Any = None
    weight: Any = None
    chunk_rows: int | None = None

    def __post_init__(self) -> None:
        shape = getattr(self.objects, "shape", None)
        self.n_rows = int(len(self.objects) if shape is None else shape[0])
        for name in ("target", "weight"):
            given = getattr(self, name)
            if given is not None and len(given) != self.n_rows:
                raise ValueError(
                    f"there are {self.n_rows} rows and {len(given)} entries of {name}; give one "
                    "for each row."
                )
        if self.chunk_rows is None:
            size = getattr(self.objects, "nbytes", 0) / max(1, self.n_rows)
            self.chunk_rows = rows_of_bytes(size)
        self._notes: dict[int, Any] | None = {} if isinstance(self.objects, Ragged) else None

    def chunks(self, start: int = 0) -> Iterator[Chunk]:
        """Yield slices."""
        step = int(self.chunk_rows or 1)
        for a in range(start * step, int(self.n_rows or 0), step):
            rows = slice(a, a + step)
            target = None if self.target is None else np.asarray(self.target[rows])
            weight = None if self.weight is None else np.asarray(self.weight[rows], dtype=float)
            yield Chunk(a, self.objects[rows], target, weight, self._notes)

    @property
    def fingerprint(self) -> str:
        """Number of rows; what they hold is compared chunk by chunk."""
        return f"{self.n_rows} rows"


@dataclass(eq=False, repr=False)
class FactoryRows(RowSource):
    """Rows of blocks that a function yields, anew each time it is called.

    Parameters
    ----------
    factory : callable
        Called without arguments; returns an iterable of blocks, always the same: objects, or
        tuples of objects and targets, or of objects, targets and weights.

    Examples
    --------
    >>> source = FactoryRows(lambda: iter([(["sea", "see"], [0, 0]), (["mark"], [1])]))
    >>> [(chunk.first, chunk.objects) for chunk in source.chunks()]
    [(0, ['sea', 'see']), (2, ['mark'])]
    """

    factory: Callable[[], Iterable[Any]]

    def chunks(self, start: int = 0) -> Iterator[Chunk]:
        """Yield the blocks that have rows; the first `start` of them are read and dropped."""
        blocks = self.factory()
        if blocks is self.__dict__.get("_last"):
            raise ValueError(
                "the factory returned the same iterator twice, and rows are read several times; "
                "make a new one in each call."
            )
        self._last = blocks if isinstance(blocks, Iterator) else None
        first = number = 0
        for block in blocks:
            objects, *further = block if isinstance(block, tuple) else (block,)
            target, weight = (*further, None, None)[:2]
            target = None if target is None else np.asarray(target)
            weight = None if weight is None else np.asarray(weight, dtype=np.float64)
            chunk = Chunk(first, objects, target, weight)
            if not len(chunk):
                continue
            first += len(chunk)
            number += 1
            if number > start:
                yield chunk
        if first == 0:
            raise ValueError("the source is empty (0 rows); a factory must yield anew each time.")

    @property
    def fingerprint(self) -> str:
        """The function's name: what it yields is its own affair."""
        return getattr(self.factory, "__qualname__", type(self.factory).__name__)
