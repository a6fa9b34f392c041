"""Goodness for any task: the least loss of x ↦ E[w(x′)K(x, x′)] with |w| ≤ B.

References
----------
Kar and Jain, "Supervised Learning with Similarity Functions", Definition 2.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.optimize import lsq_linear

from .definitions import Hinges
from .intervals import Floats


class BoxLoss(ABC):
    """A loss of predictions, and how to find weights of least mean loss, each at most B in size."""

    name: str

    @abstractmethod
    def of(self, predictions: Floats, y: Floats) -> Floats:
        """Return the loss of each object."""

    @abstractmethod
    def least(self, F: Floats, y: Floats, bound: float) -> Floats:
        """Return weights, |w| ≤ bound, of least mean loss of F w."""


class TwoSided(BoxLoss):
    """A loss [low − f]₊ + [f − high]₊, of which one part is 0."""

    @abstractmethod
    def tube(self, y: Floats) -> tuple[Floats, Floats]:
        """Return the ends of the interval in which a prediction costs nothing."""

    def of(self, predictions: Floats, y: Floats) -> Floats:
        """Return the distance to the interval."""
        low, high = self.tube(y)
        return np.asarray(np.maximum(0.0, np.maximum(low - predictions, predictions - high)))

    def least(self, F: Floats, y: Floats, bound: float) -> Floats:
        """Solve the linear programme."""
        low, high = self.tube(y)
        bounded_below, bounded_above = np.isfinite(low), np.isfinite(high)
        rows = np.arange(len(y))
        hinges = Hinges(
            np.concatenate([F[bounded_below], -F[bounded_above]]),
            np.concatenate([low[bounded_below], -high[bounded_above]]),
            np.concatenate([rows[bounded_below], rows[bounded_above]]),
        )
        return hinges.least(-bound, bound)


@dataclass(frozen=True)
class Insensitive(TwoSided):
    """The ε-insensitive loss of regression.

    Examples
    --------
    >>> Insensitive(0.1).of(np.array([1.0, 1.05]), np.array([1.5, 1.0])).round(2)
    array([0.4, 0. ])
    """

    epsilon: float = 0.1
    name = "ε-insensitive loss"

    def tube(self, y: Floats) -> tuple[Floats, Floats]:
        """Return y ∓ ε."""
        return y - self.epsilon, y + self.epsilon


@dataclass(frozen=True)
class OrdinalMargin(TwoSided):
    """The ordinal γ-margin loss, thresholds halfway between ranks; γ ≤ ½ of their distance.

    Attributes
    ----------
    lowest, highest : float
        The first and the last rank, which have no threshold beyond them.
    margin : float
        γ, in ranks.
    """

    lowest: float
    highest: float
    margin: float = 0.25
    name = "ordinal margin loss"

    def tube(self, y: Floats) -> tuple[Floats, Floats]:
        """Return the thresholds around each rank, moved inwards by the margin."""
        low = np.where(y > self.lowest, y - 0.5 + self.margin, -np.inf)
        high = np.where(y < self.highest, y + 0.5 - self.margin, np.inf)
        return low, high


class SquaredError(BoxLoss):
    """The squared loss, of normalised gains in ranking."""

    name = "squared loss"

    def of(self, predictions: Floats, y: Floats) -> Floats:
        """Return squares."""
        return np.asarray((predictions - y) ** 2)

    def least(self, F: Floats, y: Floats, bound: float) -> Floats:
        """Solve the box-constrained least squares."""
        return np.asarray(lsq_linear(F, y, bounds=(-bound, bound)).x)
