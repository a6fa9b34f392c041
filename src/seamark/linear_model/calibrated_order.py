"""`CalibratedOrder`: probabilities of ordered labels, from scores of rows that were not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_expit
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..engine import blas_for
from .calibrated import FromUnseen
from .calibration import quantiles, told_of
from .ordinal import ranks_among

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

WIDEST = 30.0
"""Most that the logarithm of a gap between cuts may be, either way."""


@dataclass(frozen=True, eq=False)
class OrderedCalibration:
    """One slope and a cut between any two neighbouring labels.

    A label is at most k with the probability expit(cuts[k] − slope · score): the proportional odds
    of McCullagh, on a single score.

    Parameters
    ----------
    slope : float
        At least 0, so that a higher score never speaks for a lower label; 0: the shares of labels.
    cuts : ndarray of shape (r - 1,)
        Rising.

    References
    ----------
    McCullagh (1980), Regression models for ordinal data.

    Examples
    --------
    >>> scores, ranks = np.array([0.9, 1.2, 1.9, 2.1, 2.4, 3.1]), np.array([0, 0, 1, 1, 2, 2])
    >>> fitted = OrderedCalibration.fit(scores, ranks)
    >>> fitted.probabilities(np.array([0.5, 2.0, 3.5])).round(1)
    array([[0.9, 0.1, 0. ],
           [0.1, 0.7, 0.2],
           [0. , 0. , 1. ]])
    """

    slope: float
    cuts: Floats

    @classmethod
    def fit(
        cls, scores: Floats, ranks: Rows, weights: Floats | None = None, n_labels: int | None = None
    ) -> OrderedCalibration:
        """Minimise the log loss, with targets that leave some doubt.

        Parameters
        ----------
        scores : ndarray of shape (n,)
        ranks : ndarray of shape (n,)
            Number of each row's label, from 0.
        weights : ndarray of shape (n,), optional
            Weights of the rows.
        n_labels : int, optional
            How many there are, if rows of the last may be missing.
        """
        weights = np.ones(len(scores)) if weights is None else weights
        targets = _doubtful(ranks, weights, n_labels or int(ranks.max()) + 1)
        targets *= (weights / weights.sum())[:, None]
        centre, size = float(np.mean(scores)), float(np.std(scores)) or 1.0
        s, between = (scores - centre) / size, targets.sum(axis=0)[1:-1]

        def loss(parameters: Floats) -> tuple[float, Floats]:
            # P(k) = σ(u_k) σ(−u_{k−1}) (1 − e^{−gap}), whose logarithm is exact for any score.
            gaps = np.exp(parameters[2:])
            u = _cuts(parameters) - parameters[0] * s[:, None]
            below, above = targets[:, :-1], targets[:, 1:]
            said = np.vdot(below, log_expit(u)) + np.vdot(above, log_expit(-u))
            said += between @ np.log(-np.expm1(-gaps))
            by_u = below * np.exp(log_expit(-u)) - above * np.exp(log_expit(u))
            by_cut = by_u.sum(axis=0)
            by_gap = np.cumsum(by_cut[::-1])[::-1]  # a gap moves all cuts from its own on
            slopes = by_gap[1:] * gaps + between * gaps / np.expm1(gaps)
            return -float(said), -np.concatenate([[-s @ by_u.sum(axis=1), by_gap[0]], slopes])

        r = targets.shape[1]
        start = np.concatenate([[1.0, -1.0], np.zeros(r - 2)])
        bounds = [(0.0, None), (None, None), *[(-WIDEST, WIDEST)] * (r - 2)]
        with blas_for(1):  # its matrices are tiny, and threads would wait for each other
            how: Any = {"method": "L-BFGS-B", "bounds": bounds, "options": {"maxiter": 500}}
            best = minimize(loss, start, jac=True, **how).x
        slope = float(best[0]) / size
        return cls(slope, _cuts(best) + slope * centre)

    def probabilities(self, scores: Floats) -> Floats:
        """Return one row of probabilities of labels per score."""
        u = self.cuts - self.slope * np.asarray(scores, dtype=np.float64)[:, None]
        nothing = np.zeros((len(u), 1))
        logs = np.concatenate([log_expit(u), nothing], axis=1)
        logs += np.concatenate([nothing, log_expit(-u)], axis=1)
        logs[:, 1:-1] += np.log(-np.expm1(-np.diff(self.cuts)))
        chances = np.exp(logs)
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def _cuts(parameters: Floats) -> Floats:
    return np.cumsum(np.concatenate([parameters[1:2], np.exp(parameters[2:])]))


def _doubtful(ranks: Rows, weights: Floats, r: int) -> Floats:
    """Return what is to be said of each row: its label, and its neighbours with a little doubt.

    (N + 1) / (N + 2) for a label of weight N, as Platt's for two classes: where scores separate the
    labels, slopes stay finite.
    """
    counts, rows = np.bincount(ranks, weights, minlength=r), np.arange(len(ranks))
    doubt = 1.0 / (counts[ranks] + 2.0)
    targets = np.zeros((len(ranks), r))
    for side in (-1, 1):
        at_end = (ranks + side < 0) | (ranks + side >= r)
        targets[rows, np.where(at_end, ranks - side, ranks + side)] += doubt / 2
    targets[rows, ranks] = 1.0 - doubt
    return targets


def _is_calibrated(head: Any) -> bool:
    """Whether there are probabilities, or there may be once a head is fitted."""
    return not hasattr(head, "head_") or hasattr(head, "calibration_")


class CalibratedOrder(FromUnseen):
    """A head with a score for ordered labels, and probabilities of them.

    Clones are fitted without each fold, and score its rows; a slope and the cuts between labels of
    the least log loss on these scores make probabilities, see `OrderedCalibration`. Predictions
    stay the head's, which go by its own thresholds, so that the likeliest label is mostly, but not
    always, the predicted one.

    Parameters
    ----------
    head : estimator
        Cloned; a `Thresholded`, such as `Ordinal`.
    cv : int, default=3
        Number of folds, each of which costs a fit. Rows of a label that has no other are in none.
    random_state : int, RandomState or None, default=0
        Deals the folds.

    Attributes
    ----------
    head_ : estimator
        Fitted to all rows.
    classes_ : ndarray
        Labels in their order.
    calibration_ : OrderedCalibration
        Not there if no label has two rows, nor is `predict_proba` then.
    doubts_, oof_score_, oof_recall_, oof_confusion_, oof_worst_, oof_reliability_
        As in `RidgeClassifier`.

    Examples
    --------
    >>> from seamark.linear_model import Ordinal
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> stars = np.digitize(X[:, 0] + 0.3 * rng.normal(size=300), [-0.5, 0.5])
    >>> CalibratedOrder(Ordinal()).fit(X, stars).predict_proba([[-2.0, 0.0], [0.0, 0.0]]).round(1)
    array([[1. , 0. , 0. ],
           [0.1, 0.9, 0. ]])
    """

    def _scores_of(self, head: Any, X: Any) -> Floats:
        return np.asarray(head.scores(X), dtype=np.float64)

    def _calibrate(self, scores: Floats, y: NDArray[Any], rows: Rows, weights: Floats) -> None:
        ranks, every = ranks_among(y, self.classes_), np.arange(len(y))
        n_labels = len(self.classes_)
        self.calibration_ = OrderedCalibration.fit(scores, ranks, weights, n_labels)
        chances = self.calibration_.probabilities(scores)
        self.doubts_ = quantiles(1.0 - chances[every, ranks])
        depths = self.head_.depths(scores)
        said = np.searchsorted(self.head_.thresholds_, scores)
        self._keep_told(told_of(depths, ranks, rows, weights, chances[every, said]))

    def scores(self, X: Any) -> Floats:
        """Return the score of each row, as the head gives it."""
        check_is_fitted(self)
        return self._scores_of(self.head_, X)

    @available_if(_is_calibrated)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each label, (n, r), in their order."""
        return self.calibration_.probabilities(self.scores(X))
