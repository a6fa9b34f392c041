"""`ValueCache`: values of objects against landmarks, each evaluated once while memory lasts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import engine

if TYPE_CHECKING:
    from .bearings import Bearings

Rows = NDArray[np.intp]
Values = NDArray[np.float32]
Gap = tuple[Rows, Rows]  # rows and columns, both rising


class Budget:
    """Bytes that may be kept, by one cache or by several together.

    Examples
    --------
    >>> budget = Budget(100)
    >>> budget.take(60), budget.take(60), budget.take(-20), budget.left
    (True, False, True, 60)
    """

    def __init__(self, left: int) -> None:
        self.left = left

    def take(self, amount: int) -> bool:
        """Take so many bytes if they are there; give them back if the amount is negative."""
        if amount > self.left:
            return False
        self.left -= amount
        return True


@dataclass(frozen=True, eq=False)
class Rectangle:
    """Values of some rows in some columns, both rising."""

    rows: Rows
    columns: Rows
    values: NDArray[Any]

    def left_of(self, gap: Gap) -> Iterator[Gap]:
        """Yield what these values leave open of a gap.

        Examples
        --------
        >>> known = Rectangle(np.array([1, 4]), np.array([0]), np.zeros((2, 1)))
        >>> [(r.tolist(), c.tolist()) for r, c in known.left_of((np.arange(3), np.arange(2)))]
        [([0, 2], [0, 1]), ([1], [1])]
        """
        rows, columns = gap
        others = np.setdiff1d(columns, self.columns, assume_unique=True)
        both = np.intersect1d(rows, self.rows, assume_unique=True)
        if len(others) == len(columns) or not len(both):
            yield gap
            return
        if len(both) < len(rows):
            yield np.setdiff1d(rows, both, assume_unique=True), columns
        if len(others):
            yield both, others

    def copy_into(self, out: Values, rows: Rows, columns: Rows) -> None:
        """Write what is known of some rows and columns to their places."""
        _, r, i = np.intersect1d(rows, self.rows, assume_unique=True, return_indices=True)
        _, c, j = np.intersect1d(columns, self.columns, assume_unique=True, return_indices=True)
        if len(r) and len(c):
            out[_cells(r, c)] = self.values[_cells(i, j)]


class ValueCache:
    """Values of objects against a map's landmarks, kept in the smallest type that is exact.

    What is asked for is put together from what is kept, and only the rest is evaluated: whole
    rows, or the missing columns of some rows. What the budget does not allow to keep is evaluated
    again, and counted again.

    Parameters
    ----------
    map : Bearings
        Fitted. Its values are the columns: landmarks, side by side for several measures.
    X : objects
        Ingested.
    budget : Budget

    Examples
    --------
    >>> import seamark as sm
    >>> X = sm.objects.strings.ingest(["sea", "see", "mark", "marked"])
    >>> bearings = sm.LandmarkMap("levenshtein", n_landmarks=3, random_state=0).fit(X)
    >>> cache = ValueCache(bearings, X, Budget(1000))
    >>> with sm.engine.counting() as counter:
    ...     few = cache.read(np.array([1, 3]), np.array([0, 2]))
    ...     whole = cache.read(slice(0, 4))
    >>> few.shape, whole.shape, counter.evaluations
    ((2, 2), (4, 3), 12)
    """

    def __init__(self, map: Bearings, X: Any, budget: Budget) -> None:
        self.map = map
        self.X = X
        self.budget = budget
        self._every = np.arange(map.n_values)
        self._blocks = map.row_blocks(X.shape[0])
        self._starts = np.array([block.start for block in self._blocks])
        # By block of rows, so that what was kept in parts is freed once the block is whole.
        self._kept: list[list[Rectangle]] = [[] for _ in self._blocks]
        self._parts: dict[bytes, Bearings] = {}

    def keep(self, rows: Rows, values: Values) -> None:
        """Keep values of some rows, rising, in all columns, as far as the budget allows."""
        for b, among in self._by_block(rows):
            self._keep(b, rows[among], self._every, values[among])

    def n_missing(self, rows: slice | Rows, columns: Rows | None = None) -> int:
        """Return how many values `read` would have to evaluate."""
        asked = _numbers(rows)
        columns = self._every if columns is None else columns
        return sum(
            len(r) * len(c)
            for b, among in self._by_block(asked)
            for r, c in self._gaps(b, asked[among], columns)
        )

    def read(
        self,
        rows: slice | Rows,
        columns: Rows | None = None,
        progress: bool | engine.Progress = False,
    ) -> NDArray[Any]:
        """Return values, not to be overwritten.

        Parameters
        ----------
        rows, columns : ndarray of int
            Rising, each once; rows may be a slice, and columns None for all.
        progress : bool or Progress
            Shown while the missing ones are evaluated.
        """
        whole = self._whole(rows) if columns is None else None
        if whole is not None:
            return whole
        asked = _numbers(rows)
        columns = self._every if columns is None else columns
        out = np.empty((len(asked), len(columns)), dtype=np.float32)
        for b, among in self._by_block(asked):
            self._fill(b, out[among], asked[among], columns, progress)
        return out

    def drop(self) -> None:
        """Forget everything, and give back the memory."""
        for b, kept in enumerate(self._kept):
            self.budget.take(-_bytes(kept))
            self._kept[b] = []

    def _by_block(self, rows: Rows) -> Iterator[tuple[int, slice]]:
        """Yield the blocks that hold some of the rows, and which of them they hold."""
        if not len(rows):
            return
        first, last = np.searchsorted(self._starts, rows[[0, -1]], side="right") - 1
        for b in range(first, last + 1):
            start, stop = np.searchsorted(rows, [self._blocks[b].start, self._blocks[b].stop])
            if stop > start:
                yield b, slice(int(start), int(stop))

    def _whole(self, rows: slice | Rows) -> NDArray[Any] | None:
        """Return a block, if it is one that is asked for, and it is kept in one piece."""
        if not isinstance(rows, slice):
            return None
        b = int(np.searchsorted(self._starts, rows.start))
        if b == len(self._blocks) or rows != self._blocks[b] or len(self._kept[b]) != 1:
            return None
        values = self._kept[b][0].values
        return values if values.shape == (rows.stop - rows.start, len(self._every)) else None

    def _gaps(self, b: int, rows: Rows, columns: Rows) -> list[Gap]:
        """Return what is not kept of some rows of a block, as rectangles."""
        gaps = [(rows, columns)]
        for known in self._kept[b]:
            gaps = [left for gap in gaps for left in known.left_of(gap)]
        return gaps

    def _fill(
        self, b: int, out: Values, rows: Rows, columns: Rows, progress: bool | engine.Progress
    ) -> None:
        """Write the values of some rows of a block; keep the new ones if there is room."""
        gaps = self._gaps(b, rows, columns)
        for known in self._kept[b]:
            known.copy_into(out, rows, columns)
        for r, c in gaps:
            values = self._evaluated(r, c, progress)
            Rectangle(r, c, values).copy_into(out, rows, columns)
            self._keep(b, r, c, values)
        block = self._blocks[b]
        if len(rows) == block.stop - block.start and len(columns) == len(self._every):
            self._join(b, rows, out)

    def _evaluated(self, rows: Rows, columns: Rows, progress: bool | engine.Progress) -> Values:
        part = self.map
        if len(columns) < len(self._every):
            key = columns.tobytes()
            if key not in self._parts:
                self._parts[key] = part.part(columns)
            part = self._parts[key]
        run = _run(rows)
        return part.values(self.X[run], progress, run)

    def _keep(self, b: int, rows: Rows, columns: Rows, values: Values) -> None:
        small = smallest_exact(values)
        if self.budget.take(small.nbytes):
            self._kept[b].append(Rectangle(rows, columns, small))

    def _join(self, b: int, rows: Rows, values: Values) -> None:
        """Keep a block in one piece in place of many, if they make it up."""
        kept = self._kept[b]
        if len(kept) < 2 or sum(known.values.size for known in kept) < values.size:
            return
        small = smallest_exact(values)
        if self.budget.take(small.nbytes - _bytes(kept)):
            own = small.copy() if small is values else small  # the reader has the other one
            self._kept[b] = [Rectangle(rows, self._every, own)]


def _bytes(kept: list[Rectangle]) -> int:
    return sum(known.values.nbytes for known in kept)


def _numbers(rows: slice | Rows) -> Rows:
    return np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows


def _run(numbers: Rows) -> slice | Rows:
    """Return rising numbers as a slice if none is left out: no copy is needed then."""
    start, stop = int(numbers[0]), int(numbers[-1]) + 1
    return slice(start, stop) if stop - start == len(numbers) else numbers


def _cells(rows: Rows, columns: Rows) -> Any:
    """Return an index of all cells of some rows and columns."""
    r, c = _run(rows), _run(columns)
    return (r, c) if isinstance(r, slice) or isinstance(c, slice) else np.ix_(r, c)


def smallest_exact(values: NDArray[np.float32]) -> NDArray[Any]:
    """Return the values in the smallest type that holds them exactly.

    Examples
    --------
    >>> smallest_exact(np.array([0, 255], dtype=np.float32)).dtype
    dtype('uint8')
    >>> smallest_exact(np.array([-300, 0], dtype=np.float32)).dtype
    dtype('int16')
    >>> smallest_exact(np.array([0.5], dtype=np.float32)).dtype
    dtype('float32')
    """
    low, high = (values.min(), values.max()) if values.size else (0, 0)
    for dtype in (np.uint8, np.int8, np.uint16, np.int16):
        if np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max:
            small = values.astype(dtype)
            return small if np.array_equal(small, values) else values
    return values
