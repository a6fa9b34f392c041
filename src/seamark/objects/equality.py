"""Which objects are equal. None may be a landmark twice, or stand on both sides of a fold."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .content import content
from .hashing import hashes
from .ragged import Ragged

Rows = NDArray[np.intp]


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
    >>> from seamark.objects import strings
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
            found[i] = numbers.setdefault(_key(thing), len(numbers))
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


def _key(thing: Any) -> Hashable:
    try:
        return content(thing)
    except Exception:
        return "itself", id(thing)
