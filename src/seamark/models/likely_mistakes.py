"""Likely mistakes in X and y, which would otherwise pass without a word."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ..data import as_frame, is_collection
from ..data.tables import plain_cells
from ..engine import warn_user
from ..io import RowSource
from ..measures import Precomputed

ROUNDING = 1e-6  # of the largest distance
LEAK_COLUMNS = 200  # more would take seconds
LEAK_ROWS = 1000  # of which columns are asked whether they alone predict the target
LEAK_FOLDS = 3
ROWS_A_NAME = 20  # on average: fewer say more of who comes again than of the target
LEAK = 0.99  # of rows that are right, or R²
LEAK_SKILL = 0.9  # of what the commonest class leaves open


def require_paired(estimator: Any, X: Any, y: Any) -> None:
    """Stop at targets that are missing, or whose pandas index has another order than that of X.

    Examples
    --------
    >>> import pandas as pd
    >>> X, y = pd.DataFrame({"a": [1, 2]}), pd.Series([0, 1])
    >>> require_paired(None, X, y)
    >>> require_paired(None, X, y[::-1])
    Traceback (most recent call last):
    ...
    ValueError: y has the index of X in another order, and rows are paired by their place; ...
    """
    if y is None and not isinstance(X, RowSource) and not is_collection(X):
        raise ValueError(
            f"y is missing: {type(estimator).__name__} requires y to be passed, but the target y "
            "is None."
        )
    one: Any = getattr(X, "index", None)
    other: Any = getattr(y, "index", None)
    if not hasattr(one, "is_unique") or not hasattr(other, "is_unique") or is_collection(X):
        return  # a list has a method of this name
    if len(one) != len(other) or one.equals(other) or not one.is_unique:
        return
    if set(one) == set(other):
        raise ValueError(
            "y has the index of X in another order, and rows are paired by their place; give "
            "y.loc[X.index], or reset_index(drop=True) of the one whose index means nothing."
        )


def read_precomputed(measure: Any, X: Any) -> Any:
    """Return ``"precomputed"`` as distances where the matrix can be nothing else; others as is.

    That is a square matrix, symmetric, not negative, and 0 on the diagonal only.
    """
    if not (isinstance(measure, str) and measure == "precomputed"):
        return measure
    try:
        D = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):  # refused where it is ingested
        return measure
    if D.ndim != 2 or D.shape[0] != D.shape[1] or not D.any() or not D.min() >= 0:
        return measure
    rounding = ROUNDING * D.max()
    if np.diagonal(D).max() > rounding or not np.allclose(D, D.T, rtol=0, atol=rounding):
        return measure
    warn_user(
        "the precomputed matrix is symmetric and 0 on its diagonal, and is read as distances; say "
        "measure=Precomputed(kind='distance'), or kind='similarity' if it holds similarities."
    )
    return Precomputed(kind="distance", symmetric=True)


def warn_of_leaks(X: Any, y: NDArray[Any], classes: bool, measure: Any = "auto") -> None:
    """Warn of columns of a table each of which alone predicts y, out of fold, in nearly all rows.

    A shallow tree learns the numbers of a column, or of its categories, on a sample of the rows.

    Parameters
    ----------
    X : table
        Of which two to 200 columns are read; anything else is left alone.
    y : ndarray of shape (n,)
        Class numbers, or numbers.
    classes : bool
    measure : dict or str
        A dict reads the columns that it names, "auto" reads all.
    """
    frame = as_frame(X)
    if frame is None or y.ndim != 1 or len(y) != len(X):
        return
    names = frame.columns
    if isinstance(measure, dict):
        read = {one for key in measure for one in (key if isinstance(key, tuple) else (key,))}
        names = [name for name in names if name in read]
    if not 2 <= len(names) <= LEAK_COLUMNS:
        return
    # Random numbers of its own: the fit's are the same with and without it.
    rows = np.sort(np.random.default_rng(0).permutation(len(y))[:LEAK_ROWS])
    columns = {name: _codes(frame.get_column(name), rows) for name in names}
    # Of equal rows only the first counts: a copy in another fold gives the target away.
    every = np.column_stack([codes for codes, _ in columns.values()])
    first = np.sort(np.unique(every, axis=0, return_index=True)[1])
    y = y[rows][first]
    if len(y) < 10 * LEAK_FOLDS:
        return
    base, folds = 0.0, KFold(LEAK_FOLDS)
    if classes:
        counts = np.unique(y, return_counts=True)[1]
        if len(counts) < 2 or counts.min() < LEAK_FOLDS:
            return
        base, folds = counts.max() / len(y), StratifiedKFold(LEAK_FOLDS)
    tree = DecisionTreeClassifier if classes else DecisionTreeRegressor
    for name, (codes, few) in columns.items():
        if not few:
            continue
        score = cross_val_score(tree(random_state=0), codes[first, None], y, cv=folds).mean()
        if score > LEAK and (score - base) / max(1e-9, 1 - base) > LEAK_SKILL:
            what = f"{score:.1%} of unseen rows are right" if classes else f"R² {score:.3f}"
            warn_user(
                f"column {name!r} alone predicts the target ({what}); if it is only known once the "
                "target is, leave it out."
            )


def _codes(column: Any, rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], bool]:
    """Return a number for each cell, equal for equal cells, and whether a tree can learn from it.

    It can where these are ranks of numbers, missing ones first, or where names come again.
    """
    cells = plain_cells(column)[rows]
    if cells.dtype.kind == "f":
        return np.unique(np.where(np.isnan(cells), -np.inf, cells), return_inverse=True)[1], True
    if cells.dtype.kind in "mM":
        return np.unique(cells.astype(np.int64), return_inverse=True)[1], True
    plain = all(isinstance(cell, (str, bool, int, float)) or cell is None for cell in cells)
    names, codes = np.unique(list(map(str, cells)), return_inverse=True)
    return codes, plain and ROWS_A_NAME * len(names) <= len(codes)
