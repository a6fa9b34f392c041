"""Which objects are equal: so that none is a landmark twice, nor on both sides of a fold."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .ragged import Ragged

Rows = NDArray[np.intp]

SIZE = 16  # bytes of a digest; two of 2^40 objects agree by chance once in 10^14 times


def groups(X: Any) -> Rows:
    """Return the number of each object's group; equal objects, and no others, share one.

    Numbers and text are compared by their bytes. Of objects of any type, lists, dictionaries, sets
    and arrays are compared by what they hold, others by their own ``==`` if they can be hashed;
    those that cannot equal themselves only. Groups are numbered by their first members.

    Parameters
    ----------
    X : objects
        Ingested: Ragged, an array, a CSR matrix.

    Examples
    --------
    >>> from seamark.objects import strings
    >>> groups(strings.ingest(["sea", "mark", "sea"]))
    array([0, 1, 0])
    """
    numbers: dict[Hashable, int] = {}
    found = np.empty(X.shape[0], dtype=np.intp)
    for i, key in enumerate(_keys(X)):
        try:
            found[i] = numbers.setdefault(key, len(numbers))
        except Exception:
            found[i] = numbers.setdefault(("itself", i), len(numbers))
    return found


def distinct(rows: Rows, groups: Rows | None) -> Rows:
    """Return the rows, in their order, without those that equal an earlier one.

    Examples
    --------
    >>> distinct(np.array([2, 0, 1]), np.array([0, 1, 0]))
    array([2, 1])
    """
    if groups is None:
        return rows
    _, first = np.unique(groups[rows], return_index=True)
    return rows[np.sort(first)]


def with_copies(rows: Rows, groups: Rows | None) -> Rows:
    """Return the rows and all that equal one of them, sorted.

    Examples
    --------
    >>> with_copies(np.array([2]), np.array([0, 1, 0]))
    array([0, 2])
    """
    return np.sort(rows) if groups is None else np.flatnonzero(np.isin(groups, groups[rows]))


def _keys(X: Any) -> Iterator[Hashable]:
    if isinstance(X, Ragged):
        ends = zip(X.offsets[:-1].tolist(), X.offsets[1:].tolist(), strict=True)
        return (_digest(_plain(X.values[start:stop]).tobytes()) for start, stop in ends)
    if sparse.issparse(X):
        return _sparse_keys(X)
    if X.dtype.hasobject:
        return map(_key, X)
    return (_digest(_plain(row).tobytes()) for row in X)


def _sparse_keys(X: Any) -> Iterator[Hashable]:
    """Keys of rows, whatever order their entries are in, and without those that are 0."""
    rows = sparse.csr_array(X, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    for start, stop in zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True):
        columns = rows.indices[start:stop].astype(np.int64)
        yield _digest(columns.tobytes()), _digest(rows.data[start:stop].tobytes())


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    """Return the same numbers without −0, whose bytes are not those of 0."""
    return values + 0.0 if values.dtype.kind in "fc" else values


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=SIZE).digest()


def _key(thing: Any) -> Hashable:
    try:
        return _content(thing)
    except Exception:
        return "itself", id(thing)


def _content(thing: Any) -> Hashable:
    """Return a key that equal things share; 1 and 1.0 are not equal to every function."""
    kind = type(thing)
    if isinstance(thing, np.ndarray):
        inside = map(_key, thing.flat) if thing.dtype.hasobject else [_plain(thing).tobytes()]
        return kind, thing.dtype.str, thing.shape, *inside
    if sparse.issparse(thing):
        return kind, thing.shape, *_sparse_keys(sparse.csr_array(thing))
    if kind in (list, tuple):
        return kind, *map(_content, thing)
    if kind is dict:
        return kind, frozenset((name, _content(value)) for name, value in thing.items())
    if kind in (set, frozenset):
        return kind, frozenset(map(_content, thing))
    hash(thing)
    return kind, thing
