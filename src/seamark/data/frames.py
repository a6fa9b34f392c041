"""Columns and frames of other libraries, read as numpy arrays and lists."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Any

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
    found = _odd_one(array)
    if found is None:
        return None
    kind, example = found
    remedy = {**REMEDIES, **(remedies or {})}[kind]
    return f"{kind}, such as {_brief(example)}, where numbers are needed; {remedy}."


def is_missing(item: Any) -> bool:
    """Whether a value is a missing one: None, NaN, pandas' NA or NaT.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing("nan")
    (True, True, False)
    """
    nan = isinstance(item, (float, np.floating)) and bool(np.isnan(item))
    named = type(item).__name__ in ("NAType", "NaTType", "MaskedConstant")
    return item is None or nan or named


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
    if hasattr(raw, "columns") and hasattr(raw, "to_numpy"):
        return [(f"column {name!r} of {what}", np.asarray(raw[name])) for name in raw.columns]
    try:
        return [(what, np.asarray(raw))]
    except ValueError:  # rows of unequal length: reported elsewhere
        return []


def _odd_one(array: NDArray[Any]) -> tuple[str, Any] | None:
    """Return the kind of the first item that is no number, and the item; None: all are."""
    kinds = {"U": "strings", "S": "strings", "M": "dates", "m": "dates", "c": "complex numbers"}
    if array.dtype.kind in kinds and array.size:
        return kinds[array.dtype.kind], array.flat[0]
    if array.dtype == object:
        found = ((_kind(item), item) for item in array.flat)
        return next(((kind, item) for kind, item in found if kind is not None), None)
    return None


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


def _brief(example: Any) -> str:
    if isinstance(example, DATES):
        return str(example)
    if getattr(example, "ndim", 0):
        return f"a {type(example).__name__}"
    text = " ".join(repr(example.item() if isinstance(example, np.generic) else example).split())
    return text if len(text) <= 60 else f"{text[:60]}…"


# pyarrow's arrays and tables, read as what the domains know; pyarrow itself is not imported.


def from_arrow(raw: Any) -> Any:
    """Return a pyarrow array or table as what the domains can read; anything else as it is.

    Numbers become a numpy array (missing ones NaN), other arrays a list; chunks are joined. What is
    masked in numpy's arrays is missing too.
    """
    if not type(raw).__module__.startswith("pyarrow"):
        return unmasked(raw)
    if hasattr(raw, "column_names"):
        return ArrowTable(raw)
    return _column(raw) if hasattr(raw, "to_pylist") else raw


class ArrowTable:
    """A pyarrow table or record batch, with the few methods of a data frame that are used."""

    def __init__(self, table: Any) -> None:
        self.columns = list(table.column_names)
        self._arrays = dict(zip(self.columns, table.columns, strict=True))

    def __getitem__(self, name: str) -> Any:
        return _column(self._arrays[name])

    def to_numpy(self) -> NDArray[Any]:
        """Return all columns as a matrix: of numbers if all hold numbers, else of objects."""
        columns = [self[name] for name in self.columns]
        if all(isinstance(column, np.ndarray) for column in columns):
            return np.column_stack(columns)
        whole = np.empty((len(columns[0]), len(columns)), dtype=object)
        for j, column in enumerate(columns):
            whole[:, j] = np.fromiter(column, dtype=object, count=len(column))
        return whole


def _column(column: Any) -> Any:
    array = np.asarray(column.to_numpy(zero_copy_only=False))
    return array if array.dtype.kind in "biuf" else column.to_pylist()


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
