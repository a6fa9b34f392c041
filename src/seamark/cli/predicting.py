"""`seamark predict`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..displays.text import visible
from ..estimating import as_measures
from ..saving import atomic_file, contents, load
from .columns import Objects, read_objects
from .learning import read_data
from .mixed import READERS, as_frame
from .options import reading_of
from .outputs import require_other_stream, require_output
from .reading import Reading
from .showing import show_json
from .tables import STANDARD, DataError, Table, format_of
from .writing import written

KINDS = {"columns": list, "value": list, "table": dict}


def run(options: argparse.Namespace) -> None:
    """Predict for the rows of a table, and write them with the predictions."""
    to_file = options.output != STANDARD
    if to_file:
        require_output(options.output, options.model, options.data, overwrite=options.force)
    else:
        require_other_stream(options.model, options.data)
    model = load(options.model)
    if not hasattr(model, "measure") or not hasattr(model, "predict"):
        raise DataError(f"{options.model} holds a {type(model).__name__}, which predicts nothing.")
    table = read_data(options)
    reading = reading_of(options).filled(kept_reading(options.model))
    if reading.table is not None:
        objects = Objects(
            as_frame(table, reading.table), [[i] for i in range(len(table.rows))], reading
        )
    else:
        objects = read_objects(table, reading, as_measures(model.measure)[0].domain)
    names, rows = predictions(model, table, objects, options.name, options.proba)
    lines = written(_output_format(options), names, rows, raw=options.raw)
    if not to_file and sys.stdout.isatty() and not options.raw:
        lines = map(_seen, lines)
    _write(options.output, lines, overwrite=options.force)
    if to_file and options.json:
        show_json({"output": options.output, "rows": len(objects), "columns": names})


def kept_reading(path: str) -> Reading:
    """Return the columns that a model was fitted to, as far as its file says."""
    kept = contents(path).about.get("reading", {})
    known = Reading.__dataclass_fields__
    sound = isinstance(kept, dict) and all(
        name in known and (value is None or isinstance(value, KINDS.get(name, str)))
        for name, value in kept.items()
    )
    held = kept.get("table") if sound else None
    if not sound or any(kind not in READERS for kind in (held or {}).values()):
        raise DataError(f"{path} does not say in a known way which columns it was fitted to.")
    return Reading(**kept)


def predictions(
    model: Any, table: Table, objects: Objects, name: str, proba: bool
) -> tuple[list[str], list[list[Any]]]:
    """Return names and rows of the output: the input's, and predictions.

    With the long format there is one row for each series or set: its id and its prediction.
    """
    found = _plain(model.predict(objects.data))
    added: dict[str, list[Any]] = {name: found}
    if proba:
        added |= _probabilities(model, objects.data, name)
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


def _probabilities(model: Any, X: Any, name: str) -> dict[str, list[Any]]:
    if not hasattr(model, "predict_proba"):
        raise DataError(f"a {type(model).__name__} gives no probabilities; leave --proba out.")
    chances: NDArray[np.float64] = model.predict_proba(X)
    labels = [f"{name}_{label}" for label in model.classes_]
    return {label: _plain(chances[:, i]) for i, label in enumerate(labels)}


def _plain(values: NDArray[Any]) -> list[Any]:
    return list(np.asarray(values).tolist())


def _output_format(options: argparse.Namespace) -> str:
    if options.output != STANDARD:
        return format_of(options.output)
    if options.json:
        return "jsonl"
    given = str(options.format or format_of(options.data))
    return "csv" if given == "parquet" else given


def _seen(line: str) -> str:
    """Return a line with terminal control codes made visible."""
    return "\t".join(map(visible, line.removesuffix("\n").split("\t"))) + "\n"


def _write(path: str, lines: Iterable[str], *, overwrite: bool) -> None:
    if path == STANDARD:
        sys.stdout.flush()
        for line in lines:  # UTF-8 whatever the terminal's habits
            sys.stdout.buffer.write(line.encode("utf-8", "surrogatepass"))
        return
    with atomic_file(path, overwrite=overwrite) as file:
        for line in lines:
            file.write(line.encode("utf-8", "surrogatepass"))
