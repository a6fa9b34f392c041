"""Fully corrective selection for any smooth loss: pick by gradient, refit by Newton's method."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ..engine import blas_for
from .columns import Array
from .losses import Loss
from .path import Model, Path, Problem, largest
from .pursuit import Basis

_ORTHOGONAL = 1e-10
_CONVERGED = 1e-10  # of the loss: expected gain of a step that may be the last
_STEPS = 50
_NOTHING = 1e-10  # of the loss at the start: what is left is the ridge's


def forward_selection(problem: Problem) -> Path:
    """Add the column with the largest gradient and refit all weights, until done.

    Between refits (`refit_every` > 1) only the weight of the newest column is fitted.
    """
    with blas_for(problem.n_features):
        return _forward(problem)


def _forward(problem: Problem) -> Path:
    fit = _Refit(problem)
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


class _Refit:
    """The chosen columns, their weights for every output, and the scores they give."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.support: list[int] = []
        self.scale = problem.scale()
        self.ridge = problem.ridge * _unit(problem)
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
        # Of norm 1, so that neither the ridge nor the digits of a Hessian hang on units.
        self.design[:, len(self.theta)] = column / self.problem.columns.statistics.norms[j]
        self.theta = np.vstack([self.theta, np.zeros(self.theta.shape[1])])

    def all_weights(self) -> None:
        """Refit from where the weights are."""
        penalty = np.append(np.zeros(self.constant), np.full(len(self.support), self.ridge))
        for c in range(self.theta.shape[1]):
            self.theta[:, c] = self._newton(self.active, c, self.theta[:, c], penalty)
        self.scores = self.active @ self.theta

    def newest_weight(self) -> None:
        """Fit the last weight alone."""
        penalty = np.array([self.ridge])
        newest = self.active[:, -1:]
        for c in range(self.theta.shape[1]):
            self.theta[-1:, c] = self._newton(
                newest, c, np.zeros(1), penalty, self.scores[:, c].copy()
            )
        self.scores += newest @ self.theta[-1:]

    def _newton(
        self, design: Array, c: int, start: Array, penalty: Array, offset: Array | None = None
    ) -> Array:
        targets, weights = self.problem.targets[:, c], self.problem.weights
        return newton(
            design,
            targets,
            weights,
            self.problem.loss,
            start=start,
            penalty=penalty,
            offset=offset,
        )


def newton(
    design: Array,
    y: Array,
    weights: Array,
    loss: Loss,
    *,
    start: Array,
    penalty: Array,
    offset: Array | None = None,
) -> Array:
    """Minimise Σ weights ℓ(design θ + offset, y) + ½ Σ penalty θ², from a start, by damped Newton.

    Examples
    --------
    >>> from .losses import Squared
    >>> A = np.array([[1.0], [2.0]])
    >>> y, half, zero = np.array([2.0, 4.0]), np.full(2, 0.5), np.zeros(1)
    >>> newton(A, y, half, Squared(), start=zero, penalty=zero)
    array([2.])
    """
    base = np.zeros(len(y)) if offset is None else offset

    def objective(theta: Array) -> tuple[float, Array]:
        f = design @ theta + base
        return float(weights @ loss.value(f, y) + 0.5 * penalty @ np.square(theta)), f

    theta = start
    value, f = objective(theta)
    for _ in range(_STEPS if len(theta) else 0):
        gradient = design.T @ (weights * loss.slope(f, y)) + penalty * theta
        step = _direction(design, weights * loss.curvature(f, y), penalty, gradient)
        gain = float(gradient @ step)
        if gain <= _CONVERGED * value:  # the last step doubles the digits
            return theta - step if objective(theta - step)[0] <= value else theta
        size, lower = 1.0, (value, f)
        while size > 1e-10:  # halve until a fair share of the promised gain is there
            lower = objective(theta - size * step)
            if lower[0] <= value - 1e-4 * size * gain:
                break
            size *= 0.5
        else:
            break  # rounding hides any further gain
        theta = theta - size * step
        value, f = lower
    return theta


def _direction(design: Array, curvature: Array, penalty: Array, gradient: Array) -> Array:
    rows = design * np.sqrt(curvature)[:, None]
    hessian = rows.T @ rows
    # Where no row bends (all margins met), an unpenalised weight would leave it singular.
    jitter = 1e-12 * max(float(hessian.diagonal().max()), 1e-3)
    hessian[np.diag_indices_from(hessian)] += penalty + jitter
    return np.asarray(cho_solve(cho_factor(hessian, check_finite=False), gradient))
