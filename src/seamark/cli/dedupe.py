"""`seamark dedupe` and `seamark link`."""

from __future__ import annotations

import argparse
from dataclasses import replace
from math import isnan
from typing import Any

from ..search import DIFFERENCES, Pairs, duplicates, link
from .columns import Objects, Reading, columns_named, kind_of, reading_of
from .messages import progress_wanted, say
from .tables import DataError, Table, deliver, read_table, require_delivery
from .training_data import SEARCHED, read_again, read_compared, read_data


def run(options: argparse.Namespace) -> None:
    """Find pairs in one table or between two, and write them or the groups."""
    two = options.command == "link"
    require_delivery(options, options.data, *([options.other] if two else []))
    table = read_data(options)
    if len(getattr(options, "named", [])) > 1 or options.within[0][0] is not None:
        _by_columns(options, table)
        return
    if len(options.within) > 1:
        raise DataError("one column has one limit; give --within once.")
    measure, objects = read_compared(table, reading_of(options), options, SEARCHED)
    if isinstance(measure, (list, dict, str)):
        raise DataError("objects are compared with one measure here; give --measure once.")
    how = {
        "within": options.within[0][1],
        "max_pairs": options.max_pairs,
        "n_jobs": options.jobs,
        "progress": progress_wanted(options.quiet),
    }
    if two:
        # The second table is read as the first; its column of strings may have another name.
        other = read_table(options.other, options.format, options.delimiter, options.encoding)
        named = options.other_column or objects.reading.column
        second = read_again(other, replace(objects.reading, column=named), measure.domain)
        pairs = link(objects.data, second.data, measure, **how)
        names, rows = _pair_rows(pairs, (table, objects), (other, second))
    else:
        pairs = duplicates(objects.data, measure, **how)
        names, rows = (
            _with_groups(pairs, table, objects)
            if options.groups
            else _pair_rows(pairs, (table, objects), (table, objects))
        )
    _say_how_many(pairs, options)
    deliver(options, names, rows)


def _by_columns(options: argparse.Namespace, table: Table) -> None:
    """Find pairs of rows that are near in several columns, each with a limit."""
    named = columns_named(table, getattr(options, "named", []), DIFFERENCES)
    within = dict(options.within)
    if None in within or len(within) < len(options.within):
        raise DataError("with several columns, give --within NAME=LIMIT, once for each column.")
    if options.measure or options.measure_arg or options.all_columns:
        raise DataError("with several columns, say measures as --column NAME:MEASURE.")
    measures: dict[str, Any] = {}
    kinds = {}
    for name, measure in named.items():
        kinds[name] = kind_of(table, name) if measure in (None, "number") else "text"
        of_numbers = kinds[name] in ("numbers", "flags")
        measures[name] = measure or ("number" if of_numbers else "levenshtein")
    reading = Reading(table=kinds)
    tables = [table]
    if options.command == "link":
        tables.append(
            read_table(options.other, options.format, options.delimiter, options.encoding)
        )
        if options.other_column is not None:
            raise DataError("--other-column is for one column; rename those of one table.")
    frames = [read_again(one, reading, None).data for one in tables]
    how = {
        "within": within,
        "max_pairs": options.max_pairs,
        "n_jobs": options.jobs,
        "progress": progress_wanted(options.quiet),
    }
    search: Any = link if len(frames) > 1 else duplicates
    pairs = search(*frames, measures, **how)
    _say_how_many(pairs, options)
    if getattr(options, "groups", False):
        each = Objects(frames[0], [[row] for row in range(len(table))], reading)
        deliver(options, *_with_groups(pairs, table, each))
        return
    sides = [(table, pairs.left), (tables[-1], pairs.right)]
    columns: dict[str, Any] = {
        side: [one.lines[row] for row in rows.tolist()]
        for side, (one, rows) in zip(("left", "right"), sides, strict=True)
    }
    columns |= {"value": pairs.values.tolist(), "group": pairs.groups.tolist()}
    for name, values in pairs.by_column.items():
        for side, (one, rows) in zip(("left", "right"), sides, strict=True):
            columns[f"{name}_{side}"] = [one.column(name)[row] for row in rows.tolist()]
        columns[f"{name}_value"] = ["" if isnan(value) else value for value in values.tolist()]
    deliver(options, list(columns), list(map(list, zip(*columns.values(), strict=True))))


def _say_how_many(pairs: Pairs, options: argparse.Namespace) -> None:
    if not options.quiet:
        n, m = len(pairs), pairs.n_groups
        say(f"{n} pair{'s' * (n != 1)} in {m} group{'s' * (m != 1)}.")


def _pair_rows(
    pairs: Pairs, left: tuple[Table, Objects], right: tuple[Table, Objects]
) -> tuple[list[str], list[list[Any]]]:
    """Return a table of pairs: their lines, values, groups, and strings if they are."""
    lines = [
        [table.lines[group[0]] for group in objects.groups] for table, objects in (left, right)
    ]
    names = ["left", "right", "value", "group"]
    rows: list[list[Any]] = [
        [lines[0][i], lines[1][j], value, group]
        for (i, j, value), group in zip(pairs, pairs.groups.tolist(), strict=True)
    ]
    if left[1].reading.column is None:
        return names, rows
    for row, (i, j, _) in zip(rows, pairs, strict=True):
        row += [left[1].data[i], right[1].data[j]]
    return [*names, "left_text", "right_text"], rows


def _with_groups(pairs: Pairs, table: Table, objects: Objects) -> tuple[list[str], list[list[Any]]]:
    """Return the table with the number of each row's group, empty for rows that are in none."""
    if "group" in table.cells:
        raise DataError(f"{table.source} has a column 'group' already; rename it.")
    numbers: list[Any] = [""] * len(table)
    for number, rows in zip(pairs.labels().tolist(), objects.groups, strict=True):
        for row in rows:
            numbers[row] = "" if number < 0 else number
    rows_ = zip(table.rows(), numbers, strict=True)
    return [*table.names, "group"], [[*row, number] for row, number in rows_]
