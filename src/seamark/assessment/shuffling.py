"""Whether shuffled targets are predicted as well as the true ones."""

from __future__ import annotations

import numpy as np
from sklearn.preprocessing import StandardScaler

from .bench import Bench
from .intervals import Floats, Rows
from .tasks import AssessedTask

SHUFFLES = 199
PENALTIES = (0.01, 1.0, 30.0)
"""Of the ridge, per row, on standardised features: from nearly none to nearly a vote."""


def permutation_p(bench: Bench, rng: np.random.Generator) -> float:
    """Return how often targets, shuffled, are predicted as well as the true ones.

    Ridges on standardised features learn the true and 199 shuffled targets. Transfer and penalties
    never look at targets, so that all are treated alike, and the test is exact. What is compared is
    the correlation of predictions and targets on test rows, under the best penalty. Shuffling is
    among all rows, or in ranking among the rows of a query.
    """
    task, rows, n = bench.task, bench.sample.rows, len(bench.sample.learn)
    smoothers = _smoothers(bench)
    targets = task.targets
    shuffles = [rows, *(_shuffled(task, rows, rng) for _ in range(SHUFFLES))]
    best = [
        max(correlation(H @ targets[order[:n]], targets[order[n:]]) for H in smoothers)
        for order in shuffles
    ]
    return float((np.array(best) >= best[0] - 1e-12).mean())


def _smoothers(bench: Bench) -> list[Floats]:
    """Return for each penalty the matrix from targets of learn rows to predictions of test rows."""
    learn, test = bench.features(bench.bearings.transfers_[0])
    scaler = StandardScaler().fit(learn)
    learn, test = scaler.transform(learn), scaler.transform(test)
    gram, eye = learn.T @ learn, np.eye(learn.shape[1])
    return [
        test @ np.linalg.solve(gram + penalty * len(learn) * eye, learn.T) for penalty in PENALTIES
    ]


def correlation(found: Floats, wanted: Floats) -> float:
    """Return the correlation of two matrices after centring their columns; 0 for a constant.

    Examples
    --------
    >>> x = np.arange(4.0)[:, None]
    >>> round(correlation(x, -2 * x), 6)
    -1.0
    """
    found, wanted = found - found.mean(axis=0), wanted - wanted.mean(axis=0)
    size = float(np.linalg.norm(found) * np.linalg.norm(wanted))
    return float((found * wanted).sum()) / size if size > 0 else 0.0


def _shuffled(task: AssessedTask, rows: Rows, rng: np.random.Generator) -> Rows:
    if task.query is None:
        return rng.permutation(rows)
    # Relevance only means something within a query.
    query = task.query[rows]
    mixed = rng.permutation(len(rows))
    out = rows.copy()
    out[np.argsort(query, kind="stable")] = rows[mixed[np.argsort(query[mixed], kind="stable")]]
    return out
