"""What an object of any type holds, as a key for lookups."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


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
        inside = map(content, thing.flat) if has_objects else [_plain(thing).tobytes()]
        return kind, thing.dtype.str, thing.shape, *inside
    if sparse.issparse(thing):
        return kind, thing.shape, *_of_sparse(thing)
    if kind in (list, tuple):
        return kind, *map(content, thing)
    if kind is dict:
        return kind, frozenset((name, content(value)) for name, value in thing.items())
    if kind in (set, frozenset):
        return kind, frozenset(map(content, thing))
    hash(thing)
    return kind, thing


def _of_sparse(matrix: Any) -> tuple[bytes, ...]:
    """Return the entries of a matrix in a fixed order, without zeros."""
    rows = sparse.csr_array(matrix, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    ends, columns = rows.indptr.astype(np.int64), rows.indices.astype(np.int64)
    return ends.tobytes(), columns.tobytes(), rows.data.tobytes()


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    """Return the same numbers without −0, whose bytes are not those of 0."""
    return values + 0.0 if values.dtype.kind in "fc" else values
