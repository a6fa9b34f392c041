"""Goodness: whether a similarity is good for a task.

`assess` judges a measure, data and targets from a bounded number of evaluations; `sizes` holds
what theorems ask for and promise.
"""

from ..old_names import old_names
from . import sizes
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
    "sizes",
]

OLD_NAMES = {"Fact": "Observation", "Facts": "Observations"}
__getattr__ = old_names(__name__, OLD_NAMES)
