"""What an explanation consists of: landmarks, groups of them, examples, and the sum they make."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..estimating import pandas_for
from ..plotting import ExplanationDisplay
from ..plotting.text import brief, visible
from .where import contrasted, shared_out, stretch

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
        More of the nearest landmarks of `target` and of `rival`, for `where`.

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
    def where(self) -> NDArray[np.float64] | None:
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
        if self.where is not None and len(self.where):
            lines.append(f"where: {stretch(self.object, self.where)}")
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
        from .notebook import explanation_html

        return explanation_html(self)


def signed(number: float) -> str:
    """Return a contribution to three places, or four digits where it is large."""
    return f"{number:+.3f}" if abs(number) < 10 else f"{'+' if number > 0 else ''}{brief(number)}"


def listed(examples: Iterable[Example]) -> str:
    """Return a few examples in one line."""
    return "; ".join(map(str, examples))
