"""Explanations: which landmarks decided, and how much each contributed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Reason:
    """One landmark's part in a prediction.

    Attributes
    ----------
    landmark : object
        The landmark itself (a pair of them, if values are differences).
    index : int or None
        Its row in the training data.
    label : object
        Its label there, if it has one.
    value : float
        What the measure said of object and landmark.
    contribution : float
        What it added to the decision, relative to an average object.
    """

    landmark: Any
    index: int | None
    label: Any
    value: float
    contribution: float

    def __str__(self) -> str:
        pair = isinstance(self.landmark, tuple)
        shown = " − ".join(map(str, self.landmark)) if pair else str(self.landmark)
        known = "" if self.label is None else f"  ({self.label})"
        return f"{self.contribution:+.3f}  at {self.value:.4g}  {shown:.60}{known}"


@dataclass(frozen=True)
class Explanation:
    """A prediction, and the landmarks that decided it, the strongest first."""

    prediction: Any
    reasons: list[Reason]
    total: float
    """Sum of the contributions of all landmarks, shown or not."""

    def __str__(self) -> str:
        head = f"predicted {self.prediction}: contributions {self.total:+.3f} in all"
        return "\n  ".join([head, *map(str, self.reasons)])


def strongest(contributions: NDArray[Any], n: int) -> NDArray[np.intp]:
    """Positions of the n largest contributions by size.

    Examples
    --------
    >>> strongest(np.array([0.1, -3.0, 2.0]), 2)
    array([1, 2])
    """
    return np.argsort(-np.abs(contributions), kind="stable")[:n]
