"""`Bench`: values, targets and resamples on which learners are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..features import InMemory
from ..transfers import Seen, Transfer
from .intervals import Bootstrap, Estimate
from .sampling import Sample
from .tasks import Task

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Bench:
    """Values, targets and resamples, for learners to be compared on.

    Attributes
    ----------
    sample : Sample
    task : Task
    kind : str
        "distance" or "similarity", declared or seen.
    bootstrap : Bootstrap
        Of the test rows.
    seed : int
        For heads.
    """

    sample: Sample
    task: Task
    kind: str
    bootstrap: Bootstrap
    seed: int

    @property
    def reference(self) -> Rows:
        """Rows of the landmarks, where they are objects with targets."""
        if self.sample.reference is None:
            raise TypeError("the landmarks are columns of a matrix, and have no targets.")
        return self.sample.reference

    @property
    def seen(self) -> Seen:
        """What transfers are fitted to: the rows that are learned from."""
        learn = self.sample.values[: len(self.sample.learn)]
        return Seen.of(self.sample.measure, learn, None, paired=False)

    def features(self, transfer: Transfer, columns: Any = None) -> tuple[Floats, Floats]:
        """Features of the rows to learn from and of those to test on, over √R if averaged."""
        values = self.sample.values if columns is None else self.sample.values[:, columns]
        F = transfer.apply(values.copy()).astype(np.float64)
        if transfer.averaged:
            F /= np.sqrt(F.shape[1])
        n = len(self.sample.learn)
        return F[:n], F[n:]

    def estimate(self, predictions: NDArray[Any]) -> Estimate:
        """Score of predictions for the test rows."""
        test, task = self.sample.test, self.task
        return self.bootstrap.estimate(lambda rows: task.score(predictions[rows], test[rows]))

    def fitted(self, F: Floats) -> Any:
        """Return the quick model, fitted to features of the rows to learn from."""
        learn, groups = self.sample.learn, self.sample.groups
        features = InMemory(F, None if groups is None else groups[learn])
        return self.task.head(self.seed).fit(features, self.task.learned[learn])
