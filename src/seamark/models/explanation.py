"""Where in a string or a series the likeness to a landmark lies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import Window
from ..estimating import pandas_for
from ..measures import Measure
from ..plotting import ExplanationDisplay
from ..plotting.objects import aligned
from ..plotting.text import brief, escaped, visible

Floats = NDArray[np.float64]

CONTRASTED = 20  # near objects of each class, at most
START, END = "␂", "␃"
# Letters or steps looked at to say where a likeness lies, and steps of a warping path.
LOCATED_STEPS = 2000
# Letters or steps looked at to say where a likeness lies, and steps of a warping path.
PATH_STEPS = 300
# Letters, or steps of series, of near objects that are contrasted with one.
CONTRASTED_LETTERS = 4000
# Letters, or steps of series, of near objects that are contrasted with one.
CONTRASTED_STEPS = 600


def places_of(measure: Measure, thing: Any, landmark: Any) -> Floats | None:
    """Return how much each letter or time step is like the landmark, from 0 on; None: unknown.

    Whole strings and series are aligned with the landmark. A part, a substring or a window, is
    looked for: the place where it fits best counts 1, the rest 0.

    Examples
    --------
    >>> import seamark as sm
    >>> places_of(sm.measures.get("levenshtein"), "cart", "cat")
    array([1., 1., 0., 1.])
    >>> places_of(sm.measures.get("substring"), "oversea", "sea")
    array([0., 0., 0., 0., 1., 1., 1.])
    """
    if isinstance(thing, bytes):
        same = isinstance(landmark, bytes)
        both = thing.decode("latin-1"), landmark.decode("latin-1") if same else landmark
        return places_of(measure, *both)
    if isinstance(thing, str) and isinstance(landmark, str):
        parts = measure.compares_parts
        return _fitted(measure, thing, landmark) if parts else _same(thing, landmark)
    if measure.domain.name != "series" or not isinstance(thing, np.ndarray):
        return None
    series = np.atleast_2d(np.asarray(thing, dtype=np.float64))
    if isinstance(landmark, Window):
        return _window(measure, series, landmark)
    other = np.atleast_2d(np.asarray(landmark, dtype=np.float64))
    fits = other.ndim == series.ndim == 2 and len(other) == len(series)
    return _warped(series, other) if fits else None


def _same(thing: str, landmark: str) -> Floats | None:
    """1 for letters that stand over the same letter of the landmark."""
    if max(len(thing), len(landmark)) > LOCATED_STEPS or not thing:
        return None
    columns = [(a, b) for a, b in aligned(thing, landmark) if a]
    return np.array([float(a == b) for a, b in columns])


def _fitted(measure: Measure, thing: str, part: str) -> Floats | None:
    """1 where a substring fits best."""
    n, width = len(thing), len(part.strip(START + END))
    if not 0 < width <= n <= LOCATED_STEPS:
        return None
    starts = np.arange(n - width + 1)
    if part.startswith(START):
        starts = starts[:1]
    elif part.endswith(END):
        starts = starts[-1:]
    inner = part.strip(START + END)
    values = measure.cross([thing[a : a + width] for a in starts], [inner])[:, 0]
    return _stretch(n, int(starts[np.argmin(values)]), width)


def _window(measure: Measure, series: Floats, window: Window) -> Floats | None:
    """1 where a window of a series fits best."""
    n_values = np.atleast_2d(window.values).shape[1]
    span = (n_values - 1) * int(window.dilation) + 1 + int(window.differenced)
    n = series.shape[1]
    if not span <= n <= LOCATED_STEPS:
        return None
    pieces = [series[:, a : a + span] for a in range(n - span + 1)]
    values = measure.cross(pieces, [window])[:, 0]
    return _stretch(n, int(np.argmin(values)), span)


def _stretch(n: int, start: int, width: int) -> Floats:
    places = np.zeros(n)
    places[start : start + width] = 1.0
    return places


def _warped(series: Floats, other: Floats) -> Floats | None:
    """How near each time step is to those that warping puts beside it, in units of the farthest."""
    n, m = series.shape[1], other.shape[1]
    if not min(n, m):
        return None
    step = -(-max(n, m) // PATH_STEPS)  # of longer ones every few steps
    series, other = series[:, ::step], other[:, ::step]
    away = _along_path(((series[:, :, None] - other[:, None, :]) ** 2).sum(axis=0))
    most = float(away.max())
    near = 1.0 - np.sqrt(away / most) if most > 0 else np.ones(len(away))
    return np.repeat(near, step)[:n]


def _along_path(local: Floats) -> Floats:
    """Return the largest local cost of each row along the cheapest path through the matrix."""
    n, m = local.shape
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0.0
    for i in range(n):
        before = (np.minimum(cost[i, :-1], cost[i, 1:]) + local[i]).tolist()
        here, row = np.inf, []
        for start, step in zip(before, local[i].tolist(), strict=True):
            here = min(start, here + step)  # depends on the one before it in the row
            row.append(here)
        cost[i + 1, 1:] = row
    away, i, j = np.zeros(n), n, m
    while i and j:
        away[i - 1] = max(away[i - 1], local[i - 1, j - 1])
        ways = [(cost[i - 1, j - 1], i - 1, j - 1), (cost[i - 1, j], i - 1, j)]
        _, i, j = min(*ways, (cost[i, j - 1], i, j - 1))
    return away


def shared_out(reasons: list[Any], measure: Measure, thing: Any) -> Floats | None:
    """Return what each letter or time step adds, by the likeness to each reason's landmark.

    A landmark's contribution is shared out over the places that are like it, so all of it is
    there; None where places cannot be told.
    """
    whole: Floats | None = None
    for reason in reasons:
        places = places_of(measure, thing, reason.landmark)
        if places is None:
            return None
        total = float(places.sum())
        even = np.full(len(places), 1.0 / len(places))
        part = reason.contribution * (places / total if total > 0 else even)
        whole = part if whole is None else whole + part
    return whole


def contrasted(
    total: float, alike: list[Any], unlike: list[Any], measure: Measure, thing: Any
) -> Floats | None:
    """Share a sum out over the places that objects of one class have, and those of another lack.

    What all have in common says nothing; every place begins with the same share.

    Parameters
    ----------
    total : float
        What is shared out.
    alike, unlike : list of objects
        Near ones of the class that is asked about, and of its rival.
    measure : Measure
    thing : object

    Examples
    --------
    >>> import seamark as sm
    >>> edits = sm.measures.get("levenshtein")
    >>> contrasted(4.0, ["cart", "curt"], ["card", "cord"], edits, "cart").round(2)
    array([0.5 , 0.83, 0.5 , 2.17])
    """
    likeness = [_mean_of(some, measure, thing) for some in (alike, unlike)]
    if likeness[0] is None or likeness[1] is None:
        return None
    return np.asarray(total * (1.0 / len(likeness[0]) + likeness[0] - likeness[1]))


def _mean_of(landmarks: list[Any], measure: Measure, thing: Any) -> Floats | None:
    """Return how the likeness to some landmarks is spread over places, on average; sums to 1."""
    spread = []
    for landmark in landmarks[: _how_many(thing)]:
        places = places_of(measure, thing, landmark)
        if places is None:
            return None
        total = float(places.sum())
        spread.append(places / total if total > 0 else np.full(len(places), 1.0 / len(places)))
    return np.mean(spread, axis=0) if spread else None


def _how_many(thing: Any) -> int:
    """Return how many landmarks are looked at, fewer where each takes long."""
    letters = isinstance(thing, (str, bytes))
    steps = thing.shape[-1] if isinstance(thing, np.ndarray) and thing.ndim else 1
    length = max(1, len(thing) if letters else steps)
    most = CONTRASTED_LETTERS if letters else CONTRASTED_STEPS
    return min(CONTRASTED, max(3, most // length))


def stretch(thing: Any, where: NDArray[np.float64], most: int = 60) -> str:
    """Return the place of an object that adds most: letters between brackets, or steps of time.

    Examples
    --------
    >>> stretch("Susanna", np.array([0.0, 0.0, 0.0, 0.2, 0.2, 0.2, 0.2]))
    'Sus[anna]'
    >>> stretch(np.zeros(9), np.array([0, 0, 0, 1, 1, 1, 0, 0, 0.0]))
    'steps 3 to 5 of 9'
    """
    start, stop = heaviest(where)
    if not isinstance(thing, (str, bytes)):
        return f"steps {start} to {stop - 1} of {len(where)}"
    left, right = max(0, start - most // 2), stop + most // 2
    shown = [visible(thing[a:b], most) for a, b in ((left, start), (start, stop), (stop, right))]
    ends = "…" if left else "", "…" if right < len(thing) else ""
    return f"{ends[0]}{shown[0]}[{shown[1]}]{shown[2]}{ends[1]}"


def heaviest(where: NDArray[np.float64]) -> tuple[int, int]:
    """Return the stretch whose parts are well above the mean, in the direction of their sum.

    Examples
    --------
    >>> heaviest(np.array([0.0, 3.0, 2.0, 0.0, 1.0]))
    (1, 3)
    """
    turned = where * (1 if where.sum() >= 0 else -1)
    above = turned - turned.mean() - 0.25 * turned.std()
    best, found, start, running = -np.inf, (0, len(where)), 0, 0.0
    for stop, part in enumerate(above, start=1):  # the largest sum of neighbours
        if running <= 0:
            start, running = stop - 1, 0.0
        running += part
        if running > best:
            best, found = running, (start, stop)
    return found


# What an explanation consists of: landmarks, groups of them, examples, and the sum they make.


NOTHING = 5e-4  # contributions that are shown as 0
LITTLE = 0.01  # of what all groups add and take away


@dataclass(frozen=True)
class Reason:
    """One landmark's part in a prediction.

    Attributes
    ----------
    landmark : object
        The landmark itself (a pair of them, if values are differences).
    index : int or None
        The row of the training data that it is, or was cut from.
    label : object
        The label of that row, if it has one.
    value : float
        What the measure said of object and landmark.
    contribution : float
        What it adds to the score.
    share : float or None
        How much of the object is like this landmark, in the eyes of the model; None where
        landmarks are parts or columns, whose contributions are coefficients times features.
    block : str or None
        Which block it belongs to, if there are several.
    """

    landmark: Any
    index: int | None
    label: Any
    value: float
    contribution: float
    share: float | None = None
    block: str | None = None

    def __str__(self) -> str:
        row = "" if self.index is None else f"row {self.index}"
        label = "" if self.label is None else f"({brief(self.label, 30)})"
        share = "" if self.share is None else f"{self.share:4.0%} like"
        block = "" if self.block is None else visible(self.block, 60)
        shown, at = visible(self.landmark, 60), f"at {self.value:<7.4g}"
        parts = [signed(self.contribution), share, at, f"{row:9}", label, block, shown]
        return "  ".join(part for part in parts if part.strip())


@dataclass(frozen=True)
class Group:
    """Landmarks of one label and one block, and what they add together.

    Attributes
    ----------
    name : str
    n : int
        How many landmarks.
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
    """A prediction, and the landmarks that decided it, the strongest first.

    A score is `base` plus what the reasons and all others add: ``base + total``. Of classes it is
    that of `target` above the best other one, `rival`, so it is positive for what is predicted.

    Attributes
    ----------
    prediction : object
        The class or number that the model predicts; several numbers if it predicts several.
    reasons : list of Reason
        The landmarks that are shown, those that add or take away most first.
    total : float
        What all landmarks add to the score, shown or not.
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
        The reasons by label and block; these too add up to the score, with all others.
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

    @property
    def score(self) -> float:
        """What the model says of the object, above `rival` where there are classes."""
        return self.base + self.total

    @cached_property
    def saliency(self) -> NDArray[np.float64] | None:
        """Of strings and series, what each letter or step adds.

        It sums to what the reasons add; of several measures, to what those of `measure` add. Of
        classes, places count that near objects of `target` have and those of `rival` have not.
        """
        if self.measure is None:
            return None
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
        return [*lines, *groups, ("all others", self.score - grouped - sum(a for _, a in lines))]

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
                lines.append(f"nearest {name} it: {listed(some[:2])}")
        if self.counterfactual is not None:
            said = brief(self.counterfactual.prediction, 30)
            same = self.rival is None or self.counterfactual.prediction == self.rival
            other = f"that is predicted {said}" if same else f"with another prediction, {said}"
            lines.append(f"nearest {other}: {self.counterfactual}")
        if self.saliency is not None and len(self.saliency):
            lines.append(f"where: {stretch(self.object, self.saliency)}")
        return lines

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


def signed(number: float) -> str:
    """Return a contribution to three places, or four digits where it is large."""
    return f"{number:+.3f}" if abs(number) < 10 else f"{'+' if number > 0 else ''}{brief(number)}"


def listed(examples: Iterable[Example]) -> str:
    """Return a few examples in one line."""
    return "; ".join(map(str, examples))


# Explanations in notebooks: bars that need no style sheet, every text escaped.


FOR, AGAINST = "#4878a8", "#c8683c"
MOST_LETTERS = 200
CELL = "text-align:left;padding:2px 8px;vertical-align:top"


def explanation_html(explanation: Explanation) -> str:
    """Return an explanation as HTML: the sum, the landmarks, and what else there is to say."""
    lines = explanation.lines()
    largest = max([abs(added) for _, added in lines], default=0.0)
    sums = "".join(_line(name, added, largest) for name, added in lines)
    reasons = "".join(map(_reason, explanation.reasons))
    head = "".join(
        f"<th style='{CELL}'>{name}</th>" for name in ("adds", "like", "value", "label", "landmark")
    )
    remarks = "".join(f"<li>{escaped(line)}</li>" for line in _said(explanation))
    return (
        f"<div><p><b>{escaped(explanation.title)}</b></p>"
        f"<table>{sums}</table>"
        f"<details open><summary>the {len(explanation.reasons)} strongest</summary>"
        f"<table><tr>{head}</tr>{reasons}</table></details>"
        f"{_letters(explanation)}<ul>{remarks}</ul></div>"
    )


def _said(explanation: Explanation) -> list[str]:
    remarks = explanation.remarks()
    lettered = isinstance(explanation.object, str) and explanation.saliency is not None
    return [line for line in remarks if not (lettered and line.startswith("where: "))]


def _line(name: str, added: float, largest: float) -> str:
    width = 0.0 if largest == 0 else 160.0 * abs(added) / largest
    colour = FOR if added >= 0 else AGAINST
    bar = f"<div style='background:{colour};height:0.8em;width:{width:.0f}px'></div>"
    cells = (signed(added), bar, escaped(name))
    return "<tr>" + "".join(f"<td style='{CELL}'>{cell}</td>" for cell in cells) + "</tr>"


def _reason(reason: Reason) -> str:
    share = "" if reason.share is None else f"{reason.share:.0%}"
    label = "" if reason.label is None else escaped(brief(reason.label, 30))
    thing = escaped(reason.landmark, 80)
    if reason.block is not None:
        thing = f"<i>{escaped(reason.block, 30)}</i> {thing}"
    cells = (signed(reason.contribution), share, f"{reason.value:.4g}", label, thing)
    return "<tr>" + "".join(f"<td style='{CELL}'>{cell}</td>" for cell in cells) + "</tr>"


def _letters(explanation: Explanation) -> str:
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
