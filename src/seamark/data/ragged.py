"""`Ragged`: many objects of unequal size in one flat array."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .domain import Domain


def offsets_of(lengths: Any) -> NDArray[np.int64]:
    """Return where things of these lengths begin when they are laid end to end, and where all end.

    Examples
    --------
    >>> offsets_of([2, 0, 3])
    array([0, 2, 2, 5])
    """
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def runs(starts: NDArray[Any], lengths: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the positions of things that begin there, end to end, and where each then begins.

    Examples
    --------
    >>> runs(np.array([7, 2]), np.array([2, 3]))
    (array([7, 8, 2, 3, 4]), array([0, 2, 5]))
    """
    offsets = np.concatenate([[0], np.cumsum(lengths)])  # each fit comes by here
    return np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1]), offsets


@dataclass(frozen=True, eq=False, repr=False)
class Ragged:
    """Strings, series or sets, laid end to end.

    Object ``i`` is ``values[offsets[i]:offsets[i + 1]]``. A Ragged behaves as a one-dimensional
    sequence: ``len``, ``shape == (n,)``, iteration; an int gives one object as the user wrote it,
    a slice, mask or index array gives another Ragged. scikit-learn's splitters keep it whole.

    Parameters
    ----------
    values : ndarray, first axis flat
        Code points of strings, (time, channels) of series, (vectors, dimensions) of sets.
    offsets : ndarray of shape (n + 1,)
        Where each object begins; never falling. The first need not be 0.
    domain : Domain
        What the objects are; turns a piece of `values` back into one object.

    Examples
    --------
    >>> from seamark.data import strings
    >>> words = strings.ingest(["sea", "mark", ""])
    >>> words
    Ragged(3 strings, lengths 0..4)
    >>> words[1], list(words[[2, 0]])
    ('mark', ['', 'sea'])
    """

    values: NDArray[Any]
    offsets: NDArray[np.int64]
    domain: Domain
    shape: tuple[int] = field(init=False)
    """``(n,)``: with it scikit-learn indexes a Ragged as a whole."""
    flat: NDArray[Any] = field(init=False)
    """The part of `values` that these objects use."""

    def __post_init__(self) -> None:
        offsets = np.ascontiguousarray(self.offsets, dtype=np.int64)
        if offsets.ndim != 1 or len(offsets) == 0:
            raise ValueError("offsets must be a one-dimensional array of n + 1 positions.")
        if offsets[0] < 0 or offsets[-1] > len(self.values) or np.any(np.diff(offsets) < 0):
            raise ValueError(f"offsets must rise from 0 to len(values) = {len(self.values)}.")
        # Frozen through views, so that the user's own arrays stay writeable.
        values, offsets = np.asarray(self.values).view(), offsets.view()
        for name, array in (("values", values), ("offsets", offsets)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "flat", values[offsets[0] : offsets[-1]])
        object.__setattr__(self, "shape", (len(offsets) - 1,))

    def __reduce__(self) -> tuple[Any, ...]:
        whole = self.compact()
        return Ragged, (whole.values, whole.offsets, self.domain)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Size of each object: characters, time steps or vectors."""
        return np.diff(self.offsets)

    @property
    def nbytes(self) -> int:
        """Bytes held by the flat array and the offsets."""
        return int(self.flat.nbytes + self.offsets.nbytes)

    def compact(self) -> Ragged:
        """Return the same objects with a flat array of their own; a slice has its parent's."""
        if self.offsets[0] == 0 and self.offsets[-1] == len(self.values):
            return self
        return Ragged(self.flat.copy(), self.offsets - self.offsets[0], self.domain)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[Any]:
        return (self._item(i) for i in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple):  # scikit-learn asks for X[rows, ...]
            key = key[0]
        n = self.shape[0]
        if isinstance(key, (int, np.integer)):
            if not -n <= key < n:
                raise IndexError(f"index {key} is out of range for {n} objects.")
            return self._item(int(key) % n)
        if isinstance(key, slice):
            start, stop, step = key.indices(n)
            if step == 1:
                stop = max(start, stop)
                return Ragged(self.values, self.offsets[start : stop + 1], self.domain)
            key = np.arange(start, stop, step)
        rows = np.arange(n)[np.asarray(key, dtype=None if np.size(key) else np.intp)]
        if rows.ndim != 1:
            raise IndexError("a Ragged has one dimension; index it by a flat list of rows.")
        starts = self.offsets[rows]
        where, offsets = runs(starts, self.offsets[rows + 1] - starts)
        return Ragged(self.values[where], offsets, self.domain)

    def _item(self, i: int) -> Any:
        return self.domain.item(self.values[self.offsets[i] : self.offsets[i + 1]])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """One-dimensional object array of the objects; always a copy."""
        if copy is False:
            raise ValueError("a Ragged can only be turned into an array by copying its objects.")
        array = np.empty(len(self), dtype=object)
        for i, item in enumerate(self):
            array[i] = item
        return array if dtype is None else array.astype(dtype)

    def __repr__(self) -> str:
        if not len(self):
            return f"Ragged(0 {self.domain.name})"
        lengths = self.lengths
        span = f"lengths {lengths.min()}..{lengths.max()}"
        wide = f", {self.values.shape[1]} variables" if self.values.ndim == 2 else ""
        return f"Ragged({len(self)} {self.domain.name}, {span}{wide})"
