"""`Shares`: how an object is shared out among the landmarks that it is near to."""

from __future__ import annotations

import numpy as np

from .base import GaussianDecay, Transfer, Values


class Shares(GaussianDecay):
    """exp(−γd²) over its sum: the share of each landmark in what an object is near to.

    What counts is which landmarks are nearer than others, not how near they are: a new spelling of
    a name, three letters off all that are known, has shares as large as one that is one letter off,
    where features of `GaussianDecay` fade and predictions with them. A linear model on shares is a
    smoothed vote of the neighbours.

    Every feature depends on all landmarks: none can be dropped, and folds hide none. A model that
    drops landmarks takes `GaussianDecay` in place of shares whose γ is "auto".

    Parameters
    ----------
    gamma : float, "median" or "auto", default="median"
        γ; "median" is one over the squared median distance seen; "auto" leaves the choice to a
        model's tuning, and means "median" without one. The larger, the fewer neighbours count.

    Examples
    --------
    >>> Shares(gamma=1.0).apply(np.array([[1.0, 2.0], [3.0, 3.0]], np.float32)).round(2)
    array([[0.95, 0.05],
           [0.5 , 0.5 ]], dtype=float32)
    """

    pointwise = False
    mixes = True

    def divisible(self) -> Transfer:
        """Return the same without the sum, if the choice is open."""
        return GaussianDecay("auto") if self.gamma == "auto" else self

    def apply(self, values: Values) -> Values:
        """Exponentiate in units of the nearest, and divide by the sum."""
        np.square(values, out=values)
        values -= values.min(axis=1, keepdims=True)  # so that the sum is 1 at least
        values *= np.float32(-float(self.gamma))
        np.exp(values, out=values)
        values /= values.sum(axis=1, keepdims=True)
        return values
