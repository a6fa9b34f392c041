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
NOTHING = ("na", "n/a", "nan", "null", "none", "?")
"""What other programs write, in lower case, where a number is missing."""


def numbers(table: Table, name: str) -> NDArray[np.float64]:
    """Return a column as finite numbers, or stop at the first row without one."""
    found = np.empty(len(table.rows))
    for row, cell in enumerate(table.column(name)):
        if is_missing(cell):
            raise DataError(f"{name!r} is missing in {table.place(row)}; fill or drop such rows.")
        value = number(cell, table.comma)
        if value is None:
            raise DataError(
                f"{name!r} is {shown(cell)} in {table.place(row)}, which is no number{_why(cell)}."
            )
        if not math.isfinite(value):
            raise DataError(f"{name!r} is {cell} in {table.place(row)}; fill or drop such rows.")
        found[row] = value
    return found


def _why(cell: Any) -> str:
    comma = isinstance(cell, str) and DECIMAL_COMMA.fullmatch(cell)
    return "; write decimal points, not commas" if comma else ""


def number(cell: Any, comma: bool = False) -> float | None:
    """Return what number a cell is, or None.

    Examples
    --------
    >>> number("12.5"), number("1.234,5"), number("1.234,5", comma=True)
    (12.5, None, 1234.5)
    """
    if comma and isinstance(cell, str) and DECIMAL_COMMA.fullmatch(cell):
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
    return bool(cells) and all(number(cell, table.comma) is not None for cell in cells)


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
    values = (None if is_missing(cell) else number(cell, table.comma) for cell in cells)
    odd = [i for i, value in enumerate(values) if value is None and not is_missing(cells[i])]
    if odd and 2 * len(odd) < len(present):
        return f"numbers, but {shown(cells[odd[0]])} in line {table.lines[odd[0]]}"
    return None


def _present(table: Table, name: str) -> list[Any]:
    return [cell for cell in table.column(name) if not is_missing(cell)]
