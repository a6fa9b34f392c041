"""Equations of a ridge, of columns or of rows: solved for any fold and penalty."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, blas, lapack

from ..engine import settings, side_by_side
from ..engine.lapack import add_products, cholesky, cholesky_solve, tiles, upper_times
from ..engine.threads import SMALL_MATRIX
from .ridge_statistics import STRIP_COLUMNS, FoldRows, FoldSums, mirror, standards

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

POWER_STEPS = 12
# Variance a column must have, against its second moment, to be more than rounding.
ROUNDING = {"single": 1e-6, "double": 1e-12}
PRODUCT_TILE = 512  # rows and columns of a product of matrices that are one thread's share
# Products of rows with rows, by which a ridge with few rows is solved.
ROW_PRODUCTS_BYTES = 1 << 30
EQUATIONS_BYTES = 64 << 20  # normal equations that are kept; larger ones are scaled again
# Columns, and rows of a matrix, scaled at a time, to need no second matrix of them.
SCALED_BYTES = 8 << 20
# Columns, and rows of a matrix, scaled at a time, to need no second matrix of them.
SCALED_ROWS = 64
FEW_ROWS = 64  # rows whose eigenvalues cost less than a handful of factors


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
        strips = tiles(0, len(which), SCALED_ROWS)
        side_by_side(strip, strips, worth=len(which) > SMALL_MATRIX)
        if not compact:
            mirror(matrix.T)
        return cls(matrix, response, mean_of, unit, mean[targets], which, R)

    def largest_eigenvalue(self) -> float:
        """Of the correlation matrix; see `power_iteration`."""
        product = partial(blas.dsymv, 1.0, self.correlation.T, lower=1)
        if len(self.unit) > SMALL_MATRIX:
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
        worth = len(out) > SMALL_MATRIX
        some = tiles(0, len(out), PRODUCT_TILE)
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
        if self.data.moments.nbytes <= settings().share(16, EQUATIONS_BYTES):
            self.known[without] = equations
        return equations

    trial = equations  # whose solutions `squared_errors` takes

    def squared_errors(self, fold: int, vectors: Floats) -> Floats:
        """Sum of w·residual² over the rows of a fold, for each column of `vectors`."""
        moments, products = self.data.moments[fold], np.empty(vectors.shape)
        large = len(moments) > SMALL_MATRIX
        strips = tiles(0, len(moments), PRODUCT_TILE if large else len(moments))
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


# `Grams`: products of rows with rows, from which n unknowns judge every fold and penalty.


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
    >>> Grams.of(rows, np.ones(2)).of_fold(None)
    array([[ 2., -2.],
           [-2.,  2.]])
    """

    parts: dict[bytes, Floats]

    @classmethod
    def of(cls, data: FoldRows, unit: Floats) -> Grams:
        """Multiply rows, their columns times `unit`."""
        folds = np.ones((data.n_folds + 1, len(unit)), dtype=bool)
        folds = folds if data.allowed is None else data.allowed
        owners = _patterns(folds)
        parts = {}
        for number in range(owners.max() + 1):
            same = np.flatnonzero(owners == number)
            columns = same[unit[same] != 0]
            parts[folds[:, same[0]].tobytes()] = _products(data.rows, 1 + columns, unit[columns])
        return cls(parts)

    @staticmethod
    def n_bytes(data: FoldRows) -> int:
        """Memory that they would take."""
        several = 1 if data.allowed is None else _patterns(data.allowed).max() + 1
        return 8 * (several + 1) * len(data.rows) ** 2

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

    def some(self, rows: NDArray[np.intp], without: NDArray[np.intp]) -> Grams:
        """Return the products of some rows, and of columns that may be used without some folds."""
        total: dict[bytes, Floats] = {}
        for key, part in self.parts.items():
            pattern = np.frombuffer(key, dtype=bool)
            if pattern[without].all():
                left = np.delete(pattern, without).tobytes()
                found = np.take(np.take(part, rows, axis=0), rows, axis=1)
                total[left] = total[left] + found if left in total else found
        nothing = {next(iter(self.parts)): np.zeros((len(rows), len(rows)))}
        return Grams(total or nothing)

    def of_fold(self, without: int | None) -> Floats:
        """All rows' products of the columns that the model without a fold may use."""
        place = -1 if without is None else without
        left = [part for key, part in self.parts.items() if not key[place]]
        total = self._total - left[0] if left else self._total
        for part in left[1:]:
            total -= part
        return total

    @cached_property
    def _total(self) -> Floats:
        parts = list(self.parts.values())
        return np.asarray(sum(parts[1:], parts[0]))


class FoldGram:
    """A ridge on all rows but those of a fold, judged by what it says of these.

    Solves ``(K + λWI) α + rb = y, rᵀα = 0`` with r the roots of the weights: the β = Aᵀα and the
    intercept b of `NormalEquations`, without β.

    Parameters
    ----------
    data : FoldRows
    gram : ndarray of shape (n, n)
        Products of all rows.
    fold : int
        Left out.
    centred : bool
        Whether there is an intercept.
    """

    def __init__(self, data: FoldRows, gram: Floats, fold: int, centred: bool) -> None:
        out = data.folds == fold
        kept, held = np.flatnonzero(~out), np.flatnonzero(out)
        seen = np.take(gram, kept, axis=1)
        self.inner, self.across = np.take(seen, kept, axis=0), np.take(seen, held, axis=0)
        targets = data.rows[:, 1 + data.n_features :]
        self.right = np.column_stack([targets[kept], data.rows[kept, 0]])
        self.target, self.root = targets[held], data.rows[held, 0]
        self.weight = float(self.right[:, -1] @ self.right[:, -1])
        self.centred = centred

    def solve(self, penalty: float, sizes: Sequence[int]) -> list[Floats]:
        """Return the residuals √w (y − ŷ) of the rows left out, (n_left, T), of all columns.

        Raises LinAlgError when rounding has left the matrix indefinite.
        """
        if len(self.inner) <= FEW_ROWS:
            return [self._by_eigenvalues(penalty)]
        alpha = cholesky_solve(cholesky(self.inner, penalty * self.weight), self.right)
        constant = np.zeros(alpha.shape[1] - 1)
        if self.centred:
            sums = self.right[:, -1] @ alpha
            constant = sums[:-1] / sums[-1]
        found = self.across @ (alpha[:, :-1] - np.outer(alpha[:, -1], constant))
        return [self.target - found - np.outer(self.root, constant)]

    def _by_eigenvalues(self, penalty: float) -> Floats:
        """The same in coordinates of eigenvectors, where one more penalty costs next to nothing."""
        values, right, across = self._spectrum
        shifted = values + penalty * self.weight
        if not shifted[0] > 0:
            raise LinAlgError("the matrix is not positive definite")
        alpha, constant = right / shifted[:, None], np.zeros(right.shape[1] - 1)
        if self.centred:
            sums = right[:, -1] @ alpha
            constant = sums[:-1] / sums[-1]
        found = across @ (alpha[:, :-1] - alpha[:, -1:] * constant)
        return np.asarray(self.target - found - self.root[:, None] * constant)

    @cached_property
    def _spectrum(self) -> tuple[Floats, Floats, Floats]:
        """Eigenvalues, rising; right-hand sides and products with the rows left out, turned."""
        values, vectors = np.linalg.eigh(self.inner)
        return values, vectors.T @ self.right, self.across @ vectors


def _patterns(folds: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the number of each column's pattern, of those that differ."""
    packed = np.ascontiguousarray(np.packbits(folds, axis=0).T)
    whole = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0]
    return np.asarray(np.unique(whole, return_inverse=True)[1])


def _products(rows: Floats, columns: NDArray[np.intp], unit: Floats) -> Floats:
    """AAᵀ of some columns of the rows, each times its unit."""
    out = np.zeros((len(rows), len(rows)))
    step = max(64, SCALED_BYTES // (8 * len(rows)))
    for start in range(0, len(columns), step):
        few = slice(start, start + step)
        strip = rows[:, columns[few]] * unit[few]
        add_products([out], [strip.T])
    mirror(out)
    return out


# `Dual`: ridges from the products of rows with rows, where these are fewer than the columns.


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
            width = STRIP_COLUMNS
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
        return several * Grams.n_bytes(data) <= settings().share(2, ROW_PRODUCTS_BYTES)

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


# A symmetric matrix in tridiagonal form: solutions at any number of penalties for little more.


WORTH = 5  # penalties from which on the form costs less than as many factors of Cholesky's


class Tridiagonal:
    """A = QTQᵀ, so that (A + λI)⁻¹b = Q(T + λI)⁻¹Qᵀb.

    Parameters
    ----------
    matrix : ndarray of shape (R, R)
        A, symmetric; of two rows at least.

    Examples
    --------
    >>> form = Tridiagonal(np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> form.solve([1.0, 2.0], np.array([[8.0], [0.0]])).round(3).tolist()
    [[[3.0], [-1.0]], [[2.133], [-0.533]]]
    """

    def __init__(self, matrix: Floats) -> None:
        n = len(matrix)
        work = int(lapack.dsytrd_lwork(n, lower=1)[0])
        # Symmetric, so its transpose is itself, laid out as LAPACK wants it.
        found = lapack.dsytrd(np.array(matrix, order="C").T, lower=1, lwork=work, overwrite_a=1)
        reflectors, self.diagonal, self.beside, self._tau, _ = found
        self._reflectors = np.asfortranarray(reflectors[1:, : n - 1])

    def _rotated(self, vectors: Floats, back: bool) -> Floats:
        """Q or Qᵀ times vectors; the first coordinate stays what it is."""
        out = np.array(vectors, order="F")
        trans, rest = "N" if back else "T", np.asfortranarray(out[1:])
        work = 64 * rest.shape[1]
        out[1:] = lapack.dormqr("L", trans, self._reflectors, self._tau, rest, work)[0]
        return out

    def solve(self, penalties: Sequence[float], right: Floats) -> Floats:
        """Solve for right-hand sides (R, T), at each of P penalties: (P, R, T).

        Raises LinAlgError, with the penalty, where rounding has left the matrix indefinite.
        """
        b, found = self._rotated(right, back=False), []
        for penalty in penalties:
            *_, x, failed = lapack.dptsv(self.diagonal + penalty, self.beside, b)
            if failed:
                raise LinAlgError(penalty)
            found.append(x)
        back = self._rotated(np.hstack(found), back=True)
        return np.asarray(back.reshape(len(b), len(found), -1).transpose(1, 0, 2))


def solve_each(
    equations: NormalEquations | DualEquations, penalties: Sequence[float], size: int
) -> list[Floats]:
    """Residual vectors of the leading columns at each penalty.

    Raises LinAlgError, with the penalty, where rounding has left a matrix indefinite.
    """
    count = int(np.searchsorted(getattr(equations, "columns", []), size))
    if len(penalties) >= WORTH and isinstance(equations, NormalEquations) and count > 1:
        form = Tridiagonal(equations.correlation[:count, :count])
        betas = form.solve(penalties, equations.response[:count])
        return [equations.residual_vectors(beta) for beta in betas]
    found = []
    for penalty in penalties:
        try:
            found.append(equations.solve(penalty, [size])[0])
        except LinAlgError:
            raise LinAlgError(penalty) from None
    return found
