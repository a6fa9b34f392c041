"""What `fit` and `assess` begin with: measure, objects and targets."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from ..io import RowSource
from ..measures import Measure, get
from ..measures.adapters import Adapter
from .cells import is_identifier, is_numeric
from .choosing import default_measure, free_columns
from .columns import Objects, read_objects
from .large import large_file
from .mixed import columns_asked, read_mixed
from .options import reading_of
from .reading import Reading
from .showing import listed, say
from .tables import DataError, Table, read_table
from .targets import TargetColumn, read_target

CERTAIN_CLASSES = 2
"""With two different numbers it makes no difference whether they are classes or grades."""


@dataclass(frozen=True)
class Lesson:
    """All there is to learn from."""

    measures: list[Any]  # measures, or one dict of them by column
    objects: Objects
    target: TargetColumn
    source: RowSource | None = None
    """All rows of a long file; objects and target are then those of its first rows only."""


def read_lesson(options: argparse.Namespace) -> Lesson:
    """Read what the options name; of a long file, the first rows and a source of all."""
    reading = reading_of(options)
    large = large_file(options, reading)
    table = read_data(options) if large is None else large.head()
    asked = columns_asked(table, getattr(options, "named", []), options.all_columns, reading)
    if asked is not None:
        lesson = _mixed_lesson(table, replace(reading, column=None), asked, options, large is None)
        lesson = replace(lesson, objects=_with_marks(lesson.objects, table))
        if large is None:
            return lesson
        return replace(lesson, source=large.table_source(lesson.objects.reading, lesson.target))
    reading.require_apart()
    for column in (*reading.predicted, reading.query, *reading.compared):
        if column is not None:
            table.position(column)
    names = options.measure or [default_measure(table, reading)]
    measures = [measure_with(name, options.measure_arg) for name in names]
    domains = {measure.domain for measure in measures}
    if len(domains) > 1:
        raise DataError(
            f"the measures {', '.join(names)} compare different kinds of objects; give those of "
            "one kind."
        )
    objects = read_objects(table, reading, measures[0].domain)
    target = read_target(table, objects, options.task, options.order, whole=large is None)
    if not options.quiet:
        notes = (_empty(table, objects), _identifiers(table, objects))
        more = (_unused(table, objects, reading), _taken_for_classes(table, target, options))
        for note in chain(*notes, *more):
            say(f"note: {note}")
    objects = _with_marks(objects, table)
    used, domain = objects.reading, measures[0].domain
    source = None if large is None else large.source(used, domain, target)
    return Lesson(measures, objects, target, source)


def _with_marks(objects: Objects, table: Table) -> Objects:
    """Return objects whose reading says which columns have decimal commas, as far as it shows."""
    used, known = objects.reading, table.decimals
    marks = {name: known[name] for name in used.compared if name in known}
    return replace(objects, reading=replace(used, decimals=marks or None))


def _mixed_lesson(
    table: Table, reading: Reading, asked: dict[str, Any], options: argparse.Namespace, whole: bool
) -> Lesson:
    """Read a table of columns of several kinds; `whole`: and not the first rows of many."""
    if options.measure or options.measure_arg:
        raise DataError("with several columns, say measures as --column NAME:MEASURE.")
    odd = next((name for name in ("columns", "id", "time", "value") if getattr(reading, name)), "")
    if odd:
        raise DataError(f"--{odd} does not go with several columns; name them with --column.")
    objects, measures = read_mixed(table, reading, asked)
    objects.reading.require_apart()
    target = read_target(table, objects, options.task, options.order, whole=whole)
    if not options.quiet:
        left = [name for name in free_columns(table, reading) if name not in asked]
        for note in _taken_for_classes(table, target, options):
            say(f"note: {note}")
        if left and options.all_columns:
            say(f"note: {listed(left)} not used: identifiers say nothing about new objects.")
    return Lesson([measures], objects, target)


def _identifiers(table: Table, objects: Objects) -> list[str]:
    """Return a remark on identifiers, which are compared only on request."""
    used = objects.reading
    return [
        f"{name!r} looks like an identifier, which says nothing about new objects."
        for name in ([] if used.id else used.compared)
        if is_identifier(table, name)
    ]


def _unused(table: Table, objects: Objects, asked: Reading) -> list[str]:
    """Return a remark on columns that were left out without the user's request."""
    if asked.compared or not objects.reading.compared:
        return []
    used = objects.reading.compared
    compared = set(used)
    rest = [name for name in free_columns(table, asked) if name not in compared]
    return [f"compared: {listed(used)}; not used: {listed(rest)}."] if rest else []


def _empty(table: Table, objects: Objects) -> list[str]:
    """Return a remark on empty strings: valid objects, but often missing values."""
    if objects.reading.column is None:
        return []
    rows = [row for row, text in enumerate(objects.data) if text == ""]
    if not rows:
        return []
    name = objects.reading.column
    return [
        f"{name!r} is empty in {len(rows)} of {len(objects)} rows, first in {table.place(rows[0])}."
    ]


def _taken_for_classes(
    table: Table, target: TargetColumn, options: argparse.Namespace
) -> list[str]:
    """Return a remark on numbers that were guessed to be classes, and may be quantities."""
    if options.task != "auto" or target.task != "classify" or not is_numeric(table, options.target):
        return []
    n = len(set(target.y.tolist()))
    if n <= CERTAIN_CLASSES:
        return []
    said = f"the {n} whole numbers of {options.target!r} are taken for classes; if they are "
    return [said + "quantities or grades, say --task regress or --task ordinal."]


def read_data(options: argparse.Namespace) -> Table:
    """Read the table that the options name."""
    return read_table(options.data, options.format, options.delimiter, options.encoding)


def measure_with(name: str, arguments: list[tuple[str, Any]]) -> Measure:
    """Return a measure of this name, with parameters.

    Examples
    --------
    >>> measure_with("gaussian", [("width", 2.0)])
    Gaussian(width=2.0)
    >>> measure_with("scipy:minkowski", [("p", 3)])
    Scipy(metric='minkowski', params={'p': 3})
    """
    measure = get(name)
    given = dict(arguments)
    if isinstance(measure, Adapter):  # they pass parameters on to their libraries
        given = {"params": given} if given else {}
    unknown = sorted(set(given) - set(measure.get_params()))
    if unknown:
        known = ", ".join(measure.get_params()) or "none"
        raise DataError(f"{name} has no parameter {unknown[0]!r}; its parameters are: {known}.")
    measure.set_params(**given)
    measure.check_parameters()
    return measure
