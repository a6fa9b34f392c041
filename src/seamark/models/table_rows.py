"""Rows of a table as people know them: what stands in each column, by its name."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from ..data.tables import Dates
from ..plotting.text import brief

MISSING = "missing"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class TableRow(dict[str, Any]):
    """One row of a table, a cell for each column that the model compares.

    Examples
    --------
    >>> print(TableRow(name="sea salt", price=2.5, sold=None))
    name sea salt; price 2.5; sold missing
    """

    def __str__(self) -> str:
        cells = ((name, MISSING if cell is None else brief(cell)) for name, cell in self.items())
        return "; ".join(f"{name} {cell}" for name, cell in cells)

    __repr__ = __str__


def as_row(whole: Any, thing: Any) -> Any:
    """Return an ingested object of a union as a `TableRow` if its blocks read columns.

    Parameters
    ----------
    whole : Map
        Fitted.
    thing : object
        One of a bundle's, with a part for each block; or any other, which stays as it is.
    """
    if not whole.is_union or all(columns is None for columns in whole.columns_):
        return thing
    parts = thing if isinstance(thing, tuple) else (thing,) * len(whole.columns_)
    row = TableRow()
    for columns, part, one in zip(whole.columns_, parts, whole.blocks_, strict=True):
        row.update(cells_of(columns, part, one))
    return row


def cells_of(columns: Any, part: Any, one: Any) -> TableRow:
    """Return what one block of a union says of a row: a cell for each of its columns.

    Parameters
    ----------
    columns : str or list of str
    part : object
        An ingested object of the block, or one of its landmarks.
    one : Map
        The block.
    """
    names = columns if isinstance(columns, list) else [columns]
    several = isinstance(part, np.ndarray) and part.shape == (len(names),)
    cells = part if several else [part] * len(names)
    is_date = isinstance(getattr(one, "domain", None), Dates)
    named = zip(names, cells, strict=True)
    return TableRow({str(name): _cell(cell, is_date) for name, cell in named})


def row_kept(whole: Any, number: int) -> TableRow | None:
    """Return what landmarks of a union's columns tell of a row of fit; None: nothing.

    Parameters
    ----------
    whole : Map
        Fitted, a union of blocks that read columns.
    number : int
        Of the row.
    """
    row = TableRow()
    for columns, one in zip(whole.columns_, whole.blocks_, strict=True):
        inner = getattr(one, "map_", one)  # of a column with gaps
        sources = getattr(inner, "landmark_sources_", None)
        own = np.asarray([] if sources is None else sources)
        places = np.flatnonzero(own == number)
        if columns is not None and len(places) and getattr(inner, "compares_objects", False):
            row.update(cells_of(columns, inner.landmarks_[int(places[0])], inner))
    return row or None


def _cell(cell: Any, is_date: bool) -> Any:
    """Return a cell as it may have stood in the table; None where nothing did."""
    if isinstance(cell, np.generic):
        cell = cell.item()
    if isinstance(cell, float) and np.isnan(cell):
        return None
    if not is_date or not isinstance(cell, float):
        return cell
    try:
        moment = EPOCH + timedelta(seconds=cell)
    except OverflowError:
        return cell
    return moment.date().isoformat() if cell % 86400 == 0 else moment.strftime("%Y-%m-%d %H:%M")
