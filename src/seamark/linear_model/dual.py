"""`Dual`: ridges from the products of rows with rows, where these are fewer than the columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from ..engine import settings
from ..engine.lapack import cholesky, cholesky_solve
from .grams import FoldGram, Grams
from .moments import standards
from .normal import (
    ROUNDING,
    power_iteration,
    residual_vectors,
)
from .rows import FoldRows

Floats = NDArray[np.float64]

DELICATE = 1e-7  # penalty, against the sum of all eigenvalues, below which rounding is mended


@dataclass(frozen=True, eq=False)
class DualEquations:
    """``(ZZᵀ + λI) α = z`` and ``β = Zᵀα``: the β of `NormalEquations`, with n unknowns.

    Z holds √(w/W) φ of the rows kept, with columns of mean 0 and variance 1 over these rows, and z
    their targets likewise; so ZᵀZ is the correlation matrix, Zᵀz the response, and λ means the same
    in both.

    Examples
    --------
    >>> from seamark.features import InMemory
    >>> from seamark.linear_model.normal import raw_coefficients
    >>> phi, y = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[1.0], [3.0]])
    >>> data = FoldRows.of(InMemory(phi), y, np.zeros(2, dtype=int))
    >>> coef, intercept = raw_coefficients(data, Dual(data, True).equations().solve(1e-9, [2])[0])
    >>> coef.round(6), intercept.round(6)
    (array([[ 1., -1.]]), array([2.]))
    """

    data: FoldRows
    kept: NDArray[np.intp]  # rows
    weight: float  # of the rows kept, W
    mean: Floats  # of (1, φ, y) over them, or 0
    unit: Floats  # of the features: 1 / standard deviation, 0 for columns not in use
    grams: dict[int, Floats] = field(default_factory=dict)  # ZZᵀ of so many leading columns

    @classmethod
    def of(cls, data: FoldRows, without: int | None = None, centred: bool = True) -> DualEquations:
        """Centre and scale all rows, or those outside one fold."""
        training = np.arange(data.n_folds) != (-1 if without is None else without)
        total = data.first.sum(axis=0), data.second.sum(axis=0)
        fold = None if without is None else (data.first[without], data.second[without])
        allowed = None if data.allowed is None else data.allowed[-1 if without is None else without]
        found = standards(total, fold, data.n_features, centred, ROUNDING["double"], allowed)
        return cls(data, np.flatnonzero(training[data.folds]), *found)

    def largest_eigenvalue(self) -> float:
        """Of the correlation matrix; see `power_iteration`."""

        def product(vector: Floats) -> Floats:
            return self._down(self._across(vector), len(vector))

        gram = self.grams.get(len(self.unit))
        rows = None if gram is None else (self._across, gram)
        return power_iteration(product, self.unit, np.arange(len(self.unit)), rows)

    def centred_gram(self, products: Floats) -> Floats:
        """ZZᵀ from products of all rows, (n, n), about the centre of these."""
        gram = products / self.weight
        if self.mean.any():
            root = self.data.rows[:, 0] / np.sqrt(self.weight)
            shift = gram @ root
            shift -= 0.5 * (root @ shift) * root
            for x, y in ((root, shift), (shift, root)):
                blas.dger(-1.0, x, y, a=gram.T, overwrite_a=1)
        return gram

    def solve(self, penalty: float, sizes: Sequence[int]) -> list[Floats]:
        """Solve for the leading r columns, for each r in `sizes`; as in `NormalEquations`."""
        first = 1 + self.data.n_features
        target = self._centred(slice(first, None))
        solutions = {}
        for size in sorted(sizes):  # a Gram matrix begins with the one before
            beta = self._coefficients(penalty, size, target)
            solutions[size] = residual_vectors(
                beta, self.mean[1:first], self.unit, self.mean[first:]
            )
        return [solutions[size] for size in sizes]

    def _coefficients(self, penalty: float, size: int, target: Floats) -> Floats:
        """β of the leading columns.

        Rounding of ZZᵀ moves predictions in proportion to 1/λ, that of ZᵀZ only to its root. One
        step of refinement, with residuals from Z itself, makes up for it.
        """
        factor = cholesky(self._gram(size), penalty)
        alpha = cholesky_solve(factor, target)
        beta = self._down(alpha, size)
        if penalty < DELICATE * size:
            rest = target - self._across(beta) - penalty * alpha
            beta += self._down(cholesky_solve(factor, rest), size)
        return beta

    def _gram(self, size: int) -> Floats:
        """ZZᵀ of the leading columns."""
        if size not in self.grams:
            smaller = max((s for s in self.grams if s < size), default=0)
            gram = self.grams[smaller].copy() if smaller else np.zeros((len(self.kept),) * 2)
            width = settings().strip_columns
            for start in range(smaller, size, width):
                columns = slice(start, min(start + width, size))
                Z = self._centred(slice(1 + columns.start, 1 + columns.stop))
                Z *= self.unit[columns]
                gram += Z @ Z.T
            self.grams[size] = gram
        return self.grams[size]

    def _centred(self, columns: slice) -> Floats:
        """√(w/W) (a − mean) of some columns of the rows kept."""
        rows = self.data.rows[self.kept, columns]
        rows -= self.data.rows[self.kept, :1] * self.mean[columns]
        rows /= np.sqrt(self.weight)
        return rows

    def _across(self, beta: Floats) -> Floats:
        """Zβ of the leading columns, without Z."""
        size, rows = len(beta), self.data.rows
        scaled = (self.unit[:size] * beta.T).T
        offset = np.multiply.outer(rows[:, 0], self.mean[1 : 1 + size] @ scaled)
        product = rows[:, 1 : 1 + size] @ scaled - offset
        return np.asarray(product[self.kept] / np.sqrt(self.weight))

    def _down(self, alpha: Floats, size: int) -> Floats:
        """Zᵀα of the leading columns, without Z."""
        everyone = np.zeros((*alpha.shape[1:], len(self.data.rows)))
        everyone[..., self.kept] = alpha.T / np.sqrt(self.weight)
        # A few rows times the matrix are quicker than its transpose times a few columns.
        product = everyone @ self.data.rows[:, : 1 + size]
        centred = product[..., 1:] - product[..., :1] * self.mean[1 : 1 + size]
        return np.asarray((centred * self.unit[:size]).T)


@dataclass(frozen=True, eq=False)
class Dual:
    """Ridges on all rows, and on all but those of a fold, from the rows: n unknowns.

    Parameters
    ----------
    data : FoldRows
    centred : bool
        Whether there is an intercept.
    by_rows : bool
        Whether folds are judged by products of rows with rows, which do for one number of columns,
        and not by residual vectors; see `fits`.
    factors : ndarray of shape (R,), optional
        Of the columns, after they are standardised.
    made : Grams, optional
        Products of rows that are there already.
    """

    data: FoldRows
    centred: bool
    by_rows: bool = True
    factors: Floats | None = None
    made: Grams | None = None
    known: dict[int, FoldGram] = field(default_factory=dict)

    @staticmethod
    def fits(data: FoldRows, several: int = 1) -> bool:
        """Whether the products of so many blocks of columns are few enough to keep."""
        return several * Grams.n_bytes(data) <= settings().row_products_bytes

    @property
    def n_unknowns(self) -> int:
        """Numbers to solve for."""
        return len(self.data.rows)

    @cached_property
    def grams(self) -> Grams:
        """Products of rows."""
        return Grams.of(self.data, self._equations().unit) if self.made is None else self.made

    def trial(self, fold: int) -> FoldGram | DualEquations:
        """Equations of the model without a fold, whose solutions `squared_errors` takes."""
        if not self.by_rows:
            return self.equations(fold)
        if fold not in self.known:
            self.known[fold] = FoldGram(self.data, self.grams.of_fold(fold), fold, self.centred)
        return self.known[fold]

    def equations(self, without: int | None = None) -> DualEquations:
        """Of all rows, or of those outside one fold."""
        equations = self._equations(without)
        if self.by_rows and without is None:
            equations.grams[self.data.n_features] = equations.centred_gram(self.grams.of_fold(None))
        return equations

    def _equations(self, without: int | None = None) -> DualEquations:
        equations = DualEquations.of(self.data, without, self.centred)
        if self.factors is None:
            return equations
        return replace(equations, unit=equations.unit * self.factors)

    def squared_errors(self, fold: int, solutions: Floats) -> Floats:
        """Sum of w·residual² over the rows of a fold, for each column of `solutions`."""
        if not self.by_rows:
            solutions = self.data.rows[self.data.folds == fold] @ solutions
        return np.asarray(np.einsum("it,it->t", solutions, solutions))
