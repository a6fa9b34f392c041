"""Online learning with pairwise losses, from a small buffer of points."""

from .auc import AUCClassifier
from .buffers import FIFO, Buffer, Reservoir
from .combiner import KernelCombiner
from .constraints import (
    Constraint,
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
from .losses import AUC, AlignmentLoss, Combination, GoodnessLoss, MetricLoss, PairwiseLoss
from .metric import MetricLearner
from .per_class import BufferPerClass
from .similarity import SimilarityLearner
from .with_replacement import RSx, RSx2

__all__ = [
    "AUC",
    "FIFO",
    "AUCClassifier",
    "AlignmentLoss",
    "Buffer",
    "BufferPerClass",
    "Combination",
    "Constraint",
    "Everywhere",
    "FrobeniusBall",
    "GoodnessLoss",
    "History",
    "KernelCombiner",
    "L1Ball",
    "L2Ball",
    "MetricLearner",
    "MetricLoss",
    "PSDCone",
    "PairwiseLearner",
    "PairwiseLoss",
    "PositiveBall",
    "RSx",
    "RSx2",
    "Reservoir",
    "RowBall",
    "SimilarityLearner",
    "Simplex",
    "TraceBall",
]
