"""Heads: linear predictors on features. They know features and targets, and no measure."""

from .calibration import SoftmaxCalibration
from .ridge import RidgeClassifier, RidgeRegressor
from .sums import FoldSums

__all__ = ["FoldSums", "RidgeClassifier", "RidgeRegressor", "SoftmaxCalibration"]
