"""Columns moved and scaled once, by all rows: what a model without a fold needs follows by sums."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import settings, side_by_side
from ..engine.lapack import tiles
from ..linear_model.moments import require_finite
from .columns import Array, Rows
from .forward import RidgePath, forward_ridge

Singles = NDArray[np.float32]

CENTRED = 128  # rows whose mean is near enough to that of all
WORTH = 1e8  # multiplications that are divided among threads
CONSTANT = 1e-5  # deviation of a column against its mean that may be rounding
VANISHED = (
    1e-4  # variance without a fold against the mean square of all rows: float32 tells no less
)


@dataclass(frozen=True, eq=False)
class FoldColumns:
    """Columns about their means and in units of their reach, and sums over the rows of each fold.

    Parameters
    ----------
    Z : ndarray of shape (M, n), float32
        A column's numbers stand together, those of a fold too; the largest is 1 or −1.
    offset : ndarray of shape (M,)
        What Z is about, in units of Z; infinite of a column that does not vary.
    Y : ndarray of shape (n, outputs), float32
        Targets less their means, in the same order.
    ends : ndarray of shape (n_folds + 1,)
        Where folds begin and end.

    Examples
    --------
    >>> rows, Y = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 4.0]]), np.array([[0.0], [1.0], [2.0]])
    >>> columns = FoldColumns.of(rows, Y, np.array([0, 0, 1]), np.arange(3))
    >>> columns.shown(None).path(1, 0.01).support
    array([0])
    """

    Z: Singles
    offset: Array
    Y: Singles
    ends: Rows

    @classmethod
    def of(cls, rows: NDArray[Any], Y: Array, folds: Rows, numbers: Rows) -> FoldColumns:
        """Move and scale.

        Parameters
        ----------
        rows : ndarray of shape (n, M)
            Floats; one that is not finite stops it.
        Y : ndarray of shape (n, outputs)
        folds : ndarray of shape (n,)
            Number of each row's fold.
        numbers : ndarray of shape (n,)
            What the user calls the rows.
        """
        order, low, high = np.argsort(folds, kind="stable"), rows.min(axis=0), rows.max(axis=0)
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            require_finite(rows, numbers)
        # About the mean, which sums will tell; in the columns' own precision, so that large ones
        # cost no digits.
        centre = rows[:: max(1, len(rows) // CENTRED)].mean(axis=0, dtype=np.float64)
        centre = centre.astype(rows.dtype)
        reach = np.maximum(high - centre, centre - low)
        varies = reach > CONSTANT * np.abs(centre)
        unit = np.divide(1.0, reach, out=np.zeros_like(reach), where=varies)
        offset = np.divide(centre, reach, out=np.full_like(reach, np.inf), where=varies)
        Z = np.empty((rows.shape[1], len(rows)), dtype=np.float32)
        for some in tiles(0, len(rows), settings().moved_rows):
            moved = rows[order[some]] - centre
            moved *= unit
            Z[:, some] = moved.T
        ends = np.append(0, np.cumsum(np.bincount(folds)))
        pulls = (Y - Y.mean(axis=0))[order].astype(np.float32)
        return cls(Z, offset.astype(np.float64), pulls, ends)

    @cached_property
    def _sums(self) -> tuple[Array, Array, Array]:
        """Of each fold: Σ z, Σ z² and Σ z y, (folds, M), (folds, M) and (folds, M, outputs)."""
        parts = [(self.Z[:, a:b], self.Y[a:b]) for a, b in self._folds]
        first = [z.sum(axis=1) for z, _ in parts]
        second = [np.einsum("mi,mi->m", z, z) for z, _ in parts]
        sums = first, second, [z @ y for z, y in parts]
        return tuple(np.array(one, dtype=np.float64) for one in sums)  # type: ignore[return-value]

    @property
    def _folds(self) -> list[tuple[int, int]]:
        return list(zip(self.ends[:-1].tolist(), self.ends[1:].tolist(), strict=True))

    def shown(self, without: int | None, own: Rows | None = None) -> Shown:
        """Return some of the columns, over all rows or those outside a fold."""
        n, some = int(self.ends[-1]), slice(None) if own is None else own
        hidden = (0, 0) if without is None else self._folds[without]
        spans = [one for one in (slice(0, hidden[0]), slice(hidden[1], n)) if one.stop > one.start]
        kept, count = np.arange(len(self.ends) - 1) != without, n - (hidden[1] - hidden[0])
        first, second, cross = (one[kept].sum(axis=0)[some] for one in self._sums)
        squares = self._sums[1].sum(axis=0)[some]
        mean, offset = first / count, self.offset[some]
        targets = sum(self.Y[s].sum(axis=0, dtype=np.float64) for s in spans) / count
        variance = np.maximum(second / count - np.square(mean), 0.0)
        deviation = np.sqrt(variance)
        varies = (variance > VANISHED * squares / n) & (deviation > CONSTANT * abs(offset + mean))
        unit = np.divide(1.0, deviation, out=np.zeros_like(mean), where=varies)
        response = (cross / count - np.outer(mean, targets)) * unit[:, None]
        return Shown(self.Z[some], spans, mean, unit, response, targets, self.Y, slice(*hidden))


@dataclass(frozen=True, eq=False)
class Shown:
    """Some columns and rows, and paths of ridges on them.

    Products of columns are of float32: with a penalty of some hundredths that is plenty.

    Parameters
    ----------
    Z, Y
        As in `FoldColumns`, of some columns.
    spans : list of slice
        Rows that are shown.
    mean, unit : ndarray of shape (M,)
        Over these rows; the unit, 1 / deviation, is 0 of columns that are constant there.
    response : ndarray of shape (M, outputs)
        Covariances of the columns, standardised by these rows, with the targets.
    target_mean : ndarray of shape (outputs,)
    hidden : slice
        The other rows.
    """

    Z: Singles
    spans: list[slice]
    mean: Array
    unit: Array
    response: Array
    target_mean: Array
    Y: Singles
    hidden: slice

    def products(self, some: Rows, others: Rows | None = None) -> Singles:
        """Correlations of some columns with others, or with all."""
        which = slice(None) if others is None else others
        left, right = self.Z[some], self.Z[which]
        mean, unit = self.mean.astype(np.float32), self.unit.astype(np.float32)
        # The long side first: so BLAS copies less of it.
        found = np.empty((len(right), len(left)), dtype=np.float32)

        def fill(part: slice) -> None:
            out = found[part]
            np.matmul(right[part, self.spans[0]], left[:, self.spans[0]].T, out=out)
            for rows in self.spans[1:]:
                out += right[part, rows] @ left[:, rows].T
            out /= np.float32(self.count)
            out -= mean[which][part, None] * mean[some]
            out *= unit[which][part, None] * unit[some]

        worth = left.size * len(right) > WORTH
        size = settings().product_tile if worth else len(right)
        side_by_side(fill, tiles(0, len(right), size), worth=worth)
        return found.T

    @property
    def count(self) -> int:
        """How many rows are shown."""
        return sum(rows.stop - rows.start for rows in self.spans)

    def path(self, size: int, penalty: float) -> RidgePath:
        """Choose columns by the rows shown."""
        room = (self.unit > 0).astype(np.float64)
        return forward_ridge(self.products, room, self.response, size, penalty)

    def errors(self, path: RidgePath, sizes: list[int]) -> Array:
        """Squared error of each hidden row by the first columns of a path, (sizes, rows)."""
        Z = self.Z[path.support, self.hidden] - self.mean[path.support, None]
        Z *= self.unit[path.support, None]
        missed = (self.Y[self.hidden] - self.target_mean).T
        return np.array(
            [np.square(missed - path.coefficients(k).T @ Z[:k]).sum(axis=0) for k in sizes]
        )
