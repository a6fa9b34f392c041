"""Landmark models: the whole sentence, from raw objects to predictions."""

from .auto import measures_of_columns
from .classifier import LandmarkClassifier
from .describe import Description
from .explanation import Example, Explanation, Group, Reason
from .ordinal import LandmarkOrdinal
from .ranker import LandmarkRanker
from .regressor import LandmarkRegressor

__all__ = [
    "Description",
    "Example",
    "Explanation",
    "Group",
    "LandmarkClassifier",
    "LandmarkOrdinal",
    "LandmarkRanker",
    "LandmarkRegressor",
    "Reason",
    "measures_of_columns",
]
