"""What the cells of a column hold: numbers, identifiers, or text."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .showing import shown
from .tables import DataError, Table

UUID_LIKE = re.compile(
    r"\{?[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}\}?", re.IGNORECASE
)
"""A UUID, or as many hexadecimal digits without the dashes."""
DECIMAL_COMMA = re.compile(r"\s*[+-]?([0-9]+|[0-9]{1,3}(\.[0-9]{3})+),[0-9]+\s*")
"""12,5 and 1.234,5, as programs write numbers in much of the world."""
GROUPED = re.compile(r"\s*[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+\s*")
"""1.234.567 and 1.234, which is another number where points are decimal."""
NOTHING = ("na", "n/a", "nan", "null", "none", "?")
"""What other programs write, in lower case, where a number is missing."""


def numbers(table: Table, name: str) -> NDArray[np.float64]:
    """Return a column as finite numbers, or stop at the first row without one."""
    found, comma = np.empty(len(table.rows)), has_commas(table, name)
    for row, cell in enumerate(table.column(name)):
        if is_missing(cell):
            raise DataError(f"{name!r} is missing in {table.place(row)}; fill or drop such rows.")
        value = number(cell, comma)
        if value is None:
            why = why_no_number(cell, table, name)
            raise DataError(f"{name!r} is {shown(cell)} in {table.place(row)}, which is {why}.")
        if not math.isfinite(value):
            raise DataError(f"{name!r} is {cell} in {table.place(row)}; fill or drop such rows.")
        found[row] = value
    return found


def why_no_number(cell: Any, table: Table, name: str) -> str:
    """Say why a cell cannot be read as a number, as other numbers of its column are."""
    if table.comma and _written(cell) in ("comma", "point"):
        mark = "commas" if table.decimals.get(name) else "points"
        return f"no number with a decimal {mark[:-1]}; the other numbers of this column have them"
    comma = isinstance(cell, str) and DECIMAL_COMMA.fullmatch(cell)
    return "no number; write decimal points, not commas" if comma else "no number"


def has_commas(table: Table, name: str) -> bool:
    """Whether the numbers of a column have decimal commas: all of them, or none.

    One cell such as 12,5 or 12.5 tells; where there are but cells such as 1.234, other columns do.
    """
    if not table.comma:
        return False
    if name not in table.decimals:
        marks = decimal_marks(table, name)
        if not {"comma", "point", "either"} & set(marks):
            return False
        open_here = set(marks) == {"either"}
        asked = table.names if open_here else [name]
        table.decimals[name] = settled({one: decimal_marks(table, one) for one in asked}, name)
    return table.decimals[name]


def decimal_marks(table: Table, name: str) -> dict[str, tuple[str, str]]:
    """Return how numbers of a column are written, each with its first cell and its place.

    Keys are "comma", "point", "either" and, where a cell can be no number, "text".
    """
    if name in table.marks:
        return table.marks[name]
    found: dict[str, tuple[str, str]] = {}
    for row, cell in enumerate(table.column(name)):
        kind = None if says_nothing(cell) else _written(cell)
        if kind is not None and kind not in found:
            found[kind] = str(cell).strip(), table.place(row)
    table.marks[name] = found
    return found


def settled(every: dict[str, dict[str, tuple[str, str]]], name: str) -> bool:
    """Whether a column has decimal commas, by how its numbers are written; stop if that is open.

    Parameters
    ----------
    every : dict
        What `decimal_marks` returns, by column; other columns tell where this does not.
    name : str
    """
    marks = every[name]
    if "text" in marks:  # not a column of numbers, or one with a fault that is reported as such
        return "comma" in marks and "point" not in marks
    if "comma" in marks and "point" in marks:
        (comma, there), (point, here) = marks["comma"], marks["point"]
        raise DataError(
            f"{name!r} is {comma!r} in {there}, with a decimal comma, and {point!r} in {here}, "
            "with a decimal point; write all numbers of the column in one way."
        )
    if "comma" in marks or "point" in marks:
        return "comma" in marks
    known = {kind for one in every.values() if "text" not in one for kind in one} - {"either"}
    if len(known) != 1:
        cell, place = marks["either"]
        whole = cell.replace(".", "")
        raise DataError(
            f"{name!r} is {cell!r} in {place}, which is {cell} with a decimal point and {whole} "
            f"with a decimal comma; write {whole} or {cell.replace('.', ',')}, or separate the "
            "fields by commas, with which points are decimal."
        )
    return known == {"comma"}


def _written(cell: Any) -> str | None:
    """Return what a cell tells about the numbers of its column; None: nothing."""
    if not isinstance(cell, str) or not ("," in cell or "." in cell):
        return None if number(cell) is not None else "text"
    if DECIMAL_COMMA.fullmatch(cell):
        return "comma"
    if GROUPED.fullmatch(cell):
        return "either" if cell.count(".") == 1 else "comma"
    return "point" if number(cell) is not None else "text"


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


def is_numeric(table: Table, name: str) -> bool:
    """Whether all cells are numbers, or missing, and not all are missing."""
    cells = _present(table, name)
    if not all(_readable(cell, table) for cell in cells):
        return False
    comma = has_commas(table, name)
    return bool(cells) and all(number(cell, comma) is not None for cell in cells)


def _readable(cell: Any, table: Table) -> bool:
    """Whether a cell is a number, whatever mark may be decimal."""
    return number(cell) is not None or (table.comma and number(cell, True) is not None)


def is_identifier(table: Table, name: str) -> bool:
    """Whether all cells differ, and are whole numbers or look like UUIDs.

    Examples
    --------
    >>> table = Table("t.csv", ["id", "age"], [["7", "41"], ["8", "41"]], [2, 3])
    >>> is_identifier(table, "id"), is_identifier(table, "age")
    (True, False)
    """
    cells = [str(cell).strip() for cell in _present(table, name)]
    if len(cells) < 2 or len(set(cells)) < len(cells):
        return False
    return all(map(_is_whole, cells)) or all(map(UUID_LIKE.fullmatch, cells))


def _is_whole(cell: str) -> bool:
    value = number(cell)
    return value is not None and value.is_integer()


def described(table: Table, name: str) -> str:
    """Return the name of a column, and a remark if something about it is odd.

    Examples
    --------
    >>> rows = [["1", "0.5", "x"], ["2", "0.5", "y"], ["3", "NA", "x"]]
    >>> table = Table("t.csv", ["id", "size", "kind"], rows, [2, 3, 4])
    >>> ", ".join(described(table, name) for name in table.names)
    "id (looks like an identifier), size (numbers, but 'NA' in line 4), kind"
    """
    odd = oddity(table, name)
    return f"{name} ({odd})" if odd else name


def oddity(table: Table, name: str) -> str | None:
    """Say why a column should be compared only on request; None if there is no reason."""
    return "looks like an identifier" if is_identifier(table, name) else fault(table, name)


def fault(table: Table, name: str) -> str | None:
    """Say why a column of mostly numbers is not read as numbers; None for other columns."""
    cells = table.column(name)
    present = _present(table, name)
    said = [str(cell) for cell in present if not says_nothing(cell)]
    if said and not table.comma and all(map(DECIMAL_COMMA.fullmatch, said)):
        return "numbers with decimal commas; write points"
    odd = [i for i, cell in enumerate(cells) if not (is_missing(cell) or _readable(cell, table))]
    if odd and 2 * len(odd) < len(present):
        return f"numbers, but {shown(cells[odd[0]])} in line {table.lines[odd[0]]}"
    return None


def _present(table: Table, name: str) -> list[Any]:
    return [cell for cell in table.column(name) if not is_missing(cell)]
