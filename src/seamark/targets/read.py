"""Targets, read and coded: classes, labels or numbers, and the weights of rows."""

from __future__ import annotations

from collections.abc import Mapping, Set
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from ..data import is_missing, reject_non_numbers, unmasked

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
        matrix = np.asarray(unmasked(y))
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
    """Stop at targets that are missing, infinite or complex, and if `numeric` at all but numbers.

    No targets, None, are for others to complain of.

    Examples
    --------
    >>> require_targets(["yes", None])
    Traceback (most recent call last):
    ...
    ValueError: y[1] is missing (None); give every object a target, or drop that row.
    """
    given = np.asarray(unmasked(y))
    odd: list[Any] = []
    if given.dtype.kind in "fmM":
        odd = np.argwhere(~np.isfinite(given)).tolist()
    elif given.dtype == object and given.ndim:
        odd = [i for i, item in np.ndenumerate(given) if is_missing(item) or _is_infinite(item)]
    if odd:
        place, value = ", ".join(map(str, odd[0])), given[tuple(odd[0])]
        said = value if _is_infinite(value) else f"missing ({value})"
        raise ValueError(f"y[{place}] is {said}; give every object a target, or drop that row.")
    if numeric or given.dtype.kind == "c":
        reject_non_numbers(given, "y", {"strings": "convert them, or take a classifier"})


def _is_infinite(item: Any) -> bool:
    return isinstance(item, (float, np.floating)) and bool(np.isinf(item))


def class_targets(y: Any, *, least: int = 2) -> tuple[NDArray[Any], Rows]:
    """Return the classes, sorted, `least` of them or more, and the class number of each object.

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
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < least:
        raise too_few_classes(classes)
    return classes, codes


def too_few_classes(classes: NDArray[Any], more: str = "") -> ValueError:
    """What to raise where y has one class only, or none; `more` says what else may help."""
    if len(classes) == 0:
        return ValueError("y is empty (0 samples); give one class per object.")
    only = classes.tolist()[0]
    return ValueError(f"y has one class only, {only!r}; give objects of two classes or more{more}.")


def classes_of_block(y: Any, known: Any = None, classes: Any = None) -> tuple[NDArray[Any], Rows]:
    """Return the classes of rows that come in blocks, and the class number of each row of one.

    `known` are those that the first block made known, sorted: all `classes` that a user says there
    will be, or those of that block.

    Examples
    --------
    >>> classes_of_block(["sea"], classes=["sea", "land"])
    (array(['land', 'sea'], dtype='<U4'), array([1]))
    """
    said = None if classes is None else np.unique(np.asarray(classes))
    if known is None:
        found, codes = class_targets(y, least=1)
        known = found if said is None else said
    else:
        require_targets(y)
        found, codes = np.unique(column_or_1d(y, warn=True), return_inverse=True)
    if said is not None and not np.array_equal(said, known):
        raise ValueError(f"classes={classes} are not those of the first call, {known.tolist()}.")
    strange = np.setdiff1d(found, known)
    if len(strange):
        raise ValueError(
            f"y has the class {strange.tolist()[0]!r}, which is not among those of the first call, "
            f"{known.tolist()}; name all that may come there, as partial_fit(X, y, classes=[…])."
        )
    return known, np.searchsorted(known, found)[codes]


def signs(y: NDArray[Any], classes: NDArray[Any], *, each: bool = False) -> Numbers:
    """Return ±1 of each row for each class, (n, C); of two classes for the second only, (n, 1).

    With `each`, both of two classes have a column.

    Examples
    --------
    >>> signs(np.array(["f", "m"]), np.array(["f", "m"])).tolist()
    [[-1.0], [1.0]]
    """
    wanted = classes if each or len(classes) > 2 else classes[1:]
    return np.where(y[:, None] == wanted, 1.0, -1.0)


def decided(scores: Numbers, classes: NDArray[Any]) -> NDArray[Any]:
    """Return the class of the largest score; of a single one, the second class if it is positive.

    Examples
    --------
    >>> decided(np.array([-0.5, 2.0]), np.array(["f", "m"])).tolist()
    ['f', 'm']
    """
    single = scores.ndim == 1 or scores.shape[1] == 1
    best = scores.ravel() > 0 if single else scores.argmax(axis=1)
    return np.asarray(classes[best.astype(np.intp, copy=False)])


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


# How y is read where objects have any number of labels: a matrix of 0 and 1, or sets.


def label_targets(estimator: Any, y: Any) -> tuple[NDArray[Any], NDArray[np.int8]]:
    """Return the labels, and a matrix (n, L) that has 1 where an object has a label.

    Labels of sets are sorted; those of a matrix are its columns' names, if it is a frame whose
    columns are strings, or else their numbers.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> label_targets(BaseEstimator(), [{"sea"}, {"land", "sea"}, set()])
    (array(['land', 'sea'], dtype='<U4'), array([[0, 1],
           [1, 1],
           [0, 0]], dtype=int8))
    """
    if not are_sets(y):
        columns = list(getattr(y, "columns", []))
        matrix = y.toarray() if sparse.issparse(y) else np.asarray(unmasked(y))
        matrix = validate_data(estimator, y=matrix, multi_output=True)
        _require_indicator(matrix)
        named = columns and all(isinstance(name, str) for name in columns)
        labels = np.asarray(columns) if named else np.arange(matrix.shape[1])
        matrix = matrix.astype(np.int8)
    else:
        for row, entry in enumerate(y):
            if not isinstance(entry, (Set, list, tuple, np.ndarray)) or any(
                is_missing(one) or not np.isscalar(one) for one in entry
            ):
                raise ValueError(
                    f"y[{row}] is {entry!r}, and other objects have sets of labels; give every "
                    "object a set of strings or numbers, an empty one where it has none."
                )
        names = {one for entry in y for one in entry}
        if len({isinstance(one, str) for one in names}) > 1:
            raise ValueError("y has labels that are strings and labels that are numbers; give one.")
        labels = np.array(sorted(names))
        if len(labels) < LEAST_LABELS:
            raise ValueError(
                f"y has {len(labels)} label in all; labels need two or more, and one that objects "
                "have or not is a class."
            )
        matrix = label_matrix(labels, y)
    if (matrix == matrix[0]).all():
        raise ValueError(
            f"all {len(matrix)} objects have the same labels in y; give objects that differ."
        )
    return labels, matrix


def _require_indicator(matrix: NDArray[Any]) -> None:
    """Stop unless a matrix has 0 and 1 only, and a row at least."""
    if not len(matrix):
        raise ValueError("y is empty (0 samples); give the labels of each object.")
    odd = ~np.isin(matrix, (0, 1))
    if odd.any():
        row, column = (int(k) for k in np.argwhere(odd)[0])
        raise ValueError(
            f"y[{row}, {column}] is {matrix[row, column]!r}; labels are a matrix of 0 and 1, with "
            "a column for each label."
        )


def label_matrix(labels: NDArray[Any], y: Any) -> NDArray[np.int8]:
    """Return y, a matrix or sets, as a matrix of 0 and 1 with columns for these labels.

    Examples
    --------
    >>> label_matrix(np.array(["land", "sea"]), [{"sea"}, []]).tolist()
    [[0, 1], [0, 0]]
    """
    if not are_sets(y):
        matrix = y.toarray() if sparse.issparse(y) else np.asarray(unmasked(y))
        if matrix.ndim != 2 or matrix.shape[1] != len(labels):
            raise ValueError(
                f"y has the shape {matrix.shape}, and there are {len(labels)} labels; give a "
                "column of 0 and 1 for each, or a set of labels for each object."
            )
        _require_indicator(matrix)
        return np.asarray(matrix, dtype=np.int8)
    places = {name: k for k, name in enumerate(labels.tolist())}
    matrix = np.zeros((len(y), len(labels)), dtype=np.int8)
    for row, entry in enumerate(y):
        for one in entry:
            if one not in places:
                raise ValueError(f"y[{row}] has the label {one!r}, which was not there in fit.")
            matrix[row, places[one]] = 1
    return matrix


# Weights of rows: those a user gives, and factors of classes.


def checked_weights(sample_weight: Any, n: int, *, some: bool = True) -> Numbers:
    """Return the weights of n rows, checked: as given, or one number for all; None is 1.

    `some` must be positive, but for a chunk of rows among others.

    Examples
    --------
    >>> checked_weights([1, 2], 2), checked_weights(None, 2)
    (array([1., 2.]), array([1., 1.]))
    """
    if sample_weight is None or isinstance(sample_weight, Real):
        sample_weight = np.full(n, 1.0 if sample_weight is None else sample_weight)
    given = unmasked(sample_weight)
    weights = np.asarray(
        check_array(given, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    )
    if weights.shape != (n,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}; it must have one number for each of the "
            f"{n} rows of X."
        )
    if weights.min() < 0:
        row = int(weights.argmin())
        raise ValueError(f"sample_weight[{row}] is {weights[row]:g}; no weight may be negative.")
    if some and not weights.any():
        raise ValueError("sample_weight is zero for every row; at least one must be positive.")
    return weights


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
