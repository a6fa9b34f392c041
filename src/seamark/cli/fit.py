"""`seamark fit`: fit a model to a table, and save it."""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path
from typing import Any

from ..models import document_of, fewer_for_many
from ..plotting import page
from ..saving import save
from .evaluate import lines_of, rows_of, scores_out_of_fold, unrecognised
from .messages import listed, one_line, progress_wanted, say, show_json, show_table
from .predict import left_out
from .tables import DataError, require_output
from .training_data import TrainingData, read_training_data

COUNTS = "classes", "labels"
"""What `scores_out_of_fold` has besides scores."""


def run(options: argparse.Namespace) -> None:
    """Fit a model to a table, and save it."""
    require_output(options.output, options.data, overwrite=options.force)
    if options.html is not None:
        require_output(options.html, options.data, options.output, overwrite=options.force)
    data = read_training_data(options)
    if isinstance(data.measure, list):
        raise DataError("fit takes one --measure; compare several with `seamark assess`.")
    weight = {}
    if options.class_weight != "none":
        if data.target.task != "classify":
            raise DataError(
                f"--class-weight goes with --task classify, not with {data.target.task}."
            )
        weight = {"class_weight": options.class_weight}
    model = data.target.model(
        data.measure,
        effort=options.effort,
        n_landmarks=options.landmarks,
        progress=progress_wanted(options.quiet),
        random_state=options.seed,
        n_jobs=options.jobs,
        **weight,
    )
    if data.source is not None and isinstance(data.measure, dict):
        few = fewer_for_many(data.measure, model, data.source.expected_rows)
        model.set_params(measure=few)
    start = time.perf_counter()
    if data.source is not None:
        kept = {} if options.checkpoint is None else {"checkpoint": options.checkpoint}
        model.fit(data.source, **kept)
    elif options.checkpoint is not None:
        raise DataError(
            "--checkpoint is for CSV and Parquet files of more rows than are read at once."
        )
    else:
        query = {} if data.target.query is None else {"qid": data.target.query}
        model.fit(data.objects.data, data.target.y, **query)
    seconds = time.perf_counter() - start
    # How many processes, and whether someone looks, is a matter of each run.
    model.set_params(progress=False, n_jobs=None)
    about = {"reading": vars(data.objects.reading), "task": data.target.task}
    save(model, options.output, overwrite=options.force, about=about)
    important = {}
    if options.html is not None:
        known = data.source is None  # of many rows, these are the first
        X, y = (data.objects.data, data.target.y) if known else (None, None)
        name = f"{listed(options.targets)} of {Path(options.data).name}"
        lines = [f"line {line}" for line in data.lines] if known else None
        document = document_of(model, X, y, name, lines)
        page.write(document, options.html, overwrite=options.force)
        important = {name: value for name, value in document["summary"] if "falls most" in name}
    _show(model, data, seconds, options, important)


def _show(
    model: Any,
    data: TrainingData,
    seconds: float,
    options: argparse.Namespace,
    important: dict[str, str],
) -> None:
    """Print what was fitted, and its scores on rows that it had not seen."""
    scores = scores_out_of_fold(model, data.target.task)
    n = getattr(model, "n_rows_", len(data.target.y))
    head = {"model": options.output, "task": data.target.task}
    about = {
        **({"rows_without_target": data.n_dropped} if data.n_dropped else {}),
        **_compared(model, data.objects.reading.table),
        **{name.replace(" ", "_"): value for name, value in important.items()},
        "evaluations": model.n_evaluations_,
        "seconds": round(seconds, 2),
    }
    if options.json:
        named = {
            key if key in COUNTS or key.endswith("_of_a_constant") else f"out_of_fold_{key}": value
            for key, value in scores.items()
        }
        show_json({**head, "objects": n, **about, **named})
    else:
        rows = [*head.items(), ("rows", rows_of(scores, n)), *about.items()]
        lines = [*rows, *lines_of(scores, "out of fold")]
        show_table(("", ""), [(key.replace("_", " "), _few_digits(value)) for key, value in lines])
    if not options.quiet:
        for remark in unrecognised(scores):
            say(f"note: {remark}")


def _few_digits(value: Any) -> Any:
    """Shorten long numbers inside text, such as those of a measure's parameters."""
    if not isinstance(value, str):
        return value
    return re.sub(r"[0-9]+\.[0-9]{5,}(e[+-]?[0-9]+)?", lambda n: f"{float(n[0]):.4g}", value)


def _compared(model: Any, kinds: dict[str, str] | None) -> dict[str, Any]:
    """Return what compares objects with how many landmarks; by column, if there are several."""
    whole = model.map_
    if not whole.is_union:
        return {
            "measure": one_line(whole.measures_[0]),
            "landmarks": whole.n_landmarks_,
            "transfer": one_line(whole.transfers_[0]),
        }
    useless = left_out(model, kinds)
    return {
        "using": model.describe(n_prototypes=0).using,
        **({"of_no_use": listed(useless)} if useless else {}),
        "features": whole.n_features_out_,
    }
