"""Goodness: whether a similarity is good for a task.

`assess` judges a measure, data and targets from a bounded number of evaluations; `sizes` holds
what theorems ask for and promise.
"""

from . import sizes
from .assessment import Assessment
from .comparison import Comparison
from .facts import Fact, Facts
from .intervals import Curve, Estimate
from .judging import assess
from .verdict import Sentence

__all__ = [
    "Assessment",
    "Comparison",
    "Curve",
    "Estimate",
    "Fact",
    "Facts",
    "Sentence",
    "assess",
    "sizes",
]
