"""The verdict: sentences that follow from numbers by thresholds that stand here.

Every threshold is a constant of this module, with the reason for its value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .curves import Curve, Estimate, enough
from .facts import Observations


@dataclass(frozen=True)
class Grounds:
    """The numbers a verdict follows from.

    Attributes
    ----------
    p_value : float
        Of the permutation test.
    score_name : str
    n_test : int
        Held-out objects.
    base, model : Estimate
        Scores of the best constant and of the landmark model.
    nearest : Estimate or None
        Score of the nearest neighbour.
    direction : Estimate or None
        Weak γ, or the alignment: positive if objects with similar targets are alike.
    gain : Estimate or None
        Of the best ramp over the identity.
    slope : float
        Of that ramp.
    landmarks : Curve or None
        Scores over numbers of landmarks.
    chosen : Curve or None
        The same, chosen greedily.
    as_similarity, as_kernel : float or None
        Margins of the hinge loss reached, as a similarity and, of a kernel, in its own space.
    balanced : Estimate or None
        Mean recall of the classes, by the landmark model.
    recalls : dict of Estimate
        Recall of each class by its name.
    facts : Observations
    """

    facts: Observations
    p_value: float
    score_name: str
    n_test: int
    base: Estimate
    model: Estimate
    nearest: Estimate | None = None
    direction: Estimate | None = None
    gain: Estimate | None = None
    slope: float = 1.0
    landmarks: Curve | None = None
    chosen: Curve | None = None
    as_similarity: float | None = None
    as_kernel: float | None = None
    balanced: Estimate | None = None
    recalls: dict[str, Estimate] = field(default_factory=dict)

    @property
    def beats_constant(self) -> bool:
        """Whether the landmark model's interval lies above a constant's score, as shown."""
        return as_shown(self.model.low) > as_shown(self.base.value)


def as_shown(number: float) -> float:
    """Return a number as readers see it, so that sentences agree with the numbers shown.

    Examples
    --------
    >>> as_shown(0.44449)
    0.444
    """
    return float(f"{number:.3g}")


def skill(score: float, base: float) -> float:
    """Return how far a score gets from a constant's (0) towards a perfect one (1).

    Examples
    --------
    >>> skill(0.9, 0.5)
    0.8
    """
    return (score - base) / (1 - base) if base < 1 else 0.0


# The verdict: sentences that follow from numbers by thresholds that stand here.


Level = Literal["good", "warn", "bad", "info"]

USELESS_P = 0.01
"""A score that shuffled targets reach more often than this is no sign of use: of a hundred useless
measures, one is taken for better."""
DOUBTFUL_P = 0.05
"""Up to this, chance is no good explanation either: of a hundred useless measures, four are left
undecided, and a useful one of few objects is not thrown away."""
FEW_OBJECTS = 40
"""Held-out objects below which chance hides much, and a large p is no verdict."""
GOOD_SKILL = 0.5
"""Share of what a constant leaves open that the landmark model gains: half is good."""
WEAK_SKILL = 0.15
"""Below this a measure that is not useless is weak."""
INDEFINITE = 0.01
"""Share of negative spectrum from which an SVM's dual is no longer nearly convex."""
ASYMMETRIC = 0.005
"""Mean asymmetry, in shares of the range, from which the order of arguments matters."""
DUPLICATES = 0.05
"""Share of objects equal to others of their target from which held-out scores are too good."""
CONTRADICTORY = 0.01
"""Share of objects equal to one of another class that no model can get right."""
TRIANGLES = 0.001
"""Share of broken triangles from which exact metric indexes lose neighbours."""
ENOUGH = 0.98
"""Share of the gain over a constant at which landmarks are enough."""
FLAT_ROWS = 0.05
"""Share of objects with constant values from which they are mentioned."""
STRANGE_SELF = 0.05
"""Share of objects more similar to others than to themselves from which they are mentioned."""
MOST_NAMED = 3
"""Classes that a sentence names; more are counted."""
VISIBLE_GAIN = 0.0
"""A transfer pays if the low end of its gain's interval is above this."""


@dataclass(frozen=True)
class Sentence:
    """One sentence of a verdict.

    Examples
    --------
    >>> Sentence("info", "Asymmetric.").level
    'info'
    """

    level: Level
    text: str


CONSTANT = Sentence(
    "bad",
    "Constant: the measure gives every pair the same value, so nothing can be learned from it.",
)
"""All there is to say where all values are the same."""


def sentences(evidence: Grounds) -> list[Sentence]:
    """Return the verdict, the judgement first.

    Examples
    --------
    >>> from seamark.assessment.curves import Estimate
    >>> model, constant = Estimate(0.5, 0.4, 0.6), Estimate(0.52, 0.42, 0.62)
    >>> evidence = Grounds(Observations({}), 0.4, "accuracy", 100, model, constant)
    >>> print(sentences(evidence)[0].text.partition(";")[0])
    Useless for this task: no better than shuffled targets (p = 0.4)
    """
    found = [_judgement(evidence), *_unseen(evidence), *_copies(evidence.facts)]
    # Of a useless measure all else is chance.
    if evidence.p_value <= USELESS_P and evidence.beats_constant:
        found += [*_neighbours(evidence), *_how_many(evidence)]
        if evidence.gain is not None and evidence.gain.low > VISIBLE_GAIN:
            text = f"A ramp of slope {evidence.slope:g} gains {evidence.gain} over plain values: "
            found.append(Sentence("info", text + 'try transfer="ramp" or a decay.'))
        found += _as_a_kernel(evidence)
    return [*found, *_nature(evidence.facts)]


def _judgement(e: Grounds) -> Sentence:
    reached = f"{e.score_name} {e.model} on unseen rows, baseline (a constant) {e.base.value:.3g}"
    few, more = e.n_test < FEW_OBJECTS, "Look at more objects."
    if e.p_value > USELESS_P:  # a score that shuffled targets reach as well
        chance = f"shuffled targets (p = {e.p_value:.2g}); {reached}. "
        if few or e.p_value <= DOUBTFUL_P or e.beats_constant:
            text = f"Undecided: {e.n_test} held-out objects do not show whether it is better than "
            return Sentence("warn", text + chance + more)
        text = "Useless for this task: no better than "
        return Sentence("bad", text + chance + "Take another measure.")
    if not e.beats_constant:
        text = f"No better than a constant: {reached}, though shuffled targets do worse (p = "
        text += f"{e.p_value:.2g}). "
        return Sentence("warn", text + (more if few else "Compare other measures."))
    gained = skill(e.model.value, e.base.value)
    if gained >= GOOD_SKILL:
        return Sentence("good", f"Good for this task: {reached}.")
    text = "Weak: better than a constant, but not by much; "
    if gained >= WEAK_SKILL:
        text = "Of some use for this task: "
    return Sentence("warn", f"{text}{reached}. Compare other measures.")


def _unseen(e: Grounds) -> list[Sentence]:
    """Name classes that are never recognised, which accuracy hides where they are rare."""
    lost = [name for name, recall in e.recalls.items() if recall.value == 0]
    if not lost or e.balanced is None:
        return []
    rest = f" and {len(lost) - MOST_NAMED} more" if len(lost) > MOST_NAMED else ""
    text = f"Never recognised: {', '.join(lost[:MOST_NAMED])}{rest}. All held-out objects of "
    text += "this class" if len(lost) == 1 else "these classes"
    text += " are predicted as another"
    return [Sentence("warn", f"{text}. The balanced accuracy is {e.balanced}.")]


def _copies(facts: Observations) -> list[Sentence]:
    """Tell copies, whose targets repeat, from a measure that is too coarse for the targets."""
    found = []
    across = facts.value("contradictory duplicates")
    repeated = facts.value("duplicates") - across
    if across > CONTRADICTORY:
        text = f"Contradictions: {across:.0%} of the objects equal one with another target. "
        found.append(Sentence("bad", text + "Take a finer measure, or check the targets."))
    if repeated > max(DUPLICATES, across):
        text = f"Duplicates: {repeated:.0%} of the objects equal others with the same target. If "
        text += "they are copies, scores on unseen rows are too high: drop duplicates, or "
        found.append(Sentence("warn", text + "split by group."))
    return found


def _neighbours(e: Grounds) -> list[Sentence]:
    """Say whether similar targets go with similar objects, everywhere or only nearby."""
    found = []
    if e.direction is not None and e.direction.high < 0:
        if e.nearest is not None and e.nearest.low > e.base.value:
            # A wrong sign would make the nearest the worst. Some classes are near to everything.
            text = "Right only nearby: on average, objects with similar targets are less alike "
            text += "than others "
            text += f"(γ = {e.direction}), yet the nearest neighbour reaches {e.nearest}. Votes of "
            found.append(Sentence("info", text + "whole classes mislead."))
        else:
            text = (
                "Anti-correlated: objects with similar targets are less alike than others "
                f"(γ = {e.direction}). The measure seems to point the wrong way: check its kind, "
                "or negate it. A landmark model learns the sign by itself; neighbours and votes do "
                "not."
            )
            found.append(Sentence("warn", text))
    if e.nearest is not None and as_shown(e.nearest.low) > as_shown(e.model.high):
        text = f"The nearest neighbour does better ({e.nearest}): the measure is right only "
        text += "nearby. A faster decay, or more landmarks, may help."
        found.append(Sentence("info", text))
    return found


def _how_many(e: Grounds) -> list[Sentence]:
    if e.landmarks is None or e.landmarks.y.max() <= e.base.value:
        return []
    most = int(e.landmarks.x[-1])
    few = enough(e.landmarks.x, e.landmarks.y, e.base.value, ENOUGH)
    verb = "landmark gives" if few == 1 else "landmarks give"
    text = f"{few} {verb} {ENOUGH:.0%} of the gain of {most}"
    if few == most:
        text = f"All {most} landmarks tried are needed; more may do better"
    if e.chosen is not None:
        # How many landmarks chosen greedily reach what is enough of those at random.
        level = e.base.value + ENOUGH * (float(e.landmarks.y.max()) - e.base.value)
        reach = e.chosen.x[e.chosen.y >= level]
        if len(reach) and (chosen := int(reach.min())) < few:
            text += f"; {chosen} chosen greedily {'does' if chosen == 1 else 'do'} too"
    return [Sentence("info", text + ".")]


def _as_a_kernel(e: Grounds) -> list[Sentence]:
    """Compare the margin of a kernel in its own space with that of its values as features."""
    if e.as_kernel is None:
        return []
    text = f"A kernel, as far as these objects show, with margin {e.as_kernel:.2g} in its own space"
    if e.as_similarity is not None:
        text += f", against {e.as_similarity:.2g} as a similarity"
    if e.as_similarity is None or e.as_kernel > e.as_similarity:
        text += ". Bounds are better for the larger margin: try SVC with it too, if n × n values "
        text += "are affordable"
    return [Sentence("info", text + ".")]


def _nature(facts: Observations) -> list[Sentence]:
    found: list[Sentence] = []
    negative = facts.value("negative spectrum")
    if negative > INDEFINITE:
        what = "exp(−γd) is no kernel, " if facts.value("kind") else ""
        text = f"Indefinite: {what}{negative:.1%} of the spectrum is negative. Do not give it "
        found.append(Sentence("info", text + "to SVC; landmarks are fine."))
    if facts.value("asymmetry") > ASYMMETRIC:
        text = f"Asymmetric: by {facts.value('asymmetry'):.1%} of the range on average. Tools that "
        found.append(
            Sentence("info", text + "mirror half a matrix get it wrong; landmarks are fine.")
        )
    if facts.value("triangle violations") > TRIANGLES:
        text = f"No metric: {facts.value('triangle violations'):.1%} of triangles are broken, so "
        found.append(Sentence("info", text + "ball trees and similar indexes miss neighbours."))
    if facts.value("self values") > STRANGE_SELF:
        text = f"{facts.value('self values'):.0%} of the objects are closer to another than to "
        found.append(Sentence("info", text + "themselves: normalising may help."))
    if facts.value("constant rows") > FLAT_ROWS:
        text = f"{facts.value('constant rows'):.0%} of the objects have the same value against "
        found.append(Sentence("warn", text + "every landmark: the measure does not see them."))
    return found
