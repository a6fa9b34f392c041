"""One pass over the rows: standardise, weigh, and add up products per fold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..engine import settings, side_by_side
from ..engine.lapack import add_products
from ..features import Features, location

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

SUBTRACTION = 1e-13  # the same against the total, where training sums are total minus fold


@dataclass(frozen=True, eq=False)
class Standard:
    """How features become rows √w (1, φ, y), about a centre and in units of a scale.

    Parameters
    ----------
    Y : ndarray of shape (n, T)
        Targets.
    folds : ndarray of shape (n,)
        Of all rows; negative for those left out.
    weights : ndarray of shape (n,) or None
        None: all 1.
    centre, scale : ndarray of shape (1 + R + T,)
        Those of the first rows.
    n_features : int
        R.
    dtype : dtype
        Of the rows to make.
    """

    Y: Floats
    folds: Rows
    weights: Floats | None
    centre: Floats
    scale: Floats
    n_features: int
    dtype: np.dtype[Any]

    @classmethod
    def of(
        cls,
        features: Features,
        Y: Floats,
        folds: Rows,
        sample_weight: Floats | None,
        *,
        columns: Any,
        dtype: Any,
        centred: bool,
        standard: tuple[Floats, Floats] | None = None,
    ) -> Standard:
        """Look at the first rows, unless a standard is given; parameters as in `FoldSums.of`."""
        if sample_weight is not None:
            folds = np.where(sample_weight > 0, folds, -1)
        used = np.flatnonzero(folds >= 0)
        if not len(used):
            raise ValueError("no row has a positive weight; ridge needs at least one.")
        if standard is None:
            first = features.rows(used[: settings().first_rows], columns)
            require_finite(first, used)
            standard = location(first, centred)
        n_features = features.shape[1] if columns is None else len(columns)
        given = len(standard[0]) > n_features  # the targets' standard too
        of_targets = (np.empty(0), np.empty(0)) if given else location(Y[used], centred)
        centre = np.concatenate([[0.0], standard[0], of_targets[0]])
        scale = np.concatenate([[1.0], standard[1], of_targets[1]])
        return cls(Y, folds, sample_weight, centre, scale, n_features, np.dtype(dtype))

    def rows(
        self,
        numbers: Rows,
        phi: NDArray[Any],
        some: Rows | None = None,
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """Return rows √w (1, φ, y), shifted and scaled in the features' own precision.

        Parameters
        ----------
        numbers : ndarray of shape (k,)
            Which rows of all, each in use.
        phi : ndarray of shape (k, R)
            Their features.
        some : ndarray of shape (k,), optional
            Where they stand in `phi`, if that has other rows too.
        out : ndarray of shape (k, 1 + R + T), optional
            Where to write them.
        """
        phi = phi if some is None or len(some) == len(phi) else phi[some]
        require_finite(phi, numbers)
        width, Y = phi.shape[1], self.Y[numbers]
        rows = np.empty((len(phi), len(self.centre)), dtype=self.dtype) if out is None else out
        own = phi.dtype if phi.dtype in (np.float32, np.float64) else np.dtype(np.float64)
        kind = np.result_type(own, self.dtype)
        centre, scale = self.centre[1 : 1 + width], self.scale[1 : 1 + width].astype(kind)
        rows[:, 0] = 1.0
        middle = rows[:, 1 : 1 + width]
        shifted = middle if kind == self.dtype else np.empty(phi.shape, dtype=kind)
        np.subtract(phi, centre.astype(kind), out=shifted)
        np.multiply(shifted, 1.0 / scale, out=middle, casting="same_kind")
        rows[:, 1 + width :] = (Y - self.centre[1 + width :]) / self.scale[1 + width :]
        if self.weights is not None:
            rows *= np.sqrt(self.weights[numbers]).astype(self.dtype)[:, None]
        return rows

    def in_use(self, rows: slice, block: NDArray[Any]) -> Any:
        """Return numbers and features of those rows of a chunk that are in use."""
        which = np.flatnonzero(self.folds[rows] >= 0)
        return rows.start + which, block if len(which) == len(block) else block[which]


class FoldMoments:
    """Sums of products per fold, and blocks that wait until a product of them is worth it.

    The first part takes in the others. Products in float32 wait, because to add one to the sums
    costs as much as to multiply hundreds of rows; those in float64 are added as they are made.

    Parameters
    ----------
    how : Standard
    n_folds : int
    rows : slice
        Of the block, among all rows.
    block : ndarray
        Features.
    """

    def __init__(self, how: Standard, n_folds: int, rows: slice, block: NDArray[Any]) -> None:
        self.how = how
        width = len(how.centre)
        self.shape = (n_folds, width, width)
        self.moments: Floats | None = None
        self.waiting = [(rows, block)]
        self.room: NDArray[Any] = np.empty((n_folds, 0, width), dtype=how.dtype)
        self.enough, size = 0, how.dtype.itemsize * n_folds * width
        most, waiting = settings().product_rows, settings().waiting_bytes
        self.step = min(most, max(64, waiting // (2 * size)))
        if how.dtype == np.float32:
            self.step = min(most, max(64, waiting // size))
            self.enough = n_folds * self.step

    def __iadd__(self, other: Self) -> Self:
        self.waiting += other.waiting
        if sum(rows.stop - rows.start for rows, _ in self.waiting) >= self.enough:
            self.multiply()
        return self

    def multiply(self) -> Floats:
        """Add AᵀA of the waiting rows A of each fold to its lower triangle, and return all."""
        blocks, self.waiting = self.waiting, []
        if self.moments is None:
            self.moments = np.zeros(self.shape)
        sizes = [len(block) for _, block in blocks]
        most = min(self.step, sum(sizes))
        if self.room.shape[1] < most:
            self.room = np.empty((len(self.moments), most, self.shape[1]), dtype=self.how.dtype)
        folds = [self._pieces(blocks, fold) for fold in range(len(self.moments))]
        for parts in zip_longest(*folds, fillvalue=(0, [])):
            counts, pieces = zip(*parts, strict=True)
            side_by_side(self.how.rows, *zip(*chain(*pieces), strict=True))
            filled = [room[:count] for room, count in zip(self.room, counts, strict=True)]
            add_products(self.moments, filled)
        return self.moments

    def _pieces(
        self, blocks: list[tuple[slice, NDArray[Any]]], fold: int
    ) -> Iterator[tuple[int, list[Any]]]:
        """Yield how many rows of a fold, where they are, and where to write them.

        At most `step` at a time.

        They are written to the same place again and again: fresh memory for each block costs more
        than what is written, above all where Dask has the system take it back.
        """
        piece, filled = [], 0
        for rows, block in blocks:
            which = np.flatnonzero(self.how.folds[rows] == fold)
            while len(which):
                some, which = np.split(which, [self.room.shape[1] - filled])
                out = self.room[fold, filled : filled + len(some)]
                piece.append((rows.start + some, block, some, out))
                filled += len(some)
                if filled == self.room.shape[1]:
                    yield filled, piece
                    piece, filled = [], 0
        if filled:
            yield filled, piece


def mirror(matrix: NDArray[Any], step: int = 128) -> None:
    """Copy the lower triangle onto the upper, tile by tile to stay in cache."""
    for start in range(0, len(matrix), step):
        stop = min(start + step, len(matrix))
        for below in range(stop, len(matrix), step):
            matrix[start:stop, below : below + step] = matrix[below : below + step, start:stop].T
        tile = matrix[start:stop, start:stop]
        np.copyto(tile, tile.T.copy(), where=~np.tri(len(tile), dtype=bool))


def require_finite(block: NDArray[Any], numbers: Rows) -> None:
    """Stop at the first row that holds what is no number."""
    if block.size and not (np.isfinite(block.min()) and np.isfinite(block.max())):
        bad = numbers[int(np.argmin(np.isfinite(block).all(axis=1)))]
        raise ValueError(
            f"the features of row {bad} hold NaN or infinity; "
            "ridge needs finite numbers, so drop or impute that row."
        )


def standards(
    total: tuple[Floats, Floats],
    fold: tuple[Floats, Floats] | None,
    n_features: int,
    centred: bool,
    rounding: float,
    allowed: NDArray[np.bool_] | None,
) -> tuple[float, Floats, Floats]:
    """Return weight, means (1 + R + T,) and units (R,) of all rows, or of those outside a fold.

    A unit is 1 / standard deviation over all rows, and 0 where a column is constant.

    Parameters
    ----------
    total, fold : tuple of two ndarrays of shape (1 + R + T,)
        First row and diagonal of the moments of all rows, and of the fold to leave out, if any.
    n_features : int
        R.
    centred : bool
        Whether there is an intercept.
    rounding : float
        Variance a column must have, against its second moment, to be more than rounding.
    allowed : ndarray of bool, shape (R,), optional
        Features that may be used; others get the unit 0.
    """
    columns, (edge, diagonal) = slice(1, 1 + n_features), total
    if fold is not None:
        edge, diagonal = edge - fold[0], diagonal - fold[1]
    weight = float(edge[0])
    mean = edge / weight if centred else np.zeros(len(edge))
    of_all = total[0] / total[0][0] if centred else mean
    whole = total[1][columns] / total[0][0]
    variance = whole - of_all[columns] ** 2
    varies = (variance > rounding * whole) & (variance > SUBTRACTION * whole)
    unit = np.where(varies, 1 / np.sqrt(np.where(varies, variance, 1.0)), 0.0)
    if fold is not None:
        raw = diagonal[columns] / weight
        variance = raw - mean[columns] ** 2
        unit *= (variance > rounding * raw) & (variance > SUBTRACTION * whole)
    return weight, mean, unit if allowed is None else unit * allowed
