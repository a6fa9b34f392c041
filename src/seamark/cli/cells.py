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
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")


def numbers(table: Table, name: str) -> NDArray[np.float64]:
    """Return a column as finite numbers, or stop at the first row without one."""
    found = np.empty(len(table.rows))
    for row, cell in enumerate(table.column(name)):
        if is_missing(cell):
            raise DataError(f"{name!r} is missing in {table.place(row)}; fill or drop such rows.")
        value = number(cell)
        if value is None:
            raise DataError(
                f"{name!r} is {shown(cell)} in {table.place(row)}, which is no number{_why(cell)}."
            )
        if not math.isfinite(value):
            raise DataError(f"{name!r} is {cell} in {table.place(row)}; fill or drop such rows.")
        found[row] = value
    return found


def _why(cell: Any) -> str:
    comma = isinstance(cell, str) and DECIMAL_COMMA.fullmatch(cell.strip())
    return "; write decimal points, not commas" if comma else ""


def number(cell: Any) -> float | None:
    """Return what number a cell is, or None."""
    try:
        # Python reads 1_000 as a number; other programs do not.
        return None if isinstance(cell, str) and "_" in cell else float(cell)
    except (TypeError, ValueError, OverflowError):
        return None


def is_missing(cell: Any) -> bool:
    """Whether there is nothing in a cell."""
    return cell is None or cell == ""


def is_numeric(table: Table, name: str) -> bool:
    """Whether all cells are numbers, or missing, and not all are missing."""
    cells = _present(table, name)
    return bool(cells) and all(number(cell) is not None for cell in cells)


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
    if present and all(isinstance(c, str) and DECIMAL_COMMA.fullmatch(c.strip()) for c in present):
        return "numbers with decimal commas; write points"
    odd = [i for i, cell in enumerate(cells) if not is_missing(cell) and number(cell) is None]
    if odd and 2 * len(odd) < len(present):
        return f"numbers, but {shown(cells[odd[0]])} in line {table.lines[odd[0]]}"
    return None


def _present(table: Table, name: str) -> list[Any]:
    return [cell for cell in table.column(name) if not is_missing(cell)]
