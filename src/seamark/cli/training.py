"""Training data of a command: objects and targets of a table, or of a file read in pieces."""

from __future__ import annotations

import argparse
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import Domain
from ..engine import settings
from ..io import FactoryRows, RowSource, rows
from ..io.base import CHUNK_BYTES
from ..io.files import batches_of
from ..linear_model import Ordinal
from ..measures import Measure, get
from ..measures.adapters import Adapter
from ..models import LandmarkClassifier, LandmarkOrdinal, LandmarkRanker, LandmarkRegressor
from ..targets import holds_classes
from .columns import (
    Objects,
    as_frame,
    columns_asked,
    decimal_marks,
    default_measure,
    free_columns,
    is_identifier,
    is_missing,
    is_numeric,
    number,
    numbers,
    read_mixed,
    read_objects,
)
from .messages import TASKS, listed, say, shown
from .options import reading_of
from .tables import (
    STANDARD,
    DataError,
    Reading,
    Table,
    arrow_table,
    csv_pieces,
    encoding_of,
    format_of,
    read_table,
)

HEAD_ROWS = 10_000  # that show what the columns of a large file are
WORDS = {"true": True, "yes": True, "false": False, "no": False}
"""What a cell may say, besides 1 and 0, of whether an object has a label."""


def read_several(table: Table, objects: Objects, task: str) -> tuple[str, NDArray[Any]]:
    """Return the task, "labels" or "regress", and the targets of the objects.

    Labels are sets of names, one for each object; numbers a matrix with a column for each target.
    """
    reading = objects.reading
    if task not in ("auto", "classify", "regress"):
        raise DataError(f"several targets go with --task classify or regress, not with {task}.")
    if reading.separator is not None:
        if reading.targets is not None or task == "regress":
            raise DataError("--separator is for labels in the cells of one --target.")
        cells = _split(table, reading.predicted[0], reading.separator)
        _require_two(table, reading.predicted[0], cells)
        return "labels", _of_objects(table, reading.predicted[0], cells, objects)
    columns = reading.predicted
    flags = {name: [_flag(cell) for cell in table.column(name)] for name in columns}
    odd = next((name for name, found in flags.items() if None in found), None)
    if task == "regress" or (task == "auto" and odd is not None):
        return "regress", _numbers(table, columns, objects)
    if odd is not None:
        row = flags[odd].index(None)
        raise DataError(
            f"{odd!r} is {shown(table.column(odd)[row])} in {table.place(row)}; each of "
            "several --target columns must say whether a row has its label: 1 or 0, yes or no."
        )
    for name, found in flags.items():
        if not any(found):
            raise DataError(f"no row of {table.source} has the label {name!r}; leave it out.")
        _of_objects(table, name, found, objects)
    sets = [frozenset(name for name in columns if flags[name][i]) for i in range(len(table.rows))]
    return "labels", _objects(sets)[[group[0] for group in objects.groups]]


def _split(table: Table, name: str, separator: str) -> list[frozenset[str]]:
    """Return the labels of each row; an empty cell has none."""
    found = []
    for row, cell in enumerate(table.column(name)):
        if isinstance(cell, dict):
            raise DataError(
                f"{name!r} is a {type(cell).__name__} in {table.place(row)}, which is not a label."
            )
        some = cell if isinstance(cell, list) else str(cell).split(separator)
        labels = [] if is_missing(cell) else [str(one).strip() for one in some]
        found.append(frozenset(one for one in labels if one))
    return found


def _require_two(table: Table, name: str, cells: list[frozenset[str]]) -> None:
    labels = frozenset().union(*cells)
    if len(labels) < 2:
        raise DataError(
            f"{name!r} of {table.source} has fewer than two different labels; give more, "
            "or leave out --separator."
        )


def _flag(cell: Any) -> bool | None:
    """Return whether a cell says yes; None: it says neither."""
    if isinstance(cell, str) and cell.strip().lower() in WORDS:
        return WORDS[cell.strip().lower()]
    value = None if is_missing(cell) or isinstance(cell, (list, dict)) else number(cell)
    return None if value not in (0.0, 1.0) else bool(value)


def _numbers(table: Table, columns: list[str], objects: Objects) -> NDArray[np.float64]:
    return np.stack(
        [_of_objects(table, name, numbers(table, name).tolist(), objects) for name in columns],
        axis=1,
    ).astype(np.float64)


def _of_objects(table: Table, name: str, cells: list[Any], objects: Objects) -> NDArray[Any]:
    """Return the cell of each object; stop if rows of one series or set disagree."""
    for group in objects.groups:
        odd = next((row for row in group if cells[row] != cells[group[0]]), None)
        if odd is not None:
            raise DataError(
                f"{name!r} in {table.place(odd)} is not what it is in line "
                f"{table.lines[group[0]]}; rows of one object must have the same value."
            )
    return _objects([cells[group[0]] for group in objects.groups])


def _objects(cells: list[Any]) -> NDArray[Any]:
    """Return an array of objects, each as it is."""
    return np.fromiter(cells, dtype=object, count=len(cells))


def columns_said(model: Any, said: NDArray[Any], name: str, reading: Any) -> dict[str, list[Any]]:
    """Return predictions as columns of a table.

    One; of labels that came in one cell, one again, with the separator between them; else a column
    for each label or number.
    """
    if said.ndim == 1:
        return {name: list(said.tolist())}
    titles = titles_of(model, said.shape[1], reading)
    if reading.separator is not None:
        rows = [reading.separator.join(np.asarray(titles)[row > 0].tolist()) for row in said]
        return {name: rows}
    return {f"{name}_{title}": said[:, k].tolist() for k, title in enumerate(titles)}


def titles_of(model: Any, width: int, reading: Any) -> list[str]:
    """Return what the columns of several predictions are of."""
    classes = getattr(model, "classes_", None)
    if classes is not None:
        return [str(one) for one in classes]
    known = reading.targets
    return known if known is not None and len(known) == width else list(map(str, range(width)))


# What is to be learned: the target of each object, and which task that is.


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

    def fitted(self, model: Any, X: Any) -> Any:
        """Fit a model."""
        return model.fit(X, self.y, **({} if self.query is None else {"qid": self.query}))


MODELS: dict[str, Callable[..., Any]] = {
    "classify": LandmarkClassifier,
    "labels": LandmarkClassifier,
    "regress": LandmarkRegressor,
    "ordinal": LandmarkOrdinal,
    "rank": LandmarkRanker,
}
ASSESSED_AS = {ours: theirs for theirs, ours in TASKS.items()}


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
        Whether these are all rows; the first of a sorted file may have one class only.
    """
    name, query = objects.reading.target, objects.reading.query
    if name is None:
        raise DataError("say which column is to be predicted, with --target.")
    if objects.reading.targets is not None or objects.reading.separator is not None:
        return TargetColumn(*read_several(table, objects, task))
    task = _guess(table, name, query, order) if task == "auto" else task
    if task == "rank" and query is None:
        raise DataError("--task rank needs the column of queries: --query.")
    if order is not None and task != "ordinal":
        raise DataError(f"--order goes with --task ordinal, not with {task}.")
    rows = [group[0] for group in objects.groups]
    cells = labels_or_numbers(table, name, "classify" if order is not None else task)
    _require_one_per_object(table, name, cells, objects)
    if task == "classify" and whole:
        _require_classes(table, name, cells[rows].tolist())
    if order is not None:
        _require_in_order(table, name, cells, order)
    asked = None if query is None or task != "rank" else _labels(table, query)[rows]
    return TargetColumn(task, cells[rows], asked, order)


def labels_or_numbers(table: Table, name: str, task: str) -> NDArray[Any]:
    """Return the cells of a column as targets of a task."""
    return _labels(table, name) if task == "classify" else _whole(numbers(table, name))


def _guess(table: Table, name: str, query: str | None, order: list[str] | None) -> str:
    if query is not None:
        return "rank"
    if order is not None:
        return "ordinal"
    if not is_numeric(table, name):
        return "classify"
    return "classify" if holds_classes(numbers(table, name)) else "regress"


def _labels(table: Table, name: str) -> NDArray[Any]:
    """Return classes as the file writes them."""
    cells = table.column(name)
    for row, cell in enumerate(cells):
        if is_missing(cell) or (isinstance(cell, float) and math.isnan(cell)):
            raise DataError(f"{name!r} is missing in {table.place(row)}; fill or drop such rows.")
        if isinstance(cell, (list, dict)):
            raise DataError(
                f"{name!r} is a {type(cell).__name__} in {table.place(row)}, which is not a label."
            )
    return np.array(cells if len({type(cell) for cell in cells}) == 1 else list(map(str, cells)))


def _require_classes(table: Table, name: str, labels: list[Any]) -> None:
    n = len(set(labels))
    if n == 1:
        raise DataError(
            f"{name!r} of {table.source} has one class only, {shown(labels[0])}; a classifier "
            "needs two or more."
        )
    if n == len(labels):
        raise DataError(
            f"{name!r} of {table.source} is different for every object, as an identifier is; to "
            "learn classes, some must come twice."
        )


def _require_in_order(table: Table, name: str, labels: NDArray[Any], order: list[str]) -> None:
    for row, label in enumerate(labels.tolist()):
        if label not in order:
            raise DataError(
                f"{name!r} is {label} in {table.place(row)}, which --order {','.join(order)} lacks."
            )


def _whole(values: NDArray[np.float64]) -> NDArray[Any]:
    """Return whole numbers as such, so that predictions are written alike."""
    whole = values == np.rint(values)
    return values.astype(np.int64) if whole.all() and np.abs(values).max() < 2**53 else values


def _require_one_per_object(table: Table, name: str, cells: NDArray[Any], objects: Objects) -> None:
    """Stop if rows of one series or set disagree."""
    for group in objects.groups:
        for row in group[1:]:
            if cells[row] != cells[group[0]]:
                raise DataError(
                    f"{name!r} is {cells[row]} in {table.place(row)} and {cells[group[0]]} in line "
                    f"{table.lines[group[0]]}; rows of one object must have the same value."
                )


# Files of more rows than are read at once: Parquet, CSV and TSV.


class LargeFile(ABC):
    """A table that is read a piece at a time, as often as needed.

    Attributes
    ----------
    path : str
    n_rows : int
        How many there are, or about as many.
    """

    path: str
    n_rows: int

    @cached_property
    def marks(self) -> dict[str, dict[str, tuple[str, str]]]:
        """How numbers of all rows are written, by column, where that is to be found out."""
        return {}

    @abstractmethod
    def pieces(self, n: int | None = None) -> Iterator[Table]:
        """Yield all rows, a table of at most `n` at a time."""

    @abstractmethod
    def source(self, reading: Reading, domain: Domain, target: TargetColumn) -> RowSource:
        """Return the rows to learn from."""

    def head(self) -> Table:
        """Return the first rows as a table, by which columns are chosen and checked."""
        return next(self.pieces(HEAD_ROWS))

    def table_source(self, reading: Reading, target: TargetColumn) -> RowSource:
        """Return the rows to learn from, where they have columns of several kinds."""
        return PieceRows(partial(self._frames, reading, target), self)

    def _frames(self, reading: Reading, target: TargetColumn) -> Iterator[tuple[Any, Any]]:
        for table in self.pieces():
            table.marks.update(self.marks)
            said = labels_or_numbers(table, str(reading.target), target.task)
            yield as_frame(table, reading.table or {}), said


@dataclass
class LargeParquet(LargeFile):
    """A Parquet file; see `LargeFile`."""

    path: str
    n_rows: int
    data: Any

    def pieces(self, n: int | None = None) -> Iterator[Table]:
        """Yield all rows, a table of at most `n` at a time."""
        for batch in batches_of(self.data, self.data.schema.names, n or settings().chunk_rows):
            yield arrow_table(batch, self.path)

    def head(self) -> Table:
        """Return the first rows."""
        return arrow_table(self.data.head(HEAD_ROWS), self.path)

    def source(self, reading: Reading, domain: Domain, target: TargetColumn) -> RowSource:
        """Return the rows to learn from, as pyarrow reads them."""
        columns = reading.columns if reading.column is None else reading.column
        return rows(self.data, column=columns, target=reading.target)


@dataclass
class LargeText(LargeFile):
    """A CSV or TSV file; see `LargeFile`."""

    path: str
    n_rows: int
    form: str
    delimiter: str | None
    encoding: str

    def pieces(self, n: int | None = None) -> Iterator[Table]:
        """Yield all rows, a table of at most `n` at a time."""
        with open(self.path, encoding=self.encoding, newline="") as text:
            most = n or settings().chunk_rows, CHUNK_BYTES
            pieces = csv_pieces(text, self.path, self.form, self.delimiter, *most)
            try:
                yield from pieces
            except UnicodeDecodeError as error:
                raise DataError(
                    f"{self.path} is not {self.encoding.removesuffix('-sig')} (byte "
                    f"{error.object[error.start]:#04x}); say what it is with --encoding, such as "
                    "latin-1 or utf-16."
                ) from None

    def head(self) -> Table:
        """Return the first rows, whose numbers are read as all are."""
        table = super().head()
        table.marks.update(self.marks)
        return table

    @cached_property
    def marks(self) -> dict[str, dict[str, tuple[str, str]]]:
        """See `LargeFile`."""
        marks: dict[str, dict[str, tuple[str, str]]] = {}
        for table in self.pieces():
            if not table.comma:
                break
            for name in table.names:
                known = marks.setdefault(name, {})
                if "text" not in known:
                    marks[name] = decimal_marks(table, name) | known
        return marks

    def source(self, reading: Reading, domain: Domain, target: TargetColumn) -> RowSource:
        """Return the rows to learn from."""
        return PieceRows(partial(self._blocks, reading, domain, target), self)

    def _blocks(
        self, reading: Reading, domain: Domain, target: TargetColumn
    ) -> Iterator[tuple[Any, Any]]:
        for table in self.pieces():
            table.marks.update(self.marks)
            objects = read_objects(table, reading, domain)
            yield objects.data, labels_or_numbers(table, str(reading.target), target.task)


@dataclass(eq=False, repr=False)
class PieceRows(FactoryRows):
    """Rows of a file as tables, of which about as many are expected as a text file has lines."""

    file: LargeFile

    @property
    def expected_rows(self) -> int:
        """For the time left."""
        return self.file.n_rows

    @property
    def fingerprint(self) -> str:
        """The file with its size and time."""
        facts = Path(self.file.path).stat()
        return f"{self.file.path} {facts.st_size} {facts.st_mtime_ns}"


def large_file(options: argparse.Namespace, reading: Reading) -> LargeFile | None:
    """Return a file that is too long to be read at once; None: it is not.

    Series and sets in long format, several targets, ordered labels and queries need all rows, and
    get them.
    """
    task = getattr(options, "task", "auto")
    several = reading.targets if hasattr(options, "task") else None  # predict needs no targets
    separator = getattr(options, "separator", None)
    whole = reading.id or reading.query or several or separator or getattr(options, "order", None)
    if whole or task not in ("auto", "classify", "regress") or options.data == STANDARD:
        return None
    form, most = options.format or format_of(options.data), settings().hashed_from
    if form == "parquet":
        found: LargeFile | None = _parquet(options.data)
    elif form in ("csv", "tsv") and Path(options.data).is_file():
        found = _text(options, form, most)
    else:
        found = None
    return found if found is not None and found.n_rows > most else None


def _parquet(path: str) -> LargeParquet | None:
    try:
        import pyarrow as pa
        from pyarrow import dataset
    except ImportError:  # said where the table is read
        return None
    try:
        data = dataset.dataset(path, format="parquet")
        return LargeParquet(path, int(data.count_rows()), data)
    except (pa.ArrowException, OSError):
        return None


def _text(options: argparse.Namespace, form: str, most: int) -> LargeText | None:
    """Return a text file, if it may have more rows than `most`."""
    path, n = Path(options.data), 0  # the header counts for a last line without an end
    if path.stat().st_size <= 2 * most:  # a row has a character and a line end at least
        return None
    with path.open("rb") as file:
        begin = file.read(4)
        file.seek(0)
        while some := file.read(1 << 20):
            n += max(some.count(b"\n"), some.count(b"\r"))
    encoding = encoding_of(begin, options.encoding)
    return LargeText(options.data, n, form, options.delimiter, encoding)


# What `fit` and `assess` begin with: measure, objects and targets.


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
