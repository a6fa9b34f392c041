"""Ridges without each fold, from sums or from rows, and the penalty that errs least on the folds.

A ridge is solved with R unknowns from sums of products (`Primal`), or, where rows are fewer, with n
unknowns from products of rows with rows (`Dual`). Both are asked the same: `vectors`, the model of
all rows; `trial`, what models without each fold leave of its rows, at any penalties and numbers of
leading columns; and `judge`, how far such models are off.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, blas, lapack

from ..engine import settings, side_by_side, tick
from ..engine.lapack import add_products, cholesky, cholesky_solve, tiles, upper_times
from ..engine.threads import SMALL_MATRIX
from ..features import Floats, Rows
from .ridge_statistics import ROUNDING, FoldRows, FoldStatistics, FoldSums, mirror

WHOLE = -1  # in the place of a fold: none is left out

POWER_STEPS = 12
WORTH_DIVIDING = 500  # unknowns from which folds are prepared, and judged, by several threads
PRODUCT_TILE = 512  # rows and columns of a product of matrices that are one thread's share
# Products of rows with rows, by which a ridge with few rows is solved.
ROW_PRODUCTS_BYTES = 1 << 30
LEAST_KEPT = 1 << 20  # bytes that any budget leaves room for
EQUATIONS_BYTES = 64 << 20  # normal equations that are kept; larger ones are scaled again
# Columns, and rows of a matrix, scaled at a time, to need no second matrix of them.
SCALED_BYTES = 8 << 20
SCALED_ROWS = 64
DELICATE = 1e-7  # penalty, against the sum of all eigenvalues, below which rounding is mended
FEW_UNKNOWNS = 200  # up to which equations are solved at once, by one thread
MANY_SHIFTS = 5  # from which on a tridiagonal form costs less than as many factors

System = tuple[Floats, Floats, Sequence[float], Sequence[int]]  # see `solve_shifted`


class CollinearError(np.linalg.LinAlgError):
    """Rounding has left no solution: a penalty is too small for features."""

    def __init__(self, penalty: float) -> None:
        super().__init__(
            f"penalty={penalty} is too small for features so nearly collinear; "
            "use a larger one, or 'cv'."
        )


class Ridges(ABC):
    """Ridge regressions on all rows, and on all but those of each fold.

    Columns have mean 0 over the rows that a ridge is fitted to, and variance 1 over all rows. Their
    products A are then the correlation matrix, or near it where a fold is left out: the penalty λ
    of ``(A + λI) β = b`` knows no units of the features, no number of rows and no scale of the
    weights. Columns that are constant, or not allowed, get β = 0.

    A solution is a *residual vector* v = (−β₀, −β, 1), for which vᵀ(1, φ, y) is the residual
    of a row: the squared error over any sums M is vᵀ M v.

    Attributes
    ----------
    weight : ndarray of shape (n_folds + 1,)
        Of the rows outside each fold, and, last, at `WHOLE`, of all rows.
    mean : ndarray of shape (n_folds + 1, 1 + R + T)
        Of the same rows; 0 if there is no intercept.
    unit : ndarray of shape (n_folds + 1, R)
        1 / standard deviation over all rows, which no label has a say in: the same for all folds,
        so that products of columns, or of rows, are the same for all folds too. It is 0 where a
        column is constant, or may not be used; and times the column's factor.
    n_folds : int
    fold_weights : ndarray of shape (n_folds,)
        Sum of the weights of the rows in each fold.
    n_unknowns : int
        Numbers to solve for: columns, or, where rows are kept since they are fewer, rows.
    """

    data: Any
    centred: bool
    factors: Floats | None = None  # of the columns, after they are standardised
    known: dict[int, Any]  # what is kept of each fold from one question to the next
    weight: Floats
    mean: Floats
    unit: Floats
    n_folds: int
    fold_weights: Floats
    n_unknowns: int

    def __post_init__(self) -> None:
        data, columns = self.data, slice(1, 1 + self.data.n_features)
        self.n_unknowns = len(data.rows) if isinstance(data, FoldRows) else data.n_features
        first, second = data.edges  # of each fold, and then of the rows outside it
        self.n_folds, self.fold_weights = len(first), first[:, 0]
        total, squares = first.sum(axis=0), second.sum(axis=0)
        first = np.concatenate([total - first, total[None]])
        second = np.concatenate([squares - second, squares[None]])[:, columns]
        self.weight = first[:, 0]
        # Outside a single fold there is nothing.
        each = np.where(self.weight > 0, self.weight, 1.0)[:, None]
        self.mean = first / each if self.centred else np.zeros_like(first)
        second /= each
        variance = second - self.mean[:, columns] ** 2
        varies = variance > ROUNDING[data.precision] * second
        varies &= varies[-1]
        self.unit = np.where(varies, 1 / np.sqrt(np.where(varies[-1], variance[-1], 1.0)), 0.0)
        for factor in (data.allowed, self.factors):
            self.unit = self.unit if factor is None else self.unit * factor

    @abstractmethod
    def top(self) -> float:
        """Largest eigenvalue of the correlation matrix of all rows; a little too low will do."""

    @abstractmethod
    def trial(
        self, folds: Sequence[int], penalties: Sequence[float], sizes: Sequence[int]
    ) -> list[Floats]:
        """What the models without each of some folds leave of its rows.

        Parameters
        ----------
        folds : sequence of int
            `WHOLE` among them for the model of all rows.
        penalties : sequence of float
            P of them.
        sizes : sequence of int
            S numbers of leading columns.

        Returns
        -------
        list of ndarray of shape (P, S, k, T)
            From sums, residual vectors, k = 1 + R + T; from rows, the residuals
            √w (y − ŷ) of the k rows of the fold. NaN where rounding has left no solution.
        """

    @abstractmethod
    def squared_errors(self, fold: int, left: Floats) -> Floats:
        """Sum of w·residual² over the rows of a fold, of a `trial` (…, k, T): (…, T)."""

    def judge(
        self, folds: Sequence[int], penalties: Sequence[float], sizes: Sequence[int]
    ) -> tuple[Floats, list[Floats]]:
        """Mean squared errors (F, P, S) on the folds of models without them, and their `trial`.

        Infinite where rounding leaves no solution.
        """
        left, data = self.trial(folds, penalties, sizes), self.data
        if len(folds) > 1 and WORTH_DIVIDING < self.n_unknowns <= SMALL_MATRIX:
            squares = side_by_side(self.squared_errors, folds, left)
        else:
            squares = list(map(self.squared_errors, folds, left))
        scaled = np.stack(squares) * data.scale[1 + data.n_features :] ** 2
        errors = scaled.mean(axis=3) / self.fold_weights[folds, None, None]
        return np.where(np.isnan(errors), np.inf, errors), left

    def left_at(self, penalties: Sequence[float], size: int) -> list[Floats]:
        """What models of P penalties leave of each fold, (P, k, T), as `trial` says it."""
        left = []
        for of_fold in self.trial(range(self.n_folds), penalties, [size]):
            failed = ~np.isfinite(of_fold).all(axis=(1, 2, 3))
            if failed.any():
                raise CollinearError(penalties[int(failed.argmax())])
            left.append(of_fold[:, 0])
        return left

    def left(self, choice: PenaltyChoice) -> list[Floats]:
        """What the models that were chosen leave of each fold, (k, T), as `trial` says it."""
        if choice.left is not None:
            return choice.left
        return [one[0] for one in self.left_at([choice.penalty], choice.n_features)]

    def vectors(self, penalty: float, size: int) -> Floats:
        """Residual vectors (1 + R + T, T) of the model of all rows, from the leading columns."""
        vectors: Floats = self.trial([WHOLE], [penalty], [size])[0][0, 0]
        if not np.isfinite(vectors).all():
            raise CollinearError(penalty)
        return vectors


def residual_vectors(
    beta: Floats, mean: Floats, unit: Floats, columns: Rows | slice = slice(None)
) -> Floats:
    """Residual vectors, (…, 1 + R + T, T), from coefficients of some of the columns.

    Parameters
    ----------
    beta : ndarray of shape (…, r, T)
        For columns about their mean in their units.
    mean : ndarray of shape (1 + R + T,)
    unit : ndarray of shape (R,)
    columns : ndarray of int or slice
        Which of the features these are.
    """
    R, n_targets = len(unit), beta.shape[-1]
    vectors = np.zeros((*beta.shape[:-2], len(mean), n_targets))
    coef = unit[columns, None] * beta
    vectors[..., 0, :] = mean[1 : 1 + R][columns] @ coef - mean[1 + R :]
    vectors[..., 1 : 1 + R, :][..., columns, :] = -coef
    vectors[..., 1 + R :, :] = np.eye(n_targets)
    return vectors


def raw_coefficients(data: FoldStatistics, vectors: Floats) -> tuple[Floats, Floats]:
    """Coefficients (T, R) and intercepts (T,) for features and targets as they came."""
    columns, targets = slice(1, 1 + data.n_features), slice(1 + data.n_features, None)
    coef = -vectors[columns].T * data.scale[targets, None] / data.scale[columns]
    intercept = data.centre[targets] - vectors[0] * data.scale[targets]
    return coef, intercept - coef @ data.centre[columns]


def power_iteration(product: Callable[[Floats], Floats], start: Floats) -> float:
    """Largest eigenvalue of a correlation matrix from its products with vectors, 1 at least."""
    vector, value = start, 1.0
    for _ in range(POWER_STEPS):
        size = float(np.linalg.norm(vector))
        if not size:  # nothing but constant columns
            return 1.0
        vector = product(vector / size)
        value = float(np.linalg.norm(vector))
    return max(value, 1.0)


def power_start(columns: Rows) -> Floats:
    """Return where the power iteration begins, for these columns."""
    return 1.0 + 0.1 * np.cos(columns)


# Many equations that differ by λ, and by how many unknowns lead.


def solve_shifted(systems: Sequence[System]) -> list[Floats]:
    """Solve ``(A + λI) x = b`` at several λ, for the leading unknowns of several numbers.

    Parameters
    ----------
    systems : sequence of (A, b, shifts, counts)
        A symmetric matrix (n, n), of which the upper triangle is read; right-hand sides (n, T);
        the P shifts λ; and S numbers of leading rows and columns: one factor serves them all.

    Returns
    -------
    list of ndarray of shape (P, S, n, T)
        0 for unknowns that are left out, NaN where rounding has left ``A + λI`` indefinite.

    Examples
    --------
    >>> A, b = np.array([[3.0, 2.0], [0.0, 4.0]]), np.array([[8.0], [14.0]])
    >>> (found,) = solve_shifted([(A, b, [1.0, -3.0], [2])])
    >>> found[:, 0, :, 0]
    array([[0.75, 2.5 ],
           [ nan,  nan]])
    """
    found = [np.zeros((len(shifts), len(counts), *b.shape)) for _, b, shifts, counts in systems]
    tasks: list[tuple[Any, ...]] = []
    for (A, b, shifts, counts), out in zip(systems, found, strict=True):
        size = max(counts, default=0)
        if len(counts) == 1 and len(shifts) >= MANY_SHIFTS and 1 < size <= SMALL_MATRIX:
            _solve_tridiagonal(A[:size, :size], b[:size], shifts, out[:, 0, :size])
        else:
            tasks += [(A, b, *each, counts) for each in zip(shifts, out, strict=True)]
    widest = max((len(A) for A, *_ in systems), default=0)
    if FEW_UNKNOWNS < widest <= SMALL_MATRIX and len(tasks) > 1:
        side_by_side(_solve_one, *zip(*tasks, strict=True))
    else:
        for task in tasks:
            _solve_one(*task)
    return found


def _solve_one(A: Floats, b: Floats, shift: float, out: Floats, counts: Sequence[int]) -> None:
    """Solve at one shift, and write the solution of each count to its place."""
    size = max(counts)
    if not size:
        return
    if len(counts) == 1 and size <= FEW_UNKNOWNS:  # SciPy is sooner done than our threads are asked
        shifted = A[:size, :size].copy()
        shifted.flat[:: size + 1] += shift
        _, x, failed = lapack.dposv(shifted.T, b[:size], lower=1, overwrite_a=1)
        out[0, :size] = np.nan if failed or not np.isfinite(x).all() else x
        return
    try:
        factor = cholesky(A[:size, :size], shift)
    except LinAlgError:
        out[:] = np.nan
        return
    if len(counts) == 1:
        out[0, :size] = cholesky_solve(factor, b[:size])
        return
    half = cholesky_solve(factor, b[:size], "first")
    for place, count in enumerate(counts):
        # The leading block of a Cholesky factor is the factor of the leading block.
        leading = factor[:count, :count]
        out[place, :count] = cholesky_solve(leading, half[:count], "second")


def _solve_tridiagonal(A: Floats, b: Floats, shifts: Sequence[float], out: Floats) -> None:
    """Solve by A = QTQᵀ with T tridiagonal: a further shift costs next to nothing."""
    n = len(A)
    work = int(lapack.dsytrd_lwork(n, lower=1)[0])
    made = lapack.dsytrd(np.array(A, order="C").T, lower=1, lwork=work, overwrite_a=1)
    reflectors, diagonal, beside, tau, _ = made
    reflectors = np.asfortranarray(reflectors[1:, : n - 1])  # the first coordinate stays

    def rotated(vectors: Floats, trans: str) -> Floats:
        turned, rest = np.array(vectors, order="F"), np.asfortranarray(vectors[1:])
        turned[1:] = lapack.dormqr("L", trans, reflectors, tau, rest, 64 * rest.shape[1])[0]
        return turned

    right, solutions = rotated(b, "T"), []
    for shift in shifts:
        *_, x, failed = lapack.dptsv(diagonal + shift, beside, right)
        solutions.append(np.full_like(b, np.nan) if failed else x)
    solved = rotated(np.nan_to_num(np.hstack(solutions)), "N")
    for place, x in enumerate(np.hsplit(solved, len(shifts))):
        out[place] = x if np.isfinite(solutions[place]).all() else np.nan


# `Primal`: R unknowns, from sums of products.


class NormalEquations(NamedTuple):
    """``(A + λI) β = b`` of the columns in use, which are fewer: a fifth less is half the work."""

    correlation: Floats  # A, of which the upper triangle only is filled
    response: Floats
    mean: Floats  # (1 + R + T,)
    unit: Floats  # (R,), 0 for columns not in use
    columns: Rows  # in use, rising


@dataclass(eq=False)
class Primal(Ridges):
    """Ridges from sums.

    Examples
    --------
    >>> from seamark.features import InMemory
    >>> phi, y = np.arange(6.0)[:, None], 1 + 2 * np.arange(6.0)[:, None]
    >>> sums = FoldSums.of(InMemory(phi), y, np.zeros(6, dtype=int))
    >>> coef, intercept = raw_coefficients(sums, Primal(sums, True).vectors(1e-9, 1))
    >>> coef.round(6), intercept.round(6)
    (array([[2.]]), array([1.]))
    """

    data: FoldSums
    centred: bool
    factors: Floats | None = None
    known: dict[int, Any] = field(default_factory=dict)

    def leading(self, size: int) -> Primal:
        """The same ridges on the leading columns."""
        factors = None if self.factors is None else self.factors[:size]
        return Primal(self.data.some(np.arange(size)), self.centred, factors)

    def equations(self, without: int = WHOLE) -> NormalEquations:
        """Centre and scale sums over all rows, or over those outside one fold."""
        if without in self.known:
            kept: NormalEquations = self.known[without]
            return kept
        weight, mean, unit = self.weight[without], self.mean[without], self.unit[without]
        columns, R = np.flatnonzero(unit), self.data.n_features
        fold = None if without == WHOLE else self.data.moments[without]
        places, factor = 1 + columns, unit[columns]
        every = len(places) == R
        moved, matrix = factor * mean[places], np.zeros((len(places), len(places)))

        def fill(rows: slice) -> None:
            """((total − fold) / W − mean meanᵀ) unit unitᵀ, from the diagonal on."""
            left: Any = slice(1 + rows.start, 1 + rows.stop) if every else places[rows]
            right: Any = slice(1 + rows.start, 1 + R) if every else places[rows.start :]
            strip = matrix[rows, rows.start :]
            strip[:] = self._total[left][:, right]
            if fold is not None:
                strip -= fold[left][:, right]
            strip *= factor[rows.start :] / weight
            strip *= factor[rows, None]
            strip -= moved[rows, None] * moved[rows.start :]

        if len(places) > SMALL_MATRIX:
            side_by_side(fill, tiles(0, len(places), SCALED_ROWS))
        else:
            for start in range(0, len(places), SCALED_ROWS):
                fill(slice(start, min(start + SCALED_ROWS, len(places))))
        cross = self._total[places, 1 + R :]
        if fold is not None:
            cross = cross - fold[places, 1 + R :]
        response = factor[:, None] * (cross / weight - np.outer(mean[places], mean[1 + R :]))
        equations = NormalEquations(matrix, response, mean, unit, columns)
        if self._keeps:
            self.known[without] = equations
        return equations

    @cached_property
    def _keeps(self) -> bool:
        """Whether the equations of all folds are small enough to keep."""
        n_bytes = self.data.moments.nbytes
        return bool(n_bytes <= LEAST_KEPT or n_bytes <= settings().share(16, EQUATIONS_BYTES))

    @cached_property
    def _total(self) -> Floats:
        """Sums over all rows."""
        moments = self.data.moments
        if moments.shape[1] <= SMALL_MATRIX:
            return np.asarray(moments.sum(axis=0))
        out = np.empty(moments.shape[1:])
        strips = tiles(0, len(out), PRODUCT_TILE)
        side_by_side(lambda rows: np.add.reduce(moments[:, rows], 0, out=out[rows]), strips)
        return out

    def top(self) -> float:
        """See `Ridges`."""
        equations = self.equations()
        A = equations.correlation

        def product(vector: Floats) -> Floats:
            if len(A) > SMALL_MATRIX:
                return upper_times(A, vector)
            return np.asarray(blas.dsymv(1.0, A.T, vector, lower=1))

        return power_iteration(product, power_start(equations.columns)) if len(A) else 1.0

    def smallest_eigenvalue(self, penalty: float, n_steps: int = 6) -> float:
        """Of A + λI, by inverse iteration: a little too high is good enough."""
        A = self.equations().correlation
        factor, value = cholesky(A, penalty), 1.0
        vector = np.cos(np.arange(len(A)) ** 2.0)
        for _ in range(n_steps):
            vector = cholesky_solve(factor, vector / np.linalg.norm(vector))
            value = 1 / float(np.linalg.norm(vector))
        return max(value, penalty)

    def trial(
        self, folds: Sequence[int], penalties: Sequence[float], sizes: Sequence[int]
    ) -> list[Floats]:
        """See `Ridges`; large equations are made for one fold at a time."""
        if len(folds) > 1 and not self._keeps:
            return [self.trial([fold], penalties, sizes)[0] for fold in folds]
        if len(folds) > 1 and self.n_unknowns > WORTH_DIVIDING:
            equations = side_by_side(self.equations, folds)
        else:
            equations = list(map(self.equations, folds))
        counts = [np.searchsorted(each.columns, sizes).tolist() for each in equations]
        betas = solve_shifted(
            [
                (each.correlation, each.response, penalties, few)
                for each, few in zip(equations, counts, strict=True)
            ]
        )
        return [
            residual_vectors(beta, each.mean, each.unit, each.columns)
            for beta, each in zip(betas, equations, strict=True)
        ]

    def squared_errors(self, fold: int, left: Floats) -> Floats:
        """See `Ridges`."""
        moments = self.data.moments[fold]
        # Side by side, so that there is one product with the moments.
        vectors = np.moveaxis(left, -2, 0).reshape(len(moments), -1)
        if len(moments) > SMALL_MATRIX:
            products = np.empty(vectors.shape)
            strips = tiles(0, len(moments), PRODUCT_TILE)
            side_by_side(lambda rows: np.matmul(moments[rows], vectors, out=products[rows]), strips)
        else:
            products = moments @ vectors
        squares = np.einsum("pt,pt->t", vectors, products)
        # Never below 0 but for rounding, which must not make a model look better than perfect.
        return np.asarray(np.maximum(squares, 0.0).reshape(*left.shape[:-2], -1))


# `Dual`: n unknowns, from products of rows with rows.


@dataclass(frozen=True, eq=False)
class Grams:
    """AAᵀ of the weighted rows, one matrix for all columns that the same folds may use.

    A landmark is a row, or a part of one, and the fold of this row is the only one that must not
    know it. So the products of the columns that a fold's model may use are all products but those
    of a few, and all folds together cost hardly more than one matrix.

    Parameters
    ----------
    parts : dict
        Which folds, and, last, whether the model of all rows may use these columns (as bytes of an
        array of bool); and their products, (n, n).

    Examples
    --------
    >>> from seamark.features import InMemory
    >>> phi, y = np.array([[0.0, 1.0], [2.0, 0.0]]), np.array([[1.0], [3.0]])
    >>> rows = FoldRows.of(InMemory(phi), y, np.array([0, 1]))
    >>> Grams.of(rows, np.ones(2)).of_fold(-1)
    array([[ 2., -2.],
           [-2.,  2.]])
    """

    parts: dict[bytes, Floats]

    @classmethod
    def of(cls, data: FoldRows, unit: Floats) -> Grams:
        """Multiply rows, their columns times `unit`."""
        folds = data.allowed
        folds = np.ones((data.n_folds + 1, len(unit)), dtype=bool) if folds is None else folds
        owners, parts = _patterns(folds), {}
        for number in range(owners.max() + 1):
            same = np.flatnonzero(owners == number)
            own = np.where(owners == number, unit, 0.0)
            parts[folds[:, same[0]].tobytes()] = row_products(data.rows, own)
        return cls(parts)

    @classmethod
    def added(cls, several: Sequence[Grams], weights: Floats) -> Grams:
        """Of columns side by side, the products of each time a weight."""
        total: dict[bytes, Floats] = {}
        for grams, weight in zip(several, weights, strict=True):
            for key, part in grams.parts.items() if weight else ():
                if key in total:
                    blas.daxpy(part.ravel(), total[key].ravel(), a=weight)  # in place
                else:
                    total[key] = weight * part
        return cls(total)

    def some(self, rows: Rows, without: Rows) -> Grams:
        """Return the products of some rows, and of columns that may be used without some folds."""
        total: dict[bytes, Floats] = {}
        for key, part in self.parts.items():
            pattern = np.frombuffer(key, dtype=bool)
            if pattern[without].all():
                left = np.delete(pattern, without).tobytes()
                fewer = np.take(np.take(part, rows, axis=0), rows, axis=1)
                total[left] = total[left] + fewer if left in total else fewer
        nothing = {next(iter(self.parts)): np.zeros((len(rows), len(rows)))}
        return Grams(total or nothing)

    def of_fold(self, without: int) -> Floats:
        """All rows' products of the columns that the model without a fold may use; −1: no fold."""
        left = [part for key, part in self.parts.items() if not key[without]]
        total = self._total - left[0] if left else self._total
        for part in left[1:]:
            total -= part
        return total

    @cached_property
    def _total(self) -> Floats:
        parts = list(self.parts.values())
        return np.asarray(sum(parts[1:], parts[0]))


def row_products(rows: Floats, unit: Floats) -> Floats:
    """AAᵀ of the columns φ of rows (1, φ, y), each times its unit."""
    n, columns = len(rows), np.flatnonzero(unit)
    products, step = np.zeros((n, n)), max(64, SCALED_BYTES // (8 * n))
    for start in range(0, len(columns), step):
        few = columns[start : start + step]
        strip = rows[:, 1 + few] * unit[few]
        if n <= WORTH_DIVIDING:
            products += strip @ strip.T
        else:
            add_products([products], [strip.T])
    if n > WORTH_DIVIDING:
        mirror(products)
    return products


def _patterns(folds: NDArray[np.bool_]) -> Rows:
    """Return the number of each column's pattern, of those that differ."""
    packed = np.ascontiguousarray(np.packbits(folds, axis=0).T)
    whole = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0]
    return np.asarray(np.unique(whole, return_inverse=True)[1])


@dataclass(eq=False)
class Dual(Ridges):
    """Ridges from the rows, Z: ``(ZZᵀ + λI) α = z`` and ``β = Zᵀα``.

    Z holds √(w/W) φ of the rows kept, standardised, and z their targets likewise; so ZᵀZ is the
    correlation matrix, Zᵀz the response, and λ means the same as in `Primal`.

    Parameters
    ----------
    data : FoldRows
    centred : bool
        Whether there is an intercept.
    factors : ndarray of shape (R,), optional
        Of the columns, after they are standardised.
    made : Grams, optional
        Products of rows that are there already.

    Examples
    --------
    >>> from seamark.features import InMemory
    >>> phi, y = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[1.0], [3.0]])
    >>> data = FoldRows.of(InMemory(phi), y, np.zeros(2, dtype=int))
    >>> coef, intercept = raw_coefficients(data, Dual(data, True).vectors(1e-9, 2))
    >>> coef.round(6), intercept.round(6)
    (array([[ 1., -1.]]), array([2.]))
    """

    data: FoldRows
    centred: bool
    factors: Floats | None = None
    made: Grams | None = None
    known: dict[int, Any] = field(default_factory=dict)

    @staticmethod
    def fits(data: FoldRows, several: int = 1) -> bool:
        """Whether the products of so many blocks of columns are few enough to keep."""
        parts = 1 if data.allowed is None else _patterns(data.allowed).max() + 1
        n_bytes = several * 8 * (parts + 1) * len(data.rows) ** 2
        return bool(n_bytes <= settings().share(2, ROW_PRODUCTS_BYTES))

    @cached_property
    def grams(self) -> Grams | None:
        """Products of rows, kept for all folds; None if they are too many."""
        if self.made is not None or not Dual.fits(self.data):
            return self.made
        return Grams.of(self.data, self.unit[WHOLE])

    def gram(self, without: int) -> Floats:
        """AAᵀ of all rows, of the columns that the model without a fold may use."""
        if self.grams is not None:
            return self.grams.of_fold(without)
        return row_products(self.data.rows, self.unit[without])

    def leading(self, size: int) -> Dual:
        """The same ridges on the leading columns."""
        if size == self.data.n_features:
            return self
        factors = None if self.factors is None else self.factors[:size]
        return Dual(self.data.some(np.arange(size)), self.centred, factors)

    def trial(
        self, folds: Sequence[int], penalties: Sequence[float], sizes: Sequence[int]
    ) -> list[Floats]:
        """See `Ridges`. Residuals need no β.

        They come from ``(K + λWI) α + rb = y, rᵀα = 0``, whose β = Aᵀα and intercept b are those of
        `NormalEquations`: K are products of the rows kept, y and r their targets and the roots of
        their weights.
        """
        if list(sizes) != [self.data.n_features]:
            each = [self.leading(one).trial(folds, penalties, [one]) for one in sizes]
            return [np.concatenate(of_fold, axis=1) for of_fold in zip(*each, strict=True)]
        data, shifts = self.data, np.asarray(penalties)
        targets, roots, grams = data.rows[:, 1 + data.n_features :], data.rows[:, 0], []
        for fold in folds:
            if fold not in self.known:
                kept, out = np.flatnonzero(data.folds != fold), np.flatnonzero(data.folds == fold)
                seen = np.take(self.gram(fold), kept, axis=1)
                inner, across = np.take(seen, kept, axis=0), np.take(seen, out, axis=0)
                right = np.column_stack([targets[kept], roots[kept]])
                grams.append((inner, across, right, targets[out], roots[out, None]))
                if self.grams is not None:
                    self.known[fold] = grams[-1]
            else:
                grams.append(self.known[fold])
        alphas = solve_shifted(
            [
                (inner, right, (self.weight[fold] * shifts).tolist(), [len(inner)])
                for fold, (inner, _, right, _, _) in zip(folds, grams, strict=True)
            ]
        )
        residuals = []
        for (_, across, right, target, root), solved in zip(grams, alphas, strict=True):
            alpha = solved[:, 0]
            constant = np.zeros((len(alpha), 1, alpha.shape[2] - 1))
            if self.centred:
                sums = right[:, -1] @ alpha
                constant = (sums[:, :-1] / sums[:, -1:])[:, None]
            scores = across @ (alpha[..., :-1] - alpha[..., -1:] * constant)
            residuals.append((target - scores - root * constant)[:, None])
        return residuals

    def squared_errors(self, fold: int, left: Floats) -> Floats:
        """See `Ridges`."""
        return np.asarray(np.einsum("...it,...it->...t", left, left))

    def top(self) -> float:
        """See `Ridges`: the norms of v ↦ ZᵀZv are found sooner by a = Zv and a ↦ ZZᵀa."""
        unit = self.unit[WHOLE]
        start = np.where(unit > 0, power_start(np.arange(len(unit))), 0.0)
        if not start.any():
            return 1.0
        image, value = self._scores(start / np.linalg.norm(start)), 1.0
        gram = self._centred_gram()
        for _ in range(POWER_STEPS):
            product = gram @ image
            value = max(float(image @ product), 1e-300) ** 0.5
            image = product / value
        return max(value, 1.0)

    def vectors(self, penalty: float, size: int) -> Floats:
        """See `Ridges`.

        Rounding of ZZᵀ moves predictions in proportion to 1/λ, that of ZᵀZ only to its root. One
        step of refinement, with residuals from Z itself, makes up for it.
        """
        weight, mean, unit = self.weight[WHOLE], self.mean[WHOLE], self.unit[WHOLE]
        rows, R = self.data.rows, self.data.n_features
        target = (rows[:, 1 + R :] - np.outer(rows[:, 0], mean[1 + R :])) / np.sqrt(weight)
        try:
            factor = cholesky(self.leading(size)._centred_gram(), penalty)
        except np.linalg.LinAlgError:
            raise CollinearError(penalty) from None

        def coefficients(alpha: Floats) -> Floats:
            """Zᵀα; a few rows times the matrix are quicker than its transpose times columns."""
            product = (alpha.T / np.sqrt(weight)) @ rows[:, : 1 + size]
            beta = np.zeros((R, len(product)))
            centred = product[:, 1:] - product[:, :1] * mean[1 : 1 + size]
            beta[:size] = (centred * unit[:size]).T
            return beta

        alpha = cholesky_solve(factor, target)
        beta = coefficients(alpha)
        if penalty < DELICATE * size:
            rest = target - self._scores(beta) - penalty * alpha
            beta += coefficients(cholesky_solve(factor, rest))
        return residual_vectors(beta, mean, unit)

    def _scores(self, beta: Floats) -> Floats:
        """Zβ of all rows."""
        weight, mean, unit = self.weight[WHOLE], self.mean[WHOLE], self.unit[WHOLE]
        rows, scaled = self.data.rows, (unit * beta.T).T
        offset = np.multiply.outer(rows[:, 0], mean[1 : 1 + len(unit)] @ scaled)
        return np.asarray((rows[:, 1 : 1 + len(unit)] @ scaled - offset) / np.sqrt(weight))

    def _centred_gram(self) -> Floats:
        """ZZᵀ of all rows."""
        weight, mean = self.weight[WHOLE], self.mean[WHOLE]
        gram: Floats = self.gram(WHOLE) / weight
        if mean.any():
            root = self.data.rows[:, 0] / np.sqrt(weight)
            shift = gram @ root
            shift -= 0.5 * (root @ shift) * root
            for x, y in ((root, shift), (shift, root)):
                blas.dger(-1.0, x, y, a=gram.T, overwrite_a=1)
        return gram


# The search: penalty and size of the least error on the folds.


# Penalties tried, as powers of ten of the largest eigenvalue. Below the floor there is only noise.
FIRST_POWERS = np.arange(-7.0, 1.0)
FLOOR, CEILING = 1e-8, 1e3
HALF = 10.0**0.5  # a decade
COARSE = 4  # times fewer columns, on which the search begins
FEW_FOLDS = 2  # that the search looks at where a factor is dear; one where it is dearer still
SAME_ERROR = 1 + 1e-10  # times the least: no more than rounding
HOPELESS = 1.15  # times the error to be reached, at three penalties: no other will do
# Columns that the search for a penalty does not make fewer; as few rows, in the dual form.
FEW_COLUMNS = 80


@dataclass(frozen=True)
class PenaltyChoice:
    """What cross-validation chose, and the table it chose from."""

    penalty: float
    n_features: int
    results: dict[str, Any]
    left: list[Floats] | None = None  # of each fold, as `trial` says it; if kept


def choose(
    ridges: Ridges,
    sizes: Sequence[int],
    penalty: float | None = None,
    start: float | None = None,
    bar: float = np.inf,
    final: bool = True,
) -> PenaltyChoice:
    """Return the penalty and size of the least out-of-fold squared error.

    Penalties are tried by decades, further while the best is at an end, then half a decade either
    side of the best. Where that is dear, it is done on a quarter of the columns, or on one fold,
    and what is best there is where the search begins: it goes on by half decades, on two folds,
    until the best lies between two others; the other folds then judge that one. Among several
    sizes the smallest within one standard error of the best wins.

    Parameters
    ----------
    ridges : Ridges
        Of at least two folds.
    sizes : sequence of int
        Numbers of leading features to try.
    penalty : float, optional
        Try no other.
    start : float, optional
        Penalty to begin at, if one is known that is likely to be near the best.
    bar : float
        Error to be reached; the search ends early where it is out of reach.
    final : bool
        False for a look at one of many: of few rows too, what is known to be near is enough.
    """
    every = range(ridges.n_folds)
    if penalty is not None:
        search = _Search(ridges, sizes, every, final)
        search.errors |= search.judge([float(penalty)], every)
        return search.choice()
    top = ridges.top()
    few = ridges.n_unknowns < COARSE * FEW_COLUMNS
    if len(sizes) > 1 or (few and (final or start is None)):
        return _Search(ridges, sizes, every, final).walk(top)
    if start is None and isinstance(ridges, Dual):  # from one fold
        start = _Search(ridges, sizes, range(1), final).walk(top).penalty
    elif start is None:  # from fewer columns: eigenvalues grow with their number, and the best too
        size = sizes[0] // COARSE
        leading: Any = ridges
        start = choose(leading.leading(size), [size], final=final).penalty * sizes[0] / size
    # A fold of many rows sees which of two penalties is better as well as two do.
    many = ridges.fold_weights[0] >= ridges.n_unknowns > SMALL_MATRIX
    looked_at = 1 if many else FEW_FOLDS
    search = _Search(ridges, sizes, every if few else every[:looked_at], final)
    choice = search.walk(top, start, bar)
    hopeless = np.min(choice.results["mean_error"]) > HOPELESS * bar
    return choice if hopeless else search.completed()


def nested_sizes(n_features: int) -> list[int]:
    """Return n, n/2, n/4, … , eight of them at most.

    Examples
    --------
    >>> nested_sizes(100)
    [100, 50, 25, 12, 6, 3, 1]
    """
    return [n_features >> k for k in range(8) if n_features >> k]


class _Search:
    """Mean squared error of some folds, for each penalty and size tried so far."""

    def __init__(self, ridges: Ridges, sizes: Sequence[int], folds: range, ticks: bool) -> None:
        self.ridges, self.sizes, self.ticks = ridges, sizes, ticks
        self.folds = folds  # the first ones, or all
        self.errors: dict[float, Floats] = {}  # penalty → (folds, sizes)
        self.left: dict[float, list[Floats]] = {}  # penalty → what is left of each fold

    def judge(self, penalties: list[float], folds: range) -> dict[float, Floats]:
        """Errors (folds, sizes) by penalty; infinite where rounding leaves no solution."""
        errors, left = self.ridges.judge(folds, penalties, self.sizes)
        if self.ticks:
            tick()
        if len(self.sizes) == 1:  # several would be too many to keep
            for place, penalty in enumerate(penalties):
                own = [each[place, 0] for each in left]
                self.left[penalty] = self.left.get(penalty, []) + own
        return dict(zip(penalties, errors.swapaxes(0, 1), strict=True))

    def walk(self, top: float, start: float | None = None, bar: float = np.inf) -> PenaltyChoice:
        """Try penalties near `start`, and further ones outwards while the best is at an end.

        Without a start, of all decades, and then half a decade either side of the best: of few
        rows, errors may have two valleys.
        """
        if start is None:
            penalties, step = (top * 10.0**FIRST_POWERS).tolist(), 10.0
        else:
            middle, step = round(2 * np.log10(np.clip(start / top, FLOOR, CEILING))), HALF
            penalties = [float(top * HALF ** (middle + k)) for k in (-1, 0, 1)]
        while penalties:
            self.errors |= self.judge(penalties, self.folds)
            choice, tried = self.choice(), sorted(self.errors)
            best, penalties = choice.penalty, []
            if np.min(choice.results["mean_error"]) > HOPELESS * bar:
                return choice
            if best == tried[0] and best > 1.5 * FLOOR * top:
                penalties = [best / step]
            elif best == tried[-1] and best < CEILING * top / 1.5:
                penalties = [best * step]
        if start is not None:
            return choice
        self.errors |= self.judge([best / HALF, best * HALF], self.folds)
        return self.choice()

    def completed(self) -> PenaltyChoice:
        """Let the other folds judge what these find best.

        Other penalties differ from the best by what they differ on the folds that saw both.
        """
        few, weights = dict(self.errors), self.ridges.fold_weights
        rest = range(len(self.folds), len(weights))
        shares = weights[: len(self.folds)] / weights[: len(self.folds)].sum()
        means = {p: float(shares @ errors[:, 0]) for p, errors in few.items()}
        least = min(means.values())
        wanted = [p for p in means if means[p] == least]
        if not rest or not np.isfinite(least):
            return self.choice()
        judged: dict[float, Floats] = {}
        self.folds = range(len(weights))
        while wanted:  # again, if all of them fail on a later fold
            judged |= self.judge(wanted, rest)
            known = [p for p in judged if np.isfinite(judged[p]).all()]
            like = min(known, key=lambda p: means[p], default=None)
            base = np.zeros((len(rest), 1)) if like is None else judged[like] - means[like]
            for p, errors in few.items():
                self.errors[p] = np.concatenate([errors, judged.get(p, base + means[p])])
            choice = self.choice()
            wanted = [] if choice.penalty in judged else [choice.penalty]
        return choice

    def choice(self) -> PenaltyChoice:
        """Weigh the folds by their rows; see `choose` for the rule."""
        penalties = np.array(sorted(self.errors))
        errors = np.stack([self.errors[p] for p in penalties], axis=1)  # folds, penalties, sizes
        weights = self.ridges.fold_weights[: len(self.folds)]
        mean = np.tensordot(weights / weights.sum(), errors, axes=1)
        solved = np.isfinite(mean)
        sd = np.full(mean.shape, np.nan)
        if len(weights) > 1:
            sd[solved] = errors[:, solved].std(axis=0, ddof=1)
        least = mean.min(axis=0)
        p, s = divmod(int(np.argmin(mean)), mean.shape[1])
        slack = np.nan_to_num(sd[p, s]) / np.sqrt(len(weights))
        enough = np.flatnonzero(least <= mean[p, s] + slack)
        s = int(enough[np.argmin(np.take(self.sizes, enough))])
        results = {
            "penalty": penalties,
            "n_features": np.array(self.sizes),
            "mean_error": mean,
            "sd_error": sd,
        }
        # Where errors are the same but for rounding, the largest penalty asks the least.
        tied = mean[:, s] <= mean[:, s].min() * SAME_ERROR
        penalty = float(penalties[np.flatnonzero(tied)[-1]])
        left = self.left.get(penalty, [])
        kept = left if len(left) == self.ridges.n_folds else None
        return PenaltyChoice(penalty, self.sizes[s], results, kept)
