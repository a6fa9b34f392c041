"""The kind of raw data: the one rule behind measure='auto'."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from .domain import Domain
from .frames import from_arrow, is_missing
from .graphs import Graph, Graphs
from .ragged import Ragged
from .series import Series
from .sets import Sets
from .strings import Strings
from .vectors import Vectors

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
    networkx graphs, `Graph`, sparse matrices in a list                 graphs
    frame with a column that is not numbers, or numbers with gaps       None
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
    raw = from_arrow(raw)
    if hasattr(raw, "columns"):
        return _of_frame(raw)
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
    return _of_items(raw.to_list() if hasattr(raw, "to_list") else raw)


def _of_frame(frame: Any) -> Domain | None:
    """Return the domain of a frame: of its only column, vectors if all are numbers, else None.

    Numbers with gaps are a table too: only there are gaps filled, and told.
    """
    columns = [frame[name] for name in frame.columns]
    if all(map(_is_numbers, columns)):
        return None if any(map(_has_gaps, columns)) else Vectors()
    if len(columns) > 1:
        return None
    items = columns[0].to_list() if hasattr(columns[0], "to_list") else columns[0]
    if any(map(is_missing, items)):
        return None
    found, cells = _of_items(items), any(map(np.isscalar, items))
    return Series() if isinstance(found, Vectors) and not cells else found


def _has_gaps(column: Any) -> bool:
    """Whether a number of a column is missing."""
    if hasattr(column, "isna"):  # pandas
        return bool(column.isna().any())
    if hasattr(column, "null_count") and column.null_count():  # polars
        return True
    numbers = np.asarray(column)
    return numbers.dtype.kind == "f" and bool(np.isnan(numbers).any())


def _is_numbers(column: Any) -> bool:
    """Whether a column of a frame holds numbers, or truth values."""
    kind = np.asarray(column[:1]).dtype.kind if len(column) else "f"
    dtype: Any = getattr(column, "dtype", None)
    if hasattr(dtype, "is_numeric"):  # polars
        return bool(dtype.is_numeric()) or str(dtype) == "Boolean"
    return getattr(dtype, "kind", kind) in "biuf"


def _of_items(items: Any) -> Domain:
    """Return the domain of objects one by one, told by their types and shapes."""
    first = next((item for item in items if not is_missing(item)), None)
    if isinstance(first, (str, bytes, bytearray)):
        return Strings(as_bytes=not isinstance(first, str))
    if isinstance(first, Graph) or sparse.issparse(first) or hasattr(first, "edges"):
        return Graphs()
    if first is None or np.isscalar(first):
        return Vectors()  # which says that there is nothing, or what to give
    shapes = [_shape(item, i) for i, item in enumerate(items)]
    return _of_shapes(shapes)


def _shape(item: Any, i: int) -> tuple[int, ...]:
    try:
        array = np.asarray(item)
    except ValueError:
        array = np.empty(0, dtype=object)
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"object {i} is a {type(item).__name__}, and what compares such objects cannot be "
            f"guessed; {REMEDY}, or a function of two objects."
        )
    return tuple(array.shape)


def _of_shapes(shapes: list[tuple[int, ...]]) -> Domain:
    """Return the domain of number arrays by their shapes; stop where two readings are possible."""
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
