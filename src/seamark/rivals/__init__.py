"""Rivals: the methods that the papers compare with, over objects of any kind."""

from .average_similarity import AverageSimilarity
from .dboost import DBoost
from .kernel_regression import KernelRegression
from .neighbours import NearestNeighboursClassifier, NearestNeighboursRegressor
from .pseudo_euclidean import PseudoEuclidean, pseudo_euclidean_svm
from .substitution_svm import SubstitutionSVM

__all__ = [
    "AverageSimilarity",
    "DBoost",
    "KernelRegression",
    "NearestNeighboursClassifier",
    "NearestNeighboursRegressor",
    "PseudoEuclidean",
    "SubstitutionSVM",
    "pseudo_euclidean_svm",
]
