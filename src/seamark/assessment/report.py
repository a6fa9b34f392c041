"""The quick model's landmarks and reasons, as the user's own objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from ..estimating import pandas_for
from ..linear_model import coefficients_of
from ..maps.base import Contribution
from ..measures import Columns
from ..models.explain import Evidence, Profiles, evidence_of, of_classes, of_numbers, strongest
from ..models.explanation import Reason
from ..plotting.text import escaped, html_table, visible
from .curves import Bench, Curve, Estimate
from .facts import Observations
from .verdict import Sentence, skill
from .yardsticks import Tried

if TYPE_CHECKING:
    from ..plotting import AssessmentDisplay
    from ..plotting.page import Document


MOST_LANDMARKS = 24
MOST_OBJECTS = 12
REASONS = 5


@dataclass(frozen=True)
class Explained:
    """Plain records of landmarks and predictions.

    Attributes
    ----------
    landmarks : list of dict
        object, label, index, weight; the heaviest first. A weight is the size of the coefficient
        times the deviation of the feature: by how much the landmark moves scores.
    explanations : list of dict
        object, truth, prediction, reasons; a reason has object, label, index, value and
        contribution, the strongest first. Of held-out objects, right and wrong ones.
    """

    landmarks: list[dict[str, Any]]
    explanations: list[dict[str, Any]]


def explain(bench: Bench, model: Tried, X: Any) -> Explained:
    """Say which landmarks weigh most, and what decided a few held-out objects."""
    # A coefficient of a feature that hardly varies may be huge and still move nothing.
    spread = bench.features(model.transfer)[0].std(axis=0, dtype=np.float64)
    weights = np.linalg.norm(coefficients_of(model.head), axis=0) * spread  # over all outputs
    landmarks = []
    for j in strongest(weights, MOST_LANDMARKS):
        index = None if bench.sample.reference is None else int(bench.sample.reference[j])
        label = None if index is None else _plain(bench.task.labels[index])
        shown = _object(bench.sample.landmarks[int(j)])
        landmarks.append(
            {"object": shown, "label": label, "index": index, "weight": float(weights[j])}
        )
    some = _shown(bench, model)
    block = _Known(bench, model, some)
    if bench.task.n_classes:
        decided = of_classes(model.head, np.arange(bench.task.n_classes), block.features, None)
    else:
        scores = model.head.predict(block.features)
        decided = of_numbers(model.head, block.features, model.predictions[some], scores)
    explanations = []
    for i, told in zip(some, evidence_of(block, decided.weights, decided, REASONS), strict=True):
        row = int(bench.sample.test[i])
        explanations.append(
            {
                "object": row if isinstance(bench.sample.landmarks, Columns) else X[row],
                "truth": _plain(bench.task.labels[row]),
                "prediction": _plain(bench.task.shown(model.predictions[i])),
                "reasons": [_reason(one) for one in told.reasons],
            }
        )
    return Explained(landmarks, explanations)


class _Known(Evidence):
    """What was seen of some test rows, for explanations as models give them.

    No value is computed for it: only landmarks that were learned from too have features of their
    own, and objects are mixtures of these, if there are enough of them.
    """

    def __init__(self, bench: Bench, model: Tried, some: NDArray[np.intp]) -> None:
        learn, test = bench.features(model.transfer)
        sample = bench.sample
        self.map, self.name, self.means = bench.bearings, None, learn.mean(axis=0)
        self.labels = None if sample.reference is None else bench.task.labels[sample.reference]
        place = {int(row): k for k, row in enumerate(sample.learn)}
        rows = [] if sample.reference is None else sample.reference.tolist()
        known = np.array([row in place for row in rows], dtype=bool)
        self.mixes = np.count_nonzero(known) > REASONS
        self.profiles = Profiles(lambda places: learn[[place[rows[int(j)]] for j in places]])
        self.values = sample.values[len(sample.learn) + some]
        if self.mixes:
            self.values[:, ~known] = np.nan
        self.features = test[some]
        self._kind = bench.kind

    def contributions(self, weights: NDArray[Any]) -> list[list[Contribution]]:
        """Return what each landmark adds."""
        return self.map.by_landmark(self.features, self.values, weights, self.means)  # type: ignore[no-any-return]

    @property
    def kind(self) -> str | None:
        """Declared, or seen."""
        return self._kind


def _shown(bench: Bench, model: Tried) -> NDArray[np.intp]:
    """Some objects: badly and well predicted ones by turns."""
    truth = bench.task.learned[bench.sample.test]
    wrong = (
        model.predictions != truth if bench.task.n_classes else np.abs(model.predictions - truth)
    )
    order = np.argsort(-np.asarray(wrong, dtype=float), kind="stable")
    half = min(MOST_OBJECTS, len(order)) // 2
    return np.concatenate([order[:half], order[::-1][:half]])


def _reason(reason: Reason) -> dict[str, Any]:
    return {
        "object": _object(reason.landmark),
        "label": _plain(reason.label),
        "index": reason.index,
        "value": reason.value,
        "contribution": reason.contribution,
    }


def _object(landmark: Any) -> Any:
    """Return a landmark to be shown; a matrix's are known by their columns only."""
    return int(landmark.indices[0]) if isinstance(landmark, Columns) else landmark


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


# What a report page shows first: titles, a summary, a line to copy, and charts in their order.


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


# `Assessment`: what was found out about a measure and a task.


YARDSTICKS = ("constant", "nearest neighbour", "average vote", "landmark model")
TRANSFERS = ("plain values", "best ramp", "sign")
BALANCED = "balanced accuracy"
MARKS = {"good": "+", "warn": "!", "bad": "x", "info": "-"}


@dataclass(frozen=True, repr=False)
class Assessment:
    """A verdict on a measure for a task, and the numbers behind it; prints itself.

    Attributes
    ----------
    title : str
        The measure.
    domain : str
        What the objects are.
    task : str
        "classification", "regression", "ordinal" or "ranking".
    score_name : str
        What `estimates` of models are: accuracy, R², absolute error removed, NDCG.
    verdict : list of Sentence
        With a level and a text each, the judgement first.
    p_value : float
        How often shuffled targets are predicted as well as the true ones.
    estimates : dict of Estimate
        Numbers with bootstrap intervals, on held-out objects, by name.
    curves : dict of Curve
        The same over a grid.
    facts : Observations
        What the values show of the measure.
    theory : dict of int
        How many landmarks theorems ask for, by name.
    explained : Explained or None
        The landmarks that matter to the quick model, and a few predictions with reasons.
    n_given, n_objects, n_references, n_evaluations, budget : int
        Counts: objects given, objects looked at, landmarks, evaluations spent, evaluations allowed.

    Examples
    --------
    >>> import seamark as sm
    >>> found = sm.assess("euclidean", [[k] for k in range(60)], [k > 29 for k in range(60)])
    >>> found.task, found.verdict[0].level, found.n_evaluations <= found.budget
    ('classification', 'good', True)
    """

    title: str
    domain: str
    task: str
    score_name: str
    verdict: list[Sentence]
    p_value: float
    estimates: dict[str, Estimate]
    curves: dict[str, Curve]
    facts: Observations
    theory: dict[str, int]
    explained: Explained | None
    n_given: int
    n_objects: int
    n_references: int
    n_evaluations: int
    budget: int

    @property
    def skill(self) -> float:
        """How far the landmark model gets from a constant (0) towards a perfect score (1)."""
        if "landmark model" not in self.estimates:
            return 0.0
        return skill(self.estimates["landmark model"].value, self.estimates["constant"].value)

    def __repr__(self) -> str:
        return f"<Assessment of {self.title}, {self.task}: {self.verdict[0].level}>"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.title}: {self.task}, {self.n_objects} of {self.n_given} {self.domain}"
        yield (f"{self.n_references} landmarks, {self.n_evaluations} of {self.budget} evaluations")
        yield ""
        for sentence in self.verdict:
            yield f" {MARKS[sentence.level]} {sentence.text}"
        yield ""
        width = max(map(len, [*self.estimates, *self.facts.every, *self.theory]), default=0)
        for name, estimate in self.estimates.items():
            yield f"   {name:<{width}}  {estimate}"
        for name, number in self.theory.items():
            yield f"   {name:<{width}}  {number:,}"
        for name, fact in self.facts.every.items():
            yield f"   {name:<{width}}  {fact.text}"

    def _repr_html_(self) -> str:
        said = "".join(f"<li>{escaped(sentence.text)}</li>" for sentence in self.verdict)
        table = html_table([(name, str(one)) for name, one in self.estimates.items()])
        return f"<h4>{escaped(self.title)}</h4><ul>{said}</ul>{table}"

    def to_frame(self) -> Any:
        """Return the estimates as a pandas DataFrame: value, low and high end by name."""
        pd = pandas_for("to_frame")
        rows = {name: (one.value, one.low, one.high) for name, one in self.estimates.items()}
        return pd.DataFrame.from_dict(rows, orient="index", columns=["value", "low", "high"])

    def document(self) -> dict[str, Any]:
        """Return everything as plain data, for a page to show.

        Returns
        -------
        dict
            title, domain, code : str; verdict : list of {level, text}; summary : list of (name,
            value); figures : list of {kind, title,
            xlabel, ylabel, series : list of {name, x, y, low, high}}; facts : list of (name,
            value, remark); landmarks : list of {object, label, index, weight}; explanations : list
            of {object, truth, prediction, reasons : list of {object, label, index, value,
            contribution}}. Objects are the user's own items.
        """
        known = [(name, str(one), self._remark(name)) for name, one in self.estimates.items()]
        asked = [(name, f"{n:,}", "what theorems ask for") for name, n in self.theory.items()]
        seen = [(fact.name, fact.text, fact.remark) for fact in self.facts.every.values()]
        nothing: list[dict[str, Any]] = []
        return {
            "title": f"{self.title} for {self.task}",
            "domain": self.domain,
            "verdict": [{"level": one.level, "text": one.text} for one in self.verdict],
            "summary": summary(self),
            "code": next_line(self),
            "figures": ordered(self._figures()),
            "facts": known + asked + seen,
            "landmarks": nothing if self.explained is None else self.explained.landmarks,
            "explanations": nothing if self.explained is None else self.explained.explanations,
        }

    def plot(self) -> AssessmentDisplay:
        """Draw all curves, scores and the spectrum with matplotlib.

        Returns
        -------
        AssessmentDisplay
            Has `figure_` and `axes_`.
        """
        from ..plotting import AssessmentDisplay

        return AssessmentDisplay.from_assessment(self)

    def to_html(self, path: Any, *, overwrite: bool = False) -> Path:
        """Write one self-contained page: the verdict first, then all that supports it.

        Parameters
        ----------
        path : str or Path
        overwrite : bool, default=False
            Replace the file if it exists.

        Returns
        -------
        Path
        """
        return written([self], path, overwrite)

    def _remark(self, name: str) -> str:
        if name in (*YARDSTICKS, *TRANSFERS):
            return self.score_name
        by_classes = name == BALANCED or name.startswith("recall of ")
        return "of the landmark model" if by_classes else ""

    def _figures(self) -> list[dict[str, Any]]:
        """Curves with equal axes share a figure."""
        figures: dict[tuple[str, str], dict[str, Any]] = {}
        for curve in self.curves.values():
            x, y = curve.xlabel, curve.ylabel
            blank = {"kind": "line", "xlabel": x, "ylabel": y, "series": []}
            figures.setdefault((x, y), blank)["series"].append(curve.series())
        for figure in figures.values():
            figure["title"] = ", ".join(series["name"] for series in figure["series"])
        bars = [*self._bars("yardsticks", YARDSTICKS), *self._bars("transfer functions", TRANSFERS)]
        return [*figures.values(), *bars, *self._spectrum()]

    def _spectrum(self) -> list[dict[str, Any]]:
        if self.facts.eigenvalues is None:
            return []
        y = self.facts.eigenvalues[::-1].tolist()
        x = list(range(1, len(y) + 1))
        series = {"name": "eigenvalues", "x": x, "y": y, "low": None, "high": None}
        figure = {"kind": "line", "title": "spectrum", "xlabel": "rank", "ylabel": "eigenvalue"}
        return [{**figure, "series": [series]}]

    def _bars(self, title: str, names: Sequence[str]) -> list[dict[str, Any]]:
        known = {name: self.estimates[name] for name in names if name in self.estimates}
        if not known:
            return []
        sides = {k: [getattr(one, e) for one in known.values()] for k, e in ENDS.items()}
        bars = {"name": self.score_name, "x": list(known), **sides}
        figure = {"kind": "bars", "title": title, "xlabel": "", "ylabel": self.score_name}
        return [{**figure, "series": [bars]}]


def written(assessments: Sequence[Assessment], path: Any, overwrite: bool) -> Path:
    """Write a page of one assessment or several."""
    from ..plotting import page

    documents = [cast("Document", one.document()) for one in assessments]
    scored = [one for one in assessments if one.estimates]
    if len(assessments) > 1 and scored:
        documents[0]["chart"] = cast("Any", side_by_side(scored, YARDSTICKS))
    return page.write(documents, path, overwrite=overwrite)


# `Comparison`: assessments of several measures on the same objects.


SHOWN = ("landmark model", "constant", "nearest neighbour", BALANCED)


class Comparison(list[Assessment]):
    """Assessments of several measures, the best first; prints itself as a table.

    All were made on the same objects. Best is the largest skill of the landmark model; useless
    measures come last.

    Examples
    --------
    >>> import seamark as sm
    >>> numbers, large = [[k] for k in range(60)], [k > 29 for k in range(60)]
    >>> found = sm.assess(["euclidean", lambda x, y: 0.0], numbers, large)
    >>> [one.verdict[0].level for one in found]
    ['good', 'bad']
    >>> found.to_frame().shape[0]
    2
    """

    def __str__(self) -> str:
        lines = self._lines()
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        lines = self._lines()
        return html_table(lines[1:], lines[0])

    def _lines(self) -> list[tuple[str, ...]]:
        """Return a table: its head, and a line for each measure."""
        names = [name for name in SHOWN if any(name in one.estimates for one in self)]
        return [("measure", "verdict", *names), *(_cells(one, names) for one in self)]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row for each measure, and all estimates.

        Intervals are columns of their own, such as ``landmark model low``.
        """
        pd = pandas_for("to_frame")
        return pd.DataFrame([_row(one) for one in self])

    def plot(self) -> AssessmentDisplay:
        """Draw the scores of all measures side by side with matplotlib.

        Returns
        -------
        AssessmentDisplay
            Has `figure_` and `axes_`.
        """
        from ..plotting import AssessmentDisplay

        scored = [one for one in self if one.estimates]
        if not scored:
            raise ValueError(
                "every measure gives all pairs one value, so there is no score to draw."
            )
        return AssessmentDisplay([side_by_side(scored, YARDSTICKS)]).plot()

    def to_html(self, path: Any, *, overwrite: bool = False) -> Path:
        """Write one self-contained page that compares the measures; see `Assessment.to_html`."""
        return written(self, path, overwrite)


def _cells(one: Assessment, names: list[str]) -> tuple[str, ...]:
    scores = (str(one.estimates.get(name, "")) for name in names)
    return (one.title, _judged(one), *scores)


def _judged(one: Assessment) -> str:
    return one.verdict[0].text.partition(":")[0]


def _row(one: Assessment) -> dict[str, Any]:
    row = {
        "measure": one.title,
        "verdict": _judged(one),
        "score": one.score_name,
        "p_value": one.p_value,
        "skill": one.skill,
    }
    for name, estimate in one.estimates.items():
        row |= {name: estimate.value, f"{name} low": estimate.low, f"{name} high": estimate.high}
    return row
