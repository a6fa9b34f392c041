"""Ridges on a sample of the columns: what is best there is best on all, in proportion."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..features import Selected
from .fitting import RidgeTask
from .normal import Primal
from .selection import COARSE, Ridges

MANY = 320  # columns, up to which all are taken; of more this number, or a quarter
_SEED = 0  # of the draw: columns may stand in any order, but each fit draws the same


class Sampled(NamedTuple):
    """A task, and its ridges."""

    task: RidgeTask
    ridges: Ridges


def sampled(task: RidgeTask, ridges: Ridges) -> tuple[Sampled, float]:
    """Return a task and its ridges on some of the columns, and which share of all these are.

    Eigenvalues grow with the number of columns, and the best penalty with them: one that is tried
    on a share of the columns must be that share of the one meant. Where fewer columns would save
    nothing, since there are few of them, or fewer rows, all are taken.

    Parameters
    ----------
    task : RidgeTask
    ridges : Primal or Dual
        Of this task.

    Examples
    --------
    >>> from seamark.features import InMemory
    >>> X, folds = np.random.default_rng(0).normal(size=(1200, 800)), np.arange(1200) % 2
    >>> task = RidgeTask(InMemory(X), X[:, :1], folds, None, None, 800, False, True)
    >>> some, share = sampled(task, task.ridges())
    >>> some.task.n_features, share
    (320, 0.4)
    """
    width = task.n_features
    size = max(MANY, width // COARSE)
    if size >= width or not isinstance(ridges, Primal):
        return Sampled(task, ridges), 1.0
    columns = np.sort(np.random.default_rng(_SEED).permutation(width)[:size])
    fewer = replace(
        task,
        features=Selected(task.features, columns),
        n_features=size,
        allowed=None if task.allowed is None else task.allowed[:, columns],
    )
    some = Primal(ridges.data.some(columns), ridges.centred)
    return Sampled(fewer, some), size / width
