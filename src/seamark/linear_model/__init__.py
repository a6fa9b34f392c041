"""Heads: linear predictors on features. They know features and targets, and no measure."""

from .base import Streamed
from .calibrated import Calibrated
from .calibrated_order import CalibratedOrder
from .calibration import SoftmaxCalibration
from .each_label import EachLabel
from .linear import coefficients_of, core_of, fitted_at_once, has_coefficients
from .normal import NormalEquations, Primal
from .ordinal import Ordinal, ordered_ranks
from .ranking import Ranking, ndcg, normalised_gains, query_codes, rankable
from .ridge import RidgeRegressor
from .ridge_classifier import RidgeClassifier
from .ridge_labels import RidgeLabels
from .sums import FoldSums
from .svm import LinearSVM, PerClass
from .trials import Trials

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
    "ndcg",
]
