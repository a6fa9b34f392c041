"""What is to be learned: the target of each object, and which task that is."""

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
from .cells import is_missing, is_numeric, numbers
from .columns import Objects
from .labels import read_several
from .showing import shown
from .tables import DataError, Table
from .wording import TASKS


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
