"""`Grams`: products of rows with rows, from which n unknowns judge every fold and penalty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, blas

from ..engine import settings
from ..engine.lapack import add_products, cholesky, cholesky_solve
from .moments import mirror
from .rows import FoldRows

Floats = NDArray[np.float64]


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

    def some(self, rows: NDArray[np.intp], without: int) -> Grams:
        """Return the products of some rows, and of columns that may be used without a fold."""
        total: dict[bytes, Floats] = {}
        for key, part in self.parts.items():
            if key[without]:
                left = key[:without] + key[without + 1 :]
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
        if len(self.inner) <= settings().few_rows:
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
    step = max(64, settings().scaled_bytes // (8 * len(rows)))
    for start in range(0, len(columns), step):
        few = slice(start, start + step)
        strip = rows[:, columns[few]] * unit[few]
        add_products([out], [strip.T])
    mirror(out)
    return out
