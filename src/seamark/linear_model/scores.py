"""Scores of rows: features times coefficients, wherever the features are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..engine import backend, settings

if TYPE_CHECKING:
    from .fitting import RidgeTask

Floats = NDArray[np.float64]
Models = list[tuple[Floats, Floats]]
SoftmaxSums = Callable[[float, Floats], tuple[float, float, Floats]]


def linear_scores(block: Any, coef: Floats) -> Floats:
    """Return a block of features times coefficients (T, R), on the host."""
    if isinstance(block, np.ndarray):
        return np.asarray(block @ coef.T)
    from ..engine.cuda.statistics import linear

    return linear(backend().device, block, coef)


def by_fold(task: RidgeTask, models: Models, size: int, rows: slice, block: Any) -> Floats:
    """Score a block on a device by all models in one product, and take each row's own."""
    folds, n_targets = task.folds[rows], len(models[0][0])
    coef = np.concatenate([one[:, :size] for one, _ in models])
    constants = np.stack([one for _, one in models]) * float(task.centred)
    every = linear_scores(block, coef).reshape(len(folds), len(models), n_targets)
    own = np.maximum(folds, 0)
    scores = every[np.arange(len(folds)), own] + constants[own]
    scores[folds < 0] = 0.0
    return scores


def softmax_sums(scores: Floats, weights: Floats) -> SoftmaxSums | None:
    """Return what sums over rows of a calibration on the device; None: the host is as good."""
    from ..engine.cuda import statistics

    device = backend().device
    few = scores.size < settings().device_scores
    if few or not statistics.SoftmaxSums.fits(device, scores.shape[1]):
        return None
    return statistics.SoftmaxSums(device, scores, weights)
