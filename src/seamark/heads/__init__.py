"""Heads: linear predictors on features. They know features and targets, and no measure."""

from .calibration import SoftmaxCalibration
from .ordinal import Ordinal, ordered_ranks
from .ranking import Ranking, ndcg, normalised_gains
from .ridge import RidgeClassifier, RidgeRegressor
from .sums import FoldSums

__all__ = [
    "FoldSums",
    "Ordinal",
    "Ranking",
    "RidgeClassifier",
    "RidgeRegressor",
    "SoftmaxCalibration",
    "ndcg",
    "normalised_gains",
    "ordered_ranks",
]
