"""Training data of a command: objects and targets of a table, or of a file read in pieces."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ..data import Domain, Strings, Vectors, series, sets, strings, vectors
from ..io import RowSource
from ..measures import Adapter, Measure, get
from ..models import measures_of_columns
from .columns import (
    Objects,
    Reading,
    columns_named,
    compared_alone,
    free_columns,
    is_identifier,
    kind_of,
    read_frame,
    read_objects,
)
from .long_files import LongRows, long_file
from .messages import listed, say
from .options import reading_of
from .tables import DataError, Table, read_table
from .targets import TargetColumn, labels_or_numbers, read_target, with_targets

CERTAIN_CLASSES = 2
"""With two different numbers it makes no difference whether they are classes or grades."""
DEFAULTS = {
    "strings": "levenshtein",
    "vectors": "gaussian",
    "series": "dtw",
    "sets": "modified_hausdorff",
}
"""What compares objects where one measure is needed and none is named."""
SEARCHED = DEFAULTS | {"vectors": "euclidean"}
"""The same where pairs and neighbours are looked for, which need a distance."""


@dataclass(frozen=True)
class TrainingData:
    """All there is to learn from.

    Attributes
    ----------
    measure : "auto", Measure, list of these, or dict of them by column
        What the options ask for.
    objects, target
        Of a long file those of its first rows only.
    source : RowSource or None
        All rows of a long file.
    dropped : dict of int
        Rows without a target that were left out, by the first line of the piece they stood in.
    """

    measure: Any
    objects: Objects
    target: TargetColumn
    source: RowSource | None = None
    dropped: dict[int, int] = field(default_factory=dict)

    @property
    def n_dropped(self) -> int:
        """How many rows without a target were left out."""
        return sum(self.dropped.values())


def read_data(options: argparse.Namespace) -> Table:
    """Read the table that the options name."""
    return read_table(options.data, options.format, options.delimiter, options.encoding)


def read_training_data(
    options: argparse.Namespace, defaults: dict[str, str] | None = None
) -> TrainingData:
    """Read what the options name; of a long file, the first rows and a source of all.

    Parameters
    ----------
    options : Namespace
    defaults : dict of str, optional
        For each kind of objects the measure to take where none is named; default: "auto".
    """
    reading = reading_of(options)
    file = long_file(options, reading)
    table = read_data(options) if file is None else file.head()
    dropped: dict[int, int] = {}

    def with_all_targets(table: Table) -> Table:
        if not options.drop_missing_target:
            return table
        full = with_targets(table, reading)
        dropped[table.lines[0]] = len(table) - len(full)
        return full

    for name in (*reading.predicted, reading.query):
        if name is not None:
            table.column(name)
    table = with_all_targets(table)
    if not len(table):
        raise DataError(f"{table.source} has no row with a target.")
    measure, objects = read_compared(table, reading, options, defaults)
    objects.reading.require_apart()
    target = read_target(table, objects, options.task, options.order, whole=file is None)
    if not options.quiet:
        for note in _notes(table, objects, target, reading, options):
            say(f"note: {note}")
    used = objects.reading
    decimals = {name: table.decimals[name] for name in used.compared if name in table.decimals}
    used = replace(used, decimals=decimals or None)
    objects = replace(objects, reading=used)
    if file is None:
        return TrainingData(measure, objects, target, None, dropped)

    def blocks() -> Iterator[tuple[Any, Any]]:
        for piece in map(with_all_targets, file.tables()):
            y = labels_or_numbers(piece, str(used.target), target.task)
            yield read_again(piece, used, getattr(measure, "domain", None)).data, y

    return TrainingData(measure, objects, target, LongRows(blocks, file), dropped)


def read_compared(
    table: Table,
    reading: Reading,
    options: argparse.Namespace,
    defaults: dict[str, str] | None = None,
) -> tuple[Any, Objects]:
    """Return what compares objects, as models take it, and the objects.

    Where the options name neither a measure nor columns, a model chooses for all columns, as it
    does for a frame in Python; with `defaults`, one column of text or all of numbers are compared.
    """
    named = columns_named(table, getattr(options, "named", None) or [])
    if options.all_columns:
        named = {name: named.get(name) for name in free_columns(table, reading)} | named
    by_column = {name: measure for name, measure in named.items() if measure is not None}
    for name in (*reading.compared, reading.id):
        if name is not None and not by_column:
            table.column(name)
    measures = [measure_with(name, options.measure_arg) for name in options.measure or []]
    if options.all_columns or len(named) > 1 or by_column:
        if measures or options.measure_arg:
            raise DataError("with several columns, say measures as --column NAME:MEASURE.")
        odd = [one for one in ("columns", "id", "time", "value") if getattr(reading, one)]
        if odd:
            raise DataError(
                f"--{odd[0]} does not go with several columns; name them with --column."
            )
        kinds = {name: _kind_for(table, name, measure) for name, measure in named.items()}
        objects = read_frame(table, reading, kinds)
        if not by_column:
            return "auto", objects
        rest = [name for name in named if name not in by_column]
        return by_column | (measures_of_columns(objects.data[rest]) if rest else {}), objects
    if len({measure.domain for measure in measures}) > 1:
        raise DataError(
            f"the measures {', '.join(options.measure)} compare different kinds of objects; give "
            "those of one kind."
        )
    domain = measures[0].domain if measures else domain_named(reading)
    if domain is None and defaults is None and not options.measure_arg:
        kinds = {name: kind_of(table, name) for name in free_columns(table, reading)}
        if not kinds:
            raise DataError(
                f"{table.source} has no columns besides the target but identifiers, which say "
                "nothing about new objects; name one with --column to use it."
            )
        return "auto", read_frame(table, reading, kinds)
    if domain is None:
        reading = compared_alone(table, reading, None)
        domain = domain_named(reading) or strings
    objects = read_objects(table, reading, domain)
    if not measures and (defaults is not None or options.measure_arg):
        measures = [measure_with((defaults or DEFAULTS)[domain.name], options.measure_arg)]
    return (measures if len(measures) > 1 else measures[0] if measures else "auto"), objects


def _kind_for(table: Table, name: str, measure: Measure | None) -> str:
    """Return how the cells of a column are to be read for a measure."""
    if measure is None:
        return kind_of(table, name)
    kinds = ((Strings, "text"), (Vectors, "numbers"))
    return next((kind for domain, kind in kinds if isinstance(measure.domain, domain)), "objects")


def domain_named(reading: Reading) -> Domain | None:
    """Return what objects are by the columns that options name; None: they name none."""
    if reading.time is not None:
        return series
    if reading.id is not None or reading.value is not None:
        return sets
    if reading.column is not None:
        return strings
    return vectors if reading.columns is not None else None


def read_again(table: Table, reading: Reading, domain: Domain | None) -> Objects:
    """Return the objects of a table whose columns are known."""
    if reading.table is not None:
        return read_frame(table, reading, reading.table)
    return read_objects(table, reading, domain or domain_named(reading) or strings)


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


def _notes(
    table: Table,
    objects: Objects,
    target: TargetColumn,
    asked: Reading,
    options: argparse.Namespace,
) -> Iterator[str]:
    """Yield what a person should hear of how a table was read."""
    used = objects.reading
    for name in [] if used.id else used.compared:
        if is_identifier(table, name):
            yield f"{name!r} looks like an identifier, which says nothing about new objects."
    others = {*used.compared, *used.predicted, used.query, used.id}
    left = [name for name in table.names if name not in others]
    if left and not asked.compared and not getattr(options, "named", None):
        odd = [name for name in left if is_identifier(table, name)]
        rest = [name for name in left if name not in odd]
        words = [listed(rest)] if rest else []
        words += [f"{listed(odd)} (looks like an identifier)"] if odd else []
        yield f"not used: {', '.join(words)}; name columns with --column to use them."
    empty = (
        [row for row, cell in enumerate(table.column(used.column)) if cell == ""]
        if (used.column is not None)
        else []
    )
    if empty:
        yield (
            f"{used.column!r} is empty in {len(empty)} of {len(objects)} rows, first in "
            f"{table.place(empty[0])}."
        )
    if options.task == "auto" and target.task == "classify" and options.order is None:
        labels = set(target.y.tolist())
        if len(labels) > CERTAIN_CLASSES and kind_of(table, str(used.target)) == "numbers":
            yield (
                f"the {len(labels)} whole numbers of {used.target!r} are taken for classes; if "
                "they are quantities or grades, say --task regress or --task ordinal."
            )
