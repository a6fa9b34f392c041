"""The definitions of goodness, on values scaled into [−1, 1]: strong, weak, margin, hinge.

Rows are objects to be judged, columns are reference objects with labels; a column never stands for
its own row. Labels are class numbers 0, 1, …

References
----------
Balcan, Blum and Srebro, "A Theory of Learning with Similarity Functions", Definitions 4 to 11.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog, lsq_linear

Floats = NDArray[np.float64]


Codes = NDArray[np.intp]


def strong_margins(K: Floats, labels: Codes, reference: Codes, n_classes: int) -> Floats:
    """Return by how much each object is more similar, on average, to its class than to others.

    The gap of Definition 4; with several classes, to the nearest of the others (Definition 10).

    Examples
    --------
    >>> K = np.array([[0.9, 0.1], [0.3, 0.5]])
    >>> strong_margins(K, np.array([0, 0]), np.array([0, 1]), 2).round(1)
    array([ 0.8, -0.2])
    """
    members = np.eye(n_classes)[reference]
    counts = members.sum(axis=0)
    # −1, the least, of a class that no reference is of.
    means = np.where(counts > 0, K @ members / np.maximum(counts, 1), -1.0)
    rows = np.arange(len(labels))
    own = means[rows, labels]
    means[rows, labels] = -np.inf
    return np.asarray(own - means.max(axis=1))


def weak_parts(K: Floats, labels: Codes, reference: Codes) -> Floats:
    """Return for each row: sum and number over same-label, then over different-label pairs.

    Examples
    --------
    >>> parts = weak_parts(np.array([[0.9, 0.1]]), np.array([0]), np.array([0, 1]))
    >>> weak_gamma(parts)
    0.8
    """
    same = labels[:, None] == reference
    inside, outside = np.where(same, K, 0.0).sum(axis=1), np.where(same, 0.0, K).sum(axis=1)
    return np.stack([inside, same.sum(axis=1), outside, (~same).sum(axis=1)], axis=1)


def weak_gamma(parts: Floats) -> float:
    """Return mean K over pairs of the same label minus that over other pairs (Definition 5)."""
    inside, n_inside, outside, n_outside = parts.sum(axis=0)
    return float(inside / max(n_inside, 1) - outside / max(n_outside, 1))


def least_hinges(
    coefficients: Floats, constants: Floats, owner: Codes, low: float, high: float
) -> Floats:
    """Return weights w in [low, high] of least mean loss, max over k of [c_k − ⟨a_k, w⟩]₊ a row.

    A linear programme, solved exactly.

    Parameters
    ----------
    coefficients : ndarray of shape (m, R)
        The a_k of all rows, one after another.
    constants : ndarray of shape (m,)
        The c_k.
    owner : ndarray of shape (m,)
        The row each belongs to.
    low, high : float
    """
    m, R = coefficients.shape
    n = int(owner.max()) + 1
    slack = sparse.csr_matrix((np.ones(m), (np.arange(m), owner)), shape=(m, n))
    solution = linprog(
        np.concatenate([np.zeros(R), np.full(n, 1.0 / n)]),
        A_ub=sparse.hstack([sparse.csr_matrix(-coefficients), -slack], format="csc"),
        b_ub=-constants,
        bounds=[(low, high)] * R + [(0, None)] * n,
        method="highs",
    )
    if solution.x is None:
        raise RuntimeError(f"the linear programme was not solved: {solution.message}")
    return np.asarray(np.clip(solution.x[:R], low, high))


def rival_margins(K: Floats, labels: Codes, reference: Codes, n_classes: int) -> Floats:
    """Return the margins of Definition 8 (two classes) or 10 (more), linear in the weights.

    Every labelled reference has a weight of its own, so that weights depend on labels, too:
    Definition 11, for noisy labels.

    Parameters
    ----------
    K : ndarray of shape (n, R)
        Values in [−1, 1].
    labels, reference : ndarray of int
        Classes of rows and of columns.
    n_classes : int

    Returns
    -------
    ndarray of shape (n, rivals, R)
        Margin k of object i is ⟨rows[i, k], w⟩; its margin is the smallest of these.
    """
    if n_classes == 2:
        sign = np.where(labels[:, None] == reference, 1.0, -1.0)
        return np.asarray((sign * K / len(reference))[:, None, :])
    shares = np.eye(n_classes)[reference].T
    shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1)
    others = np.array([np.delete(np.arange(n_classes), i) for i in range(n_classes)])
    gaps = shares[labels][:, None, :] - shares[others[labels]]
    return np.asarray(gaps * K[:, None, :])


def hinge_weights(margins: Floats, gamma: float) -> Floats:
    """Return w ∈ [0, 1] of least mean hinge loss [1 − margin/γ]₊ (Definition 9).

    Examples
    --------
    >>> K = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> margins = rival_margins(K, np.array([0, 1]), np.array([0, 1]), 2)
    >>> w = hinge_weights(margins, 0.25)
    >>> w, (margins @ w).min(axis=1)
    (array([1., 1.]), array([0.25, 0.25]))
    """
    n, rivals, R = margins.shape
    flat = margins.reshape(-1, R) / gamma
    return least_hinges(flat, np.ones(len(flat)), np.repeat(np.arange(n), rivals), 0.0, 1.0)


# Goodness for any task: the least loss of x ↦ E[w(x′)K(x, x′)] with |w| ≤ B.


@dataclass(frozen=True)
class BoxLoss:
    """A loss of predictions, of which the least is found over weights of at most B in size.

    Attributes
    ----------
    name : str
    tube : callable or None
        From targets to the ends of the interval in which a prediction costs nothing; outside, it
        costs the distance. None: the squared error.
    """

    name: str
    tube: Callable[[Floats], tuple[Floats, Floats]] | None = None

    def of(self, predictions: Floats, y: Floats) -> Floats:
        """Return the loss of each object."""
        if self.tube is None:
            return np.asarray((predictions - y) ** 2)
        low, high = self.tube(y)
        return np.asarray(np.maximum(0.0, np.maximum(low - predictions, predictions - high)))

    def least(self, F: Floats, y: Floats, bound: float) -> Floats:
        """Return weights, |w| ≤ bound, of least mean loss of F w."""
        if self.tube is None:
            return np.asarray(lsq_linear(F, y, bounds=(-bound, bound)).x)
        low, high = self.tube(y)  # one hinge for each finite end
        below, above = np.isfinite(low), np.isfinite(high)
        rows = np.arange(len(y))
        return least_hinges(
            np.concatenate([F[below], -F[above]]),
            np.concatenate([low[below], -high[above]]),
            np.concatenate([rows[below], rows[above]]),
            -bound,
            bound,
        )


def insensitive_loss(epsilon: float = 0.1) -> BoxLoss:
    """Return the ε-insensitive loss of regression.

    Examples
    --------
    >>> insensitive_loss(0.1).of(np.array([1.0, 1.05]), np.array([1.5, 1.0])).round(2)
    array([0.4, 0. ])
    """
    return BoxLoss("ε-insensitive loss", lambda y: (y - epsilon, y + epsilon))


def ordinal_margin_loss(lowest: float, highest: float, margin: float = 0.25) -> BoxLoss:
    """Return the ordinal γ-margin loss, thresholds halfway between ranks.

    Parameters
    ----------
    lowest, highest : float
        The first and the last rank, which have no threshold beyond them.
    margin : float
        γ, in ranks; at most ½, half of their distance.
    """

    def tube(y: Floats) -> tuple[Floats, Floats]:
        low = np.where(y > lowest, y - 0.5 + margin, -np.inf)
        return low, np.where(y < highest, y + 0.5 - margin, np.inf)

    return BoxLoss("ordinal margin loss", tube)


SQUARED_LOSS = BoxLoss("squared loss")  # of normalised gains in ranking
