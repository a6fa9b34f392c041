"""Scores of a model on rows that it has not seen: as plain data, and as lines of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..linear_model import accuracy_interval, core_of, share_interval
from ..plotting import brief
from .messages import listed, shown

MOST_CLASSES_SHOWN = 30
SELDOM = 0.2  # of a class's rows, of which a person should hear
UNEVEN = 1.5  # times as many rows in the commonest class as in the rarest


def class_scores(
    counts: NDArray[Any], classes: Sequence[Any], independent: float | None = None
) -> dict[str, Any]:
    """Return the scores of classes; accuracy never stands alone.

    Of 23 rare rows among 1500 a constant misses all, and is right 98 times of 100.

    Parameters
    ----------
    counts : ndarray of shape (K, K)
        How many rows of each class were predicted as each.
    classes : sequence
    independent : float, optional
        Of predictions out of fold: how many rows count, where copies make them fewer.
    """
    n = counts.sum(axis=1)
    total = int(n.sum())
    accuracy, constant = float(np.trace(counts) / total), float(n.max() / total)
    interval = (
        share_interval(accuracy * total, total)
        if independent is None
        else accuracy_interval(accuracy, min(independent, total), constant)
    )
    recall = np.diag(counts) / np.maximum(n, 1)
    names = [str(label) for label in classes]
    return {
        "classes": dict(zip(names, map(int, n), strict=True)),
        "accuracy": round(accuracy, 4),
        "accuracy_interval": [round(end, 4) for end in interval],
        "accuracy_of_a_constant": round(constant, 4),
        "balanced_accuracy": round(float(recall[n > 0].mean()), 4),
        "recall": {name: round(float(value), 4) for name, value in zip(names, recall, strict=True)},
    }


def label_scores(
    counts: NDArray[Any], labels: Sequence[Any], right: float, constant: float
) -> dict[str, Any]:
    """Return the scores of sets of labels: how often all of a row are right, and F1 over all.

    `counts` has a table of shape (2, 2) for each label: whether a row has it, and whether it was
    predicted.
    """
    missed, found = counts[:, 1].sum(axis=0)
    false = counts[:, 0, 1].sum()
    names = [str(label) for label in labels]
    return {
        "labels": dict(zip(names, counts[:, 1].sum(axis=1).astype(int).tolist(), strict=True)),
        "all_right": round(right, 4),
        "all_right_of_a_constant": round(constant, 4),
        "f1": round(float(2 * found / max(1, 2 * found + missed + false)), 4),
    }


def number_scores(r2: float, interval: Any, error: float, constant: float) -> dict[str, Any]:
    """Return the scores of numbers: R², and how far off the model is, beside the median."""
    return {
        "r2": round(r2, 4),
        "r2_interval": [round(float(end), 4) for end in interval],
        "error": float(f"{error:.4g}"),
        "error_of_a_constant": float(f"{constant:.4g}"),
    }


def scores_out_of_fold(model: Any, task: str) -> dict[str, Any]:
    """Return the scores on held-out rows while the penalty was chosen, if the head has them."""
    head = core_of(model.head_)
    counts = getattr(head, "oof_confusion_", None)
    if task == "labels" and counts is not None:
        constant = float(model.head_.commonest_)
        return label_scores(counts, model.classes_, float(model.head_.oof_score_), constant)
    if task in ("classify", "ordinal") and counts is not None:
        independent = getattr(head, "oof_independent_", np.inf)
        return class_scores(counts, model.classes_, np.inf if independent is None else independent)
    if task == "regress" and hasattr(head, "oof_r2_") and len(head.oof_r2_) == 1:
        error, constant = float(head.oof_error_[0]), float(head.oof_constant_[0])
        return number_scores(float(head.oof_r2_[0]), head.oof_interval_[0], error, constant)
    return {}


def lines_of(scores: dict[str, Any], on: str) -> list[tuple[str, Any]]:
    """Return scores for people: few digits, and classes only where they are uneven.

    Parameters
    ----------
    scores : dict
        What the functions above return.
    on : str
        Which rows they are of, such as "out of fold".
    """
    lines: list[tuple[str, Any]] = []
    for name, title, other in (
        ("accuracy", "accuracy", "always the commonest class"),
        ("r2", "R²", ""),
        ("error", "mean error", "always the median"),
        ("all_right", "all labels right", "always the commonest labels"),
        ("f1", "F1 over all labels", ""),
    ):
        if name not in scores:
            continue
        digits = brief if name == "error" else "{:.3f}".format
        text = digits(scores[name])
        if f"{name}_interval" in scores:
            low, high = scores[f"{name}_interval"]
            text += f" (95 % interval {low:.3f} to {high:.3f})"
        text += f" {on}"
        if other:
            text += f"; {other}: {digits(scores[f'{name}_of_a_constant'])}"
        lines.append((title, text))
    counts, recall = list(scores.get("classes", {}).values()), scores.get("recall", {})
    if not counts or (
        max(counts) <= UNEVEN * min(counts) and min(recall.values()) >= 0.5 * max(recall.values())
    ):
        return lines
    lines.append(("balanced accuracy", scores["balanced_accuracy"]))
    # In their order, or if they are many the least recognised.
    few = list(recall.items())
    if len(few) > MOST_CLASSES_SHOWN:
        few = sorted(few, key=lambda pair: pair[1])[:MOST_CLASSES_SHOWN]
    lines += [(f"  recall of {shown(label)}", value) for label, value in few]
    rest = len(recall) - len(few)
    return [*lines, (f"  and {rest} more classes", "see --json")] if rest else lines


def rows_of(scores: dict[str, Any], n: int) -> str:
    """Say how many rows there are, and how many of each class."""
    kind = "labels" if "labels" in scores else "classes"
    counts = list(scores.get(kind, {}).items())
    if not counts:
        return str(n)
    listed_ = ", ".join(f"{shown(label)} {count}" for label, count in counts[:6])
    rest = f", {len(counts) - 6} more" if len(counts) > 6 else ""
    return f"{n}, {'with' if kind == 'labels' else 'of'} {len(counts)} {kind}: {listed_}{rest}"


def unrecognised(scores: dict[str, Any], remedy: str = "try --class-weight balanced") -> list[str]:
    """Return remarks on classes that are never recognised, or hardly ever, and what to do."""
    there = scores.get("classes", {})
    recall = {name: value for name, value in scores.get("recall", {}).items() if there[name]}
    remedy = f"if these classes matter, {remedy}, or more rows of them."
    never = [shown(label) for label, value in recall.items() if value == 0]
    seldom = [shown(label) for label, value in recall.items() if 0 < value < SELDOM]
    remarks = [f"no unseen row of {listed(never)} was recognised; {remedy}"] if never else []
    if seldom:
        remarks.append(f"few unseen rows of {listed(seldom)} were recognised; {remedy}")
    return remarks
