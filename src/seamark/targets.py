"""Targets: how y is read and coded, what its rows weigh, and folds of them."""

from __future__ import annotations

from collections.abc import Mapping, Set
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.model_selection import train_test_split
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from . import engine
from .data import (
    distinct,
    is_missing,
    reject_non_numbers,
    seed_from,
    unmasked,
    with_copies,
    with_seed,
)

__all__ = [
    "class_factors",
    "class_targets",
    "classes_of_block",
    "decided",
    "holds_classes",
    "holds_labels",
    "label_matrix",
    "label_targets",
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


def require_targets(y: Any, *, numeric: bool = False) -> NDArray[Any]:
    """Return y as an array; stop where targets are missing, infinite or complex.

    If `numeric`, at all but numbers.

    No targets, None, are for others to complain of.

    Examples
    --------
    >>> require_targets(["yes", None])
    Traceback (most recent call last):
    ...
    ValueError: y[1] is missing (None); give every object a target, or drop that row.
    """
    given = y if type(y) is np.ndarray else np.asarray(unmasked(y))
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
    return given


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


def classes_of_block(
    y: Any, known: Any = None, classes: Any = None, *, least: int = 1
) -> tuple[NDArray[Any], Rows]:
    """Return the classes of rows that come in blocks, and the class number of each row of one.

    `known` are those that the first block made known, sorted: all `classes` that a user says there
    will be, or those of that block. Of fewer than `least` nothing can be learned.

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
    if len(known) < least:
        raise too_few_classes(known, ", or name all of them in partial_fit, as classes=[…]")
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
            "class_weight must be None, 'balanced' or a dict of classes and their weights; got "
            f"{class_weight!r}."
        )
    factors, names = np.ones(len(classes)), classes.tolist()
    for name, factor in class_weight.items():
        if name not in names:
            raise ValueError(
                f"class_weight must name classes of y; got {name!r}. The classes are "
                f"{', '.join(map(repr, names[:10]))}{', …' if len(names) > 10 else ''}."
            )
        number = isinstance(factor, Real) and not isinstance(factor, bool)
        if not number or not 0 < float(factor) < np.inf:
            raise ValueError(f"class_weight[{name!r}] must be a positive number, not {factor!r}.")
        factors[names.index(name)] = factor
    return factors[codes]


# Rows of each class, in random order; and folds of them, which keep equal objects together.


def by_class(y: Any, n: int) -> list[Rows]:
    """Row numbers of each class; all rows as one class if there are no labels."""
    if y is None:
        return [np.arange(n)]
    _, codes, sizes = np.unique(y, return_inverse=True, return_counts=True)
    return np.split(np.argsort(codes, kind="stable"), np.cumsum(sizes)[:-1])


def shuffled(parts: list[Rows], groups: Rows, rng: np.random.Generator) -> list[Rows]:
    """Return the rows of each part in random order; hashed ones in that of seed and object.

    The first few of a hashed order are the same objects in whatever order, and in however many
    chunks, rows were read. Of equal objects the first is in front.
    """
    if len(groups) <= engine.settings().hashed_from:
        return list(map(rng.permutation, parts))
    hashed = with_seed(groups, seed_from(rng))
    return [rows[np.argsort(hashed[rows], kind="stable")] for rows in parts]


def in_turn(y: NDArray[Any], rng: np.random.Generator) -> Rows:
    """Return an order of rows in which kinds of y come one after the other, shuffled within.

    Folds that are dealt in this order have much the same y.
    """
    # Along an axis numpy 2.2 takes no objects.
    kinds = np.unique(y, axis=0 if y.ndim > 1 else None, return_inverse=True)[1].ravel()
    return np.lexsort((rng.random(len(y)), kinds))


def deal(
    used: NDArray[np.bool_], cv: Any, rng: Any, labels: Any = None, groups: Rows | None = None
) -> Rows:
    """Deal the rows in use to folds at random, the classes of `labels` evenly.

    Folds differ by at most one row, and by at most one member of any class. Fewer rows than folds
    make fewer folds (leave-one-out). Rows not in use get −1 and do not change the others' luck.

    Equal objects share a fold: a row and its copy on two sides would judge a model by what it has
    learned by heart; see `inseparable`.

    More rows than the setting `hashed_from` are dealt by a hash of a seed and the number of their
    group. Where that number is a hash of the object, folds are the same for every order of rows and
    every way of reading them; their sizes then differ as chance has it.

    Parameters
    ----------
    used : ndarray of bool, shape (n,)
        Rows to deal.
    cv : int, array of shape (n,), splitter or iterable of splits
        Number of folds; or the fold number of each row; or a scikit-learn splitter or its
        (train, test) pairs, where every row is tested once and trains all other folds.
    rng : RandomState or Generator
        Source of randomness.
    labels : ndarray of shape (n,), optional
        Classes.
    groups : ndarray of shape (n,), optional
        Number of each row's group of equal objects. Fold numbers and splits that are given stay as
        they are.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> folds = deal(np.ones(6, dtype=bool), 2, rng, np.array([0, 0, 0, 0, 1, 1]))
    >>> sorted(folds[:4]) == [0, 0, 1, 1], sorted(folds[4:]) == [0, 1]
    (True, True)
    >>> folds = deal(np.ones(6, dtype=bool), 2, rng, groups=np.array([0, 1, 2, 0, 1, 2]))
    >>> bool((folds[:3] == folds[3:]).all())
    True
    """
    if not isinstance(cv, (int, np.integer)):
        return _given(used, cv, labels)
    rows, cv = np.flatnonzero(used), int(cv)
    if cv < 2:
        raise ValueError(f"cv={cv} must be at least 2 folds, or the fold number of each row.")
    if len(rows) < 2:
        raise ValueError(
            f"cross-validation needs at least 2 rows with positive weight, but got n_samples = "
            f"{len(rows)}; give the penalty as a number (and calibrate=False to a classifier)."
        )
    folds = np.full(len(used), -1, dtype=np.intp)
    if groups is not None and len(rows) > engine.settings().hashed_from:
        dealt: Rows = (with_seed(groups[rows], seed_from(rng)) % np.uint64(cv)).astype(np.intp)
        even = np.bincount(dealt, minlength=cv).min() >= len(rows) / (2 * cv)
        single = len(distinct(rows, groups)) == len(rows)
        # If too few objects differ, or one is most of the rows, they are dealt one by one.
        if even and (single or inseparable(rows, labels, groups, cv) is not None):
            folds[rows] = dealt
            return folds
    order = rng.permutation(rows)
    if labels is not None:
        # Dealt class after class without starting over, so that rare classes spread too.
        order = order[np.argsort(labels[order], kind="stable")]
    groups = inseparable(rows, labels, groups, cv)
    if groups is None:
        folds[order] = np.arange(len(order)) % min(cv, len(order))
    else:
        folds[order] = _dealt_whole(order, cv, labels, groups)
    return folds


def inseparable(rows: Rows, labels: Any, groups: Rows | None, least: int = 2) -> Rows | None:
    """Return the groups of equal objects that no split of these rows may part; None: no such.

    Copies may be parted where fewer than `least` objects differ, so that there are not enough to
    make the parts, or no more than there are classes, so that nothing of one could be learned from
    the others.

    Examples
    --------
    >>> inseparable(np.arange(4), None, np.array([0, 1, 2, 3])) is None
    True
    >>> inseparable(np.arange(4), None, np.array([0, 0, 1, 2]))
    array([0, 0, 1, 2])
    >>> inseparable(np.arange(4), np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1])) is None
    True
    """
    if groups is None:
        return None
    n_classes = 1 if labels is None else len(np.unique(labels[rows]))
    different = len(distinct(rows, groups))
    return groups if max(least, n_classes + 1) <= different < len(rows) else None


def split_off(
    rows: Rows, share: Any, rng: Any, labels: Any = None, groups: Rows | None = None
) -> tuple[Rows, Rows]:
    """Return rows to fit to and a share of rows to hold out, of each class alike, both sorted.

    Equal objects are on one side, unless a class has no two objects to part. Of more rows than the
    setting `hashed_from` those are held out that have the smallest hashes of a seed and the object.

    Parameters
    ----------
    rows : ndarray of int
    share : float
        Of rows to hold out.
    rng : RandomState
    labels : ndarray, optional
        Classes, of all rows there are; at least two rows of each.
    groups : ndarray of int, optional
        Of equal objects, among all rows there are.

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> split_off(np.arange(6), 0.3, rng, groups=np.array([0, 1, 2, 0, 1, 2]))
    (array([0, 1, 3, 4]), array([2, 5]))
    """
    kinds, groups = groups, inseparable(rows, labels, groups)
    if groups is not None and labels is not None:
        counts = np.unique(labels[distinct(rows, groups)], return_counts=True)[1]
        groups = None if counts.min() < 2 else groups
    one_of_each = distinct(rows, groups)
    strata = None if labels is None else labels[one_of_each]
    if kinds is not None and len(rows) > engine.settings().hashed_from:
        classes = [one_of_each[some] for some in by_class(strata, len(one_of_each))]
        held = [some[: max(1, round(share * len(some)))] for some in shuffled(classes, kinds, rng)]
        parts = [np.setdiff1d(one_of_each, np.concatenate(held)), np.concatenate(held)]
    else:
        parts = train_test_split(one_of_each, test_size=share, stratify=strata, random_state=rng)
    fitted, out = (np.intersect1d(with_copies(part, groups), rows) for part in parts)
    return fitted, out


def _dealt_whole(order: Rows, cv: int, labels: Any, groups: Rows) -> Rows:
    """Deal groups to folds, each to one with the fewest rows of its class, and then of all.

    Of single rows this is round and round, as if there were no groups. Large groups come first
    within a class, so that small ones can make up for them.
    """
    members, sizes = np.unique(groups[order], return_inverse=True, return_counts=True)[1:]
    first = np.unique(members, return_index=True)[1]  # of each group, its place in the order
    classes = np.zeros(len(order), dtype=np.intp)
    if labels is not None:
        classes = np.unique(labels[order], return_inverse=True)[1]
    rows, of_class = [0] * cv, np.zeros((classes.max() + 1, cv), dtype=int).tolist()
    folds, numbers = np.empty(len(sizes), dtype=np.intp), range(cv)
    ordered = np.lexsort((first, -sizes, classes[first]))
    ends = np.searchsorted(classes[first][ordered], np.arange(len(of_class)), side="right")
    for own, of_this in zip(of_class, np.split(ordered, ends[:-1]), strict=True):
        for place, group in enumerate(of_this):
            size = int(sizes[group])
            if size == 1 and min(own) == max(own):  # from here on round and round
                turn = sorted(zip(rows, numbers, strict=True))
                folds[of_this[place:]] = np.resize([f for _, f in turn], len(of_this) - place)
                for fold, count in enumerate(np.bincount(folds[of_this[place:]], minlength=cv)):
                    own[fold] += int(count)
                    rows[fold] += int(count)
                break
            fold = min(zip(own, rows, numbers, strict=True))[2]
            folds[group] = fold
            own[fold] += size
            rows[fold] += size
    return folds[members]


def _given(used: NDArray[np.bool_], cv: Any, labels: Any) -> NDArray[np.intp]:
    """Return folds that are given, as numbers or as (train, test) splits, numbered from 0."""
    if hasattr(cv, "split"):
        cv = cv.split(np.zeros((len(used), 1)), labels)
    cv = cv if isinstance(cv, np.ndarray) else list(cv)
    if isinstance(cv, list) and len(cv) > 0 and isinstance(cv[0], tuple):
        numbers, times = np.zeros(len(used), dtype=np.intp), np.zeros(len(used), dtype=np.intp)
        for fold, (train, test) in enumerate(cv):
            numbers[test] = fold
            times[test] += 1
            if len(train) + len(test) != len(used):
                raise ValueError(
                    f"split {fold} of cv leaves rows out; each model must train on all rows but "
                    "its test rows, as in KFold."
                )
        if np.any(times != 1):
            raise ValueError(
                f"cv tests row {int(np.argmax(times != 1))} {int(times[times != 1][0])} times; "
                "every row must be tested once, as in KFold."
            )
    else:
        numbers = np.asarray(cv)
    if numbers.shape != used.shape or numbers.dtype.kind not in "iu":
        raise ValueError(
            f"cv must be a number of folds or one integer per row ({len(used)} rows), "
            f"but has shape {numbers.shape} and type {numbers.dtype}."
        )
    folds = np.full(len(used), -1, dtype=np.intp)
    names, folds[used] = np.unique(numbers[used], return_inverse=True)
    if len(names) < 2:
        raise ValueError("cv puts all rows into one fold; cross-validation needs at least 2.")
    return folds
