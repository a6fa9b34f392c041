"""Scores of rows: features times coefficients, wherever the features are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import backend
from .fitting import RidgeTask

Floats = NDArray[np.float64]
Models = list[tuple[Floats, Floats]]

PIECE_ROWS = 512  # scored at a time


def linear_scores(block: Any, coef: Floats) -> Floats:
    """Return a block of features times coefficients (T, R), on the host."""
    if isinstance(block, np.ndarray):
        return np.asarray(block @ coef.T)
    from ..engine.cuda.moments import linear

    return linear(backend().device, block, coef)


def unseen_scores(task: RidgeTask, models: Models, size: int) -> Floats:
    """Score every row by the model of the other folds, from the leading columns.

    Parameters
    ----------
    task : RidgeTask
        Says the folds; its features are read once more.
    models : list of (coefficients (T, R), intercepts (T,))
        One for each fold.
    size : int
        Columns in use.
    """

    def part(rows: slice, block: NDArray[Any]) -> Floats:
        scores = np.zeros((len(block), len(models[0][0])))
        for fold, (coef, intercept) in enumerate(models):
            member = np.flatnonzero(task.folds[rows] == fold)
            constant = intercept if task.centred else 0.0
            for start in range(0, len(member), PIECE_ROWS):  # float64 copies that stay in cache
                some = member[start : start + PIECE_ROWS]
                scores[some] = block[some] @ coef[:, :size].T + constant
        return scores

    leading = None if size == task.features.shape[1] else np.arange(size)
    there = task.on_device() if backend().device is not None else None
    if there is None:
        return task.features.stacked(part, leading)
    return there.stacked(lambda rows, block: _by_fold(task, models, size, rows, block), leading)


def _by_fold(task: RidgeTask, models: Models, size: int, rows: slice, block: Any) -> Floats:
    """Score a block on a device by all models in one product, and take each row's own."""
    folds, n_targets = task.folds[rows], len(models[0][0])
    coef = np.concatenate([one[:, :size] for one, _ in models])
    constants = np.stack([one for _, one in models]) * float(task.centred)
    every = linear_scores(block, coef).reshape(len(folds), len(models), n_targets)
    own = np.maximum(folds, 0)
    scores = every[np.arange(len(folds)), own] + constants[own]
    scores[folds < 0] = 0.0
    return scores
