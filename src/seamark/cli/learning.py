"""What `fit` and `assess` begin with: measure, objects and targets."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

from ..measures import Measure, get
from ..measures.adapters import Adapter
from .columns import Objects, Reading, numeric_columns, read_objects
from .options import reading_of
from .tables import DataError, Table, read_table
from .targets import Target, read_target


@dataclass(frozen=True)
class Lesson:
    """All there is to learn from."""

    measures: list[Measure]
    objects: Objects
    target: Target


def read_lesson(options: argparse.Namespace) -> Lesson:
    """Read what the options name."""
    table, reading = read_data(options), reading_of(options)
    for column in (reading.target, reading.query):
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
    return Lesson(measures, objects, read_target(table, objects, options.task, options.order))


def read_data(options: argparse.Namespace) -> Table:
    """Read the table that the options name."""
    return read_table(options.data, options.format, options.delimiter, options.encoding)


def default_measure(table: Table, reading: Reading) -> str:
    """Return a measure for what the columns hold.

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
    vectors = reading.columns is not None or numeric_columns(table, reading)
    return "gaussian" if vectors else "levenshtein"


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
