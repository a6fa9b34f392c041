"""What compares the columns of a table, read from what they hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from ..data import as_frame, as_series, is_missing, second
from ..data.domain import as_sequence
from ..data.frames import is_category_type, is_number_type
from ..data.tables import DOTTED, Dates, Mixed
from ..data.vectors import Anything
from ..engine import warn_user
from ..landmarks import AtMost
from ..maps import DateParts, LandmarkMap, NumericColumns
from ..measures import (
    DTW,
    Equality,
    Euclidean,
    FilledColumns,
    Levenshtein,
    Manhattan,
    NGrams,
    ScaledColumns,
)
from ..plotting.text import brief
from ..transfers import GaussianDecay, Shares

MOST_CATEGORIES = 30
"""More names than that are spellings, which are compared letter by letter."""
ENOUGH = 3
"""Rows of a category that is not rare."""
MOST_RARE = 0.5
"""Share of the names of a column that may be rare; more of them are spellings."""
LONG = 100
"""Letters, at the median, from which text is compared by what it is made of."""
MOST_LANDMARKS = 1000
"""Rows that all rows are compared with on their numbers."""
STROKES = re.compile(r"[0-9]{1,2}[/-][0-9]{1,2}[/-]([0-9]{2}){1,2}([ T].*)?")
NUMERAL = re.compile(r"\s*[+-]?([0-9]{1,3}(,[0-9]{3})+|[1-9][0-9]*|0)(\.[0-9]+)?\s*")
NUMBERS = (Real, np.bool_, timedelta, Decimal)


def single_measures(frame: Any) -> dict[Any, Any]:
    """Return one measure or map for each column of a table; numbers are one entry.

    Parameters
    ----------
    frame : DataFrame of pandas or polars, table of pyarrow

    Examples
    --------
    >>> import pandas as pd
    >>> single_measures(pd.DataFrame({"wine": ["Rioja", "Roija", "Medoc"], "price": [8, 9, 21]}))
    {'wine': Levenshtein(), ('price',): [NumericColumns(), LandmarkMap(...), LandmarkMap(...)]}
    """
    levels = getattr(getattr(frame, "columns", None), "nlevels", 1)  # of pandas
    if levels > 1:
        raise ValueError(
            f"X has columns of {levels} levels (a MultiIndex), and a column needs one name; set "
            "X.columns = ['_'.join(map(str, name)) for name in X.columns]."
        )
    table = as_frame(frame)
    if table is None:
        raise TypeError(f"X is a {type(frame).__name__} without columns; give a DataFrame.")
    found: dict[Any, Any] = {}
    numbers = []
    for name in table.columns:
        try:
            what = measure_of_column(table.get_column(name))
        except (TypeError, ValueError) as error:
            raise ValueError(f"column {name!r} {error}") from None
        if what is None:
            warn_user(f"column {name!r} is empty, and left out.")
        elif isinstance(what, NumericColumns):
            numbers.append(name)
        else:
            found[name] = what
    return found | ({tuple(numbers): blocks_of_numbers()} if numbers else {})


def blocks_of_numbers() -> list[Any]:
    """Return what is offered for all columns of numbers together; a head keeps what helps."""
    few = AtMost(MOST_LANDMARKS)
    alike = FilledColumns(ScaledColumns(Euclidean()))
    return [
        NumericColumns(),
        LandmarkMap(FilledColumns(ScaledColumns(Manhattan())), landmarks=few),
        LandmarkMap(alike, landmarks=few, transfer=GaussianDecay("auto")),
    ]


def measure_of_column(column: Any) -> Any:
    """Return what compares the objects of one column; None if it is empty.

    Examples
    --------
    >>> measure_of_column([1.5, None, 2.0]), measure_of_column([[1, 2], [3, 4, 5]])
    (NumericColumns(), DTW())
    """
    series = as_series(column)
    kind = getattr(getattr(column, "dtype", None), "kind", None) if series is None else None
    dtype = None if series is None else series.dtype
    if kind in list("biufm") or dtype == nw.Duration or is_number_type(dtype):
        return NumericColumns()
    if kind == "M" or dtype in (nw.Date, nw.Datetime):
        return DateParts()
    present = [item for item in as_sequence(column, Anything()) if not is_missing(item)]
    if not present:
        return None
    if is_category_type(dtype) and len(set(map(str, present))) <= MOST_CATEGORIES:
        return Equality()
    for holds, what in KINDS:
        if all(map(holds, present)):
            return what(present)
    odd = next(item for item in present if type(item) is not str)
    raise TypeError(
        f"holds {type(odd).__name__} objects, and no measure is known for them; give one, "
        "as in measure={column: function}, or leave the column out."
    )


def _of_mixed(items: list[Any]) -> Any:
    if not _are_categories(items):
        raise ValueError(
            "holds text beside numbers; make it text with astype(str), or numbers, or leave it out."
        )
    return Equality()


def _is_series(item: Any) -> bool:
    if isinstance(item, np.ndarray) and item.dtype.kind in "biuf":
        return item.ndim in (1, 2) and item.size > 0
    if not isinstance(item, (list, tuple, np.ndarray)) or not len(item):
        return False
    return all(isinstance(one, Real) for one in item) or all(map(_is_series, item))


def _of_text(items: list[str]) -> Any:
    if all(_says_date(item) for item in items):
        return DateParts()
    if all(map(STROKES.fullmatch, items)):
        warn_user(
            f"Text such as {items[0]!r} may be dates, but the order of day and month is ambiguous; "
            "it is compared as text. Write 2024-02-29, or convert it with pandas.to_datetime."
        )
    if all(map(NUMERAL.fullmatch, items)) and any("." in item or "," in item for item in items):
        warn_user(
            f"Numbers such as {items[0]!r} are text, and are compared as text; convert them with "
            "pandas.to_numeric(column.str.replace(',', ''))."
        )
    if _are_categories(items):
        return Equality()
    if float(np.median([len(item) for item in items])) >= LONG:
        return NGrams()
    if 2 * len(set(items)) > len(items):
        return Levenshtein()
    # Spellings of few things: what counts is which of them are nearest.
    return LandmarkMap(Levenshtein(), transfer=Shares("auto"))


def _says_date(text: str) -> bool:
    if len(text) < 8 or not (text[:4].isdigit() or DOTTED.match(text)):
        return False
    try:
        second(text)
    except ValueError:
        return False
    return True


def _are_categories(items: list[Any]) -> bool:
    """Whether there are few names, and most of them come again."""
    times = Counter(map(str, items))
    rare = sum(count < ENOUGH for count in times.values())
    return len(times) <= MOST_CATEGORIES and rare <= MOST_RARE * len(times)


KINDS: tuple[tuple[Callable[[Any], bool], Callable[[list[Any]], Any]], ...] = (
    (lambda item: isinstance(item, str), _of_text),
    (lambda item: isinstance(item, NUMBERS), lambda items: NumericColumns()),
    (lambda item: isinstance(item, date), lambda items: DateParts()),
    (_is_series, lambda items: DTW()),
    (lambda item: isinstance(item, (*NUMBERS, str, date)), _of_mixed),
)
"""What all objects of a column may be, and what compares them then."""


# Rows of a table as people know them: what stands in each column, by its name.


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
    domain = getattr(one, "domain", None)
    if isinstance(domain, Mixed):
        cells = [domain.cell(j, float(number)) for j, number in enumerate(cells)]
    is_date = isinstance(domain, Dates)
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
