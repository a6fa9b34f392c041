"""What scores of rows that the models had not seen tell: probabilities, and what was right.

Probabilities are softmax(a·s + b), fitted to such scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import softmax

from ..engine import backend, blas_for, settings, side_by_side
from ..engine.lapack import tiles
from .scores import Models, by_fold, softmax_sums

if TYPE_CHECKING:
    from .fitting import RidgeTask

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

MOST_WORST = 12
STEPS = 10  # of probabilities, in which answers are counted
NORMAL = 1.959964  # of a normal distribution, 95 % lie within so many deviations

# Scores are regressions on ±1. Where they carry nothing, the slope stops here, and does not turn.
LEAST_SLOPE = 0.1


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
        # (N + 1) / (N + 2) for the row's own class, of weight N; the others share the rest: Platt's
        # remedy against certainty where the scores separate the classes.
        doubt = 1.0 / (np.bincount(labels, weights, minlength=n_classes)[labels] + 2.0)
        targets = np.repeat(doubt[:, None] / (n_classes - 1), n_classes, axis=1)
        targets[np.arange(len(labels)), labels] = 1.0 - doubt
        weights = weights / weights.sum()

        # Targets of a row add up to 1, so what they say is linear in slope and offsets.
        said = weights @ targets
        known = np.concatenate([[weights @ np.einsum("ic,ic->i", targets, columns)], said[1:]])

        there = softmax_sums(columns, weights) if backend().device is not None else None
        strips = tiles(0, len(columns), settings().chance_rows)
        of_rows, of_weights = [columns[s] for s in strips], [weights[s] for s in strips]

        def loss(parameters: Floats) -> tuple[float, Floats]:
            # The first offset stays 0: a constant added to all would change nothing.
            offsets = np.concatenate([[0.0], parameters[1:]])
            if there is None:
                each = [parameters[0]] * len(strips), [offsets] * len(strips)
                found = sum(side_by_side(_strip_sums, of_rows, of_weights, *each))
                logs, expected = float(found[0]), np.delete(found[1:], 1)
            else:
                logs, slope, shares = there(float(parameters[0]), offsets)
                expected = np.concatenate([[slope], shares[1:]])
            return logs - float(known @ parameters), expected - known

        start = np.concatenate([[2.0], np.zeros(n_classes - 1)])
        bound = None if offsets else 0.0
        bounds = [(LEAST_SLOPE, None)] + [(bound, bound)] * (n_classes - 1)
        options = {"maxiter": 500, "ftol": 1e-12, "gtol": 1e-7}
        with blas_for(1):  # its matrices are tiny, and threads would wait for each other
            how: Any = {"method": "L-BFGS-B", "bounds": bounds, "options": options}
            best = minimize(loss, start, jac=True, **how).x
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

    def without_offset(self) -> SoftmaxCalibration:
        """The same for scores that hold the offsets already."""
        return SoftmaxCalibration(self.slope, np.zeros_like(self.offset))

    def probabilities(self, scores: Floats) -> Floats:
        """Return one row of class probabilities per row of scores."""
        return np.asarray(softmax(self.slope * (_columns(scores) + self.offset), axis=1))


def _columns(scores: Floats) -> Floats:
    """One column per class; a single score is the second class's against 0."""
    return np.stack([np.zeros(len(scores)), scores], axis=1) if scores.ndim == 1 else scores


def _strip_sums(columns: Floats, weights: Floats, slope: float, offsets: Floats) -> Floats:
    """Sums over rows of the log of all chances, of chance · score, and of each class's chance."""
    logits = slope * columns + offsets
    top = logits.max(axis=1)
    chances = np.exp(logits - top[:, None])
    sums = chances.sum(axis=1)
    chances *= (weights / sums)[:, None]
    first = [weights @ (np.log(sums) + top), np.vdot(chances, columns)]
    return np.concatenate([first, chances.sum(axis=0)])


def unseen_scores(task: RidgeTask, models: Models, size: int) -> Floats:
    """Score every row by the model of the other folds, from the leading columns.

    Parameters
    ----------
    task : RidgeTask
        Says the folds; its features are read once more.
    models : list of (coefficients (T, R), intercepts (T,))
        One for each fold.
    size : int
        Columns in use.
    """

    def part(rows: slice, block: NDArray[Any]) -> list[Floats]:
        most = max(1, settings().scored_values // block.shape[1])  # rows
        if len(block) > most:
            pieces = tiles(0, len(block), most)
            numbers = [slice(rows.start + some.start, rows.start + some.stop) for some in pieces]
            return list(chain(*side_by_side(part, numbers, [block[some] for some in pieces])))
        scores = np.zeros((len(block), len(models[0][0])))
        for fold, (coef, intercept) in enumerate(models):
            member = np.flatnonzero(task.folds[rows] == fold)
            constant = intercept if task.centred else 0.0
            scores[member] = block[member] @ coef[:, :size].T + constant
        return [scores]

    leading = None if size == task.features.shape[1] else np.arange(size)
    there = task.on_device() if backend().device is not None else None
    if there is None:
        return np.concatenate(task.features.reduce(part, leading))
    return there.stacked(lambda rows, block: by_fold(task, models, size, rows, block), leading)


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


def told_of(
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
    >>> found = told_of(scores, labels, np.arange(3), np.ones(3), np.array([0.52, 0.95, 0.58]))
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


def quantiles(numbers: Floats) -> NDArray[np.float32]:
    """Return numbers in rising order, column by column; of many, some that are evenly spread."""
    places, most = np.arange(len(numbers)), settings().calibration_rows
    if len(numbers) > most:
        places = np.linspace(0, len(numbers) - 1, most).round().astype(np.intp)
    return np.sort(numbers, axis=0)[places].astype(np.float32)


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
