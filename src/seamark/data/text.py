"""The domain of strings: text of any Unicode, or bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .arrow import plain_text
from .domain import Domain, as_sequence, reject_empty
from .look import Look
from .ragged import Ragged, offsets_of

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

    def ingest(self, raw: Any, *, like: Ragged | None = None) -> Ragged:
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
        if like is not None:
            self.require_alike(X, like)
        return X

    def look(self, X: Ragged) -> Look:
        """Text or bytes."""
        return Look("bytes" if getattr(X.domain, "as_bytes", False) else "text")

    def _unlike(self, X: Ragged, look: Look, before: Look) -> str:
        remedy = "[x.decode() for x in X]" if look.kind == "bytes" else "[x.encode() for x in X]"
        return f"X holds {look.kind}, but the strings before were {before.kind}; give {remedy}."

    def item(self, values: NDArray[Any]) -> str | bytes:
        """Return the string as `str`, or as `bytes` if bytes came in."""
        if self.as_bytes:
            return values.tobytes()
        return values.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")

    def draw(
        self,
        n: int,
        rng: np.random.Generator,
        *,
        like: Ragged,
        sizes: tuple[int, int] | None = None,
        scale: float = 1.0,
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
    shown = "missing (None)" if item is None else f"a {type(item).__name__}"
    if isinstance(item, float) and np.isnan(item):
        shown = "missing (NaN)"
    return (
        f"string {i} is {shown}, not {'bytes' if bytes in types else 'a str'}; "
        "fill or drop such rows, or convert them with str()."
    )
