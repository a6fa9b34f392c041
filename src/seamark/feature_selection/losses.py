"""Losses that greedy selection descends: value, slope and curvature at every score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from scipy.special import expit

from .columns import Array


class SmoothLoss(ABC):
    """ℓ(f, y), elementwise over arrays of scores and targets.

    Classes are targets −1 and 1. `smoothness` is β, the largest curvature.
    """

    for_classes: ClassVar[bool] = False  # its targets are −1 and 1, whatever y looks like
    quadratic: ClassVar[bool] = False  # a refit is least squares
    smoothness: float

    @abstractmethod
    def value(self, f: Array, y: Array) -> Array:
        """ℓ."""

    @abstractmethod
    def slope(self, f: Array, y: Array) -> Array:
        """∂ℓ/∂f."""

    @abstractmethod
    def curvature(self, f: Array, y: Array) -> Array:
        """∂²ℓ/∂f², or where it vanishes that of a parabola above ℓ, for Newton's method."""

    def mean(self, f: Array, y: Array, weights: Array) -> float:
        """Mean over rows (weights sum to 1) of the loss summed over outputs."""
        return float(weights @ self.value(f, y).sum(axis=1))


class Squared(SmoothLoss):
    """(f − y)².

    Examples
    --------
    >>> Squared().value(np.array([1.0]), np.array([3.0]))
    array([4.])
    """

    quadratic = True
    smoothness = 2.0

    def value(self, f: Array, y: Array) -> Array:
        """(f − y)²."""
        return np.square(f - y)

    def slope(self, f: Array, y: Array) -> Array:
        """2 (f − y)."""
        return 2.0 * (f - y)

    def curvature(self, f: Array, y: Array) -> Array:
        """2."""
        return np.full_like(f, 2.0)


class SquaredHinge(SmoothLoss):
    """max(0, 1 − y f)²."""

    for_classes = True
    smoothness = 2.0

    def value(self, f: Array, y: Array) -> Array:
        """max(0, 1 − y f)²."""
        return np.asarray(np.square(np.maximum(0.0, 1.0 - y * f)))

    def slope(self, f: Array, y: Array) -> Array:
        """−2 y max(0, 1 − y f)."""
        return np.asarray(-2.0 * y * np.maximum(0.0, 1.0 - y * f))

    def curvature(self, f: Array, y: Array) -> Array:
        """2 where the margin is violated."""
        return np.where(y * f < 1.0, 2.0, 0.0)


class Logistic(SmoothLoss):
    """log(1 + exp(−y f))."""

    for_classes = True
    smoothness = 0.25

    def value(self, f: Array, y: Array) -> Array:
        """log(1 + exp(−y f)), without overflow."""
        return np.logaddexp(0.0, -y * f)

    def slope(self, f: Array, y: Array) -> Array:
        """−y / (1 + exp(y f))."""
        return np.asarray(-y * expit(-y * f))

    def curvature(self, f: Array, y: Array) -> Array:
        """Variance of the class, p (1 − p)."""
        return np.asarray(expit(f) * expit(-f))


class EpsilonInsensitive(SmoothLoss):
    """max(0, |f − y| − ε), made β-smooth: quadratic for the first 1/β beyond the tube.

    Lies below the ε-insensitive loss by at most 1/(2β).

    Parameters
    ----------
    insensitivity : float
        ε, half the width of the tube.
    smoothing : float
        β.

    Examples
    --------
    >>> EpsilonInsensitive(0.1, 10.0).value(np.array([0.1, 0.15, 1.0]), np.zeros(3)).round(4)
    array([0.    , 0.0125, 0.85  ])
    """

    def __init__(self, insensitivity: float, smoothing: float) -> None:
        self.insensitivity = insensitivity
        self.smoothness = smoothing

    def _excess(self, f: Array, y: Array) -> Array:
        return np.maximum(0.0, np.abs(f - y) - self.insensitivity)

    def value(self, f: Array, y: Array) -> Array:
        """β/2 e² up to e = 1/β, e − 1/(2β) beyond, where e is the excess over ε."""
        excess = self._excess(f, y)
        beta = self.smoothness
        bent = np.minimum(excess, 1.0 / beta)
        return np.asarray(0.5 * beta * np.square(bent) + (excess - bent))

    def slope(self, f: Array, y: Array) -> Array:
        """±min(1, β e)."""
        steep = np.minimum(1.0, self.smoothness * self._excess(f, y))
        return np.asarray(np.copysign(steep, f - y))

    def curvature(self, f: Array, y: Array) -> Array:
        """β where the loss is quadratic; 1/e where it is linear, which keeps Newton's steps short.

        With no curvature there, rows far off would pull and nothing would hold.
        """
        excess = self._excess(f, y)
        bend = 1.0 / np.maximum(excess, 1.0 / self.smoothness)
        return np.where(excess > 0.0, bend, 0.0)
