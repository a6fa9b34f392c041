"""Columns of tables, some of whose cells may be empty: numbers, dates, categories."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .arrow import from_arrow
from .domain import Domain, as_sequence, reject_empty, reject_unfit_numbers
from .numbers import is_missing
from .ragged import Ragged
from .rows import Anything, Vectors
from .text import Strings

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]

MICROSECONDS = 1e6
EPOCH = datetime(1970, 1, 1)
DOTTED = re.compile(r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})(?=$|[ T])")
"""29.2.2024: where points stand in a date, the day comes first; strokes leave that open."""


def missing_in(column: Any) -> Mask:
    """Tell which cells of a raw column are empty: None, NaN, pandas' NA and NaT.

    Examples
    --------
    >>> missing_in(["sea", None, float("nan"), ""])
    array([False,  True,  True, False])
    """
    if hasattr(column, "isna") and not hasattr(column, "columns"):
        return np.asarray(column.isna(), dtype=bool)
    if isinstance(column, Ragged):
        return np.zeros(len(column), dtype=bool)
    return np.fromiter(map(is_missing, as_sequence(column, Anything())), dtype=bool)


def without_gaps(column: Any, missing: Mask) -> Any:
    """Return a raw column whose empty cells hold what its first full one holds.

    Examples
    --------
    >>> without_gaps([None, "sea", "mark"], np.array([True, False, False]))
    ['sea', 'sea', 'mark']
    """
    if not missing.any():
        return column
    items = list(as_sequence(column, Anything()))
    stand_in = items[int(np.argmin(missing))]
    for i in np.flatnonzero(missing):
        items[i] = stand_in
    return items


@dataclass(frozen=True)
class Amounts(Vectors):
    """Columns of numbers, NaN where there is none; yes and no are 1 and 0, durations seconds.

    Examples
    --------
    >>> Amounts().ingest([[1, None], [True, 2.5]])
    array([[1. , nan],
           [1. , 2.5]])
    """

    name: ClassVar[str] = "numbers"
    one: ClassVar[str] = "row"

    def ingest(self, raw: Any, *, like: Any = None) -> Floats:
        """Frames, columns and matrices."""
        X = _side_by_side(raw, self, _amounts)
        reject_unfit_numbers(np.where(np.isnan(X), 0.0, X), self)
        if like is not None:
            self.require_alike(X, like)
        return X


@dataclass(frozen=True)
class Dates(Vectors):
    """Columns of dates and times as seconds since 1970, in UTC; NaN where there is none.

    Text is read if it is written as ISO 8601 says. Times without a zone are taken as they stand.

    Examples
    --------
    >>> Dates().ingest(["1970-01-02", None])
    array([[86400.],
           [   nan]])
    """

    name: ClassVar[str] = "dates"
    one: ClassVar[str] = "row"

    def ingest(self, raw: Any, *, like: Any = None) -> Floats:
        """Frames and columns of dates, and text that says dates."""
        X = _side_by_side(raw, self, _seconds)
        if like is not None:
            self.require_alike(X, like)
        return X


@dataclass(frozen=True)
class Categories(Strings):
    """Categories by what they are called: text, numbers, yes and no.

    1, 1.0 and "1" are one category: a column of whole numbers becomes one of floats once it gets a
    gap.

    Examples
    --------
    >>> list(Categories().ingest([1, 1.0, "1", True, "red"]))
    ['1', '1', '1', 'True', 'red']
    """

    name: ClassVar[str] = "categories"
    one: ClassVar[str] = "category"

    def ingest(self, raw: Any, *, like: Ragged | None = None) -> Ragged:
        """Lists, arrays and columns of anything that has a short name."""
        if isinstance(raw, Ragged):
            return super().ingest(raw, like=like)
        return super().ingest([_name(item, i) for i, item in enumerate(as_sequence(raw, self))])


def _name(item: Any, i: int) -> str:
    if isinstance(item, str):
        return item
    if is_missing(item):
        raise ValueError(f"category {i} is missing; fill or drop such rows.")
    if isinstance(item, (float, np.floating)) and float(item).is_integer():
        return str(int(item))
    if isinstance(item, (bool, int, float, np.generic, date, timedelta, Decimal)):
        return str(item)
    raise TypeError(
        f"category {i} is a {type(item).__name__}; categories are text, numbers or yes and no."
    )


def _columns(raw: Any) -> Iterator[tuple[Any, Any]]:
    """Yield a name, None if there is none, and the cells of each column of raw data."""
    raw = from_arrow(raw)
    if hasattr(raw, "columns"):
        for name in raw.columns:
            yield name, raw[name]
        return
    array = raw if isinstance(raw, np.ndarray) else None
    if array is None and not hasattr(raw, "to_list"):
        rows = list(raw)
        nested = bool(rows) and isinstance(rows[0], (list, tuple, np.ndarray))
        array = np.array(rows, dtype=object) if nested else None
        raw = rows
    if array is None or array.ndim == 1:
        yield getattr(raw, "name", None), raw
    else:
        yield from ((None, array[:, j]) for j in range(array.shape[1]))


def _side_by_side(raw: Any, domain: Domain, read: Any) -> Floats:
    """Return columns of numbers; a message names the column that has something else."""
    found = []
    for name, column in _columns(raw):
        try:
            found.append(read(column))
        except (TypeError, ValueError) as error:
            where = "X" if name is None else f"column {name!r}"
            raise ValueError(f"{where} {error}") from None
    if not found:
        raise ValueError("X is a table without columns.")
    X = np.column_stack(found)
    reject_empty(len(X), domain)
    return X


def _plain(column: Any) -> NDArray[Any]:
    """Return a column as an array: of numbers or dates where that loses nothing, else of objects.

    Types of pandas that know gaps, and zones, have no place in numpy.
    """
    dtype = getattr(column, "dtype", None)
    if getattr(dtype, "tz", None) is not None and hasattr(column, "dt"):
        return np.asarray(column.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
    array = np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)
    if array.dtype.kind in "biufMm":
        return array
    items = as_sequence(column, Anything())
    return np.fromiter(items, dtype=object, count=len(items))


def plain_cells(column: Any) -> NDArray[Any]:
    """Return a column as an array: numbers as float64, dates as they are, all else as objects.

    Columns of categories become text, so that numbers used as names are not read as quantities.

    Examples
    --------
    >>> plain_cells([1, None, 2]), plain_cells([1, 2])
    (array([1, None, 2], dtype=object), array([1., 2.]))
    """
    array = _plain(column)
    if str(getattr(column, "dtype", "")) == "category":
        names = [None if is_missing(item) else _name(item, i) for i, item in enumerate(column)]
        return np.array(names, dtype=object)
    return array.astype(np.float64) if array.dtype.kind in "biuf" else array


def _amounts(column: Any) -> Floats:
    array = _plain(column)
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    if array.dtype.kind == "m":
        return _as_seconds(array.astype("timedelta64[us]"))
    if array.dtype.kind == "M":
        raise ValueError("holds dates where numbers are needed.")
    return np.array([_amount(item, i) for i, item in enumerate(array)], dtype=np.float64)


def _amount(item: Any, i: int) -> float:
    if is_missing(item):
        return np.nan
    if isinstance(item, (bool, int, float, np.number, np.bool_, Decimal)):
        return float(item)
    if isinstance(item, timedelta):
        return item.total_seconds()
    raise ValueError(f"holds {_brief(item)} in row {i}, where numbers are needed.")


def _seconds(column: Any) -> Floats:
    array = _plain(column)
    if array.dtype.kind == "M":
        return _as_seconds(array.astype("datetime64[us]"))
    return np.array([second(item, i) for i, item in enumerate(array.tolist())], dtype=np.float64)


def _as_seconds(array: NDArray[Any]) -> Floats:
    seconds = array.view(np.int64) / MICROSECONDS
    return np.where(np.isnat(array), np.nan, seconds)


def second(item: Any, i: int = 0) -> float:
    """Return a date or time as seconds since 1970; NaN of a missing one.

    Examples
    --------
    >>> second("1970-01-01T01:00:00+01:00"), second(date(1970, 1, 2)), second("2.1.1970")
    (0.0, 86400.0, 86400.0)
    """
    if is_missing(item):
        return np.nan
    if isinstance(item, str):
        try:
            item = datetime.fromisoformat(DOTTED.sub(_in_iso, item.strip(), count=1))
        except ValueError:
            raise ValueError(
                f"holds {_brief(item)} in row {i}, which is no date such as 2024-02-29 "
                "or 29.02.2024."
            ) from None
    if not isinstance(item, date):
        raise ValueError(f"holds {_brief(item)} in row {i}, where dates are needed.")
    if not isinstance(item, datetime):
        item = datetime(item.year, item.month, item.day)
    if item.tzinfo is not None:
        item = item.astimezone(UTC).replace(tzinfo=None)
    return float((item - EPOCH).total_seconds())


def _in_iso(found: re.Match[str]) -> str:
    day, month, year = found.groups()
    return f"{year}-{int(month):02}-{int(day):02}"


def _brief(item: Any) -> str:
    text = repr(item.item() if isinstance(item, np.generic) else item)
    return text if len(text) <= 40 else f"{text[:40]}…"
