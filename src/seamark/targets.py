"""How y is read: as classes or as numbers; `labels` reads several labels of each object."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, column_or_1d, validate_data

from .objects import is_missing, reject_non_numbers

__all__ = [
    "class_factors",
    "class_targets",
    "holds_classes",
    "holds_labels",
    "number_targets",
    "reads_classes",
    "require_targets",
    "strata",
]

Rows = NDArray[np.intp]
Numbers = NDArray[np.float64]

MOST_CLASSES = 30
"""Whole numbers with more distinct values are quantities."""
TASKS = ("auto", "classification", "regression")
LEAST_LABELS = 2
"""Labels; a single one, which objects have or not, is a class."""


def holds_classes(y: Any) -> bool:
    """Tell whether y is to be read as classes where nobody says.

    Targets that are not numbers are classes. Numbers are classes if they are whole, have at most 30
    different values, some of them repeated, and if there is one number for each object.

    Examples
    --------
    >>> holds_classes(["f", "m"]), holds_classes([0, 1, 1]), holds_classes([0.0, 1.0, 0.0])
    (True, True, True)
    >>> holds_classes([0.5, 1.0, 1.0]), holds_classes([1, 2, 3]), holds_classes([[0, 1], [0, 1]])
    (False, False, False)
    """
    y = np.asarray(y)
    several = y.ndim > 1 and y.shape[1] > 1
    if y.dtype.kind not in "biuf":
        return True
    whole = y.dtype.kind != "f" or bool((y == np.rint(y)).all())
    return not several and whole and len(np.unique(y)) <= min(MOST_CLASSES, len(y) - 1)


def reads_classes(y: Any, task: str) -> bool:
    """Tell whether y is to be read as classes; `task` is one of `TASKS`."""
    return holds_classes(y) if task == "auto" else task == "classification"


def holds_labels(y: Any) -> bool:
    """Tell whether each object has any number of labels, and not one class.

    So it is where y is a matrix of 0 and 1, dense or sparse, with a column for each of two labels
    or more; where its entries are sets; and where they are lists of unequal lengths.

    Examples
    --------
    >>> holds_labels([[0, 1], [1, 1]]), holds_labels([{"a"}, {"a", "b"}]), holds_labels([["a"], []])
    (True, True, True)
    >>> holds_labels(["a", "b"]), holds_labels([[1, 2], [3, 4]]), holds_labels([[1], [0]])
    (False, False, False)
    """
    if y is None or sparse.issparse(y) or are_sets(y):
        return y is not None
    try:
        matrix = np.asarray(y)
    except ValueError:  # no matrix, which those say who read classes
        return False
    several = matrix.ndim == 2 and matrix.shape[1] >= LEAST_LABELS
    return several and matrix.dtype.kind in "biuf" and bool(np.isin(matrix, (0, 1)).all())


def are_sets(y: Any) -> bool:
    """Whether y is a collection of sets, or of lists of unequal lengths."""
    if sparse.issparse(y) or hasattr(y, "columns") or not hasattr(y, "__len__"):
        return False
    if isinstance(y, np.ndarray) and y.dtype != object:
        return False
    if {type(one) for one in y} & {set, frozenset}:
        return True
    return len({len(one) for one in y if isinstance(one, (list, tuple, np.ndarray))}) > 1


def require_targets(y: Any, *, numeric: bool = False) -> None:
    """Stop at targets that are missing or complex, and if they are to be `numeric` at others too.

    Examples
    --------
    >>> require_targets(["yes", None])
    Traceback (most recent call last):
    ...
    ValueError: y[1] is missing (None); give every object a target, or drop that row.
    """
    given = np.asarray(y)
    if given.dtype == object and given.ndim:
        missing = next((i for i, item in enumerate(given.flat) if is_missing(item)), None)
        if missing is not None:
            raise ValueError(
                f"y[{missing}] is missing ({given.flat[missing]}); give every object a target, "
                "or drop that row."
            )
    if numeric or given.dtype.kind == "c":
        reject_non_numbers(given, "y", {"strings": "convert them, or take a classifier"})


def class_targets(y: Any) -> tuple[NDArray[Any], Rows]:
    """Return the classes, sorted, and the class number of each object.

    Examples
    --------
    >>> class_targets(["sea", "land", "sea"])
    (array(['land', 'sea'], dtype='<U4'), array([1, 0, 1]))
    """
    require_targets(y)
    shape = np.asarray(y).shape
    if len(shape) == 2 and shape[1] > 1:
        raise ValueError(
            f"y has the shape {shape}; give one class per object, or, if an object may have "
            "several labels, a matrix of 0 and 1 with a column for each, or a set of them."
        )
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
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


def signs(y: NDArray[Any], classes: NDArray[Any]) -> Numbers:
    """Return ±1 of each row for each class, (n, C); of two classes for the second only, (n, 1).

    Examples
    --------
    >>> signs(np.array(["f", "m"]), np.array(["f", "m"])).tolist()
    [[-1.0], [1.0]]
    """
    wanted = classes if len(classes) > 2 else classes[1:]
    return np.where(y[:, None] == wanted, 1.0, -1.0)


def strata(y: NDArray[Any]) -> NDArray[Any] | None:
    """Return what folds and landmarks are to hold in equal parts: classes, or rare labels.

    Of labels, (n, L), each object counts as one of the rarest it has; the others make one class.
    Several numbers of an object have none.

    Examples
    --------
    >>> strata(np.array([[1, 1], [1, 0], [0, 0], [1, 0]]))
    array([1, 0, 2, 0])
    """
    if y.ndim == 1:
        return y
    if y.dtype.kind == "f":
        return None
    counts = y.sum(axis=0, dtype=np.intp)
    rarest = np.where(y > 0, counts, len(y) + 1).argmin(axis=1)
    return np.asarray(np.where(y.any(axis=1), rarest, y.shape[1]))


def number_targets(estimator: Any, y: Any, *, several: bool = False) -> Numbers:
    """Return the targets of a regression, float64; (n, T) too if `several` are allowed."""
    require_targets(y, numeric=True)
    y = validate_data(estimator, y=y, y_numeric=True, multi_output=several)
    return np.asarray(y, dtype=np.float64)


def class_factors(
    class_weight: Any, classes: NDArray[Any], codes: Rows, sample_weight: Numbers | None = None
) -> Numbers:
    """Return the factor of each row's weight.

    Parameters
    ----------
    class_weight : "balanced" or dict
        "balanced": the same for all classes. A dict has factors of classes; those it lacks keep 1.
    classes, codes : ndarray
        As `class_targets` returns them.
    sample_weight : ndarray, optional
        Weights of the rows, which "balanced" counts.

    Examples
    --------
    >>> classes, codes = np.array(["f", "m"]), np.array([0, 0, 0, 1])
    >>> class_factors("balanced", classes, codes)
    array([0.66666667, 0.66666667, 0.66666667, 2.        ])
    >>> class_factors({"m": 3}, classes, codes)
    array([1., 1., 1., 3.])
    """
    if isinstance(class_weight, str) and class_weight == "balanced":
        sums = np.bincount(codes, sample_weight, minlength=len(classes))
        return np.asarray(sums.mean() / np.where(sums > 0, sums, 1.0))[codes]
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            f"class_weight={class_weight!r} is none of None, 'balanced' and a dict of classes and "
            "their weights."
        )
    factors, names = np.ones(len(classes)), classes.tolist()
    for name, factor in class_weight.items():
        if name not in names:
            raise ValueError(
                f"class_weight has {name!r}, which is no class of y; the classes are "
                f"{', '.join(map(repr, names[:10]))}{', …' if len(names) > 10 else ''}."
            )
        number = isinstance(factor, Real) and not isinstance(factor, bool)
        if not number or not 0 < float(factor) < np.inf:
            raise ValueError(f"class_weight[{name!r}] must be a positive number, not {factor!r}.")
        factors[names.index(name)] = factor
    return factors[codes]
