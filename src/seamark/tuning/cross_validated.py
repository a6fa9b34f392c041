"""`CrossValidated`: what is open is chosen by the errors of a ridge."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..features import Features, Selected
from ..maps import MappedFeatures
from ..transfers import Transfer
from .base import Choice, Task, Tuning
from .candidates import joint_candidates

PILOT_ROWS = 10_000
PILOT_LANDMARKS = 512


class CrossValidated(Tuning):
    """Open transfers by the cross-validated error of a ridge, whatever the head.

    On 10,000 rows and 512 landmarks, where there are more.
    """

    def choose(
        self, features: MappedFeatures, wanted: Any, task: Task, rng: np.random.Generator
    ) -> Choice:
        """Choose the transfers; heads choose their own penalties, if they do."""
        choices = joint_candidates(features, wanted)
        if len(choices) == 1 and not task.rivalled:
            return Choice(choices[0], task.head)
        pilot = _Pilot(features, task.numbers, rng)
        errors = [pilot.error(choice, task.yardstick) for choice in choices]
        best = int(np.argmin(errors))
        merit = -errors[best]
        return Choice(choices[best], task.head, merit, {"transfer": choices, "error": errors})


class _Pilot:
    """Features of enough rows and landmarks to choose by; all of them if there are few."""

    def __init__(self, features: MappedFeatures, y: NDArray[Any], rng: np.random.Generator) -> None:
        n, width = features.shape
        self.features, self.y = features, y
        self.columns = np.arange(min(width, PILOT_LANDMARKS))
        if n > PILOT_ROWS:
            rows = np.sort(rng.permutation(n)[:PILOT_ROWS])
            self.features, self.y = features.of_rows(rows, self.columns), y[rows]

    def error(self, transfers: list[Transfer], head: Any) -> float:
        """Cross-validated error under some transfers."""
        changed: Features = self.features.with_transfers(transfers)
        if changed.shape[1] > len(self.columns):
            changed = Selected(changed, self.columns)
        results = clone(head).fit(changed, self.y).cv_results_
        return float(np.min(results["mean_error"]))
