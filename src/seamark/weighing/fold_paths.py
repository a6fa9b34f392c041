"""Ridges on some folds, from sums of which only the rows are read that a path asks for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..heads import FoldSums
from ..heads.moments import units
from .columns import Array, Rows
from .forward import RidgePath, forward_ridge

# Variance of a column against its second moment. Below it, float32 products leave correlations so
# wrong that their matrix has negative eigenvalues, and a path of many steps leads nowhere.
LEAST_VARIANCE = 1e-4


@dataclass(frozen=True)
class Shown:
    """Sums over some folds, and paths of ridges on their rows.

    Of the sums, R × R for every fold, only the rows of columns that a path chooses are added up.

    Parameters
    ----------
    sums : FoldSums
        Of all folds.
    folds : ndarray of int
        Those that are shown.
    """

    sums: FoldSums
    folds: Rows

    @cached_property
    def targets(self) -> Rows:
        """Where targets stand in the sums."""
        return np.arange(1 + self.sums.n_features, len(self.sums.centre))

    @property
    def target_units(self) -> Array:
        """Scales of the targets: a rare class is not to count as much as a common one."""
        return self.sums.scale[self.targets]

    def _row(self, place: int) -> Array:
        return np.asarray(self.sums.moments[self.folds, place].sum(axis=0))

    @cached_property
    def weight(self) -> float:
        """Of the rows shown."""
        return float(self.sums.moments[self.folds, 0, 0].sum())

    @cached_property
    def _means(self) -> Array:
        return self._row(0) / self.weight

    @cached_property
    def mean(self) -> Array:
        """Of the columns."""
        return self._means[1 : 1 + self.sums.n_features]

    @cached_property
    def unit(self) -> Array:
        """1 / standard deviation of the columns; 0 of those that are constant."""
        squares = np.einsum("fjj->fj", self.sums.moments)[:, 1 : 1 + self.sums.n_features]
        raw = squares[self.folds].sum(axis=0) / self.weight
        whole = squares.sum(axis=0) / self.sums.fold_weights.sum()
        return units(self.mean, raw, whole, LEAST_VARIANCE)

    @cached_property
    def response(self) -> Array:
        """Covariances of the standardised columns with the targets, in the targets' own units."""
        rows = np.column_stack([self._row(place) for place in self.targets])
        raw = rows[1 : 1 + self.sums.n_features] / self.weight
        raw -= np.outer(self.mean, self._means[self.targets])
        return np.asarray(self.unit[:, None] * raw * self.target_units)

    def correlations(self, j: int) -> Array:
        """Correlations of a column with all."""
        row = self._row(1 + j)[1 : 1 + self.sums.n_features]
        return np.asarray(
            (row / self.weight - self.mean[j] * self.mean) * (self.unit[j] * self.unit)
        )

    def path(self, size: int, penalty: float) -> RidgePath:
        """Choose columns by the rows shown."""
        room = (self.unit > 0).astype(np.float64)
        return forward_ridge(self.correlations, room, self.response, size, penalty)

    def errors(self, path: RidgePath, sizes: list[int], fold: int) -> Array:
        """Squared errors of the first columns of a path, summed over the rows of another fold."""
        kept = np.concatenate([[0], 1 + path.support, self.targets])
        moments = self.sums.moments[fold][np.ix_(kept, kept)]
        errors = []
        for size in sizes:
            chosen = path.support[:size]
            coef = self.unit[chosen, None] * path.coefficients(len(chosen)) / self.target_units
            intercept = self._means[self.targets] - self.mean[chosen] @ coef
            # Of (1, φ, y) such a vector makes the residual.
            vectors = np.vstack([-intercept, -coef, np.eye(len(self.targets))])
            used = np.r_[0 : 1 + len(chosen), 1 + len(path) : len(kept)]
            squares = np.einsum("pt,pt->t", vectors, moments[np.ix_(used, used)] @ vectors)
            errors.append(squares @ np.square(self.target_units))
        return np.array(errors)


def chosen(
    sums: FoldSums, sizes: list[int], penalties: list[float]
) -> tuple[Rows, float, dict[str, list[Any]]]:
    """Choose columns by all rows; where their number or the penalty is open, folds decide.

    Parameters
    ----------
    sums : FoldSums
    sizes : list of int
        Numbers of columns to try.
    penalties : list of float
        Penalties to try.

    Returns
    -------
    columns : ndarray of int
        In the order chosen.
    penalty : float
    results : dict
        What was tried, and its errors; empty if nothing was open.
    """
    size, penalty = sizes[0], penalties[0]
    results: dict[str, list[Any]] = {}
    folds = np.arange(sums.n_folds)
    if len(sizes) * len(penalties) > 1:
        errors = np.zeros((len(penalties), len(sizes)))
        for fold in range(sums.n_folds):
            shown = Shown(sums, folds[folds != fold])
            for i, one in enumerate(penalties):
                errors[i] += shown.errors(shown.path(max(sizes), one), sizes, fold)
        errors /= sums.fold_weights.sum()
        i, j = divmod(int(errors.argmin()), len(sizes))
        size, penalty = sizes[j], penalties[i]
        results = {"penalty": penalties, "n_features": sizes, "error": errors.tolist()}
    return Shown(sums, folds).path(size, penalty).support, penalty, results
