"""Columns worth a closer look: those that correlate best with some output, by quotas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .columns import Array, Rows
from .sums import Candidates, TargetSums


def screened(
    X: Any, Y: Array, folds: Rows, offered: Sequence[Rows | None], most: int
) -> list[Rows]:
    """Return the columns left by the screening, for each of several models, in one pass.

    Parameters
    ----------
    X : matrix or Features
    Y : ndarray of shape (n, outputs)
    folds : ndarray of shape (n,)
        Rows of a negative fold are not looked at.
    offered : sequence of ndarray of int, or None for all
        What the model of all rows may use, last, and before it what those without a fold may;
        these may be left out.
    most : int
        Columns to leave.
    """
    if X.shape[1] <= most:
        return [np.arange(X.shape[1]) if some is None else some for some in offered]
    rows = np.flatnonzero(folds >= 0)
    Y, folds = Y[rows] - Y[rows].mean(axis=0), folds[rows]
    sums = TargetSums.of(Candidates(X).some(rows), Y, folds, moments=2)
    found: list[Rows] = []
    for fold, some in enumerate(offered):
        last = fold == len(offered) - 1
        shown = sums.total if last else sums.without(fold)
        means = np.zeros(Y.shape[1]) if last else Y[folds != fold].mean(axis=0)
        every = np.arange(X.shape[1]) if some is None else some
        found.append(every[quota_order(shown.correlations(means)[every], most)])
    return found


def quota_order(correlations: Array, most: int | None = None) -> Rows:
    """Return columns by their best rank among all columns for any output, ties by the sum.

    Parameters
    ----------
    correlations : ndarray of shape (columns, outputs)
    most : int, optional
        Only the first so many.

    Examples
    --------
    >>> quota_order(np.array([[0.9, 0.0], [0.8, 0.1], [0.7, 0.2]]))  # best of either output first
    array([0, 2, 1])
    """
    width, n_outputs = correlations.shape
    most = width if most is None else min(most, width)
    falling = np.array(-correlations.T, order="C")
    depth = min(width, 2 * -(-most // n_outputs))
    while True:
        ranks = np.full(width, width)
        for one in falling:
            # Sorting the first few is enough; those that equal the last of them belong to them.
            first = np.arange(width)
            if depth < width:
                first = np.flatnonzero(one <= np.partition(one, depth - 1)[depth - 1])
            first = first[np.argsort(one[first], kind="stable")]
            ranks[first] = np.minimum(ranks[first], np.arange(len(first)))
        # Whoever is among the first for no output comes after all who are.
        few = np.flatnonzero(ranks < depth)
        if len(few) >= most:
            break
        depth = min(width, 2 * depth)
    return few[np.lexsort((falling[:, few].sum(axis=0), ranks[few]))][:most]
