"""Landmark models: the whole sentence, from raw objects to predictions."""

from .classifier import LandmarkClassifier
from .explaining import Explanation, Reason
from .ordinal import LandmarkOrdinal
from .ranker import LandmarkRanker
from .regressor import LandmarkRegressor

__all__ = [
    "Explanation",
    "LandmarkClassifier",
    "LandmarkOrdinal",
    "LandmarkRanker",
    "LandmarkRegressor",
    "Reason",
]
