"""Orthogonal least squares with a ridge: each next column is the one that lowers the error most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from .columns import Array, Rows
from .path import largest

_NEGLIGIBLE = 1e-10  # merit against the first one's: what is left to gain is rounding


@dataclass(frozen=True)
class RidgePath:
    """Ridge regressions on growing sets of columns.

    Parameters
    ----------
    support : ndarray of int
        Columns in the order chosen.
    factor : ndarray of shape (k, k)
        Upper triangular U with UᵀU = C + λI on them.
    coordinates : ndarray of shape (k, outputs)
        z = U⁻ᵀb.
    """

    support: Rows
    factor: Array
    coordinates: Array

    def __len__(self) -> int:
        return len(self.support)

    def coefficients(self, size: int) -> Array:
        """Return the weights of the first `size` columns."""
        U, z = self.factor[:size, :size], self.coordinates[:size]
        return np.asarray(solve_triangular(U, z, check_finite=False))


def forward_ridge(C: Array, b: Array, n_features: int, ridge: float) -> RidgePath:
    """Choose columns one after another, refitting a ridge at every step.

    A plain greedy pursuit looks at gradients, and its refits, which know no penalty, soon fit
    noise. Here a column's merit is by how much the penalised error falls when it joins: its
    gradient squared over what of it is orthogonal to those chosen, plus the penalty. Copies of
    what is there have little merit, and so have columns that only fit by chance what is left.

    Parameters
    ----------
    C : ndarray of shape (M, M)
        Correlations of the columns; 0 throughout for those not to be chosen.
    b : ndarray of shape (M, outputs)
        Covariances of the standardised columns with the targets.
    n_features : int
        Columns to choose.
    ridge : float
        λ, of λ‖β‖² against the mean squared error.

    Returns
    -------
    RidgePath
        Shorter if no column is left that lowers the error.

    Examples
    --------
    >>> C = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> b = np.array([[1.0], [0.95], [0.5]])
    >>> forward_ridge(C, b, 2, ridge=0.1).support  # the second is all but the first again
    array([0, 2])
    """
    size = min(n_features, len(C))
    gradient = b.copy()
    room = np.diag(C) + ridge
    W = np.empty((size, len(C)))  # rows of U, over all columns
    support: list[int] = []
    coordinates: list[Array] = []
    free = np.ones(len(C))
    enough = _NEGLIGIBLE * float((np.square(gradient).sum(axis=1) / room).max())
    while len(support) < size:
        merit = free * np.square(gradient).sum(axis=1) / room
        j, t = largest(merit), len(support)
        if merit[j] <= enough:
            break
        root = np.sqrt(room[j])
        W[t] = (C[j] - W[:t, j] @ W[:t]) / root
        W[t, j] = root  # with the penalty, which stands on the diagonal alone
        coordinates.append(gradient[j] / root)
        gradient -= np.outer(W[t], coordinates[-1])
        # The penalty stays of every column; what rounding takes beyond it is put back.
        room = np.maximum(room - np.square(W[t]), ridge)
        support.append(j)
        free[j] = 0.0
    chosen = np.array(support, dtype=np.intp)
    z = np.array(coordinates).reshape(len(support), b.shape[1])
    return RidgePath(chosen, np.triu(W[: len(chosen)][:, chosen]), z)
