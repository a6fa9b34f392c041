"""Columns of a table as objects: what their cells hold, which are compared, and by what."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import Domain, Frame, Series, Sets, Strings, Vectors
from ..measures import Measure, get
from ..models import measures_of_columns
from ..models.describe import what_compares
from .messages import listed, shown
from .tables import DataError, Reading, Table

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


# Which columns are compared if the options do not say: those that are not in doubt.


def default_measure(table: Table, reading: Reading) -> str:
    """Return a measure for what the columns hold; stop if there are both text and numbers.

    Examples
    --------
    >>> table = Table("names.csv", ["name", "sex"], [["Anna", "f"]], [2])
    >>> default_measure(table, Reading(target="sex"))
    'levenshtein'
    >>> default_measure(table, Reading(id="run", time="t"))
    'dtw'
    """
    if reading.id is not None:
        return "modified_hausdorff" if reading.time is None else "dtw"
    if reading.column is not None:
        return "levenshtein"
    if reading.columns is not None:
        return "gaussian"
    numeric = numeric_columns(table, reading)
    faults = {name: fault(table, name) for name in text_columns(table, reading)}
    texts = [name for name, wrong in faults.items() if wrong is None]
    if texts and numeric:
        raise DataError(
            f"{table.source} has columns of text ({_described(table, texts)}) beside columns of "
            f"numbers ({_described(table, numeric)}); say what to compare: {_column(texts)}, or "
            f"{_columns(table, numeric)}, or --all-columns."
        )
    return "gaussian" if (numeric or faults) and not texts else "levenshtein"


def chosen_text(table: Table, reading: Reading) -> str:
    """Return the only column of text; stop if there are several."""
    texts = text_columns(table, reading)
    if len(texts) != 1:
        known = _described(table, texts or free_columns(table, reading) or table.names)
        raise DataError(
            f"{table.source} has {len(texts) or 'no'} columns of text besides the target "
            f"({known}); name the one to compare with --column."
        )
    if oddity(table, texts[0]) is not None:
        raise DataError(
            f"the only column of text in {table.source} is {described(table, texts[0])}; if it is "
            f"to be compared as text, say {_column(texts)}."
        )
    return texts[0]


def chosen_numbers(table: Table, reading: Reading) -> list[str]:
    """Return all columns of numbers; stop if some of them may not be meant as numbers."""
    names = numeric_columns(table, reading)
    if not names:
        found = _described(table, free_columns(table, reading))
        raise DataError(
            f"{table.source} has no numeric columns besides the target"
            f"{f' ({found})' if found else ''}; for text give --column."
        )
    # An identifier of letters is no number, and not in question here.
    unread = {name for name in text_columns(table, reading) if is_identifier(table, name)}
    asked = [name for name in free_columns(table, reading) if name not in unread]
    odd = [name for name in asked if oddity(table, name) is not None]
    if odd:
        mend = "" if all(is_identifier(table, name) for name in odd) else "correct it, or "
        raise DataError(
            f"it is not clear which columns of {table.source} to compare: "
            f"{_described(table, odd)}; "
            f"{mend}say {_columns(table, names)}."
        )
    return names


def text_columns(table: Table, reading: Reading) -> list[str]:
    """Return the columns of text that are no target and no query."""
    return [name for name in free_columns(table, reading) if not is_numeric(table, name)]


def numeric_columns(table: Table, reading: Reading) -> list[str]:
    """Return the columns of numbers that are no target and no query."""
    return [name for name in free_columns(table, reading) if is_numeric(table, name)]


def free_columns(table: Table, reading: Reading) -> list[str]:
    """Return the columns that are no target and no query."""
    taken = {*reading.predicted, reading.query}
    return [name for name in table.names if name not in taken]


def _described(table: Table, names: list[str]) -> str:
    return listed([described(table, name) for name in names])


def _column(texts: list[str]) -> str:
    """The option that names a column of text, with the one there is."""
    return f"--column {shlex.quote(texts[0]) if len(texts) == 1 else 'NAME'}"


def _columns(table: Table, names: list[str]) -> str:
    """The option that names columns of numbers, with those that look sound."""
    sound = [name for name in names if not is_identifier(table, name)] or names
    simple = len(sound) <= 8 and not any("," in name for name in sound)
    return f"--columns {shlex.quote(','.join(sound)) if simple else 'A,B,…'}"


# From the columns of a table to objects: strings, vectors, series or sets.


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


# Tables whose columns are of several kinds: which are compared, by what, and how they are read.


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
    return Frame({name: CELL_READERS[kind](table, name) for name, kind in kinds.items()})


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


CELL_READERS = {"numbers": _numbers, "text": _texts, "objects": _things}


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
