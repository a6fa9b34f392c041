"""Choose the penalty and the number of leading features by exact cross-validation from sums."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError

from .dual import Dual, DualEquations
from .normal import NormalEquations, Primal

Floats = NDArray[np.float64]
Ridges = Primal | Dual

# Penalties tried, as powers of ten of the largest eigenvalue. Below the floor there is only noise.
FIRST_POWERS = np.arange(-7.0, 1.0)
FLOOR, CEILING = 1e-8, 1e3
HALF_DECADE = 10.0**0.5


@dataclass(frozen=True)
class Choice:
    """What cross-validation chose, and the table it chose from."""

    penalty: float
    n_features: int
    results: dict[str, Any]


def choose(ridges: Ridges, sizes: Sequence[int], penalty: float | None = None) -> Choice:
    """Return the penalty and size of the least out-of-fold squared error.

    Penalties are tried by decades, further while the best is at an end, then half a decade either
    side of the best. Among several sizes the smallest within one standard error of the best wins.

    Parameters
    ----------
    ridges : Primal or Dual
        Of at least two folds.
    sizes : sequence of int
        Numbers of leading features to try.
    penalty : float, optional
        Try no other.
    """
    table = _ErrorTable(ridges, sizes)
    if penalty is not None:
        table.evaluate([penalty])
        return table.choice()
    top = ridges.equations().largest_eigenvalue()
    table.evaluate(top * 10.0**FIRST_POWERS)
    while (further := _beyond(table, top)) is not None:
        table.evaluate([further])
    best = table.choice().penalty
    table.evaluate([best / HALF_DECADE, best * HALF_DECADE])
    return table.choice()


def nested_sizes(n_features: int) -> list[int]:
    """Return n, n/2, n/4, … , eight of them at most.

    Examples
    --------
    >>> nested_sizes(100)
    [100, 50, 25, 12, 6, 3, 1]
    """
    return [n_features >> k for k in range(8) if n_features >> k]


def _beyond(table: _ErrorTable, top: float) -> float | None:
    """Return the next penalty outwards when the best is at an end of those tried."""
    tried, best = sorted(table.errors), table.choice().penalty
    if best == tried[0] and best > 1.5 * FLOOR * top:
        return best / 10
    if best == tried[-1] and best < CEILING * top / 1.5:
        return best * 10
    return None


@dataclass
class _ErrorTable:
    """Mean squared error of every fold, for each penalty and size tried so far."""

    ridges: Ridges
    sizes: Sequence[int]
    errors: dict[float, Floats] = field(default_factory=dict)  # penalty → (folds, sizes)

    def evaluate(self, penalties: Iterable[float]) -> None:
        penalties = [float(p) for p in penalties if float(p) not in self.errors]
        n_folds = self.ridges.data.n_folds
        for penalty in penalties:
            self.errors[penalty] = np.empty((n_folds, len(self.sizes)))
        for fold in range(n_folds):
            equations = self.ridges.equations(fold)
            for penalty in penalties:
                self.errors[penalty][fold] = self._fold_errors(equations, fold, penalty)

    def _fold_errors(
        self, equations: NormalEquations | DualEquations, fold: int, penalty: float
    ) -> Floats:
        try:
            solutions = equations.solve(penalty, self.sizes)
        except LinAlgError:  # lost to rounding: no candidate
            return np.full(len(self.sizes), np.inf)
        data = self.ridges.data
        errors = self.ridges.squared_errors(fold, np.hstack(solutions))
        errors = errors.reshape(len(self.sizes), -1) * data.scale[1 + data.n_features :] ** 2
        return np.asarray(errors.mean(axis=1) / data.fold_weights[fold])

    def choice(self) -> Choice:
        """Weigh the folds by their rows; see `choose` for the rule."""
        penalties = np.array(sorted(self.errors))
        errors = np.stack([self.errors[p] for p in penalties], axis=1)  # folds, penalties, sizes
        weights = self.ridges.data.fold_weights
        mean = np.tensordot(weights / weights.sum(), errors, axes=1)
        solved = np.isfinite(mean)
        sd = np.full(mean.shape, np.nan)
        sd[solved] = errors[:, solved].std(axis=0, ddof=1)
        least = mean.min(axis=0)
        p, s = divmod(int(np.argmin(mean)), mean.shape[1])
        slack = sd[p, s] / np.sqrt(len(weights)) if solved[p, s] else 0.0
        enough = [j for j in range(len(least)) if least[j] <= mean[p, s] + slack]
        s = min(enough, key=lambda j: self.sizes[j])
        results = {
            "penalty": penalties,
            "n_features": np.array(self.sizes),
            "mean_error": mean,
            "sd_error": sd,
        }
        return Choice(float(penalties[np.argmin(mean[:, s])]), self.sizes[s], results)
