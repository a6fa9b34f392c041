"""`Assessment`: what was found out about a measure and a task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..estimating import pandas_for
from ..plotting.text import escaped, html_table
from .explained import Explained
from .grounds import skill
from .intervals import Curve, Estimate
from .observations import Observations
from .presenting import ENDS, next_line, ordered, side_by_side, summary
from .verdict import Sentence

if TYPE_CHECKING:
    from ..plotting import AssessmentDisplay
    from ..plotting.page import Document

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
