"""The kind of raw data: the one rule behind measure='auto'."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
from scipy import sparse

from .domain import Domain, as_sequence
from .frames import as_frame, collected, other_than_numbers, unmasked
from .graphs import Graph, Graphs, has_node_labels
from .missing import is_missing
from .ragged import Ragged
from .series import Series
from .sets import Sets
from .strings import Strings
from .vectors import Anything, Vectors

REMEDY = 'give measure= a measure of theirs, such as "levenshtein", "dtw" or "chamfer"'


def domain_of(raw: Any) -> Domain | None:
    """Return the domain of raw data; None for a table whose columns are of several kinds.

    ==================================================================  ==========
    what is given                                                       is read as
    ==================================================================  ==========
    `Ragged`                                                            its domain
    texts, or bytes                                                     strings
    2-D array, sparse matrix, frame of numbers, lists of equal length   vectors
    3-D array; 1-D arrays of unequal length; 2-D arrays of as many rows  series
    2-D arrays of as many columns, and unequal numbers of rows          sets
    networkx graphs, (edges, node labels), sparse matrices in a list    graphs
    frame with a column that is not numbers, or missing numbers         None
    ==================================================================  ==========

    A frame of one column is what its column is. Series in a 2-D array are read as vectors: give
    them a third axis, or say ``measure="dtw"``.

    Examples
    --------
    >>> domain_of(["sea", "mark"]), domain_of([[1, 2], [3, 4]]), domain_of([[1, 2], [3]])
    (Strings(as_bytes=False), Vectors(), Series(flat=True))
    >>> domain_of([np.zeros((3, 2)), np.zeros((5, 2))])
    Sets()
    """
    if isinstance(raw, Ragged):
        return raw.domain
    raw = collected(unmasked(raw))
    frame = as_frame(raw)
    if frame is not None:
        return _of_frame(frame)
    if sparse.issparse(raw):
        return Vectors()
    if hasattr(raw, "__array__") and not hasattr(raw, "__len__"):
        raw = np.asarray(raw)
    if isinstance(raw, np.ndarray):
        if raw.ndim == 2:
            single = raw.dtype.kind in "OUS" and raw.shape[1] == 1
            return _of_items(raw[:, 0]) if single else Vectors()
        if raw.ndim == 3:
            return Series()
    if isinstance(raw, (str, bytes, dict, set)) or not hasattr(raw, "__len__"):
        raise TypeError(f"X is a {type(raw).__name__}; give a list, an array or a table.")
    return _of_items(as_sequence(raw, Anything()))


def _of_frame(frame: Any) -> Domain | None:
    """Return the domain of a frame: of its only column, vectors if all are numbers, else None.

    Numbers with missing values are a table too: only there are they filled in and reported.
    """
    if not other_than_numbers(frame):
        numbers = frame.to_numpy()
        if numbers.dtype.kind == "O":  # truth values, some of them missing
            return None if any(map(is_missing, numbers.flat)) else Vectors()
        return None if numbers.dtype.kind == "f" and np.isnan(numbers).any() else Vectors()
    if len(frame.columns) > 1:
        return None
    items = as_sequence(frame.get_column(frame.columns[0]), Anything())
    if any(map(is_missing, items)) or isinstance(items[0], (date, np.datetime64)):
        return None
    found, cells = _of_items(items), any(map(np.isscalar, items))
    return Series() if isinstance(found, Vectors) and not cells else found


def _of_items(items: Any) -> Domain:
    """Return the domain of objects one by one, told by their types and shapes.

    Stop where two readings of arrays are possible.
    """
    first = next((item for item in items if not is_missing(item)), None)
    if isinstance(first, (str, bytes, bytearray)):
        return Strings(as_bytes=not isinstance(first, str))
    graph = isinstance(first, Graph) or sparse.issparse(first) or hasattr(first, "edges")
    if graph or has_node_labels(first):
        return Graphs()
    if first is None or np.isscalar(first):
        return Vectors()  # which says that there is nothing, or what to give
    shapes: list[tuple[int, ...]] = []
    for i, item in enumerate(items):
        try:
            array = np.asarray(item)
        except ValueError:
            array = np.empty(0, dtype=object)
        if array.dtype.kind not in "biuf":
            raise TypeError(
                f"object {i} is a {type(item).__name__}, and what compares such objects cannot be "
                f"guessed; {REMEDY}, or a function of two objects."
            )
        shapes.append(array.shape)
    dimensions = {len(shape) for shape in shapes}
    if dimensions == {1}:
        return Vectors() if len(set(shapes)) == 1 else Series()
    if dimensions != {2}:
        raise ValueError(
            f"objects of X are arrays of {' and '.join(map(str, sorted(dimensions)))} dimensions; "
            f"series are (time,) or (channels, time), sets (vectors, dimensions): {REMEDY}."
        )
    rows, columns = ({shape[axis] for shape in shapes} for axis in (0, 1))
    if len(rows) == 1:
        return Series()
    if len(columns) == 1:
        return Sets()
    raise ValueError(
        f"objects of X are arrays of {min(rows)} to {max(rows)} rows and {min(columns)} to "
        f"{max(columns)} columns: series (channels, time) would have as many rows, sets (vectors, "
        f"dimensions) as many columns; make them so, or {REMEDY}."
    )


def looks_like_time(X: Any) -> bool:
    """Whether the columns of vectors look like steps of time: neighbours are much alike.

    Their mean squared difference is below a twentieth of that of any two columns.

    Examples
    --------
    >>> t = np.linspace(0, 6, 60)
    >>> waves = np.sin(t + np.arange(20)[:, None])
    >>> looks_like_time(waves), looks_like_time(waves[:, np.random.default_rng(0).permutation(60)])
    (True, False)
    """
    if sparse.issparse(X) or X.shape[1] < 30:
        return False
    some = np.asarray(X[:200], dtype=np.float64)
    beside = np.mean(np.diff(some, axis=1) ** 2)
    any_two = 2 * np.mean(some.var(axis=1))
    return bool(beside < 0.05 * any_two)
