"""Choose the penalty and the number of leading features by exact cross-validation from sums."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError

from .dual import Dual
from .normal import Primal

Floats = NDArray[np.float64]
Ridges = Primal | Dual

# Penalties tried, as powers of ten of the largest eigenvalue. Below the floor there is only noise.
FIRST_POWERS = np.arange(-7.0, 1.0)
FLOOR, CEILING = 1e-8, 1e3
HALF_DECADE = 10.0**0.5
COARSE = 4  # times fewer columns, on which the search begins
FEW_COLUMNS = 128  # that are not made fewer
FEW_FOLDS = 2  # on which the search begins, where columns cost nothing


@dataclass(frozen=True)
class Choice:
    """What cross-validation chose, and the table it chose from."""

    penalty: float
    n_features: int
    results: dict[str, Any]
    vectors: list[Floats] | None = None  # residual vectors of each fold's model, if kept


def choose(ridges: Ridges, sizes: Sequence[int], penalty: float | None = None) -> Choice:
    """Return the penalty and size of the least out-of-fold squared error.

    Penalties are tried by decades, further while the best is at an end, then half a decade either
    side of the best. Where that is dear, it is done on a quarter of the columns, or on two folds,
    and what is best there is where the search begins: it goes on by half decades until the best
    lies between two others. Among several sizes the smallest within one standard error of the best
    wins.

    Parameters
    ----------
    ridges : Primal or Dual
        Of at least two folds.
    sizes : sequence of int
        Numbers of leading features to try.
    penalty : float, optional
        Try no other.
    """
    table = _ErrorTable(ridges, sizes, range(ridges.data.n_folds))
    if penalty is not None:
        table.evaluate([penalty])
        return table.choice()
    if len(sizes) == 1 and sizes[0] >= COARSE * FEW_COLUMNS:
        return _refined(table, *_coarse(ridges, sizes[0]))
    return _searched(table, ridges.equations().largest_eigenvalue())


def _searched(table: _ErrorTable, top: float) -> Choice:
    """Search all decades."""
    table.evaluate(top * 10.0**FIRST_POWERS)
    while (further := _beyond(table, top, 10.0)) is not None:
        table.evaluate([further])
    best = table.choice().penalty
    table.evaluate([best / HALF_DECADE, best * HALF_DECADE])
    return table.choice()


def _refined(table: _ErrorTable, start: float, top: float) -> Choice:
    """Search by half decades from where the best is likely to be."""
    table.evaluate([start / HALF_DECADE, start, start * HALF_DECADE])
    while (further := _beyond(table, top, HALF_DECADE)) is not None:
        table.evaluate([further])
    return table.choice()


def _coarse(ridges: Ridges, size: int) -> tuple[float, float]:
    """Return where the best penalty is likely to be, and about the largest eigenvalue.

    Eigenvalues grow as the number of columns, and the best penalty with them.
    """
    if isinstance(ridges, Primal):
        few = size // COARSE
        part = ridges.leading(few)
        if few >= COARSE * FEW_COLUMNS:
            start, top = _coarse(part, few)
        else:
            top = part.equations().largest_eigenvalue()
        table = _ErrorTable(part, [few], range(part.data.n_folds))
        found = (
            _refined(table, start, top) if few >= COARSE * FEW_COLUMNS else _searched(table, top)
        )
        return found.penalty * size / few, top * size / few
    top = ridges.equations().largest_eigenvalue()
    return _searched(_ErrorTable(ridges, [size], range(FEW_FOLDS)), top).penalty, top


def nested_sizes(n_features: int) -> list[int]:
    """Return n, n/2, n/4, … , eight of them at most.

    Examples
    --------
    >>> nested_sizes(100)
    [100, 50, 25, 12, 6, 3, 1]
    """
    return [n_features >> k for k in range(8) if n_features >> k]


def _beyond(table: _ErrorTable, top: float, step: float) -> float | None:
    """Return the next penalty outwards when the best is at an end of those tried."""
    tried, best = sorted(table.errors), table.choice().penalty
    if best == tried[0] and best > 1.5 * FLOOR * top:
        return best / step
    if best == tried[-1] and best < CEILING * top / 1.5:
        return best * step
    return None


@dataclass
class _ErrorTable:
    """Mean squared error of every fold, for each penalty and size tried so far."""

    ridges: Ridges
    sizes: Sequence[int]
    folds: range
    errors: dict[float, Floats] = field(default_factory=dict)  # penalty → (folds, sizes)
    vectors: dict[float, list[Floats]] = field(default_factory=dict)  # penalty → one per fold

    def evaluate(self, penalties: Iterable[float]) -> None:
        penalties = [float(p) for p in penalties if float(p) not in self.errors]
        for penalty in penalties:
            self.errors[penalty] = np.full((len(self.folds), len(self.sizes)), np.inf)
            self.vectors[penalty] = []
        for fold in self.folds:
            equations = self.ridges.equations(fold)
            for penalty in penalties:
                try:
                    solutions = equations.solve(penalty, self.sizes)
                except LinAlgError:  # lost to rounding: no candidate
                    continue
                self.errors[penalty][fold] = self._fold_errors(solutions, fold)
                if len(self.sizes) == 1:  # several would be too many to keep
                    self.vectors[penalty].append(solutions[0])

    def _fold_errors(self, solutions: list[Floats], fold: int) -> Floats:
        data = self.ridges.data
        errors = self.ridges.squared_errors(fold, np.hstack(solutions))
        errors = errors.reshape(len(self.sizes), -1) * data.scale[1 + data.n_features :] ** 2
        return np.asarray(errors.mean(axis=1) / data.fold_weights[fold])

    def choice(self) -> Choice:
        """Weigh the folds by their rows; see `choose` for the rule."""
        penalties = np.array(sorted(self.errors))
        errors = np.stack([self.errors[p] for p in penalties], axis=1)  # folds, penalties, sizes
        weights = self.ridges.data.fold_weights[: len(self.folds)]
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
        penalty = float(penalties[np.argmin(mean[:, s])])
        vectors = self.vectors[penalty]
        kept = vectors if len(vectors) == self.ridges.data.n_folds else None
        return Choice(penalty, self.sizes[s], results, kept)
