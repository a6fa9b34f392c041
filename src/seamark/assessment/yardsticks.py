"""How simple learners do on the values: neighbours, a landmark model, transfer functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from .. import tuning
from ..maps import CachedFeatures
from ..maps.landmark import Pilot
from ..transfers import Identity, Ramp, Sign, Transfer
from .curves import Bench, Estimate, Floats, Rows
from .tasks import AssessedTask


def constant_score(bench: Bench) -> Estimate:
    """Score of the best constant."""
    constant = bench.task.constant(bench.sample.learn)
    return bench.estimate(np.broadcast_to(constant, len(bench.sample.test)))


def nearest_score(bench: Bench) -> Estimate | None:
    """Score of the label of the nearest reference; None if references have no labels."""
    sample = bench.sample
    if sample.reference is None:
        return None
    values = sample.values[len(sample.learn) :]
    nearest = values.argmin(axis=1) if bench.kind == "distance" else values.argmax(axis=1)
    return bench.estimate(bench.task.y[sample.reference[nearest]])


@dataclass(frozen=True)
class Tried:
    """A transfer, and the quick model on its features.

    Attributes
    ----------
    transfer : Transfer
    head : estimator
        Fitted.
    predictions : ndarray
        For the test rows.
    """

    transfer: Transfer
    head: Any
    predictions: NDArray[Any]


def tried(bench: Bench, transfer: Transfer) -> Tried:
    """Fit the quick model under one transfer."""
    learn, test = bench.features(transfer)
    head = bench.fitted(learn)
    return Tried(transfer, head, bench.task.predicted(head, test))


def quick_model(bench: Bench, X: Any, transfer: Any = "auto") -> Tried:
    """Return the landmark model, its transfer chosen as models choose it.

    Parameters
    ----------
    bench : Bench
    X : objects
        All of them; values that the bench has are not computed again.
    transfer : str or Transfer
        What is open in it is tuned.
    """
    sample, task = bench.sample, bench.task
    order = np.argsort(sample.learn)
    rows, values = sample.learn[order], sample.values[: len(order)][order]
    whole = CachedFeatures(bench.mapped(transfer), X, pilot=Pilot(rows, values))
    features = whole.of_rows(rows, np.arange(whole.shape[1]))
    head, y = task.head(bench.seed), task.learned[rows]
    options = {} if task.query is None else {"qid": task.query[rows]}
    groups = None if sample.groups is None else sample.groups[rows]
    learned = tuning.Task(y, head, options, y, head, groups=groups)
    rng = np.random.default_rng(bench.seed)
    choice = tuning.CrossValidated().choose(features, transfer, learned, rng)
    return tried(bench, choice.transfers[0])


@dataclass(frozen=True)
class TransferGain:
    """Scores without a transfer, with the best ramp and with the sign, and the ramp's gain.

    The best ramp is chosen by cross-validation on the rows that are learned from.
    """

    identity: Estimate
    ramp: Estimate
    sign: Estimate
    gain: Estimate
    slope: float


def transfer_gain(bench: Bench, X: Any) -> TransferGain:
    """Compare transfer functions of single values."""
    task, test = bench.task, bench.sample.test
    identity = tried(bench, Identity())
    ramp = quick_model(bench, X, Ramp("auto"))
    sign = tried(bench, bench.mapped(Sign()).transfers_[0])

    def gained(rows: Rows) -> float:
        after = task.score(ramp.predictions[rows], test[rows])
        return after - task.score(identity.predictions[rows], test[rows])

    return TransferGain(
        identity=bench.estimate(identity.predictions),
        ramp=bench.estimate(ramp.predictions),
        sign=bench.estimate(sign.predictions),
        gain=bench.bootstrap.estimate(gained),
        slope=float(ramp.transfer.get_params()["slope"]),
    )


def alignment(bench: Bench, K: Floats) -> Estimate | None:
    """Return the centred kernel-target alignment of values between rows and references."""
    sample = bench.sample
    if sample.reference is None:
        return None
    targets = bench.task.targets
    T = targets[sample.test] @ _centred(targets[sample.reference], 0).T
    K = _centred(_centred(K[len(sample.learn) :], 1), 0)
    T = _centred(T, 0)
    sums = np.stack([(K * T).sum(axis=1), (K**2).sum(axis=1), (T**2).sum(axis=1)], axis=1)

    def aligned(rows: Rows) -> float:
        both, k, t = sums[rows].sum(axis=0)
        return float(both / np.sqrt(k * t)) if k * t > 0 else 0.0

    return bench.bootstrap.estimate(aligned)


def _centred(A: Floats, axis: int) -> Floats:
    return np.asarray(A - A.mean(axis=axis, keepdims=True))


# Whether shuffled targets are predicted as well as the true ones.


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
