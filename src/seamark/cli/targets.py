"""What is to be learned: the targets of a table's objects, and which task that is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..linear_model import Ordinal
from ..models import LandmarkClassifier, LandmarkOrdinal, LandmarkRanker, LandmarkRegressor
from ..targets import holds_classes
from .columns import Objects, Reading, is_missing, kind_of, number, numbers, objects_array
from .messages import TASKS, shown
from .tables import DataError, Table

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
REMEDY = "fill or drop such rows, as --drop-missing-target does"


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
    reading = objects.reading
    name, query = reading.target, reading.query
    if name is None:
        raise DataError("say which column is to be predicted, with --target.")
    if reading.targets is not None or reading.separator is not None:
        return _several(table, objects, task)
    if task == "auto":
        task = _guess(table, name, query, order)
    if task == "rank" and query is None:
        raise DataError("--task rank needs the column of queries: --query.")
    if order is not None and task != "ordinal":
        raise DataError(f"--order goes with --task ordinal, not with {task}.")
    cells = labels_or_numbers(table, name, "classify" if order is not None else task)
    y = _of_objects(table, name, cells, objects)
    if task == "classify" and whole:
        _require_classes(table, name, y.tolist())
    for row, label in enumerate(cells.tolist() if order is not None else ()):
        if label not in (order or ()):
            raise DataError(
                f"{name!r} is {label} in {table.place(row)}, which --order "
                f"{','.join(order or ())} lacks."
            )
    queries = None
    if query is not None and task == "rank":
        queries = _of_objects(table, query, _labels(table, query), objects)
    return TargetColumn(task, y, queries, order)


def labels_or_numbers(table: Table, name: str, task: str) -> NDArray[Any]:
    """Return the cells of a column as targets of a task; whole numbers as such."""
    if task == "classify":
        return _labels(table, name)
    values = numbers(table, name)
    whole = (values == np.rint(values)).all() and np.abs(values).max(initial=0) < 2**53
    return values.astype(np.int64) if whole else values


def _guess(table: Table, name: str, query: str | None, order: list[str] | None) -> str:
    if query is not None or order is not None:
        return "ordinal" if query is None else "rank"
    if kind_of(table, name) != "numbers":
        return "classify"
    return "classify" if holds_classes(numbers(table, name)) else "regress"


def _labels(table: Table, name: str) -> NDArray[Any]:
    """Return classes as the file writes them."""
    cells = table.column(name)
    for row, cell in enumerate(cells):
        if _none(cell):
            raise DataError(f"{name!r} is missing in {table.place(row)}; {REMEDY}.")
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


def _of_objects(table: Table, name: str, cells: Any, objects: Objects) -> NDArray[Any]:
    """Return the cell of each object; stop if rows of one series or set disagree."""
    for group in objects.groups:
        for row in group[1:]:
            if cells[row] != cells[group[0]]:
                raise DataError(
                    f"{name!r} in {table.place(row)} is not what it is in line "
                    f"{table.lines[group[0]]}; rows of one object must have the same value."
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
        values = [_of_objects(table, name, numbers(table, name), objects) for name in columns]
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
    of_objects = [_of_objects(table, name, flags[name], objects) for name in columns]
    each = zip(*of_objects, strict=True)
    named = (frozenset(name for name, has in zip(columns, row, strict=True) if has) for row in each)
    return TargetColumn("labels", objects_array(named))


def _split(table: Table, name: str, separator: str) -> list[frozenset[str]]:
    """Return the labels of each row; an empty cell has none."""
    sets = []
    for row, cell in enumerate(table.column(name)):
        if isinstance(cell, dict):
            raise DataError(
                f"{name!r} is a {type(cell).__name__} in {table.place(row)}, which is not a label."
            )
        labels = cell if isinstance(cell, list) else str(cell).split(separator)
        labels = [] if is_missing(cell) else [str(label).strip() for label in labels]
        sets.append(frozenset(label for label in labels if label))
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
