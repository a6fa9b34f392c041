"""Distances that fade: exp(−γd) and exp(−γd²)."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np

from .base import Seen, Transfer, Values


class Decay(Transfer):
    """exp(−γd): near landmarks count, far ones fade.

    Parameters
    ----------
    gamma : float, "median" or "auto", default="median"
        γ; "median" is one over the median distance seen; "auto" leaves the choice to a model's
        tuning, and means "median" without one.

    Examples
    --------
    >>> Decay(gamma=0.5).apply(np.array([[0.0, 2.0]], dtype=np.float32)).round(3)
    array([[1.   , 0.368]], dtype=float32)
    """

    power = 1
    needs_distances = True

    def __init__(self, gamma: float | Literal["median", "auto"] = "median") -> None:
        self.gamma = gamma

    def check_kind(self, kind: str | None) -> None:
        """Stop at similarities, and at differences of pairs."""
        if kind == "similarity":
            raise ValueError(
                f"{self!r} turns distances into similarities, and the measure is a similarity "
                'already; use transfer="identity", or negate the measure.'
            )
        if kind == "difference":
            raise ValueError(
                f"{self!r} is for distances, and differences of pairs have either sign; use "
                'transfer="ramp", "sign" or "identity".'
            )

    def fitted_to(self, seen: Seen) -> Self:
        """Return a copy whose γ is a number."""
        self.check_kind(seen.kind)
        if not isinstance(self.gamma, str):
            return self
        if self.gamma not in ("median", "auto"):
            raise ValueError(f'gamma must be a number, "median" or "auto", not {self.gamma!r}.')
        positive = seen.values[seen.values > 0]
        middle = float(np.median(positive)) if positive.size else 1.0
        return type(self)(1.0 / middle**self.power)

    def apply(self, values: Values) -> Values:
        """Exponentiate, in place."""
        if self.power == 2:
            np.square(values, out=values)
        values *= np.float32(-float(self.gamma))
        return np.exp(values, out=values)


class GaussianDecay(Decay):
    """exp(−γd²): near landmarks count, far ones fade.

    Parameters
    ----------
    gamma : float, "median" or "auto", default="median"
        γ; "median" is one over the squared median distance seen; "auto" leaves the choice to a
        model's tuning, and means "median" without one.

    Examples
    --------
    >>> GaussianDecay(gamma=1.0).apply(np.array([[0.0, 1.0]], dtype=np.float32)).round(3)
    array([[1.   , 0.368]], dtype=float32)
    """

    power = 2
