"""Training data of a command: objects and targets of a table, or of a file read in pieces."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import Domain, Strings, Vectors, series, sets, strings, vectors
from ..engine import settings
from ..io import FactoryRows, RowSource
from ..linear_model import Ordinal
from ..measures import Measure, get
from ..models import (
    LandmarkClassifier,
    LandmarkOrdinal,
    LandmarkRanker,
    LandmarkRegressor,
    measures_of_columns,
)
from ..targets import holds_classes
from .columns import (
    Objects,
    Reading,
    columns_named,
    compared_alone,
    decimal_marks,
    free_columns,
    is_identifier,
    is_missing,
    kind_of,
    number,
    numbers,
    objects_array,
    read_frame,
    read_objects,
    reading_of,
)
from .messages import TASKS, listed, say, shown
from .tables import (
    STANDARD,
    DataError,
    Table,
    count_rows,
    format_of,
    pieces,
    read_table,
)

PIECE_BYTES = 64 << 20  # the most that is read of a long file at a time
HEAD_ROWS = 10_000  # that show what the columns of a long file are


@dataclass
class LongFile:
    """A table that is read a piece at a time, as often as needed.

    Attributes
    ----------
    options : Namespace
        Which name the file, and say how it is read.
    n_rows : int
        How many there are, or about as many.
    """

    options: argparse.Namespace
    n_rows: int

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Yield all rows, a table of at most so many at a time."""
        for table in self._read(rows or settings().chunk_rows):
            table.marks.update(self._marks)
            yield table

    def head(self) -> Table:
        """Return the first rows as a table, by which columns are chosen and checked."""
        return next(self.tables(HEAD_ROWS))

    def _read(self, rows: int) -> Iterator[Table]:
        of = self.options
        return pieces(of.data, of.format, of.delimiter, of.encoding, rows, PIECE_BYTES)

    @cached_property
    def _marks(self) -> dict[str, dict[str, tuple[str, str]]]:
        """How numbers of all rows are written, by column, where commas may be decimal."""
        marks: dict[str, dict[str, tuple[str, str]]] = {}
        for table in self._read(settings().chunk_rows):
            if not table.comma:
                break
            for name in table.names:
                known = marks.setdefault(name, {})
                if "text" not in known:
                    marks[name] = decimal_marks(table, name) | known
        return marks


@dataclass(eq=False, repr=False)
class LongRows(FactoryRows):
    """Objects and targets of a long file, of which about as many are expected as it has lines."""

    file: LongFile

    @property
    def expected_rows(self) -> int:
        """For the time left."""
        return self.file.n_rows

    @property
    def fingerprint(self) -> str:
        """The file with its size and time."""
        path = self.file.options.data
        facts = Path(path).stat()
        return f"{path} {facts.st_size} {facts.st_mtime_ns}"


def long_file(options: argparse.Namespace, reading: Reading) -> LongFile | None:
    """Return a file that is too long to be read at once; None: it is not.

    Series and sets in long format, several targets, ordered labels and queries need all rows, and
    get them.
    """
    given = vars(options)
    several = reading.targets if "task" in given else None  # predict needs no targets
    whole = (reading.id, reading.query, several, given.get("separator"), given.get("order"))
    task = given.get("task", "auto")
    if any(whole) or task not in ("auto", "classify", "regress") or options.data == STANDARD:
        return None
    n = count_rows(options.data, options.format or format_of(options.data))
    return LongFile(options, n) if n > settings().hashed_from else None


# Targets of a table's objects, and which task they pose.


WORDS = {"true": True, "yes": True, "false": False, "no": False}
"""What a cell may say, besides 1 and 0, of whether an object has a label."""
MODELS: dict[str, Callable[..., Any]] = {
    "classify": LandmarkClassifier,
    "labels": LandmarkClassifier,
    "regress": LandmarkRegressor,
    "ordinal": LandmarkOrdinal,
    "rank": LandmarkRanker,
}
ASSESSED_AS = {ours: theirs for theirs, ours in TASKS.items()}
REMEDY = "fill or drop such rows, or use --drop-missing-target"


@dataclass(frozen=True)
class TargetColumn:
    """The targets of objects.

    Attributes
    ----------
    task : str
        "classify", "labels", "regress", "ordinal" or "rank".
    y : ndarray
        Of labels, sets of them; of several numbers, (n, T).
    query : ndarray or None
        Query of each object, of ranking.
    order : list of str or None
        Labels of an ordinal task, from low to high, if they are no numbers.
    """

    task: str
    y: NDArray[Any]
    query: NDArray[Any] | None = None
    order: list[str] | None = None

    def model(self, measure: Any, **options: Any) -> Any:
        """Return the model for this task, unfitted."""
        if self.order is not None:
            options["head"] = Ordinal(categories=self.order)
        return MODELS[self.task](measure, **options)

    @property
    def ranked(self) -> NDArray[Any]:
        """Targets, with labels whose order was given replaced by their places in it."""
        if self.order is None:
            return self.y
        return np.array([self.order.index(label) for label in self.y.tolist()])


def with_targets(table: Table, reading: Reading) -> Table:
    """Return the rows of a table that have all their targets."""
    columns = [table.column(name) for name in reading.predicted]
    full = [i for i, cells in enumerate(zip(*columns, strict=True)) if not any(map(_none, cells))]
    return table if len(full) == len(table) else table.some(full)


def _none(cell: Any) -> bool:
    return is_missing(cell) or (isinstance(cell, float) and math.isnan(cell))


def read_target(
    table: Table,
    objects: Objects,
    task: str = "auto",
    order: list[str] | None = None,
    *,
    whole: bool = True,
) -> TargetColumn:
    """Read the targets, and settle the task.

    Parameters
    ----------
    table : Table
    objects : Objects
        Their `reading` names the columns.
    task : str
        "auto", or one of `MODELS`.
    order : list of str, optional
        Labels of an ordinal task, from low to high, if they are no numbers.
    whole : bool, default=True
        Whether these are all rows that are learned from; of others, one class is no error.
    """
    name, query = objects.reading.target, objects.reading.query
    if name is None:
        raise DataError("say which column is to be predicted, with --target.")
    if objects.reading.targets is not None or objects.reading.separator is not None:
        return _several(table, objects, task)
    if task == "auto" and (query is not None or order is not None):
        task = "ordinal" if query is None else "rank"
    elif task == "auto":
        of_numbers = kind_of(table, name) == "numbers"
        task = (
            "regress"
            if of_numbers and not holds_classes(target_numbers(table, name))
            else "classify"
        )
    if task == "rank" and query is None:
        raise DataError("--task rank needs the column of queries: --query.")
    if order is not None and task != "ordinal":
        raise DataError(f"--order goes with --task ordinal, not with {task}.")
    cells = labels_or_numbers(table, name, "classify" if order is not None else task)
    y = _of_objects(table, name, cells, objects)
    labels = y.tolist()
    if task == "classify" and whole and len(set(labels)) == 1:
        raise DataError(
            f"{name!r} of {table.source} has one class only, {shown(labels[0])}; a classifier "
            "needs two or more."
        )
    if task == "classify" and whole and len(set(labels)) == len(labels):
        raise DataError(
            f"{name!r} of {table.source} is different for every object, as an identifier is; to "
            "learn classes, some must come twice."
        )
    for row, label in enumerate(cells.tolist() if order is not None else ()):
        if label not in (order or ()):
            raise DataError(
                f"{name!r} is {label} in {table.place(row)}, which --order "
                f"{','.join(order or ())} lacks."
            )
    queries = None
    if query is not None and task == "rank":
        queries = _of_objects(table, query, labels_or_numbers(table, query, "classify"), objects)
    return TargetColumn(task, y, queries, order)


def target_numbers(table: Table, name: str) -> NDArray[np.float64]:
    """Return a column of targets as numbers."""
    return numbers(table, name, remedy=REMEDY)


def labels_or_numbers(table: Table, name: str, task: str) -> NDArray[Any]:
    """Return the cells of a column as targets of a task; whole numbers, and classes, as such."""
    if task != "classify":
        values = target_numbers(table, name)
        whole = (values == np.rint(values)).all() and np.abs(values).max(initial=0) < 2**53
        return values.astype(np.int64) if whole else values
    cells = table.column(name)
    for row, cell in enumerate(cells):
        if _none(cell):
            raise DataError(f"{name!r} is missing in {table.place(row)}; {REMEDY}.")
        _require_label(cell, table, name, row)
    return np.array(cells if len({type(cell) for cell in cells}) == 1 else list(map(str, cells)))


def _require_label(cell: Any, table: Table, name: str, row: int) -> None:
    if isinstance(cell, (list, dict)):
        raise DataError(
            f"{name!r} is a {type(cell).__name__} in {table.place(row)}, which is not a label."
        )


def _of_objects(table: Table, name: str, cells: Any, objects: Objects) -> NDArray[Any]:
    """Return the cell of each object; stop if rows of one series or set disagree."""
    for first, *others in objects.groups:
        odd = next((row for row in others if cells[row] != cells[first]), None)
        if odd is not None:
            raise DataError(
                f"{name!r} in {table.place(odd)} is not what it is in line {table.lines[first]}; "
                "rows of one object must have the same value."
            )
    rows = [group[0] for group in objects.groups]
    return cells[rows] if isinstance(cells, np.ndarray) else objects_array(cells[i] for i in rows)


# Several labels of a row, or several numbers.


def _several(table: Table, objects: Objects, task: str) -> TargetColumn:
    """Return labels as sets of names, one for each object; numbers as a matrix."""
    reading, columns = objects.reading, objects.reading.predicted
    if task not in ("auto", "classify", "regress"):
        raise DataError(f"several targets go with --task classify or regress, not with {task}.")
    if reading.separator is not None:
        if reading.targets is not None or task == "regress":
            raise DataError("--separator is for labels in the cells of one --target.")
        sets = _split(table, columns[0], reading.separator)
        return TargetColumn("labels", _of_objects(table, columns[0], sets, objects))
    flags = {name: list(map(_flag, table.column(name))) for name in columns}
    odd = next((name for name, found in flags.items() if None in found), None)
    if task == "regress" or (task == "auto" and odd is not None):
        values = [
            _of_objects(table, name, target_numbers(table, name), objects) for name in columns
        ]
        return TargetColumn("regress", np.column_stack(values))
    if odd is not None:
        row = flags[odd].index(None)
        raise DataError(
            f"{odd!r} is {shown(table.column(odd)[row])} in {table.place(row)}; each of "
            "several --target columns must say whether a row has its label: 1 or 0, yes or no."
        )
    never = next((name for name, found in flags.items() if not any(found)), None)
    if never is not None:
        raise DataError(f"no row of {table.source} has the label {never!r}; leave it out.")
    has = np.column_stack([_of_objects(table, name, flags[name], objects) for name in columns])
    return TargetColumn("labels", objects_array(frozenset(compress(columns, row)) for row in has))


def _split(table: Table, name: str, separator: str) -> list[frozenset[str]]:
    """Return the labels of each row; an empty cell has none."""
    sets = []
    for row, cell in enumerate(table.column(name)):
        labels = cell if isinstance(cell, list) else str(cell).split(separator)
        if not isinstance(cell, list):
            _require_label(cell, table, name, row)
        labels = [] if is_missing(cell) else [str(label).strip() for label in labels]
        sets.append(frozenset(filter(None, labels)))
    if len(frozenset().union(*sets)) < 2:
        raise DataError(
            f"{name!r} of {table.source} has fewer than two different labels; give more, "
            "or leave out --separator."
        )
    return sets


def _flag(cell: Any) -> bool | None:
    """Return whether a cell says yes; None: it says neither."""
    if isinstance(cell, str) and cell.strip().lower() in WORDS:
        return WORDS[cell.strip().lower()]
    value = None if is_missing(cell) or isinstance(cell, (list, dict)) else number(cell)
    return None if value not in (0.0, 1.0) else bool(value)


# Objects and targets of a table, or of a file read in pieces.


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
    lines : list of int
        Where each object begins in the file.
    source : RowSource or None
        All rows of a long file.
    dropped : dict of int
        Rows without a target that were left out, by the first line of the piece they stood in.
    """

    measure: Any
    objects: Objects
    target: TargetColumn
    lines: list[int]
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
        For each kind of objects the measure to take where columns are named and no measure is;
        default: "auto".
    """
    if options.measure == ["auto"]:
        options.measure = defaults = None
    reading = reading_of(options)
    file = long_file(options, reading)
    table = read_data(options) if file is None else file.head()
    for name in (*reading.predicted, reading.query):
        if name is not None:
            table.column(name)
    dropped: dict[int, int] = {}

    def with_all_targets(table: Table) -> Table:
        if not options.drop_missing_target:
            return table
        full = with_targets(table, reading)
        dropped[table.lines[0]] = len(table) - len(full)
        return full

    table = with_all_targets(table)
    if not len(table):
        raise DataError(f"{table.source} has no row with a target.")
    measure, objects = read_compared(table, reading, options, defaults)
    used = objects.reading
    used.require_apart()
    target = read_target(table, objects, options.task, options.order, whole=file is None)
    if not options.quiet:
        for note in _notes(table, objects, target, reading, options):
            say(f"note: {note}")
    decimals = {name: table.decimals[name] for name in used.compared if name in table.decimals}
    used = replace(used, decimals=decimals or None)
    objects = replace(objects, reading=used)
    lines = [table.lines[group[0]] for group in objects.groups]
    if file is None:
        return TrainingData(measure, objects, target, lines, None, dropped)

    def blocks() -> Iterator[tuple[Any, Any]]:
        for piece in map(with_all_targets, file.tables()):
            y = labels_or_numbers(piece, str(used.target), target.task)
            yield read_again(piece, used, getattr(measure, "domain", None)).data, y

    return TrainingData(measure, objects, target, lines, LongRows(blocks, file), dropped)


def read_compared(
    table: Table,
    reading: Reading,
    options: argparse.Namespace,
    defaults: dict[str, str] | None = None,
    *,
    alone: bool = False,
) -> tuple[Any, Objects]:
    """Return what compares objects, as models take it, and the objects.

    Where the options name neither a measure nor columns, that is "auto" for all columns, as for a
    frame in Python; if `alone`, one column of text or all of numbers are compared.
    """
    named = columns_named(table, getattr(options, "named", None) or [])
    if options.all_columns:
        named = {name: named.get(name) for name in free_columns(table, reading)} | named
    by_column = {name: measure for name, measure in named.items() if measure is not None}
    measures = [measure_with(name, options.measure_arg) for name in options.measure or []]
    if options.all_columns or len(named) > 1 or by_column:
        if measures or options.measure_arg:
            raise DataError("with several columns, say measures as --column NAME:MEASURE.")
        odd = next((o for o in ("columns", "id", "time", "value") if getattr(reading, o)), None)
        if odd is not None:
            raise DataError(f"--{odd} does not go with several columns; name them with --column.")
        kinds = {name: _kind_for(table, name, measure) for name, measure in named.items()}
        objects = read_frame(table, reading, kinds)
        if not by_column:
            return "auto", objects
        rest = [name for name in named if name not in by_column]
        return by_column | (measures_of_columns(objects.data[rest]) if rest else {}), objects
    for name in (*reading.compared, reading.id):
        if name is not None:
            table.column(name)
    domains: set[Domain | None] = {one.domain for one in measures} or {domain_named(reading)}
    if len(domains) > 1:
        raise DataError(
            f"the measures {', '.join(options.measure)} compare different kinds of objects; give "
            "those of one kind."
        )
    (domain,) = domains
    if domain is None and not alone and not options.measure_arg:
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


def read_again(table: Table, reading: Reading, domain: Domain | None) -> Objects:
    """Return the objects of a table whose columns are known."""
    if reading.table is not None:
        return read_frame(table, reading, reading.table)
    return read_objects(table, reading, domain or domain_named(reading) or strings)


def domain_named(reading: Reading) -> Domain | None:
    """Return what objects are by the columns that options name; None: they name none."""
    if reading.time is not None:
        return series
    if reading.id is not None or reading.value is not None:
        return sets
    if reading.column is not None:
        return strings
    return vectors if reading.columns is not None else None


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
    if "params" in measure.get_params():  # a function of another library, to which they go
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
    empty = [i for i, cell in enumerate(table.cells.get(str(used.column), ())) if cell == ""]
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
