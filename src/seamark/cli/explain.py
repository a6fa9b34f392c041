"""`seamark explain` and `seamark describe`: what a saved model says of rows, and of itself."""

from __future__ import annotations

import argparse
from typing import Any

from ..plotting import visible
from ..saving import load
from .messages import say, show_json, show_text
from .predict import model_and_reading, objects_in
from .tables import DataError
from .training_data import read_data

LONGEST = 200  # characters of an object


def run(options: argparse.Namespace) -> None:
    """Explain the predictions of rows, or describe the model."""
    if options.command == "describe":
        model = load(options.model)
        if not hasattr(model, "describe"):
            raise DataError(
                f"{options.model} holds a {type(model).__name__}, which has no landmarks."
            )
        description = model.describe(n_prototypes=options.prototypes)
        show_json(description.to_dict()) if options.json else show_text(description)
        return
    model, reading = model_and_reading(options)
    table = read_data(options)
    objects = objects_in(table, reading, model)
    if not hasattr(model, "explain"):
        raise DataError(
            f"{options.model} holds a {type(model).__name__}, which cannot explain its predictions."
        )
    # Labels of numbers are numbers.
    classes = {str(one): one for one in getattr(model, "classes_", ())}
    few, target = objects.data[: options.rows], classes.get(options.target, options.target)
    said = model.explain(few, options.landmarks, target=target)
    lines = [table.lines[group[0]] for group in objects.groups]
    if options.json:
        show_json([_plain(one, line) for line, one in zip(lines, said, strict=False)])
        return
    for line, one in zip(lines, said, strict=False):
        show_text(f"line {line}: {visible(one.object, LONGEST)}")
        show_text(one)
    rest = len(objects) - len(said)
    if rest > 0 and not options.quiet:
        say(f"note: {rest} more rows; --rows says how many to explain.")


def _plain(one: Any, line: int) -> dict[str, Any]:
    """Return an explanation as plain data; its lines sum to the score."""
    said = {name: getattr(one, name) for name in ("prediction", "target", "rival", "score")}
    return {
        "line": line,
        "object": visible(one.object, LONGEST),
        **said,
        "lines": [{"name": name, "contribution": added} for name, added in one.lines()],
        "reasons": [
            {**vars(reason), "landmark": visible(reason.landmark)} for reason in one.reasons
        ],
        "remarks": one.remarks(),
        "where": one.saliency,
    }
