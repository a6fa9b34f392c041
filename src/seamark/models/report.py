"""The page on a fitted model: how good it is, compared with what, what to do next, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import as_table
from ..linear_model.calibration import share_interval
from ..maps.base import dense32
from ..plotting import page
from ..plotting.text import brief, visible
from .describe import Description, percent
from .explain import IN_WORDS, explanations_of, inner_measure
from .importance import UnseenRows, rows_of, unseen_rows
from .tables import as_row

MOST_EXPLAINED = 12  # of those that were mistaken
MOST_TYPICAL = 12
MOST_NAMED = 3  # columns and classes in a sentence
MOST_DRAWN = 12  # columns in a chart
FEWEST_MAPPED, MOST_MAPPED, MOST_COLOURS = 20, 400, 6  # objects on the map, and their groups
REASONS = 5
GOOD = 0.5  # of what a baseline leaves open
MEASURES_IN_WORDS = {
    "Levenshtein": "edit distance",
    "NGrams": "shared n-grams",
    "Substring": "substrings",
    "Equality": "categories",
    "Euclidean": "similar rows",
    "Manhattan": "similar rows",
    "DTW": "time warping",
    "MSM": "time warping",
    "Subsequence": "windows",
    "Chamfer": "near points",
    "ModifiedHausdorff": "near points",
    "Member": "nearest member",
    "WeisfeilerLehman": "neighbourhoods",
    **IN_WORDS,
}


def document_of(
    model: Any,
    X: Any = None,
    y: Any = None,
    name: str | None = None,
    rows: Sequence[str] | None = None,
) -> Any:
    """Return all that the page shows, as plain data.

    Parameters
    ----------
    model : fitted LandmarkModel
    X, y : objects and targets, optional
        Those of `fit`.
    name : str, optional
        What is predicted, and of what, such as "rating of movies.csv".
    rows : sequence of str, optional
        What rows of fit are called, such as "line 2"; default: by the pandas index of X, if it has
        one that says more than their numbers from 0.
    """
    if rows is None:
        index: Any = getattr(X, "index", None)
        known = hasattr(index, "is_unique") and not np.array_equal(index, np.arange(len(index)))
        rows = [f"row {visible(label, 40)}" for label in index] if known else None
    unseen = None if y is None or X is None else unseen_rows(model, X, y, curve=True)
    importance = [] if unseen is None else unseen.importances
    said: Description = model.describe(X).with_importance(importance)
    domain = "objects" if _reads_columns(model) else model.map_.blocks_[0].domain.name
    if name is None:
        target = getattr(y, "name", None) or said.model
        name = f"{target} of {'rows of a table' if _reads_columns(model) else domain}"
    return {
        "title": _title(said, name),
        "domain": domain,
        "verdict": _verdict(said, rows),
        "summary": _summary(model, said),
        "code": "prediction = model.predict(X)\nprint(model.explain(X[:1])[0])",
        "figures": [
            *_of_classes(said),
            *_of_unseen(said, unseen),
            *([] if X is None or y is None else _map_of(model, X, y, rows)),
        ],
        "facts": _facts(model, said),
        "landmarks": _prototypes(said, rows),
        "landmarks_title": "Typical examples",
        "mistaken": [
            vars(one) | {"index": _called(one.index, rows)}
            for one in said.mistaken
            if one.object is not None
        ],
        "mistaken_title": "Most surely mistaken" if said.classes else "Furthest off",
        "explanations": _explained(model, said, X, rows),
    }


def _called(row: int | None, rows: Sequence[str] | None) -> Any:
    """Return what a row is called: a name, or its number."""
    return row if row is None or rows is None else rows[row]


def _reads_columns(model: Any) -> bool:
    return model.map_.is_union and any(one is not None for one in model.map_.columns_)


def _title(said: Description, name: str) -> str:
    if said.r2 is not None:
        return f"{name}: R² {said.r2:.2f} on unseen rows"
    if said.accuracy is not None:
        return f"{name}: {said.accuracy:.1%} correct on unseen rows"
    return name


def _verdict(said: Description, rows: Sequence[str] | None) -> list[dict[str, str]]:
    """Say in a sentence each how good it is, compared with what, and what to do next."""
    if said.r2 is not None:
        low, high = said.interval or (said.r2, said.r2)
        gained, beats = said.r2, low > 0
        ends = "" if said.interval is None else f" (95 % interval {low:.2f} to {high:.2f})"
        good = f"R² {said.r2:.2f} on unseen rows{ends}; off by {said.error:.3g} on average."
        compared = f"Always predicting the median is off by {said.constant:.3g} on average."
    elif said.accuracy is not None and said.interval is not None and said.constant is not None:
        low, high = said.interval
        gained = (said.accuracy - said.constant) / max(1e-9, 1 - said.constant)
        beats = low > said.constant
        ends = f"95 % interval {100 * low:.1f} to {100 * high:.1f}"
        good = f"{said.accuracy:.1%} correct on unseen rows ({ends})."
        compared = f"Always guessing the commonest class: {said.constant:.1%} correct."
    else:
        text = "The model has no cross-validated scores; score it on rows that it has not seen."
        return [{"level": "info", "text": text}]
    level = "bad" if not beats else "good" if gained >= GOOD else "warn"
    lead = {"bad": "No better than guessing: ", "warn": "Better than guessing: ", "good": "Good: "}
    found = [{"level": level, "text": lead[level] + good}, {"level": "info", "text": compared}]
    return [*found, {"level": "info", "text": f"Next: {_next(said, beats, rows)}"}]


def _next(said: Description, beats: bool, rows: Sequence[str] | None) -> str:
    """Return what to do next: the first of what stands in the way."""
    if not beats:
        return "add rows, or columns that say more about the target; do not use it yet."
    weak = [one for one in said.classes if one.recall is not None and one.recall < GOOD]
    if weak:
        few = weak[:MOST_NAMED]
        names = ", ".join(f"{brief(one.label, 30)} ({one.recall:.0%})" for one in few)
        return (
            f"fewer than half of the rows are recognised of {names}; collect more of them, or set "
            'class_weight="balanced".'
        )
    if said.confused:
        most = said.confused[0]
        times = "once" if most.n == 1 else f"{most.n} times"
        return (
            f"look at the most common mistake, {brief(most.truth, 30)} predicted as "
            f"{brief(most.prediction, 30)} ({times}): are the labels below right?"
        )
    if said.mistaken and said.r2 is not None:
        worst = said.mistaken[0]
        where = f"row {worst.index}" if rows is None else rows[worst.index]
        thing = f", {visible(worst.object, 120)}" if isinstance(worst.object, (str, dict)) else ""
        return (
            f"check {where}, which is furthest off: {brief(worst.truth)}, predicted "
            f"{brief(worst.prediction)}{thing}."
        )
    return "predict new rows, and compare with what turns out."


def _summary(model: Any, said: Description) -> list[tuple[str, str]]:
    rows = []
    if said.n is not None:
        classes = ", ".join(f"{brief(one.label, 20)} {one.n}" for one in said.classes[:8])
        more = f", {len(said.classes) - 8} more" if len(said.classes) > 8 else ""
        rows.append(("data", f"{said.n} rows{': ' * bool(classes)}{classes}{more}"))
    weights: dict[str, float] = {}
    for block, one in zip(said.blocks, model.map_.blocks_, strict=True):
        column = f"{block.name.partition(': ')[0]}: " if _reads_columns(model) else ""
        name = f"{column}{_in_words(one)}"
        weights[name] = weights.get(name, 0.0) + (1.0 if block.weight is None else block.weight)
    heaviest = sorted(weights, key=lambda name: -weights[name])
    shares = "; ".join(
        f"{visible(name, 60)} ({percent(weights[name])})" if len(heaviest) > 1 else name
        for name in heaviest[:8]
    )
    rows.append(("decides by", shares + (f"; {len(heaviest) - 8} more" * (len(heaviest) > 8))))
    useful = [one for one in said.importance if one.low > 0][:MOST_NAMED]
    if said.importance:
        score = "R²" if said.r2 is not None else "accuracy"
        names = "; ".join(f"{visible(one.column, 40)} by {one}" for one in useful)
        rows.append((f"{score} falls most without", names or "no column by itself"))
    return rows


def _in_words(block: Any) -> str:
    """Return what a block goes by, in words."""
    inner = getattr(block, "map_", block)  # of a column in which some are missing
    measures = [inner_measure(one) for one in getattr(inner, "measures_", [])] or [inner]
    names = [MEASURES_IN_WORDS.get(type(one).__name__) for one in measures]
    return " and ".join(
        name or getattr(one, "name", "") or type(one).__name__
        for name, one in zip(names, measures, strict=True)
    )


def _facts(model: Any, said: Description) -> list[tuple[str, str, str]]:
    """Return the details: what compares each block, by how many landmarks, and times."""
    rows = []
    for one in said.blocks:
        n = "" if one.n_landmarks is None else f", {one.n_landmarks} landmarks"
        weight = "" if one.weight is None else f"{percent(one.weight)} of what moves the decision"
        how = f"{visible(one.measure, 80)}{n}{f', {one.transfer}' if one.transfer else ''}"
        rows.append((visible(one.name, 60), how, weight))
    score = "R²" if said.r2 is not None else "accuracy"
    rows += [(f"without {one.column}", f"{score} −{one}", "") for one in said.importance]
    times = getattr(model, "fit_times_", {})
    if times:
        spent = ", ".join(f"{name} {seconds:.2g} s" for name, seconds in times.items())
        rows.append(("time to fit", f"{sum(times.values()):.2g} s", spent))
    return rows


def _of_classes(said: Description) -> list[Any]:
    """Return what is drawn of classes: the recall of each, and the calibration curve."""
    found: list[Any] = []
    known = [
        (one.label, one.recall, one.n) for one in said.classes if one.recall is not None and one.n
    ]
    if known:
        labels, recall, counts = zip(*known, strict=True)
        ends = [share_interval(r * n, n) for r, n in zip(recall, counts, strict=True)]
        found.append(page.recall_figure(labels, recall, ends))
    if said.reliability:
        steps = said.reliability
        ends = [share_interval(one.right * one.n, one.n) for one in steps]
        sure, right = [one.said for one in steps], [one.right for one in steps]
        found.append(page.reliability_figure(sure, right, ends))
    return found


def _of_unseen(said: Description, unseen: UnseenRows | None) -> list[Any]:
    """Return what is drawn of rows that a copy of the model had not seen."""
    if unseen is None:
        return []
    found: list[Any] = []
    score = "R²" if said.r2 is not None else "accuracy"
    if said.r2 is not None and unseen.truth.ndim == 1:
        note = f"{len(unseen.truth)} rows, predicted by a copy of the model fitted to others."
        found.append(page.predictions_figure(unseen.truth, unseen.predictions, note))
    if len(unseen.curve) > 1:
        sizes, scores, low, high = map(list, zip(*unseen.curve, strict=True))
        line = {"name": score, "x": sizes, "y": scores, "low": low, "high": high}
        labels = {"title": "would more rows help?", "xlabel": "rows learned from", "ylabel": score}
        note = (
            f"The {score} of copies of the model that were fitted to fewer rows, on rows that none "
            f"of them had seen. {_more_rows(unseen.curve)}"
        )
        found.append({"kind": "line", **labels, "note": note, "series": [line]})
    drawn = said.importance[:MOST_DRAWN]
    if drawn:
        bars = {
            "name": f"fall of {score}",
            "x": [visible(one.column, 20) for one in drawn],
            "y": [one.loss for one in drawn],
            **_ends([(one.low, one.high) for one in drawn]),
        }
        note = f"How much {score} falls on unseen rows if a column's values are shuffled."
        labels = {"title": "importance of columns", "xlabel": "", "ylabel": f"fall of {score}"}
        found.append({"kind": "bars", **labels, "note": note, "series": [bars]})
    return found


def _more_rows(curve: list[tuple[int, float, float, float]]) -> str:
    """Say whether the last doubling of the rows helped."""
    (_, before, *_), (n, score, low, _) = curve[-2:]
    if low > before:
        return "It still rises: more rows would help."
    if abs(score - before) < 0.0005:
        return f"At the last step, to {n} rows, it did not change."
    rise = "rose by {:.3f}" if score >= before else "fell by {:.3f}"
    return f"At the last step, to {n} rows, it {rise.format(abs(score - before))}, within chance."


def _map_of(model: Any, X: Any, y: Any, names: Sequence[str] | None) -> list[dict[str, Any]]:
    """Return a map of some objects: near are those that the model takes for alike."""
    labels = np.asarray(y)
    objects = model._ingested(as_table(X) if model._reads_tables else X)
    if labels.ndim != 1 or len(labels) != objects.shape[0] or len(labels) < FEWEST_MAPPED:
        return []
    rows = np.sort(np.random.default_rng(0).permutation(len(labels))[:MOST_MAPPED])
    features = dense32(model.map_.block(objects[rows])).astype(np.float64)
    features = features - features.mean(axis=0)
    if not features.any() or features.shape[1] < 2:
        return []
    U, sizes, _ = np.linalg.svd(features, full_matrices=False)
    places, share = U[:, :2] * sizes[:2], sizes[:2] ** 2 / (sizes**2).sum()
    series = []
    for name, of in _groups_of(labels[rows]):
        texts = []
        for k in of:
            shown = visible(as_row(model.map_, objects[rows[k]]), 90)
            where = f"row {rows[k]}" if names is None else names[rows[k]]
            texts.append(f"{where}: {shown} ({brief(labels[rows[k]])})")
        x, y = places[of].T.tolist()
        series.append({"name": name, "x": x, "y": y, "texts": texts})
    note = (
        f"{len(rows)} objects by the two directions in which their features vary most, "
        f"{share.sum():.0%} of the variance. Point at one to see it."
    )
    axes = {"xlabel": "first direction", "ylabel": "second direction"}
    return [
        {"kind": "points", "title": "map of the objects", **axes, "note": note, "series": series}
    ]


def _groups_of(labels: NDArray[Any]) -> list[tuple[str, NDArray[np.intp]]]:
    """Return the places of each class, or of the lower, middle and upper third of numbers."""
    names, codes = np.unique(labels, return_inverse=True)
    if len(names) > MOST_COLOURS and labels.dtype.kind in "iuf":
        ends = np.quantile(labels, [1 / 3, 2 / 3])
        codes = np.searchsorted(ends, labels)
        names = np.array(
            [f"up to {brief(float(ends[0]))}", "between", f"over {brief(float(ends[1]))}"]
        )
    elif len(names) > MOST_COLOURS:
        common = np.argsort(-np.bincount(codes), kind="stable")[: MOST_COLOURS - 1]
        codes = np.where(np.isin(codes, common), codes, len(names))
        names = np.append(names.astype(object), "other classes")
    return [(brief(names[k], 30), np.flatnonzero(codes == k)) for k in np.unique(codes).tolist()]


def _ends(pairs: list[tuple[float, float]]) -> dict[str, list[float]]:
    return {"low": [low for low, _ in pairs], "high": [high for _, high in pairs]}


def _prototypes(said: Description, rows: Sequence[str] | None) -> list[dict[str, Any]]:
    """Return the prototypes, and how many landmarks they stand for."""
    groups = [(one.label, one.prototypes) for one in said.classes] + [(None, said.prototypes)]
    return [
        {
            "object": p.landmark,
            "label": label,
            "index": _called(p.index, rows),
            "weight": None,
            "note": f"stands for {percent(p.stands_for)}",
        }
        for label, some in groups
        for p in some
    ]


def _explained(
    model: Any, said: Description, X: Any, names: Sequence[str] | None
) -> list[dict[str, Any]]:
    """Explain rows of fit: those that were mistaken, and a prototype of each class.

    That a row is like itself says nothing, so its own landmark is left out. Of rows taken for
    another class out of fold, those that the fitted model gets right are left out: it has learned
    them, and a page that shows two classes for one row puzzles.
    """
    if X is None:
        return []
    wrong = {one.index: one for one in said.mistaken[:MOST_EXPLAINED]}
    firsts = [(some.prototypes[0].index, some.label) for some in said.classes if some.prototypes]
    typical = {row: label for row, label in firsts if row is not None}
    rows = list(dict.fromkeys([*wrong, *list(typical)[:MOST_TYPICAL]]))
    if not rows:  # nothing was mistaken, and landmarks are parts of objects
        rows = list(range(min(MOST_TYPICAL, X.shape[0] if hasattr(X, "shape") else len(X))))
    found = explanations_of(model, rows_of(X, rows), REASONS, None, own=np.array(rows, np.intp))
    return [
        {
            "object": one.object,
            "truth": wrong[row].truth if row in wrong else typical.get(row),
            "prediction": one.prediction,
            "reasons": [
                {
                    "object": reason.name
                    if reason.is_column or reason.is_part
                    else reason.landmark,
                    "label": reason.label,
                    "index": _called(reason.index, names),
                    "value": np.nan if reason.is_column else reason.value,  # its name has it
                    "contribution": reason.contribution,
                    "block": reason.block,
                    "place": reason.place,
                }
                for reason in one.reasons
                if reason.index != row
            ],
            "lines": one.lines(),
        }
        for row, one in zip(rows, found, strict=True)
        if not (said.classes and row in wrong and one.prediction != wrong[row].prediction)
    ]
