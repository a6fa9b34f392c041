"""How y is read where objects have any number of labels: a matrix of 0 and 1, or sets."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import validate_data

from ..data import is_missing, unmasked
from .reading import LEAST_LABELS, are_sets


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
        names = list(getattr(y, "columns", []))
        matrix = y.toarray() if sparse.issparse(y) else np.asarray(unmasked(y))
        matrix = validate_data(estimator, y=matrix, multi_output=True)
        _require_indicator(matrix)
        named = names and all(isinstance(name, str) for name in names)
        labels = np.asarray(names) if named else np.arange(matrix.shape[1])
        return labels, _varied(matrix.astype(np.int8))
    for row, entry in enumerate(y):
        if not isinstance(entry, (Set, list, tuple, np.ndarray)) or any(
            is_missing(one) or not np.isscalar(one) for one in entry
        ):
            raise ValueError(
                f"y[{row}] is {entry!r}, and other objects have sets of labels; give every object "
                "a set of strings or numbers, an empty one where it has none."
            )
    kinds = {type(one) for entry in y for one in entry}
    if len({issubclass(kind, str) for kind in kinds}) > 1:
        raise ValueError("y has labels that are strings and labels that are numbers; give one.")
    labels = np.array(sorted({one for entry in y for one in entry}))
    if len(labels) < LEAST_LABELS:
        raise ValueError(
            f"y has {len(labels)} label in all; labels need two or more, and one that objects have "
            "or not is a class."
        )
    return labels, _varied(label_matrix(labels, y))


def _varied(matrix: NDArray[np.int8]) -> NDArray[np.int8]:
    if (matrix == matrix[0]).all():
        raise ValueError(
            f"all {len(matrix)} objects have the same labels in y; give objects that differ."
        )
    return matrix


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
