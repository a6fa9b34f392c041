"""One pass over the rows: standardise, weigh, and add up products per fold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from ..column_moments import location
from ..features import Features

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

FIRST_ROWS = 1024  # that give centre and scale
PRODUCT_ROWS = 4096  # of one float32 product: more of them would lose digits
WAITING_BYTES = 128 << 20  # rows waiting for a product, over all folds


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
            first = features.rows(used[:FIRST_ROWS], columns)
            _require_finite(first, used)
            standard = location(first, centred)
        y_centre, y_scale = location(Y[used], centred)
        centre = np.concatenate([[0.0], standard[0], y_centre])
        scale = np.concatenate([[1.0], standard[1], y_scale])
        n_features = len(standard[0])
        return cls(Y, folds, sample_weight, centre, scale, n_features, np.dtype(dtype))

    def rows(
        self, rows: slice, block: NDArray[Any], by_fold: bool = False
    ) -> tuple[NDArray[Any], Rows]:
        """Return the rows in use of a block, standardised, and their folds.

        Parameters
        ----------
        rows : slice
            Of the block, among all rows.
        block : ndarray
            Features; belongs to whoever reads it.
        by_fold : bool
            Whether the rows of a fold are to stand together.
        """
        _require_finite(block, np.arange(rows.start, rows.stop))
        folds = self.folds[rows]
        which = np.flatnonzero(folds >= 0)
        if by_fold:
            which = which[np.argsort(folds[which], kind="stable")]
        if len(which) < len(folds) or by_fold:
            block = block[which]
        out = self._standardised(block, self.Y[rows][which])
        if self.weights is not None:
            out *= np.sqrt(self.weights[rows][which]).astype(self.dtype)[:, None]
        return out, folds[which]

    def _standardised(self, phi: NDArray[Any], Y: Floats) -> NDArray[Any]:
        """Rows (1, φ, y), shifted and scaled in the features' own precision, then rounded."""
        width = phi.shape[1]
        rows = np.empty((len(phi), len(self.centre)), dtype=self.dtype)
        own = phi.dtype if phi.dtype in (np.float32, np.float64) else np.dtype(np.float64)
        kind = np.result_type(own, self.dtype)
        centre, scale = (a[1 : 1 + width].astype(kind) for a in (self.centre, self.scale))
        rows[:, 0] = 1.0
        middle = rows[:, 1 : 1 + width]
        shifted = middle if kind == self.dtype else np.empty(phi.shape, dtype=kind)
        np.subtract(phi, centre, out=shifted)
        np.multiply(shifted, 1.0 / scale, out=middle, casting="same_kind")
        rows[:, 1 + width :] = (Y - self.centre[1 + width :]) / self.scale[1 + width :]
        return rows


class FoldMoments:
    """Sums of products so far, and rows of each fold that wait until a product is worth it.

    The first part takes in the others; rows wait because a product of few costs nearly as much as
    one of many.

    Parameters
    ----------
    rows : ndarray of shape (n, width)
        Standardised; those of a fold stand together.
    folds : ndarray of shape (n,)
    n_folds : int
    """

    def __init__(self, rows: NDArray[Any], folds: Rows, n_folds: int) -> None:
        self.moments: Floats | None = None
        ends = np.cumsum(np.bincount(folds, minlength=n_folds))[:-1]
        self.waiting = [[piece] for piece in np.split(rows, ends)]
        room = WAITING_BYTES // (n_folds * rows.shape[1] * rows.itemsize)
        self.enough = min(PRODUCT_ROWS, max(64, room))

    def __iadd__(self, other: Self) -> Self:
        for fold, pieces in enumerate(other.waiting):
            self.waiting[fold] += pieces
            if sum(map(len, self.waiting[fold])) >= self.enough:
                self._multiply(fold)
        return self

    def _multiply(self, fold: int) -> None:
        """Add AᵀA of the waiting rows A to the lower triangle."""
        pieces, self.waiting[fold] = self.waiting[fold], []
        if self.moments is None:
            width = pieces[0].shape[1]
            self.moments = np.zeros((len(self.waiting), width, width))
        rows = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
        # BLAS counts by columns, so it sees the transposes; its upper triangle is our lower.
        sums = self.moments[fold].T
        for start in range(0, len(rows), PRODUCT_ROWS):
            piece = rows[start : start + PRODUCT_ROWS].T
            if rows.dtype == np.float32:
                sums += blas.ssyrk(1.0, piece)
            else:
                blas.dsyrk(1.0, piece, beta=1.0, c=sums, overwrite_c=True)

    def result(self) -> Floats:
        """Moments (n_folds, 1 + R + T, 1 + R + T) of all rows taken in."""
        for fold, pieces in enumerate(self.waiting):
            if pieces:
                self._multiply(fold)
        moments = np.asarray(self.moments)
        for matrix in moments:
            _mirror(matrix)
        return moments


def _mirror(matrix: Floats, step: int = 512) -> None:
    """Copy the lower triangle onto the upper, tile by tile to stay in cache."""
    for start in range(0, len(matrix), step):
        stop = min(start + step, len(matrix))
        matrix[start:stop, stop:] = matrix[stop:, start:stop].T
        tile = matrix[start:stop, start:stop]
        tile[:] = np.tril(tile) + np.tril(tile, -1).T


def _require_finite(block: NDArray[Any], numbers: Rows) -> None:
    """Stop at the first row that holds what is no number."""
    if not np.isfinite(block).all():
        bad = numbers[int(np.argmin(np.isfinite(block).all(axis=1)))]
        raise ValueError(
            f"the features of row {bad} hold NaN or infinity; "
            "ridge needs finite numbers, so drop or impute that row."
        )
