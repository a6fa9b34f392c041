"""Assessment: whether a similarity suits a task, from a bounded number of its values."""

from .assessment import Assessment
from .comparison import Comparison
from .intervals import Curve, Estimate
from .judging import assess
from .observations import Observation, Observations
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
