"""How y is read: as classes or as numbers, and what its classes weigh."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

Rows = NDArray[np.intp]
Numbers = NDArray[np.float64]

MOST_CLASSES = 30
"""Whole numbers with more distinct values are quantities."""
TASKS = ("auto", "classification", "regression")


def holds_classes(y: Any) -> bool:
    """Tell whether y is to be read as classes where nobody says.

    What is no number is. Numbers are if they are whole, at most 30 differ, and there is one for
    each object.

    Examples
    --------
    >>> holds_classes(["f", "m"]), holds_classes([0, 1, 1]), holds_classes([0.0, 1.0])
    (True, True, True)
    >>> holds_classes([0.5, 1.0]), holds_classes(range(100)), holds_classes([[0, 1], [1, 0]])
    (False, False, False)
    """
    y = np.asarray(y)
    several = y.ndim > 1 and y.shape[1] > 1
    if y.dtype.kind not in "biuf":
        return True
    whole = y.dtype.kind != "f" or bool((y == np.rint(y)).all())
    return not several and whole and len(np.unique(y)) <= MOST_CLASSES


def reads_classes(y: Any, task: str) -> bool:
    """Tell whether y is to be read as classes; `task` is one of `TASKS`."""
    return holds_classes(y) if task == "auto" else task == "classification"


def class_targets(estimator: Any, y: Any) -> tuple[NDArray[Any], Rows]:
    """Return the classes, sorted, and the class number of each object."""
    y = validate_data(estimator, y=y)
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) == 0:
        raise ValueError("y is empty (0 samples); give one class per object.")
    if len(classes) == 1:
        raise ValueError(
            f"y has one class only, {classes.tolist()[0]!r}; a classifier needs objects of two "
            "or more."
        )
    return classes, codes


def number_targets(estimator: Any, y: Any, *, several: bool = False) -> Numbers:
    """Return the targets of a regression, float64; (n, T) too if `several` are allowed."""
    y = validate_data(estimator, y=y, y_numeric=True, multi_output=several)
    return np.asarray(y, dtype=np.float64)
