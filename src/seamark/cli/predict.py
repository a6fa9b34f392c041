"""`seamark predict`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Progress, progress_bar
from ..measures import as_measures
from ..saving import contents, load
from .columns import READERS, Objects, Reading, reading_of
from .messages import progress_wanted
from .tables import DataError, Table, deliver, require_delivery
from .training_data import long_file, read_again, read_data, read_target

KINDS: dict[str, Any] = {
    "columns": list,
    "value": list,
    "table": dict,
    "targets": list,
    "decimals": dict,
}
"""Types of what a `Reading` holds, where it is not text."""


def run(options: argparse.Namespace) -> None:
    """Predict for the rows of a table, and write them with the predictions."""
    if options.coverage is None and (options.by_class or options.groups or options.calibration):
        raise DataError("--by-class, --groups and --calibration go with --coverage.")
    inputs = (options.data, *filter(None, [options.calibration]))
    require_delivery(options, options.model, *inputs)
    model, reading = model_and_reading(options)
    coverage = Coverage.of(options, model, reading)
    file = long_file(options, reading)
    pieces = iter([read_data(options)]) if file is None else file.tables()
    with progress_bar(file is not None and progress_wanted(options.quiet)) as bar:
        bar.start(0 if file is None else file.n_rows, "rows")
        names, first = predictions(model, next(pieces), reading, options, coverage)
        rest = (predictions(model, piece, reading, options, coverage)[1] for piece in pieces)
        deliver(options, names, _counted(bar, chain([first], rest)))


def _counted(bar: Progress, pieces: Iterator[list[list[Any]]]) -> Iterator[list[Any]]:
    """Yield rows, and say when those of a piece are written."""
    for rows in pieces:
        yield from rows
        bar.advance(len(rows))


def model_and_reading(options: argparse.Namespace) -> tuple[Any, Reading]:
    """Return a saved model, and the columns that it reads, as far as its file says."""
    model = load(options.model)
    if not hasattr(model, "measure") or not hasattr(model, "predict"):
        raise DataError(f"{options.model} holds a {type(model).__name__}, which cannot predict.")
    kept = contents(options.model).about.get("reading", {})
    if not _is_reading(kept):
        raise DataError(f"{options.model} has a list of its columns that this version cannot read.")
    return model, reading_of(options).filled(Reading(**kept))


def _is_reading(kept: Any) -> bool:
    """Whether a file, which may come from a stranger, holds a `Reading`."""
    if not isinstance(kept, dict) or not kept.keys() <= Reading.__dataclass_fields__.keys():
        return False
    for name, value in kept.items():
        leaves = value.values() if isinstance(value, dict) else value
        leaves = leaves if isinstance(value, (dict, list)) else [value]
        leaf = bool if name == "decimals" else str
        sound = isinstance(value, KINDS.get(name, str)) and all(isinstance(x, leaf) for x in leaves)
        if value is not None and not sound:
            return False
    return READERS.keys() >= set((kept.get("table") or {}).values())


def objects_in(table: Table, reading: Reading, model: Any) -> Objects:
    """Return the objects of a table, read as those of fit were."""
    table.decimals.update(reading.decimals or {})
    if reading.table is not None:
        unused = [name for name in left_out(model, reading.table) if name not in table.cells]
        kinds = {name: kind for name, kind in reading.table.items() if name not in unused}
        reading = replace(reading, table=kinds)
    fitted = getattr(model, "map_", None)  # which knows what "auto" meant
    about = as_measures(model.measure)[0] if fitted is None else fitted.blocks_[0]
    return read_again(table, reading, about.domain)


def left_out(model: Any, kinds: dict[str, str] | None) -> list[str]:
    """Return the columns that were read and that no block of a model compares."""
    if not model.map_.is_union or model.map_.columns_[0] is None:
        return []
    used: set[str] = set()
    for columns in model.map_.columns_:
        used.update(columns if isinstance(columns, list) else [columns])
    return [name for name in kinds or () if name not in used]


def predictions(
    model: Any, table: Table, reading: Reading, options: argparse.Namespace, coverage: Coverage
) -> tuple[list[str], list[list[Any]]]:
    """Return names and rows of the output: the input's, and predictions.

    With the long format there is one row for each series or set: its id and its prediction.
    """
    objects, name = objects_in(table, reading, model), options.name
    predicted = np.asarray(model.predict(objects.data))
    if predicted.ndim == 1:
        added = {name: predicted.tolist()}
    else:
        titles = titles_of(model, predicted.shape[1], reading)
        columns = zip(titles, predicted.T.tolist(), strict=True)
        added = {f"{name}_{title}": column for title, column in columns}
        if (mark := reading.separator) is not None:  # labels in one cell again
            added = {name: [mark.join(compress(titles, row)) for row in (predicted > 0).tolist()]}
    if options.proba:
        if not hasattr(model, "predict_proba"):
            raise DataError(f"a {type(model).__name__} gives no probabilities; leave --proba out.")
        # Labels whose columns have their names already say so.
        end = "_proba" if predicted.ndim == 2 and reading.separator is None else ""
        chances = model.predict_proba(objects.data).T.tolist()
        columns = zip(model.classes_, chances, strict=True)
        added |= {f"{name}_{label}{end}": column for label, column in columns}
    if options.coverage is not None:
        added |= _covered(model, coverage.predict(table, objects), name, reading)
    if options.novelty:
        added[f"{name}_novelty"] = model.novelty(objects.data).round(4).tolist()
    return with_columns(table, objects, added)


def titles_of(model: Any, width: int, reading: Reading) -> list[str]:
    """Return what the columns of several predictions are of."""
    classes = getattr(model, "classes_", None)
    if classes is not None:
        return [str(label) for label in classes]
    known = reading.targets
    return known if known is not None and len(known) == width else list(map(str, range(width)))


def with_columns(
    table: Table, objects: Objects, added: dict[str, list[Any]]
) -> tuple[list[str], list[list[Any]]]:
    """Return a table with further columns; of a long format one row for each object: its id."""
    if objects.reading.id is None:
        cells = table.cells
    else:
        ids = table.column(objects.reading.id)
        cells = {objects.reading.id: [ids[group[0]] for group in objects.groups]}
    twice = next((new for new in added if new in cells), None)
    if twice is not None:
        raise DataError(f"{table.source} has a column {twice!r} already; choose another --name.")
    columns = [*cells.values(), *added.values()]
    return [*cells, *added], list(map(list, zip(*columns, strict=True)))


# Intervals and sets of classes, and how often they hold the true value.


def task_of(options: argparse.Namespace, model: Any) -> str:
    """Return the task of a saved model, by which its targets are read."""
    task = str(contents(options.model).about.get("task", "auto"))
    classes = getattr(model, "classes_", None)
    of_text = classes is not None and classes.dtype.kind in "UO"
    return "classify" if task == "ordinal" and of_text else "auto" if task == "labels" else task


def cells_of_objects(table: Table, objects: Objects, name: str) -> list[str]:
    """Return the text of a column for each object: of a long format, in its first row."""
    cells = table.column(name)
    return [str(cells[rows[0]]) for rows in objects.groups]


@dataclass(frozen=True)
class Coverage:
    """The share of true values that intervals or sets are to hold, and in which groups.

    Attributes
    ----------
    model : fitted model
    share : float
    groups : str or None
        The column of groups, in each of which the coverage holds.
    more : dict
        `by_class` and `calibration`, as the model takes them.
    """

    model: Any
    share: float
    groups: str | None
    more: dict[str, Any]

    @classmethod
    def of(cls, options: argparse.Namespace, model: Any, reading: Reading) -> Coverage:
        """Read the options, and the file of --calibration."""
        more: dict[str, Any] = {}
        if options.by_class:
            if not hasattr(model, "predict_set"):
                raise DataError(f"--by-class is for classes; this is a {type(model).__name__}.")
            more["by_class"] = True
        if options.calibration is not None:
            if reading.target is None:
                raise DataError("say which column has the true values, with --target.")
            table = read_data(argparse.Namespace(**{**vars(options), "data": options.calibration}))
            objects = objects_in(table, reading, model)
            target = read_target(table, objects, task_of(options, model), whole=False)
            more["calibration"] = [objects.data, target.y]
            if options.groups is not None:
                more["calibration"].append(cells_of_objects(table, objects, options.groups))
        return cls(model, options.coverage, options.groups, more)

    def predict(self, table: Table, objects: Objects) -> NDArray[Any]:
        """Return the ends of intervals, or which classes are in each set."""
        numbers = hasattr(self.model, "predict_interval")
        if not numbers and not hasattr(self.model, "predict_set"):
            kind = type(self.model).__name__
            raise DataError(f"a {kind} gives no intervals; leave --coverage out.")
        if self.groups is not None and "calibration" not in self.more:
            raise DataError(
                "--groups needs --calibration: a file with the targets and groups of rows that "
                "fit has not seen."
            )
        more = dict(self.more)
        if self.groups is not None:
            more["groups"] = cells_of_objects(table, objects, self.groups)
        find = self.model.predict_interval if numbers else self.model.predict_set
        return np.asarray(find(objects.data, self.share, **more))


def _covered(model: Any, found: NDArray[Any], name: str, reading: Reading) -> dict[str, list[Any]]:
    """Return columns: the ends of intervals, or the classes of sets, a bar between them."""
    if hasattr(model, "predict_interval"):
        titles = [f"_{title}" for title in titles_of(model, found.shape[1], reading)]
        titles, ends = (titles, found) if found.ndim == 3 else ([""], found[:, None])
        return {
            f"{name}{title}_{side}": ends[:, k, end].tolist()
            for k, title in enumerate(titles)
            for end, side in enumerate(("low", "high"))
        }
    names = list(map(str, model.classes_.tolist()))
    return {f"{name}_set": ["|".join(compress(names, one)) for one in found.tolist()]}
