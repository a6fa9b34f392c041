"""Orthogonal least squares with a ridge: each next column is the one that lowers the error most.

What a step changes of thousands of columns costs most of a path, so it is put off: a few columns
that promise most are followed step by step, and all of them are looked at again when none of
these promises more than the others did.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from ..engine import settings
from .columns import Array, Rows
from .path import largest

_NEGLIGIBLE = 1e-10  # merit against the first one's: what is left to gain is rounding
NEAR = 0.7  # of the best merit of the others: those followed must not fall below

Products = Callable[[Rows, Rows | None], NDArray[Any]]


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
    products: Products, room: Array, b: Array, n_features: int, penalty: float
) -> RidgePath:
    """Choose columns one after another, refitting a ridge at every step.

    A plain greedy pursuit looks at gradients, and its refits, which know no penalty, soon fit
    noise. Here a column's merit is by how much the penalised error falls when it joins: its
    gradient squared over what of it is orthogonal to those chosen, plus the penalty. Copies of
    what is there have little merit, and so have columns that only fit by chance what is left.

    The merit of most columns falls from step to step. So the best few are followed, and the others
    are looked at again when these have fallen to about what the others had, or after some steps: a
    column that is best meanwhile comes a few steps later. Up to 64 columns are all followed.

    Parameters
    ----------
    products : callable
        ``products(some, others)``: correlations of some columns with others, None for all M.
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
    >>> products = lambda some, others: C[some] if others is None else C[np.ix_(some, others)]
    >>> path = forward_ridge(products, np.ones(3), b, 2, penalty=0.1)
    >>> path.support  # the second is all but the first again
    array([0, 2])
    """
    growing = _Growing(products, room, b, min(n_features, len(room)), penalty)
    while growing.grows():
        pass
    return growing.path()


class _Growing:
    """A path on its way: what all columns have left after the steps taken."""

    def __init__(
        self, products: Products, room: Array, b: Array, size: int, penalty: float
    ) -> None:
        self.products, self.size, self.penalty = products, size, penalty
        self.gradient, self.room = np.array(b.T, order="C"), room + penalty
        self.W = np.empty((size, len(room)))  # rows of U, over all columns
        self.support = np.empty(0, dtype=np.intp)
        self.coordinates: list[Array] = []
        self.enough = _NEGLIGIBLE * float(self._merit().max(initial=0.0))

    def _merit(self) -> Array:
        return np.asarray(np.einsum("tm,tm->m", self.gradient, self.gradient) / self.room)

    def grows(self) -> bool:
        """Choose some more columns; False if there are enough, or none is worth it."""
        most = min(settings().followed_steps, self.size - len(self.support))
        if most <= 0:
            return False
        merit, bar = self._merit(), self.enough
        some = np.arange(len(merit))
        if len(merit) > (few := settings().followed_columns):
            order = np.argpartition(-merit, few)
            some = np.sort(order[:few])
            bar = max(bar, NEAR * float(merit[order[few]]))
        above = self.W[: len(self.support), some]
        left = self.products(some, some) - above.T @ above
        limits = most if merit[some].max(initial=0.0) > self.enough else 0, bar, self.penalty
        steps = followed(left, self.gradient[:, some], self.room[some], limits)
        if len(steps.places):
            self._take(some[steps.places], steps)
        return len(steps.places) > 0

    def _take(self, chosen: Rows, steps: PathSteps) -> None:
        """Take steps, and carry them over to all columns if more are to come."""
        t = len(self.support)
        new = self.W[t : t + len(chosen)]
        if t + len(chosen) < self.size:
            self._carry(new, chosen, steps)
        new[:, chosen] = steps.factor  # with the penalty, which stands on the diagonal alone
        self.support = np.append(self.support, chosen)
        self.coordinates.append(steps.coordinates)

    def _carry(self, new: Array, chosen: Rows, steps: PathSteps) -> None:
        """Fill new rows of U, and take what they explain."""
        above = self.W[: len(self.support)]
        left = self.products(chosen, None) - above[:, chosen].T @ above
        new[:] = solve_triangular(steps.factor, left, trans="T", check_finite=False)
        new[:, self.support] = 0.0  # but for rounding, which would grow from step to step
        self.gradient -= steps.coordinates.T @ new
        self.gradient[:, chosen] = 0.0  # so that none is chosen again
        # The penalty stays of every column; what rounding takes beyond it is put back.
        self.room -= np.einsum("sm,sm->m", new, new)
        np.maximum(self.room, self.penalty, out=self.room)

    def path(self) -> RidgePath:
        """Return what was chosen."""
        factor = np.triu(self.W[: len(self.support), self.support])
        empty = np.empty((0, len(self.gradient)))
        return RidgePath(self.support, factor, np.concatenate([empty, *self.coordinates]))


class PathSteps(NamedTuple):
    """Some steps of a path among few columns."""

    places: Rows
    factor: Array  # rows of U, over the columns chosen in these steps
    coordinates: Array


def followed(
    left: Array, gradient: Array, room: Array, limits: tuple[int, float, float]
) -> PathSteps:
    """Take steps among few columns, of which all is known.

    Parameters
    ----------
    left : ndarray of shape (k, k)
        Correlations, less what earlier steps explain of them.
    gradient, room : ndarray of shape (outputs, k) and (k,)
        Of these columns; changed in place.
    limits : tuple
        Most steps; the merit above which all steps but the first must stay; and the penalty.
    """
    most, bar, penalty = limits
    rows, pulls = np.empty((most, len(room))), np.empty((most, len(gradient)))
    places: list[int] = []
    for t in range(most):
        merit = np.einsum("tk,tk->k", gradient, gradient)
        merit /= room
        j = largest(merit)
        if t and merit[j] <= bar:
            break
        root, new = math.sqrt(room[j]), rows[t]
        np.subtract(left[j], rows[:t, j] @ rows[:t], out=new)
        new /= root
        new[j] = root
        np.divide(gradient[:, j], root, out=pulls[t])
        gradient -= pulls[t, :, None] * new
        gradient[:, j] = 0.0  # so that it is not chosen again
        room -= np.square(new)
        np.maximum(room, penalty, out=room)
        places.append(j)
    chosen, t = np.array(places, dtype=np.intp), len(places)
    # Of what is chosen already, rows hold nothing but rounding.
    return PathSteps(chosen, np.triu(rows[:t, chosen]), pulls[:t])
