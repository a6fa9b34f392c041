"""Ridges of a single block of columns, beside those of all: what rules about blocks are made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .dual import Dual
from .grams import Grams
from .normal import NormalEquations, Primal
from .rows import FoldRows
from .selection import PenaltyChoice, Ridges, choose
from .sums import FoldSums

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Alone:
    """A ridge on one block, by itself; what it says is given in terms of all columns."""

    whole: Ridges
    columns: Rows
    ridges: Ridges
    choice: PenaltyChoice

    @classmethod
    def of(cls, whole: Ridges, columns: Rows, start: float | None = None) -> Alone:
        """Choose the penalty of a block by its own out-of-fold error, from `start` if known."""
        ridges = _restricted(whole, columns)
        choice = choose(ridges, [len(columns)], start=start)
        ridges.known.clear()  # n² numbers for each fold
        return cls(whole, columns, ridges, choice)

    def left_out(self, fold: int) -> Floats:
        """What the model without a fold leaves of its rows: residuals, or residual vectors."""
        solution = solution_of(self.ridges, self.choice, fold)
        if self.ridges.by_rows:
            return solution
        return as_left_out(self.whole, fold, solution, self._places)

    def vectors(self, without: int | None = None) -> Floats:
        """Residual vectors (1 + R + T, T) of the model of all rows, or of those outside a fold."""
        own = self.ridges.equations(without).solve(self.choice.penalty, [len(self.columns)])[0]
        vectors = np.zeros((len(self.whole.data.centre), own.shape[1]))
        vectors[self._places] = own
        return vectors

    @property
    def _places(self) -> Rows:
        return _places(self.columns, self.whole)

    @cached_property
    def grams(self) -> Grams:
        """Products of rows."""
        if isinstance(self.ridges, Dual):
            return self.ridges.grams
        data: Any = self.whole.data
        return Dual(data.some(self.columns), self.whole.centred).grams


@dataclass(frozen=True, eq=False)
class Factored:
    """Ridges from sums, the columns of each block times a factor after standardising."""

    whole: Primal
    factors: Floats  # of each column
    by_rows: ClassVar[bool] = False

    data = property(attrgetter("whole.data"), doc="What the ridges are made from.")
    n_unknowns = property(attrgetter("whole.n_unknowns"), doc="Numbers to solve for.")

    def equations(self, without: int | None = None) -> NormalEquations:
        """Return (FAF + λI) γ = Fb with β = Fγ: columns in other units."""
        plain = self.whole.equations(without)
        f = self.factors[plain.columns]
        return replace(
            plain,
            correlation=plain.correlation * np.outer(f, f),
            response=plain.response * f[:, None],
            unit=plain.unit * f,
            latest={},
        )

    trial = equations

    def squared_errors(self, fold: int, vectors: Floats) -> Floats:
        """As of the ridges without factors."""
        return self.whole.squared_errors(fold, vectors)


def solution_of(ridges: Any, choice: PenaltyChoice, fold: int) -> Floats:
    """What was chosen, as a solution of the `trial` of a fold."""
    if choice.solutions is not None:
        return choice.solutions[fold]
    found: Floats = ridges.trial(fold).solve(choice.penalty, [choice.n_features])[0]
    return found


def mean_vectors(ridges: Ridges, without: int | None) -> Floats:
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


def as_left_out(whole: Any, fold: int, vectors: Floats, places: Rows | None = None) -> Floats:
    """Residual vectors, or the residuals of a fold's rows where ridges are judged by these.

    Parameters
    ----------
    whole : Ridges
    fold : int
    vectors : ndarray of shape (k, T)
    places : ndarray of int, shape (k,), optional
        Where these stand among all.
    """
    if whole.by_rows:
        data = whole.data
        used = np.flatnonzero(vectors.any(axis=1))
        columns = used if places is None else places[used]
        return np.asarray(data.rows[data.folds == fold][:, columns] @ vectors[used])
    if places is None:
        return vectors
    every = np.zeros((len(whole.data.centre), vectors.shape[1]))
    every[places] = vectors
    return every


def inner_products(ridges: Any, fold: int, stacked: Floats) -> Floats:
    """Products of what several models leave of a fold, (m, …, T), over its rows: (m, m)."""
    if ridges.by_rows:
        flat = stacked.reshape(len(stacked), -1)
        return np.asarray(flat @ flat.T)
    total = np.zeros((len(stacked),) * 2)
    for t in range(stacked.shape[2]):
        vectors = stacked[:, :, t].T
        if isinstance(ridges.data, FoldRows):
            residuals = ridges.data.rows[ridges.data.folds == fold] @ vectors
            total += residuals.T @ residuals
        else:
            total += vectors.T @ ridges.data.moments[fold] @ vectors
    return total


def _restricted(ridges: Any, columns: Rows) -> Ridges:
    """Return the ridges of some columns, in the form that has fewer unknowns."""
    data = ridges.data
    if isinstance(data, FoldSums):
        return Primal(data.some(columns), ridges.centred)
    rows = data.some(columns)
    if len(rows.rows) <= len(columns):
        return Dual(rows, ridges.centred, by_rows=ridges.by_rows)
    parts = [rows.rows[rows.folds == fold] for fold in range(rows.n_folds)]
    moments = np.stack([p.T @ p for p in parts])
    sums = FoldSums(moments, rows.centre, rows.scale, rows.n_features, allowed=rows.allowed)
    return Primal(sums, ridges.centred)


def _places(columns: Rows, ridges: Ridges) -> Rows:
    """Return where (1, φ, y) of some columns stand among (1, φ, y) of all."""
    width, targets = len(ridges.data.centre), 1 + ridges.data.n_features
    return np.concatenate([[0], 1 + columns, np.arange(targets, width)])
