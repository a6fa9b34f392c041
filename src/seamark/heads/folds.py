"""Fold numbers for cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..features import Features


def deal(used: NDArray[np.bool_], cv: Any, rng: Any, labels: Any = None) -> NDArray[np.intp]:
    """Deal the rows in use to folds at random, the classes of `labels` evenly.

    Folds differ by at most one row, and by at most one member of any class. Fewer rows than folds
    make fewer folds (leave-one-out). Rows not in use get −1 and do not change the others' luck.

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

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> folds = deal(np.ones(6, dtype=bool), 2, rng, np.array([0, 0, 0, 0, 1, 1]))
    >>> sorted(folds[:4]) == [0, 0, 1, 1], sorted(folds[4:]) == [0, 1]
    (True, True)
    """
    if isinstance(cv, (int, np.integer)):
        return _dealt(used, int(cv), rng, labels)
    if hasattr(cv, "split"):
        cv = cv.split(np.zeros((len(used), 1)), labels)
    cv = cv if isinstance(cv, np.ndarray) else list(cv)
    pairs = isinstance(cv, list) and len(cv) > 0 and isinstance(cv[0], tuple)
    return _named(used, _tested_in(cv, len(used)) if pairs else np.asarray(cv))


def columns_of_folds(features: Features, folds: NDArray[np.intp]) -> NDArray[np.bool_] | None:
    """Which features the model without each fold may use, and, last, the model of all rows.

    None: all of them, always.
    """
    n_folds = int(folds.max()) + 1
    hidden = np.zeros((n_folds + 1, len(folds)), dtype=bool)
    if n_folds > 1:  # else there is no model without the fold
        hidden[:-1] = folds == np.arange(n_folds)[:, None]
    columns = [features.columns_without(mask) for mask in hidden]
    if all(some is None for some in columns):
        return None
    allowed = np.zeros((len(columns), features.shape[1]), dtype=bool)
    for row, some in zip(allowed, columns, strict=True):
        row[slice(None) if some is None else some] = True
    return allowed


def _dealt(used: NDArray[np.bool_], cv: int, rng: Any, labels: Any) -> NDArray[np.intp]:
    rows = np.flatnonzero(used)
    if cv < 2:
        raise ValueError(f"cv={cv} must be at least 2 folds, or the fold number of each row.")
    if len(rows) < 2:
        raise ValueError(
            f"cross-validation needs at least 2 rows with positive weight, but got n_samples = "
            f"{len(rows)}; give the penalty as a number (and calibrate=False to a classifier)."
        )
    folds = np.full(len(used), -1, dtype=np.intp)
    order = rng.permutation(rows)
    if labels is not None:
        # Dealt class after class without starting over, so that rare classes spread too.
        order = order[np.argsort(labels[order], kind="stable")]
    folds[order] = np.arange(len(order)) % min(cv, len(order))
    return folds


def _tested_in(splits: list[Any], n_rows: int) -> NDArray[np.intp]:
    """Turn (train, test) pairs into fold numbers."""
    numbers, times = np.zeros(n_rows, dtype=np.intp), np.zeros(n_rows, dtype=np.intp)
    for fold, (train, test) in enumerate(splits):
        numbers[test] = fold
        times[test] += 1
        if len(train) + len(test) != n_rows:
            raise ValueError(
                f"split {fold} of cv leaves rows out; each model must train on all rows but its "
                "test rows, as in KFold."
            )
    if np.any(times != 1):
        raise ValueError(
            f"cv tests row {int(np.argmax(times != 1))} {int(times[times != 1][0])} times; "
            "every row must be tested once, as in KFold."
        )
    return numbers


def _named(used: NDArray[np.bool_], numbers: NDArray[Any]) -> NDArray[np.intp]:
    """Number the folds from 0."""
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
