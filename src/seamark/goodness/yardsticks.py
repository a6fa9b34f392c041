"""What simple learners make of the values: neighbours, a landmark model, fewer landmarks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

from ..heads import coefficients_of
from ..transfers import Identity, Ramp, Seen, Sign, Transfer, get_transfer
from ..tuning import candidates
from ..weighing import Greedy
from .intervals import Bootstrap, Curve, Estimate, bounds
from .sampling import Sample
from .tasks import Task

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

PERMUTATIONS = 199
TEST_PENALTY = 0.01  # of the permutation test's ridge, per row, on standardised features
SIZES = (1, 2, 3, 5, 8, 12, 20, 35, 60, 100, 180, 300, 500)
MOST_CHOSEN = 60  # landmarks the greedy path goes through


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
        return self.task.head(self.seed).fit(F, self.task.learned[self.sample.learn])


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
    error : float
        Cross-validated, on the rows that were learned from.
    predictions : ndarray
        For the test rows.
    """

    transfer: Transfer
    head: Any
    error: float
    predictions: NDArray[Any]


def tried(bench: Bench, transfer: Transfer) -> Tried:
    """Fit the quick model under one transfer."""
    learn, test = bench.features(transfer)
    head = bench.fitted(learn)
    predictions = bench.task.predicted(head, test)
    error = float(np.min(head.cv_results_["mean_error"]))
    return Tried(transfer, head, error, predictions)


def quick_model(bench: Bench) -> Tried:
    """Return the landmark model under the best of the transfers that models choose among."""
    seen = bench.seen
    kind = bench.sample.measure.kind
    fitted = get_transfer("auto", kind).fitted_to(seen)
    return _best(bench, candidates("auto", fitted, kind))


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


def transfer_gain(bench: Bench) -> TransferGain:
    """Compare transfer functions of single values."""
    seen, task, test = bench.seen, bench.task, bench.sample.test
    identity = tried(bench, Identity())
    ramp = _best(bench, candidates(Ramp("auto"), Ramp("auto").fitted_to(seen), None))
    sign = tried(bench, Sign().fitted_to(seen))

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


def _best(bench: Bench, transfers: list[Transfer]) -> Tried:
    return min((tried(bench, transfer) for transfer in transfers), key=lambda one: one.error)


@dataclass(frozen=True)
class Nested:
    """Scores from nested numbers of landmarks.

    Attributes
    ----------
    sizes : ndarray of int
    scores : ndarray of shape (1 + resamples, sizes)
        On the test rows, and on resamples of them.
    """

    sizes: Rows
    scores: Floats

    def curve(self, bench: Bench, name: str) -> Curve:
        """Return scores over numbers of landmarks."""
        x = self.sizes.astype(np.float64)
        return Curve(name, "landmarks", bench.task.score_name, x, *bounds(self.scores))

    def share_needed(self, width: int, base: float, share: float) -> Estimate:
        """Return what is `enough`, as a share of all landmarks there are."""
        needed = [enough(self.sizes, scores, base, share) / width for scores in self.scores]
        return Estimate(*map(float, bounds(np.array(needed))))


def nested(bench: Bench, transfer: Transfer, order: Rows) -> Nested:
    """Fit the quick model to nested numbers of landmarks, in the order given.

    Penalties are chosen by cross-validation at every number.
    """
    sizes = np.array([size for size in SIZES if size < len(order)] + [len(order)])
    learn, test = bench.features(transfer)
    found = []
    for size in sizes:
        columns = order[:size]
        head = bench.fitted(learn[:, columns])
        found.append(bench.task.predicted(head, test[:, columns]))
    task, held = bench.task, bench.sample.test
    scores = bench.bootstrap.draws(
        lambda rows: [task.score(one[rows], held[rows]) for one in found]
    )
    return Nested(sizes, scores)


def enough(sizes: NDArray[Any], scores: NDArray[Any], base: float, share: float) -> int:
    """Return the least number whose score has gained this share of the most gained over `base`.

    Examples
    --------
    >>> enough(np.array([1, 10, 100]), np.array([0.5, 0.89, 0.9]), 0.4, 0.95)
    10
    """
    wanted = base + share * max(float(scores.max()) - base, 0.0)
    return int(sizes[int(np.argmax(scores >= min(wanted, float(scores.max()))))])


def greedy_order(bench: Bench, transfer: Transfer) -> Rows:
    """Return landmarks in the order in which forward greedy selection takes them."""
    learn, _ = bench.features(transfer)
    most = min(MOST_CHOSEN, learn.shape[1])
    classes = bench.task.n_classes > 0
    greedy = Greedy(most, task="classification" if classes else "regression")
    support: Rows = greedy.fit(learn, bench.task.learned[bench.sample.learn]).support_
    return support


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
    shuffles = [rows, *(_shuffled(task, rows, rng) for _ in range(PERMUTATIONS))]
    targets = task.targets
    Y = np.stack([targets[order[: len(learn)]] for order in shuffles], axis=1)
    ridge = Ridge(alpha=TEST_PENALTY * len(learn))
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
    centred: Floats = A - A.mean(axis=axis, keepdims=True)
    return centred


def landmark_weights(model: Tried) -> Floats:
    """Return how much each landmark weighs in the quick model, over all outputs."""
    weights: Floats = np.linalg.norm(coefficients_of(model.head), axis=0)
    return weights
