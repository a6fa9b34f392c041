"""Factors of symmetric matrices, and their largest eigenvalue: what every form of a ridge needs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, lapack

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

POWER_STEPS = 12


def first_vector(unit: Floats, columns: Rows) -> Floats:
    """What `power_iteration` begins with; 0 for columns that are not in use."""
    return np.where(unit > 0, 1.0 + 0.1 * np.cos(columns), 0.0)


def power_iteration(product: Callable[[Floats], Floats], unit: Floats, columns: Rows) -> float:
    """Largest eigenvalue of a correlation matrix, given by its products with vectors.

    A little too low is good enough, and it is 1 at least.
    """
    if not unit.any():  # nothing but constant columns
        return 1.0
    vector = first_vector(unit, columns)
    value = 1.0
    for _ in range(POWER_STEPS):
        vector = product(vector / np.linalg.norm(vector))
        value = float(np.linalg.norm(vector))
    return max(value, 1.0)


def penalised_factor(matrix: Floats, penalty: float) -> Floats:
    """Cholesky factor of ``matrix + λI``; raises LinAlgError when rounding left it indefinite."""
    matrix = matrix.copy()
    matrix.flat[:: len(matrix) + 1] += penalty
    # Symmetric, so its transpose is itself, laid out as LAPACK wants it.
    factor, failed = lapack.dpotrf(matrix.T, lower=1, clean=0, overwrite_a=1)
    if failed or not np.isfinite(np.diag(factor)).all():
        raise LinAlgError("the factor is not finite")
    return np.asarray(factor)


def factor_solve(factor: Floats, right: Floats) -> Floats:
    """Solve with a factor of `penalised_factor`, whose upper triangle means nothing."""
    return np.asarray(lapack.dpotrs(factor, right, lower=1)[0])
