"""Targets: how y is read and coded, what its rows weigh, and folds of them."""

from .folds import by_class, deal, in_turn, inseparable, shuffled, split_off
from .read import (
    TASKS,
    checked_weights,
    class_factors,
    class_targets,
    classes_of_block,
    decided,
    holds_classes,
    holds_labels,
    label_matrix,
    label_targets,
    number_targets,
    reads_classes,
    require_targets,
    signs,
    strata,
    too_few_classes,
)

__all__ = [
    "class_factors",
    "class_targets",
    "holds_classes",
    "holds_labels",
    "label_matrix",
    "label_targets",
    "number_targets",
    "reads_classes",
    "require_targets",
    "strata",
]
