"""The squared hinge by Newton's method, on growing samples of the rows.

A step's price is the sum of a aᵀ over the rows within the margin. Two things make it cheap: a
sample of the rows already leads close to the solution, so that all rows are needed for the last
few steps only; and between two steps few rows enter or leave the margin, so that the sum follows
by adding and subtracting these. Rows may be float32, but are multiplied in float64: features of
similarities are too nearly collinear for less.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .augmented import AugmentedRows
from .descent import solve_positive, step_length

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

FREE = 1e-8  # penalty of the intercept: next to nothing, but enough to keep Newton's matrix regular
_ROWS_PER_COLUMN = 4  # of the first sample: with fewer its solution is far from that of all
_LEAST_SAMPLE = 1000
_GROWTH = 4
_ROUGH, _ROUGH_STEPS = 1e-2, 12  # solutions of samples only start the next


class Curvature:
    """Σ 2c a aᵀ over the rows within the margin, kept up as rows come and go.

    Only the lower half of the matrix is filled, which is all that Cholesky's method reads.
    """

    def __init__(self, rows: AugmentedRows, costs: Floats) -> None:
        self.rows, self.factors = rows, 2.0 * costs
        self.inside: Mask = np.zeros(len(costs), dtype=bool)
        self.value = np.zeros((rows.width, rows.width), order="F")

    def of(self, inside: Mask) -> Floats:
        """The sum over these rows, by the shorter of two ways."""
        come, go = inside & ~self.inside, self.inside & ~inside
        if np.count_nonzero(come) + np.count_nonzero(go) >= np.count_nonzero(inside):
            self.value[:], come, go = 0.0, inside, np.zeros_like(go)
        self.rows.add_products(self.value, np.flatnonzero(come), self.factors)
        self.rows.add_products(self.value, np.flatnonzero(go), self.factors, sign=-1.0)
        self.inside = inside
        return self.value


def minimise(
    A: NDArray[Any], signs: Floats, costs: Floats, tol: float, max_iter: int
) -> tuple[Floats, int]:
    """Minimise ½‖w‖² + Σ c max(0, 1 − s(w·a + b))² for every column of signs.

    Parameters
    ----------
    A : ndarray of shape (n, D)
    signs : ndarray of shape (n, T)
        ±1.
    costs : ndarray of shape (n,)
        c.
    tol : float
        Gain that a last step may promise, as a share of the objective.
    max_iter : int
        Most steps on all rows.

    Returns
    -------
    theta : ndarray of shape (T, D + 1)
        Weights, and the intercept last.
    n_iter : int
        Most steps that a column took on all rows.
    """
    theta = np.zeros((signs.shape[1], A.shape[1] + 1))
    for stride in _strides(*A.shape):
        # Every k-th row, for k times its cost: classes that come sorted stay in proportion.
        rows, sample_costs = AugmentedRows(A[::stride]), stride * costs[::stride]
        limits = (tol, max_iter) if stride == 1 else (max(tol, _ROUGH), _ROUGH_STEPS)
        n_iter = 0
        for t, sign in enumerate(signs[::stride].T):
            theta[t], steps = _newton(rows, sign, sample_costs, theta[t], *limits)
            n_iter = max(n_iter, steps)
    return theta, n_iter


def _strides(n: int, width: int) -> list[int]:
    """Return falling distances of the rows in each sample; the last, 1, takes all."""
    size = max(_ROWS_PER_COLUMN * width, _LEAST_SAMPLE)
    strides = []
    while 2 * size <= n:
        strides.append(n // size)
        size *= _GROWTH
    return [*strides, 1]


def _newton(
    rows: AugmentedRows, sign: Floats, costs: Floats, theta: Floats, tol: float, max_iter: int
) -> tuple[Floats, int]:
    """Minimise from a start, and count the steps."""
    penalties = np.append(np.ones(len(theta) - 1), FREE)
    curvature = Curvature(rows, costs)
    slack = 1.0 - sign * rows.scores(theta)  # may be negative: beyond the margin
    for step_number in range(1, max_iter + 1):
        hinge = np.maximum(slack, 0.0)
        value = float(costs @ hinge**2 + 0.5 * penalties @ theta**2)
        gradient = penalties * theta - rows.sum(2.0 * costs * sign * hinge)
        step = -solve_positive(curvature.of(slack > 0), gradient, penalties)
        change = -sign * rows.scores(step)
        bend = float(penalties * theta @ step), float(penalties * step @ step)
        length = step_length(_slope_along(slack, change, costs, *bend))
        theta, slack = theta + length * step, slack + length * change
        if -float(gradient @ step) <= tol * value or length == 0:
            return theta, step_number
    return theta, max_iter


def _slope_along(
    slack: Floats, change: Floats, costs: Floats, linear: float, quadratic: float
) -> Callable[[float], float]:
    """Derivative of the objective along a step, at the price of the slacks alone."""
    pull = 2.0 * costs * change

    def slope(t: float) -> float:
        return float(pull @ np.maximum(slack + t * change, 0.0) + linear + t * quadratic)

    return slope
