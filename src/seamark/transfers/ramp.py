"""Values about the middle of their range: ramps, and their limit, the sign."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np

from .base import Seen, Transfer, Values

SLOPES = (1.0, 5.0, 10.0, 50.0, 100.0, 1000.0)  # Kar and Jain's


class _Centred(Transfer):
    """A function of values shifted and scaled to [−1, 1]."""

    averaged = False
    middle: float | Literal["seen"]
    half: float | Literal["seen"]

    def fitted_to(self, seen: Seen) -> Self:
        """Return a copy that knows the range of values."""
        parameters = {}
        if isinstance(self.middle, str):
            parameters["middle"] = (seen.low + seen.high) / 2
        if isinstance(self.half, str):
            parameters["half"] = ((seen.high - seen.low) / 2) or 1.0
        return self._with(**parameters) if parameters else self

    def _centred(self, values: Values) -> Values:
        values -= np.float32(self.middle)
        values /= np.float32(self.half)
        return values


class Ramp(_Centred):
    """clip(slope · t, −1, 1) of values t shifted and scaled to [−1, 1].

    Parameters
    ----------
    slope : float or "auto", default=1
        "auto" leaves the choice to a model's tuning, and means 1 without one.
    middle, half : float or "seen", default="seen"
        Centre and half-width of the range of values: the measure's bounds, or what fit sees.

    Examples
    --------
    >>> Ramp(2.0, middle=0.0, half=1.0).apply(np.array([[-1.0, 0.25]], dtype=np.float32))
    array([[-1. ,  0.5]], dtype=float32)
    """

    name = "ramp"

    def __init__(
        self,
        slope: float | Literal["auto"] = 1.0,
        middle: float | Literal["seen"] = "seen",
        half: float | Literal["seen"] = "seen",
    ) -> None:
        self.slope = slope
        self.middle = middle
        self.half = half

    def fitted_to(self, seen: Seen) -> Self:
        """Return a copy that knows the range of values, and a slope."""
        fitted = super().fitted_to(seen)
        if not isinstance(self.slope, str):
            return fitted
        if self.slope != "auto":
            raise ValueError(f'slope must be a number or "auto", not {self.slope!r}.')
        return fitted._with(slope=1.0)

    def choices(self, fitted: Transfer) -> list[Transfer]:
        """Return several slopes, if that is open.

        Examples
        --------
        >>> [ramp.slope for ramp in Ramp("auto").choices(Ramp(1.0, 0.0, 1.0))]
        [1.0, 5.0, 10.0, 50.0, 100.0, 1000.0]
        """
        if self.slope != "auto" or not isinstance(fitted, Ramp):
            return [fitted]
        return [Ramp(slope, fitted.middle, fitted.half) for slope in SLOPES]

    def apply(self, values: Values) -> Values:
        """Scale and clip, in place."""
        values = self._centred(values)
        values *= np.float32(float(self.slope))
        return np.clip(values, -1, 1, out=values)


class Sign(_Centred):
    """The sign of values about the middle of their range.

    Parameters
    ----------
    middle : float or "seen", default="seen"
        Where the sign changes: a number, or the middle of the measure's bounds or of what fit sees.

    Examples
    --------
    >>> Sign(middle=1.0).apply(np.array([[0.0, 3.0, 1.0]], dtype=np.float32))
    array([[-1.,  1.,  0.]], dtype=float32)
    """

    name = "sign"

    half: float = 1.0

    def __init__(self, middle: float | Literal["seen"] = "seen") -> None:
        self.middle = middle

    def apply(self, values: Values) -> Values:
        """Compare, in place."""
        values -= np.float32(self.middle)
        return np.sign(values, out=values)
