"""Ridges on features in blocks: which blocks help, and how much each counts.

Heads standardise every column, so a factor before that is lost. Two ways remain. *Together*: one
ridge on all columns, those of block b times a factor after they are standardised (a penalty over
its square). *Averaged*: a ridge for each block by itself, predictions added up with weights w ≥ 0;
its cost is Σ R³, not (Σ R)³. Both are judged by exact out-of-fold errors from one set of sums.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from scipy.optimize import nnls

from .dual import Dual, DualEquations
from .fitting import RidgeFit, RidgeTask
from .normal import NormalEquations, Primal, raw_coefficients
from .rows import FoldRows
from .selection import PenaltyChoice, Ridges, choose
from .sums import FoldSums

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

MOST_TOGETHER = 4096  # unknowns of one ridge on all blocks; beyond, blocks are averaged only
FAINTEST = 1e-3  # weight or squared factor, against the largest, below which a block is left out


@dataclass(frozen=True, eq=False)
class Alone:
    """A ridge on one block, by itself.

    Its residual vectors are given in the space of all columns, (1 + R + T, T).
    """

    columns: Rows
    ridges: Ridges
    penalty: float
    width: int  # 1 + R + T of all blocks

    @classmethod
    def of(cls, whole: Ridges, columns: Rows) -> Alone:
        """Choose the penalty of a block by its own out-of-fold error."""
        ridges = _restricted(whole, columns)
        choice = choose(ridges, [len(columns)])
        return cls(columns, ridges, choice.penalty, len(whole.data.centre))

    def vectors(self, without: int | None = None) -> Floats:
        """Of the model of all rows, or of those outside one fold."""
        own = self.ridges.equations(without).solve(self.penalty, [len(self.columns)])[0]
        vectors = np.zeros((self.width, own.shape[1]))
        vectors[_places(self.columns, self.width, own.shape[1])] = own
        return vectors


@dataclass(frozen=True, eq=False)
class Averaged:
    """Ridges of single blocks, added up with weights, about the mean of the targets.

    ŷ = ȳ + Σ w_b (ŷ_b − ȳ), so that weights need not add up to 1: the rest is the mean.
    """

    whole: Ridges
    alone: list[Alone]
    weights: Floats
    error: float

    @classmethod
    def of(cls, whole: Ridges, alone: list[Alone]) -> Averaged:
        """Find the weights of the least out-of-fold error: it is a quadratic form in them."""
        data, n = whole.data, len(alone)
        units = data.scale[1 + data.n_features :]
        products = np.zeros((n + 1, n + 1))
        for fold in range(data.n_folds):
            constant = _constant(whole, fold)
            steps = [one.vectors(fold) - constant for one in alone]
            stacked = np.stack([constant, *steps]) * units  # targets in their own units
            for t in range(stacked.shape[2]):
                products += _products(whole, fold, stacked[:, :, t].T)
        weights = _least_squares(products)
        mixed = np.r_[1.0, weights]
        total = data.fold_weights.sum() * len(units)
        return cls(whole, alone, weights, float(mixed @ products @ mixed) / total)

    def vectors(self, without: int | None = None) -> Floats:
        """Residual vectors of the model of all rows, or of those outside one fold."""
        constant = _constant(self.whole, without)
        vectors = constant.copy()
        for one, weight in zip(self.alone, self.weights, strict=True):
            if weight > 0:
                vectors += weight * (one.vectors(without) - constant)
        return vectors

    @property
    def penalty(self) -> Floats:
        """Of each block."""
        return np.array([one.penalty for one in self.alone])


@dataclass(frozen=True, eq=False)
class Factored:
    """The ridges of all columns, those of each block times a factor after standardising."""

    whole: Ridges
    factors: Floats  # of each column
    known: dict[int | None, DualEquations] = field(default_factory=dict)  # while choosing

    @property
    def data(self) -> Any:
        """What the ridges are made from."""
        return self.whole.data

    @property
    def n_unknowns(self) -> int:
        """Numbers to solve for."""
        return self.whole.n_unknowns

    def equations(self, without: int | None = None) -> NormalEquations | DualEquations:
        """Return (FAF + λI) γ = Fb with β = Fγ: columns in other units."""
        if without in self.known:
            return self.known[without]
        plain, f = self.whole.equations(without), self.factors
        if isinstance(plain, DualEquations):
            self.known[without] = replace(plain, unit=plain.unit * f, grams={})
            return self.known[without]
        f = f[plain.columns]
        return replace(
            plain,
            correlation=plain.correlation * np.outer(f, f),
            response=plain.response * f[:, None],
            unit=plain.unit * f,
        )

    def squared_errors(self, fold: int, vectors: Floats) -> Floats:
        """As of the ridges without factors."""
        return self.whole.squared_errors(fold, vectors)


@dataclass(frozen=True, eq=False)
class Together:
    """One ridge on all columns, each block with its factor."""

    ridges: Factored
    weights: Floats  # factor of each block
    choice: PenaltyChoice

    @classmethod
    def of(cls, whole: Ridges, owners: Rows, factors: Floats, alone: Floats) -> Together:
        """Choose the one penalty by the out-of-fold error, beginning where blocks alone ended."""
        ridges = Factored(whole, factors[owners])
        start = float(np.median((alone * factors**2)[factors > 0]))
        choice = choose(ridges, [len(owners)], start=start)  # type: ignore[arg-type]
        ridges.known.clear()  # n² numbers for each fold
        return cls(ridges, factors, choice)

    @cached_property
    def error(self) -> float:
        """Least out-of-fold error."""
        return float(np.min(self.choice.results["mean_error"]))

    @property
    def penalty(self) -> float:
        """Of all blocks, before their factors."""
        return self.choice.penalty

    def vectors(self, without: int | None = None) -> Floats:
        """Residual vectors of the model of all rows, or of those outside one fold."""
        return self.ridges.equations(without).solve(self.penalty, [len(self.ridges.factors)])[0]


@dataclass(frozen=True, eq=False)
class BlockFit(RidgeFit):
    """A fit to blocks."""

    rule: Averaged | Together
    tried: dict[str, Any]

    def fold_models(self) -> list[tuple[Floats, Floats]]:
        """Coefficients and intercepts of each fold's model, fitted to the other folds."""
        data = self.ridges.data
        return [raw_coefficients(data, self.rule.vectors(fold)) for fold in range(data.n_folds)]


def fit_blocks(task: RidgeTask) -> BlockFit:
    """Fit blocks averaged and together, in float64, and keep what errs least out of fold.

    Parameters
    ----------
    task : RidgeTask
        Of at least two folds; its features have owners. No penalty is given.
    """
    among = np.asarray(task.features.owners)[: task.n_features]
    owners = np.unique(among, return_inverse=True)[1]
    ridges = task.ridges()
    alone = [Alone.of(ridges, np.flatnonzero(owners == b)) for b in range(owners.max() + 1)]
    averaged = Averaged.of(ridges, alone)
    rules: list[Averaged | Together] = [averaged]
    for factors in _factors(averaged) if ridges.n_unknowns <= MOST_TOGETHER else ():
        with suppress(LinAlgError):  # lost to rounding: no candidate
            rules.append(Together.of(ridges, owners, factors, averaged.penalty))
    best = min(rules, key=lambda rule: rule.error)
    names = ["averaged"] + ["together"] * (len(rules) - 1)
    tried: dict[str, Any] = {"tried": names, "error": [rule.error for rule in rules]}
    tried |= {"rule": names[rules.index(best)], "weights": best.weights, "penalty": best.penalty}
    vectors = best.vectors()
    errors = {"mean_error": np.array([[best.error]]), "sd_error": np.array([[np.nan]])}
    penalty = np.atleast_1d(best.penalty)[:1]
    results = {"penalty": penalty, "n_features": np.array([task.n_features]), **errors}
    choice = PenaltyChoice(best.penalty, task.n_features, results)  # type: ignore[arg-type]
    return BlockFit(
        *raw_coefficients(ridges.data, vectors), vectors, choice, ridges, rule=best, tried=tried
    )


def _factors(averaged: Averaged) -> list[Floats]:
    """Return factors of the blocks to try together.

    All alike; all alike of those that help on average; and by what the ridges of single blocks
    say: one that is shrunk a lot by itself is made small beside others.
    """
    helps = averaged.weights > 0
    every = [np.ones(len(helps))]
    if not helps.any():
        return every
    if not helps.all():
        every.append(helps.astype(float))
    if helps.sum() > 1:
        own = np.sqrt(averaged.weights / averaged.penalty)
        every.append(np.where(own < FAINTEST**0.5 * own.max(), 0.0, own / own.max()))
    return every


def _least_squares(products: Floats) -> Floats:
    """Return w ≥ 0 for which (1, w) P (1, w) is least; weights that are next to nothing are 0."""
    gram, response = products[1:, 1:], -products[1:, 0]
    size = np.sqrt(np.maximum(np.diag(gram), 0.0))
    unit = np.where(size > 0, 1 / np.where(size > 0, size, 1.0), 0.0)
    values, basis = np.linalg.eigh(gram * np.outer(unit, unit))
    kept = values > 1e-12 * max(float(values[-1]), 0.0)  # blocks may say the same
    if not kept.any():
        return np.zeros(len(gram))
    root = np.sqrt(values[kept])[:, None] * basis[:, kept].T
    target = (basis[:, kept].T @ (unit * response)) / np.sqrt(values[kept])
    scaled = nnls(root, target)[0]
    scaled[scaled < FAINTEST * scaled.max(initial=0.0)] = 0.0
    return np.asarray(scaled * unit)


def _constant(ridges: Ridges, without: int | None) -> Floats:
    """Residual vectors of the model that says the mean of the targets, or 0 if not centred."""
    data = ridges.data
    sums = data.first if isinstance(data, FoldRows) else data.moments[:, 0]
    first = sums.sum(axis=0) - (0.0 if without is None else sums[without])
    n_targets = len(first) - 1 - data.n_features
    vectors = np.zeros((len(first), n_targets))
    vectors[-n_targets:] = np.eye(n_targets)
    if ridges.centred:
        vectors[0] = -first[-n_targets:] / first[0]
    return vectors


def _products(ridges: Ridges, fold: int, vectors: Floats) -> Floats:
    """Vᵀ M V over the rows of a fold: products of residuals."""
    data = ridges.data
    if isinstance(data, FoldRows):
        residuals = data.rows[data.folds == fold] @ vectors
        return np.asarray(residuals.T @ residuals)
    return np.asarray(vectors.T @ data.moments[fold] @ vectors)


def _restricted(ridges: Ridges, columns: Rows) -> Ridges:
    """Return the ridges of some columns, in the form that has fewer unknowns."""
    data = ridges.data
    n_targets = len(data.centre) - 1 - data.n_features
    kept = _places(columns, len(data.centre), n_targets)
    allowed = None if data.allowed is None else data.allowed[:, columns]
    place: dict[str, Any] = {"centre": data.centre[kept], "scale": data.scale[kept]}
    place |= {"n_features": len(columns), "allowed": allowed}
    if isinstance(data, FoldSums):
        moments = data.moments[:, kept[:, None], kept]
        return Primal(replace(data, moments=moments, **place), ridges.centred)
    rows = np.ascontiguousarray(data.rows[:, kept])
    if len(rows) <= len(columns):
        return Dual(replace(data, rows=rows, **place), ridges.centred)
    parts = [rows[data.folds == fold] for fold in range(data.n_folds)]
    return Primal(FoldSums(np.stack([p.T @ p for p in parts]), **place), ridges.centred)


def _places(columns: Rows, width: int, n_targets: int) -> Rows:
    """Return where (1, φ, y) of some columns stand among (1, φ, y) of all."""
    return np.concatenate([[0], 1 + columns, np.arange(width - n_targets, width)])
