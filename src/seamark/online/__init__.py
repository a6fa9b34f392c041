"""Online learning with pairwise losses, from a small buffer of points."""

from .auc import AUCClassifier
from .buffers import FIFO, Buffer, Reservoir, RSx, RSx2
from .combiner import KernelCombiner
from .domains import (
    Domain,
    Everywhere,
    FrobeniusBall,
    L1Ball,
    L2Ball,
    PositiveBall,
    PSDCone,
    RowBall,
    Simplex,
    TraceBall,
)
from .history import History
from .learner import PairwiseLearner
from .losses import AUC, Alignment, Combination, Goodness, MetricLoss, PairwiseLoss
from .metric import MetricLearner
from .per_class import PerClass
from .similarity import SimilarityLearner

__all__ = [
    "AUC",
    "FIFO",
    "AUCClassifier",
    "Alignment",
    "Buffer",
    "Combination",
    "Domain",
    "Everywhere",
    "FrobeniusBall",
    "Goodness",
    "History",
    "KernelCombiner",
    "L1Ball",
    "L2Ball",
    "MetricLearner",
    "MetricLoss",
    "PSDCone",
    "PairwiseLearner",
    "PairwiseLoss",
    "PerClass",
    "PositiveBall",
    "RSx",
    "RSx2",
    "Reservoir",
    "RowBall",
    "SimilarityLearner",
    "Simplex",
    "TraceBall",
]
