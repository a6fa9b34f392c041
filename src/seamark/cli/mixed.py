"""Tables whose columns are of several kinds: which are compared, by what, and how they are read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import Frame, Strings, Vectors
from ..measures import Measure, get
from ..models import measures_of_columns
from ..models.describe import what_compares
from .cells import (
    fault,
    has_commas,
    is_identifier,
    is_missing,
    is_numeric,
    number,
    says_nothing,
    why_no_number,
)
from .choosing import free_columns
from .columns import Objects, require_short_texts
from .reading import Reading
from .showing import listed, shown
from .tables import DataError, Table


def columns_asked(
    table: Table, named: list[str], every: bool, reading: Reading
) -> dict[str, Measure | None] | None:
    """Return the columns that are compared and the measures that were said; None: only one is.

    Parameters
    ----------
    table : Table
    named : list of str
        Columns as the options name them, perhaps with a measure behind a colon.
    every : bool
        Whether all columns are asked for that are no target, no query and no identifier.
    reading : Reading
    """
    asked = dict(_named(table, text) for text in named)
    if len(asked) < len(named):
        raise DataError("a --column is named twice; name each once.")
    if every:
        free = [name for name in free_columns(table, reading) if not is_identifier(table, name)]
        asked = {name: asked.get(name) for name in free} | asked
        if not asked:
            raise DataError(f"{table.source} has no column besides the target to compare.")
    alone = not every and len(asked) < 2 and not any(asked.values())
    return None if alone else asked


def _named(table: Table, text: str) -> tuple[str, Measure | None]:
    """Return a column and its measure; a column whose own name has a colon is itself."""
    name, colon, measure = text.rpartition(":")
    if text in table.names or not colon or name not in table.names:
        table.position(text if name not in table.names else name)
        return text, None
    return name, get(measure)


def read_mixed(
    table: Table, reading: Reading, asked: dict[str, Measure | None]
) -> tuple[Objects, dict[Any, Any]]:
    """Return the rows of a table as a frame, and what compares its columns."""
    kinds = {name: _kind(table, name, measure) for name, measure in asked.items()}
    frame = as_frame(table, kinds)
    said = {name: measure for name, measure in asked.items() if measure is not None}
    rest = [name for name in asked if name not in said]
    measures = measures_of_columns(frame[rest]) if rest else {}
    groups = [[row] for row in range(len(table.rows))]
    return Objects(frame, groups, replace(reading, column=None, table=kinds)), said | measures


def as_frame(table: Table, kinds: dict[str, str]) -> Frame:
    """Return the columns of a table, each read as what it is."""
    return Frame({name: READERS[kind](table, name) for name, kind in kinds.items()})


def _kind(table: Table, name: str, measure: Measure | None) -> str:
    """Return how the cells of a column are to be read."""
    if measure is not None:
        text = isinstance(measure.domain, Strings)
        return "text" if text else "numbers" if isinstance(measure.domain, Vectors) else "objects"
    cells = [cell for cell in table.column(name) if not is_missing(cell)]
    comma = has_commas(table, name)
    odd = [cell for cell in cells if number(cell, comma) is None]
    gaps = all(map(says_nothing, odd))
    if is_numeric(table, name) or (gaps and len(odd) < len(cells)):
        return "numbers"
    if (wrong := fault(table, name)) is not None:
        raise DataError(f"{name!r} of {table.source} cannot be read ({wrong}); correct it.")
    return "text" if all(isinstance(cell, str) for cell in cells) else "objects"


def _numbers(table: Table, name: str) -> NDArray[Any]:
    found, comma = np.empty(len(table.rows)), has_commas(table, name)
    for row, cell in enumerate(table.column(name)):
        value = np.nan if says_nothing(cell) else number(cell, comma)
        if value is None or np.isinf(value):
            why = why_no_number(cell, table, name)
            raise DataError(f"{name!r} is {shown(cell)} in {table.place(row)}, which is {why}.")
        found[row] = value
    return found


def _texts(table: Table, name: str) -> NDArray[Any]:
    require_short_texts(table, name)
    cells = (None if is_missing(cell) else str(cell) for cell in table.column(name))
    return np.fromiter(cells, dtype=object)


def _things(table: Table, name: str) -> NDArray[Any]:
    cells = (None if is_missing(cell) else cell for cell in table.column(name))
    return np.fromiter(cells, dtype=object)


READERS = {"numbers": _numbers, "text": _texts, "objects": _things}


def described_map(model: Any) -> str:
    """Say which columns a model's blocks compare, and by what."""
    said: dict[str, list[str]] = {}
    for k, (one, columns) in enumerate(zip(model.map_.maps_, model.map_.columns_, strict=True)):
        name = listed(columns) if isinstance(columns, list) else columns
        what = what_compares(getattr(one, "map_", one))
        said.setdefault(f"block {k}" if name is None else str(name), []).append(what)
    if model.map_.columns_[0] is None:
        return "; ".join(what for some in said.values() for what in some)
    return "; ".join(f"{name}: {' + '.join(some)}" for name, some in said.items())


def left_out(model: Any, kinds: dict[str, str] | None) -> list[str]:
    """Return the columns that were read and that no block of a model compares."""
    used: set[str] = set()
    for columns in model.map_.columns_ if model.map_.is_union else ():
        used.update(columns if isinstance(columns, list) else [columns])
    return [name for name in kinds or () if name not in used]
