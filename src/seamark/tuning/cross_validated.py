"""`CrossValidated`: what is open is chosen by the errors of a ridge."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

from ..features import Features, Rows, Selected
from ..heads.folds import deal
from ..maps import MappedFeatures
from ..transfers import Transfer
from .base import Choice, Task, Tuning
from .candidates import joint_candidates

COMPARED_ROWS = 10_000
COMPARED_LANDMARKS = 512


class CrossValidated(Tuning):
    """Open transfers by the cross-validated error of a ridge, whatever the head.

    On 10,000 rows and 512 landmarks, where there are more. What labels decide is decided anew for
    each fold, from the other rows: its model uses no landmark that is a row of the fold, and a
    weighing chooses again. Equal objects share a fold; of ranked documents, whole queries make one.
    """

    def choose(
        self, features: MappedFeatures, wanted: Any, task: Task, rng: np.random.Generator
    ) -> Choice:
        """Choose the transfers; heads choose their own penalties, if they do."""
        choices = joint_candidates(features, wanted)
        if len(choices) == 1 and not task.rivalled:
            return Choice(choices[0], task.head)
        compared = _Comparison(features, task, rng)
        errors = [compared.error(choice) for choice in choices]
        best = int(np.argmin(errors))
        merit = -errors[best]
        return Choice(choices[best], task.head, merit, {"transfer": choices, "error": errors})


class _Comparison:
    """Features of enough rows and landmarks to choose by; all of them if there are few."""

    def __init__(self, features: MappedFeatures, task: Task, rng: np.random.Generator) -> None:
        n, width = features.shape
        self.features, self.task = features, task
        self.columns = _leading(features)
        if n > COMPARED_ROWS:
            rows = np.sort(rng.permutation(n)[:COMPARED_ROWS])
            self.features, self.task = features.of_rows(rows, self.columns), task.some(rows)
        elif task.rivalled and width >= 2 * len(self.columns):
            # One map of several will be used; values of other columns would mostly be for nothing.
            self.features = features.of_rows(np.arange(n), self.columns)
        self.ridge = clone(task.yardstick).set_params(cv=_folds(self.task, rng))

    def error(self, transfers: list[Transfer]) -> float:
        """Cross-validated error under some transfers."""
        changed: Features = self.features.with_transfers(transfers)
        if changed.shape[1] > len(self.columns):
            changed = Selected(changed, self.columns)
        task = self.task
        ridge = clone(self.ridge).fit(task.weighed(changed), task.numbers, task.weights)
        return float(np.min(ridge.cv_results_["mean_error"]))


def _leading(features: MappedFeatures) -> Rows:
    """Return the first few columns, of every measure as many."""
    width, bearings = features.shape[1], features.map
    if width <= COMPARED_LANDMARKS:
        return np.arange(width)
    n_measures = len(bearings.measures_) if bearings.is_divisible else 1
    order = np.arange(width) if features.order is None else features.order
    few = order[: COMPARED_LANDMARKS // n_measures]  # of the first measure, whose features lead
    return np.concatenate([few + m * (width // n_measures) for m in range(n_measures)])


def _folds(task: Task, rng: np.random.Generator) -> Rows:
    """Deal the rows to as many folds as the yardstick wants; queries whole, classes evenly."""
    ridge, queries = task.yardstick, task.options.get("qid")
    if queries is None:
        labels = task.numbers if is_classifier(ridge) else None
        return deal(np.ones(len(task.numbers), dtype=bool), ridge.cv, rng, labels, task.groups)
    names, codes = np.unique(queries, return_inverse=True)
    if len(names) == 1:  # a single list: its documents must do
        return deal(np.ones(len(codes), dtype=bool), ridge.cv, rng, groups=task.groups)
    return deal(np.ones(len(names), dtype=bool), ridge.cv, rng)[codes]
