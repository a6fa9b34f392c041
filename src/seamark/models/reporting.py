"""`model.report`: one page on a fitted model, good enough to decide by."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..linear_model.calibration import share_interval
from ..plotting import page
from ..plotting.text import brief, visible
from .description import Description, percent

MOST_EXPLAINED = 12  # of those that were mistaken
MOST_TYPICAL = 12
REASONS = 5
MOST_SHOWN = 200  # characters of an object
GOOD = 0.5  # of what a constant leaves open


class Reporting:
    """What a fitted model writes about itself."""

    describe: Any
    explain: Any
    fit_times_: dict[str, float]

    def report(self, path: Any, X: Any = None, *, overwrite: bool = False) -> Path:
        """Write one self-contained page: how good it is, its prototypes, what it confuses.

        Parameters
        ----------
        path : str or Path
        X : objects, optional
            Those of `fit`; then the objects it was most surely wrong about are shown and explained,
            and not only those that are landmarks.
        overwrite : bool, default=False
            Replace the file if it exists.

        Returns
        -------
        Path

        Examples
        --------
        >>> import tempfile
        >>> import seamark as sm
        >>> names = ["Anna", "Hanna", "Johanna", "Otto", "Ottokar", "Ottilo"] * 3
        >>> model = sm.LandmarkClassifier("levenshtein", random_state=0)
        >>> folder = tempfile.TemporaryDirectory()
        >>> model.fit(names, list("fffmmm") * 3).report(f"{folder.name}/model.html").name
        'model.html'
        >>> folder.cleanup()
        """
        return page.write(document_of(self, X), path, overwrite=overwrite)


def document_of(model: Any, X: Any = None) -> Any:
    """Return all that the page shows, as plain data."""
    said: Description = model.describe(X)
    by_column = _reads_columns(model)
    domain = "objects" if by_column else model.map_.blocks_[0].domain.name
    return {
        "title": _title(said, "rows of a table" if by_column else domain),
        "domain": domain,
        "verdict": _verdict(said),
        "summary": _summary(model, said),
        "code": "prediction = model.predict(X)\nprint(model.explain(X[:1])[0])",
        "figures": _figures(said),
        "landmarks": _prototypes(said),
        "landmarks_title": "Prototypes",
        "mistaken": _mistaken(said),
        "mistaken_title": "Most surely mistaken" if said.classes else "Furthest off",
        "explanations": _explained(model, said, X),
    }


def _reads_columns(model: Any) -> bool:
    return model.map_.is_union and any(one is not None for one in model.map_.columns_)


def _title(said: Description, domain: str) -> str:
    if not said.classes:
        return f"{said.model} of {domain}"
    return f"{said.model}: {len(said.classes)} classes of {domain}"


def _verdict(said: Description) -> list[dict[str, str]]:
    """Say whether it is good enough, and the one thing to look at."""
    if said.r2 is not None:
        return _verdict_on_numbers(said)
    if said.accuracy is None or said.interval is None or said.constant is None:
        text = "The model has no cross-validated scores; score it on rows that it has not seen."
        return [{"level": "info", "text": text}]
    low, high = said.interval
    reached = f"accuracy {said.accuracy:.3f} ({low:.3f} … {high:.3f}) on rows it had not seen, "
    reached += f"a constant {said.constant:.3f}."
    gained = (said.accuracy - said.constant) / max(1e-9, 1 - said.constant)
    if low <= said.constant:
        level, lead = "bad", "No better than a constant: "
    else:
        good = gained >= GOOD
        level, lead = ("good", "Good: ") if good else ("warn", "Better than a constant: ")
    found = [{"level": level, "text": lead + reached}]
    weak = [one for one in said.classes if one.recall is not None and one.recall < GOOD]
    if weak:
        names = ", ".join(f"{brief(one.label, 30)} ({one.recall:.0%})" for one in weak[:3])
        text = f"Fewer than half are recognised of {names}: give more of them, or class_weight="
        found.append({"level": "warn", "text": text + '"balanced".'})
    if said.confused:
        most = said.confused[0]
        text = f"Most often {brief(most.truth, 30)} is taken for {brief(most.prediction, 30)}, "
        found.append({"level": "info", "text": text + f"{most.n} times."})
    return found


def _verdict_on_numbers(said: Description) -> list[dict[str, str]]:
    """Say how much of the targets is foreseen, and where it is furthest off."""
    r2, error, constant = float(said.r2 or 0), float(said.error or 0), float(said.constant or 0)
    low, high = said.interval or (r2, r2)
    ends = "" if said.interval is None else f" ({low:.3f} … {high:.3f})"
    reached = f"R² {r2:.3f}{ends} on rows it had not seen; off by {error:.3g} on average, "
    reached += f"a constant by {constant:.3g}."
    if low <= 0:
        level, lead = "bad", "No better than a constant: "
    else:
        good = r2 >= GOOD
        level, lead = ("good", "Good: ") if good else ("warn", "Better than a constant: ")
    found = [{"level": level, "text": lead + reached}]
    if said.mistaken:
        most = said.mistaken[0]
        text = f"Furthest off in row {most.index}: {brief(most.truth)}, predicted "
        text += f"{brief(most.prediction)}."
        if isinstance(most.object, (str, dict)):
            text += f" It is {visible(most.object, MOST_SHOWN)}."
        found.append({"level": "info", "text": text})
    return found


def _summary(model: Any, said: Description) -> list[tuple[str, str]]:
    rows = []
    if said.n is not None:
        classes = ", ".join(f"{brief(one.label, 20)} {one.n}" for one in said.classes[:8])
        more = f", {len(said.classes) - 8} more" if len(said.classes) > 8 else ""
        rows.append(("data", f"{said.n} rows{': ' * bool(classes)}{classes}{more}"))
    for one in said.blocks:
        weight = "" if one.weight is None else f", {percent(one.weight)} of what moves the decision"
        n = "" if one.n_landmarks is None else f", {one.n_landmarks} landmarks"
        name = "looks at" if one.name == "everything" else one.name
        name = f"column {name}" if _reads_columns(model) else name
        rows.append((visible(name, 60), f"{visible(one.measure, 80)}{n}{weight}"))
    times = getattr(model, "fit_times_", {})
    if times:
        spent = ", ".join(f"{name} {seconds:.2g} s" for name, seconds in times.items())
        rows.append(("time to fit", f"{sum(times.values()):.2g} s: {spent}"))
    return rows


def _figures(said: Description) -> list[dict[str, Any]]:
    """Return what is drawn: how each class fares, and whether probabilities can be believed."""
    return [*_recalls(said), *_calibration(said)]


def _calibration(said: Description) -> list[dict[str, Any]]:
    """Return how often answers were right against how sure the model was of them."""
    steps = said.reliability
    if not steps:
        return []
    ends = [share_interval(one.right * one.n, one.n) for one in steps]
    sure = [one.said for one in steps]
    curve = {
        "name": "right",
        "x": sure,
        "y": [one.right for one in steps],
        "low": [low for low, _ in ends],
        "high": [high for _, high in ends],
    }
    ideal = {"name": "as said", "x": [sure[0], 1.0], "y": [sure[0], 1.0]}
    note = (
        "Of answers given with 80 %, 80 % should be right. The band is a 95 % interval; "
        "below the line the model is too sure, above it too modest."
    )
    labels = {"xlabel": "probability of the answer", "ylabel": "share that was right"}
    figure = {"kind": "line", "title": "can probabilities be believed?", **labels}
    return [{**figure, "note": note, "series": [curve, ideal]}]


def _recalls(said: Description) -> list[dict[str, Any]]:
    """Return the recall of each class with its interval."""
    known = [one for one in said.classes if one.recall is not None and one.n]
    if not known:
        return []
    ends = [share_interval(float(one.recall or 0) * (one.n or 0), one.n or 0) for one in known]
    series = {
        "name": "recall",
        "x": [brief(one.label, 20) for one in known],
        "y": [one.recall for one in known],
        "low": [low for low, _ in ends],
        "high": [high for _, high in ends],
    }
    note = "The share of each class's rows that was recognised by models that had not seen them."
    figure = {"kind": "bars", "title": "recall of each class", "xlabel": "", "ylabel": "recall"}
    return [{**figure, "note": note, "series": [series]}]


def _prototypes(said: Description) -> list[dict[str, Any]]:
    """Return the prototypes, and how many landmarks they stand for."""
    groups = [(one.label, one.prototypes) for one in said.classes] + [(None, said.prototypes)]
    return [
        {
            "object": p.landmark,
            "label": label,
            "index": p.index,
            "weight": None,
            "note": f"stands for {percent(p.stands_for)}",
        }
        for label, some in groups
        for p in some
    ]


def _mistaken(said: Description) -> list[dict[str, Any]]:
    """Return what was mistaken out of fold, as far as the objects are known."""
    return [vars(one) for one in said.mistaken if one.object is not None]


def _explained(model: Any, said: Description, X: Any) -> list[dict[str, Any]]:
    """Explain rows of fit: those that were mistaken, and a prototype of each class.

    That a row is like itself says nothing, so its own landmark is left out.
    """
    if X is None:
        return []
    wrong = {one.index: one.truth for one in said.mistaken[:MOST_EXPLAINED]}
    firsts = [(some.prototypes[0].index, some.label) for some in said.classes if some.prototypes]
    typical = {row: label for row, label in firsts if row is not None}
    rows = list(dict.fromkeys([*wrong, *list(typical)[:MOST_TYPICAL]]))
    found = model._explanations(_rows_of(X, rows), REASONS, None, own=np.array(rows, np.intp))
    return [
        {
            "object": one.object,
            "truth": wrong.get(row, typical.get(row)),
            "prediction": one.prediction,
            "reasons": [_reason(reason) for reason in one.reasons if reason.index != row],
        }
        for row, one in zip(rows, found, strict=True)
    ]


def _rows_of(X: Any, rows: list[int]) -> Any:
    """Return some rows of what fit got."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "shape") else [X[row] for row in rows]


def _reason(one: Any) -> dict[str, Any]:
    return {
        "object": one.landmark,
        "label": one.label,
        "index": one.index,
        "value": one.value,
        "contribution": one.contribution,
        "block": one.block,
    }
