"""Explanations: the record of what decided a prediction, and its two renderings, text and HTML."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..data import pandas_for
from ..plotting import ExplanationDisplay
from ..plotting.text import brief, escaped, html_table, visible
from .saliency import END, START, contrasted, shared_out, stretch

NOTHING = 5e-4  # contributions that are shown as 0
LITTLE = 0.01  # of what all groups add and take away
FULL = 3  # explanations that are printed whole; more become a table


@dataclass(frozen=True)
class Reason:
    """One thing's part in a prediction: of a landmark, an n-gram, a column, a stretch of time.

    Attributes
    ----------
    landmark : object
        The thing: a landmark itself (a pair of them, if values are differences), an n-gram, the
        name of a column.
    index : int or None
        Of a landmark, the row of the training data that it is, or was cut from.
    label : object
        The label of that row, if it has one.
    value : float
        What the measure said of object and landmark, or the column holds; else NaN.
    contribution : float
        What it adds to the score.
    share : float or None
        How much of the object is like this landmark, in the eyes of the model; None where
        contributions are coefficients times features.
    block : str or None
        Which block it belongs to, if there are several.
    where : tuple of (int, int)
        Stretches of the object, if it has places: the first letter, step or member, and that after
        the last. Of a set compared with single members, the one that is nearest to the landmark.
    """

    landmark: Any
    index: int | None
    label: Any
    value: float
    contribution: float
    share: float | None = None
    block: str | None = None
    where: tuple[tuple[int, int], ...] = ()

    @property
    def is_column(self) -> bool:
        """Whether it is no landmark, but a column and what that holds."""
        is_name = isinstance(self.landmark, str) and self.index is None and self.share is None
        return is_name and bool(np.isfinite(self.value))

    @property
    def is_part(self) -> bool:
        """Whether it is a part of strings: a landmark that no whole string is like."""
        return isinstance(self.landmark, str) and self.index is not None and self.share is None

    @property
    def is_member(self) -> bool:
        """Whether it is a member of another set, which `where` of this set is nearest to."""
        return bool(self.where) and type(self.landmark) is np.ndarray and self.landmark.ndim == 1

    @property
    def place(self) -> str:
        """Where in a series or a set it was found, in words; empty where that is not known."""
        if not self.where or isinstance(self.landmark, str):
            return ""
        start, stop = self.where[0]
        return f"nearest: member {start}" if self.is_member else f"steps {start} to {stop - 1}"

    @property
    def name(self) -> str:
        """What it is called: a column with what it holds, anything else by itself."""
        if self.is_part:
            before = "" if self.landmark.startswith(START) else "…"
            after = "" if self.landmark.endswith(END) else "…"
            return f"{before}{visible(self.landmark.strip(START + END), 60)}{after}"
        shown = visible(self.landmark, 60)
        return f"{shown} = {brief(self.value)}" if self.is_column else shown

    def __str__(self) -> str:
        share = "" if self.share is None else f"{self.share:4.0%} like"
        at = "" if self.is_column or np.isnan(self.value) else f"at {self.value:<7.4g}"
        row = "" if self.index is None else f"row {self.index}"
        label = "" if self.label is None else f"({brief(self.label, 30)})"
        block = "" if self.block is None else visible(self.block, 60)
        said = label, block, self.name, self.place
        parts = [signed(self.contribution), share, at, f"{row:9}", *said]
        return "  ".join(part for part in parts if part.strip())


@dataclass(frozen=True)
class Group:
    """Reasons of one label, or one direction, and one block, and what they add together.

    Attributes
    ----------
    name : str
    n : int
        How many reasons.
    contribution : float
    """

    name: str
    n: int
    contribution: float

    def __str__(self) -> str:
        return f"{signed(self.contribution)}  {self.name}"


@dataclass(frozen=True)
class Example:
    """A landmark for comparison: an object of fit, its label, and how near it is.

    Attributes
    ----------
    landmark : object
    index : int or None
    label : object
    value : float
        What the measure says of the object and this one.
    prediction : object
        What the model says of it, where that was asked.
    """

    landmark: Any
    index: int | None
    label: Any
    value: float
    prediction: Any = None

    def __str__(self) -> str:
        return f"{visible(self.landmark, 60)} ({brief(self.label, 30)}) at {self.value:.4g}"


@dataclass(frozen=True)
class Explanation:
    """A prediction, and what decided it, the strongest first.

    A score is `base` plus what the reasons and all others add: ``base + total``. Of classes it is
    that of `target` above the best other one, `rival`, so it is positive for what is predicted.

    Attributes
    ----------
    prediction : object
        The class or number that the model predicts; several numbers if it predicts several.
    reasons : list of Reason
        What is shown: landmarks, n-grams, columns or stretches of time that add or take away most.
    total : float
        What all reasons add to the score, shown or not.
    object : object
        What was predicted.
    domain : str
        What kind of object it is: "strings", "series", "sets", "vectors", …
    target, rival : object
        The class that was asked about, and the one it is compared with; None of numbers.
    base : float
        The score that an object without any reasons has: 0, the border of two classes, or that
        of an average object.
    groups : list of Group
        All reasons by block, and by label or direction; these too add up to the score, with all
        others.
    supporting, opposing : list of Example
        The nearest landmarks of the class asked about, and of other classes.
    counterfactual : Example or None
        The nearest landmark found of which the model says something else.
    fidelity : float or None
        How much of what the model sees of the object the shown mixture has: 1 is all.
    measure, block : Measure and str, or None
        What compared the object with the landmarks, and its name where there are several: then
        of the one that moves decisions most.
    alike, unlike : list of objects
        More of the nearest landmarks of `target` and of `rival`, for `saliency`.
    marks : ndarray or None
        What each letter or step adds, where the block that moves decisions most knows places.
    row : object
        The label of the row, from the index of a DataFrame; else its number.

    Examples
    --------
    >>> import seamark as sm
    >>> names = ["Anna", "Hanna", "Johanna", "Otto", "Ottokar", "Ottilo"] * 3
    >>> model = sm.LandmarkClassifier("levenshtein", random_state=0)
    >>> explanation = model.fit(names, ["f", "f", "f", "m", "m", "m"] * 3).explain("Susanna")
    >>> print(explanation.object, explanation.prediction, explanation.rival)
    Susanna f m
    >>> lines = explanation.lines()
    >>> bool(np.isclose(sum(added for _, added in lines), explanation.score))
    True
    """

    prediction: Any
    reasons: list[Reason]
    total: float
    object: Any = field(default=None, repr=False)
    domain: str = field(default="objects", repr=False)
    target: Any = None
    rival: Any = None
    base: float = 0.0
    groups: list[Group] = field(default_factory=list, repr=False)
    supporting: list[Example] = field(default_factory=list, repr=False)
    opposing: list[Example] = field(default_factory=list, repr=False)
    counterfactual: Example | None = field(default=None, repr=False)
    fidelity: float | None = None
    measure: Any = field(default=None, repr=False)
    block: str | None = field(default=None, repr=False)
    alike: list[Any] = field(default_factory=list, repr=False)
    unlike: list[Any] = field(default_factory=list, repr=False)
    marks: NDArray[np.float64] | None = field(default=None, repr=False)
    row: Any = None

    @property
    def score(self) -> float:
        """What the model says of the object, above `rival` where there are classes."""
        return self.base + self.total

    @cached_property
    def saliency(self) -> NDArray[np.float64] | None:
        """Of strings, series and sets, what each letter, step or member adds.

        It is that of the block that moves decisions most. Of n-grams, stretches of time and members
        it sums to all that they add; of landmarks to what the reasons add: places count that near
        objects of `target` have and those of `rival` have not.
        """
        if self.marks is not None or self.measure is None:
            return self.marks
        own = [one for one in self.reasons if one.block == self.block]
        total = float(sum(one.contribution for one in own))
        asked = self.alike, self.unlike, self.measure, self.object
        found = contrasted(total, *asked) if own and self.alike and self.unlike else None
        return shared_out(own, self.measure, self.object) if found is None else found

    @property
    def others(self) -> float:
        """What is added by all that is not among the reasons."""
        return self.total - sum(reason.contribution for reason in self.reasons)

    def lines(self) -> list[tuple[str, float]]:
        """Return what is added by what, in a few lines that sum to the score.

        What adds next to nothing is among the others.
        """
        lines = [("an average object", self.base)] if abs(self.base) > NOTHING else []
        least = LITTLE * sum(abs(group.contribution) for group in self.groups)
        groups = [(g.name, g.contribution) for g in self.groups if abs(g.contribution) >= least]
        grouped = sum(added for _, added in groups)
        rest = self.score - grouped - sum(added for _, added in lines)
        every = len(groups) == len(self.groups) > 0 and abs(rest) < 1e-9
        others = [] if every else [("all others", rest)]
        return [*lines, *groups, *others]

    @property
    def title(self) -> str:
        """The prediction in one line, with the score."""
        head = f"predicted {brief(self.prediction, 60)}"
        if self.rival is None:
            return f"{head}: score {signed(self.score)}"
        if str(self.rival) == f"not {self.target}":  # a label, which an object has or not
            return f"{head}: score {signed(self.score)} of {brief(self.target, 60)}"
        if self.target == self.prediction:
            return f"{head}, not {brief(self.rival, 60)}: score {signed(self.score)}"
        asked = f"{brief(self.target, 60)} instead of {brief(self.rival, 60)}"
        return f"{head}; {asked}: score {signed(self.score)}"

    def __str__(self) -> str:
        lines = [self.title, *(f"{signed(added)}  {name}" for name, added in self.lines())]
        if self.reasons:
            known = "" if self.fidelity is None else f" ({self.fidelity:.0%} of what it sees)"
            lines += [f"the {len(self.reasons)} strongest{known}:", *map(str, self.reasons)]
        lines += self.remarks()
        return "\n  ".join(lines)

    def remarks(self) -> list[str]:
        """Return what else there is to say: nearest examples, what would change it, where."""
        lines = []
        for name, some in (("for", self.supporting), ("against", self.opposing)):
            if some:
                lines.append(f"nearest {name} it: {'; '.join(map(str, some[:2]))}")
        if self.counterfactual is not None:
            said = brief(self.counterfactual.prediction, 30)
            same = self.rival is None or self.counterfactual.prediction == self.rival
            other = f"that is predicted {said}" if same else f"with another prediction, {said}"
            lines.append(f"nearest {other}: {self.counterfactual}")
        if self.saliency is not None and len(self.saliency):
            lines.append(f"where: {self._most()}")
        return lines

    def _most(self) -> str:
        """Return the place that adds most, in words."""
        where = cast("NDArray[np.float64]", self.saliency)
        if self.domain != "sets":
            return stretch(self.object, where)
        return f"member {int((where * np.sign(where.sum())).argmax())} of {len(where)}"

    def to_frame(self, rest: bool = False) -> Any:
        """Return the reasons as a pandas DataFrame, one row each.

        Parameters
        ----------
        rest : bool, default=False
            Whether to add a row for all others, and one for an average object if that is not 0:
            contributions then sum to the score.
        """
        pd = pandas_for("to_frame")
        reasons = list(self.reasons)
        if rest:
            reasons.append(Reason("all others", None, None, np.nan, self.others))
            if self.base:
                reasons.append(Reason("an average object", None, None, np.nan, self.base))
        columns = list(Reason.__dataclass_fields__)
        frame = pd.DataFrame(index=range(len(reasons)), columns=columns, dtype=object)
        for name in columns:  # as objects first: landmarks may be arrays, of unequal length even
            values = np.empty(len(reasons), dtype=object)
            for k, reason in enumerate(reasons):
                values[k] = getattr(reason, name)
            frame[name] = values
        return frame.astype({"value": float, "contribution": float, "share": float})

    def plot(self, ax: Any = None) -> ExplanationDisplay:
        """Draw the contributions, and the landmarks as what they are.

        Parameters
        ----------
        ax : matplotlib axes, optional
            For the bars; landmarks are drawn to the right of them.
        """
        return ExplanationDisplay.from_explanation(self, ax=ax)

    def _repr_html_(self) -> str:
        return explanation_html(self)


class Explanations(list[Explanation]):
    """Explanations of several objects: a list that prints as a table where they are many.

    Examples
    --------
    >>> import seamark as sm
    >>> names = ["Anna", "Hanna", "Johanna", "Otto", "Ottokar", "Ottilo"] * 3
    >>> model = sm.LandmarkClassifier("levenshtein", random_state=0)
    >>> model.fit(names, ["f", "f", "f", "m", "m", "m"] * 3).explain(names[:4], n_landmarks=1)
    row  predicted  score   because
    0    f          +1.053  +1.053 like 1 of f
    1    f          +1.053  +1.053 like 1 of f
    2    f          +1.053  +1.053 like 1 of f
    3    m          +0.947  +0.947 like 1 of m
    """

    def __str__(self) -> str:
        if len(self) <= FULL:
            return "\n".join(map(str, self))
        rows = [("row", "predicted", "score", "because"), *map(_cells, self)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        if len(self) <= FULL:
            return "".join(map(explanation_html, self))
        return html_table(map(_cells, self), ("row", "predicted", "score", "because"))

    def to_frame(self, rest: bool = False) -> Any:
        """Return the reasons of all objects as one pandas DataFrame.

        Its index is that of the rows that were explained. A row's prediction and score come first.

        Parameters
        ----------
        rest : bool, default=False
            As in `Explanation.to_frame`: contributions of a row then sum to its score.
        """
        pd = pandas_for("to_frame")
        frames = []
        for one in self:
            frame = one.to_frame(rest)
            frame.insert(0, "prediction", [one.prediction] * len(frame))
            frame.insert(1, "score", one.score)
            index = np.empty(len(frame), dtype=object)
            index[:] = [one.row] * len(frame)
            frames.append(frame.set_axis(pd.Index(index.tolist()), axis=0))
        return pd.concat(frames) if frames else Explanation(None, [], 0.0).to_frame()


def _cells(one: Explanation) -> tuple[str, str, str, str]:
    """Return an explanation as a line of a table."""
    groups = [f"{signed(g.contribution)} {visible(g.name, 40)}" for g in one.groups[:2]]
    return brief(one.row, 20), brief(one.prediction, 20), signed(one.score), "; ".join(groups)


def grouped(reasons: list[Reason], classes: bool) -> list[Group]:
    """Add up reasons by block, and by label or direction, the heaviest first.

    Parameters
    ----------
    reasons : list of Reason
    classes : bool
        Whether labels are classes; numbers are grouped by what they do.

    Examples
    --------
    >>> some = [Reason("a", 0, "f", 1.0, 0.5, 0.6), Reason("b", 1, "f", 1.0, 0.25, 0.4)]
    >>> print(grouped(some, True)[0])
    +0.750  like 2 of f
    """
    found: dict[tuple[Any, Any, Any], list[Reason]] = {}
    names: dict[Any, str] = {}  # of labels, which are few while reasons may be thousands
    for one in reasons:
        kind: Any = one.contribution >= 0
        if classes and one.label is not None:
            if one.label not in names:
                names[one.label] = brief(one.label, 30)
            kind = names[one.label]
        if one.block is None and one.is_column:  # each column by itself
            kind = one.name
        if one.is_part:  # those that a string lacks count too, and most cancel out
            kind = "parts"
        found.setdefault((one.block, one.share is None, kind), []).append(one)
    groups = [
        Group(_group_name(*key, some), len(some), float(sum(one.contribution for one in some)))
        for key, some in found.items()
    ]
    return sorted(groups, key=lambda group: -abs(group.contribution))


def _group_name(block: str | None, apart: bool, kind: Any, some: list[Reason]) -> str:
    lead, n = "" if block is None else f"{visible(block, 60)}: ", len(some)
    if some[0].is_member:
        return f"{lead}{_of_members(kind, some)}"
    if block is None and some[0].is_column:
        return some[0].name
    if isinstance(kind, str) and not some[0].is_part:
        return f"{lead}{n} landmarks of {kind}" if apart else f"{lead}like {n} of {kind}"
    if some[0].is_part or all(one.index is None for one in some):
        # N-grams, columns, stretches, categories, substrings.
        largest = sorted(some, key=lambda one: -abs(one.contribution))[:2]
        names = ", ".join(visible(one.name, 30) for one in largest)
        if names == block:
            return names
        return f"{lead}{names}{f' and {n - 2} more' if n > 2 else ''}"
    what = f"{n} landmark{'s' * (n > 1)}" if apart else f"like {n}"
    return f"{lead}{what} that {'raise' if kind else 'lower'}{'s' * (n == 1)} it"


def _of_members(kind: Any, some: list[Reason]) -> str:
    """Say of which sets the members are that a set was compared with, and which of its own decides.

    The member that decides is the one whose nearness to all of these adds most to their sum.
    """
    own: dict[int, float] = {}
    for one in some:
        own[one.where[0][0]] = own.get(one.where[0][0], 0.0) + one.contribution
    sign = 1 if sum(own.values()) >= 0 else -1
    most = max(own, key=lambda member: sign * own[member])
    n = f"{len(some)} member{'s' * (len(some) > 1)}"
    of = (
        f"of sets labelled {kind}"
        if isinstance(kind, str)
        else f"of sets that {'raise' if kind else 'lower'} it"
    )
    return f"how near it is to {n} {of}, mostly by its member {most}"


def signed(number: float) -> str:
    """Return a contribution to three places, or four digits where it is large."""
    return f"{number:+.3f}" if abs(number) < 10 else f"{'+' if number > 0 else ''}{brief(number)}"


# Explanations in notebooks: bars that need no style sheet, every text escaped.


FOR, AGAINST = "#4878a8", "#c8683c"
MOST_LETTERS = 200
CELL = "text-align:left;padding:2px 8px;vertical-align:top"


def explanation_html(explanation: Explanation) -> str:
    """Return an explanation as HTML: the sum, the landmarks, and what else there is to say."""
    lines = explanation.lines()
    largest = max([abs(added) for _, added in lines], default=0.0) or 1.0
    bar = "<div style='background:{};height:0.8em;width:{:.0f}px'></div>"
    sums = "".join(
        _row(
            signed(added),
            bar.format(FOR if added >= 0 else AGAINST, 160.0 * abs(added) / largest),
            escaped(name),
        )
        for name, added in lines
    )
    letters = letters_html(explanation)
    remarks = [one for one in explanation.remarks() if not (letters and one.startswith("where: "))]
    return (
        f"<div><p><b>{escaped(explanation.title)}</b></p><table>{sums}</table>"
        f"<details open><summary>the {len(explanation.reasons)} strongest</summary><table>"
        f"{_row('adds', 'like', 'value', 'label', 'landmark', tag='th')}"
        f"{''.join(map(_reason, explanation.reasons))}</table></details>"
        f"{letters}<ul>{''.join(f'<li>{escaped(one)}</li>' for one in remarks)}</ul></div>"
    )


def _row(*cells: str, tag: str = "td") -> str:
    inside = "".join(f"<{tag} style='{CELL}'>{cell}</{tag}>" for cell in cells)
    return f"<tr>{inside}</tr>"


def _reason(reason: Reason) -> str:
    share = "" if reason.share is None else f"{reason.share:.0%}"
    label = "" if reason.label is None else escaped(brief(reason.label, 30))
    block = "" if reason.block is None else f"<i>{escaped(reason.block, 30)}</i> "
    value = "" if np.isnan(reason.value) else f"{reason.value:.4g}"
    thing = f"{block}{escaped(reason.landmark, 80)}"
    return _row(signed(reason.contribution), share, value, label, thing)


def letters_html(explanation: Explanation) -> str:
    """Return a string with the letters that speak for it in one colour, and others in another."""
    thing: Any = explanation.object
    where = explanation.saliency
    if not isinstance(thing, str) or where is None or not len(where):
        return ""
    spread = float(np.abs(where).max()) or 1.0
    shown = []
    for letter, added in list(zip(thing, where, strict=True))[:MOST_LETTERS]:
        rgb = "72,120,168" if added >= 0 else "200,104,60"
        shade = f"background:rgba({rgb},{abs(added) / spread * 0.7:.2f})"
        shown.append(f"<span style='{shade}'>{escaped(letter)}</span>")
    rest = "…" if len(thing) > MOST_LETTERS else ""
    return f"<p>where: <code style='letter-spacing:1px'>{''.join(shown)}{rest}</code></p>"
