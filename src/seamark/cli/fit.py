"""Fit a model to a table, and save it: `seamark fit`."""

from __future__ import annotations

import argparse
import re
import time
from typing import Any

import numpy as np

from ..linear_model import core_of
from ..linear_model.intervals import accuracy_interval
from ..models.auto import fewer_for_many
from ..plotting.text import brief
from ..saving import save
from .columns import described_map, left_out
from .messages import listed, one_line, progress_wanted, say, show_json, show_table, shown
from .output import require_output
from .tables import DataError
from .training import Lesson, TargetColumn, read_lesson

MOST_CLASSES_SHOWN = 30
RECALL = "out_of_fold_recall"
INTERVAL = "out_of_fold_accuracy_interval"
R2_INTERVAL = "out_of_fold_r2_interval"
SELDOM = 0.2  # of a class's objects, of which a person should hear
UNEVEN = 1.5  # times as many rows in the commonest class as in the rarest


def unseen(model: Any, target: TargetColumn) -> dict[str, Any]:
    """Return the scores on held-out objects while the penalty was chosen, if the head has them.

    Accuracy never stands alone: of 23 rare objects among 1500 a constant misses all, and is right
    98 times of 100.
    """
    head = core_of(model.head_)
    if hasattr(model, "n_rows_"):  # the targets here are those of the first rows
        return _of_many(model, target.task)
    if target.task in ("classify", "ordinal") and hasattr(head, "oof_recall_"):
        independent = getattr(head, "oof_independent_", np.inf)
        return _of_classes(model.classes_, head.oof_recall_, target.y, independent)
    if target.task == "labels":
        return _of_labels(model.classes_, head, target.y)
    known = target.task == "regress" and target.y.ndim == 1 and hasattr(head, "oof_r2_")
    return _of_numbers(head) if known else {}


def _of_many(model: Any, task: str) -> dict[str, Any]:
    """Score a model of many rows by the sample that it was calibrated on."""
    if task != "classify":
        return {}
    recall = zip(model.classes_, model.head_.oof_recall_, strict=True)
    return {
        "out_of_fold_accuracy": round(model.head_.oof_score_, 4),
        "out_of_fold_balanced_accuracy": round(float(model.head_.oof_recall_.mean()), 4),
        RECALL: {str(one): round(float(value), 4) for one, value in recall},
    }


def _of_numbers(head: Any) -> dict[str, Any]:
    """Score numbers: R², and how far off the model is, beside the best constant."""
    error, constant = (float(f"{one[0]:.4g}") for one in (head.oof_error_, head.oof_constant_))
    return {
        "out_of_fold_r2": round(float(head.oof_r2_[0]), 4),
        R2_INTERVAL: [round(end, 4) for end in head.oof_interval_[0].tolist()],
        "out_of_fold_error": error,
        "error_of_a_constant": constant,
    }


def _of_labels(labels: Any, head: Any, y: Any) -> dict[str, Any]:
    """Score labels: how often all of an object are right, and F1 over all labels."""
    counts = {str(one): sum(str(one) in some for some in y) for one in labels}
    if not hasattr(head, "oof_confusion_"):
        return {"labels": counts}
    missed_, found = head.oof_confusion_[:, 1].sum(axis=0)
    false = head.oof_confusion_[:, 0, 1].sum()
    return {
        "labels": counts,
        "out_of_fold_all_right": round(head.oof_score_, 4),
        "all_right_of_a_constant": round(head.commonest_, 4),
        "out_of_fold_f1": round(float(2 * found / max(1, 2 * found + missed_ + false)), 4),
    }


def _of_classes(classes: Any, recall: Any, y: Any, independent: float) -> dict[str, Any]:
    """Score classes; every object counts once, whatever the class weights of the fit.

    The interval is that of so many `independent` rows, if copies make them fewer.
    """
    counts = np.array([np.sum(y == one) for one in classes])
    shares = counts / counts.sum()
    accuracy = float(recall @ shares)
    n = min(independent, float(len(y)))
    interval = accuracy_interval(accuracy, n, float(shares.max()))
    return {
        "classes": {str(one): int(n) for one, n in zip(classes, counts, strict=True)},
        "out_of_fold_accuracy": round(accuracy, 4),
        INTERVAL: [round(end, 4) for end in interval],
        "accuracy_of_a_constant": round(float(shares.max()), 4),
        "out_of_fold_balanced_accuracy": round(float(recall.mean()), 4),
        RECALL: {
            str(one): round(float(value), 4) for one, value in zip(classes, recall, strict=True)
        },
    }


def table_of(summary: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the rows of a summary for people: few digits, classes only where they are uneven."""
    worded = {
        "objects": _objects(summary),
        "out_of_fold_accuracy": _accuracy(summary),
        "out_of_fold_all_right": _all_right(summary),
        "out_of_fold_r2": _r2(summary),
        "out_of_fold_error": _error(summary),
    }
    hidden = {RECALL, INTERVAL, "classes", "accuracy_of_a_constant"}
    hidden |= {R2_INTERVAL, "error_of_a_constant"}
    hidden |= {"labels", "all_right_of_a_constant"}
    uneven = _are_uneven(summary)
    if not uneven:
        hidden.add("out_of_fold_balanced_accuracy")
    rows = [
        (NAMES.get(key, key), worded.get(key) or value)
        for key, value in summary.items()
        if key not in hidden
    ]
    if uneven:
        rows += _recalls(summary.get(RECALL, {}))
    return [(key, _brief(value)) for key, value in rows]


NAMES = {
    "objects": "rows",
    "of_no_use": "of no use",
    "out_of_fold_accuracy": "accuracy",
    "out_of_fold_balanced_accuracy": "balanced",
    "out_of_fold_r2": "R²",
    "out_of_fold_error": "mean error",
    "out_of_fold_all_right": "all labels right",
    "out_of_fold_f1": "F1 over all labels",
}


def _are_uneven(summary: dict[str, Any]) -> bool:
    """Whether accuracy hides what happens to some class."""
    counts = list(summary.get("classes", {}).values())
    recall = list(summary.get(RECALL, {}).values())
    if not counts or not recall:
        return True
    return bool(max(counts) > UNEVEN * min(counts) or min(recall) < 0.5 * max(recall))


def _objects(summary: dict[str, Any]) -> str | None:
    """Return how many rows there are, and how many of each class."""
    kind = "labels" if "labels" in summary else "classes"
    counts = summary.get(kind)
    if not counts:
        return None
    most = list(counts.items())[:6]
    said = ", ".join(f"{shown(label)} {n}" for label, n in most)
    rest = f", {len(counts) - len(most)} more" if len(counts) > len(most) else ""
    of = "with" if kind == "labels" else "of"
    return f"{summary['objects']}, {of} {len(counts)} {kind}: {said}{rest}"


def _all_right(summary: dict[str, Any]) -> str | None:
    """Return the share of rows with all labels right, beside that of a constant."""
    if "out_of_fold_all_right" not in summary:
        return None
    share, constant = summary["out_of_fold_all_right"], summary["all_right_of_a_constant"]
    return f"{share:.3f} out of fold; a constant {constant:.3f}"


def _accuracy(summary: dict[str, Any]) -> str | None:
    """Return accuracy with its interval, beside that of a constant."""
    if INTERVAL not in summary:
        return None
    low, high = summary[INTERVAL]
    accuracy, constant = summary["out_of_fold_accuracy"], summary["accuracy_of_a_constant"]
    return f"{accuracy:.3f} ({low:.3f} … {high:.3f}) out of fold; a constant {constant:.3f}"


def _r2(summary: dict[str, Any]) -> str | None:
    """Return R² with its interval; that of a constant is 0."""
    if R2_INTERVAL not in summary:
        return None
    low, high = summary[R2_INTERVAL]
    return f"{summary['out_of_fold_r2']:.3f} ({low:.3f} … {high:.3f}) out of fold; a constant 0"


def _error(summary: dict[str, Any]) -> str | None:
    """Return the mean absolute error, beside that of the median."""
    if "out_of_fold_error" not in summary:
        return None
    error, constant = summary["out_of_fold_error"], summary["error_of_a_constant"]
    return f"{brief(error)} out of fold; a constant {brief(constant)}"


def _recalls(recall: dict[str, float]) -> list[tuple[str, Any]]:
    """Return a row for each class: in their order, or if they are many the least recognised."""
    few = list(recall.items())
    if len(few) > MOST_CLASSES_SHOWN:
        few = sorted(few, key=lambda one: one[1])[:MOST_CLASSES_SHOWN]
    rows: list[tuple[str, Any]] = [(f"  recall of {shown(label)}", value) for label, value in few]
    rest = len(recall) - len(few)
    return [*rows, (f"  and {rest} more classes", "see --json")] if rest else rows


def _brief(value: Any) -> Any:
    """Shorten long numbers inside text, such as those of a measure's parameters."""
    if not isinstance(value, str):
        return value
    return re.sub(r"[0-9]+\.[0-9]{5,}(e[+-]?[0-9]+)?", lambda n: f"{float(n[0]):.4g}", value)


def missed(summary: dict[str, Any]) -> list[str]:
    """Return remarks on classes that are never recognised, or hardly ever."""
    recall = summary.get(RECALL, {})
    remedy = "if these classes matter, try --class-weight balanced, or more objects of them."
    never = [shown(label) for label, value in recall.items() if value == 0]
    seldom = [shown(label) for label, value in recall.items() if 0 < value < SELDOM]
    found = [f"no unseen object of {listed(never)} was recognised; {remedy}"] if never else []
    if seldom:
        found.append(f"few unseen objects of {listed(seldom)} were recognised; {remedy}")
    return found


# `seamark fit`.


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
