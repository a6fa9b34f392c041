"""Rivals: the methods that the papers compare with, over objects of any kind."""

from .average_similarity import AverageSimilarity
from .dboost import DBoost
from .joint_features import JointFeatureSVM
from .kernel_regression import KernelRegression
from .multiple_kernels import MultipleKernelSVM
from .neighbours import NearestNeighboursClassifier, NearestNeighboursRegressor
from .oam import OAMgra, OAMseq
from .pseudo_euclidean import PseudoEuclidean, pseudo_euclidean_svm
from .substitution_svm import SubstitutionSVM

__all__ = [
    "AverageSimilarity",
    "DBoost",
    "JointFeatureSVM",
    "KernelRegression",
    "MultipleKernelSVM",
    "NearestNeighboursClassifier",
    "NearestNeighboursRegressor",
    "OAMgra",
    "OAMseq",
    "PseudoEuclidean",
    "SubstitutionSVM",
    "pseudo_euclidean_svm",
]
