"""Assessment: whether a similarity suits a task, from a bounded number of its values."""

from .curves import Curve, Estimate
from .facts import Observation, Observations
from .judgement import assess
from .report import Assessment, Comparison
from .verdict import Sentence

__all__ = [
    "Assessment",
    "Comparison",
    "Curve",
    "Estimate",
    "Observation",
    "Observations",
    "Sentence",
    "assess",
]
