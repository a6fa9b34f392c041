"""Tables: columns of several kinds: numbers, dates, categories."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .domain import Domain, Schema, as_sequence, reject_empty, reject_unfit_numbers
from .frames import (
    as_array,
    as_frame,
    as_series,
    brief,
    collected,
    is_category_type,
    unmasked,
)
from .hashing import groups, mixed_bits
from .missing import is_missing
from .ragged import Ragged
from .strings import Strings
from .vectors import Vectors

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]

MICROSECONDS = 1e6
EPOCH = datetime(1970, 1, 1)
DOTTED = re.compile(r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})(?=$|[ T])")
"""29.2.2024: where points stand in a date, the day comes first; strokes leave that open."""


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

    def read(self, raw: Any) -> Floats:
        """Frames, columns and matrices."""
        X = _side_by_side(raw, self, _amounts)
        reject_unfit_numbers(np.where(np.isnan(X), 0.0, X), self)
        return X


@dataclass(frozen=True)
class Mixed(Amounts):
    """Columns of numbers and of categories, which are known by their place among some names.

    NaN where a number or a category is missing, and for a category that has no name here.

    Parameters
    ----------
    names : tuple
        For each column the names of its categories, or None for numbers.

    Examples
    --------
    >>> columns = Mixed((None, ("red", "blue")))
    >>> columns.ingest(np.array([[2.5, "blue"], [1, "green"]], dtype=object))
    array([[2.5, 1. ],
           [1. , nan]])
    >>> columns.cell(1, 1.0), columns.cell(0, 2.5)
    ('blue', 2.5)
    """

    names: tuple[tuple[str, ...] | None, ...] = ()

    def read(self, raw: Any) -> Floats:
        """Frames and matrices of cells, or of numbers and places."""
        if isinstance(raw, np.ndarray) and raw.dtype.kind == "f":
            return super().read(raw)
        columns = iter(self.names)

        def numbers(column: Any) -> Floats:
            names = next(columns, None)
            return _amounts(column) if names is None else _places(column, names)

        X = _side_by_side(raw, self, numbers)
        reject_unfit_numbers(np.where(np.isnan(X), 0.0, X), self)
        return X

    def cell(self, column: int, number: float) -> Any:
        """Return what a number of an ingested row says: the name of a category, or the number."""
        names = self.names[column]
        return number if names is None or np.isnan(number) else names[int(number)]


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

    def read(self, raw: Any) -> Floats:
        """Frames and columns of dates, and text that says dates."""
        return _side_by_side(raw, self, _seconds)


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

    def read(self, raw: Any) -> Ragged:
        """Lists, arrays and columns of anything that has a short name."""
        if isinstance(raw, Ragged):
            return super().read(raw)
        return super().read([_name(item, i) for i, item in enumerate(as_sequence(raw, self))])


CATEGORIES = Categories()


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
    raw = unmasked(raw)
    if sparse.issparse(raw):
        raise TypeError("X is sparse, and a table of numbers is needed; use X.toarray().")
    frame = as_frame(raw)
    if frame is not None:
        for name in frame.columns:
            yield name, frame.get_column(name)
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


def plain_cells(column: Any) -> NDArray[Any]:
    """Return a column as an array: numbers as float64, dates as they are, all else as objects.

    Columns of categories become text, so that numbers used as names are not read as quantities.

    Examples
    --------
    >>> plain_cells([1, None, 2]), plain_cells([1, 2])
    (array([1, None, 2], dtype=object), array([1., 2.]))
    """
    array = as_array(column)
    series = as_series(column)
    if series is not None and is_category_type(series.dtype):
        names = [None if is_missing(item) else _name(item, i) for i, item in enumerate(array)]
        return np.array(names, dtype=object)
    return array.astype(np.float64) if array.dtype.kind in "biuf" else array


def _amounts(column: Any) -> Floats:
    array = as_array(column)
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    if array.dtype.kind == "m":
        return _as_seconds(array.astype("timedelta64[us]"))
    if array.dtype.kind == "M":
        raise ValueError("holds dates where numbers are needed.")
    amounts = np.full(len(array), np.nan)
    for i, item in enumerate(array):
        if isinstance(item, (bool, int, float, np.number, np.bool_, Decimal)):
            amounts[i] = float(item)
        elif is_missing(item):
            continue
        elif isinstance(item, timedelta):
            amounts[i] = item.total_seconds()
        else:
            raise ValueError(f"holds {brief(item)} in row {i}, where numbers are needed.")
    return amounts


def _places(column: Any, names: tuple[str, ...]) -> Floats:
    """Return the place of each category among some names; NaN where it has none."""
    known = {name: float(place) for place, name in enumerate(names)}
    items = as_sequence(column, CATEGORIES)
    return np.array(
        [np.nan if is_missing(x) else known.get(_name(x, i), np.nan) for i, x in enumerate(items)]
    )


def names_in(column: Any) -> tuple[str, ...]:
    """Return what the categories of a column are called, in order.

    Examples
    --------
    >>> names_in(["red", None, "blue", "red"])
    ('blue', 'red')
    """
    items = as_sequence(column, CATEGORIES)
    return tuple(sorted({_name(x, i) for i, x in enumerate(items) if not is_missing(x)}))


def _seconds(column: Any) -> Floats:
    array = as_array(column)
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
            if dotted := DOTTED.match(item.strip()):
                day, month, year = dotted.groups()
                item = f"{year}-{int(month):02}-{int(day):02}{item.strip()[dotted.end() :]}"
            item = datetime.fromisoformat(item.strip())
        except ValueError:
            raise ValueError(
                f"holds {brief(item)} in row {i}, which is no date such as 2024-02-29 "
                "or 29.02.2024."
            ) from None
    if not isinstance(item, date):
        raise ValueError(f"holds {brief(item)} in row {i}, where dates are needed.")
    if not isinstance(item, datetime):
        item = datetime(item.year, item.month, item.day)
    if item.tzinfo is not None:
        item = item.astimezone(UTC).replace(tzinfo=None)
    return float((item - EPOCH).total_seconds())


# Rows of a table of several kinds of columns, held column by column, whatever they came in.


SHOWN = 200  # cells by which the size of a column of objects is judged


@dataclass(frozen=True, eq=False)
class Frame:
    """Columns of a table: numbers and dates in arrays of theirs, all else in arrays of objects.

    It has what is asked of a frame elsewhere, and rows are picked as in an array. Frames of
    pandas, polars and pyarrow become one, so that chunks from anywhere can be put together.

    Parameters
    ----------
    cells : dict
        Arrays by the names of columns, all of one length.

    Examples
    --------
    >>> frame = Frame({"name": np.array(["sea", "mark"], dtype=object), "price": np.ones(2)})
    >>> frame.columns, frame[1:]["name"], frame.shape
    (['name', 'price'], array(['mark'], dtype=object), (2, 2))
    """

    cells: dict[Any, NDArray[Any]]

    @property
    def columns(self) -> list[Any]:
        """Names."""
        return list(self.cells)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(next(iter(self.cells.values()))), len(self.cells)

    @property
    def nbytes(self) -> int:
        """Bytes that it takes, about."""
        n_bytes = 0
        for column in self.cells.values():
            n_bytes += column.nbytes
            if column.dtype.hasobject and len(column):  # judged by the first cells
                some = column[:SHOWN]
                sizes = [
                    getattr(cell, "nbytes", len(cell) if hasattr(cell, "__len__") else 8)
                    for cell in some
                ]
                n_bytes += int(sum(sizes) / len(some) * len(column))
        return n_bytes

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        """Return a column by its name, some by a list of names, or some rows."""
        if isinstance(key, list) and all(name in self.cells for name in key):
            return Frame({name: self.cells[name] for name in key})
        if isinstance(key, (slice, np.ndarray, list)):
            return Frame({name: column[key] for name, column in self.cells.items()})
        return self.cells[key]

    def get_column(self, name: Any) -> NDArray[Any]:
        """Return a column by its name."""
        return self.cells[name]

    def to_numpy(self) -> NDArray[Any]:
        """Return all columns as a matrix."""
        return np.column_stack(list(self.cells.values()))

    def rows(self, named: bool = True) -> list[dict[Any, Any]]:
        """Return each row as a dictionary."""
        columns = [column.tolist() for column in self.cells.values()]
        return [dict(zip(self.cells, row, strict=True)) for row in zip(*columns, strict=True)]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self.to_numpy(), dtype=dtype)


def as_table(X: Any, names: Any = ()) -> Any:
    """Return a table of what may stand for one; anything else as it is.

    Parameters
    ----------
    X : object
        A list of dicts is rows, a dict of lists or arrays columns, another dict one row. A
        LazyFrame of polars is collected.
    names : sequence of str
        Columns that come first, in this order, where X has them.

    Examples
    --------
    >>> as_table([{"name": "sea", "price": 1}, {"name": "mark"}]).cells
    {'name': array(['sea', 'mark'], dtype=object), 'price': array([1, None], dtype=object)}
    """
    X = rows = collected(X)
    if isinstance(X, dict) and not sparse.issparse(X) and X:
        lengths = {len(v) if isinstance(v, (list, tuple, np.ndarray)) else -1 for v in X.values()}
        if len(lengths) == 1 and lengths != {-1}:
            rows = [dict(zip(X, row, strict=True)) for row in zip(*X.values(), strict=True)]
        else:
            rows = [X]
    listed = isinstance(rows, (list, tuple)) and len(rows) > 0
    if not listed or not all(isinstance(row, dict) for row in rows):
        return X
    known = dict.fromkeys(key for row in rows for key in row)
    order = [*(name for name in names if name in known), *(k for k in known if k not in names)]
    columns: dict[Any, NDArray[Any]] = {}
    for name in order:
        cells = [row.get(name) for row in rows]
        plain = all(isinstance(cell, (bool, int, float, np.number, np.bool_)) for cell in cells)
        # One by one: numpy would unpack cells that are lists.
        objects = np.fromiter(cells, dtype=object, count=len(cells))
        columns[name] = np.array(cells) if plain else objects
    return Frame(columns)


def require_columns_of(X: Any, y: Any) -> None:
    """Stop at a dict of objects by name, where one of columns is meant."""
    if not isinstance(X, dict) or sparse.issparse(X) or y is None:
        return
    if (n := len(as_table(X))) != len(y):
        raise ValueError(
            f"X is a dict, which is read as a table: its keys are columns, of {n} "
            f"row{'s' * (n != 1)} in all, and y has {len(y)} targets. If its values are the "
            "objects, give list(X.values())."
        )


@dataclass(frozen=True)
class Tables(Domain):
    """Rows of tables whose columns are of several kinds; a model's blocks read the columns.

    Rows are told apart by their numbers: what a category means is only known from other rows that
    have it, so rows that are equal are not one.

    Examples
    --------
    >>> import pandas as pd
    >>> Tables().ingest(pd.DataFrame({"name": ["sea", "mark"], "price": [1, 2]})).cells
    {'name': array(['sea', 'mark'], dtype=object), 'price': array([1., 2.])}
    """

    name: ClassVar[str] = "tables"
    one: ClassVar[str] = "row"
    by_row: ClassVar[bool] = True

    def read(self, raw: Any) -> Frame:
        """Frames of pandas, polars and pyarrow."""
        if isinstance(raw, Frame):
            return raw
        table = as_frame(raw)
        if table is None:
            raise TypeError(f"X is a {type(raw).__name__} without columns; give a DataFrame.")
        frame = Frame({name: plain_cells(table.get_column(name)) for name in table.columns})
        reject_empty(len(frame), self)
        return frame

    def look(self, X: Frame) -> Schema:
        """Return the number of columns."""
        return Schema(width=X.shape[1])

    def draw(self, *args: Any, **how: Any) -> Any:
        """Stop: what a row would be is not known."""
        raise TypeError("no random rows of tables can be drawn.")

    def joined(self, first: Frame, second: Frame) -> Frame:
        """Return the rows of both, by the columns of the first."""
        columns = {}
        for name, column in first.cells.items():
            pieces = [column, second[name]]
            if column.dtype.kind != second[name].dtype.kind:
                pieces = [piece.astype(object) for piece in pieces]
            columns[name] = np.concatenate(pieces)
        return Frame(columns)


# Parts of a table, and what several of them hold: one collection of objects for each.


Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Bundle:
    """Ingested objects of several kinds, as long as each other: row i of all is one thing.

    Examples
    --------
    >>> from seamark.data import strings
    >>> bundle = Bundle([strings.ingest(["sea", "mark"]), np.array([[1.0], [2.0]])])
    >>> bundle.shape, bundle[1:].parts[1]
    ((2,), array([[2.]]))
    """

    parts: list[Any]

    @property
    def shape(self) -> tuple[int]:
        """``(n,)``."""
        return (int(self.parts[0].shape[0]),)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        """Return one row as a tuple, for an int, or some rows as another bundle."""
        picked = {id(part): part[key] for part in self.parts}  # what is shared stays shared
        some = [picked[id(part)] for part in self.parts]
        return tuple(some) if isinstance(key, (int, np.integer)) else Bundle(some)

    def groups(self, tell_apart: list[Callable[[Any], Rows]]) -> Rows:
        """Return the number of each row's group: rows that are equal in all parts share it.

        Parameters
        ----------
        tell_apart : list of callable
            For each part, what returns the groups of its objects.
        """
        return groups(self.hashes(tell_apart)[:, None])

    def hashes(self, tell_apart: list[Callable[[Any], Rows]]) -> Rows:
        """Return a hash of each row, made of the groups of its parts, or of their hashes."""
        known = {id(part): tell(part) for part, tell in zip(self.parts, tell_apart, strict=True)}
        joint = np.zeros(len(self), dtype=np.uint64)
        for numbers in known.values():
            joint = mixed_bits(joint ^ np.asarray(numbers, dtype=np.int64).view(np.uint64))
        return joint.view(np.intp)


def part_of(X: Any, columns: Any, domain: Domain | None) -> Any:
    """Return a part of raw X: all of it, a column of a table, or several as a table.

    Parameters
    ----------
    X : objects
        A frame or matrix where columns are named.
    columns : None, str, int or list of these
        None: all of X. By name where columns have names, else by number.
    domain : Domain or None
        Of the objects in there: vectors are read from a matrix, if of a single column.

    Examples
    --------
    >>> from seamark.data import anything, vectors
    >>> X = np.array([[1, 2], [3, 4]])
    >>> part_of(X, 1, vectors), part_of(X, 1, anything)
    (array([[2],
           [4]]), array([2, 4]))
    """
    if columns is None:
        return X
    X = collected(unmasked(X))
    several = isinstance(columns, (list, tuple))
    arrow = hasattr(X, "column_names")  # a table of pyarrow, whose `columns` are no names
    names = (X.column_names if arrow else X.columns) if hasattr(X, "columns") else None
    known = None if names is None else dict.fromkeys(names)
    wanted = [_column(X, one, known) for one in (columns if several else [columns])]
    if several or isinstance(domain, Vectors):
        return X.select(wanted) if arrow else X[wanted] if known is not None else X[:, wanted]
    if arrow:
        return X.column(wanted[0])
    return X[wanted[0]] if known is not None else X[:, wanted[0]]


@contextmanager
def naming_column(columns: Any) -> Iterator[None]:
    """Have a message about objects say which column they come from.

    Examples
    --------
    >>> with naming_column("price"):
    ...     raise ValueError("row 3 is missing.")
    Traceback (most recent call last):
    ValueError: in column 'price': row 3 is missing.
    >>> with naming_column(("price", "size")):
    ...     raise ValueError("row 3 is missing.")
    Traceback (most recent call last):
    ValueError: in columns 'price', 'size': row 3 is missing.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        said = str(error)
        if columns is None or said.startswith(("column ", "in column")):
            raise
        names = columns if isinstance(columns, (list, tuple)) else [columns]
        shown = ", ".join(map(repr, names[:4])) + (", …" if len(names) > 4 else "")
        where = f"in column{'s' * (len(names) > 1)} {shown}"
        raise type(error)(f"{where}: {said}") from error


def _column(X: Any, wanted: Any, known: dict[Any, None] | None) -> Any:
    """Return the name of a frame's column, or the number of a matrix's; stop if there is none.

    `known` holds the names, for a look-up that takes as long for many as for few.
    """
    number = isinstance(wanted, (int, np.integer)) and not isinstance(wanted, bool)
    if known is not None:
        if wanted in known:
            return wanted
        names = list(known)
        if number and -len(names) <= wanted < len(names):
            return names[int(wanted)]
        raise ValueError(f"X has no column {wanted!r}; it has {', '.join(map(str, names[:8]))}.")
    labels = getattr(X, "index", None)  # of pandas; a list has a method of this name
    if labels is not None and not callable(labels) and wanted in labels:
        raise TypeError(
            "X is a single row of a table; give a table of one row, such as table.iloc[[0]]."
        )
    if not (isinstance(X, np.ndarray) or sparse.issparse(X)) or X.ndim != 2:
        raise TypeError(
            f"column {wanted!r} is asked for, and X is a {type(X).__name__} without columns; give "
            "a DataFrame or a matrix."
        )
    if not number:
        raise ValueError(
            f"column {wanted!r} is asked for by name, and the columns of a matrix have numbers "
            "only; give a DataFrame, or its number."
        )
    if not -X.shape[1] <= wanted < X.shape[1]:
        raise ValueError(f"X has no column {wanted}; it has {X.shape[1]} columns.")
    return int(wanted)
