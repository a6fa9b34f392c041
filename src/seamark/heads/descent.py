"""Steps of Newton's method for convex functions: their direction, and how far to go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

Vector = NDArray[np.float64]


def solve_positive(
    hessian: NDArray[np.float64], gradient: Vector, penalties: Vector | float = 0.0
) -> Vector:
    """Solve by Cholesky, lifting the diagonal if a tiny penalty drowns in rounding.

    Parameters
    ----------
    hessian : ndarray of shape (D, D)
        Its lower half is read.
    gradient : ndarray of shape (D,)
        The right-hand side.
    penalties : ndarray of shape (D,) or float
        Added to the diagonal.

    Examples
    --------
    >>> solve_positive(np.diag([2.0, 4.0]), np.array([2.0, 2.0])).round(12).tolist()
    [1.0, 0.5]
    """
    diagonal = hessian.diagonal() + penalties
    lift, least = 0.0, 1e-14 * float(diagonal.mean())
    while True:
        lifted = hessian.copy(order="F")
        np.fill_diagonal(lifted, diagonal + lift)
        try:
            factor = cho_factor(lifted, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            lift = max(10 * lift, least)
        else:
            return np.asarray(cho_solve(factor, gradient, check_finite=False))


def row_space(A: NDArray[Any]) -> tuple[NDArray[Any], Vector | None]:
    """Coordinates in the space of the rows, where weights must lie, and its axes if it is smaller.

    A penalty ½‖w‖² lets no weight leave that space, and means the same in its coordinates.

    Examples
    --------
    >>> coordinates, axes = row_space(np.array([[3.0, 0.0, 4.0]]))
    >>> coordinates.shape, (coordinates @ axes.T).round(9).tolist()
    ((1, 1), [[3.0, 0.0, 4.0]])
    """
    n, d = A.shape
    if d <= n:
        return A, None
    axes, coordinates = np.linalg.qr(A.T.astype(np.float64, copy=False))
    return coordinates.T, axes


def step_length(slope: Callable[[float], float], accuracy: float = 0.1) -> float:
    """Bisect for the least value along a step: the slope of a convex function only rises.

    Parameters
    ----------
    slope : callable
        Derivative along the step; negative at 0 if the step leads down.
    accuracy : float
        Share of the slope at 0 that may be left.

    Returns
    -------
    float
        0 if the step does not lead down.

    Examples
    --------
    >>> step_length(lambda t: t - 1.0)
    1.0
    """
    start = -slope(0.0)
    if start <= 0:
        return 0.0
    low, high = 0.0, 1.0
    while slope(high) < -0.5 * start and high < 1e6:
        low, high = high, 2 * high
    if slope(high) <= accuracy * start:
        return high
    for _ in range(60):
        middle = 0.5 * (low + high)
        value = slope(middle)
        if abs(value) <= accuracy * start:
            return middle
        low, high = (middle, high) if value < 0 else (low, middle)
    return low
