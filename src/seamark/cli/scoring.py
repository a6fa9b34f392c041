"""How well a model did on objects it had not seen, and how well a constant would have done."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from .showing import listed, shown
from .targets import TargetColumn

MOST_CLASSES_SHOWN = 30
RECALL = "out_of_fold_recall"


def unseen(model: Any, target: TargetColumn) -> dict[str, Any]:
    """Return the scores on held-out objects while the penalty was chosen, if the head has them.

    Accuracy never stands alone: of 23 rare objects among 1500 a constant misses all, and is right
    98 times of 100.
    """
    head = model.head_
    if hasattr(model, "n_rows_"):  # the targets here are those of the first rows
        return _of_many(model, target.task)
    if target.task == "classify" and hasattr(head, "oof_recall_"):
        return _of_classes(model.classes_, head.oof_recall_, target.y)
    found = getattr(head, "cv_results_", {}) if target.task == "regress" else {}
    if "mean_error" not in found:
        return {}
    error = float(found["mean_error"][found["penalty"] == head.penalty_].min())
    return {"out_of_fold_r2": round(1 - error / float(np.var(target.y)), 4)}


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


def _of_classes(classes: Any, recall: Any, y: Any) -> dict[str, Any]:
    """Score classes; every object counts once, whatever the class weights of the fit."""
    shares = np.array([np.mean(y == one) for one in classes])
    return {
        "out_of_fold_accuracy": round(float(recall @ shares), 4),
        "accuracy_of_a_constant": round(float(shares.max()), 4),
        "out_of_fold_balanced_accuracy": round(float(recall.mean()), 4),
        RECALL: {
            str(one): round(float(value), 4) for one, value in zip(classes, recall, strict=True)
        },
    }


def table_of(summary: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the rows of a summary for people: one for each class, and few digits."""
    rows = [(key, value) for key, value in summary.items() if key != RECALL]
    recall = sorted(summary.get(RECALL, {}).items(), key=lambda one: one[1])
    for_classes = recall[:MOST_CLASSES_SHOWN]
    if len(recall) <= MOST_CLASSES_SHOWN:  # in the order of the classes, unless only some are shown
        for_classes = list(summary.get(RECALL, {}).items())
    rows += [(f"  recall of {shown(label)}", value) for label, value in for_classes]
    if len(recall) > MOST_CLASSES_SHOWN:
        rows.append((f"  and {len(recall) - MOST_CLASSES_SHOWN} more classes", "see --json"))
    return [(key, _brief(value)) for key, value in rows]


def _brief(value: Any) -> Any:
    """Shorten long numbers inside text, such as those of a measure's parameters."""
    if not isinstance(value, str):
        return value
    return re.sub(r"[0-9]+\.[0-9]{5,}(e[+-]?[0-9]+)?", lambda n: f"{float(n[0]):.4g}", value)


def missed(summary: dict[str, Any]) -> list[str]:
    """Return remarks on classes that are never recognised, and on a useless model."""
    never = [shown(label) for label, value in summary.get(RECALL, {}).items() if value == 0]
    if not never:
        return []
    return [
        f"no unseen object of {listed(never)} was recognised; if these classes matter, try "
        "--class-weight balanced, or more objects of them."
    ]
