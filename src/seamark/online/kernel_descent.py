"""OLP over objects of any kind, described by the values of several kernels."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from .. import engine
from ..measures import Measure
from .descent import Descent
from .losses import Codes


class KernelDescent(Descent):
    """A learner whose buffer holds places in a pool of objects.

    What enters the buffer is decided before any loss is computed, so a chunk is compared with what
    the buffer holds and will hold, and with nothing else.
    """

    measures: list[Measure]
    n_jobs: int | None
    pool: Any = None
    """The objects in the buffer, each once."""

    @classmethod
    def like(cls, learner: Descent, measures: list[Measure], n_jobs: int | None) -> Self:
        """Return a learner over objects, as new as the one given."""
        parts = learner.loss, learner.constraint, learner.buffer
        new = cls(*parts, learner.step, learner.schedule, learner.parameter)
        new.measures, new.n_jobs = measures, n_jobs
        return new

    def learn(self, X: Any, labels: Codes) -> None:
        """Take a chunk of ingested objects, one by one."""
        # A point is its row in this chunk, and its place in the pool.
        points = np.full((len(labels), 2), -1.0)
        points[:, 0] = np.arange(len(labels))
        self.buffer.allocate((points, labels))
        n_filled, moves = len(self.buffer), self.buffer.draw(labels)
        entering = np.unique(moves.step[moves.source < 0])
        n_kept = 0 if self.pool is None else self.pool.shape[0]
        points[entering, 1] = n_kept + np.arange(len(entering))
        self._extend_pool(X[entering])
        self._set_values(X)
        self.follow(points, labels, moves, n_filled)
        self._set_values(None)
        self._shrink_pool()

    def _extend_pool(self, entering: Any) -> None:
        if self.pool is None:
            self.pool = entering
        elif entering.shape[0]:
            domain = reduce(add, self.measures).domain
            self.pool = domain.joined(self.pool, entering)

    def _set_values(self, X: Any) -> None:
        """Tell the loss what the kernels say of X against the pool; None: forget it."""
        values = np.empty((0, 0, len(self.measures)), dtype=np.float32)
        if X is not None:
            recipes = [measure.recipe(self.pool) for measure in self.measures]
            values = np.stack([engine.run(one, X, n_jobs=self.n_jobs) for one in recipes], axis=2)
        self.loss = clone(self.loss).set_params(values=values)

    def _shrink_pool(self) -> None:
        """Keep only the objects that are in the buffer, and number them anew."""
        points = self.buffer.columns[0]
        used, points[:, 1] = np.unique(points[:, 1].astype(np.intp), return_inverse=True)
        self.pool = self.pool[used]
