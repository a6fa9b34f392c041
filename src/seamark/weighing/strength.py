"""How far from uniform a learned distribution may be: ρ, by the error of a ridge on folds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..heads import RidgeRegressor
from .alignment import alignment_weights
from .columns import Array, Rows
from .sums import Candidates, TargetSums

PILOT_ROWS = 5000
SIZES = (16, 32, 64, 125, 250, 500, 1000)  # features that the ρ tried would leave, were all alike
WIDEST = 2000  # features, beyond which nothing is tried


@dataclass(frozen=True)
class Alignment:
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

    def supports(self, rhos: list[float], without: int) -> list[Rows]:
        """Return the features that each ρ/N leaves, if a fold is not looked at."""
        v = self.v(without)
        return [np.flatnonzero(alignment_weights(v, rho, self.power)) for rho in rhos]


def tuned_rho(
    alignment: Alignment, rng: np.random.Generator
) -> tuple[float, dict[str, list[float]]]:
    """Return the ρ/N with the least squared error on folds, and all that was tried.

    The distribution is found again without each fold; on at most 5000 rows a ridge, which chooses
    its penalty on the other folds, then predicts those of the fold.
    """
    n, k = alignment.candidates.n_features, alignment.power
    rhos = [((n / size) ** (k - 1.0) - 1.0) / n for size in SIZES if size < n]
    if not rhos:
        return 0.0, {}
    pilot = np.sort(rng.permutation(len(alignment.rows))[:PILOT_ROWS])
    seed = int(rng.integers(2**31 - 1))
    errors = np.mean(
        [_errors(alignment, rhos, pilot, fold, seed) for fold in np.unique(alignment.folds[pilot])],
        axis=0,
    )
    best = rhos[int(np.argmin(errors))]
    return best, {"rho_per_feature": rhos, "error": errors.tolist()}


def _errors(
    alignment: Alignment, rhos: list[float], pilot: Rows, fold: int, seed: int
) -> list[float]:
    """Return the error of each ρ on one fold of the pilot; infinite where it leaves too many."""
    supports = alignment.supports(rhos, fold)
    narrow = [support for support in supports if len(support) <= WIDEST] or supports[:1]
    columns = np.unique(np.concatenate(narrow))
    values = alignment.candidates.read(alignment.rows[pilot], columns)
    held, Y = alignment.folds[pilot] == fold, alignment.Y[pilot]
    errors: list[float] = []
    for support in supports:
        if len(support) > WIDEST and len(errors) > 0:
            errors.append(np.inf)
            continue
        part = values[:, np.searchsorted(columns, support)]
        ridge = RidgeRegressor(cv=3, random_state=seed).fit(part[~held], Y[~held])
        errors.append(float(np.square(ridge.predict(part[held]) - Y[held]).sum(axis=1).mean()))
    return errors
