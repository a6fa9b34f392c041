"""Numbers for the objects and classes of a chunk of rows: hashes, and codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import Domain, Ragged
from ..engine import backend
from .base import Chunk

Rows = NDArray[np.intp]


def hashes_of(domain: Domain, objects: Any, chunk: Chunk) -> NDArray[np.int64]:
    """Return the hash of each object; known ones of a chunk that is read again, if it has notes."""
    if domain.by_row:
        return np.arange(chunk.first, chunk.first + len(objects), dtype=np.int64)
    if chunk.notes is None:
        return _hashes(domain, objects)
    known: NDArray[np.int64] | None = chunk.notes.get(chunk.first)
    if known is None:
        known = chunk.notes[chunk.first] = _hashes(domain, objects)
    return known


def content_hashes(domain: Domain, objects: Any, hashes: NDArray[np.int64]) -> list[Any]:
    """Return what tells whether objects are what they were: hashes of rows, or of each column.

    `hashes` are those of `hashes_of`, which are mere numbers of rows where these tell them apart.
    """
    if not domain.by_row:
        return [hashes]
    return [part for name in objects.columns for part in (name, domain.hashes(objects[name]))]


def _hashes(domain: Domain, objects: Any) -> NDArray[np.int64]:
    """Return the hash of each object; of text on the backend's device, where it has one."""
    device = backend().device
    plain = isinstance(objects, Ragged) and objects.values.ndim == 1
    if device is None or not plain or objects.values.dtype.kind != "u":
        return domain.hashes(objects)
    from ..engine.cuda.rows import hashes_on

    return hashes_on(device, objects.flat, objects.offsets - objects.offsets[0])


def classes_of(target: NDArray[Any]) -> tuple[NDArray[Any], Rows]:
    """Return the classes, sorted, and the number of each row's class.

    Examples
    --------
    >>> classes_of(np.array([7, 5, 7]))
    (array([5, 7]), array([1, 0, 1]))
    """
    if target.dtype.kind in "iu" and target.ndim == 1 and len(target):
        low, high = int(target.min()), int(target.max())
        if high - low < len(target) and max(-low, high) < 2**62:  # no need to sort
            moved = target.astype(np.int64) - low
            seen = np.bincount(moved, minlength=1) > 0
            labels = (np.flatnonzero(seen) + low).astype(target.dtype)
            return labels, (np.cumsum(seen) - 1)[moved]
    labels, codes = np.unique(target, return_inverse=True)
    return labels, codes
