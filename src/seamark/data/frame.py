"""Rows of a table of several kinds of columns, held column by column, whatever they came in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .arrow import from_arrow
from .cells import plain_cells
from .domain import Domain, reject_empty
from .look import Look

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
        return sum(map(_bytes, self.cells.values()))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        """Return a column by its name, some by a list of names, or some rows."""
        if isinstance(key, list) and all(name in self.cells for name in key):
            return Frame({name: self.cells[name] for name in key})
        if isinstance(key, (slice, np.ndarray, list)):
            return Frame({name: column[key] for name, column in self.cells.items()})
        return self.cells[key]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return all columns as a matrix."""
        return np.asarray(np.column_stack(list(self.cells.values())), dtype=dtype)


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
    return Frame({name: _column_of([row.get(name) for row in rows]) for name in order})


def collected(X: Any) -> Any:
    """Return the frame that a LazyFrame of polars stands for; anything else as it is."""
    return X.collect() if type(X).__name__ == "LazyFrame" and hasattr(X, "collect") else X


def _column_of(cells: list[Any]) -> NDArray[Any]:
    if all(isinstance(cell, (bool, int, float, np.number, np.bool_)) for cell in cells):
        return np.array(cells)
    column = np.empty(len(cells), dtype=object)
    for i, cell in enumerate(cells):  # which may be lists
        column[i] = cell
    return column


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

    def ingest(self, raw: Any, *, like: Any = None) -> Frame:
        """Frames of pandas, polars and pyarrow."""
        if isinstance(raw, Frame):
            return raw
        raw = from_arrow(raw)
        if not hasattr(raw, "columns"):
            raise TypeError(f"X is a {type(raw).__name__} without columns; give a DataFrame.")
        frame = Frame({name: plain_cells(raw[name]) for name in raw.columns})
        reject_empty(len(frame), self)
        return frame

    def look(self, X: Frame) -> Look:
        """Return the number of columns."""
        return Look(width=X.shape[1])

    def draw(self, *args: Any, **how: Any) -> Any:
        """Stop: what a row would be is not known."""
        raise TypeError("no random rows of tables can be drawn.")

    def joined(self, first: Frame, second: Frame) -> Frame:
        """Return the rows of both, by the columns of the first."""
        pairs = {name: (column, second[name]) for name, column in first.cells.items()}
        return Frame({name: np.concatenate(_alike(*two)) for name, two in pairs.items()})


def _alike(one: NDArray[Any], other: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return two pieces of a column as arrays that can be joined: what differs becomes objects."""
    if one.dtype.kind == other.dtype.kind:
        return one, other
    return one.astype(object), other.astype(object)


def _bytes(column: NDArray[Any]) -> int:
    """Return the size of a column; of objects that of the first, as many as there are."""
    if not column.dtype.hasobject or not len(column):
        return column.nbytes
    some = column[:SHOWN]
    each = [getattr(cell, "nbytes", len(cell) if hasattr(cell, "__len__") else 8) for cell in some]
    return int(column.nbytes + sum(each) / len(some) * len(column))
