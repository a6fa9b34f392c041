"""Rivals: the methods that the papers compare with, over objects of any kind."""

from .average_similarity import AverageSimilarity
from .dboost import DBoost
from .kernel_regression import KernelRegression
from .neighbours import NearestNeighboursClassifier, NearestNeighboursRegressor
from .oam import OAMgra, OAMseq
from .pseudo_euclidean import PseudoEuclidean, pseudo_euclidean_svm
from .substitution_svm import SubstitutionSVM

__all__ = [
    "AverageSimilarity",
    "DBoost",
    "KernelRegression",
    "NearestNeighboursClassifier",
    "NearestNeighboursRegressor",
    "OAMgra",
    "OAMseq",
    "PseudoEuclidean",
    "SubstitutionSVM",
    "pseudo_euclidean_svm",
]
