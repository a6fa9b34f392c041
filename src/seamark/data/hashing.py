"""Hashes of objects, the same in every process, chunk and machine, and groups of equal objects."""

from __future__ import annotations

import pickle
from collections.abc import Hashable
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .ragged import Ragged


def content(thing: Any) -> Hashable:
    """Return a key that equal things share; 1 and 1.0 are not equal to every function.

    Raises the error of `hash` if a thing, or a part of it, cannot be hashed.

    Examples
    --------
    >>> content({"a": [1, 2], "b": 0}) == content({"b": 0, "a": [1, 2]})
    True
    """
    kind = type(thing)
    if isinstance(thing, np.ndarray):
        has_objects = thing.dtype.hasobject
        # −0 is 0, and its bytes are others.
        plain = thing + 0.0 if thing.dtype.kind in "fc" else thing
        inside = map(content, thing.flat) if has_objects else [plain.tobytes()]
        return kind, thing.dtype.str, thing.shape, *inside
    if sparse.issparse(thing):
        rows = sparse.csr_array(thing, copy=True)  # its entries in a fixed order, without zeros
        rows.sum_duplicates()
        rows.eliminate_zeros()
        places = rows.indptr.astype(np.int64), rows.indices.astype(np.int64)
        return kind, thing.shape, *(part.tobytes() for part in (*places, rows.data))
    if kind in (list, tuple):
        return kind, *map(content, thing)
    if kind is dict:
        return kind, frozenset((name, content(value)) for name, value in thing.items())
    if kind in (set, frozenset):
        return kind, frozenset(map(content, thing))
    hash(thing)
    return kind, thing


# Which objects are equal: a 64-bit hash of each, and groups of equal ones.


Hashes = NDArray[np.int64]
Rows = NDArray[np.intp]
Words = NDArray[np.uint64]

AT_ONCE = 1 << 17
"""Numbers hashed together: their temporaries stay in the cache of a core."""

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)


def hashes(X: Any) -> Hashes:
    """Return the hash of each object; equal objects share it.

    Numbers and characters are hashed by what they are, not by the type that holds them: a chunk of
    plain text in bytes and a whole collection with other letters agree, and so do float32 and
    float64, dense and sparse. Objects of any type are hashed by what they hold, those of other
    classes by their pickles; what cannot be pickled is known by its place.

    Two of a million different objects share a hash by chance once in 10⁷ times. The hash is no
    secret: whoever wants to can make objects that share one.

    Parameters
    ----------
    X : objects
        Ingested: Ragged, an array, a CSR matrix.

    Returns
    -------
    ndarray of int64

    Examples
    --------
    >>> from seamark.data import strings
    >>> whole = hashes(strings.ingest(["sea", "mark", "sea"]))
    >>> bool(whole[0] == whole[2]), bool(whole[1] == hashes(strings.ingest(["mark"]))[0])
    (True, True)
    """
    if isinstance(X, Ragged):
        sums, sizes = _sums(X.values, X.offsets), X.lengths
    elif sparse.issparse(X):
        rows = sparse.csr_array(X, copy=True)
        rows.sum_duplicates()
        sums, sizes = _sums(rows.data, rows.indptr, rows.indices), rows.shape[1]
    elif X.dtype.hasobject:
        things = [_of_thing(thing, i) for i, thing in enumerate(X)]
        return np.array(things, dtype=np.uint64).view(np.int64)
    else:
        rows = X.reshape(len(X), -1)
        sums, sizes = _sums_of_rows(rows), rows.shape[1]
    # Sizes tell objects apart that end in zeros.
    return mixed_bits(sums + np.asarray(sizes, dtype=np.uint64) * _STEP).view(np.int64)


def with_seed(hashes: NDArray[Any], seed: int) -> Words:
    """Return the hash of a seed and each object, uniform over 64 bits, from those of the objects.

    Parameters
    ----------
    hashes : ndarray of int
        As `hashes` returns them; any other numbers will do.
    seed : int
        From 0 to 2⁶⁴ − 1; see `seed_from`.

    Examples
    --------
    >>> with_seed(np.array([7, 8, 7]), seed=1) % 5
    array([3, 1, 3], dtype=uint64)
    """
    key = mixed_bits(np.array([seed], dtype=np.uint64) + _STEP)
    return mixed_bits(np.asarray(hashes, dtype=np.int64).view(np.uint64) ^ key)


def seed_from(rng: Any) -> int:
    """Return a seed for `with_seed` from a Generator or RandomState."""
    return int.from_bytes(rng.bytes(8), "little")


def groups(X: Any) -> Rows:
    """Return the number of each object's group; equal objects, and no others, share one.

    Numbers and text are compared by their `hashes`. Among objects of any type, lists, dictionaries,
    sets and arrays are compared by what they hold. Others are compared by their own ``==`` if they
    can be hashed; if not, each is equal to itself only. Groups are numbered by first members.

    Parameters
    ----------
    X : objects
        Ingested: Ragged, an array, a CSR matrix.

    Examples
    --------
    >>> from seamark.data import strings
    >>> groups(strings.ingest(["sea", "mark", "sea"]))
    array([0, 1, 0])
    """
    if isinstance(X, Ragged) or sparse.issparse(X) or not X.dtype.hasobject:
        _, first, inverse = np.unique(hashes(X), return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[inverse]
    numbers: dict[Hashable, int] = {}
    found = np.empty(X.shape[0], dtype=np.intp)
    for i, thing in enumerate(X):
        try:
            key = content(thing)
        except Exception:
            key = "itself", id(thing)
        try:
            found[i] = numbers.setdefault(key, len(numbers))
        except Exception:  # its own == fails
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


# An object's hash is a sum over its numbers, each mixed with its place: they are added up in any
# pieces. Zeros add nothing: sparse rows, which do not hold them, agree with dense ones.


def mixed_bits(words: Words) -> Words:
    """Mix 64 bits one to one, so that each depends on all (the last step of SplitMix64)."""
    words = words ^ (words >> _SHIFTS[0])
    words *= _FACTORS[0]
    words ^= words >> _SHIFTS[1]
    words *= _FACTORS[1]
    words ^= words >> _SHIFTS[2]
    return words


def _as_words(values: NDArray[Any]) -> Words:
    """Return numbers as 64 bits; equal ones alike, so that −0 is 0 and float32 is float64."""
    kind = values.dtype.kind
    if kind == "f" and values.dtype.itemsize <= 8:
        return (values.astype(np.float64) + 0.0).view(np.uint64)
    if kind in "biu":
        return values.astype(np.int64 if kind == "i" else np.uint64).view(np.uint64)
    if kind in "mM":
        return np.ascontiguousarray(values).view(np.int64).view(np.uint64)
    plain = values + 0.0 if kind in "fc" else values
    plain = np.ascontiguousarray(plain.reshape(len(values), -1))
    bytes_ = plain.view(np.uint8 if kind != "U" else np.uint32)
    return bytes_.astype(np.uint64)


def _sums(values: NDArray[Any], offsets: NDArray[Any], columns: Any = None) -> Words:
    """Return the sum of each piece of a flat array; numbers stand at `columns`, or one by one."""
    width = int(np.prod(values.shape[1:], dtype=np.int64))
    longest = int(np.diff(offsets).max(initial=0)) if columns is None else 0
    table = mixed_bits(np.arange(1, longest * width + 1, dtype=np.uint64) * _STEP)
    table = table.reshape(-1, width)
    sums, start = np.empty(len(offsets) - 1, dtype=np.uint64), 0
    while start < len(sums):
        most = offsets[start] + AT_ONCE // max(1, width)
        stop = max(start + 1, int(np.searchsorted(offsets, most, side="right")) - 1)
        ends = offsets[start : stop + 1]
        if columns is None:
            places = table[np.arange(ends[0], ends[-1]) - np.repeat(ends[:-1], np.diff(ends))]
        else:
            there = columns[ends[0] : ends[-1], None].astype(np.uint64) + np.uint64(1)
            places = mixed_bits(there * _STEP)
        words = _as_words(values[ends[0] : ends[-1]]).reshape(-1, width)
        running = np.zeros(len(words) + 1, dtype=np.uint64)
        terms = mixed_bits(words + places) * (words != 0)
        np.cumsum(terms.sum(axis=1, dtype=np.uint64), out=running[1:])
        # Differences of running sums are exact modulo 2⁶⁴.
        sums[start:stop] = np.diff(running[ends - ends[0]])
        start = stop
    return sums


def _sums_of_rows(rows: NDArray[Any]) -> Words:
    """Return the sum of each row of a dense matrix."""
    sums = np.empty(len(rows), dtype=np.uint64)
    size = max(1, AT_ONCE // max(1, rows.shape[1]))
    for start in range(0, len(rows), size):
        words = _as_words(rows[start : start + size])
        places = mixed_bits(np.arange(1, words.shape[1] + 1, dtype=np.uint64) * _STEP)
        terms = mixed_bits(words + places) * (words != 0)
        sums[start : start + size] = terms.sum(axis=1, dtype=np.uint64)
    return sums


def _of_thing(thing: Any, place: int) -> int:
    try:
        data = _written(content(thing))
    except Exception:
        try:
            data = pickle.dumps(thing, protocol=4)
        except Exception:
            data = b"place %d" % place
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


def _written(key: Any) -> bytes:
    """Return the bytes of what `content` returns; equal keys have equal ones, in any process."""
    kind = type(key)
    if kind in (tuple, frozenset):
        parts = [_written(part) for part in key]
        data = b"".join(parts if kind is tuple else sorted(parts))
    elif kind in (int, bool, type(None)):
        data = b"%r" % key
    elif kind in (float, complex):
        data = np.asarray(key + 0.0, dtype="<c16").tobytes()
    elif kind is str:
        data = key.encode("utf-8", "surrogatepass")
    elif isinstance(key, type):
        kind, data = type, f"{key.__module__}.{key.__qualname__}".encode()
    else:
        data = key if kind is bytes else pickle.dumps(key, protocol=4)
    return b"%s:%d:%s" % (kind.__name__.encode(), len(data), data)
