"""A symmetric matrix in tridiagonal form: solutions at any number of penalties for little more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, lapack

from .dual import DualEquations
from .normal import NormalEquations

Floats = NDArray[np.float64]

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
