"""Newton's matrix of losses that bend at some rows: products of rows, and solutions with them."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsyrk, ssyrk

from ..engine import settings
from .newton import Floats, Places, solve_positive

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
        self._length = max(64, settings().strip_values // max(1, self.width))

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
        few = len(bends.rows) <= settings().few_bends * self.rows.width
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
        return self._sum_of(factors), self._across_of(spread)

    def _sum_of(self, factors: Floats) -> Floats:
        changed = factors - self._factors
        if self._sum is None or np.count_nonzero(changed) >= np.count_nonzero(factors):
            self._sum, changed = np.zeros((self.rows.width,) * 2, order="F"), factors
        for some in (np.flatnonzero(changed > 0), np.flatnonzero(changed < 0)):
            self.rows.add_products(self._sum, some, changed[some], self.single)
        self._factors = factors
        return self._sum

    def _across_of(self, spread: Floats) -> Floats:
        known = spread.shape == self._spread.shape
        changed = spread - self._spread if known else spread
        some = np.flatnonzero(changed.any(axis=1))
        if known and 2 * len(some) < len(spread):
            self._across = self._across + self.rows.some(some).T @ changed[some]
        else:
            self._across = self.rows.sum(spread)
        self._spread = spread
        return self._across
