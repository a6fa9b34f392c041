"""Landmark models: the whole sentence, from raw objects to predictions."""

from .auto import fewer_for_many, measures_of_columns
from .classifier import LandmarkClassifier
from .describe import Description
from .explanation import Example, Explanation, Explanations, Group, Reason
from .importance import Importance
from .ordinal import LandmarkOrdinal
from .ranker import LandmarkRanker
from .regressor import LandmarkRegressor
from .report import document_of

__all__ = [
    "Description",
    "Example",
    "Explanation",
    "Explanations",
    "Group",
    "Importance",
    "LandmarkClassifier",
    "LandmarkOrdinal",
    "LandmarkRanker",
    "LandmarkRegressor",
    "Reason",
    "document_of",
    "fewer_for_many",
    "measures_of_columns",
]
