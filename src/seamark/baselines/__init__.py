"""Rivals: the methods that the papers compare with, over objects of any kind."""

from .averages import AverageSimilarity, KernelRegression
from .dboost import DBoost
from .distance_kernels import PseudoEuclidean, SubstitutionSVM, pseudo_euclidean_svm
from .kernel_learning import JointFeatureSVM, MultipleKernelSVM
from .neighbours import NearestNeighboursClassifier, NearestNeighboursRegressor
from .oam import OAMgra, OAMseq

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
