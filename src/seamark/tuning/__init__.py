"""The one place that searches: landmarks, transfer and head, on values that are computed once.

Penalties and nested numbers of landmarks are chosen by ridge itself, from sums; here the
features change, so a head is fitted to each candidate.
"""

from .base import Choice, CrossValidated, Task, Tuning
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
