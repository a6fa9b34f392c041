"""`seamark fit`."""

from __future__ import annotations

import argparse
import time
from typing import Any

from ..models.auto import fewer_for_many
from ..saving import save
from .learning import Lesson, read_lesson
from .mixed import described_map, left_out
from .outputs import require_output
from .scoring import missed, table_of, unseen
from .showing import listed, one_line, progress_wanted, say, show_json, show_table
from .tables import DataError


def run(options: argparse.Namespace) -> None:
    """Fit a model to a table, and save it."""
    require_output(options.output, options.data, overwrite=options.force)
    if options.html is not None:
        require_output(options.html, options.data, options.output, overwrite=options.force)
    lesson = read_lesson(options)
    if len(lesson.measures) > 1:
        raise DataError("fit takes one --measure; compare several with `seamark assess`.")
    model = lesson.target.model(
        _measure(options, lesson),
        effort=options.effort,
        **_class_weight(options.class_weight, lesson.target.task),
        n_landmarks=options.landmarks,
        progress=progress_wanted(options.quiet),
        random_state=options.seed,
        n_jobs=options.jobs,
    )
    if lesson.source is not None and isinstance(model.measure, dict):
        n_rows = lesson.source.expected_rows
        model.set_params(measure=fewer_for_many(model.measure, model, n_rows))
    start = time.perf_counter()
    kept = {} if options.checkpoint is None else {"checkpoint": options.checkpoint}
    if lesson.source is not None:
        model.fit(lesson.source, **kept)
    elif kept:
        raise DataError(
            "--checkpoint is for CSV and Parquet files of more rows than are read at once."
        )
    else:
        lesson.target.fitted(model, lesson.objects.data)
    seconds = time.perf_counter() - start
    # How many processes, and whether someone looks, is a matter of each run.
    model.set_params(progress=False, n_jobs=None)
    about = {"reading": vars(lesson.objects.reading), "task": lesson.target.task}
    save(model, options.output, overwrite=options.force, about=about)
    if options.html is not None:
        X = lesson.objects.data if lesson.source is None else None  # of many rows, the first
        model.report(options.html, X, overwrite=options.force)
    summary = _summary(model, options.output, lesson, seconds)
    if options.json:
        show_json(summary)
    else:
        show_table(("", ""), table_of(summary))
    if not options.quiet:
        for note in missed(summary):
            say(f"note: {note}")


def _measure(options: argparse.Namespace, lesson: Lesson) -> Any:
    """Return the measure that was asked for, or "auto" where none was."""
    named = options.measure or options.measure_arg or isinstance(lesson.measures[0], dict)
    return lesson.measures[0] if named else "auto"


def _class_weight(given: str, task: str) -> dict[str, Any]:
    """Return the model's parameter, where the option asks for more than its default."""
    if given == "none":
        return {}
    if task != "classify":
        raise DataError(f"--class-weight goes with --task classify, not with {task}.")
    return {"class_weight": given}


def _map_of(model: Any, kinds: dict[str, str] | None) -> dict[str, Any]:
    """Return what compares objects with how many landmarks; columns, if there are several."""
    if model.map_.is_union:
        title = "blocks" if all(one is None for one in model.map_.columns_) else "columns"
        useless = left_out(model, kinds)
        return {
            title: described_map(model),
            **({"of_no_use": listed(useless)} if useless else {}),
            "features": model.map_.n_features_out_,
        }
    return {
        "measure": one_line(model.map_.measures_[0]),
        "landmarks": model.map_.n_landmarks_,
        "transfer": one_line(model.map_.transfers_[0]),
    }


def _summary(model: Any, path: str, lesson: Lesson, seconds: float) -> dict[str, Any]:
    target = lesson.target
    return {
        "model": path,
        "task": target.task,
        "objects": getattr(model, "n_rows_", len(target.y)),
        **_map_of(model, lesson.objects.reading.table),
        "evaluations": model.n_evaluations_,
        "seconds": round(seconds, 2),
        **unseen(model, target),
    }
