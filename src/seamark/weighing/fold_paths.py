"""Paths of ridges on some folds, and what they are worth on the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engine.lapack import add_products, tiles
from ..heads.moments import mirror
from .columns import Array, Rows
from .forward import RidgePath, forward_ridge

Singles = NDArray[np.float32]

STRIP = 512  # rows standardised at a time, to need no second matrix of float64
AHEAD = 16  # columns whose products are made together, where not all are
CONSTANT = 1e-5  # deviation of a column against its mean that may be rounding


@dataclass(frozen=True)
class Standard:
    """How columns are standardised: float32 numbers with mean 0 and variance 1 over some rows."""

    centre: NDArray[Any]  # in the columns' own precision, so that large means cost no digits
    mean: Array  # about the centre
    unit: Array  # 1 / standard deviation, 0 of columns that are constant

    @classmethod
    def of(cls, rows: NDArray[Any]) -> Standard:
        """Look at all rows, (n, M), which are floats."""
        centre = rows.mean(axis=0, dtype=np.float64).astype(rows.dtype)
        mean, square = np.zeros((2, rows.shape[1]))
        for some in tiles(0, len(rows), STRIP):
            moved = rows[some] - centre
            mean += moved.sum(axis=0, dtype=np.float64) / len(rows)
            square += np.square(moved, dtype=np.float64).sum(axis=0) / len(rows)
        deviation = np.sqrt(np.maximum(square - np.square(mean), 0.0))
        varies = deviation > CONSTANT * np.abs(centre)
        unit = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=varies)
        return cls(centre, mean, unit)

    def __call__(self, rows: NDArray[Any], some: Any = slice(None)) -> Singles:
        """Standardise rows of some of the columns."""
        out = np.empty(rows.shape, dtype=np.float32)
        for part in tiles(0, len(rows), STRIP):
            moved = rows[part] - self.centre[some]
            moved -= self.mean[some].astype(moved.dtype)
            moved *= self.unit[some].astype(moved.dtype)
            out[part] = moved
        return out


class Shown:
    """Some rows, and paths of ridges on them.

    Products of columns are of float32: with a penalty of some hundredths that is plenty. Where few
    columns are to be chosen, those of a column are made when it is, together with those of others
    that are likely to be next.

    Parameters
    ----------
    rows : ndarray of shape (n, M)
        Floats.
    Y : ndarray of shape (n, outputs)

    Examples
    --------
    >>> rows = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 4.0]])
    >>> path = Shown(rows, np.array([[0.0], [1.0], [2.0]])).path(1, 0.01)
    >>> path.support
    array([0])
    """

    def __init__(self, rows: NDArray[Any], Y: Array) -> None:
        self.standard, self.target_mean = Standard.of(rows), Y.mean(axis=0)
        self.Z = self.standard(rows)
        self.known: dict[int, Singles] = {}  # correlations of a column with all
        pulls = (Y - self.target_mean).astype(np.float32)
        self.response = (pulls.T @ self.Z).T.astype(np.float64) / len(rows)

    def correlations(self, j: int, merit: Array) -> Singles:
        """Correlations of a column with all; the merit of each says which may be next."""
        if j not in self.known:
            rest = merit.copy()
            rest[list(self.known)] = -1.0
            rest[j] = np.inf
            some = np.argsort(-rest, kind="stable")[:AHEAD]
            some = some[rest[some] >= 0]
            products = self.Z[:, some].T @ self.Z
            products /= np.float32(len(self.Z))
            self.known.update(zip(some.tolist(), products, strict=True))
        return self.known[j]

    def path(self, size: int, penalty: float) -> RidgePath:
        """Choose columns by the rows shown."""
        width = self.Z.shape[1]
        if AHEAD * size > width and not self.known:
            products = np.zeros((width, width), dtype=np.float32)
            add_products([products], [self.Z])
            mirror(products)
            products /= np.float32(len(self.Z))
            self.known.update(enumerate(products))
        # But for rounding, 1; what is left of a column must not be more than there was.
        room = np.einsum("ij,ij->j", self.Z, self.Z).astype(np.float64) / len(self.Z)
        return forward_ridge(self.correlations, room, self.response, size, penalty)

    def errors(self, path: RidgePath, sizes: list[int], rows: NDArray[Any], Y: Array) -> Array:
        """Squared errors of the first columns of a path, summed over other rows.

        Parameters
        ----------
        path : RidgePath
        sizes : list of int
            Numbers of leading columns.
        rows, Y
            Columns of the support, and targets.
        """
        Z, moved = self.standard(rows, path.support), Y - self.target_mean
        return np.array([np.square(moved - Z[:, :k] @ path.coefficients(k)).sum() for k in sizes])


class Supports(NamedTuple):
    """What was chosen, and the table it was chosen from."""

    columns: list[Rows]
    """In the order chosen: without each fold, and by all rows."""
    penalty: float
    results: dict[str, list[Any]]
    """What was tried, and its errors; empty if there is one fold."""


def chosen(
    read: Callable[[Rows], NDArray[Any]],
    Y: Array,
    folds: Rows,
    options: tuple[list[int], list[float]],
    offered: list[Rows],
) -> Supports:
    """Choose columns by all rows; where there are folds, their errors decide how many.

    Parameters
    ----------
    read : callable
        Returns columns of all rows.
    Y : ndarray of shape (n, outputs)
    folds : ndarray of shape (n,)
        Number of each row's fold.
    options : tuple of two lists
        Numbers of columns, and penalties, to try.
    offered : list of ndarray of int
        Columns that may be chosen without each fold and, last, by all rows; or these alone.
    """
    (sizes, penalties), n_folds = options, int(folds.max()) + 1
    size, penalty, columns = sizes[0], penalties[0], []
    table: dict[str, list[Any]] = {}
    if n_folds > 1:
        errors, paths = np.zeros((len(penalties), len(sizes))), []
        for fold in range(n_folds):
            own, hidden = offered[fold % len(offered)], folds == fold
            rows = read(own)
            shown = Shown(rows[~hidden], Y[~hidden])
            found = [shown.path(max(sizes), one) for one in penalties]
            errors += [
                shown.errors(path, sizes, rows[hidden][:, path.support], Y[hidden])
                for path in found
            ]
            paths.append([own[path.support] for path in found])
        errors /= len(Y)
        i, k = divmod(int(errors.argmin()), len(sizes))
        size, penalty = sizes[k], penalties[i]
        table = {"penalty": penalties, "n_features": sizes, "error": errors.tolist()}
        columns = [of_fold[i][:size] for of_fold in paths]
    last = Shown(read(offered[-1]), Y).path(size, penalty)
    return Supports([*columns, offered[-1][last.support]], penalty, table)
