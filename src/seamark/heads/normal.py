"""`NormalEquations`: what a ridge solves, from sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_solve, cholesky, solve_triangular

from .rows import FoldRows
from .sums import FoldSums

Floats = NDArray[np.float64]

# Variance a column must have, against its second moment, to be more than rounding.
ROUNDING = {"single": 1e-6, "double": 1e-12}
SUBTRACTION = 1e-13  # the same against the total, where training sums are total minus fold


@dataclass(frozen=True, eq=False)
class NormalEquations:
    """``(A + λI) β = b`` with columns of mean 0 and variance 1 over the rows summed.

    A is then the correlation matrix, whose mean eigenvalue is 1: the penalty λ knows no units of
    the features, no number of rows and no scale of the weights. Columns that are constant, or not
    allowed, get β = 0.

    Solutions come as *residual vectors* v = (−β₀, −β, 1), for which vᵀ(1, φ, y) is the residual
    of a row: the squared error over any sums M is vᵀ M v.

    Examples
    --------
    >>> from seamark.features import InMemory
    >>> phi, y = np.arange(6.0)[:, None], 1 + 2 * np.arange(6.0)[:, None]
    >>> sums = FoldSums.of(InMemory(phi), y, np.zeros(6, dtype=int))
    >>> equations = NormalEquations.of(sums)
    >>> coef, intercept = raw_coefficients(sums, equations.solve(1e-9, [1])[0])
    >>> coef.round(6), intercept.round(6)
    (array([[2.]]), array([1.]))
    """

    correlation: Floats
    response: Floats
    mean: Floats
    unit: Floats  # 1 / standard deviation, 0 for columns not in use
    target_mean: Floats

    @classmethod
    def of(
        cls,
        sums: FoldSums,
        without: int | None = None,
        *,
        total: Floats | None = None,
        centred: bool = True,
    ) -> NormalEquations:
        """Centre and scale sums over all rows, or over those outside one fold."""
        total = sums.total() if total is None else total
        M = total if without is None else sums.training(without, total)
        columns, targets = slice(1, 1 + sums.n_features), slice(1 + sums.n_features, None)
        weight = M[0, 0]
        mean = M[0] / weight if centred else np.zeros(len(M))
        raw, whole = np.diag(M)[columns] / weight, np.diag(total)[columns] / total[0, 0]
        unit = units(mean[columns], raw, whole, ROUNDING[sums.precision])
        if sums.allowed is not None:
            unit *= sums.allowed[-1 if without is None else without]
        response = M[columns, targets] / weight - np.outer(mean[columns], mean[targets])
        return cls(
            _scaled(M[columns, columns], weight, mean[columns], unit),
            unit[:, None] * response,
            mean[columns],
            unit,
            mean[targets],
        )

    def largest_eigenvalue(self) -> float:
        """Of the correlation matrix; see `power_iteration`."""
        return power_iteration(self.correlation.dot, self.unit)

    def smallest_eigenvalue(self, penalty: float, n_steps: int = 6) -> float:
        """Of A + λI, by inverse iteration: a little too high is good enough."""
        factor = penalised_factor(self.correlation, penalty)
        vector = np.cos(np.arange(len(self.unit)) ** 2.0)
        value = 1.0
        for _ in range(n_steps):
            vector = cho_solve((factor, True), vector / np.linalg.norm(vector), check_finite=False)
            value = 1 / float(np.linalg.norm(vector))
        return max(value, penalty)

    def solve(self, penalty: float, sizes: Sequence[int]) -> list[Floats]:
        """Solve for the leading r columns, for each r in `sizes`; one factor serves them all.

        Returns one array of residual vectors, (1 + R + T, T), per size. Raises LinAlgError when
        rounding has left the matrix indefinite.
        """
        largest = max(sizes)
        factor = penalised_factor(self.correlation[:largest, :largest], penalty)
        half = solve_triangular(factor, self.response[:largest], lower=True, check_finite=False)
        solutions = []
        for size in sizes:
            # The leading block of a Cholesky factor is the factor of the leading block.
            beta = solve_triangular(
                factor[:size, :size], half[:size], lower=True, trans=1, check_finite=False
            )
            solutions.append(residual_vectors(beta, self.mean, self.unit, self.target_mean))
        return solutions


@dataclass(frozen=True, eq=False)
class Primal:
    """Ridges on all rows, and on all but those of a fold, from sums: R unknowns."""

    data: FoldSums
    centred: bool

    @cached_property
    def _total(self) -> Floats:
        return self.data.total()

    def equations(self, without: int | None = None) -> NormalEquations:
        """Of all rows, or of those outside one fold."""
        return NormalEquations.of(self.data, without, total=self._total, centred=self.centred)

    def squared_errors(self, fold: int, vectors: Floats) -> Floats:
        """Sum of w·residual² over the rows of a fold, for each column of `vectors`."""
        return squared_errors(self.data.moments[fold], vectors)


def units(mean: Floats, raw: Floats, whole: Floats, rounding: float) -> Floats:
    """Return 1 / standard deviation of each column, and 0 for those that are constant.

    Parameters
    ----------
    mean, raw : ndarray of shape (R,)
        First moments (or 0, to measure from 0) and second moments.
    whole : ndarray of shape (R,)
        Second moments over all rows, training or not.
    rounding : float
        Variance a column must have, against its second moment, to be more than rounding.
    """
    variance = raw - mean**2
    varies = (variance > rounding * raw) & (variance > SUBTRACTION * whole)
    return np.where(varies, 1 / np.sqrt(np.where(varies, variance, 1.0)), 0.0)


def power_iteration(product: Callable[[Floats], Floats], unit: Floats, n_steps: int = 12) -> float:
    """Largest eigenvalue of a correlation matrix, given by its products with vectors.

    A little too low is good enough, and it is 1 at least.
    """
    vector = np.where(unit > 0, 1.0, 0.0) + 0.1 * np.cos(np.arange(len(unit)))
    value = 1.0
    for _ in range(n_steps):
        vector = product(vector / np.linalg.norm(vector))
        value = float(np.linalg.norm(vector))
        if value == 0.0:  # nothing but constant columns
            return 1.0
    return max(value, 1.0)


def penalised_factor(matrix: Floats, penalty: float) -> Floats:
    """Cholesky factor of ``matrix + λI``; raises LinAlgError when rounding left it indefinite."""
    matrix = matrix.copy()
    matrix.flat[:: len(matrix) + 1] += penalty
    # Symmetric, so its transpose is itself, laid out as LAPACK wants it.
    factor = np.asarray(cholesky(matrix.T, lower=True, overwrite_a=True, check_finite=False))
    if not np.isfinite(np.diag(factor)).all():
        raise LinAlgError("the factor is not finite")
    return factor


def residual_vectors(beta: Floats, mean: Floats, unit: Floats, target_mean: Floats) -> Floats:
    """Residual vectors, (1 + R + T, T), from coefficients of the leading standardised columns."""
    n_columns, n_targets = len(unit), len(target_mean)
    vectors = np.zeros((1 + n_columns + n_targets, n_targets))
    coef = unit[: len(beta), None] * beta
    vectors[0] = mean[: len(beta)] @ coef - target_mean
    vectors[1 : 1 + len(beta)] = -coef
    vectors[1 + n_columns :] = np.eye(n_targets)
    return vectors


def squared_errors(moments: Floats, vectors: Floats) -> Floats:
    """Sum of w·residual² over the rows of `moments`, for each column of `vectors`."""
    # Never below 0 but for rounding, which must not make a model look better than perfect.
    return np.asarray(np.maximum(np.einsum("pt,pt->t", vectors, moments @ vectors), 0.0))


def raw_coefficients(sums: FoldSums | FoldRows, vectors: Floats) -> tuple[Floats, Floats]:
    """Coefficients (T, R) and intercepts (T,) for features and targets as they came."""
    columns, targets = slice(1, 1 + sums.n_features), slice(1 + sums.n_features, None)
    coef = -vectors[columns].T * sums.scale[targets, None] / sums.scale[columns]
    intercept = sums.centre[targets] - vectors[0] * sums.scale[targets]
    return coef, intercept - coef @ sums.centre[columns]


def _scaled(gram: Floats, weight: float, mean: Floats, unit: Floats, step: int = 512) -> Floats:
    """``(gram / weight − mean meanᵀ) · unit unitᵀ``, by strips to need no second matrix."""
    out = np.empty(gram.shape)
    for start in range(0, len(gram), step):
        rows = slice(start, start + step)
        strip = gram[rows] / weight
        strip -= mean[rows, None] * mean
        strip *= unit[rows, None] * unit
        out[rows] = strip
    return out
