"""The report of an assessment: printed, as plain data for a page, as figures, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..data import pandas_for
from ..plotting.text import escaped, html_table, visible
from .curves import Curve, Estimate
from .facts import Observations
from .verdict import Sentence, skill

if TYPE_CHECKING:
    from ..plotting import AssessmentDisplay
    from ..plotting.page import Document


@dataclass(frozen=True)
class Explained:
    """Plain records of landmarks and predictions.

    Attributes
    ----------
    landmarks : list of dict
        object, label, index, note: typical landmarks of each class, and the share of its landmarks
        that each stands for; of numbers, of all.
    mistaken : list of dict
        object, truth, prediction, index: held-out objects that were mistaken most surely, or whose
        numbers were furthest off.
    explanations : list of dict
        object, truth, prediction, reasons; a reason has object, label, index, value and
        contribution, the strongest first. Of held-out objects, right and wrong ones.
    """

    landmarks: list[dict[str, Any]]
    mistaken: list[dict[str, Any]]
    explanations: list[dict[str, Any]]


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
    "slope": "How far objects fall short of a margin over pairs of landmarks, for each ramp.",
    "over pairs": "How many objects would miss a margin over pairs of landmarks.",
    "strong": "How many objects are not much more like their own class than like others.",
    "spectrum": "Eigenvalues of the values; negative ones show that the measure is no kernel.",
    "transfer": "Scores after plain values, their sign, and the best ramp of them.",
    "loss": "How the error falls as weights of landmarks may grow.",
}


def next_line(one: Assessment) -> str:
    """Return a line to go on with: a model if the measure is good, else what may be better."""
    level = one.verdict[0].level
    if one.task not in MODELS or level == "bad":
        return ""
    more = ", qid=qid" if one.task == "ranking" else ""
    if one.fitted is not None:
        measure, X = one.fitted
    else:
        if level != "good":
            known = one.domain in ("strings", "series", "sets", "vectors", "graphs")
            return f'print(sm.assess("auto", X, y{more}))' if known else ""
        own = one.title.endswith(")") and " " not in one.title
        measure, X = f"sm.measures.{one.title}" if own else "measure", "X"
    n = f"n_landmarks={int(one.curves['landmarks'].x[-1])}" if "landmarks" in one.curves else ""
    arguments = ", ".join(filter(None, (measure, n if measure else "")))
    return f"model = sm.{MODELS[one.task]}({arguments}).fit({X}, y{more})"


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


def bars(title: str, ylabel: str, groups: dict[str, dict[str, Estimate | None]]) -> dict[str, Any]:
    """Return a chart of groups of bars, each with its interval; None where there is no bar."""
    series = []
    for name, estimates in groups.items():
        sides = {
            key: [nan if one is None else float(getattr(one, end)) for one in estimates.values()]
            for key, end in (("y", "value"), ("low", "low"), ("high", "high"))
        }
        series.append({"name": name, "x": list(estimates), **sides})
    return {"kind": "bars", "title": title, "xlabel": "", "ylabel": ylabel, "series": series}


def side_by_side(some: Sequence[Assessment]) -> dict[str, Any]:
    """Return a chart of the scores of several measures."""
    groups = {
        name: {one.title: one.estimates.get(name) for one in some}
        for name in YARDSTICKS
        if any(name in one.estimates for one in some)
    }
    return bars("measures", some[0].score_name, groups)


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
        Typical landmarks, objects that were mistaken, and a few predictions with reasons.
    n_given, n_objects, n_references, n_evaluations, budget : int
        Counts: objects given, objects looked at, landmarks, evaluations spent, evaluations allowed.
    fitted : (str, str) or None
        What code gives a model as `measure=` and as X, where the measure was not named by the user.

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
    fitted: tuple[str, str] | None = None

    @property
    def skill(self) -> float:
        """How far the landmark model gets from a constant (0) towards a perfect score (1)."""
        if "landmark model" not in self.estimates:
            return 0.0
        return skill(self.estimates["landmark model"].value, self.estimates["constant"].value)

    def __repr__(self) -> str:
        return f"<Assessment of {self.title}, {self.task}: {self.verdict[0].level}>"

    def __str__(self) -> str:
        numbers = {name: str(estimate) for name, estimate in self.estimates.items()}
        numbers |= {name: f"{number:,}" for name, number in self.theory.items()}
        numbers |= {name: fact.text for name, fact in self.facts.every.items()}
        width = max(map(len, numbers), default=0)
        lines = [
            f"{self.title}: {self.task}, {self.n_objects} of {self.n_given} {self.domain}",
            f"{self.n_references} landmarks, {self.n_evaluations} of {self.budget} evaluations",
            "",
            *(f" {MARKS[sentence.level]} {sentence.text}" for sentence in self.verdict),
            "",
            *(f"   {name:<{width}}  {text}" for name, text in numbers.items()),
        ]
        return "\n".join(lines)

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
            value, remark); landmarks : list of {object, label, index, note}; mistaken : list of
            {object, truth, prediction, index}; explanations : list of {object, truth, prediction,
            reasons : list of {object, label, index, value, contribution}}. Objects are the user's
            own items.
        """
        facts, classes = [], self.task == "classification"
        for name, one in self.estimates.items():
            of_model = name == BALANCED or name.startswith("recall of ")
            remark = "of the landmark model" if of_model else ""
            scored = name in (*YARDSTICKS, *TRANSFERS)
            facts.append((name, str(one), self.score_name if scored else remark))
        facts += [(name, f"{n:,}", "what theorems ask for") for name, n in self.theory.items()]
        facts += [(fact.name, fact.text, fact.remark) for fact in self.facts.every.values()]
        explained = Explained([], [], []) if self.explained is None else self.explained
        # What the data are, what the score is compared with.
        seen = "" if self.n_objects == self.n_given else f", {self.n_objects} of them looked at"
        data = f"{self.n_given} {self.domain}{seen}; {self.task}"
        summary = [("data", data)]
        some = [
            f"{visible(e['object'], 40)} ({visible(e['truth'], 20)})"
            for e in explained.explanations[:EXAMPLES]
        ]
        if some and self.domain in ("strings", "objects"):
            summary.append(("for example", "; ".join(some)))
        if "landmark model" in self.estimates:
            score = str(self.estimates["landmark model"])
            summary.append((f"{self.score_name} on unseen rows", score))
        known = [
            f"{name} {self.estimates[name].value:.3g}"
            for name in ("constant", "nearest neighbour")
            if name in self.estimates
        ]
        if known:
            summary.append(("compared with", ", ".join(known)))
        return {
            "title": f"{self.title} for {self.task}",
            "domain": self.domain,
            "verdict": [{"level": one.level, "text": one.text} for one in self.verdict],
            "summary": summary,
            "code": next_line(self),
            "figures": ordered(self._figures()),
            "facts": facts,
            "landmarks": explained.landmarks,
            "landmarks_title": "Typical examples",
            "mistaken": explained.mistaken,
            "mistaken_title": "Most surely mistaken" if classes else "Furthest off",
            "explanations": explained.explanations,
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

    def to_html(
        self,
        path: Any,
        *,
        name: str | None = None,
        rows: Sequence[str] | None = None,
        overwrite: bool = False,
    ) -> Path:
        """Write one self-contained page: the verdict first, then all that supports it.

        Parameters
        ----------
        path : str or Path
        name : str, optional
            What is predicted and of what, such as "rating of movies.csv", for the title; default:
            the task, and how many objects of which kind.
        rows : sequence of str, optional
            What the rows of X are called; default: their numbers.
        overwrite : bool, default=False
            Replace the file if it exists.

        Returns
        -------
        Path
        """
        return written([self], path, overwrite, name, rows)

    def _figures(self) -> list[dict[str, Any]]:
        """Curves with equal axes share a figure."""
        figures: dict[tuple[str, str], dict[str, Any]] = {}
        for curve in self.curves.values():
            axes = curve.xlabel, curve.ylabel
            blank = {"kind": "line", "xlabel": axes[0], "ylabel": axes[1], "series": []}
            figures.setdefault(axes, blank)["series"].append(curve.series())
        for figure in figures.values():
            figure["title"] = ", ".join(series["name"] for series in figure["series"])
        found = list(figures.values())
        for title, names in (("yardsticks", YARDSTICKS), ("transfer functions", TRANSFERS)):
            known: dict[str, Any] = {n: self.estimates[n] for n in names if n in self.estimates}
            if known:
                found.append(bars(title, self.score_name, {self.score_name: known}))
        if self.facts.eigenvalues is not None:
            y = self.facts.eigenvalues[::-1].tolist()
            x = list(range(1, len(y) + 1))
            series = {"name": "eigenvalues", "x": x, "y": y, "low": None, "high": None}
            spectrum: dict[str, Any] = {"kind": "line", "title": "spectrum", "series": [series]}
            found.append({**spectrum, "xlabel": "rank", "ylabel": "eigenvalue"})
        return found


def written(
    assessments: Sequence[Assessment],
    path: Any,
    overwrite: bool,
    name: str | None = None,
    rows: Sequence[str] | None = None,
) -> Path:
    """Write a page of one assessment or several, which names rows and what is predicted."""
    from ..plotting import page

    documents = [cast("Document", _with_names(one.document(), rows)) for one in assessments]
    first = assessments[0]
    n = f"{first.n_given:,} {first.domain}"
    what = f"{first.task} of {n}" if name is None else f"{name} ({n})"
    best = first.estimates.get("landmark model")
    score = f": {first.score_name} {best.value:.2f} on unseen rows" if best else ""
    if len(assessments) == 1:
        documents[0]["title"] = f"{what}{score}, by {first.title}"
    else:
        documents[0]["heading"] = f"{what}{score}, by the best of {len(assessments)} measures"
    for document in documents[1:]:  # what is recommended is the best
        document["code"] = ""
    scored = [one for one in assessments if one.estimates]
    if len(assessments) > 1 and scored:
        documents[0]["chart"] = cast("Any", side_by_side(scored))
    return page.write(documents, path, overwrite=overwrite)


def _with_names(document: dict[str, Any], rows: Sequence[str] | None) -> dict[str, Any]:
    """Return a document whose landmarks and reasons have names of rows in place of numbers."""
    if rows is None:
        return document

    def named(some: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            one if one["index"] is None else {**one, "index": rows[one["index"]]} for one in some
        ]

    explanations = [{**one, "reasons": named(one["reasons"])} for one in document["explanations"]]
    shown = {name: named(document[name]) for name in ("landmarks", "mistaken")}
    return {**document, **shown, "explanations": explanations}


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
        rows = (
            (one.title, _judged(one), *(str(one.estimates.get(name, "")) for name in names))
            for one in self
        )
        return [("measure", "verdict", *names), *rows]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row for each measure, and all estimates.

        Intervals are columns of their own, such as ``landmark model low``.
        """
        pd = pandas_for("to_frame")
        rows = []
        for one in self:
            row: dict[str, Any] = {"measure": one.title, "verdict": _judged(one)}
            row |= {"score": one.score_name, "p_value": one.p_value, "skill": one.skill}
            for name, estimate in one.estimates.items():
                row |= {name: estimate.value}
                row |= {f"{name} low": estimate.low, f"{name} high": estimate.high}
            rows.append(row)
        return pd.DataFrame(rows)

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
        return AssessmentDisplay([side_by_side(scored)]).plot()

    def to_html(
        self,
        path: Any,
        *,
        name: str | None = None,
        rows: Sequence[str] | None = None,
        overwrite: bool = False,
    ) -> Path:
        """Write one self-contained page that compares the measures; see `Assessment.to_html`."""
        return written(self, path, overwrite, name, rows)


def _judged(one: Assessment) -> str:
    return one.verdict[0].text.partition(":")[0]
