"""`Bench`: values, targets and resamples on which learners are compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..features import InMemory
from ..landmarks import Landmarks
from ..maps import LandmarkMap
from ..plotting.text import visible
from ..transfers import Transfer
from .intervals import Bootstrap, Estimate, Floats, Rows
from .sampling import Sample
from .tasks import AssessedTask

MOST_LETTERS = 30  # of a class's name


@dataclass(frozen=True)
class Bench:
    """Values, targets and resamples, for learners to be compared on.

    Attributes
    ----------
    sample : Sample
    task : AssessedTask
    kind : str
        "distance" or "similarity", declared or seen.
    bootstrap : Bootstrap
        Of the test rows.
    seed : int
        For heads.
    """

    sample: Sample
    task: AssessedTask
    kind: str
    bootstrap: Bootstrap
    seed: int

    @property
    def reference(self) -> Rows:
        """Rows of the landmarks, where they are objects with targets."""
        if self.sample.reference is None:
            raise TypeError("the landmarks are columns of a matrix, and have no targets.")
        return self.sample.reference

    @cached_property
    def bearings(self) -> LandmarkMap:
        """The landmark map of these values, as models fit it to the rows that are learned from."""
        return self.mapped("auto")

    def mapped(self, transfer: Any) -> LandmarkMap:
        """Return the map with another transfer; no value is computed again."""
        sample = self.sample
        chosen = Landmarks(sample.landmarks, sample.reference)
        unfitted = LandmarkMap(sample.measure, transfer=transfer, scale=False)
        return unfitted.fit_known(chosen, sample.values[: len(sample.learn)])

    def features(self, transfer: Transfer) -> tuple[Floats, Floats]:
        """Features of the rows to learn from and of the test rows."""
        F = self.bearings.features(self.sample.values.copy(), [transfer]).astype(np.float64)
        n = len(self.sample.learn)
        return F[:n], F[n:]

    def estimate(self, predictions: NDArray[Any]) -> Estimate:
        """Score of predictions for the test rows."""
        test, task = self.sample.test, self.task
        estimate = self.bootstrap.share if task.n_classes else self.bootstrap.estimate
        return estimate(lambda rows: task.score(predictions[rows], test[rows]))

    def recalls(self, predictions: NDArray[Any]) -> dict[str, Estimate]:
        """Recall of each class among the test rows, by the user's name of the class."""
        truth = self.task.y[self.sample.test]
        right = predictions == truth

        def recall(code: Any) -> Callable[[Rows], float]:
            return lambda rows: _mean(right[rows][truth[rows] == code])

        found: dict[str, Estimate] = {}
        for code in np.unique(truth):
            name = visible(self.task.shown(code), MOST_LETTERS)
            name = f"{name} [{code}]" if name in found else name
            found[name] = self.bootstrap.share(recall(code), int((truth == code).sum()))
        return found

    def balanced(self, predictions: NDArray[Any]) -> Estimate:
        """Mean recall of the classes among the test rows; accuracy hides how rare ones do."""
        truth = self.task.y[self.sample.test]
        right = predictions == truth

        def balanced(rows: Rows) -> float:
            return _mean([_mean(right[rows][truth[rows] == c]) for c in np.unique(truth[rows])])

        return self.bootstrap.share(balanced)

    def fitted(self, F: Floats) -> Any:
        """Return the quick model, fitted to features of the rows to learn from."""
        learn, groups = self.sample.learn, self.sample.groups
        features = InMemory(F, None if groups is None else groups[learn])
        return self.task.head(self.seed).fit(features, self.task.learned[learn])


def _mean(values: Any) -> float:
    """Return the mean; NaN if there is nothing."""
    return float(np.mean(values)) if len(values) else float("nan")
