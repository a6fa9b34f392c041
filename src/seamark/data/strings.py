"""The domains of strings and of substrings: text of any Unicode, or bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from .domain import Domain, Schema, Sizes, as_sequence, reject_empty
from .frames import plain_text
from .ragged import Ragged, offsets_of, runs

AT_ONCE = 1 << 14
"""Strings that are read together: they are looked at four times, and stay in cache meanwhile."""


@dataclass(frozen=True)
class Strings(Domain):
    """Strings as code points (or bytes) in the narrowest unsigned type that holds them.

    Examples
    --------
    >>> strings = Strings()
    >>> X = strings.ingest(["naïve", "🐟", ""])
    >>> X.values.dtype, X[1]
    (dtype('uint32'), '🐟')
    >>> rng = np.random.default_rng(0)
    >>> strings.draw(2, rng, like=strings.ingest(["acgt"]), sizes=(2, 4))
    Ragged(2 strings, lengths ...)
    """

    name: ClassVar[str] = "strings"
    one: ClassVar[str] = "string"
    as_bytes: bool = False

    def read(self, raw: Any) -> Ragged:
        """Lists, tuples, object and string arrays, pandas and polars columns, bytes."""
        if isinstance(raw, Ragged):
            X = raw
            if not isinstance(X.domain, Strings):
                raise TypeError(f"X holds {X.domain.name}; strings are needed.")
        elif isinstance(raw, list):
            X = _encode(raw)
        else:
            pieces = plain_text(raw)
            X = Ragged(*pieces, self) if pieces else _encode(as_sequence(raw, self))
        if not X.shape[0]:
            reject_empty(0, self)
        return X

    def look(self, X: Ragged) -> Schema:
        """Text or bytes."""
        return Schema("bytes" if getattr(X.domain, "as_bytes", False) else "text")

    def _unlike(self, X: Ragged, look: Schema, before: Schema) -> str:
        remedy = "[x.decode() for x in X]" if look.kind == "bytes" else "[x.encode() for x in X]"
        return f"X holds {look.kind}, but the strings before were {before.kind}; give {remedy}."

    def item(self, values: NDArray[Any]) -> str | bytes:
        """Return the string as `str`, or as `bytes` if bytes came in."""
        if self.as_bytes:
            return values.tobytes()
        return values.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")

    def draw(
        self, n: int, rng: Generator, *, like: Ragged, sizes: Sizes = None, scale: float = 1.0
    ) -> Ragged:
        """Lengths uniform in `sizes` (default 2..50), characters uniform over those of `like`."""
        alphabet = np.unique(like.flat)
        if len(alphabet) == 0:
            raise ValueError("cannot draw random strings: all strings are empty, so no alphabet.")
        shortest, longest = sizes or (2, 50)
        lengths = rng.integers(shortest, longest, size=n, endpoint=True)
        offsets = offsets_of(lengths)
        return Ragged(alphabet[rng.integers(len(alphabet), size=offsets[-1])], offsets, like.domain)


def _encode(items: Sequence[Any]) -> Ragged:
    as_bytes = len(items) > 0 and isinstance(items[0], (bytes, bytearray))
    types = (bytes, bytearray) if as_bytes else (str,)
    offsets, pieces = np.zeros(len(items) + 1, dtype=np.int64), list[NDArray[Any]]()
    for start in range(0, max(1, len(items)), AT_ONCE):
        some = items[start : start + AT_ONCE]
        if not all(map(isinstance, some, repeat(types))):
            raise TypeError(_other_type(items, types))
        stop = start + len(some)
        offsets[start + 1 : stop + 1] = np.fromiter(map(len, some), np.int64, len(some))
        text: Any = b"".join(some) if as_bytes else "".join(some)
        try:  # in the narrowest type
            found: NDArray[Any] = np.frombuffer(
                text if as_bytes else text.encode("latin-1"), np.uint8
            )
        except UnicodeEncodeError:
            found = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))
            found = found.astype(np.uint16) if found.max() <= 0xFFFF else found
        pieces.append(found)
    np.cumsum(offsets, out=offsets)
    values = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)  # of the widest type
    return Ragged(values, offsets, Strings(as_bytes=as_bytes))


def _other_type(items: Sequence[Any], types: tuple[type, ...]) -> str:
    """Say which item is the first of another type, and what to do."""
    i, item = next((i, item) for i, item in enumerate(items) if not isinstance(item, types))
    wanted = "bytes" if bytes in types else "a str"
    if item is None or (isinstance(item, float) and np.isnan(item)):
        return f"string {i} is missing ({'None' if item is None else 'NaN'}). Fill or drop it."
    article = "an" if type(item).__name__[0] in "aeiou" else "a"
    return f"string {i} is {article} {type(item).__name__}, not {wanted}; convert it with str()."


# The domain of substrings: short pieces of strings, which know whether they stand at an end.


LENGTHS = (2, 8)  # symbols of a piece, marks of ends included
ROUNDS = 12  # draws after which pieces that differ are taken to be used up
TEXT_MARKS = (0x2402, 0x2403)  # ␂ and ␃, the signs for the start and the end of a text
BYTE_MARKS = (0x02, 0x03)  # the same as control bytes


@dataclass(frozen=True)
class Substrings(Strings):
    r"""Substrings, the landmarks of strings; those at an end of their string carry a mark.

    "␂sea" is a beginning, "mark␃" an end (of bytes: ``b"\x02"`` and ``b"\x03"``).

    Parameters
    ----------
    ends : bool, default=True
        Whether `cut` marks ends.

    Examples
    --------
    >>> from seamark.data import strings
    >>> X = strings.ingest(["seamark", "landmark"])
    >>> parts, sources = Substrings().cut(X, 3, np.random.default_rng(0))
    >>> list(parts), sources
    (['␂landm', 'ar', 'ndma'], array([1, 1, 1]))
    """

    name: ClassVar[str] = "substrings"
    one: ClassVar[str] = "substring"
    ends: bool = True

    def read(self, raw: Any) -> Ragged:
        """Whatever the domain of strings takes."""
        return self._owned(super().read(raw))

    def draw(
        self, n: int, rng: Generator, *, like: Ragged, sizes: Sizes = None, scale: float = 1.0
    ) -> Ragged:
        """Lengths uniform in `sizes` (default 2..8), characters uniform over those of `like`."""
        return self._owned(super().draw(n, rng, like=like, sizes=sizes or LENGTHS))

    def cut(self, X: Ragged, n: int, rng: np.random.Generator) -> tuple[Ragged, NDArray[np.intp]]:
        """Cut pieces of 2..8 symbols out of strings, no two of them equal.

        Parameters
        ----------
        X : Ragged
            Ingested strings.
        n : int
            How many; where fewer differ, fewer are returned.
        rng : numpy Generator

        Returns
        -------
        parts : Ragged
            The pieces.
        sources : ndarray of int
            The row each was cut from.
        """
        whole = framed(X) if self.ends else X
        rows = np.flatnonzero(whole.lengths)
        if not len(rows):
            raise ValueError("cannot cut substrings: all strings are empty.")
        places = np.empty((0, 3), np.int64)  # row, first symbol, length
        first = np.empty(0, np.intp)
        for _ in range(ROUNDS):
            chosen = rng.choice(rows, size=2 * (n - len(first)) + 16)
            wanted = rng.integers(*LENGTHS, size=len(chosen), endpoint=True)
            lengths = np.minimum(wanted, whole.lengths[chosen])
            starts = rng.integers(0, whole.lengths[chosen] - lengths, endpoint=True)
            places = np.concatenate([places, np.column_stack([chosen, starts, lengths])])
            numbers = self.groups(_taken(whole, places))
            first = np.sort(np.unique(numbers, return_index=True)[1])[:n]
            if len(first) == n:
                break
            places = places[first]
        kept = places[first] if len(first) == n else places
        return self._owned(_taken(whole, kept)), kept[:, 0].astype(np.intp)

    def _owned(self, X: Ragged) -> Ragged:
        domain = Substrings(as_bytes=getattr(X.domain, "as_bytes", False), ends=self.ends)
        return Ragged(X.values, X.offsets, domain)


def marks(X: Ragged) -> tuple[int, int]:
    """Return what stands for the start and the end of a string, among texts or bytes."""
    return BYTE_MARKS if getattr(X.domain, "as_bytes", False) else TEXT_MARKS


def framed(X: Ragged) -> Ragged:
    """Return strings with their ends marked.

    Examples
    --------
    >>> from seamark.data import strings
    >>> list(framed(strings.ingest(["sea", ""])))
    ['␂sea␃', '␂␃']
    """
    start, end = marks(X)
    narrow = np.dtype(np.uint8) if end < 0x100 else np.dtype(np.uint16)
    dtype = np.promote_types(X.values.dtype, narrow)
    values, offsets = with_ends(X.flat.astype(dtype), X.offsets - X.offsets[0], start, end)
    return Ragged(values, offsets, X.domain)


def with_ends(
    flat: NDArray[Any], offsets: NDArray[np.int64], start: int, end: int
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return strings laid end to end, each with one symbol before and one after it.

    Examples
    --------
    >>> with_ends(np.array([5, 6, 7]), np.array([0, 2, 3]), 0, 9)
    (array([0, 5, 6, 9, 0, 7, 9]), array([0, 4, 7]))
    """
    n = len(offsets) - 1
    wider = offsets + 2 * np.arange(n + 1)
    values = np.empty(len(flat) + 2 * n, flat.dtype)
    inside = np.ones(len(values), bool)
    inside[wider[:-1]] = inside[wider[1:] - 1] = False
    values[inside] = flat
    values[wider[:-1]] = start
    values[wider[1:] - 1] = end
    return values, wider


def _taken(X: Ragged, places: NDArray[np.int64]) -> Ragged:
    """Return the pieces at some places."""
    rows, starts, lengths = places.T
    where, offsets = runs(X.offsets[rows] + starts, lengths)
    return Ragged(X.values[where], offsets, X.domain)
