"""`FoldSums`: all that ridge regression needs to know of the rows, one matrix per fold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ..engine import side_by_side
from ..features import Features
from .moments import FoldMoments, Standard, mirror

Precision = Literal["single", "double"]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FoldSums:
    """Weighted second moments of the rows ``(1, φ, y)`` in each fold.

    One symmetric matrix per fold holds its weight, Σφ, ΦᵀΦ, ΦᵀY, ΣY and YᵀY as blocks. Total minus
    fold is the sum over the rows a fold's model is trained on, exactly; so K-fold
    cross-validation of a ridge needs no second look at the rows.

    Columns are shifted by `centre` and divided by `scale` (those of the first rows)
    *before* they are multiplied, which is what makes float32 products good enough; chunks are
    added in float64. ``sums + sums`` merges the sums of two parts of the rows.

    Parameters
    ----------
    moments : ndarray of shape (n_folds, 1 + R + T, 1 + R + T)
        Σ w a aᵀ over the rows a = (1, φ, y) of each fold, about `centre` in units of `scale`.
    centre, scale : ndarray of shape (1 + R + T,)
        Where the columns are measured from, and in which unit.
    n_features : int
        R.
    precision : {"single", "double"}
        Of the products.
    allowed : ndarray of bool, shape (n_folds + 1, R), optional
        Features that the model without each fold may use, and, last, the model of all rows.

    Examples
    --------
    >>> from seamark.features import InMemory
    >>> phi, y = np.array([[1.0], [2.0], [6.0]]), np.array([[0.0], [1.0], [1.0]])
    >>> sums = FoldSums.of(InMemory(phi), y, np.array([0, 0, 1]))
    >>> raw = sums.about(np.zeros(3), np.ones(3))
    >>> raw.total().round(9)
    array([[ 3.,  9.,  2.],
           [ 9., 41.,  8.],
           [ 2.,  8.,  2.]])
    >>> raw.training(1).round(9)  # all but the last row
    array([[2., 3., 1.],
           [3., 5., 2.],
           [1., 2., 1.]])
    """

    moments: Floats
    centre: Floats
    scale: Floats
    n_features: int
    precision: Precision = "double"
    allowed: NDArray[np.bool_] | None = None

    @classmethod
    def of(
        cls,
        features: Features,
        Y: Floats,
        folds: NDArray[np.intp],
        sample_weight: Floats | None = None,
        *,
        n_folds: int | None = None,
        columns: Any = None,
        precision: Precision = "double",
        centred: bool = True,
        standard: tuple[Floats, Floats] | None = None,
    ) -> FoldSums:
        """Sum over the rows in one pass.

        Parameters
        ----------
        features : Features
            Read once, in chunks; of the first rows, centre and scale are taken before.
        Y : ndarray of shape (n, T)
            Targets.
        folds : ndarray of shape (n,)
            Number of each row's fold; rows of a negative fold or without weight are left out.
        sample_weight : ndarray of shape (n,), optional
            Weights, 1 if not given.
        n_folds : int, optional
            How many folds there are, for a part of the rows that lacks the last ones.
        columns : array of int, optional
            Use these columns of the features only.
        precision : {"single", "double"}
            Of the products; they are added in float64 in any case.
        centred : bool
            False measures columns from 0, for models without an intercept.
        standard : tuple of two ndarrays of shape (R,) or (R + T,), optional
            Centre and scale of the features, in place of those of the first rows, and perhaps of
            the targets.
        """
        how = Standard.of(
            features,
            Y,
            folds,
            sample_weight,
            columns=columns,
            dtype=np.float32 if precision == "single" else np.float64,
            centred=centred,
            standard=standard,
        )
        n_folds = n_folds or int(how.folds.max()) + 1
        parts: FoldMoments = features.reduce(partial(FoldMoments, how, n_folds), columns)
        moments = parts.multiply()
        side_by_side(mirror, list(moments))
        return cls(moments, how.centre, how.scale, how.n_features, precision)

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.moments)

    @property
    def fold_weights(self) -> Floats:
        """Sum of the weights in each fold."""
        return self.moments[:, 0, 0]

    @property
    def n_targets(self) -> int:
        """T."""
        return len(self.centre) - 1 - self.n_features

    def total(self) -> Floats:
        """Sum of all folds."""
        return np.asarray(self.moments.sum(axis=0))

    def training(self, fold: int, total: Floats | None = None) -> Floats:
        """Sum of all folds but one."""
        return np.asarray((self.total() if total is None else total) - self.moments[fold])

    def leading(self, size: int) -> Self:
        """Return the sums of the leading columns, and of the targets."""
        return self.some(np.arange(size))

    def some(self, columns: NDArray[np.intp]) -> Self:
        """Return the sums of some columns, and of the targets."""
        kept = np.r_[0, 1 + columns, 1 + self.n_features : len(self.centre)]
        return replace(
            self,
            moments=np.stack([matrix[np.ix_(kept, kept)] for matrix in self.moments]),
            centre=self.centre[kept],
            scale=self.scale[kept],
            n_features=len(columns),
            allowed=None if self.allowed is None else self.allowed[:, columns],
        )

    def about(self, centre: Floats, scale: Floats) -> Self:
        """The same sums measured from another centre, in other units.

        Exact but for float64 rounding: rows turn as a' = T a, hence moments as T M Tᵀ.
        """
        unit, shift = self.scale / scale, (self.centre - centre) / scale
        moved = np.empty_like(self.moments)
        for old, new in zip(self.moments, moved, strict=True):
            half = old * unit + np.outer(old[:, 0], shift)
            new[:] = unit[:, None] * half + np.outer(shift, half[0])
        return replace(self, moments=moved, centre=centre, scale=scale)

    def __add__(self, other: FoldSums) -> Self:
        if self.moments.shape != other.moments.shape or self.n_features != other.n_features:
            raise ValueError(
                f"sums over {self.n_folds} folds, {self.n_features} features and {self.n_targets} "
                f"targets cannot be added to sums over {other.n_folds}, {other.n_features} and "
                f"{other.n_targets}; give every part the same n_folds and columns."
            )
        if not (
            np.array_equal(self.centre, other.centre) and np.array_equal(self.scale, other.scale)
        ):
            other = other.about(self.centre, self.scale)
        both = {self.precision, other.precision}
        return replace(
            self,
            moments=self.moments + other.moments,
            precision="single" if "single" in both else "double",
        )

    def __iadd__(self, other: FoldSums) -> Self:
        alike = self.centre is other.centre or np.array_equal(self.centre, other.centre)
        if not alike or self.moments.shape != other.moments.shape:
            return self + other
        np.add(self.moments, other.moments, out=self.moments)
        return self

    def drift(self) -> float:
        """How far the centre is from the mean of any column, in standard deviations of all rows.

        Squared, it is the factor by which centring magnifies the errors of the products.
        """
        mean, variance = self._spread()
        varies = variance > 1e-6 * mean**2
        # A constant column sits at its centre. One that does not might vary, drowned in rounding.
        if np.any(~varies & (np.abs(mean) > 1e-4)):
            return float("inf")
        return float(np.sqrt(np.max(mean[varies] ** 2 / variance[varies], initial=0.0)))

    def _spread(self) -> tuple[Floats, Floats]:
        """Mean and variance of the features, about the centre in units of the scale."""
        columns = slice(1, 1 + self.n_features)
        diagonal = np.einsum("kjj->j", self.moments)
        edge = self.moments[:, 0].sum(axis=0)
        mean = edge[columns] / edge[0]
        return mean, diagonal[columns] / edge[0] - mean**2

    def location(self, centred: bool = True) -> tuple[Floats, Floats]:
        """Mean and scale of the features over all rows, for a second pass to standardise by."""
        mean, variance = self._spread()
        columns = slice(1, 1 + self.n_features)
        centre, scale = self.centre[columns], self.scale[columns]
        varies = variance > 1e-6 * mean**2
        return (
            centre + mean * scale if centred else centre,
            np.where(varies, np.sqrt(np.where(varies, variance, 1.0)) * scale, scale),
        )
