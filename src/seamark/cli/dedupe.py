"""`seamark dedupe` and `seamark link`."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from ..measures import Measure
from ..search import Pairs, duplicates, link
from .columns import Objects, default_measure, read_objects
from .messages import progress_wanted, say
from .options import reading_of
from .output import deliver, require_delivery
from .tables import DataError, Table, read_table
from .training import measure_with, read_data


def run(options: argparse.Namespace) -> None:
    """Find pairs in one table or between two, and write them or the groups."""
    two = options.command == "link"
    require_delivery(options, options.data, *([options.other] if two else []))
    table = read_data(options)
    measure = one_measure(options, table)
    objects = read_objects(table, reading_of(options), measure.domain)
    how = {
        "within": options.within,
        "max_pairs": options.max_pairs,
        "n_jobs": options.jobs,
        "progress": progress_wanted(options.quiet),
    }
    if two:
        other = _other(options, objects, measure)
        found = link(objects.data, other.data, measure, **how)
        names, rows = pair_rows(found, objects, other)
    else:
        found = duplicates(objects.data, measure, **how)
        names, rows = (
            _with_groups(found, table, objects)
            if options.groups
            else pair_rows(found, objects, objects)
        )
    if not options.quiet:
        n, m = len(found), found.n_groups
        say(f"{n} pair{'s' * (n != 1)} in {m} group{'s' * (m != 1)}.")
    deliver(options, names, rows)


def one_measure(options: argparse.Namespace, table: Table) -> Measure:
    """Return the measure that the options name, or a distance for what the table holds."""
    given = options.measure or []
    if len(given) > 1:
        raise DataError("objects are compared with one measure here; give --measure once.")
    if given:
        return measure_with(given[0], options.measure_arg)
    name = default_measure(table, reading_of(options))
    return measure_with("euclidean" if name == "gaussian" else name, options.measure_arg)


def _other(options: argparse.Namespace, objects: Objects, measure: Measure) -> Objects:
    """Read the second table as the first; its column of strings may have another name."""
    table = read_table(options.other, options.format, options.delimiter, options.encoding)
    reading = objects.reading
    if options.other_column is not None:
        reading = replace(reading, column=options.other_column)
    return read_objects(table, reading, measure.domain)


def pair_rows(found: Pairs, left: Objects, right: Objects) -> tuple[list[str], list[list[Any]]]:
    """Return a table of pairs: rows counted from 1, values, groups, and strings if they are."""
    names = ["left", "right", "value", "group"]
    rows = [
        [left.groups[i][0] + 1, right.groups[j][0] + 1, value, group]
        for (i, j, value), group in zip(found, found.groups.tolist(), strict=True)
    ]
    if left.reading.column is None:
        return names, rows
    texts = [[left.data[i], right.data[j]] for i, j, _ in found]
    both = [[*row, *text] for row, text in zip(rows, texts, strict=True)]
    return [*names, "left_text", "right_text"], both


def _with_groups(found: Pairs, table: Table, objects: Objects) -> tuple[list[str], list[list[Any]]]:
    """Return the table with the number of each row's group, empty for rows that are in none."""
    if "group" in table.names:
        raise DataError(f"{table.source} has a column 'group' already; rename it.")
    numbers: list[Any] = [""] * len(table.rows)
    for number, rows in zip(found.labels().tolist(), objects.groups, strict=True):
        for row in rows:
            numbers[row] = "" if number < 0 else number
    return [*table.names, "group"], [
        [*row, number] for row, number in zip(table.rows, numbers, strict=True)
    ]
