"""Probabilities from scores of rows that models had not seen, and what was right of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..engine import backend, blas_for, side_by_side
from ..engine.lapack import tiles
from ..features import Floats, Rows
from ..targets import deal, strata
from ..validation import require_bounded
from .ordinal import ranks_among
from .svm import PerClass

SoftmaxSums = Callable[[float, Floats], tuple[float, float, Floats]]

MOST_WORST = 12
STEPS = 10  # of probabilities, in which answers are counted
NORMAL = 1.959964  # of a normal distribution, 95 % lie within so many deviations

# Scores are regressions on ±1. Where they carry nothing, the slope stops here, and does not turn.
LEAST_SLOPE = 0.1
DEVICE_SCORES = 100_000  # scores from which on the sums of a calibration are made on a GPU
CHANCE_ROWS = 4096  # rows whose chances are computed together, and stay in cache
MIXING_PENALTIES = (100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03)
LEAST_MIXED = 5  # rows for each class, on average, from which on scores of classes are mixed
MIXED_PRODUCTS = 4_000_000  # rows times classes², on which that is done
CLEARLY_LIKELIER = 1.0  # standard errors of log loss that a richer model has to gain
LEAST_CHANCE = 1e-9  # added to probabilities whose logarithm is taken
CALIBRATION_ROWS = 1000  # numbers of rows, evenly spread, that a calibrated model keeps


def least(loss: Any, start: Floats, bounds: list[Any], **options: float) -> Floats:
    """Return where a loss, which comes with its gradient, is least within bounds."""
    with blas_for(1):  # matrices are tiny, and threads would wait for each other
        found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return np.asarray(found.x)


@dataclass(frozen=True, eq=False)
class SoftmaxCalibration:
    """One slope and an offset per class: Platt's sigmoid for two classes, and its kin for more.

    Parameters
    ----------
    slope : float
        a, positive, so that no two scores change places.
    offset : ndarray of shape (n_classes,)
        What is added to the *scores*: probabilities are softmax(a · (s + offset)). Sums to 0; for
        two classes the first is 0, as is its score.

    References
    ----------
    Platt (1999), Probabilistic outputs for support vector machines.

    Examples
    --------
    >>> scores = np.array([-1.5, -0.5, 0.2, -0.2, 0.6, 1.4])
    >>> fitted = SoftmaxCalibration.fit(scores, np.array([0, 0, 0, 1, 1, 1]))
    >>> fitted.probabilities(np.array([-1.0, 0.0, 1.0]))[:, 1].round(2)
    array([0.26, 0.5 , 0.73])
    """

    slope: float
    offset: Floats

    @classmethod
    def fit(
        cls,
        scores: Floats,
        labels: NDArray[np.intp],
        weights: Floats | None = None,
        offsets: bool = True,
    ) -> SoftmaxCalibration:
        """Minimise the log loss, with Platt's targets in place of 0 and 1.

        Parameters
        ----------
        scores : ndarray of shape (n,) or (n, n_classes)
            One score per row for two classes, else one per class.
        labels : ndarray of shape (n,)
            Number of each row's class.
        weights : ndarray of shape (n,), optional
            Weights of the rows.
        offsets : bool
            False leaves all offsets at 0.
        """
        columns = _columns(scores)
        n_classes = columns.shape[1]
        weights = np.ones(len(columns)) if weights is None else weights
        targets = _platt_targets(labels, weights, n_classes)
        weights = weights / weights.sum()

        # Targets of a row add up to 1, so what they say is linear in slope and offsets.
        said = weights @ targets
        known = np.concatenate([[weights @ np.einsum("ic,ic->i", targets, columns)], said[1:]])

        there, on = None, backend()
        far = on.statistics is not None and scores.size >= DEVICE_SCORES
        if far and on.statistics.SoftmaxSums.fits(on.device, n_classes):
            there = on.statistics.SoftmaxSums(on.device, columns, weights)
        strips = tiles(0, len(columns), CHANCE_ROWS)
        of_rows, of_weights = [columns[s] for s in strips], [weights[s] for s in strips]

        def loss(parameters: Floats) -> tuple[float, Floats]:
            # The first offset stays 0: a constant added to all would change nothing.
            offsets = np.concatenate([[0.0], parameters[1:]])
            if there is None:

                def strip_sums(columns: Floats, weights: Floats) -> Floats:
                    logs, chances = _chances(parameters[0] * columns + offsets, weights)
                    return np.array([logs, np.vdot(chances, columns), *chances.sum(axis=0)])

                logs, slope, *shares = sum(side_by_side(strip_sums, of_rows, of_weights))
            else:
                logs, slope, shares = there(float(parameters[0]), offsets)
            expected = np.array([slope, *shares[1:]])
            return float(logs) - float(known @ parameters), expected - known

        start = np.concatenate([[2.0], np.zeros(n_classes - 1)])
        bound = None if offsets else 0.0
        bounds = [(LEAST_SLOPE, None)] + [(bound, bound)] * (n_classes - 1)
        best = least(loss, start, bounds, maxiter=500, ftol=1e-12, gtol=1e-7)
        offset = np.concatenate([[0.0], best[1:]]) / best[0]
        return cls(float(best[0]), offset if scores.ndim == 1 else offset - offset.mean())

    @classmethod
    def safe(
        cls, scores: Floats, labels: NDArray[np.intp], weights: Floats, offsets: bool = True
    ) -> SoftmaxCalibration:
        """As `fit`, without offsets where decisions are right less often with them.

        By more than a standard error of the difference, on the same scores.
        """
        fitted = cls.fit(scores, labels, weights, offsets)
        columns = _columns(scores)
        right = (columns + fitted.offset).argmax(axis=1) == labels
        change = right * 1.0 - (columns.argmax(axis=1) == labels)
        shares = weights / weights.sum()
        lost = -float(shares @ change)
        if lost <= float(np.sqrt(shares**2 @ (change + lost) ** 2)):
            return fitted
        return cls.fit(scores, labels, weights, offsets=False)

    def probabilities(self, scores: Floats) -> Floats:
        """Return one row of class probabilities per row of scores."""
        return np.asarray(softmax(self.slope * (_columns(scores) + self.offset), axis=1))


def _platt_targets(labels: Rows, weights: Floats, n_classes: int) -> Floats:
    """Return (N + 1) / (N + 2) for each row's own class; the others share the rest.

    Platt's remedy against certainty where the scores separate the classes. Of two classes, N is the
    weight of the row's own. Of more it is that of all rows: they share one slope, and classes of
    ten rows each would ask for so much doubt that no probability were far above one half.
    """
    whole = np.bincount(labels, weights, minlength=n_classes)
    doubt = 1.0 / ((whole if n_classes == 2 else np.full(n_classes, whole.sum())) + 2.0)[labels]
    targets = np.repeat(doubt[:, None] / (n_classes - 1), n_classes, axis=1)
    targets[np.arange(len(labels)), labels] = 1.0 - doubt
    return targets


def _columns(scores: Floats) -> Floats:
    """One column per class; a single score is the second class's against 0."""
    return np.stack([np.zeros(len(scores)), scores], axis=1) if scores.ndim == 1 else scores


def _chances(logits: Floats, weights: Floats) -> tuple[float, Floats]:
    """Sum over rows of the log of all chances, and weighted chances, in place of the logits."""
    top = logits.max(axis=1)
    chances = np.exp(np.subtract(logits, top[:, None], out=logits), out=logits)
    sums = chances.sum(axis=1)
    chances *= (weights / sums)[:, None]
    return float(weights @ (np.log(sums) + top)), chances


@dataclass(frozen=True, eq=False)
class MixedCalibration:
    """Scores of all classes mixed before the softmax: what is said of one class speaks for others.

    A regression on ±1 has one target for each class, and looks at none beside it. Out-of-fold
    scores show which classes are taken for each other; a multinomial logistic regression on them,
    of the form softmax(a (s + s M + o)), takes that in. M is kept small by a penalty on its squares
    that is chosen on rows whose labels it has not seen. As scores are linear in features, so are
    mixed ones.

    Parameters
    ----------
    matrix : ndarray of shape (n_classes, n_classes)
        I + M: mixed scores are ``scores @ matrix``.
    calibration : SoftmaxCalibration
        Of mixed scores.

    References
    ----------
    Kull et al. (2019), Beyond temperature scaling: obtaining well-calibrated multi-class
    probabilities with Dirichlet calibration.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 3, 300)
    >>> scores = np.eye(3)[labels] + rng.normal(size=(300, 3))
    >>> scores[:, 0] += scores[:, 1]  # what speaks for the second class is added to the first's
    >>> plain = SoftmaxCalibration.fit(scores, labels)
    >>> mixed = MixedCalibration.fit(scores, labels, np.ones(300), 1.0)
    >>> of_true = [one.probabilities(scores)[np.arange(300), labels] for one in (plain, mixed)]
    >>> [round(float(-np.log(chances).mean()), 2) for chances in of_true]
    [0.9, 0.86]
    """

    matrix: Floats
    calibration: SoftmaxCalibration

    @classmethod
    def fit(
        cls,
        scores: Floats,
        labels: Rows,
        weights: Floats,
        penalty: float,
        start: MixedCalibration | None = None,
        offsets: bool = True,
    ) -> MixedCalibration:
        """Minimise the log loss, and penalty / 2 times the squares of a M and a o.

        Parameters
        ----------
        scores : ndarray of shape (n, n_classes)
        labels, weights : ndarray of shape (n,)
        penalty : float
        start : MixedCalibration, optional
            Where to begin.
        offsets : bool
            False leaves all offsets at 0.
        """
        n, k = scores.shape
        targets = _platt_targets(labels, weights, k) * weights[:, None]
        known = scores.T @ targets, targets.sum(axis=0)
        strips = tiles(0, n, CHANCE_ROWS)

        def strip_sums(strip: slice, turn: Floats, constants: Floats) -> tuple[float, Floats, Any]:
            logs, chances = _chances(scores[strip] @ turn + constants, weights[strip])
            return logs, scores[strip].T @ chances, chances.sum(axis=0)

        def loss(parameters: Floats) -> tuple[float, Floats]:
            slope, constants = parameters[0], parameters[1 : 1 + k]
            mixing = parameters[1 + k :].reshape(k, k)
            turn = slope * np.eye(k) + mixing
            each = side_by_side(lambda strip: strip_sums(strip, turn, constants), strips)
            logs = sum(one[0] for one in each)
            by_turn = sum(one[1] for one in each) - known[0]
            by_constant = sum(one[2] for one in each) - known[1]
            value = logs - np.vdot(known[0], turn) - known[1] @ constants
            value += penalty / 2 * np.vdot(mixing, mixing) + 0.5 * constants @ constants
            parts = [np.trace(by_turn)], (by_constant + constants) * offsets
            by_mixing = (by_turn + penalty * mixing).ravel()
            gradient = np.concatenate([*parts, by_mixing])
            return float(value) / weight, gradient / weight

        weight = float(weights.sum())
        begin = np.zeros(1 + k + k * k)
        begin[0] = 2.0
        if start is not None:
            slope = start.calibration.slope
            mixing = slope * (start.matrix - np.eye(k))
            begin = np.concatenate([[slope], slope * start.calibration.offset, mixing.ravel()])
        bounds = [(LEAST_SLOPE, None)] + [(None, None)] * (k + k * k)
        best = least(loss, begin, bounds, maxiter=200, ftol=1e-9, gtol=1e-6)
        slope, constants = float(best[0]), best[1 : 1 + k]
        matrix = np.eye(k) + best[1 + k :].reshape(k, k) / slope
        return cls(matrix, SoftmaxCalibration(slope, (constants - constants.mean()) / slope))

    def probabilities(self, scores: Floats) -> Floats:
        """Return one row of class probabilities per row of scores."""
        return self.calibration.probabilities(scores @ self.matrix)


@dataclass(frozen=True, eq=False)
class ChosenCalibration:
    """What out-of-fold log loss chose for scores of classes, on all rows and without each fold.

    Parameters
    ----------
    whole : SoftmaxCalibration or MixedCalibration
        Of all rows.
    parts : list of these
        Without each of the folds.
    """

    whole: SoftmaxCalibration | MixedCalibration
    parts: list[Any]

    @classmethod
    def of(
        cls, scores: Floats, labels: Rows, weights: Floats, folds: Rows, offsets: bool = True
    ) -> ChosenCalibration:
        """Compare one slope for all classes with mixed scores.

        Mixing is chosen if the rows of folds that it has not seen are likelier with it, and are not
        right less often, by more than a standard error.

        Parameters
        ----------
        scores : ndarray of shape (n, n_classes), or (n,)
            Of two classes nothing can be mixed.
        labels, weights, folds : ndarray of shape (n,)
        offsets : bool
        """
        plain = SoftmaxCalibration.safe(scores, labels, weights, offsets)
        numbers = np.unique(folds)
        k = 1 if scores.ndim == 1 else scores.shape[1]
        if k < 3 or len(numbers) < 2 or len(scores) < LEAST_MIXED * k:
            return cls(plain, [])
        rng = np.random.default_rng(0)
        most = max(MIXED_PRODUCTS // k**2, LEAST_MIXED * k)
        some = np.arange(len(scores))
        if len(some) > most:
            some = np.sort(rng.choice(some, most, replace=False))
        S, y, w, fold = scores[some], labels[some], weights[some], folds[some]
        seen = [np.flatnonzero(fold != one) for one in numbers]

        def unseen(parts: list[Any]) -> Judged:
            """Judge rows by the part that has not seen them."""
            chances = np.empty_like(S)
            for one, part in zip(numbers, parts, strict=True):
                chances[fold == one] = part.probabilities(S[fold == one])
            return judge(chances, y)

        parts: list[Any] = [
            SoftmaxCalibration.safe(S[rows], y[rows], w[rows], offsets) for rows in seen
        ]
        best, first = unseen(parts)
        shares, chosen, before = w / w.sum(), None, np.inf
        starts: list[Any] = [None] * len(seen)
        for penalty in MIXING_PENALTIES:
            starts = [
                MixedCalibration.fit(S[rows], y[rows], w[rows], penalty, start, offsets)
                for rows, start in zip(seen, starts, strict=True)
            ]
            losses, right = unseen(starts)
            if clearly_likelier((losses, right), (best, first), shares):
                best, chosen, parts = losses, penalty, starts
            loss = float(shares @ losses)
            if loss > before:
                break
            before = loss
        if chosen is None:
            return cls(plain, parts)
        whole = MixedCalibration.fit(S, y, w, chosen, parts[0], offsets)
        return cls(whole, parts)

    def unseen_probabilities(self, scores: Floats, folds: Rows) -> Floats:
        """Return probabilities of rows by calibrations that have not seen their fold."""
        if not self.parts:
            return self.whole.probabilities(scores)
        found = np.empty_like(scores)
        for one, part in zip(np.unique(folds), self.parts, strict=True):
            found[folds == one] = part.probabilities(scores[folds == one])
        return found


Judged = tuple[Floats, NDArray[np.bool_]]  # log loss of each row, and whether it is right


def judge(chances: Floats, labels: Rows) -> Judged:
    """Return the log loss of each row, and whether its likeliest class is its own."""
    of_true = chances[np.arange(len(labels)), labels]
    return -np.log(of_true + LEAST_CHANCE), chances.argmax(axis=1) == labels


def clearly_likelier(rows: Judged, before: Judged, shares: Floats) -> bool:
    """Tell whether rows are likelier than before, and not right less often by a standard error.

    Parameters
    ----------
    rows, before : tuple of two ndarrays of shape (n,)
        Log loss of each row, and whether it is right.
    shares : ndarray of shape (n,)
        Weights that add up to 1.
    """
    gained, gain_error = _weighed_mean(np.asarray(before[0] - rows[0]), shares)
    change, change_error = _weighed_mean(np.subtract(rows[1], before[1], dtype=float), shares)
    return gained > CLEARLY_LIKELIER * gain_error and change >= -change_error


def _weighed_mean(numbers: Floats, shares: Floats) -> tuple[float, float]:
    """Return the mean of numbers, and its standard error."""
    mean = float(shares @ numbers)
    return mean, float(np.sqrt(shares**2 @ (numbers - mean) ** 2))


class OutOfFold(NamedTuple):
    """What was said of rows by models that had not seen them.

    Attributes
    ----------
    score : float
        Share of the rows' weight that was right.
    recall : ndarray of shape (n_classes,)
        The same of each class; NaN of a class without weight.
    confusion : ndarray of shape (n_classes, n_classes)
        How many rows of each class, down, were taken for each class, across.
    worst : ndarray of shape (k, 3)
        Rows that were most surely taken for another class: row, class, prediction.
    reliability : ndarray of shape (k, 3)
        For answers given with like probability: its mean, the share that was right, how many.
    """

    score: float
    recall: Floats
    confusion: Rows
    worst: Rows
    reliability: Floats


def out_of_fold_report(
    scores: Floats, labels: Rows, rows: Rows, weights: Floats, chances: Floats
) -> OutOfFold:
    """Compare scores with classes.

    Parameters
    ----------
    scores : ndarray of shape (n, n_classes), or (n,)
        One score speaks for the second of two classes.
    labels, rows, weights : ndarray of shape (n,)
        Number of each one's class, and of its row; its weight.
    chances : ndarray of shape (n,)
        The probability of what is predicted.

    Examples
    --------
    >>> scores, labels = np.array([0.2, 3.0, -1.0]), np.array([0, 0, 0])
    >>> rows, weights, chances = np.arange(3), np.ones(3), np.array([0.52, 0.95, 0.58])
    >>> found = out_of_fold_report(scores, labels, rows, weights, chances)
    >>> found.confusion.tolist(), found.worst.tolist()
    ([[1, 2], [0, 0]], [[1, 0, 1], [0, 0, 1]])
    >>> found.reliability
    array([[0.55, 0.5 , 2.  ],
           [0.95, 0.  , 1.  ]])
    """
    both = np.stack([-scores, scores], axis=1) if scores.ndim == 1 else scores
    n_classes, said = both.shape[1], both.argmax(axis=1)
    right, every = said == labels, np.arange(len(labels))
    whole = np.bincount(labels, weights, n_classes)
    recall = np.bincount(labels, weights * right, n_classes) / np.where(whole > 0, whole, np.nan)
    counts = np.bincount(labels * n_classes + said, minlength=n_classes**2)
    wrong = np.flatnonzero(~right)
    by = (both[every, said] - both[every, labels])[wrong]
    found = wrong[np.argsort(-by, kind="stable")][:MOST_WORST]
    step = np.minimum((chances * STEPS).astype(np.intp), STEPS - 1)
    weighed = [
        np.bincount(step, weights * one, STEPS) for one in (np.ones_like(chances), chances, right)
    ]
    known = weighed[0] > 0
    shares = [one[known] / weighed[0][known] for one in weighed[1:]]
    return OutOfFold(
        float(np.average(right, weights=weights)),
        np.asarray(recall),
        counts.reshape(n_classes, n_classes).astype(np.intp),
        np.stack([rows[found], labels[found], said[found]], axis=1).astype(np.intp),
        np.stack([*shares, np.bincount(step, minlength=STEPS)[known]], axis=1),
    )


def copies_of(groups: Any, used: NDArray[np.bool_]) -> Floats:
    """Return how many rows are equal to each one in use, itself among them."""
    if groups is None or len(groups) != len(used):
        return np.ones(int(used.sum()))
    _, members, sizes = np.unique(groups[used], return_inverse=True, return_counts=True)
    return np.asarray(sizes[members.ravel()], dtype=np.float64)


def independent_rows(copies: Floats) -> float:
    """Return how many rows without copies tell as much as rows that have so many each.

    Copies are right or wrong together.

    Examples
    --------
    >>> independent_rows(np.array([1.0, 1.0, 2.0, 2.0]))
    2.6666666666666665
    """
    return len(copies) ** 2 / float(copies.sum())


def quantiles(numbers: Floats, independent: float = np.inf) -> NDArray[np.float32]:
    """Return numbers in rising order, column by column; of many, some that are evenly spread.

    No more of them than are `independent`: a quantile of few numbers has to be a higher one.
    """
    places = np.arange(len(numbers))
    most = int(max(1, min(CALIBRATION_ROWS, independent)))
    if len(numbers) > most:
        places = np.linspace(0, len(numbers) - 1, most).round().astype(np.intp)
    return np.sort(numbers, axis=0)[places].astype(np.float32)


def class_quantiles(
    numbers: Floats, labels: NDArray[np.intp], n_classes: int, independent: float = np.inf
) -> list[NDArray[np.float32]]:
    """Return the `quantiles` of the numbers of each class, which together are as `independent`.

    Examples
    --------
    >>> class_quantiles(np.array([0.5, 0.1, 0.3]), np.array([0, 1, 0]), 3)
    [array([0.3, 0.5], dtype=float32), array([0.1], dtype=float32), array([], dtype=float32)]
    """
    of_class = [numbers[labels == k] for k in range(n_classes)]
    share = min(1.0, independent / len(numbers))
    return [quantiles(one, share * len(one)) for one in of_class]


def share_interval(right: float, n: float) -> tuple[float, float]:
    """Return the ends of Wilson's 95 % interval of a share.

    Examples
    --------
    >>> [round(end, 3) for end in share_interval(90, 100)]
    [0.826, 0.945]
    """
    if n <= 0:
        return 0.0, 1.0
    share, square = right / n, NORMAL**2
    centre = (share + square / (2 * n)) / (1 + square / n)
    half = NORMAL * np.sqrt(share * (1 - share) / n + square / (4 * n**2)) / (1 + square / n)
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


# `Calibrated`: probabilities for any classifier, from scores of rows that it had not seen.


Allowed = Callable[[NDArray[np.bool_]], Rows | None]

CONFORMITY = "conformity_scores_", "class_conformity_scores_"
OUT_OF_FOLD = tuple(f"oof_{name}_" for name in OutOfFold._fields)


class FromUnseen(ClassifierMixin, BaseEstimator):
    """A classifier, and what clones of it say of rows that they have not seen."""

    scored_by: ClassVar[str] = "decision_function"
    """Method of the head that scores rows."""
    classes_: NDArray[Any]

    def __init__(self, head: Any, *, cv: int = 3, random_state: Any = 0) -> None:
        self.head = head
        self.cv = cv
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Rows | None = None,
        allowed: Allowed | None = None,
    ) -> Self:
        """Fit to a matrix X and classes y, or labels (n, L).

        Parameters
        ----------
        X, y, sample_weight
            As for the head.
        groups : ndarray of shape (n,), optional
            Number of each row's group, which no fold parts.
        allowed : callable, optional
            Says of rows that are hidden which columns a model without them may use; None: all.
        """
        require_bounded(type(self), vars(self))
        y = np.asarray(y)
        options = {} if sample_weight is None else {"sample_weight": np.asarray(sample_weight)}
        self.head_ = clone(self.head).fit(X, y, **options)
        self.classes_ = self.head_.classes_
        weights = options.get("sample_weight", np.ones(len(y)))
        folds = self._folds(y, weights, groups)
        used = np.flatnonzero(folds >= 0)
        for of_earlier_fit in (*CONFORMITY, "calibration_", *OUT_OF_FOLD):
            self.__dict__.pop(of_earlier_fit, None)
        self._begin(y)
        if len(used):
            scores = self._unseen(X, y, options, folds, allowed)
            told = self._calibrate(scores[used], y[used], used, weights[used])
            if told is not None:
                self.__dict__.update(zip(OUT_OF_FOLD, told, strict=True))
        return self

    def _begin(self, y: NDArray[Any]) -> None:
        """Set what holds if no class has two rows, so that nothing is known of scores."""

    @abstractmethod
    def _calibrate(
        self, scores: Floats, y: NDArray[Any], rows: Rows, weights: Floats
    ) -> OutOfFold | None:
        """Learn from scores of these rows, which those who gave them had not seen."""

    def _folds(self, y: NDArray[Any], weights: Floats, groups: Rows | None) -> Rows:
        """Deal rows to folds so that every model without one knows all classes."""
        classes = np.unique(np.asarray(strata(y)), return_inverse=True)[1]
        counts = np.bincount(classes, weights > 0)
        used = (weights > 0) & (counts[classes] > 1)
        if used.sum() < 2:
            return np.full(len(y), -1)
        for kept in (groups, None):
            rng = check_random_state(self.random_state)
            folds = deal(used, self.cv, rng, classes, kept)
            parted = [len(np.unique(folds[classes == k])) > 1 for k in np.unique(classes[used])]
            if y.ndim == 2 or all(parted):
                break
        return folds

    def _unseen(self, X: Any, y: Any, options: Any, folds: Rows, allowed: Allowed | None) -> Floats:
        """Score every row by a clone that was fitted without its fold."""
        scores: Any = None
        for fold in range(int(folds.max()) + 1):
            hidden = folds == fold
            columns = None if allowed is None else allowed(hidden)
            seen = {name: value[~hidden] for name, value in options.items()}
            given = X if columns is None else X[:, columns]
            if columns is not None and isinstance(self.head, PerClass):  # which knows their places
                given = np.where(np.isin(np.arange(X.shape[1]), columns), X, X.dtype.type(0))
            one = clone(self.head).fit(given[~hidden], y[~hidden], **seen)
            said = np.asarray(getattr(one, self.scored_by)(given[hidden]), dtype=np.float64)
            if y.ndim == 1 and said.ndim == 2 and said.shape[1] != len(self.classes_):
                raise ValueError(
                    f"decision_function of {self.head!r} has {said.shape[1]} scores for "
                    f"{len(self.classes_)} classes; take one with a score for each, or "
                    "calibrate=False."
                )
            if scores is None:
                scores = np.zeros((len(y), *said.shape[1:]))
            scores[hidden] = said
        return np.asarray(scores)

    @property
    def coef_(self) -> Floats:
        """Coefficients of the classifier, if it has any."""
        return np.asarray(self.head_.coef_)

    @property
    def intercept_(self) -> Floats:
        """Constants of the classifier, if it has any."""
        return np.asarray(self.head_.intercept_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict what the classifier predicts."""
        check_is_fitted(self)
        return np.asarray(self.head_.predict(X))

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of the classifier."""
        check_is_fitted(self)
        return np.asarray(self.head_.decision_function(X), dtype=np.float64)


class Calibrated(FromUnseen):
    """A classifier with a `decision_function`, and probabilities that agree with its predictions.

    Clones are fitted without each fold, and score its rows. Probabilities are softmax(slope ·
    scores), with the slope of the least log loss on these scores; there are no offsets, so that the
    likeliest class is the one that the classifier predicts. Of labels they are expit(slope · score)
    after an offset for each, which is part of the scores: a label is predicted above one half.

    Parameters
    ----------
    head : classifier
        Cloned; it needs a `decision_function` with a score for each class, or one for two.
    cv : int, default=3
        Number of folds, each of which costs a fit. Rows of a class that has no other are in none.
    random_state : int, RandomState or None, default=0
        Deals the folds.

    Attributes
    ----------
    head_ : classifier
        Fitted to all rows.
    classes_ : ndarray
    slopes_ : ndarray of shape (1,) or (L,)
        One for all classes, or one for each label.
    offsets_ : ndarray of shape (1,) or (L,)
        What is added to the scores of the head: 0 of classes.
    conformity_scores_, class_conformity_scores_
        Of classes, as in `RidgeClassifier`.
    oof_score_, oof_recall_, oof_confusion_, oof_worst_, oof_reliability_
        Out of fold, as in `RidgeClassifier`.

    Examples
    --------
    >>> from seamark.linear_model import LinearSVM
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = np.where(X[:, 0] + 0.3 * rng.normal(size=300) > 0, "sea", "land")
    >>> Calibrated(LinearSVM()).fit(X, y).predict_proba([[-2.0, 0.0], [2.0, 0.0]]).round(1)
    array([[1., 0.],
           [0., 1.]])
    """

    def _begin(self, y: NDArray[Any]) -> None:
        self.slopes_ = np.ones(y.shape[1] if y.ndim == 2 else 1)
        self.offsets_ = np.zeros_like(self.slopes_)

    def _calibrate(
        self, scores: Floats, y: NDArray[Any], rows: Rows, weights: Floats
    ) -> OutOfFold | None:
        # The calibration knows scores of about 1, and those of some classifiers are hundreds.
        size = np.sqrt(np.mean(scores**2, axis=0 if y.ndim == 2 else None))
        size = np.where(size > 0, size, 1.0)
        if y.ndim == 2:
            columns = zip((scores / size).T, y.T, strict=True)
            found = [
                SoftmaxCalibration.fit(score, has.astype(np.intp), weights)
                for score, has in columns
            ]
            self.slopes_ = np.array([one.slope for one in found]) / size
            self.offsets_ = np.array([one.offset[1] for one in found]) * size
            return None
        codes, n_classes = np.searchsorted(self.classes_, y), len(self.classes_)
        calibration = SoftmaxCalibration.fit(scores / size, codes, weights, offsets=False)
        self.slopes_, self.offsets_ = np.array([calibration.slope / float(size)]), np.zeros(1)
        chances = calibration.probabilities(scores / size)
        scores_of_truth = 1.0 - chances[np.arange(len(codes)), codes]
        self.conformity_scores_ = quantiles(scores_of_truth)
        self.class_conformity_scores_ = class_quantiles(scores_of_truth, codes, n_classes)
        return out_of_fold_report(scores, codes, rows, weights, chances.max(axis=1))

    @property
    def intercept_(self) -> Floats:
        """Constants of the classifier, if it has any."""
        return np.asarray(self.head_.intercept_ + self.offsets_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict what the classifier predicts; of labels, those that are likely, as 0 and 1."""
        check_is_fitted(self)
        if len(self.slopes_) == 1:
            return super().predict(X)
        return (self.decision_function(X) > 0).astype(np.intp)

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of the classifier, with the offsets of labels."""
        return np.asarray(super().decision_function(X) + self.offsets_)

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class, (n, n_classes), or of each label, (n, L)."""
        scores = self.decision_function(X)
        if len(self.slopes_) == 1:
            n_classes = len(self.classes_)
            known = SoftmaxCalibration(float(self.slopes_[0]), np.zeros(n_classes))
            return known.probabilities(scores)
        return np.asarray(expit(self.slopes_ * scores))


# `CalibratedOrder`: probabilities of ordered labels, from scores of rows that were not seen.


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
        best = least(loss, start, bounds, maxiter=500)
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


class CalibratedOrder(FromUnseen):
    """A head with a score for ordered labels, and probabilities of them.

    Clones are fitted without each fold, and score its rows; a slope and the cuts between labels of
    the least log loss on these scores make probabilities, see `OrderedCalibration`. Predictions
    stay the head's, which go by its own thresholds, so that the likeliest label is mostly, but not
    always, the predicted one.

    Parameters
    ----------
    head : estimator
        Cloned; an `Ordinal`.
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
    conformity_scores_, class_conformity_scores_
        As in `RidgeClassifier`.
    oof_score_, oof_recall_, oof_confusion_, oof_worst_, oof_reliability_
        Out of fold, as in `RidgeClassifier`.

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

    scored_by = "scores"

    def _calibrate(self, scores: Floats, y: NDArray[Any], rows: Rows, weights: Floats) -> OutOfFold:
        ranks, every = ranks_among(y, self.classes_), np.arange(len(y))
        n_labels = len(self.classes_)
        self.calibration_ = OrderedCalibration.fit(scores, ranks, weights, n_labels)
        chances = self.calibration_.probabilities(scores)
        self.conformity_scores_ = quantiles(1.0 - chances[every, ranks])
        self.class_conformity_scores_ = class_quantiles(
            1.0 - chances[every, ranks], ranks, n_labels
        )
        depths = self.head_.depths(scores)
        said = np.searchsorted(self.head_.thresholds_, scores)
        return out_of_fold_report(depths, ranks, rows, weights, chances[every, said])

    def scores(self, X: Any) -> Floats:
        """Return the score of each row, as the head gives it."""
        check_is_fitted(self)
        return np.asarray(self.head_.scores(X), dtype=np.float64)

    # Before `fit` there may be probabilities.
    @available_if(  # type: ignore[untyped-decorator]
        lambda self: not hasattr(self, "head_") or hasattr(self, "calibration_")
    )
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each label, (n, r), in their order."""
        return self.calibration_.probabilities(self.scores(X))
