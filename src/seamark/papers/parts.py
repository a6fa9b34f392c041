"""What several presets have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..landmarks import Uniform
from ..measures import Measure, get
from ..transfers import Identity
from ..tuning import HeldOut

Model = TypeVar("Model")
COSTS = (1.0, 10.0, 100.0, 1000.0)
SMALL_COSTS = (0.01, 0.1, 1.0, 10.0)
"""For D2KE, whose paper names no C: with its many landmarks large ones are slow, and worse."""
SHARE = 0.2
"""Rows held out. Of training and validation rows the thesis holds out 1/8 (4.1) and 2/7 (4.2)."""


def as_similarity(measure: Any) -> Any:
    """Return a measure, or a list of them, with distances negated.

    Parameters
    ----------
    measure : str, Measure, callable or list of these
        What compares two objects; if it does not say whether it is a distance, it stays as it is.

    Examples
    --------
    >>> as_similarity("levenshtein")
    Negated(measure=Levenshtein())
    >>> as_similarity("linear")
    Linear()
    """
    if isinstance(measure, (list, tuple)):
        return [as_similarity(one) for one in measure]
    found: Measure = get(measure)
    return found.negated() if found.kind == "distance" else found


def scaled_costs(n_landmarks: int, costs: tuple[float, ...] = COSTS) -> dict[str, list[float]]:
    """Return the grid of C, for features whose norm grows with their number."""
    return {"C": [cost / n_landmarks for cost in costs]}


def plain(n_landmarks: int, random_state: Any, head: Any, grid: dict[str, Any]) -> dict[str, Any]:
    """Return what most of the methods have in common."""
    return {
        "n_landmarks": n_landmarks,
        "landmarks": Uniform(),
        "transfer": Identity(),
        "head": head,
        "tune": HeldOut(SHARE, grid),
        "random_state": random_state,
    }


def filled(
    model: Callable[..., Model], measure: Any, parts: dict[str, Any], overrides: dict[str, Any]
) -> Model:
    """Return a model of these parts, but for those that are overridden."""
    if "head" in overrides:  # the grid is of another head's parameters
        parts = parts | {"tune": "cv"}
    return model(measure, **(parts | overrides))
