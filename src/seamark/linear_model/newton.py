"""Newton's method for sums of losses of affine slacks, and its matrices of curvature."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.linalg.blas import dsyrk, ssyrk

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

_TOO_FAR = 1e6  # length of a step at which a function that still falls is left alone
_HALVINGS = 60
STRIP_VALUES = 2**18  # numbers that stay in the cache of a core while they are worked on
FEW_BENDS = 0.6  # bends, as a share of the columns, up to which a matrix of bends is quicker


class Minimum(NamedTuple):
    """Where Newton's method ended."""

    theta: Floats
    steps: Places  # of each column
    converged: bool


def newton(functions: Any, theta: Floats, tol: float, max_iter: int) -> Minimum:
    """Minimise T convex functions, each of a column of θ, from a start.

    Parameters
    ----------
    functions : object
        Of θ (D, T), slacks (N, T), and `which` of the columns are meant, its methods return:
        ``slacks(theta)``, all slacks; ``slopes(slacks, which)``, the losses' derivatives by each
        slack; ``step(theta, slacks, which)``, Newton's step, or one that leads down as well;
        ``along(theta, step, which)``, the change of the slacks, and slope and curvature of the
        penalty, along a step; ``unit(theta, slacks, which)``, what the gain of a step is compared
        with, (T,). Where all losses are of quadratic pieces, ``pieces(slacks)`` may tell on which
        they are.
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

    def slope(lengths: Floats, some: Places) -> Floats:
        """Derivative of some of the functions along their steps, at some lengths."""
        slopes = functions.slopes(here[:, some] + lengths * change[:, some], live[some])
        pull = np.einsum("it,it->t", slopes, change[:, some])
        return np.asarray(pull + linear[some] + lengths * quadratic[some])

    for _ in range(max_iter):
        here, at = slacks[:, live], theta[:, live]
        step = functions.step(at, here, live)
        change, linear, quadratic = functions.along(at, step, live)
        start = np.einsum("it,it->t", functions.slopes(here, live), change) + linear
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


# Newton's matrix of losses that bend at some rows: products of rows, and solutions with them.


_SMALL = 2**21  # numbers of a matrix that the cache holds in float64
_RUN = 1024  # rows at least whose float32 products become float64 together
_ROUNDING = 2.0**-24  # of float32
_SURE = 0.1  # rounding, as a share of the penalty: more of it may cost Newton's method steps


class DoubleRows:
    """Rows of a matrix, multiplied in float64 whatever their own precision, a chunk at a time.

    Parameters
    ----------
    A : ndarray of shape (n, D), float32 or float64
    often : bool, default=False
        Whether rows are asked for again and again: then a small matrix is converted once.

    Examples
    --------
    >>> rows = DoubleRows(np.array([[1.0], [3.0]], dtype=np.float32))
    >>> rows.scores(np.array([2.0])).tolist()
    [2.0, 6.0]
    >>> rows.sum(np.array([1.0, 1.0])).tolist()
    [4.0]
    >>> total = np.zeros((1, 1), order="F")
    >>> rows.add_products(total, np.array([1]), np.array([4.0]))
    >>> total.tolist()
    [[36.0]]
    """

    def __init__(self, A: NDArray[Any], often: bool = False) -> None:
        self.A, self.often = A, often
        self._wide = np.asarray(A, dtype=np.float64) if often and A.size <= _SMALL else A
        self.width = A.shape[1]
        self._length = max(64, STRIP_VALUES // max(1, self.width))

    def some(self, which: Any) -> Floats:
        """Some rows, float64."""
        return np.asarray(self._wide[which], dtype=np.float64)

    def every(self, stride: int) -> DoubleRows:
        """Every k-th row, side by side."""
        if stride == 1:
            return self
        return DoubleRows(np.ascontiguousarray(self.A[::stride]), self.often)

    def _chunks(self, n: int) -> Iterator[slice]:
        step = n if self._wide.dtype == np.float64 else self._length
        return (slice(start, min(start + step, n)) for start in range(0, n, max(1, step)))

    def scores(self, weights: Floats) -> Floats:
        """Product of every row with weights, (D,) or (D, T)."""
        found = np.zeros((len(self.A), *weights.shape[1:]))
        if not weights.any():  # as at the start
            return found
        for at in self._chunks(len(self.A)):
            found[at] = self.some(at) @ weights
        return found

    def sum(self, factors: Floats) -> Floats:
        """Sum of the rows, each times its factor (n,), or factors (n, T)."""
        total = np.zeros((self.width, *factors.shape[1:]))
        for at in self._chunks(len(factors)):
            total += self.some(at).T @ factors[at]
        return total

    def sure_in_single(self, most: float) -> bool:
        """Whether products for Σ f a aᵀ may be of float32, beside a penalty of 1.

        The sum is off by about the rounding of a number times Σ f ‖a‖². Where that is small against
        the penalty, Newton's matrix stays near itself in every direction, so that steps, which
        follow slopes of float64, lead to the same end.

        Parameters
        ----------
        most : float
            Largest f.
        """
        if self.A.dtype != np.float32:
            return False
        return bool(_ROUNDING * most * float(np.vdot(self.A, self.A)) <= _SURE)

    def add_products(
        self, total: Floats, which: Places, factors: Floats, single: bool = False
    ) -> None:
        """Add Σ f a aᵀ over some rows to the lower half of a matrix in Fortran's order.

        Parameters
        ----------
        total : ndarray of shape (D, D)
            Changed in place.
        which : ndarray of int
            Rows, rising.
        factors : ndarray of float
            Their f, all of one sign.
        single : bool, default=False
            Whether products are of float32; sums of many are of float64 all the same.
        """
        if not len(which):
            return
        A, length = (self.A, max(self._length, _RUN)) if single else (self._wide, self._length)
        kind, even = np.float32 if single else np.float64, factors.min() == factors.max()
        scale = float(factors[0] if even else np.sign(factors[0]))
        for start in range(0, len(which), length):
            at = slice(start, start + length)
            rows = A[at] if len(which) == len(A) else A.take(which[at], axis=0)
            chunk = np.asarray(rows, dtype=kind)
            if not even:
                chunk = chunk * np.sqrt(np.abs(factors[at]), dtype=kind)[:, None]
            if single:
                total += ssyrk(scale, chunk.T, lower=True)
            else:
                dsyrk(scale, chunk.T, beta=1.0, c=total, lower=True, overwrite_c=True)


class Bends(NamedTuple):
    """Losses that bend, each with a slack that changes by ±(a·w − e·t) with weights w, borders t.

    Borders are unknowns beside the weights that carry no penalty: thresholds, an intercept.
    """

    rows: Places  # a's place; a row may bend several losses
    factors: Floats  # curvature
    borders: Floats  # e, (number of bends, q)
    own: Floats  # further curvature of the borders, (q, q)


class Curvature:
    """Newton's matrix of bends, with a penalty on the weights; kept up as bends come and go.

    A step's price is either the sum of a aᵀ over the rows that bend, of which between two steps
    few come or go, or, where few bend, the products of these among themselves.

    Parameters
    ----------
    rows : DoubleRows
    single : bool, default=False
        Whether products of float32 are good enough: see `DoubleRows.sure_in_single`.
    """

    def __init__(self, rows: DoubleRows, single: bool = False) -> None:
        self.rows = rows
        self.single = single
        self._factors, self._spread = np.zeros(len(rows.A)), np.zeros((len(rows.A), 0))
        self._sum: Floats | None = None
        self._across: Floats = np.zeros((rows.width, 0))

    def copy(self) -> Self:
        """One that knows the same sums, and keeps them up by itself."""
        other = copy(self)
        other._sum = None if self._sum is None else self._sum.copy(order="F")
        return other

    def solve(self, bends: Bends, penalty: float, right: Floats) -> Floats:
        """Solve for weights and borders, (D + q,), at a penalty on the squares of weights."""
        few = len(bends.rows) <= FEW_BENDS * self.rows.width
        return (self._by_bends if few else self._by_columns)(bends, penalty, right)

    def _by_bends(self, bends: Bends, penalty: float, right: Floats) -> Floats:
        """Solve for pulls r = f(a·w − e·t): (p/f + AAᵀ) r + p E t = A g, and Eᵀr = own t − g'."""
        width, E = self.rows.width, bends.borders
        A = self.rows.some(bends.rows)
        sides = np.column_stack([A @ right[:width], E])
        solved = solve_positive(A @ A.T, sides, penalty / bends.factors)
        own, pulls = penalty * (E.T @ solved[:, 1:]) + bends.own, solved[:, 0]
        borders = solve_positive(own, right[width:] + E.T @ pulls)
        pulls = pulls - penalty * (solved[:, 1:] @ borders)
        return np.append((right[:width] - pulls @ A) / penalty, borders)

    def _by_columns(self, bends: Bends, penalty: float, right: Floats) -> Floats:
        width = self.rows.width
        matrix, across = self.follow(bends)
        solved = solve_positive(matrix, np.column_stack([right[:width], across]), penalty)
        E = bends.factors[:, None] * bends.borders
        own = bends.borders.T @ E + bends.own - across.T @ solved[:, 1:]
        borders = solve_positive(own, right[width:] + across.T @ solved[:, 0])
        return np.append(solved[:, 0] + solved[:, 1:] @ borders, borders)

    def follow(self, bends: Bends) -> tuple[Floats, Floats]:
        """Σ f a aᵀ, lower half, and Σ f a eᵀ, by what changed since the last time or anew."""
        n, q = len(self.rows.A), bends.borders.shape[1]
        spread, factors = np.zeros((n, q)), np.zeros(n)
        np.add.at(spread, bends.rows, bends.factors[:, None] * bends.borders)
        np.add.at(factors, bends.rows, bends.factors)
        changed = factors - self._factors
        if self._sum is None or np.count_nonzero(changed) >= np.count_nonzero(factors):
            self._sum, changed = np.zeros((self.rows.width,) * 2, order="F"), factors
        for some in (np.flatnonzero(changed > 0), np.flatnonzero(changed < 0)):
            self.rows.add_products(self._sum, some, changed[some], self.single)
        self._factors = factors
        known = spread.shape == self._spread.shape
        moved = spread - self._spread if known else spread
        some = np.flatnonzero(moved.any(axis=1))
        if known and 2 * len(some) < n:
            self._across = self._across + self.rows.some(some).T @ moved[some]
        else:
            self._across = self.rows.sum(spread)
        self._spread = spread
        return self._sum, self._across
