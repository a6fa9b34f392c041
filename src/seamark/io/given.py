"""Sources of what is there: arrays, memory-mapped ones too, lists, and functions that read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import Ragged
from .base import Chunk, RowSource, rows_of_bytes


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
        first = number = 0
        for block in self._blocks():
            objects, target, weight = _unpacked(block)
            chunk = Chunk(first, objects, target, weight)
            if not len(chunk):
                continue
            first += len(chunk)
            number += 1
            if number > start:
                yield chunk
        if first == 0:
            raise ValueError("the source is empty (0 rows); a factory must yield anew each time.")

    def _blocks(self) -> Iterator[Any]:
        blocks = self.factory()
        if blocks is self.__dict__.get("_last"):
            raise ValueError(
                "the factory returned the same iterator twice, and rows are read several times; "
                "make a new one in each call."
            )
        self._last = blocks if isinstance(blocks, Iterator) else None
        return iter(blocks)

    @property
    def fingerprint(self) -> str:
        """The function's name: what it yields is its own affair."""
        return getattr(self.factory, "__qualname__", type(self.factory).__name__)


def _unpacked(block: Any) -> tuple[Any, NDArray[Any] | None, NDArray[np.float64] | None]:
    if not isinstance(block, tuple):
        return block, None, None
    objects, target, *weight = block
    found = None if not weight or weight[0] is None else np.asarray(weight[0], dtype=np.float64)
    return objects, None if target is None else np.asarray(target), found
