"""The numbers a verdict follows from."""

from __future__ import annotations

from dataclasses import dataclass, field

from .intervals import Curve, Estimate
from .observations import Observations


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
    margin : float or None
        Reached by most objects, for the theorem's number of landmarks.
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
    margin: float | None = None
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
