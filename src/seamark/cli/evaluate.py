"""`seamark evaluate`: how good a saved model is on rows whose targets are known."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix, multilabel_confusion_matrix, ndcg_score

from ..linear_model import accuracy_interval, core_of, share_interval
from ..plotting import brief, page
from .columns import Reading
from .messages import listed, say, show_json, show_table, shown
from .predict import Coverage, cells_of_objects, model_and_reading, objects_in, task_of
from .tables import DataError, require_output
from .training_data import long_file, read_data, read_target, with_targets

# Scores by name, as programs read them.


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
    names = list(map(str, classes))
    return {
        "classes": dict(zip(names, n.astype(int).tolist(), strict=True)),
        "accuracy": round(accuracy, 4),
        "accuracy_interval": [round(end, 4) for end in interval],
        "accuracy_of_a_constant": round(constant, 4),
        "balanced_accuracy": round(float(recall[n > 0].mean()), 4),
        "recall": dict(zip(names, recall.round(4).tolist(), strict=True)),
    }


def label_scores(
    counts: NDArray[Any], labels: Sequence[Any], right: float, constant: float
) -> dict[str, Any]:
    """Return the scores of sets of labels: how often all of a row are right, and F1 over all.

    `counts` has a table of shape (2, 2) for each label: whether a row has it, and whether it was
    predicted.
    """
    found, wrong = counts[:, 1, 1].sum(), counts[:, [0, 1], [1, 0]].sum()
    rows = counts[:, 1].sum(axis=1).astype(int).tolist()
    return {
        "labels": dict(zip(map(str, labels), rows, strict=True)),
        "all_right": round(right, 4),
        "all_right_of_a_constant": round(constant, 4),
        "f1": round(float(2 * found / max(1, 2 * found + wrong)), 4),
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


# The same for people.


MOST_CLASSES_SHOWN = 30
SELDOM = 0.2  # of a class's rows, of which a person should hear
UNEVEN = 1.5  # times as many rows in the commonest class as in the rarest


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


ON = "on the rows of this file"
NORMAL = 1.96
STEPS, FEWEST = 5, 20
"""Groups of answers by how sure they are, and rows of each at least."""
MOST_CONFUSED = 5  # pairs of classes
MOST_DRAWN = 2000  # rows on a chart


def run(options: argparse.Namespace) -> None:
    """Predict for rows whose targets are known, and compare."""
    if options.html is not None:
        require_output(options.html, options.model, options.data, overwrite=options.force)
    model, reading = model_and_reading(options)
    if reading.target is None:
        raise DataError("say which column has the true values, with --target.")
    coverage = Coverage.of(options, model, reading)
    if options.calibration is None:  # then groups are compared, and no more is promised of them
        coverage = replace(coverage, groups=None)
    known, dropped = _known(options, model, reading, coverage)
    scores = _scores(model, known)
    if "within" in known:
        scores |= coverage_scores(known, coverage)
    n = len(known["y"])
    facts = {"model": options.model, "data": options.data}
    if options.json:
        show_json({**facts, "rows_without_target": dropped, "objects": n, **scores})
    lines = [*lines_of(scores, ON), *_further_lines(scores, options)]
    if not options.json:
        facts |= {"rows without target": str(dropped)} if dropped else {}
        show_table(("", ""), [*facts.items(), ("rows", rows_of(scores, n)), *lines])
    if options.html is not None:
        document = _document(options, str(reading.target), scores, lines, n)
        y, predicted = known["y"], known["predicted"]
        if "r2" in scores and y.ndim == 1:
            rows = np.sort(np.random.default_rng(0).permutation(n)[:MOST_DRAWN])
            note = f"{len(rows)} of the {n} rows." if len(rows) < n else f"All {n} rows."
            document["figures"].append(page.predictions_figure(y[rows], predicted[rows], note))
        page.write(document, options.html, overwrite=options.force)
    if not options.quiet:
        for remark in unrecognised(scores, "try `seamark fit --class-weight balanced`"):
            say(f"note: {remark}")
        if options.html is not None:
            say(f"wrote {options.html}")


def _known(
    options: argparse.Namespace, model: Any, reading: Reading, coverage: Coverage
) -> tuple[dict[str, NDArray[Any]], int]:
    """Return what is known of all rows of a file, and how many have no target."""
    task = task_of(options, model)
    file = long_file(options, reading)
    parts: list[dict[str, Any]] = []
    dropped = 0
    for table in [read_data(options)] if file is None else file.tables():
        full = with_targets(table, reading)
        if not options.drop_missing_target:
            full = table
        dropped += len(table) - len(full)
        if not len(full):
            continue
        objects = objects_in(full, reading, model)
        target, X = read_target(full, objects, task, whole=False), objects.data
        part = {"y": target.y, "predicted": np.asarray(model.predict(X))}
        if target.query is not None:
            part["query"] = target.query
        elif hasattr(model, "predict_interval"):
            ends = coverage.predict(full, objects)
            part["within"] = (ends[..., 0] <= target.y) & (target.y <= ends[..., 1])
        elif part["predicted"].ndim == 1 and hasattr(model, "predict_proba"):
            part["sure"] = model.predict_proba(X).max(axis=1)
            if coverage.more or hasattr(core_of(model.head_), "conformity_scores_"):
                sets = coverage.predict(full, objects)
                part["set_size"] = sets.sum(axis=1)
                part["within"] = (sets & (target.y[:, None] == model.classes_)).any(axis=1)
        if options.groups is not None:
            part["group"] = np.array(cells_of_objects(full, objects, options.groups))
        parts.append(part)
    if not parts:
        raise DataError(f"{options.data} has no row with a target.")
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}, dropped


def _scores(model: Any, known: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """Return the scores of predictions, with intervals."""
    y, predicted = known["y"], known["predicted"]
    if "query" in known:
        queries = [known["query"] == one for one in np.unique(known["query"])]
        several = [rows for rows in queries if rows.sum() > 1]
        if not several:
            raise DataError("no query has two rows, which could be ranked.")
        gains = [ndcg_score([y[rows] - y.min()], [predicted[rows]]) for rows in several]
        return {"ndcg": round(float(np.mean(gains)), 4), "queries": len(several)}
    if not hasattr(model, "classes_"):
        return _number_scores(y.astype(np.float64), predicted)
    names = list(map(str, model.classes_))
    if predicted.ndim == 2:
        truth = np.array([[name in row for name in names] for row in y])
        counts = multilabel_confusion_matrix(truth, predicted > 0)
        times = np.unique(truth, axis=0, return_counts=True)[1]
        all_right = float((truth == (predicted > 0)).all(axis=1).mean())
        return label_scores(counts, names, all_right, float(times.max() / len(truth)))
    truth, predicted = (np.array(list(map(str, some.tolist()))) for some in (y, predicted))
    unknown = sorted(set(truth.tolist()) - set(names))  # in fit
    names += unknown
    counts = confusion_matrix(truth, predicted, labels=names)
    scores = class_scores(counts, names) | ({"unknown_classes": unknown} if unknown else {})
    scores["confusion"] = {
        one: {other: int(n) for other, n in zip(names, row, strict=True) if n}
        for one, row in zip(names, counts, strict=True)
    }
    if "sure" in known:
        order = np.argsort(known["sure"], kind="stable")
        steps = max(1, min(STEPS, len(order) // FEWEST))
        scores["calibration"] = [
            {
                "probability": round(float(known["sure"][rows].mean()), 4),
                "right": round(float((truth == predicted)[rows].mean()), 4),
                "rows": len(rows),
            }
            for rows in np.array_split(order, steps)
        ]
    return scores


def coverage_scores(known: dict[str, NDArray[Any]], coverage: Coverage) -> dict[str, Any]:
    """Return how often intervals or sets held the true value, in all and in each class or group."""
    within, of_sets = known["within"], "set_size" in known
    name = "within_set" if of_sets else "within_interval"
    scores: dict[str, Any] = {"coverage": coverage.share, name: round(float(within.mean()), 4)}
    if of_sets:
        scores["classes_in_a_set"] = round(float(known["set_size"].mean()), 2)
    for part, column in (("class", "y" if of_sets else None), ("group", "group")):
        if column in known:
            names = known[column].astype(str)
            scores[f"within_by_{part}"] = {
                one: round(float(within[names == one].mean()), 4) for one in np.unique(names)
            }
    return scores


def _number_scores(y: NDArray[np.float64], predicted: NDArray[np.float64]) -> dict[str, Any]:
    """Return R² and errors; of several targets, means over these."""
    errors, spread = np.abs(y - predicted), np.abs(y - np.median(y, axis=0))
    squares, around = (y - predicted) ** 2, (y - y.mean(axis=0)) ** 2
    if not (total := around.mean(axis=0)).all():
        raise DataError("all targets of a column are equal, so that R² is not defined.")
    lost = squares.mean(axis=0) / total
    # The ratio of two means varies as this mean does, nearly.
    influence = (squares - lost * around) / total
    influence = influence if influence.ndim == 1 else influence.mean(axis=1)
    r2 = float(1 - lost.mean())
    half = NORMAL * float(influence.std()) / np.sqrt(len(y))
    ends = (r2 - half, min(1.0, r2 + half))
    return number_scores(r2, ends, float(errors.mean()), float(spread.mean()))


def _further_lines(scores: dict[str, Any], options: argparse.Namespace) -> list[tuple[str, Any]]:
    """Return lines on coverage, confusion and calibration."""
    lines: list[tuple[str, Any]] = []
    if "ndcg" in scores:
        lines.append(("NDCG", f"{scores['ndcg']:.3f}, mean of {scores['queries']} queries"))
    if "within_interval" in scores:
        share = f"{scores['within_interval']:.1%} of the true values"
        lines.append((f"{scores['coverage']:.0%} intervals", f"hold {share}"))
    if "within_set" in scores:
        share = f"{scores['within_set']:.1%} of the true classes"
        held = f"hold {share}, with {scores['classes_in_a_set']:.1f} classes each"
        lines.append((f"{scores['coverage']:.0%} sets", held))
    for part, asked in (("class", options.by_class), ("group", options.groups)):
        shares = scores.get(f"within_by_{part}", {}) if asked else {}
        lines += [(f"  of {shown(one)}", f"hold {value:.1%}") for one, value in shares.items()]
    lines += [
        (f"class {shown(label)}", "was not in fit, and is never predicted")
        for label in scores.get("unknown_classes", [])
    ]
    wrong = [
        (n, one, other)
        for one, row in scores.get("confusion", {}).items()
        for other, n in row.items()
        if one != other
    ]
    for n, one, other in sorted(wrong, key=lambda pair: -pair[0])[:MOST_CONFUSED]:
        times = "once" if n == 1 else f"{n} times"
        lines.append(("  mistake", f"{shown(one)} predicted as {shown(other)} {times}"))
    for step in scores.get("calibration", []):
        text = f"{step['right']:.1%} of {step['rows']} answers were right"
        lines.append((f"  given with {step['probability']:.1%}", text))
    return lines


def _document(
    options: argparse.Namespace,
    target: str,
    scores: dict[str, Any],
    lines: list[tuple[str, Any]],
    n: int,
) -> Any:
    """Return what the page shows."""
    low = scores.get("accuracy_interval", scores.get("r2_interval", [0.0]))[0]
    better = low > scores.get("accuracy_of_a_constant", 0.0)
    first = f"{lines[0][0]} {lines[0][1]}"
    return {
        "title": f"{target} of {Path(options.data).name}: {first.partition(' (')[0]}",
        "verdict": [{"level": "good" if better else "warn", "text": f"{first}."}],
        "summary": [
            ("model", Path(options.model).name),
            ("rows", rows_of(scores, n)),
            *((a.strip(), str(b)) for a, b in lines[1:]),
        ],
        "figures": _figures(scores),
    }


def _figures(scores: dict[str, Any]) -> list[Any]:
    """Return the recall of each class, and the calibration curve, where there are classes."""
    figures: list[Any] = []
    recall = {name: r for name, r in scores.get("recall", {}).items() if scores["classes"][name]}
    if recall:
        counts = [scores["classes"][name] for name in recall]
        ends = [share_interval(r * n, n) for r, n in zip(recall.values(), counts, strict=True)]
        figures.append(page.recall_figure(list(recall), list(recall.values()), ends))
    if "calibration" in scores:
        steps = scores["calibration"]
        right = [step["right"] for step in steps]
        ends = [share_interval(step["right"] * step["rows"], step["rows"]) for step in steps]
        sure = [step["probability"] for step in steps]
        figures.append(page.reliability_figure(sure, right, ends))
    return figures
