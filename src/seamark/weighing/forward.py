"""Orthogonal least squares with a ridge: each next column is the one that lowers the error most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from .columns import Array, Rows
from .path import largest

_NEGLIGIBLE = 1e-12  # of the error at the start: what is left to gain is rounding


@dataclass(frozen=True)
class RidgePath:
    """Ridge regressions on growing sets of standardised columns.

    Parameters
    ----------
    support : ndarray of int
        Columns in the order chosen.
    factor : ndarray of shape (k, k)
        Upper triangular U with UᵀU = AᵀA + λnI on them.
    coordinates : ndarray of shape (k, outputs)
        z = U⁻ᵀAᵀY.
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


def forward_ridge(A: NDArray[np.float32], Y: Array, n_features: int, ridge: float) -> RidgePath:
    """Choose columns one after another, refitting a ridge at every step.

    A plain greedy pursuit looks at gradients, and its refits, which know no penalty, soon fit
    noise. Here a column's merit is by how much the penalised error falls when it joins: its
    gradient squared over what of it is orthogonal to those chosen, plus the penalty. Copies of
    what is there have little merit, and so have columns that only fit what is left by chance.

    Parameters
    ----------
    A : ndarray of shape (n, M), Fortran order
        Centred columns of unit variance.
    Y : ndarray of shape (n, outputs)
        Centred targets.
    n_features : int
        Columns to choose.
    ridge : float
        λ, of λn‖β‖² against the squared error, so that 1 is the variance of a column.

    Returns
    -------
    RidgePath
        Shorter if no column is left that lowers the error.
    """
    n, width = A.shape
    size = min(n_features, width)
    gradient = (A.T @ Y.astype(np.float32)).astype(np.float64)
    room = np.einsum("ij,ij->j", A, A).astype(np.float64) + ridge * n
    start = float(np.square(Y).sum())
    W = np.empty((size, width))  # rows of U, over all columns
    support: list[int] = []
    coordinates: list[Array] = []
    open_ = np.ones(width)
    while len(support) < size:
        merit = open_ * np.square(gradient).sum(axis=1) / room
        j, t = largest(merit), len(support)
        if merit[j] <= _NEGLIGIBLE * start:
            break
        root = np.sqrt(room[j])
        W[t] = ((A.T @ A[:, j]) - W[:t, j] @ W[:t]) / root
        W[t, j] = root  # with the penalty, which stands on the diagonal alone
        coordinates.append(gradient[j] / root)
        gradient -= np.outer(W[t], coordinates[-1])
        # At least the penalty stays of every column; what rounding takes beyond it is put back.
        room = np.maximum(room - np.square(W[t]), ridge * n)
        support.append(j)
        open_[j] = 0.0
    chosen = np.array(support, dtype=np.intp)
    z = np.array(coordinates).reshape(len(support), Y.shape[1])
    return RidgePath(chosen, np.triu(W[: len(chosen)][:, chosen]), z)
