"""Choose the penalty and the number of leading features by exact cross-validation from sums."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError

from ..engine import backend, settings, side_by_side, tick
from .dual import Dual
from .normal import Primal

Floats = NDArray[np.float64]
Ridges = Primal | Dual

# Penalties tried, as powers of ten of the largest eigenvalue. Below the floor there is only noise.
FIRST_POWERS = np.arange(-7.0, 1.0)
FLOOR, CEILING = 1e-8, 1e3
HALF = 10.0**0.5  # a decade
COARSE = 4  # times fewer columns, on which the search begins
FEW_FOLDS = 2  # that the search looks at where a factor is dear; one where it is dearer still
SAME_ERROR = 1 + 1e-10  # times the least: no more than rounding
HOPELESS = 1.15  # times the error to be reached, at three penalties: no other will do


@dataclass(frozen=True)
class PenaltyChoice:
    """What cross-validation chose, and the table it chose from."""

    penalty: float
    n_features: int
    results: dict[str, Any]
    solutions: list[Floats] | None = None  # of each fold's `trial`, if kept


def choose(
    ridges: Ridges,
    sizes: Sequence[int],
    penalty: float | None = None,
    start: float | None = None,
    bar: float = np.inf,
    final: bool = True,
) -> PenaltyChoice:
    """Return the penalty and size of the least out-of-fold squared error.

    Penalties are tried by decades, further while the best is at an end, then half a decade either
    side of the best. Where that is dear, it is done on a quarter of the columns, or on one fold,
    and what is best there is where the search begins: it goes on by half decades, on two folds,
    until the best lies between two others; the other folds then judge that one. Among several
    sizes the smallest within one standard error of the best wins.

    Parameters
    ----------
    ridges : Primal or Dual
        Of at least two folds.
    sizes : sequence of int
        Numbers of leading features to try.
    penalty : float, optional
        Try no other.
    start : float, optional
        Penalty to begin at, if one is known that is likely to be near the best.
    bar : float
        Error to be reached; the search ends early where it is out of reach.
    final : bool
        False for a look at one of many: of few rows too, what is known to be near is enough.
    """
    every = range(len(ridges.data.fold_weights))
    if penalty is not None:
        table = _ErrorTable(ridges, sizes, every)
        table.errors |= table.judged([float(penalty)], every)
        return table.choice()
    top = ridges.equations().largest_eigenvalue()
    few = ridges.n_unknowns < COARSE * settings().few_columns
    if len(sizes) > 1 or (few and (final or start is None)):
        return _walk(_ErrorTable(ridges, sizes, every), top)
    start = _coarse(ridges, sizes[0], top) if start is None else start
    # A fold of many rows sees which of two penalties is better as well as two do.
    many = ridges.data.fold_weights[0] >= ridges.n_unknowns > settings().small_matrix
    looked_at = 1 if many else FEW_FOLDS
    table = _ErrorTable(ridges, sizes, every if few else every[:looked_at])
    choice = _walk(table, top, start, bar)
    hopeless = np.min(choice.results["mean_error"]) > HOPELESS * bar
    return choice if hopeless else table.completed()


def _walk(
    table: _ErrorTable, top: float, start: float | None = None, bar: float = np.inf
) -> PenaltyChoice:
    """Try penalties near `start`, and further ones outwards while the best is at an end.

    Without a start, of all decades, and then half a decade either side of the best: of few rows,
    errors may have two valleys.
    """
    if start is None:
        penalties, step = (top * 10.0**FIRST_POWERS).tolist(), 10.0
    else:
        middle, step = round(2 * np.log10(np.clip(start / top, FLOOR, CEILING))), HALF
        penalties = [float(top * HALF ** (middle + k)) for k in (-1, 0, 1)]
    while penalties:
        table.errors |= table.judged(penalties, table.folds)
        choice, tried = table.choice(), sorted(table.errors)
        best, penalties = choice.penalty, []
        if np.min(choice.results["mean_error"]) > HOPELESS * bar:
            return choice
        if best == tried[0] and best > 1.5 * FLOOR * top:
            penalties = [best / step]
        elif best == tried[-1] and best < CEILING * top / 1.5:
            penalties = [best * step]
    if start is not None:
        return choice
    table.errors |= table.judged([best / HALF, best * HALF], table.folds)
    return table.choice()


def _coarse(ridges: Ridges, size: int, top: float) -> float:
    """Return the penalty that is likely to be best: from fewer columns, or from one fold."""
    if isinstance(ridges, Dual):
        return _walk(_ErrorTable(ridges, [size], range(1)), top).penalty
    few = size // COARSE
    # Eigenvalues grow with the number of columns, and what is best with them.
    return choose(ridges.leading(few), [few]).penalty * size / few


def nested_sizes(n_features: int) -> list[int]:
    """Return n, n/2, n/4, … , eight of them at most.

    Examples
    --------
    >>> nested_sizes(100)
    [100, 50, 25, 12, 6, 3, 1]
    """
    return [n_features >> k for k in range(8) if n_features >> k]


@dataclass
class _ErrorTable:
    """Mean squared error of some folds, for each penalty and size tried so far."""

    ridges: Ridges
    sizes: Sequence[int]
    folds: range  # the first ones, or all
    errors: dict[float, Floats] = field(default_factory=dict)  # penalty → (folds, sizes)
    # penalty → one per fold
    solutions: defaultdict[float, list[Floats]] = field(default_factory=partial(defaultdict, list))

    def judged(self, penalties: list[float], folds: range) -> dict[float, Floats]:
        """Errors (folds, sizes) by penalty; infinite where rounding leaves no solution."""
        # One thread factorises a small matrix; a large one is divided, and there is one at a time.
        small = self.ridges.n_unknowns <= settings().small_matrix and backend().device is None
        of_folds = side_by_side(partial(self._of_fold, penalties), folds, worth=small)
        for _, solutions in of_folds:
            for penalty, found in solutions.items():
                tick()
                if len(self.sizes) == 1:  # several would be too many to keep
                    self.solutions[penalty] += found
        errors = np.stack([errors for errors, _ in of_folds], axis=1)
        return dict(zip(penalties, errors, strict=True))

    def _of_fold(self, penalties: list[float], fold: int) -> tuple[Floats, dict[float, Any]]:
        """Errors of a fold, (penalties, sizes), and solutions by penalty."""
        equations, data = self.ridges.trial(fold), self.ridges.data
        solutions: dict[float, list[Floats]] = {}
        for penalty in penalties:
            with suppress(LinAlgError):
                solutions[penalty] = equations.solve(penalty, self.sizes)
        errors = np.full((len(penalties), len(self.sizes)), np.inf)
        if solutions:
            squares = self.ridges.squared_errors(fold, np.hstack(list(chain(*solutions.values()))))
            squares = squares.reshape(len(solutions), len(self.sizes), -1)
            scaled = squares * data.scale[1 + data.n_features :] ** 2
            solved = [p in solutions for p in penalties]
            errors[solved] = scaled.mean(axis=2) / data.fold_weights[fold]
        return errors, solutions

    def completed(self) -> PenaltyChoice:
        """Let the other folds judge what these find best.

        Other penalties differ from the best by what they differ on the folds that saw both.
        """
        few, weights = dict(self.errors), self.ridges.data.fold_weights
        rest = range(len(self.folds), len(weights))
        shares = weights[: len(self.folds)] / weights[: len(self.folds)].sum()
        means = {p: float(shares @ errors[:, 0]) for p, errors in few.items()}
        least = min(means.values())
        wanted = [p for p in means if means[p] == least]
        if not rest or not np.isfinite(least):
            return self.choice()
        judged: dict[float, Floats] = {}
        self.folds = range(len(weights))
        while wanted:  # again, if all of them fail on a later fold
            judged |= self.judged(wanted, rest)
            known = [p for p in judged if np.isfinite(judged[p]).all()]
            like = min(known, key=lambda p: means[p], default=None)
            base = np.zeros((len(rest), 1)) if like is None else judged[like] - means[like]
            for p, errors in few.items():
                self.errors[p] = np.concatenate([errors, judged.get(p, base + means[p])])
            choice = self.choice()
            wanted = [] if choice.penalty in judged else [choice.penalty]
        return choice

    def choice(self) -> PenaltyChoice:
        """Weigh the folds by their rows; see `choose` for the rule."""
        penalties = np.array(sorted(self.errors))
        errors = np.stack([self.errors[p] for p in penalties], axis=1)  # folds, penalties, sizes
        weights = self.ridges.data.fold_weights[: len(self.folds)]
        mean = np.tensordot(weights / weights.sum(), errors, axes=1)
        solved = np.isfinite(mean)
        sd = np.full(mean.shape, np.nan)
        if len(weights) > 1:
            sd[solved] = errors[:, solved].std(axis=0, ddof=1)
        least = mean.min(axis=0)
        p, s = divmod(int(np.argmin(mean)), mean.shape[1])
        slack = np.nan_to_num(sd[p, s]) / np.sqrt(len(weights))
        enough = np.flatnonzero(least <= mean[p, s] + slack)
        s = int(enough[np.argmin(np.take(self.sizes, enough))])
        results = {
            "penalty": penalties,
            "n_features": np.array(self.sizes),
            "mean_error": mean,
            "sd_error": sd,
        }
        # Where errors are the same but for rounding, the largest penalty asks the least.
        tied = mean[:, s] <= mean[:, s].min() * SAME_ERROR
        penalty = float(penalties[np.flatnonzero(tied)[-1]])
        solutions = self.solutions[penalty]
        kept = solutions if len(solutions) == len(self.ridges.data.fold_weights) else None
        return PenaltyChoice(penalty, self.sizes[s], results, kept)
