"""`seamark dedupe` and `seamark link`."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from ..search import Pairs, duplicates, link
from .columns import Objects
from .messages import progress_wanted, say
from .options import reading_of
from .output import deliver, require_delivery
from .tables import DataError, Table, read_table
from .training_data import SEARCHED, read_again, read_compared, read_data


def run(options: argparse.Namespace) -> None:
    """Find pairs in one table or between two, and write them or the groups."""
    two = options.command == "link"
    require_delivery(options, options.data, *([options.other] if two else []))
    table = read_data(options)
    measure, objects = read_compared(table, reading_of(options), options, SEARCHED)
    if isinstance(measure, (list, dict, str)):
        raise DataError("objects are compared with one measure here; give --measure once.")
    how = {
        "within": options.within,
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
    if not options.quiet:
        n, m = len(pairs), pairs.n_groups
        say(f"{n} pair{'s' * (n != 1)} in {m} group{'s' * (m != 1)}.")
    deliver(options, names, rows)


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
