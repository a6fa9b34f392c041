"""Several targets of an object: labels in one cell, or a column for each label or number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cells import is_missing, number, numbers
from .columns import Objects
from .showing import shown
from .tables import DataError, Table

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
