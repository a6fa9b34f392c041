"""One pass over the rows: standardise, weigh, and add up products per fold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from ..features import Features, location

Floats = NDArray[np.float64]
Piece = tuple[NDArray[Any], Floats, Floats, NDArray[np.intp]]  # features, targets, weights, folds

FIRST_ROWS = 4096  # that give centre and scale
PRODUCT_ROWS = 4096  # of one float32 product: more of them would lose digits
PENDING_BYTES = 128 << 20  # rows waiting for a product, over all folds


@dataclass(frozen=True, eq=False)
class StandardisedRows:
    """Rows √w (1, φ, y), about a centre and in units of a scale, with their folds; to be read once.

    Centre and scale, (1 + R + T,), are those of the first rows.
    """

    centre: Floats
    scale: Floats
    n_features: int
    folds: NDArray[np.intp]  # of all rows; negative for those left out
    dtype: np.dtype[Any]
    pieces: Iterator[Piece]

    @classmethod
    def of(
        cls,
        features: Features,
        Y: Floats,
        folds: NDArray[np.intp],
        sample_weight: Floats | None,
        *,
        columns: Any,
        dtype: Any,
        centred: bool,
        standard: tuple[Floats, Floats] | None = None,
    ) -> StandardisedRows:
        """Read the first rows, unless a standard is given; parameters as in `FoldSums.of`."""
        weights = np.ones(len(Y)) if sample_weight is None else sample_weight
        folds = np.where(weights > 0, folds, -1)
        first, pieces = with_first(rows_in_folds(features, Y, weights, folds, columns))
        centre, scale = standard or location(np.concatenate([p[0] for p in first]), centred)
        y_centre, y_scale = location(Y[folds >= 0], centred)
        return cls(
            np.concatenate([[0.0], centre, y_centre]),
            np.concatenate([[1.0], scale, y_scale]),
            len(centre),
            folds,
            np.dtype(dtype),
            pieces,
        )

    def __iter__(self) -> Iterator[tuple[NDArray[Any], NDArray[np.intp]]]:
        for phi, Y, weights, folds in self.pieces:
            rows = self._standardised(phi, Y)
            rows *= np.sqrt(weights).astype(self.dtype)[:, None]
            yield rows, folds

    def _standardised(self, phi: NDArray[Any], Y: Floats) -> NDArray[Any]:
        """Rows (1, φ, y), shifted and scaled in the features' own precision, then rounded."""
        width = phi.shape[1]
        rows = np.empty((len(phi), len(self.centre)), dtype=self.dtype)
        kind = np.result_type(phi.dtype, self.dtype)
        centre, scale = (a[1 : 1 + width].astype(kind) for a in (self.centre, self.scale))
        shifted = phi.astype(kind, copy=False) - centre
        rows[:, 0] = 1.0
        np.divide(shifted, scale, out=rows[:, 1 : 1 + width], casting="same_kind")
        rows[:, 1 + width :] = (Y - self.centre[1 + width :]) / self.scale[1 + width :]
        return rows


class MomentAccumulator:
    """Moments so far, and rows of each fold waiting until a product of them is worth it."""

    def __init__(self, width: int, n_folds: int, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype
        self.moments = np.zeros((n_folds, width, width))
        self.pending: list[list[NDArray[Any]]] = [[] for _ in range(n_folds)]
        room = PENDING_BYTES // (n_folds * width * dtype.itemsize)
        self.enough = min(PRODUCT_ROWS, max(64, room))

    def add(self, rows: NDArray[Any], folds: NDArray[np.intp]) -> None:
        """Take in standardised rows."""
        for fold in np.unique(folds):
            self.pending[fold].append(rows[folds == fold])
            if sum(map(len, self.pending[fold])) >= self.enough:
                self._multiply(fold)

    def _multiply(self, fold: int) -> None:
        """Add AᵀA of the waiting rows A to the lower triangle."""
        waiting = np.concatenate(self.pending[fold])
        self.pending[fold] = []
        syrk = blas.ssyrk if self.dtype == np.float32 else blas.dsyrk
        for start in range(0, len(waiting), PRODUCT_ROWS):
            # BLAS counts by columns, so it sees the transposes; its upper triangle is our lower.
            self.moments[fold] += syrk(1.0, waiting[start : start + PRODUCT_ROWS].T).T

    def result(self) -> Floats:
        """Moments (n_folds, 1 + R + T, 1 + R + T) of all rows taken in."""
        for fold, pending in enumerate(self.pending):
            if pending:
                self._multiply(fold)
            _mirror(self.moments[fold])
        return self.moments


def _mirror(matrix: Floats, step: int = 512) -> None:
    """Copy the lower triangle onto the upper, tile by tile to stay in cache."""
    for start in range(0, len(matrix), step):
        stop = min(start + step, len(matrix))
        matrix[start:stop, stop:] = matrix[stop:, start:stop].T
        tile = matrix[start:stop, start:stop]
        tile[:] = np.tril(tile) + np.tril(tile, -1).T


def rows_in_folds(
    features: Features, Y: Floats, weights: Floats, folds: NDArray[np.intp], columns: Any
) -> Iterator[Piece]:
    """Yield the rows that belong to a fold, block by block."""
    for rows, block in features.blocks(columns):
        if not np.isfinite(block).all():
            bad = rows.start + int(np.argmin(np.isfinite(block).all(axis=1)))
            raise ValueError(
                f"the features of row {bad} hold NaN or infinity; "
                "ridge needs finite numbers, so drop or impute that row."
            )
        phi = block if block.dtype in (np.float32, np.float64) else block.astype(np.float64)
        used = folds[rows] >= 0
        if used.all():
            yield phi, Y[rows], weights[rows], folds[rows]
        elif used.any():
            yield phi[used], Y[rows][used], weights[rows][used], folds[rows][used]


def with_first(pieces: Iterator[Piece]) -> tuple[list[Piece], Iterator[Piece]]:
    """Return the first pieces, enough for centre and scale, and all of them again."""
    first: list[Piece] = []
    for piece in pieces:
        first.append(piece)
        if sum(len(p[0]) for p in first) >= FIRST_ROWS:
            break
    if not first:
        raise ValueError("no row has a positive weight; ridge needs at least one.")
    # The list is handed over piece by piece, so that no block outlives its turn.
    return first, chain(_drained(first.copy()), pieces)


def _drained(pieces: list[Piece]) -> Iterator[Piece]:
    while pieces:
        yield pieces.pop(0)
