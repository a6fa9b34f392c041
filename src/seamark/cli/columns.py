"""From the columns of a table to objects: strings, vectors, series or sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import Domain, Series, Sets, Strings, Vectors
from .cells import has_commas, is_missing, number, numbers
from .choosing import chosen_numbers, chosen_text
from .reading import Reading
from .showing import shown
from .tables import DataError, Table


@dataclass(frozen=True)
class Objects:
    """Objects of a table.

    Attributes
    ----------
    data : list or ndarray
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
    for kind, used, read in READERS:
        if isinstance(domain, kind):
            _require_only(used, reading, domain)
            return read(table, reading)
    raise DataError(f"a measure of {domain.name} cannot be used from the command line.")


LONGEST_TEXT = 200_000


def require_short_texts(table: Table, name: str) -> None:
    """Stop at a text so long that one comparison with another such would take minutes.

    An edit distance takes the product of both lengths.
    """
    for row, cell in enumerate(table.column(name)):
        if isinstance(cell, str) and len(cell) > LONGEST_TEXT:
            raise DataError(
                f"{name!r} has {len(cell):,} characters in {table.place(row)}, and a text may have "
                f"{LONGEST_TEXT:,}; shorten it, or leave the row out."
            )


def _strings(table: Table, reading: Reading) -> Objects:
    name = reading.column or chosen_text(table, reading)
    cells = table.column(name)
    for row, cell in enumerate(cells):
        if not isinstance(cell, str):
            found = "missing" if cell is None else f"{shown(cell)}, not text"
            raise DataError(f"{name!r} is {found} in {table.place(row)}.")
    require_short_texts(table, name)
    return Objects(cells, _each(table), replace(reading, column=name))


def _vectors(table: Table, reading: Reading) -> Objects:
    names = chosen_numbers(table, reading) if reading.columns is None else reading.columns
    matrix = np.column_stack([numbers(table, name) for name in names])
    return Objects(matrix, _each(table), replace(reading, columns=list(names)))


def _series(table: Table, reading: Reading) -> Objects:
    if reading.id is None or reading.time is None or reading.value is None:
        raise DataError(
            "series are read in long format, one row for each step: name its columns with --id, "
            "--time and --value."
        )
    times = table.column(reading.time)
    groups = [_in_time(table, reading.time, times, g) for g in _groups(table, reading.id)]
    steps = _values(table, reading.value)
    flat = steps.shape[1] == 1
    return Objects([steps[g, 0] if flat else steps[g].T for g in groups], groups, reading)


def _sets(table: Table, reading: Reading) -> Objects:
    if reading.id is None or reading.value is None:
        raise DataError(
            "sets are read in long format, one row for each vector: name its columns with --id "
            "and --value."
        )
    groups = _groups(table, reading.id)
    vectors = _values(table, reading.value)
    return Objects([vectors[group] for group in groups], groups, reading)


Reader = Callable[[Table, Reading], Objects]
READERS: tuple[tuple[type[Domain], set[str], Reader], ...] = (
    (Strings, {"column"}, _strings),
    (Series, {"id", "time", "value"}, _series),
    (Sets, {"id", "value"}, _sets),
    (Vectors, {"columns"}, _vectors),
)
"""Domains, the options that name their columns, and how these become objects."""


def _require_only(used: set[str], reading: Reading, domain: Domain) -> None:
    others = {"column", "columns", "id", "time", "value"} - used
    odd = [name for name in sorted(others) if getattr(reading, name) is not None]
    if odd:
        right = ", ".join(f"--{name}" for name in sorted(used))
        raise DataError(
            f"--{odd[0]} does not go with a measure of {domain.name}, which takes {right}."
        )


def _values(table: Table, names: list[str]) -> NDArray[np.float64]:
    return np.column_stack([numbers(table, name) for name in names])


def _groups(table: Table, name: str) -> list[list[int]]:
    """Rows of each id, in the order in which ids come."""
    groups: dict[Any, list[int]] = {}
    for row, key in enumerate(table.column(name)):
        if is_missing(key):
            raise DataError(f"{name!r} is missing in {table.place(row)}.")
        groups.setdefault(str(key), []).append(row)
    return list(groups.values())


def _in_time(table: Table, name: str, cells: list[Any], group: list[int]) -> list[int]:
    """Rows sorted by time: numbers, or text that sorts as dates do."""
    comma = has_commas(table, name)
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


def _each(table: Table) -> list[list[int]]:
    return [[row] for row in range(len(table.rows))]
