"""`AugmentedRows`: products of a matrix's rows in float64, whatever their own precision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsyrk

Floats = NDArray[np.float64]

_BLOCK = 2**18  # numbers that stay in the cache while they are converted and multiplied


class AugmentedRows:
    """Rows (a, 1) of a matrix, multiplied in float64, a block at a time.

    Parameters
    ----------
    A : ndarray of shape (n, D), float32 or float64
        The column of ones is not stored.

    Examples
    --------
    >>> rows = AugmentedRows(np.array([[1.0], [3.0]], dtype=np.float32))
    >>> rows.scores(np.array([2.0, 0.5])).tolist()
    [2.5, 6.5]
    >>> rows.sum(np.array([1.0, 1.0])).tolist()
    [4.0, 2.0]
    >>> total = np.zeros((2, 2), order="F")
    >>> rows.add_products(total, np.array([1]), np.array([1.0, 4.0]))
    >>> total.tolist()
    [[36.0, 0.0], [12.0, 4.0]]
    """

    def __init__(self, A: NDArray[Any]) -> None:
        self.A = A
        length = max(64, _BLOCK // (A.shape[1] + 1))
        self.width = A.shape[1] + 1
        self._buffer = np.ones((min(length, len(A)), self.width))

    def _blocks(self, n: int, which: NDArray[np.intp] | None = None) -> Iterator[Any]:
        """Yield places, and the rows there; the caller may write into a block."""
        for start in range(0, n, len(self._buffer)):
            at = slice(start, min(start + len(self._buffer), n))
            block = self._buffer[: at.stop - start]
            block[:, :-1] = self.A[at if which is None else which[at]]
            yield at, block

    def scores(self, theta: Floats) -> Floats:
        """Product of every row with θ, (D + 1,) or (D + 1, T)."""
        found = np.empty((len(self.A), *theta.shape[1:]))
        for at, block in self._blocks(len(self.A)):
            found[at] = block @ theta
        return found

    def sum(self, factors: Floats) -> Floats:
        """Sum of the rows, each times its factor; where most factors are 0, of the others only."""
        total = np.zeros(self.width)
        some = np.flatnonzero(factors)
        which = some if 2 * len(some) < len(factors) else None
        used = factors if which is None else factors[which]
        for at, block in self._blocks(len(used), which):
            total += used[at] @ block
        return total

    def add_products(
        self, total: Floats, which: NDArray[np.intp], factors: Floats, sign: float = 1.0
    ) -> None:
        """Add ± Σ f a aᵀ over some rows to the lower half of a matrix in Fortran's order.

        Parameters
        ----------
        total : ndarray of shape (D + 1, D + 1)
            Changed in place.
        which : ndarray of int
            Rows to be added.
        factors : ndarray of shape (n,)
            f of all rows.
        sign : float
            −1 to subtract.
        """
        roots = np.sqrt(factors[which])
        for at, block in self._blocks(len(which), which):
            np.multiply(block, roots[at, None], out=block)
            dsyrk(sign, block.T, beta=1.0, c=total, lower=True, overwrite_c=True)
            block[:, -1] = 1.0
