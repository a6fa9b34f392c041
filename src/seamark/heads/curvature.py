"""Newton's matrix of losses that bend at some rows: products of rows, and solutions with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsyrk

from ..engine import settings
from .newton import Floats, Places, solve_positive


class DoubleRows:
    """Rows of a matrix, multiplied in float64 whatever their own precision, a chunk at a time.

    Parameters
    ----------
    A : ndarray of shape (n, D), float32 or float64

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

    def __init__(self, A: NDArray[Any]) -> None:
        self.A = A
        self.width = A.shape[1]
        self._length = max(64, settings().strip_values // max(1, self.width))

    def some(self, which: Any) -> Floats:
        """Some rows, float64."""
        return np.asarray(self.A[which], dtype=np.float64)

    def _chunks(self, n: int) -> Iterator[slice]:
        step = n if self.A.dtype == np.float64 else self._length
        return (slice(start, min(start + step, n)) for start in range(0, n, max(1, step)))

    def scores(self, weights: Floats) -> Floats:
        """Product of every row with weights, (D,) or (D, T)."""
        found = np.empty((len(self.A), *weights.shape[1:]))
        for at in self._chunks(len(self.A)):
            found[at] = self.some(at) @ weights
        return found

    def sum(self, factors: Floats) -> Floats:
        """Sum of the rows, each times its factor (n,), or factors (n, T)."""
        total = np.zeros((self.width, *factors.shape[1:]))
        for at in self._chunks(len(factors)):
            total += self.some(at).T @ factors[at]
        return total

    def add_products(self, total: Floats, which: Places, factors: Floats) -> None:
        """Add Σ f a aᵀ over some rows to the lower half of a matrix in Fortran's order.

        Parameters
        ----------
        total : ndarray of shape (D, D)
            Changed in place.
        which : ndarray of int
            Rows.
        factors : ndarray of float
            Their f, all of one sign.
        """
        sign = 1.0 if factors.sum() >= 0 else -1.0
        roots = np.sqrt(np.abs(factors))[:, None]
        for start in range(0, len(which), self._length):
            at = slice(start, start + self._length)
            chunk = self.some(which[at]) * roots[at]
            dsyrk(sign, chunk.T, beta=1.0, c=total, lower=True, overwrite_c=True)


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
    """

    def __init__(self, rows: DoubleRows) -> None:
        self.rows = rows
        self._factors = np.zeros(len(rows.A))
        self._sum: Floats | None = None

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
        width, n = self.rows.width, len(self.rows.A)
        E = bends.factors[:, None] * bends.borders
        spread, factors = np.zeros((n, E.shape[1])), np.zeros(n)
        np.add.at(spread, bends.rows, E)
        np.add.at(factors, bends.rows, bends.factors)
        across, matrix = self.rows.sum(spread), self._kept_up(factors)
        solved = solve_positive(matrix, np.column_stack([right[:width], across]), penalty)
        own = bends.borders.T @ E + bends.own - across.T @ solved[:, 1:]
        borders = solve_positive(own, right[width:] + across.T @ solved[:, 0])
        return np.append(solved[:, 0] + solved[:, 1:] @ borders, borders)

    def _kept_up(self, factors: Floats) -> Floats:
        """Σ f a aᵀ, lower half, by what changed since the last time or from nothing."""
        changed = factors - self._factors
        if self._sum is None or np.count_nonzero(changed) >= np.count_nonzero(factors):
            self._sum, changed = np.zeros((self.rows.width,) * 2, order="F"), factors
        for some in (np.flatnonzero(changed > 0), np.flatnonzero(changed < 0)):
            self.rows.add_products(self._sum, some, changed[some])
        self._factors = factors
        return self._sum
