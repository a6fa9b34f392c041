"""Whether shuffled targets are predicted as well as the true ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

from ..transfers import get_transfer
from .bench import Bench
from .tasks import Task

Rows = NDArray[np.intp]

SHUFFLES = 199
PENALTY = 0.01  # of the ridge, per row, on standardised features


def permutation_p(bench: Bench, rng: np.random.Generator) -> float:
    """Return the chance that shuffled targets are predicted as well as the true ones.

    A ridge on standardised features, whose transfer and penalty never look at targets, learns
    the true and 199 shuffled targets at once; scores on test rows are compared. Shuffling is
    among all rows, or in ranking among the rows of a query.
    """
    sample, task = bench.sample, bench.task
    transfer = get_transfer("auto", sample.measure.kind).fitted_to(bench.seen)
    learn, test = bench.features(transfer)
    scaler = StandardScaler().fit(learn)
    rows = sample.rows
    shuffles = [rows, *(_shuffled(task, rows, rng) for _ in range(SHUFFLES))]
    targets = task.targets
    Y = np.stack([targets[order[: len(learn)]] for order in shuffles], axis=1)
    ridge = Ridge(alpha=PENALTY * len(learn))
    ridge.fit(scaler.transform(learn), Y.reshape(len(learn), -1))
    scores = ridge.predict(scaler.transform(test)).reshape(len(test), *Y.shape[1:])
    decided = task.decided(scores)
    reached = np.array(
        [task.score(decided[:, i], order[len(learn) :]) for i, order in enumerate(shuffles)]
    )
    return float((reached >= reached[0] - 1e-12).mean())


def _shuffled(task: Task, rows: Rows, rng: np.random.Generator) -> Rows:
    if task.query is None:
        return rng.permutation(rows)
    # Relevance only means something within a query.
    query = task.query[rows]
    mixed = rng.permutation(len(rows))
    out = rows.copy()
    out[np.argsort(query, kind="stable")] = rows[mixed[np.argsort(query[mixed], kind="stable")]]
    return out
