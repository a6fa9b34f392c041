"""`seamark fit`."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from ..atomic import require_place
from ..saving import save
from .learning import read_lesson
from .showing import one_line, progress_wanted, show_json, show_table
from .tables import DataError
from .targets import Target


def run(options: argparse.Namespace) -> None:
    """Fit a model to a table, and save it."""
    require_place(Path(options.output), overwrite=options.force)
    lesson = read_lesson(options)
    if len(lesson.measures) > 1:
        raise DataError("fit takes one --measure; compare several with `seamark assess`.")
    model = lesson.target.model(
        lesson.measures[0],
        n_landmarks=options.landmarks,
        progress=progress_wanted(options.quiet),
        random_state=options.seed,
        n_jobs=options.jobs,
    )
    start = time.perf_counter()
    lesson.target.fitted(model, lesson.objects.data)
    seconds = time.perf_counter() - start
    # How many processes, and whether someone looks, is a matter of each run.
    model.set_params(progress=False, n_jobs=None)
    about = {"reading": vars(lesson.objects.reading), "task": lesson.target.task}
    save(model, options.output, overwrite=options.force, about=about)
    summary = _summary(model, options.output, lesson.target, seconds)
    if options.json:
        show_json(summary)
    else:
        show_table(("", ""), list(summary.items()))


def _summary(model: Any, path: str, target: Target, seconds: float) -> dict[str, Any]:
    return {
        "model": path,
        "task": target.task,
        "objects": len(target.y),
        "measure": one_line(model.map_.measures_[0]),
        "landmarks": model.map_.n_landmarks_,
        "transfer": one_line(model.map_.transfers_[0]),
        "evaluations": model.n_evaluations_,
        "seconds": round(seconds, 2),
        **_unseen(model.head_, target),
    }


def _unseen(head: Any, target: Target) -> dict[str, float]:
    """Return how well unseen objects did while the penalty was chosen, where the head knows."""
    if target.task == "classify" and hasattr(head, "oof_score_"):
        return {"out_of_fold_accuracy": round(head.oof_score_, 4)}
    found = getattr(head, "cv_results_", {}) if target.task == "regress" else {}
    if "mean_error" not in found:
        return {}
    error = float(found["mean_error"][found["penalty"] == head.penalty_].min())
    return {"out_of_fold_r2": round(1 - error / float(np.var(target.y)), 4)}
