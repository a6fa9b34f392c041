"""Heads: linear predictors on features. They know features and targets, and no measure."""

from .calibration import Calibrated, CalibratedOrder, SoftmaxCalibration, share_interval
from .intervals import accuracy_interval
from .ordinal import Ordinal, ordered_ranks
from .ranking import Ranking, ndcg, normalised_gains, query_codes, rankable
from .ridge import EachLabel, RidgeClassifier, RidgeLabels, RidgeRegressor, Streamed
from .ridge_solve import Primal
from .ridge_statistics import FoldSums
from .svm import LinearSVM, PerClass
from .wrap import Trials, coefficients_of, core_of, fitted_at_once

__all__ = [
    "Calibrated",
    "CalibratedOrder",
    "EachLabel",
    "LinearSVM",
    "Ordinal",
    "PerClass",
    "Ranking",
    "RidgeClassifier",
    "RidgeLabels",
    "RidgeRegressor",
    "accuracy_interval",
    "core_of",
    "ndcg",
    "share_interval",
]
