"""Newton's method with a line search, for several convex functions at once.

Every function is a sum of losses of slacks, which are affine in its unknowns, plus a quadratic
penalty: so what happens along a step is known from the slacks alone, and the search for the best
length costs no products of matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

_TOO_FAR = 1e6  # length of a step at which a function that still falls is left alone
_HALVINGS = 60


class Convex(Protocol):
    """T functions, each of a column of θ; `which` says which of the columns are meant."""

    def slacks(self, theta: Floats) -> Floats:
        """All slacks, (N, T), at θ, (D, T)."""

    def slopes(self, slacks: Floats, which: Places) -> Floats:
        """Derivative of the losses by each slack."""

    def step(self, theta: Floats, slacks: Floats, which: Places) -> Floats:
        """Newton's step, or one that leads down as well."""

    def along(self, theta: Floats, step: Floats, which: Places) -> tuple[Floats, Floats, Floats]:
        """Change of the slacks, and slope and curvature of the penalty, along a step."""

    def unit(self, theta: Floats, slacks: Floats, which: Places) -> Floats:
        """What the gain of a step is compared with, (T,)."""


class Minimum(NamedTuple):
    """Where Newton's method ended."""

    theta: Floats
    steps: Places
    """Of each column."""
    converged: bool


def newton(functions: Convex, theta: Floats, tol: float, max_iter: int) -> Minimum:
    """Minimise from a start.

    Parameters
    ----------
    functions : Convex
        Where all losses are of quadratic pieces, ``pieces(slacks)`` may tell on which they are.
    theta : ndarray of shape (D, T)
        Where to start.
    tol : float
        Slope along the last step, in the functions' unit; that step is still taken.
    max_iter : int
        Most steps.
    """
    theta, slacks = theta.copy(), functions.slacks(theta)
    pieces = getattr(functions, "pieces", None)
    steps, live = np.zeros(theta.shape[1], dtype=np.intp), np.arange(theta.shape[1])
    for _ in range(max_iter):
        here, at = slacks[:, live], theta[:, live]
        step = functions.step(at, here, live)
        change, linear, quadratic = functions.along(at, step, live)
        start = np.einsum("it,it->t", functions.slopes(here, live), change) + linear
        slope = _Slope(functions, here, change, linear, quadratic, live)
        lengths = step_lengths(slope, start)
        steps[live] += 1
        done = (lengths == 0) | (-start <= tol * functions.unit(at, here, live))
        theta[:, live] += lengths * step
        slacks[:, live] += lengths * change
        if pieces is not None:
            # The least value of a quadratic function, if it still is the same one, is reached.
            done |= (lengths == 1) & (pieces(here) == pieces(slacks[:, live])).all(axis=0)
        live = live[~done]
        if not len(live):
            break
    return Minimum(theta, steps, len(live) == 0)


@dataclass(frozen=True)
class _Slope:
    """Derivative of every function along its step."""

    functions: Convex
    slacks: Floats
    change: Floats
    linear: Floats
    quadratic: Floats
    which: Places

    def __call__(self, lengths: Floats, some: Places) -> Floats:
        """Of some of the columns."""
        change = self.change[:, some]
        there = self.slacks[:, some] + lengths * change
        slopes = self.functions.slopes(there, self.which[some])
        pull = np.einsum("it,it->t", slopes, change)
        return np.asarray(pull + self.linear[some] + lengths * self.quadratic[some])


def step_lengths(
    slope: Callable[[Floats, Places], Floats], start: Floats, accuracy: float = 0.1
) -> Floats:
    """Bisect for the least value along each step: the slope of a convex function only rises.

    Parameters
    ----------
    slope : callable
        Derivatives at some lengths, for some of the columns.
    start : ndarray of shape (T,)
        Derivatives at length 0, negative where the step leads down.
    accuracy : float
        Share of the slope at 0 that may be left.

    Returns
    -------
    ndarray of shape (T,)
        0 where a step does not lead down.

    Examples
    --------
    >>> step_lengths(lambda t, some: t - 1.0, np.array([-1.0, 0.0]))
    array([1., 0.])
    """
    low, high = np.zeros(len(start)), np.where(start < 0, 1.0, 0.0)
    todo, beyond = np.flatnonzero(start < 0), []
    while len(todo):  # twice as far while it still falls steeply
        value = slope(high[todo], todo)
        beyond.append(todo[value > -accuracy * start[todo]])
        todo = todo[(value < 0.5 * start[todo]) & (high[todo] < _TOO_FAR)]
        low[todo], high[todo] = high[todo], 2 * high[todo]
    todo = np.concatenate([np.empty(0, dtype=np.intp), *beyond])
    lengths = high.copy()
    for _ in range(_HALVINGS if len(todo) else 0):
        middle = 0.5 * (low[todo] + high[todo])
        value = slope(middle, todo)
        low[todo] = np.where(value < 0, middle, low[todo])
        high[todo] = np.where(value < 0, high[todo], middle)
        small = np.abs(value) <= -accuracy * start[todo]
        lengths[todo] = np.where(small, middle, low[todo])
        todo = todo[~small]
        if not len(todo):
            break
    return lengths


def solve_positive(matrix: Floats, right: Floats, penalties: Floats | float = 0.0) -> Floats:
    """Solve by Cholesky, lifting the diagonal if a tiny penalty drowns in rounding.

    Parameters
    ----------
    matrix : ndarray of shape (D, D)
        Symmetric; of one in Fortran's order the lower half is read.
    right : ndarray of shape (D,) or (D, k)
    penalties : ndarray of shape (D,) or float
        Added to the diagonal.

    Examples
    --------
    >>> solve_positive(np.diag([2.0, 4.0]), np.array([2.0, 2.0])).round(12).tolist()
    [1.0, 0.5]
    """
    if not len(matrix):
        return right.copy()
    diagonal = matrix.diagonal() + penalties
    lift, least = 0.0, max(1e-14 * float(np.abs(diagonal).mean()), np.finfo(np.float64).tiny)
    while True:
        lifted = matrix.copy(order="K")
        np.fill_diagonal(lifted, diagonal + lift)
        lifted = lifted if lifted.flags.f_contiguous else lifted.T
        factor, failed = lapack.dpotrf(lifted, lower=1, clean=0, overwrite_a=1)
        if not failed:
            return np.asarray(lapack.dpotrs(factor, right, lower=1)[0])
        lift = max(10 * lift, least)
