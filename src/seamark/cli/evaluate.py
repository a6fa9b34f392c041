"""`seamark evaluate`: how good a saved model is on rows whose targets are known."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..models import ClassSaid, Description, Reliability, figures_of_classes
from ..plotting import page
from ..saving import contents
from .columns import Reading
from .long_files import long_file
from .messages import say, show_json, show_table, shown
from .output import require_output
from .predict import model_and_reading, objects_in
from .scores import class_scores, label_scores, lines_of, number_scores, rows_of, unrecognised
from .tables import DataError
from .targets import read_target, with_targets
from .training_data import read_data

ON = "on the rows of this file"
COVERAGE = 0.9  # of the intervals that are checked
NORMAL = 1.96
STEPS, FEWEST = 5, 20
"""Groups of answers by how sure they are, and rows of each at least."""
MOST_CONFUSED = 5  # pairs of classes


def run(options: argparse.Namespace) -> None:
    """Predict for rows whose targets are known, and compare."""
    if options.html is not None:
        require_output(options.html, options.model, options.data, overwrite=options.force)
    model, reading = model_and_reading(options)
    if reading.target is None:
        raise DataError("say which column has the true values, with --target.")
    task = str(contents(options.model).about.get("task", "auto"))
    classes = getattr(model, "classes_", None)
    if task == "ordinal" and classes is not None and classes.dtype.kind in "UO":
        task = "classify"  # whose labels are text
    elif task == "labels":
        task = "auto"
    known, dropped = _known(options, model, reading, task)
    scores = _scores(model, known)
    n = len(known["y"])
    facts = {"model": options.model, "data": options.data}
    if dropped:
        facts["rows without target"] = str(dropped)
    lines = [*lines_of(scores, ON), *_further_lines(scores)]
    if options.html is not None:
        page.write(_document(options, scores, lines, n), options.html, overwrite=options.force)
    if options.json:
        show_json({**facts, "rows_without_target": dropped, "objects": n, **scores})
    else:
        show_table(("", ""), [*facts.items(), ("rows", rows_of(scores, n)), *lines])
    if not options.quiet:
        for remark in unrecognised(scores, "try `seamark fit --class-weight balanced`"):
            say(f"note: {remark}")
        if options.html is not None:
            say(f"wrote {options.html}")


def _known(
    options: argparse.Namespace, model: Any, reading: Reading, task: str
) -> tuple[dict[str, NDArray[Any]], int]:
    """Return what is known of all rows of a file, and how many have no target."""
    file = long_file(options, reading)
    parts: list[dict[str, Any]] = []
    dropped = 0
    for table in [read_data(options)] if file is None else file.tables():
        for name in reading.predicted:
            table.column(name)
        full = with_targets(table, reading) if options.drop_missing_target else table
        dropped += len(table) - len(full)
        if len(full):
            objects = objects_in(full, reading, model)
            target = read_target(full, objects, task, whole=False)
            parts.append(_predicted(model, objects.data, target.y, target.query))
    if not parts:
        raise DataError(f"{options.data} has no row with a target.")
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}, dropped


def _predicted(model: Any, X: Any, y: NDArray[Any], query: Any) -> dict[str, NDArray[Any]]:
    """Return what is known of some rows: targets, predictions, and how sure these are."""
    known = {"y": y, "predicted": np.asarray(model.predict(X))}
    if query is not None:
        known["query"] = query
    elif hasattr(model, "classes_"):
        if known["predicted"].ndim == 1 and hasattr(model, "predict_proba"):
            known["sure"] = model.predict_proba(X).max(axis=1)
    elif hasattr(model, "predict_interval"):
        ends = model.predict_interval(X, COVERAGE)
        known["within"] = (ends[..., 0] <= y) & (y <= ends[..., 1])
    return known


def _scores(model: Any, known: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """Return the scores of predictions, with intervals."""
    y, predicted = known["y"], known["predicted"]
    if "query" in known:
        from sklearn.metrics import ndcg_score

        queries = [known["query"] == one for one in np.unique(known["query"])]
        several = [rows for rows in queries if rows.sum() > 1]
        if not several:
            raise DataError("no query has two rows, which could be ranked.")
        gains = [ndcg_score([y[rows] - y.min()], [predicted[rows]]) for rows in several]
        return {"ndcg": round(float(np.mean(gains)), 4), "queries": len(several)}
    if not hasattr(model, "classes_"):
        return _number_scores(y.astype(np.float64), predicted, known.get("within"))
    classes = model.classes_
    if predicted.ndim == 2:
        truth = np.array([[str(label) in row for label in classes] for row in y])
        found = predicted > 0
        counts = np.array(
            [
                [[int((a == i)[b == j].sum()) for j in (0, 1)] for i in (0, 1)]
                for a, b in zip(truth.T, found.T, strict=True)
            ]
        )
        _, times = np.unique(truth, axis=0, return_counts=True)
        all_right = float((truth == found).all(axis=1).mean())
        return label_scores(counts, classes, all_right, float(times.max() / len(truth)))
    return _class_scores(known, [str(label) for label in classes])


def _class_scores(known: dict[str, NDArray[Any]], names: list[str]) -> dict[str, Any]:
    """Return the scores of classes, who was taken for whom, and whether probabilities hold."""
    n_known = len(names)
    truth = [str(label) for label in known["y"].tolist()]
    predicted = [str(label) for label in known["predicted"].tolist()]
    names = names + sorted(set(truth) - set(names))  # that fit did not know
    place = {name: k for k, name in enumerate(names)}
    counts = np.zeros((len(names), len(names)), dtype=np.intp)
    np.add.at(counts, ([place[one] for one in truth], [place[one] for one in predicted]), 1)
    scores = class_scores(counts, names)
    if len(names) > n_known:
        scores["unknown_classes"] = names[n_known:]
    scores["confusion"] = {
        one: {other: int(n) for other, n in zip(names, row, strict=True) if n}
        for one, row in zip(names, counts, strict=True)
    }
    if "sure" in known:
        right = np.array(truth) == np.array(predicted)
        order = np.argsort(known["sure"], kind="stable")
        steps = max(1, min(STEPS, len(order) // FEWEST))
        scores["calibration"] = [
            {
                "probability": round(float(known["sure"][rows].mean()), 4),
                "right": round(float(right[rows].mean()), 4),
                "rows": len(rows),
            }
            for rows in np.array_split(order, steps)
        ]
    return scores


def _number_scores(
    y: NDArray[np.float64], predicted: NDArray[np.float64], within: Any
) -> dict[str, Any]:
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
    scores = number_scores(r2, ends, float(errors.mean()), float(spread.mean()))
    if within is not None:
        scores["within_interval"] = round(float(within.mean()), 4)
    return scores


def _further_lines(scores: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return lines on confusion and calibration."""
    lines: list[tuple[str, Any]] = []
    if "ndcg" in scores:
        lines.append(("NDCG", f"{scores['ndcg']:.3f}, mean of {scores['queries']} queries"))
    if "within_interval" in scores:
        share = f"{scores['within_interval']:.1%} of the true values"
        lines.append((f"{COVERAGE:.0%} intervals", f"hold {share}"))
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
    options: argparse.Namespace, scores: dict[str, Any], lines: list[tuple[str, Any]], n: int
) -> Any:
    """Return what the page shows."""
    recall, counts = scores.get("recall", {}), scores.get("classes", {})
    classes = [ClassSaid(name, counts[name], value, []) for name, value in recall.items()]
    steps = [Reliability(*step.values()) for step in scores.get("calibration", [])]
    known = Description(options.model, [], classes, reliability=steps)
    low = scores.get("accuracy_interval", scores.get("r2_interval", [0.0]))[0]
    better = low > scores.get("accuracy_of_a_constant", 0.0)
    first = f"{lines[0][0]} {lines[0][1]}"
    return {
        "title": f"{Path(options.model).name} on {Path(options.data).name}",
        "verdict": [{"level": "good" if better else "warn", "text": f"{first}."}],
        "summary": [("rows", rows_of(scores, n)), *((a.strip(), str(b)) for a, b in lines[1:])],
        "figures": figures_of_classes(known),
    }
