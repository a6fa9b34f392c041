"""What a user's `landmarks=` means."""

from __future__ import annotations

from typing import Any

from .base import Strategy
from .diverse import Diverse, FarthestFirst
from .drawn import Stratified, Uniform
from .generated import Generated, Mixed
from .given import Given
from .pairs import Pairs

STRATEGIES: dict[str, type[Strategy]] = {
    "uniform": Uniform,
    "stratified": Stratified,
    "diverse": Diverse,
    "farthest": FarthestFirst,
    "generated": Generated,
    "pairs": Pairs,
    "mixed": Mixed,
}


def get_strategy(landmarks: Any) -> Strategy:
    """Return the strategy that a user's `landmarks=` means: one, its name, or the objects.

    Examples
    --------
    >>> get_strategy("diverse")
    Diverse()
    """
    if isinstance(landmarks, Strategy):
        return landmarks
    if isinstance(landmarks, str):
        if landmarks not in STRATEGIES:
            raise ValueError(
                f"landmarks={landmarks!r} is none of {', '.join(STRATEGIES)}; give one of these, "
                "a strategy, or the landmarks themselves."
            )
        return STRATEGIES[landmarks]()
    return Given(landmarks)
