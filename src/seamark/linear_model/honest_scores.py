"""Out-of-fold scores of rows that had no part in any choice, the weights of blocks among them.

Blocks are weighed by what ridges say of rows that they have not seen. The same rows cannot tell how
good the result is: on noise some block is right by chance, gets a weight, and is right again. So
for every fold penalties and weights are chosen once more without its rows, by ridges that know
neither these rows nor the ones they are judged by, and the fold is scored with this choice.

Intervals of such scores are wider than those of as many coins. Rows i and j of different folds
judge each other's models: if they are alike by chance and have the same y, both are right. On pure
noise the score of a ridge is a sum over such pairs, each of which counts twice, and its variance is
up to twice that of independent rows. With signal this fades; see `pair_effect`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError

from .alone import Alone, Factored, solution_of
from .calibration import share_interval
from .dual import Dual
from .normal import Primal
from .rows import FoldRows
from .selection import PenaltyChoice, choose
from .sums import FoldSums

Floats = NDArray[np.float64]

CHOSEN = 0.5
"""Standard errors by which choices that are not made anew for each fold lift a score on noise.

Transfers and features that were made with y; measured, on strings, sets and tables."""


def pair_effect(lost: Any) -> Any:
    """Return by how much pairs of rows add to the variance of a score, as a share of it.

    Parameters
    ----------
    lost : float or ndarray
        How much is left to chance: 1 on noise, 0 where everything is foreseen.
    """
    return np.minimum(lost, 1.0) ** 2


def accuracy_interval(share: float, n: float, constant: float) -> tuple[float, float]:
    """Return the ends of a 95 % interval of an accuracy out of fold.

    Wilson's, of fewer rows. If a share s of the rows is a matter of luck, these are right as often
    as a constant, and s² of the pairs of rows are pairs of them: against the whole variance, that
    is the odds of an error against those of a constant.

    Parameters
    ----------
    share : float
        Accuracy.
    n : float
        Number of rows, copies counted once.
    constant : float
        Accuracy of the commonest class.

    Examples
    --------
    >>> [round(end, 3) for end in accuracy_interval(0.9, 100, 0.5)]
    [0.819, 0.946]
    >>> [round(end, 3) for end in accuracy_interval(0.5, 100, 0.5)]  # of coins: 0.404 … 0.596
    [0.343, 0.634]
    """
    if n <= 0:
        return 0.0, 1.0
    by_luck = 1.0
    if share > 0 and constant < 1:
        by_luck = min(1.0, (1 - share) / share * constant / (1 - constant))
    fewer = n / (1 + by_luck)
    lifted = CHOSEN * by_luck * np.sqrt(share * (1 - share) / n)
    low = share_interval(max(share - lifted, 0.0) * fewer, fewer)[0]
    return low, share_interval(share * fewer, fewer)[1]


@dataclass(frozen=True, eq=False)
class FoldRules:
    """A rule of its own for each fold, chosen without the fold's rows."""

    rules: list[Any]

    def left_out(self, fold: int) -> Floats:
        """As of a block alone."""
        return np.asarray(self.rules[fold].left_out(fold))

    def vectors(self, without: int) -> Floats:
        """Residual vectors of the model of the rows outside one fold."""
        return np.asarray(self.rules[without].vectors(without))


def fold_rules(ridges: Any, rules: list[Any]) -> FoldRules | None:
    """Choose among the rules anew for each fold, without its rows; penalties stay as they are.

    None where there are too few folds, or sums that only a device has.

    Parameters
    ----------
    ridges : Primal or Dual
        Of all blocks.
    rules : list of Averaged or Together
        What was compared: `Averaged`, and then `Together`.
    """
    folds = range(ridges.data.n_folds)
    if len(folds) < 3 or not isinstance(ridges.data, (FoldRows, FoldSums)):
        return None
    try:
        return FoldRules([_rule_without(ridges, rules, fold) for fold in folds])
    except LinAlgError:  # lost to rounding
        return None


def _rule_without(ridges: Any, rules: list[Any], fold: int) -> Any:
    averaged, whole = rules[0], without_fold(ridges, fold, known=False)
    alone = []
    for one in averaged.alone:
        own = without_fold(one.ridges, fold)
        choice = choose(own, [len(one.columns)], start=one.choice.penalty, final=False)
        own.known.clear()
        alone.append(Alone(whole, one.columns, own, choice))
    weighed = type(averaged).of(whole, alone)
    errors = [weighed.error] + [_error(without_fold(one.ridges, fold), one) for one in rules[1:]]
    best = int(np.argmin(errors))
    if best:
        return rules[best]
    main = [
        replace(one, choice=_fixed(own.choice))
        for one, own in zip(averaged.alone, alone, strict=True)
    ]
    return replace(averaged, alone=main, weights=weighed.weights)


def without_fold(ridges: Any, fold: int, known: bool = True) -> Any:
    """Return ridges on the rows of the other folds, as if those of one had never been there.

    Products of rows are taken from those that are `known`.
    """
    if isinstance(ridges, Factored):
        return replace(ridges, whole=without_fold(ridges.whole, fold))
    data = ridges.data
    others = np.arange(data.n_folds) != fold
    allowed = data.allowed
    if allowed is not None:  # landmarks among the rows are gone with them
        allowed = allowed[np.append(others, True)] & allowed[fold]
    if isinstance(data, FoldSums):
        return Primal(replace(data, moments=data.moments[others], allowed=allowed), ridges.centred)
    kept = np.flatnonzero(data.folds != fold)
    numbers = np.cumsum(others) - 1
    rows = replace(data, rows=data.rows[kept], folds=numbers[data.folds[kept]], allowed=allowed)
    rows.__dict__.update(first=data.first[others], second=data.second[others])
    made = ridges.grams.some(kept, fold) if known and ridges.by_rows else None
    return Dual(rows, ridges.centred, ridges.by_rows, ridges.factors, made)


def _fixed(choice: PenaltyChoice) -> PenaltyChoice:
    return PenaltyChoice(choice.penalty, choice.n_features, {})


def _error(ridges: Any, rule: Any) -> float:
    """Out-of-fold error of one ridge on all blocks, in units of the targets."""
    data, choice = ridges.data, _fixed(rule.choice)
    units = data.scale[1 + data.n_features :]
    total = 0.0
    for fold in range(data.n_folds):
        squares = ridges.squared_errors(fold, solution_of(ridges, choice, fold))
        total += float(squares @ units**2)
    return total / float(data.fold_weights.sum() * len(units))
