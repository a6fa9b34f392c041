"""Fully corrective selection for any smooth loss: pick by gradient, refit by Newton's method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..engine import blas_for
from ..linear_model.newton import newton, solve_positive
from .columns import Array, Rows
from .path import Model, Path, Problem, largest
from .pursuit import Basis

_ORTHOGONAL = 1e-10
_CONVERGED = 1e-10  # of the loss: expected gain of a step that may be the last
_STEPS = 50
_NOTHING = 1e-10  # of the loss at the start: what is left is the penalty's


def forward_selection(problem: Problem) -> Path:
    """Add the column with the largest gradient and refit all weights, until done.

    Between refits (`refit_every` > 1) only the weight of the newest column is fitted.
    """
    with blas_for(problem.n_features):
        return _forward(problem)


def _forward(problem: Problem) -> Path:
    fit = _Chosen(problem)
    fit.all_weights()
    start, start_loss = fit.model()[1], fit.loss()
    losses: list[float] = []
    models: list[Model] = []
    stopped = "n_features"
    while len(fit.support) < problem.n_features:
        if not fit.add_column():
            stopped = "span"
            break
        last = len(fit.support) == problem.n_features
        if last or len(fit.support) % problem.refit_every == 0:
            fit.all_weights()
        else:
            fit.newest_weight()
        losses.append(fit.loss())
        models.append(fit.model())
        if losses[-1] <= max(problem.tol, _NOTHING) * start_loss:
            stopped = "residual"
            break
    if models and len(fit.support) % problem.refit_every:  # ended between two refits
        fit.all_weights()
        losses[-1], models[-1] = fit.loss(), fit.model()
    return Path(fit.support, losses, models.__getitem__, stopped, start, start_loss)


def _unit(problem: Problem) -> float:
    """Return the loss per square of a score, for numbers y; scores of classes are about 1."""
    spread = float(problem.weights @ np.square(problem.targets - problem.offset).sum(axis=1))
    return 1.0 if problem.loss.for_classes or not spread else problem.start_loss / spread


class _Chosen:
    """The chosen columns, their weights for every output, and the scores they give."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.support: list[int] = []
        self.scale = problem.scale()
        self.penalty = problem.penalty * _unit(problem)
        n, outputs = problem.targets.shape
        self.constant = int(problem.columns.centred)  # an intercept is a column of ones
        self.theta = np.zeros((self.constant, outputs))
        self.design = np.ones((n, 16), order="F")
        self.basis = Basis(n)
        self.scores = np.zeros((n, outputs))

    @property
    def active(self) -> Array:
        return self.design[:, : len(self.theta)]

    def loss(self) -> float:
        return self.problem.loss.mean(self.scores, self.problem.targets, self.problem.weights)

    def model(self) -> Model:
        facts = self.problem.columns.statistics
        weights = self.theta[self.constant :] / facts.norms[self.support, None]
        if not self.constant:
            return weights, np.zeros(weights.shape[1])
        return weights, self.theta[0] - facts.means[self.support] @ weights

    def add_column(self) -> bool:
        """Take in the best column that is independent of those chosen."""
        problem = self.problem
        columns, root = problem.columns, np.sqrt(problem.weights)
        slope = problem.loss.slope(self.scores, problem.targets)
        scores = columns.scores(problem.weights[:, None] * slope, self.scale)
        # A gradient this small is what a refit leaves, not what a column could give.
        floor = _ORTHOGONAL * float(np.linalg.norm(root[:, None] * slope))
        while scores.max() > 0.0:
            j = largest(scores)
            column = columns.column(j)
            rest, _ = self.basis.remainder(root * column)
            norm, size = float(np.linalg.norm(rest)), float(columns.statistics.sizes[j])
            gradient = np.linalg.norm((problem.weights * column) @ slope)
            scores[j] = 0.0
            if norm <= columns.collinear * size:
                self.scale[j] = 0.0
            elif gradient > floor * size:
                self.scale[j] = 0.0
                self._append(j, column, rest / norm)
                return True
        return False

    def _append(self, j: int, column: Array, unit: Array) -> None:
        self.basis.add(unit)
        self.support.append(j)
        if len(self.theta) == self.design.shape[1]:
            self.design = np.asfortranarray(np.hstack([self.design, np.empty_like(self.design)]))
        # Of norm 1, so that neither the penalty nor the digits of a Hessian hang on units.
        self.design[:, len(self.theta)] = column / self.problem.columns.statistics.norms[j]
        self.theta = np.vstack([self.theta, np.zeros(self.theta.shape[1])])

    def all_weights(self) -> None:
        """Refit from where the weights are."""
        penalty = np.append(np.zeros(self.constant), np.full(len(self.support), self.penalty))
        self._refit(self.active, slice(None), penalty, np.zeros_like(self.scores))

    def newest_weight(self) -> None:
        """Fit the last weight alone."""
        last = slice(len(self.theta) - 1, None)
        self._refit(self.active[:, last], last, np.array([self.penalty]), self.scores)

    def _refit(self, design: Array, which: slice, penalty: Array, offset: Array) -> None:
        """Fit some of the weights, for every output, to what others leave."""
        if not len(penalty):
            return
        fit = Refit(self.problem, design, penalty, offset)
        self.theta[which] = newton(fit, self.theta[which], _CONVERGED, _STEPS).theta
        self.scores = offset + design @ self.theta[which]


@dataclass(frozen=True)
class Refit:
    """Σ weights ℓ(design θ + offset, y) + ½ Σ penalty θ², for every output; slacks are scores."""

    problem: Problem
    design: Array
    penalty: Array
    offset: Array

    def slacks(self, theta: Array) -> Array:
        """Scores."""
        return np.asarray(self.design @ theta + self.offset)

    def slopes(self, slacks: Array, which: Rows) -> Array:
        """Slopes of the loss, weighted."""
        slopes = self.problem.loss.slope(slacks, self.problem.targets[:, which])
        return np.asarray(self.problem.weights[:, None] * slopes)

    def step(self, theta: Array, slacks: Array, which: Rows) -> Array:
        """Newton's step."""
        bends = self.problem.loss.curvature(slacks, self.problem.targets[:, which])
        gradient = self.design.T @ self.slopes(slacks, which) + self.penalty[:, None] * theta
        return -np.column_stack(
            [
                self._solved(self.problem.weights * bend, right)
                for bend, right in zip(bends.T, gradient.T, strict=True)
            ]
        )

    def _solved(self, bend: Array, right: Array) -> Array:
        rows = self.design * np.sqrt(bend)[:, None]
        hessian = rows.T @ rows
        # Where no row bends (all margins met), an unpenalised weight would leave it singular.
        jitter = 1e-12 * max(float(hessian.diagonal().max()), 1e-3)
        return solve_positive(hessian, right, self.penalty + jitter)

    def along(self, theta: Array, step: Array, which: Rows) -> tuple[Array, Array, Array]:
        """See `newton`."""
        weighed = self.penalty[:, None] * step
        return self.design @ step, (weighed * theta).sum(axis=0), (weighed * step).sum(axis=0)

    def unit(self, theta: Array, slacks: Array, which: Rows) -> Array:
        """The objective."""
        losses = self.problem.loss.value(slacks, self.problem.targets[:, which])
        return np.asarray(self.problem.weights @ losses + 0.5 * self.penalty @ np.square(theta))
