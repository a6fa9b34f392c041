"""`seamark dedupe` and `seamark link`."""

from __future__ import annotations

import argparse
from math import isnan
from typing import Any

from ..search import Pairs, duplicates, link
from .columns import Objects, Reading, columns_named, kind_of, reading_of
from .messages import progress_wanted, say
from .tables import DataError, Table, deliver, read_table, require_delivery
from .training_data import SEARCHED, read_again, read_compared, read_data

NAMES = ("date", "number")
"""What may compare a column, besides measures."""


def run(options: argparse.Namespace) -> None:
    """Find pairs in one table or between two, and write them or the groups."""
    two = options.command == "link"
    require_delivery(options, options.data, *([options.other] if two else []))
    tables = [read_data(options)]
    if two:
        tables.append(
            read_table(options.other, options.format, options.delimiter, options.encoding)
        )
    several = len(getattr(options, "named", [])) > 1 or options.within[0][0] is not None
    within: Any = dict(options.within) if several else options.within[0][1]
    measure, sides = (_by_columns if several else _by_one_column)(options, tables)
    search: Any = link if two else duplicates
    pairs = search(
        *(side.data for side in sides),
        measure,
        within=within,
        max_pairs=options.max_pairs,
        n_jobs=options.jobs,
        progress=progress_wanted(options.quiet),
    )
    if not options.quiet:
        n, m = len(pairs), pairs.n_groups
        say(f"{n} pair{'s' * (n != 1)} in {m} group{'s' * (m != 1)}.")
    columns = (
        _with_groups(pairs, tables[0], sides[0])
        if getattr(options, "groups", False)
        else _columns_of(pairs, tables, sides)
    )
    deliver(options, list(columns), map(list, zip(*columns.values(), strict=True)))


def _by_one_column(options: argparse.Namespace, tables: list[Table]) -> tuple[Any, list[Objects]]:
    """Return what compares objects, and those of each table."""
    if len(options.within) > 1:
        raise DataError("one column has one limit; give --within once.")
    measure, objects = read_compared(tables[0], reading_of(options), options, SEARCHED, alone=True)
    if isinstance(measure, (list, dict, str)):
        raise DataError("objects are compared with one measure here; give --measure once.")
    name = objects.reading.column
    if not options.measure and name is not None and kind_of(tables[0], name) == "numbers":
        raise DataError(
            f"column {name!r} holds numbers; compare them by --column {name}:number "
            f"--within {name}={options.within[0][1]:g}, or as text by --measure levenshtein."
        )
    sides = [objects]
    for other in tables[1:]:
        # It is read as the first; its column of strings may have another name.
        named = Reading(column=getattr(options, "other_column", None))
        sides.append(read_again(other, named.filled(objects.reading), measure.domain))
    return measure, sides


def _by_columns(options: argparse.Namespace, tables: list[Table]) -> tuple[Any, list[Objects]]:
    """Return what compares each column, and the rows of each table; each column has a limit."""
    named = columns_named(tables[0], getattr(options, "named", []), NAMES)
    within = dict(options.within)
    if None in within or len(within) < len(options.within):
        raise DataError("with several columns, give --within NAME=LIMIT, once for each column.")
    if options.measure or options.measure_arg or options.all_columns:
        raise DataError("with several columns, say measures as --column NAME:MEASURE.")
    if getattr(options, "other_column", None) is not None:
        raise DataError("--other-column is for one column; rename those of one table.")
    kinds = {
        name: kind_of(tables[0], name) if measure in (None, "number") else "text"
        for name, measure in named.items()
    }
    measures = {
        name: measure or ("number" if kinds[name] in ("numbers", "flags") else "levenshtein")
        for name, measure in named.items()
    }
    return measures, [read_again(table, Reading(table=kinds), None) for table in tables]


def _columns_of(pairs: Pairs, tables: list[Table], sides: list[Objects]) -> dict[str, list[Any]]:
    """Return the columns of a table of pairs: their lines, values, groups, and what they hold."""
    both = [
        ("left", tables[0], sides[0], pairs.left.tolist()),
        ("right", tables[-1], sides[-1], pairs.right.tolist()),
    ]
    columns: dict[str, list[Any]] = {
        side: [table.lines[objects.groups[i][0]] for i in rows]
        for side, table, objects, rows in both
    }
    columns |= {"value": pairs.values.tolist(), "group": pairs.groups.tolist()}
    if sides[0].reading.column is not None:
        columns |= {
            f"{side}_text": [objects.data[i] for i in rows] for side, _, objects, rows in both
        }
    for name, values in getattr(pairs, "by_column", {}).items():
        for side, table, _, rows in both:
            columns[f"{name}_{side}"] = [table.column(name)[row] for row in rows]
        columns[f"{name}_value"] = ["" if isnan(value) else value for value in values.tolist()]
    return columns


def _with_groups(pairs: Pairs, table: Table, objects: Objects) -> dict[str, list[Any]]:
    """Return the table with the number of each row's group, empty for rows that are in none."""
    if "group" in table.cells:
        raise DataError(f"{table.source} has a column 'group' already; rename it.")
    numbers: list[Any] = [""] * len(table)
    for number, rows in zip(pairs.labels().tolist(), objects.groups, strict=True):
        for row in rows:
            numbers[row] = "" if number < 0 else number
    return {**table.cells, "group": numbers}
