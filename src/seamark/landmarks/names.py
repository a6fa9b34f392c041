"""What a user's `landmarks=` means."""

from __future__ import annotations

from typing import Any

from ..measures import Measure
from .base import Strategy, Stratified, Uniform
from .diverse import Diverse, FarthestFirst
from .generated import Generated, Mixed
from .given import Given
from .pairs import Pairs
from .parts import Parts

STRATEGIES: dict[str, type[Strategy]] = {
    "uniform": Uniform,
    "stratified": Stratified,
    "diverse": Diverse,
    "farthest": FarthestFirst,
    "generated": Generated,
    "pairs": Pairs,
    "mixed": Mixed,
    "parts": Parts,
}


def get_strategy(landmarks: Any, measure: Measure | None = None, auto: str = "uniform") -> Strategy:
    """Return the strategy that a user's `landmarks=` means: one, its name, or the objects.

    "auto" means parts for a measure that compares objects with such, else what `auto` says.

    Examples
    --------
    >>> get_strategy("diverse")
    Diverse()
    """
    if isinstance(landmarks, Strategy):
        return landmarks
    if isinstance(landmarks, str) and landmarks == "auto":
        landmarks = "parts" if measure is not None and measure.compares_parts else auto
    if isinstance(landmarks, str):
        if landmarks not in STRATEGIES:
            raise ValueError(
                f"landmarks={landmarks!r} is none of {', '.join(STRATEGIES)}; give one of these, "
                "a strategy, or the landmarks themselves."
            )
        return STRATEGIES[landmarks]()
    return Given(landmarks)
