"""How far from uniform a learned distribution may be: ρ, by the error of a ridge on folds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..engine import blas_for, settings
from ..features import InMemory
from ..linear_model import FoldSums, Primal
from .alignment import alignment_weights
from .columns import Array, Rows
from .sums import Candidates, TargetSums

SIZES = (8, 16, 32, 64, 125, 250, 500)  # features that the ρ tried would leave, were all alike
PENALTIES = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)  # of the ridge


@dataclass(frozen=True)
class FoldAlignment:
    """How features of some rows go with targets, with any fold left out.

    Parameters
    ----------
    candidates : Candidates
    rows : ndarray of int
        Rows that are looked at.
    Y : ndarray of shape (len(rows), outputs)
        Their targets.
    folds : ndarray of int
        Their folds.
    sums : TargetSums
        Over each fold.
    power, diagonal, normalise
        As in `Aligned`.
    """

    candidates: Candidates
    rows: Rows
    Y: Array
    folds: Rows
    sums: TargetSums
    power: float
    diagonal: bool
    normalise: bool

    def v(self, without: int | None = None) -> Array:
        """Return the alignment of each feature."""
        sums = self.sums if without is None else self.sums.without(without)
        return sums.alignment(diagonal=self.diagonal, normalise=self.normalise)


def tuned_rho(
    alignment: FoldAlignment, rng: np.random.Generator
) -> tuple[float, dict[str, list[float]]]:
    """Return the ρ/N with the least squared error on folds, and all that was tried.

    The distribution is found again without each fold. Whatever ρ is, it leaves the features of
    the largest alignments; so one matrix of products over the widest of them, of at most 5000
    rows, serves the ridges of all.
    """
    n, k = alignment.candidates.n_features, alignment.power
    rhos = [((n / size) ** (k - 1.0) - 1.0) / n for size in SIZES if size < n]
    if not rhos:
        return 0.0, {}
    sample = np.sort(rng.permutation(len(alignment.rows))[: settings().strength_rows])
    folds = np.unique(alignment.folds[sample])
    with blas_for(settings().strength_columns):
        errors = np.mean([_errors(alignment, rhos, sample, fold) for fold in folds], axis=0)
    best = rhos[int(np.argmin(errors))]
    return best, {"rho_per_feature": rhos, "error": errors.tolist()}


def _errors(alignment: FoldAlignment, rhos: list[float], sample: Rows, fold: int) -> Array:
    """Return the error of each ρ on one fold of the sample; infinite where it leaves too many."""
    v = alignment.v(without=fold)
    widths = [int(np.count_nonzero(alignment_weights(v, rho, alignment.power))) for rho in rhos]
    tried = [width for width in widths if width <= settings().strength_columns] or widths[:1]
    columns = np.argsort(-v, kind="stable")[: max(tried)]
    values = alignment.candidates.read(alignment.rows[sample], columns)
    held = (alignment.folds[sample] == fold).astype(np.intp)
    sums = FoldSums.of(InMemory(values), alignment.Y[sample], held, n_folds=2, precision="single")
    ridges = Primal(sums, centred=True)
    equations = ridges.equations(1)
    errors = np.full((len(PENALTIES), len(rhos)), np.inf)
    units = np.square(sums.scale[1 + len(columns) :])
    for row, penalty in zip(errors, PENALTIES, strict=True):
        solutions = equations.solve(penalty, tried)
        row[: len(tried)] = [ridges.squared_errors(1, s) @ units for s in solutions]
    return np.asarray(errors.min(axis=0) / held.sum())
