"""Online learning with pairwise losses, from a small buffer of points."""

from .auc import AUCClassifier
from .buffers import FIFO, Buffer, BufferPerClass, Reservoir, RSx, RSx2
from .combiner import KernelCombiner
from .learners import History, MetricLearner, PairwiseLearner, SimilarityLearner
from .losses import (
    AUC,
    AlignmentLoss,
    Combination,
    Constraint,
    Everywhere,
    FrobeniusBall,
    GoodnessLoss,
    L1Ball,
    L2Ball,
    MetricLoss,
    PairwiseLoss,
    PositiveBall,
    PSDCone,
    RowBall,
    Simplex,
    TraceBall,
)

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
