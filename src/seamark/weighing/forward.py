"""Orthogonal least squares with a ridge: each next column is the one that lowers the error most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.blas import dger

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


def forward_ridge(
    row: Callable[[int, Array], NDArray[Any]],
    room: Array,
    b: Array,
    n_features: int,
    penalty: float,
) -> RidgePath:
    """Choose columns one after another, refitting a ridge at every step.

    A plain greedy pursuit looks at gradients, and its refits, which know no penalty, soon fit
    noise. Here a column's merit is by how much the penalised error falls when it joins: its
    gradient squared over what of it is orthogonal to those chosen, plus the penalty. Copies of
    what is there have little merit, and so have columns that only fit by chance what is left.

    Parameters
    ----------
    row : callable
        ``row(j, merit)``: correlations of column j, which is chosen, with all M. The merit of each
        column says which may be asked for next.
    room : ndarray of shape (M,)
        Correlations of the columns with themselves: 1, or 0 for those not to be chosen.
    b : ndarray of shape (M, outputs)
        Covariances of the standardised columns with the targets.
    n_features : int
        Columns to choose.
    penalty : float
        λ, of λ‖β‖² against the mean squared error.

    Returns
    -------
    RidgePath
        Shorter if no column is left that lowers the error.

    Examples
    --------
    >>> C = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> b = np.array([[1.0], [0.95], [0.5]])
    >>> path = forward_ridge(lambda j, _: C[j], np.ones(3), b, 2, penalty=0.1)
    >>> path.support  # the second is all but the first again
    array([0, 2])
    """
    width, size = len(room), min(n_features, len(room))
    gradient, squares = np.array(b.T, order="C"), np.empty(b.T.shape)
    room = room + penalty
    W = np.empty((size, width))  # rows of U, over all columns
    support: list[int] = []
    coordinates: list[Array] = []
    free = np.ones(width)
    enough = _NEGLIGIBLE * float((np.square(gradient).sum(axis=0) / room).max())
    while len(support) < size:
        merit = np.square(gradient, out=squares).sum(axis=0)
        merit *= free
        merit /= room
        j, t = largest(merit), len(support)
        if merit[j] <= enough:
            break
        root = np.sqrt(room[j])
        new = W[t]
        np.subtract(row(j, merit), W[:t, j] @ W[:t], out=new)
        new /= root
        new[support] = 0.0  # but for rounding, which would grow from step to step without end
        new[j] = root  # with the penalty, which stands on the diagonal alone
        coordinates.append(gradient[:, j] / root)
        dger(-1.0, new, coordinates[-1], a=gradient.T, overwrite_a=1)
        # The penalty stays of every column; what rounding takes beyond it is put back.
        room -= np.square(new)
        np.maximum(room, penalty, out=room)
        support.append(j)
        free[j] = 0.0
    chosen = np.array(support, dtype=np.intp)
    z = np.array(coordinates).reshape(len(support), b.shape[1])
    return RidgePath(chosen, np.triu(W[: len(chosen)][:, chosen]), z)
