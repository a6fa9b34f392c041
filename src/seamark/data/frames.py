"""Columns and frames of other libraries, read as numpy arrays and lists."""

from __future__ import annotations

from collections import Counter
from datetime import date, time, timedelta
from importlib.util import find_spec
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

DATES = (date, time, timedelta, np.datetime64, np.timedelta64)  # a pandas Timestamp is a date
REMEDIES = {
    "strings": "convert them, as astype(float) does",
    "dates": "give numbers, such as days since a date of yours",
    "complex numbers": "give real ones, such as their real parts or magnitudes",
    "sequences": "spread them over columns, or take a measure of series or sets",
    "sets": "turn them into rows of 0 and 1 with scikit-learn's MultiLabelBinarizer, or compare "
    "them by a function of your own, as Custom(f, kind='distance')",
}


def reject_non_numbers(raw: Any, what: str = "X", remedies: dict[str, str] | None = None) -> None:
    """Stop at strings, dates and the like, where numbers are needed.

    Parameters
    ----------
    raw : array-like, frame or sparse matrix
    what : str
        Its name in messages.
    remedies : dict, optional
        What to advise for some kinds, in place of the usual.

    Examples
    --------
    >>> reject_non_numbers([[1.5, 2.0]])
    >>> reject_non_numbers([["1.5", "2.0"]])
    Traceback (most recent call last):
    ...
    ValueError: X holds strings, such as '1.5', where numbers are needed; convert them, ...
    """
    for where, column in _columns(raw, what):
        complaint = non_numbers(column, remedies)
        if complaint is not None:
            # The words before the colon are scikit-learn's, whose checks ask for them.
            known = "Complex data not supported: " if complaint.startswith("complex") else ""
            raise ValueError(f"{known}{where} holds {complaint}")


def non_numbers(array: NDArray[Any], remedies: dict[str, str] | None = None) -> str | None:
    """Say which non-numbers an array holds, and what to do; None if it holds numbers only.

    Examples
    --------
    >>> non_numbers(np.array([1 + 2j]))
    'complex numbers, such as (1+2j), where numbers are needed; give real ones, ...'
    """
    kinds = {"U": "strings", "S": "strings", "M": "dates", "m": "dates", "c": "complex numbers"}
    kind: str | None
    if array.dtype.kind in kinds and array.size:
        kind, example = kinds[array.dtype.kind], array.flat[0]
    elif array.dtype == object:
        found = ((_kind(item), item) for item in array.flat)
        kind, example = next((one for one in found if one[0] is not None), (None, None))
    else:
        return None
    if kind is None:
        return None
    remedy = {**REMEDIES, **(remedies or {})}[kind]
    return f"{kind}, such as {brief(example)}, where numbers are needed; {remedy}."


def unmasked(raw: Any) -> Any:
    """Return a masked array as a plain one: NaN or NaT where it is masked, None in other types.

    So are masked arrays in a list; anything else comes back as it is.

    Examples
    --------
    >>> unmasked(np.ma.array([1, 2], mask=[False, True]))
    array([ 1., nan])
    """
    if isinstance(raw, (list, tuple)) and any(isinstance(one, np.ma.MaskedArray) for one in raw):
        return [unmasked(one) for one in raw]
    if not isinstance(raw, np.ma.MaskedArray):
        return raw
    mask = np.ma.getmaskarray(raw)
    if not mask.any():
        return raw.data
    kinds: dict[str, tuple[Any, Any]] = dict.fromkeys("biu", (np.float64, np.nan))
    kinds |= dict.fromkeys("fc", (raw.dtype, np.nan))
    kinds |= dict.fromkeys("mM", (raw.dtype, "NaT"))
    dtype, nothing = kinds.get(raw.dtype.kind, (object, None))
    plain = raw.data.astype(dtype)
    plain[mask] = nothing
    return plain if plain.ndim else plain[()]


def _columns(raw: Any, what: str) -> list[tuple[str, Any]]:
    """Return arrays to look at, with names; of a frame, one array for each column."""
    if sparse.issparse(raw):
        return [(what, raw.tocoo().data)] if raw.dtype.kind == "c" else []
    frame = as_frame(raw)
    if frame is not None:
        odd = {name: as_array(frame.get_column(name)) for name in other_than_numbers(frame)}
        return [(f"column {name!r} of {what}", column) for name, column in odd.items()]
    try:
        return [(what, np.asarray(raw))]
    except ValueError:  # rows of unequal length: reported elsewhere
        return []


def other_than_numbers(frame: Any) -> list[Any]:
    """Return the columns of a frame that hold anything but numbers and truth values."""
    if hasattr(frame, "cells"):
        return [name for name, cells in frame.cells.items() if cells.dtype.kind not in "biuf"]
    return [name for name, dtype in frame.schema.items() if not is_number_type(dtype)]


def is_number_type(dtype: Any) -> bool:
    """Whether a column of this type, as narwhals names it, holds numbers or truth values."""
    return dtype is not None and (bool(dtype.is_numeric()) or dtype == nw.Boolean)


def is_category_type(dtype: Any) -> bool:
    """Whether a column of this type, as narwhals names it, holds categories."""
    return dtype in (nw.Categorical, nw.Enum)


def _kind(item: Any) -> str | None:
    """Return the kind of a value that might be mistaken for a real number; None for others."""
    if isinstance(item, (str, bytes)):
        return "strings"
    if isinstance(item, DATES):
        return "dates"
    if isinstance(item, (complex, np.complexfloating)):
        return "complex numbers"
    if isinstance(item, (set, frozenset)):
        return "sets"
    if isinstance(item, (list, tuple)) or getattr(item, "ndim", 0) > 0:
        return "sequences"
    return None


def brief(example: Any) -> str:
    """Return a value for a message, in one line of no great length."""
    if isinstance(example, DATES):
        return str(example)
    if getattr(example, "ndim", 0):
        return f"a {type(example).__name__}"
    text = " ".join(repr(example.item() if isinstance(example, np.generic) else example).split())
    return text if len(text) <= 60 else f"{text[:60]}…"


def collected(X: Any) -> Any:
    """Return data that other libraries hold lazily or in types of theirs; anything else as it is.

    A LazyFrame of polars and a relation of DuckDB are computed; what hands out an Arrow stream
    becomes a table of pyarrow (of polars, where only that is installed), an array of xarray one of
    numpy.
    """
    library = type(X).__module__.partition(".")[0]
    if library in ("builtins", "numpy", "scipy", "seamark", "pandas", "dask"):
        return X
    if library == "xarray":
        if hasattr(X, "data_vars"):
            raise TypeError("X is a Dataset of xarray; give one of its arrays, as X['name'].")
        return np.asarray(X)
    known = nw.from_native(X, pass_through=True, allow_series=True)
    if isinstance(known, nw.LazyFrame):
        return known.collect().to_native()
    if not isinstance(known, (nw.DataFrame, nw.Series)) and hasattr(X, "__arrow_c_stream__"):
        installed: Any = "pyarrow" if find_spec("pyarrow") else "polars"
        return nw.from_arrow(X, backend=installed).to_native()
    return X


def is_collection(X: Any) -> bool:
    """Tell whether X is a Dask collection; Dask itself is not imported."""
    return hasattr(X, "__dask_graph__") and not type(X).__module__.startswith("xarray")


def as_frame(raw: Any) -> Any:
    """Return a table of any library as narwhals reads it, one of ours as it is; None: no table."""
    if hasattr(raw, "cells"):  # a Frame, which has `columns` and `get_column` too
        return raw
    if type(raw).__module__.partition(".")[0] in ("builtins", "numpy", "scipy", "seamark"):
        return None
    raw = collected(raw)
    try:
        found = nw.from_native(raw, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        names = Counter(raw.columns)
        twice = next(name for name, times in names.items() if times > 1)
        raise ValueError(f"X has two columns named {twice!r}; rename one.") from None
    return found if isinstance(found, nw.DataFrame) else None


def as_series(column: Any) -> Any:
    """Return a column of any library as narwhals reads it; None for lists and arrays."""
    if isinstance(column, (list, tuple, np.ndarray)):
        return None
    if type(column).__module__.startswith("pyarrow") and not hasattr(column, "chunks"):
        import pyarrow as pa

        column = pa.chunked_array([column]) if isinstance(column, pa.Array) else column
    found = nw.from_native(column, series_only=True, pass_through=True)
    return found if isinstance(found, nw.Series) else None


def as_array(column: Any) -> NDArray[Any]:
    """Return a column as an array: of numbers or dates where that loses nothing, else of objects.

    Missing numbers and dates are NaN and NaT; times with a zone are those of UTC.

    Examples
    --------
    >>> as_array([1, 2]), as_array([None, "sea"])
    (array([1, 2]), array([None, 'sea'], dtype=object))
    """
    column = unmasked(column)
    series = as_series(column)
    try:
        array = np.asarray(column) if series is None else series.to_numpy()
    except ValueError:  # objects of unequal lengths
        array = np.empty(0, dtype=object)
    if array.dtype.kind in "biufMm" and array.ndim == 1:
        return array
    # One by one: numpy would unpack nested sequences.
    items = column if series is None else series.to_list()
    if isinstance(items, np.ndarray):
        items = items.tolist()
    return np.fromiter(items, dtype=object, count=len(items))


def plain_text(raw: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]] | None:
    """Return bytes and offsets of a pyarrow column of ASCII text, without making strings of it.

    Columns of pandas hold such a one, as a rule. None for anything else, which is read one by one.
    """
    inside: Any = getattr(raw, "array", None)
    if getattr(getattr(raw, "dtype", None), "storage", None) == "pyarrow":
        raw = inside.__arrow_array__() if hasattr(inside, "__arrow_array__") else raw
    if not type(raw).__module__.startswith("pyarrow") or not hasattr(raw, "type"):
        return None
    kind = str(raw.type)
    if kind not in ("string", "large_string") or raw.null_count:
        return None
    array = raw.combine_chunks() if hasattr(raw, "combine_chunks") else raw
    if hasattr(array, "chunks"):  # too long for one array
        return None
    array.validate(full=True)  # a file may come from a stranger
    _, places, text = array.buffers()
    numbers = np.frombuffer(places, np.int32 if kind == "string" else np.int64)
    offsets = numbers[array.offset : array.offset + len(array) + 1].astype(np.int64)
    held = np.frombuffer(text, np.uint8) if text is not None else np.empty(0, np.uint8)
    held = held[offsets[0] : offsets[-1]]
    return None if held.max(initial=0) > 127 else (held, offsets - offsets[0])


def pandas_for(wanted: str) -> Any:
    """Return pandas, or stop and say how to install it."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError(f"{wanted} needs pandas: pip install pandas.") from None
    return pd
