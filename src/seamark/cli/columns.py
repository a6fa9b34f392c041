"""Columns of a table as objects: what their cells hold, and which are compared."""

from __future__ import annotations

import argparse
import math
import re
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import Domain, Frame, Series, Sets, Strings, Vectors
from ..measures import Measure, get
from .messages import listed, shown
from .tables import DataError, Table

UUID_LIKE = re.compile(
    r"\{?[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}\}?", re.IGNORECASE
)
"""A UUID, or as many hexadecimal digits without the dashes."""
DECIMAL_COMMA = re.compile(r"\s*[+-]?([0-9]+|[0-9]{1,3}(\.[0-9]{3})+),[0-9]+\s*")
"""12,5 and 1.234,5, as programs write numbers in much of the world."""
GROUPED = re.compile(r"\s*[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+\s*")
"""1.234.567 and 1.234, which is another number where points are decimal."""
THOUSANDS = re.compile(r"\s*[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+\.[0-9]+\s*")
"""1,234.00, where commas separate thousands."""
NOTHING = ("na", "n/a", "nan", "null", "none", "?")
"""What other programs write, in lower case, where a number is missing."""
FLAGS = {"true": 1.0, "false": 0.0}
LONGEST_TEXT = 200_000
"""Letters: an edit distance takes the product of both lengths, and these would take minutes."""


# Numbers as files write them.


def number(cell: Any, comma: bool = False) -> float | None:
    """Return what number a cell is, or None.

    Examples
    --------
    >>> number("12.5"), number("1.234,5"), number("1.234,5", comma=True)
    (12.5, None, 1234.5)
    >>> number("1.234"), number("1.234", comma=True)
    (1.234, 1234.0)
    """
    if comma and isinstance(cell, str) and ("," in cell or "." in cell):
        if not DECIMAL_COMMA.fullmatch(cell) and not GROUPED.fullmatch(cell):
            return None
        cell = cell.replace(".", "").replace(",", ".")
    try:
        # Python reads 1_000 as a number; other programs do not.
        return None if isinstance(cell, str) and "_" in cell else float(cell)
    except (TypeError, ValueError, OverflowError):
        return None


def is_missing(cell: Any) -> bool:
    """Whether there is nothing in a cell."""
    return cell is None or cell == ""


def says_nothing(cell: Any) -> bool:
    """Whether a cell is empty, or says in words that a number is missing."""
    return is_missing(cell) or (isinstance(cell, str) and cell.strip().lower() in NOTHING)


def numbers(
    table: Table, name: str, *, gaps: bool = False, remedy: str = "fill or drop such rows"
) -> NDArray[np.float64]:
    """Return a column as finite numbers, or stop at the first row without one; `gaps`: NaN there.

    A cell that is neither a number nor missing always stops it. `remedy` says what to do about
    missing ones.
    """
    values, comma = np.empty(len(table)), has_commas(table, name)
    for row, cell in enumerate(table.column(name)):
        if gaps and says_nothing(cell):
            values[row] = np.nan
            continue
        if is_missing(cell):
            raise DataError(f"{name!r} is missing in {table.place(row)}; {remedy}.")
        value = number(cell, comma)
        if value is None:
            why = "no number"
            if table.comma and _way_of_writing(cell) in ("comma", "point"):
                mark = "comma" if table.decimals.get(name) else "point"
                why += f" with a decimal {mark}; the other numbers of this column have them"
            elif isinstance(cell, str) and DECIMAL_COMMA.fullmatch(cell):
                why += "; write decimal points, not commas"
            elif isinstance(cell, str) and THOUSANDS.fullmatch(cell):
                why += f"; write {cell.strip().replace(',', '')}, without commas"
            raise DataError(f"{name!r} is {shown(cell)} in {table.place(row)}, which is {why}.")
        if not math.isfinite(value):
            raise DataError(f"{name!r} is {cell} in {table.place(row)}; {remedy}.")
        values[row] = value
    return values


def has_commas(table: Table, name: str) -> bool:
    """Whether the numbers of a column have decimal commas: all of them, or none.

    One cell such as 12,5 or 12.5 tells; where there are but cells such as 1.234, other columns do.
    Stop if that is open.
    """
    if not table.comma or name in table.decimals:
        return table.decimals.get(name, False)
    marks = decimal_marks(table, name)
    if "text" in marks:  # not a column of numbers, or one with a fault that is reported as such
        found = "comma" in marks and "point" not in marks
    elif "comma" in marks and "point" in marks:
        (comma, there), (point, here) = marks["comma"], marks["point"]
        raise DataError(
            f"{name!r} is {comma!r} in {there}, with a decimal comma, and {point!r} in {here}, "
            "with a decimal point; write all numbers of the column in one way."
        )
    elif set(marks) == {"either"}:
        others = [decimal_marks(table, one) for one in table.names]
        ways = {way for one in others if "text" not in one for way in one} - {"either"}
        if len(ways) != 1:
            cell, place = marks["either"]
            whole = cell.replace(".", "")
            raise DataError(
                f"{name!r} is {cell!r} in {place}, which is {cell} with a decimal point and "
                f"{whole} with a decimal comma; write {whole} or {cell.replace('.', ',')}, or "
                "separate the fields by commas, with which points are decimal."
            )
        found = ways == {"comma"}
    else:
        found = "comma" in marks
    table.decimals[name] = found
    return found


def decimal_marks(table: Table, name: str) -> dict[str, tuple[str, str]]:
    """Return how numbers of a column are written, each with its first cell and its place.

    Keys are "comma", "point", "either" and, where a cell can be no number, "text".
    """
    if name not in table.marks:
        marks = table.marks[name] = {}
        for row, cell in enumerate(table.column(name)):
            way = None if says_nothing(cell) else _way_of_writing(cell)
            if way is not None and way not in marks:
                marks[way] = str(cell).strip(), table.place(row)
    return table.marks[name]


def _way_of_writing(cell: Any) -> str | None:
    """Return what a cell tells about the numbers of its column; None: nothing."""
    if not isinstance(cell, str) or not ("," in cell or "." in cell):
        return None if number(cell) is not None else "text"
    if DECIMAL_COMMA.fullmatch(cell):
        return "comma"
    if GROUPED.fullmatch(cell):
        return "either" if cell.count(".") == 1 else "comma"
    return "point" if number(cell) is not None else "text"


# What a column holds.


def kind_of(table: Table, name: str) -> str:
    """Return what a column holds: "numbers", "flags", "text" or "objects", as `READERS` read them.

    Stop at a column of numbers in which a few cells are none: most likely an error, which would
    make text of all.

    Examples
    --------
    >>> table = Table("t.csv", {"size": ["1.5", "NA"], "name": ["Anna", "Otto"]}, [2, 3])
    >>> kind_of(table, "size"), kind_of(table, "name")
    ('numbers', 'text')
    """
    known = [(row, cell) for row, cell in enumerate(table.column(name)) if not says_nothing(cell)]
    cells = [cell for _, cell in known]
    if cells and all(str(cell).lower() in FLAGS for cell in cells):
        return "flags"
    readable = [number(cell) is not None for cell in cells]
    commas = [isinstance(cell, str) and bool(DECIMAL_COMMA.fullmatch(cell)) for cell in cells]
    if table.comma:
        readable = [
            ok or number(cell, True) is not None for ok, cell in zip(readable, cells, strict=True)
        ]
    if all(readable):
        has_commas(table, name)  # which stops where some have them, and others points
        return "numbers"

    def first(which: list[bool]) -> str:
        row, cell = known[which.index(True)]
        return f"{shown(cell)} in line {table.lines[row]}"

    odd = [not ok for ok in readable]
    if not table.comma and all(commas):
        raise DataError(f"{name!r} of {table.source} has decimal commas; write points.")
    if not table.comma and all(map(max, readable, commas)):
        raise DataError(
            f"{name!r} of {table.source} is {first(odd)}, with a decimal comma, and "
            f"{first(readable)}, without one; write points in all."
        )
    if 2 * sum(readable) > len(cells):
        raise DataError(
            f"{name!r} of {table.source} holds numbers, but {first(odd)}; correct it, or leave "
            "the column out with --column or --columns."
        )
    return "text" if all(isinstance(cell, str) for cell in cells) else "objects"


def is_identifier(table: Table, name: str) -> bool:
    """Whether all cells differ, and are whole numbers or look like UUIDs.

    Examples
    --------
    >>> table = Table("t.csv", {"id": ["7", "8"], "age": ["41", "41"]}, [2, 3])
    >>> is_identifier(table, "id"), is_identifier(table, "age")
    (True, False)
    """
    cells = [str(cell).strip() for cell in table.column(name) if not is_missing(cell)]
    if len(cells) < 2 or len(set(cells)) < len(cells):
        return False
    whole = all((value := number(cell)) is not None and value.is_integer() for cell in cells)
    return whole or all(map(UUID_LIKE.fullmatch, cells))


def _texts(table: Table, name: str, *, gaps: bool = True) -> NDArray[Any]:
    for row, cell in enumerate(table.column(name)):
        if isinstance(cell, str) and len(cell) > LONGEST_TEXT:
            raise DataError(
                f"{name!r} has {len(cell):,} characters in {table.place(row)}, and a text may have "
                f"{LONGEST_TEXT:,}; shorten it, or leave the row out."
            )
        if not gaps and not isinstance(cell, str):
            found = "missing" if cell is None else f"{shown(cell)}, not text"
            raise DataError(f"{name!r} is {found} in {table.place(row)}.")
    cells = table.column(name)
    if not gaps:
        return objects_array(cells)
    return objects_array(None if is_missing(cell) else str(cell) for cell in cells)


def _flags(table: Table, name: str) -> NDArray[Any]:
    for row, cell in enumerate(table.column(name)):
        if not says_nothing(cell) and str(cell).lower() not in FLAGS:
            raise DataError(f"{name!r} is {shown(cell)} in {table.place(row)}, not true or false.")
    return np.array([FLAGS.get(str(cell).lower(), np.nan) for cell in table.column(name)])


def objects_array(cells: Iterable[Any]) -> NDArray[Any]:
    """Return an array of objects, each as it is."""
    return np.fromiter(cells, dtype=object)


READERS: dict[str, Callable[[Table, str], NDArray[Any]]] = {
    "numbers": lambda table, name: numbers(table, name, gaps=True),
    "flags": _flags,
    "text": _texts,
    "objects": lambda table, name: objects_array(
        None if is_missing(cell) else cell for cell in table.column(name)
    ),
}
"""How cells of a column become those of a frame, by what the column holds."""


# Which columns are what.


@dataclass(frozen=True)
class Reading:
    """Which columns are what; kept with a saved model, so that `predict` reads alike.

    Attributes
    ----------
    column : str or None
        The column of strings.
    columns : list of str or None
        Numeric columns, for vectors.
    id, time, value : str, str, list of str; or None
        Of a long format, one row for each step of a series or each vector of a set.
    target, query : str or None
        Columns that are no part of an object.
    targets : list of str or None
        All that are predicted, where they are several.
    separator : str or None
        What stands between several labels in a cell of the target.
    table : dict of str or None
        Columns of several kinds, and what each holds; see `kind_of`.
    decimals : dict of bool or None
        Whether numbers have decimal commas, of columns that show it.
    """

    column: str | None = None
    columns: list[str] | None = None
    id: str | None = None
    time: str | None = None
    value: list[str] | None = None
    target: str | None = None
    query: str | None = None
    table: dict[str, str] | None = None
    targets: list[str] | None = None
    separator: str | None = None
    decimals: dict[str, bool] | None = None

    def filled(self, other: Reading) -> Reading:
        """Return a copy in which what is missing is taken from another."""
        return replace(
            other, **{name: value for name, value in vars(self).items() if value is not None}
        )

    @property
    def predicted(self) -> list[str]:
        """The columns that are predicted."""
        return self.targets or ([] if self.target is None else [self.target])

    @property
    def compared(self) -> list[str]:
        """The columns that objects are made of."""
        one = [name for name in (self.column, self.time) if name is not None]
        return [*one, *(self.columns or []), *(self.value or []), *(self.table or {})]

    def require_apart(self) -> None:
        """Stop if a target is also one of the columns it is predicted from, or named twice."""
        for name in self.predicted:
            if name in (*self.compared, self.id, self.query):
                raise DataError(
                    f"{name!r} is the --target; it cannot also be used to predict the target."
                )
        if len(set(self.predicted)) < len(self.predicted):
            raise DataError("a --target is named twice; name each once.")


def reading_of(options: argparse.Namespace) -> Reading:
    """Return the columns that the options name."""
    found = {name: getattr(options, name, None) for name in Reading.__dataclass_fields__}
    mixed = getattr(options, "all_columns", False) or len(getattr(options, "named", [])) > 1
    alone = {"targets": None} if len(found["targets"] or []) < 2 else {}
    return Reading(**found | alone | ({"column": None} if mixed else {}))


def free_columns(table: Table, reading: Reading) -> list[str]:
    """Return the columns that are no target, no query and no identifier."""
    taken = {*reading.predicted, reading.query}
    return [name for name in table.names if name not in taken and not is_identifier(table, name)]


def columns_named(
    table: Table, named: list[str], others: Iterable[str] = ()
) -> dict[str, Measure | Any]:
    """Return the columns that options name, with the measure behind a colon; None: none is named.

    A column whose own name has a colon is itself; `others` may stand in place of measures.
    """
    asked: dict[str, Measure | Any] = {}
    for text in named:
        name, colon, measure = text.rpartition(":")
        plain = text in table.cells or not colon or name not in table.cells
        if (key := text if plain else name) in asked:
            raise DataError("a --column is named twice; name each once.")
        table.column(key)
        asked[key] = None if plain else measure if measure in others else get(measure)
    return asked


def compared_alone(table: Table, reading: Reading, domain: Domain | None) -> Reading:
    """Return the columns that one measure compares, where the options do not name them.

    The only column of text, or all columns of numbers: by the domain of the measure, or if that is
    None by what there is. Stop if it is open.
    """
    free = free_columns(table, reading)
    if isinstance(domain, Vectors):
        chosen = [name for name in free if kind_of(table, name) == "numbers"]
        if not chosen:
            raise DataError(f"{table.source} has no numeric columns besides the target; {_name()}.")
        return replace(reading, columns=chosen)
    kinds = {name: kind_of(table, name) for name in free}
    texts = [name for name, kind in kinds.items() if kind in ("text", "objects")]
    quantities = [name for name in free if name not in texts]
    if domain is None and set(kinds.values()) == {"numbers"}:
        return replace(reading, columns=quantities)
    if len(texts) != 1 or (domain is None and quantities):
        known = listed(texts or free or table.names)
        numeric = f" and columns of numbers ({listed(quantities)})" if quantities else ""
        raise DataError(
            f"{table.source} has {len(texts) or 'no'} column{'s' * (len(texts) != 1)} of text "
            f"besides the target ({known}){numeric}; {_name(texts)}."
        )
    return replace(reading, column=texts[0])


def _name(texts: list[str] | None = None) -> str:
    name = shlex.quote(texts[0]) if texts is not None and len(texts) == 1 else "NAME"
    return f"say what to compare with --column {name} (text) or --columns A,B,… (numbers)"


# From the columns of a table to objects: strings, vectors, series, sets or rows of a frame.


@dataclass(frozen=True)
class Objects:
    """Objects of a table.

    Attributes
    ----------
    data : list, ndarray or Frame
        The objects, raw.
    groups : list of list of int
        Rows of the table that each object is made of.
    reading : Reading
        With the columns that were used.
    """

    data: Any
    groups: list[list[int]]
    reading: Reading

    def __len__(self) -> int:
        return len(self.groups)


OPTIONS: tuple[tuple[type[Domain], set[str]], ...] = (
    (Strings, {"column"}),
    (Series, {"id", "time", "value"}),
    (Sets, {"id", "value"}),
    (Vectors, {"columns"}),
)
"""Domains, and the options that name their columns."""


def read_objects(table: Table, reading: Reading, domain: Domain) -> Objects:
    """Make objects of a domain.

    Parameters
    ----------
    table : Table
    reading : Reading
        Columns; those that must be named and are not are found if there is no doubt.
    domain : Domain
        Of the measure.
    """
    kind, used = next((pair for pair in OPTIONS if isinstance(domain, pair[0])), (None, set()))
    if kind is None:
        raise DataError(f"a measure of {domain.name} cannot be used from the command line.")
    others = {"column", "columns", "id", "time", "value"} - used
    odd = [name for name in sorted(others) if getattr(reading, name) is not None]
    if odd:
        right = ", ".join(f"--{name}" for name in sorted(used))
        raise DataError(
            f"--{odd[0]} does not go with a measure of {domain.name}, which takes {right}."
        )
    if kind in (Strings, Vectors):
        if reading.column is None and reading.columns is None:
            reading = compared_alone(table, reading, domain)
        each = [[row] for row in range(len(table))]
        if kind is Strings:
            return Objects(list(_texts(table, str(reading.column), gaps=False)), each, reading)
        return Objects(_matrix(table, reading.columns or []), each, reading)
    missing = [name for name in sorted(used) if getattr(reading, name) is None]
    if missing or reading.id is None or reading.value is None:
        rows = "series" if kind is Series else "sets"
        needed = "--id, --time and --value" if kind is Series else "--id and --value"
        of_each = "step" if kind is Series else "vector"
        raise DataError(
            f"{rows} are read in long format, one row for each {of_each}: name its columns with "
            f"{needed}."
        )
    groups: dict[str, list[int]] = {}  # rows of each id, in the order in which ids come
    for row, key in enumerate(table.column(reading.id)):
        if is_missing(key):
            raise DataError(f"{reading.id!r} is missing in {table.place(row)}.")
        groups.setdefault(str(key), []).append(row)
    vectors = _matrix(table, reading.value)
    if kind is Sets:
        sets = list(groups.values())
        return Objects([vectors[group] for group in sets], sets, reading)
    series = [_in_time(table, str(reading.time), group) for group in groups.values()]
    flat = vectors.shape[1] == 1
    steps = [vectors[group, 0] if flat else vectors[group].T for group in series]
    return Objects(steps, series, reading)


def _matrix(table: Table, names: list[str]) -> NDArray[np.float64]:
    return np.column_stack([numbers(table, name) for name in names])


def _in_time(table: Table, name: str, group: list[int]) -> list[int]:
    """Rows sorted by time: numbers, or text that sorts as dates do."""
    cells, comma = table.column(name), has_commas(table, name)
    times: dict[int, Any] = {row: number(cells[row], comma) for row in group}
    if None in times.values():
        times = {row: str(cells[row]) for row in group}
    order = sorted(group, key=times.__getitem__)
    for earlier, later in pairwise(order):
        if times[earlier] == times[later]:
            raise DataError(
                f"{name!r} is {cells[later]} in {table.place(later)} and in line "
                f"{table.lines[earlier]}, of the same series; times must differ."
            )
    return order


def read_frame(table: Table, reading: Reading, kinds: dict[str, str]) -> Objects:
    """Return the rows of a table as a frame, each column read as what it holds."""
    frame = Frame({name: READERS[kind](table, name) for name, kind in kinds.items()})
    groups = [[row] for row in range(len(table))]
    return Objects(frame, groups, replace(reading, column=None, columns=None, table=kinds))
