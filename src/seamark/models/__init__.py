"""Landmark models: the whole sentence, from raw objects to predictions."""

from .classifier import LandmarkClassifier
from .explaining import Explanation, Reason
from .ordinal import LandmarkOrdinal
from .ranker import LandmarkRanker
from .regressor import LandmarkRegressor
from .table_columns import measures_of_columns

__all__ = [
    "Explanation",
    "LandmarkClassifier",
    "LandmarkOrdinal",
    "LandmarkRanker",
    "LandmarkRegressor",
    "Reason",
    "measures_of_columns",
]
