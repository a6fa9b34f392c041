"""Multinomial logistic regression on the columns of a ridge whose rows are few."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from ..features import Floats, Rows
from .ridge_solve import WHOLE, Dual

# Of the squares of coefficients, for rows of mean square 1. It matters little: three times more or
# less changed the log loss of averages with it, of seven sets, by less than 0.02.
PENALTY = 3e-3
MOST_STEPS = 20
CURVATURE = 0.05  # of the log loss by a score, on average: the unit of the steps
FEWEST_ROWS = 100  # of 30 to 60, out-of-fold scores gave all weight to the worse of two models
MOST_WORK = 150_000_000  # of which 1,000 rows of 50 classes are just as much as is done
LEAST_VARIANCE = 1e-10  # of a direction among rows, against the largest, to be more than rounding


class Multinomial(NamedTuple):
    """Probabilities softmax(C φ + c), fitted to all rows, and logits without each row's fold.

    Attributes
    ----------
    coef : ndarray of shape (n_classes, R)
        C, for features as they came.
    intercept : ndarray of shape (n_classes,)
    unseen : ndarray of shape (n, n_classes)
    """

    coef: Floats
    intercept: Floats
    unseen: Floats

    @staticmethod
    def pays(n: int, n_classes: int) -> bool:
        """Whether so many rows tell if it helps, and its equations and steps take little time."""
        return n >= FEWEST_ROWS and n**2 * (n // 10 + n_classes) <= MOST_WORK

    @classmethod
    def fit(cls, ridges: Dual, labels: Rows, n_classes: int) -> Multinomial:
        """Minimise the log loss and a penalty on squares, on the columns of ridges in their units.

        Parameters
        ----------
        ridges : Dual
            With an intercept.
        labels : ndarray of shape (n,)
            Number of each row's class.
        n_classes : int

        Examples
        --------
        >>> from seamark.features import InMemory
        >>> from seamark.linear_model.ridge_statistics import FoldRows
        >>> phi = np.array([[0.0], [1.0], [5.0], [6.0], [10.0], [11.0]])
        >>> labels, folds = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 0, 1, 0, 1])
        >>> rows = FoldRows.of(InMemory(phi), np.eye(3)[labels], folds)
        >>> found = Multinomial.fit(Dual(rows, True), labels, 3)
        >>> (phi @ found.coef.T + found.intercept).argmax(axis=1)
        array([0, 0, 1, 1, 2, 2])
        >>> found.unseen.argmax(axis=1)
        array([0, 0, 1, 1, 2, 2])
        """
        data, unseen = ridges.data, np.empty((len(labels), n_classes))
        for fold in range(ridges.n_folds):
            alpha, constants, gram = _of_fold(ridges, fold, labels, n_classes)
            out = data.folds == fold
            unseen[out] = gram[out] @ alpha + constants
        alpha, constants, _ = _of_fold(ridges, WHOLE, labels, n_classes)
        columns, unit = slice(1, 1 + data.n_features), ridges.unit[WHOLE]
        rows = (alpha / data.rows[:, :1]).T @ data.rows[:, columns]
        turn = (rows - np.outer(alpha.sum(axis=0), ridges.mean[WHOLE, columns])) * unit**2
        coef = turn / data.scale[columns]
        constants = constants - turn @ ridges.mean[WHOLE, columns]
        return cls(coef, constants - coef @ data.centre[columns], unseen)


def _of_fold(
    ridges: Dual, fold: int, labels: Rows, n_classes: int
) -> tuple[Floats, Floats, Floats]:
    """Return α and c of the logits K α + c of all rows, by a fit without a fold; and K.

    K are products of rows about their mean outside the fold; α is 0 for the rows of the fold.
    """
    root = ridges.data.rows[:, 0]
    kept = ridges.data.folds != fold
    shares = np.where(kept, root**2, 0.0)
    shares /= shares.sum()
    gram = ridges.gram(fold) / np.outer(root, root)
    mean = gram @ shares
    gram += shares @ mean - mean - mean[:, None]
    values, basis = np.linalg.eigh(gram[np.ix_(kept, kept)])
    varies = values > LEAST_VARIANCE * values[-1]
    values, basis = values[varies], basis[:, varies]
    alpha = np.zeros((len(root), n_classes))
    if not len(values):
        return alpha, np.log(np.bincount(labels, shares, n_classes) + 1e-9), gram
    penalty = PENALTY * float(shares[kept] @ np.square(basis) @ values)
    turned, constants = _regression(
        basis * np.sqrt(values), labels[kept], shares[kept] * kept.sum(), n_classes, penalty
    )
    alpha[kept] = (basis / np.sqrt(values)) @ turned
    return alpha, constants, gram


def _regression(
    A: Floats, labels: Rows, weights: Floats, n_classes: int, penalty: float
) -> tuple[Floats, Floats]:
    """Return W (r, n_classes) and c of the least Σ w log loss(A W + c) + penalty / 2 · ‖W‖².

    Columns of A are at right angles, or nearly so, and are given units in which the loss bends
    alike; then a few steps get close.
    """
    (n, r), every = A.shape, np.arange(len(A))
    unit = 1 / np.sqrt(CURVATURE * (weights @ np.square(A)) + penalty)
    A, shrinks = A * unit, penalty * unit[:, None] ** 2

    def loss(flat: Floats) -> tuple[float, Floats]:
        W = flat.reshape(r + 1, n_classes)
        logits = A @ W[:r] + W[r]
        logits -= logits.max(axis=1, keepdims=True)
        own = logits[every, labels]
        chances = np.exp(logits, out=logits)
        sums = chances.sum(axis=1)
        value = weights @ (np.log(sums) - own) + 0.5 * np.vdot(W[:r], shrinks * W[:r])
        chances *= (weights / sums)[:, None]
        chances[every, labels] -= weights
        gradient = np.concatenate([A.T @ chances + shrinks * W[:r], chances.sum(axis=0)[None]])
        return float(value) / n, gradient.ravel() / n

    options = {"maxiter": MOST_STEPS}
    start = np.zeros((r + 1) * n_classes)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
    W = found.x.reshape(r + 1, n_classes)
    return unit[:, None] * W[:r], W[r]
