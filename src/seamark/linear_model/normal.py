"""`NormalEquations`: what a ridge solves, from sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from ..engine import settings, side_by_side
from ..engine.lapack import (
    cholesky,
    cholesky_solve,
    tiles,
    upper_times,
)
from .moments import mirror, standards
from .rows import FoldRows
from .sums import FoldSums

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

POWER_STEPS = 12
# Variance a column must have, against its second moment, to be more than rounding.
ROUNDING = {"single": 1e-6, "double": 1e-12}


@dataclass(frozen=True, eq=False)
class NormalEquations:
    """``(A + λI) β = b`` with columns of mean 0 over the rows summed, and variance 1 over all rows.

    A is then the correlation matrix, or near it where a fold is left out: the penalty λ knows no
    units of the features, no number of rows and no scale of the weights. Columns that are constant,
    or not allowed, get β = 0. The unit of a column, which no label has a say in, is the same for
    all folds, so that products of columns, or of rows, are the same for all folds too.

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

    correlation: Floats  # of compact equations the upper triangle only
    response: Floats
    mean: Floats
    unit: Floats  # 1 / standard deviation over all rows, 0 for columns not in use
    target_mean: Floats
    columns: Rows  # of the features, rising, that these equations are about
    width: int  # R
    latest: dict[float, Floats] = field(default_factory=dict)  # the last factor, by its penalty

    @classmethod
    def of(
        cls,
        sums: FoldSums,
        without: int | None = None,
        *,
        total: Floats | None = None,
        centred: bool = True,
        compact: bool = False,
    ) -> NormalEquations:
        """Centre and scale sums over all rows, or over those outside one fold.

        Parameters
        ----------
        sums : FoldSums
        without : int, optional
            Fold to leave out.
        total : ndarray, optional
            ``sums.total()``, for those who ask often.
        centred : bool
            Whether there is an intercept.
        compact : bool
            Whether to leave out columns whose unit is 0: a fifth fewer is half the work.
        """
        total = sums.total() if total is None else total
        fold = None if without is None else sums.moments[without]
        R = sums.n_features
        columns, targets = slice(1, 1 + R), slice(1 + R, None)
        of_fold = None if fold is None else (fold[:, 0], np.diag(fold))
        allowed = None if sums.allowed is None else sums.allowed[-1 if without is None else without]
        rounding = ROUNDING[sums.precision]
        weight, mean, unit = standards(
            (total[:, 0], np.diag(total)), of_fold, R, centred, rounding, allowed
        )
        which = np.flatnonzero(unit) if compact else np.arange(R)
        mean_of, unit = mean[columns][which], unit[which]
        cross = total[1 + which, targets]
        if fold is not None:
            cross -= fold[1 + which, targets]
        response = unit[:, None] * (cross / weight - np.outer(mean_of, mean[targets]))
        matrix = np.zeros((len(which), len(which)))
        strip = partial(scale_strip, matrix, total, fold, weight, mean_of, unit, which)
        strips = tiles(0, len(which), settings().scaled_rows)
        side_by_side(strip, strips, worth=len(which) > settings().small_matrix)
        if not compact:
            mirror(matrix.T)
        return cls(matrix, response, mean_of, unit, mean[targets], which, R)

    def largest_eigenvalue(self) -> float:
        """Of the correlation matrix; see `power_iteration`."""
        product = partial(blas.dsymv, 1.0, self.correlation.T, lower=1)
        if len(self.unit) > settings().small_matrix:
            product = partial(upper_times, self.correlation)
        return power_iteration(product, self.unit, self.columns)

    def smallest_eigenvalue(self, penalty: float, n_steps: int = 6) -> float:
        """Of A + λI, by inverse iteration: a little too high is good enough."""
        factor = self.latest.get(penalty)
        if factor is None or len(factor) < len(self.unit):
            factor = cholesky(self.correlation, penalty)
        vector = np.cos(np.arange(len(self.unit)) ** 2.0)
        value = 1.0
        for _ in range(n_steps):
            vector = cholesky_solve(factor, vector / np.linalg.norm(vector))
            value = 1 / float(np.linalg.norm(vector))
        return max(value, penalty)

    def solve(self, penalty: float, sizes: Sequence[int]) -> list[Floats]:
        """Solve for the leading r columns, for each r in `sizes`; one factor serves them all.

        Returns one array of residual vectors, (1 + R + T, T), per size. Raises LinAlgError when
        rounding has left the matrix indefinite.
        """
        counts = np.searchsorted(self.columns, sizes).tolist()
        largest = max(counts)
        self.latest.clear()  # before the next one takes as much room
        factor = cholesky(self.correlation[:largest, :largest], penalty)
        self.latest[penalty] = factor
        single, centre = len(counts) == 1, (self.mean, self.unit, self.target_mean)
        half = cholesky_solve(factor, self.response[:largest], None if single else "first")
        solutions = []
        for count in counts:
            # The leading block of a Cholesky factor is the factor of the leading block.
            leading = factor[:count, :count]
            beta = half if single else cholesky_solve(leading, half[:count], "second")
            solutions.append(residual_vectors(beta, *centre, self.columns, self.width))
        return solutions

    def residual_vectors(self, beta: Floats) -> Floats:
        """From coefficients of the leading columns that these equations are about."""
        centre = self.mean, self.unit, self.target_mean
        return residual_vectors(beta, *centre, self.columns, self.width)


@dataclass(frozen=True, eq=False)
class Primal:
    """Ridges on all rows, and on all but those of a fold, from sums: R unknowns."""

    data: FoldSums
    centred: bool
    known: dict[int | None, NormalEquations] = field(default_factory=dict)
    by_rows: ClassVar[bool] = False  # as in `Dual`
    n_unknowns = property(attrgetter("data.n_features"), doc="Numbers to solve for.")

    @cached_property
    def _total(self) -> Floats:
        moments = self.data.moments
        out = np.empty(moments.shape[1:])
        worth = len(out) > settings().small_matrix
        some = tiles(0, len(out), settings().product_tile)
        for_each = [(moments[:, rows], 0, None, out[rows]) for rows in some]
        side_by_side(np.add.reduce, *zip(*for_each, strict=True), worth=worth)
        return out

    def leading(self, size: int) -> Primal:
        """The same ridges on the leading columns."""
        return Primal(self.data.leading(size), self.centred)

    def equations(self, without: int | None = None) -> NormalEquations:
        """Of all rows, or of those outside one fold."""
        if without in self.known:
            return self.known[without]
        equations = NormalEquations.of(
            self.data, without, total=self._total, centred=self.centred, compact=True
        )
        if self.data.moments.nbytes <= settings().equations_bytes:
            self.known[without] = equations
        return equations

    trial = equations  # whose solutions `squared_errors` takes

    def squared_errors(self, fold: int, vectors: Floats) -> Floats:
        """Sum of w·residual² over the rows of a fold, for each column of `vectors`."""
        moments, products = self.data.moments[fold], np.empty(vectors.shape)
        large = len(moments) > settings().small_matrix
        strips = tiles(0, len(moments), settings().product_tile if large else len(moments))
        parts = [moments[rows] for rows in strips], [vectors] * len(strips)
        side_by_side(np.matmul, *parts, [products[rows] for rows in strips])
        # Never below 0 but for rounding, which must not make a model look better than perfect.
        return np.asarray(np.maximum(np.einsum("pt,pt->t", vectors, products), 0.0))


def residual_vectors(
    beta: Floats,
    mean: Floats,
    unit: Floats,
    target_mean: Floats,
    columns: Rows | None = None,
    width: int | None = None,
) -> Floats:
    """Residual vectors, (1 + R + T, T), from coefficients of the leading standardised columns.

    Parameters
    ----------
    beta : ndarray of shape (r, T)
    mean, unit, target_mean : ndarray
        As in `NormalEquations`.
    columns : ndarray of int, optional
        Which of the features these are, if not all, and their number R, `width`.
    """
    size, n_targets = beta.shape
    width = len(unit) if width is None else width
    places = slice(1, 1 + size) if columns is None else 1 + columns[:size]
    vectors = np.zeros((1 + width + n_targets, n_targets))
    coef = unit[:size, None] * beta
    vectors[0] = mean[:size] @ coef - target_mean
    vectors[places] = -coef
    vectors[1 + width :] = np.eye(n_targets)
    return vectors


def raw_coefficients(sums: FoldSums | FoldRows, vectors: Floats) -> tuple[Floats, Floats]:
    """Coefficients (T, R) and intercepts (T,) for features and targets as they came."""
    columns, targets = slice(1, 1 + sums.n_features), slice(1 + sums.n_features, None)
    coef = -vectors[columns].T * sums.scale[targets, None] / sums.scale[columns]
    intercept = sums.centre[targets] - vectors[0] * sums.scale[targets]
    return coef, intercept - coef @ sums.centre[columns]


def power_iteration(
    product: Callable[[Floats], Floats],
    unit: Floats,
    columns: Rows,
    rows: tuple[Callable[[Floats], Floats], Floats] | None = None,
) -> float:
    """Largest eigenvalue of a correlation matrix ZᵀZ, given by its products with vectors.

    A little too low is good enough, and it is 1 at least. Of fewer rows than columns the same norms
    are found sooner by v ↦ Zv and ZZᵀ: then v = Zᵀa, and a ↦ ZZᵀa / ‖v‖.
    """
    if not unit.any():  # nothing but constant columns
        return 1.0
    vector = np.where(unit > 0, 1.0 + 0.1 * np.cos(columns), 0.0)
    value = 1.0
    if rows is not None:
        a, gram = rows[0](vector / float(np.linalg.norm(vector))), rows[1]
        for _ in range(POWER_STEPS):
            image = gram @ a
            value = max(float(a @ image), 1e-300) ** 0.5
            a = image / value
        return max(value, 1.0)
    for _ in range(POWER_STEPS):
        vector = product(vector / np.linalg.norm(vector))
        value = float(np.linalg.norm(vector))
    return max(value, 1.0)


def scale_strip(
    out: Floats,
    total: Floats,
    fold: Floats | None,
    weight: float,
    mean: Floats,
    unit: Floats,
    which: Rows,
    rows: slice,
) -> None:
    """Fill a few rows from the diagonal on: ``((total − fold) / W − mean meanᵀ) unit unitᵀ``."""
    every, start, stop = len(which) == which[-1] + 1, rows.start, rows.stop
    left: Any = slice(1 + start, 1 + stop) if every else 1 + which[start:stop]
    right: Any = slice(1 + start, 1 + len(which)) if every else 1 + which[start:]
    strip, moved = out[start:stop, start:], unit * mean
    strip[:] = total[left][:, right]
    if fold is not None:
        strip -= fold[left][:, right]
    strip *= unit[start:] / weight
    strip *= unit[start:stop, None]
    strip -= moved[start:stop, None] * moved[start:]
