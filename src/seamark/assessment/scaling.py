"""From values of a measure to similarities in [−1, 1], of which the theory speaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..measures import Measure
from .intervals import Floats

MOSTLY = 0.9  # share of objects that must be nearest to themselves to show a direction


@dataclass(frozen=True)
class Scale:
    """K = (value − middle) / half, half < 0 for distances.

    Attributes
    ----------
    middle, half : float
    kind : str
        "distance" or "similarity": what the measure says, or what was seen.
    declared : bool
        Whether the measure says so.

    Examples
    --------
    >>> Scale(5.0, -5.0, "distance", True).apply(np.array([0.0, 10.0]))
    array([ 1., -1.])
    """

    middle: float
    half: float
    kind: str
    declared: bool

    @classmethod
    def seen(cls, measure: Measure, values: NDArray[Any], square: NDArray[Any] | None) -> Scale:
        """Return the scale for what was seen.

        Distances, and similarities that are never positive, are mapped from their range onto [−1,
        1]. Other similarities keep their zero, and are divided by the largest size if that
        exceeds 1: so a kernel stays a kernel.
        """
        kind = measure.kind or seen_kind(square)
        low, high = _range(measure, values, square)
        declared = measure.kind is not None
        if kind == "distance" or high <= 0:
            half = (high - low) / 2 or 1.0
            return cls((low + high) / 2, -half if kind == "distance" else half, kind, declared)
        return cls(0.0, max(1.0, abs(low), abs(high)), kind, declared)

    def apply(self, values: NDArray[Any]) -> Floats:
        """Return similarities in [−1, 1], float64."""
        return np.clip((values.astype(np.float64) - self.middle) / self.half, -1.0, 1.0)

    def __str__(self) -> str:
        if self.middle == 0 and self.half == 1:
            return "as they are"
        shift = "value" if self.middle == 0 else f"(value − {self.middle:.4g})"
        if self.half < 0:
            shift = f"({self.middle:.4g} − value)"
        return f"{shift} / {abs(self.half):.4g}"


def seen_kind(square: NDArray[Any] | None) -> str:
    """Guess the kind of a measure that does not declare it; a similarity if there is no sign.

    It is a distance if most objects have their smallest value with themselves.

    Examples
    --------
    >>> seen_kind(np.array([[0.0, 1.0], [1.0, 0.0]]))
    'distance'
    """
    if square is None or np.ptp(square) == 0:
        return "similarity"
    own = square.diagonal()
    least = float((own <= square.min(axis=1)).mean())
    largest = float((own >= square.max(axis=1)).mean())
    return "distance" if least >= MOSTLY and least > largest else "similarity"


def _range(
    measure: Measure, values: NDArray[Any], square: NDArray[Any] | None
) -> tuple[float, float]:
    """Return the measure's bounds where they are finite, else what was seen."""
    parts = [values] if square is None else [values, square]
    low = min(float(part.min()) for part in parts)
    high = max(float(part.max()) for part in parts)
    bounds = measure.bounds
    return (
        float(bounds[0]) if np.isfinite(bounds[0]) else low,
        float(bounds[1]) if np.isfinite(bounds[1]) else high,
    )
