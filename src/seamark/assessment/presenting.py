"""What a report page shows first: titles, a summary, a line to copy, and charts in their order."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import TYPE_CHECKING, Any

from ..plotting.text import visible

if TYPE_CHECKING:
    from .assessment import Assessment

EXAMPLES = 3
MODELS = {
    "classification": "LandmarkClassifier",
    "regression": "LandmarkRegressor",
    "ordinal": "LandmarkOrdinal",
    "ranking": "LandmarkRanker",
}
FIRST = ("yardsticks", "landmarks")
NOTES = {
    "margin": "How many objects would be on the wrong side if a margin were asked for.",
    "hinge": "The same with a soft margin: how much objects fall short of it on average.",
    "strong": "How many objects are not much more like their own class than like others.",
    "spectrum": "Eigenvalues of the values; negative ones show that the measure is no kernel.",
    "transfer": "Scores after plain values, their sign, and the best ramp of them.",
    "loss": "How the error falls as weights of landmarks may grow.",
}


def summary(one: Assessment) -> list[tuple[str, str]]:
    """Return what the data are, what the score is compared with, and how many landmarks do."""
    rows = [("data", f"{one.n_given} {one.domain}, {one.n_objects} of them looked at; {one.task}")]
    explained = [] if one.explained is None else one.explained.explanations
    some = [f"{visible(e['object'], 40)} ({visible(e['truth'], 20)})" for e in explained[:EXAMPLES]]
    if some and one.domain in ("strings", "objects"):
        rows.append(("for example", "; ".join(some)))
    known = [
        f"{name} {one.estimates[name].value:.3g}"
        for name in ("constant", "nearest neighbour")
        if name in one.estimates
    ]
    if "landmark model" in one.estimates:
        rows.append((f"{one.score_name} on unseen objects", str(one.estimates["landmark model"])))
    if known:
        rows.append(("compared with", ", ".join(known)))
    return rows


def next_line(one: Assessment) -> str:
    """Return a line that fits a model with this measure; nothing for one that is useless."""
    if one.task not in MODELS or one.verdict[0].level == "bad":
        return ""
    what = one.title if one.title.endswith(")") and " " not in one.title else "measure"
    measure = f"sm.measures.{what}" if what != "measure" else what
    n = f", n_landmarks={int(one.curves['landmarks'].x[-1])}" if "landmarks" in one.curves else ""
    given = "X, y, qid=qid" if one.task == "ranking" else "X, y"
    return f"model = sm.{MODELS[one.task]}({measure}{n}).fit({given})"


def ordered(figures: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return yardsticks and the curve of landmarks first; the others folded, with a sentence."""
    first: dict[int, dict[str, Any]] = {}
    rest = []
    for figure in figures:
        text = f"{figure['title']} {figure['xlabel']}"
        place = next((k for k, word in enumerate(FIRST) if word in text), None)
        if place is not None and place not in first:
            first[place] = figure
        else:
            note = next((said for word, said in NOTES.items() if word in text), "")
            rest.append({**figure, "folded": True, "note": note})
    return [first[k] for k in sorted(first)] + rest


def side_by_side(some: Sequence[Assessment], names: Sequence[str]) -> dict[str, Any]:
    """Return a chart of the scores of several measures."""
    known = [name for name in names if any(name in one.estimates for one in some)]
    return {
        "kind": "bars",
        "title": "measures",
        "xlabel": "",
        "ylabel": some[0].score_name,
        "series": [bars(name, some) for name in known],
    }


def bars(name: str, some: Sequence[Assessment]) -> dict[str, Any]:
    """Return one score of several measures."""
    estimates = [one.estimates.get(name) for one in some]

    def ends(end: str) -> list[float]:
        return [nan if one is None else float(getattr(one, end)) for one in estimates]

    titles = [one.title for one in some]
    return {"name": name, "x": titles, **{k: ends(e) for k, e in ENDS.items()}}


ENDS = {"y": "value", "low": "low", "high": "high"}
