"""The one place that searches: landmarks, transfer and head, on values that are computed once.

Penalties and nested numbers of landmarks are chosen by ridge itself, from sums; here the
features change, so a head is fitted to each candidate.
"""

from typing import Any

from .base import Choice, Task, Tuning
from .candidates import GAMMAS, SLOPES, candidates, landmark_candidates
from .cross_validated import CrossValidated
from .held_out import HeldOut, HeldOutPerClass
from .weighed import Weighed

__all__ = [
    "Choice",
    "CrossValidated",
    "HeldOut",
    "HeldOutPerClass",
    "Task",
    "Tuning",
    "Weighed",
]

TUNINGS: dict[str, type[Tuning]] = {
    "cv": CrossValidated,
    "held_out": HeldOut,
    "held_out_per_class": HeldOutPerClass,
}


def get_tuning(tune: Any) -> Tuning:
    """Return the tuning that a user's `tune=` means.

    Examples
    --------
    >>> get_tuning("cv")
    CrossValidated()
    """
    if isinstance(tune, Tuning):
        return tune
    if not isinstance(tune, str) or tune not in TUNINGS:
        raise ValueError(f"tune={tune!r} is none of {', '.join(TUNINGS)}, nor a Tuning.")
    return TUNINGS[tune]()
