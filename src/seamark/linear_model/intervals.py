"""How far off predictions are: the spread of errors out of fold, and quantiles of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from ..engine import settings
from ..features import Floats, InMemory
from .calibration import MOST_WORST, copies_of, independent_rows, quantiles, share_interval
from .ridge_fit import Fitted, RidgeTask, linear_scores

# Errors by which the spread of predictions is learned, and features of their rows.
SPREAD_ROWS = 20_000
SPREAD_BYTES = 2**27

if TYPE_CHECKING:
    from .ridge import StreamedRidge


FEW = 64
"""Columns that the spread is learned from: those that move the predictions most."""
CHOSEN = 1.0
"""Standard errors by which choices that are not made anew for each fold lift a score on noise.

Transfers and features that were made with y; measured, on strings, sets and tables."""
LEAST_ERROR = 0.05
"""Share of the median error below which errors are all alike: the log of 0 says too much."""


@dataclass(frozen=True, eq=False)
class Spread:
    """An estimate of the size of errors, and how large errors were against it, out of fold.

    Attributes
    ----------
    coef, intercept : ndarray of shape (T, R) and (T,)
        Of the logarithm of the size, for features as the head takes them.
    bounds : ndarray of shape (T, 2)
        Of that logarithm: beyond what was seen nothing is known.
    ratios : ndarray of shape (m, T), float32
        |y − f(x)| / s(x), both of models that had not seen the row, rising.
    """

    coef: Floats
    intercept: Floats
    bounds: Floats
    ratios: NDArray[np.float32]

    @classmethod
    def of(
        cls, fit: Fitted, task: RidgeTask, head: StreamedRidge, width: int
    ) -> tuple[Spread, ErrorsOutOfFold]:
        """Learn it from rows of the task, each judged by the model of the other folds.

        Parameters
        ----------
        fit, task
            What was fitted.
        head : StreamedRidge
            An unfitted ridge, to learn the spread by.
        width : int
            Of the features that the head was given, of which the task may have left out columns.

        Returns
        -------
        spread : Spread
        errors : ErrorsOutOfFold
            What the same rows say of the model.
        """
        columns = task.columns
        # Rows that fit into memory with all their features, evenly spread.
        rows = np.flatnonzero(task.folds >= 0)
        fitting = settings().share(8, SPREAD_BYTES) // (8 * max(1, task.features.shape[1]))
        most = min(len(rows), SPREAD_ROWS, max(500, fitting))
        rows = rows[np.linspace(0, len(rows) - 1, most).round().astype(np.intp)]
        block = np.asarray(task.features.rows(rows), dtype=np.float64)[:, : fit.choice.n_features]
        folds = np.unique(task.folds[rows], return_inverse=True)[1]
        said = fit.judged().unseen_of(task, rows, block)
        errors = np.abs(task.Y[rows] - said)
        n_targets = errors.shape[1]
        coef, intercept = np.zeros((n_targets, width)), np.zeros(n_targets)
        bounds, ratios = np.zeros((n_targets, 2)), np.empty_like(errors)
        influence = np.abs(fit.coef[:, : block.shape[1]]) * block.std(axis=0)
        for t in range(n_targets):
            few = np.argsort(-influence[t], kind="stable")[:FEW]
            few = np.sort(few[influence[t, few] > 0])
            least = LEAST_ERROR * float(np.median(errors[:, t]))
            logs = np.log(errors[:, t] + (least if least > 0 else 1.0))
            own, constant, unseen = _learned(head, block[:, few], logs, folds)
            coef[t, columns[few]], intercept[t] = own, constant
            bounds[t] = np.quantile(unseen, [0.01, 0.99])
            ratios[:, t] = errors[:, t] / np.exp(np.clip(unseen, *bounds[t]))
        groups = task.features.groups
        told = ErrorsOutOfFold.of(
            task.Y[rows], said, rows, None if groups is None else groups[rows]
        )
        judged = np.zeros(len(task.folds), dtype=bool)
        judged[rows] = True
        independent = independent_rows(copies_of(groups, judged))
        return cls(coef, intercept, bounds, quantiles(ratios, independent)), told

    def narrowed(self, columns: NDArray[np.intp]) -> Self:
        """Return the same for some columns of the features, in this order."""
        return replace(self, coef=self.coef[:, columns])

    def sizes(self, block: Any) -> Floats:
        """Return the estimated size of the error of each row and target."""
        logs = linear_scores(block, self.coef) + self.intercept
        return np.asarray(np.exp(np.clip(logs, self.bounds[:, 0], self.bounds[:, 1])))

    def factors(self, coverage: float) -> Floats:
        """Return how many sizes to go either way, for each target."""
        return np.array([conformal_quantile(one, coverage) for one in self.ratios.T])


class ErrorsOutOfFold(NamedTuple):
    """How far off models were on rows that they had not seen.

    Attributes
    ----------
    r2 : ndarray of shape (T,)
        Share of the targets' variance that was foreseen.
    interval : ndarray of shape (T, 2)
        Where it lies in 95 of 100 cases.
    error : ndarray of shape (T,)
        Mean absolute error.
    constant : ndarray of shape (T,)
        The same of the targets' median, which is the best constant.
    n : int
        How many rows were judged.
    worst : ndarray of shape (k, 3)
        Of one target: rows that were furthest off, with what is true and what was said.
    """

    r2: Floats
    interval: Floats
    error: Floats
    constant: Floats
    n: int
    worst: Floats

    @classmethod
    def of(
        cls, truth: Floats, said: Floats, rows: NDArray[np.intp], groups: Any = None
    ) -> ErrorsOutOfFold:
        """Compare what is true with what was said of it, both (n, T).

        Rows of one group are copies: they err together, and count as one for the interval.

        Examples
        --------
        >>> truth, said = np.array([[1.0], [2.0], [3.0]]), np.array([[1.0], [2.5], [3.0]])
        >>> found = ErrorsOutOfFold.of(truth, said, np.arange(3))
        >>> found.r2, found.worst[0]
        (array([0.875]), array([1. , 2. , 2.5]))
        """
        squares = (truth - said) ** 2
        around = (truth - truth.mean(axis=0)) ** 2
        whole = around.mean(axis=0)
        lost = squares.mean(axis=0) / np.where(whole > 0, whole, 1.0)
        # A ratio of two means: to first order it varies as the mean of this does.
        parts, independent = squares - lost * around, len(truth)
        if groups is not None:
            places = np.unique(groups, return_inverse=True)[1].ravel()
            parts = np.stack([np.bincount(places, part) for part in parts.T], axis=1)
            independent = len(parts)
        varies = np.sqrt((parts**2).sum(axis=0)) / np.where(whole > 0, whole, 1.0)
        student = float(stdtrit(max(independent - 1, 1), 0.975))
        # Pairs of rows add to the variance what is left to chance, squared: see below.
        standard_error, by_luck = varies / len(truth), np.minimum(lost, 1.0) ** 2
        reach = student * standard_error * np.sqrt(1.0 + by_luck)
        low = 1.0 - lost - reach - CHOSEN * by_luck * standard_error
        ends = np.stack([low, np.minimum(1.0, 1.0 - lost + reach)], axis=1)
        off = np.argsort(-squares[:, 0], kind="stable")[:MOST_WORST]
        worst = np.stack([rows[off], truth[off, 0], said[off, 0]], axis=1)
        return cls(
            1.0 - lost,
            ends,
            np.abs(truth - said).mean(axis=0),
            np.abs(truth - np.median(truth, axis=0)).mean(axis=0),
            len(truth),
            worst if truth.shape[1] == 1 else worst[:0],
        )


# Intervals of scores out of fold are wider than those of as many coins. Rows i and j of different
# folds judge each other's models: if they are alike by chance and have the same y, both are right.
# On pure noise the score of a ridge is a sum over such pairs, each of which counts twice, and its
# variance is up to twice that of independent rows. With signal this fades.


def accuracy_interval(share: float, n: float, constant: float) -> tuple[float, float]:
    """Return the ends of a 95 % interval of an accuracy out of fold.

    Wilson's, of fewer rows. If a share s of the rows is a matter of luck, these are right as often
    as a constant, and s² of the pairs of rows are pairs of them: against the whole variance, that
    is the odds of an error against those of a constant.

    Parameters
    ----------
    share : float
        Accuracy.
    n : float
        Number of rows, copies counted once.
    constant : float
        Accuracy of the commonest class.

    Examples
    --------
    >>> [round(end, 3) for end in accuracy_interval(0.9, 100, 0.5)]
    [0.817, 0.946]
    >>> [round(end, 3) for end in accuracy_interval(0.5, 100, 0.5)]  # of coins: 0.404 … 0.596
    [0.321, 0.634]
    """
    if n <= 0:
        return 0.0, 1.0
    by_luck = 1.0
    if share > 0 and constant < 1:
        by_luck = min(1.0, (1 - share) / share * constant / (1 - constant))
    fewer = n / (1 + by_luck)
    lifted = CHOSEN * by_luck * np.sqrt(share * (1 - share) / n)
    low = share_interval(max(share - lifted, 0.0) * fewer, fewer)[0]
    return low, share_interval(share * fewer, fewer)[1]


def conformal_quantile(rising: NDArray[Any], coverage: float) -> float:
    """Return the ⌈(n + 1) · coverage⌉-th smallest of n numbers; infinity if there are too few.

    Examples
    --------
    >>> conformal_quantile(np.arange(1.0, 100.0), 0.9), conformal_quantile(np.ones(5), 0.9)
    (90.0, inf)
    """
    share: Any = coverage
    if not isinstance(share, (int, float, np.floating)) or not 0 < share < 1:
        raise ValueError(f"coverage must be a number between 0 and 1, not {coverage!r}.")
    # Rounded first: 0.9 · 10 is a little more than 9.
    place = int(np.ceil(round((len(rising) + 1) * float(coverage), 9)))
    return float(rising[place - 1]) if place <= len(rising) else np.inf


def _learned(
    head: StreamedRidge, block: Floats, logs: Floats, folds: NDArray[np.intp]
) -> tuple[Floats, float, Floats]:
    """Return coefficients and constant of the logs, and what is said of rows out of fold.

    Where features do not help, the mean of the logs is all.
    """
    mean = np.zeros(block.shape[1]), float(logs.mean()), np.full(len(logs), logs.mean())
    if not block.shape[1] or folds.max(initial=0) < 1:
        return mean
    head = head.set_params(cv=folds)
    fit, task = head._fit(InMemory(block), logs[:, None], None, None, True)
    unseen = fit.unseen_of(task, np.arange(len(block)), block)[:, 0]
    if np.mean((unseen - logs) ** 2) >= np.var(logs):
        return mean
    return fit.coef[0], float(fit.intercept[0]), unseen
