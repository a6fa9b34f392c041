"""`seamark predict`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from itertools import chain, compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Progress, progress_bar
from ..estimating import as_measures
from ..saving import contents, load
from .columns import CELL_READERS, Objects, as_frame, left_out, read_objects
from .messages import progress_wanted
from .options import reading_of
from .output import deliver, require_delivery
from .tables import DataError, Reading, Table
from .training import columns_said, large_file, read_data, titles_of

KINDS = {"columns": list, "value": list, "table": dict, "targets": list, "decimals": dict}


def run(options: argparse.Namespace) -> None:
    """Predict for the rows of a table, and write them with the predictions."""
    require_delivery(options, options.model, options.data)
    model, reading = model_and_reading(options)
    large = large_file(options, reading)
    pieces = iter([read_data(options)]) if large is None else large.pieces()

    def predicted(table: Table) -> tuple[list[str], list[list[Any]]]:
        if large is not None:
            table.marks.update(large.marks)
        objects = objects_in(table, reading, model)
        more = {"coverage": options.coverage, "novelty": options.novelty}
        return predictions(model, table, objects, options.name, options.proba, **more)

    with progress_bar(large is not None and progress_wanted(options.quiet)) as bar:
        bar.start(0 if large is None else large.n_rows, "rows")
        names, first = predicted(next(pieces))
        deliver(options, names, chain(_telling(bar, first), _rest(bar, pieces, predicted)))


def _rest(bar: Progress, pieces: Iterator[Table], predicted: Callable[..., Any]) -> Iterator[Any]:
    for one in pieces:
        yield from _telling(bar, predicted(one)[1])


def _telling(bar: Progress, rows: list[list[Any]]) -> Iterator[list[Any]]:
    """Yield rows, and say when they are written."""
    yield from rows
    bar.advance(len(rows))


def model_and_reading(options: argparse.Namespace) -> tuple[Any, Reading]:
    """Return a saved model, and the columns that it reads."""
    model = load(options.model)
    if not hasattr(model, "measure") or not hasattr(model, "predict"):
        raise DataError(f"{options.model} holds a {type(model).__name__}, which cannot predict.")
    return model, reading_of(options).filled(kept_reading(options.model))


def objects_in(table: Table, reading: Reading, model: Any) -> Objects:
    """Return the objects of a table, read as those of fit were."""
    table.decimals.update(reading.decimals or {})
    if reading.table is not None:
        each = [[i] for i in range(len(table.rows))]
        unused = [name for name in left_out(model, reading.table) if name not in table.names]
        kinds = {name: kind for name, kind in reading.table.items() if name not in unused}
        return Objects(as_frame(table, kinds), each, reading)
    fitted = getattr(model, "map_", None)  # which knows what "auto" meant
    about = as_measures(model.measure)[0] if fitted is None else fitted.blocks_[0]
    return read_objects(table, reading, about.domain)


def kept_reading(path: str) -> Reading:
    """Return the columns that a model was fitted to, as far as its file says."""
    kept = contents(path).about.get("reading", {})
    known = Reading.__dataclass_fields__
    sound = isinstance(kept, dict) and all(
        name in known and (value is None or isinstance(value, KINDS.get(name, str)))
        for name, value in kept.items()
    )
    held = kept.get("table") if sound else None
    marks = (kept.get("decimals") if sound else None) or {}
    odd = any(kind not in CELL_READERS for kind in (held or {}).values())
    if not sound or odd or not all(isinstance(mark, bool) for mark in marks.values()):
        raise DataError(f"{path} has a list of its columns that this version cannot read.")
    return Reading(**kept)


def predictions(
    model: Any,
    table: Table,
    objects: Objects,
    name: str,
    proba: bool,
    coverage: float | None = None,
    novelty: bool = False,
) -> tuple[list[str], list[list[Any]]]:
    """Return names and rows of the output: the input's, and predictions.

    With the long format there is one row for each series or set: its id and its prediction.
    """
    said, reading = np.asarray(model.predict(objects.data)), objects.reading
    added = columns_said(model, said, name, reading)
    if proba:
        # Labels whose columns have their names already say so.
        end = "_proba" if said.ndim == 2 and reading.separator is None else ""
        added |= _probabilities(model, objects.data, name, end)
    if coverage is not None:
        added |= _covered(model, objects.data, name, coverage, reading)
    if novelty:
        added[f"{name}_novelty"] = _plain(model.novelty(objects.data).round(4))
    return with_columns(table, objects, added)


def with_columns(
    table: Table, objects: Objects, added: dict[str, list[Any]]
) -> tuple[list[str], list[list[Any]]]:
    """Return a table with further columns; of a long format one row for each object: its id."""
    if objects.reading.id is None:
        names, rows = table.names, table.rows
    else:
        at = table.position(objects.reading.id)
        names, rows = [table.names[at]], [[table.rows[g[0]][at]] for g in objects.groups]
    twice = next((new for new in added if new in names), None)
    if twice is not None:
        raise DataError(f"{table.source} has a column {twice!r} already; choose another --name.")
    columns = zip(*added.values(), strict=True)
    return [*names, *added], [[*row, *new] for row, new in zip(rows, columns, strict=True)]


def _probabilities(model: Any, X: Any, name: str, end: str) -> dict[str, list[Any]]:
    if not hasattr(model, "predict_proba"):
        raise DataError(f"a {type(model).__name__} gives no probabilities; leave --proba out.")
    chances: NDArray[np.float64] = model.predict_proba(X)
    labels = [f"{name}_{label}{end}" for label in model.classes_]
    return {label: _plain(chances[:, i]) for i, label in enumerate(labels)}


def _covered(
    model: Any, X: Any, name: str, coverage: float, reading: Reading
) -> dict[str, list[Any]]:
    """Return the ends of intervals, or the classes of sets, a bar between them."""
    if hasattr(model, "predict_interval"):
        ends = model.predict_interval(X, coverage)
        if ends.ndim == 2:
            return {f"{name}_low": _plain(ends[:, 0]), f"{name}_high": _plain(ends[:, 1])}
        titles = titles_of(model, ends.shape[1], reading)
        sides = [(title, k, side) for k, title in enumerate(titles) for side in (0, 1)]
        return {
            f"{name}_{title}_{('low', 'high')[side]}": _plain(ends[:, k, side])
            for title, k, side in sides
        }
    if not hasattr(model, "predict_set"):
        raise DataError(f"a {type(model).__name__} gives no intervals; leave --coverage out.")
    names = list(map(str, _plain(model.classes_)))
    sets = model.predict_set(X, coverage)
    return {f"{name}_set": ["|".join(compress(names, one)) for one in sets.tolist()]}


def _plain(values: NDArray[Any]) -> list[Any]:
    return list(np.asarray(values).tolist())
