"""Forward greedy selection under an ℓ₁ budget (Algorithm 2 of Kar and Jain; Frank–Wolfe)."""

from __future__ import annotations

import math

import numpy as np

from .columns import Array
from .path import Model, Path, Problem


def iteration_bound(smoothness: float, budget: float, peak: float, tol: float) -> int:
    """Return k = ⌈8 β C_W² c² / tol⌉: after so many steps the loss is within `tol` of the least.

    The paper prints ⌈8 C_W²/ε²⌉, which is the case β = 1/ε and c = max |feature| = 1.

    Examples
    --------
    >>> iteration_bound(smoothness=10.0, budget=1.0, peak=1.0, tol=0.1)
    800
    """
    return math.ceil(8.0 * smoothness * (budget * peak) ** 2 / tol)


def budgeted_selection(problem: Problem) -> Path:
    """Move towards the best vertex of the ball of weights until the duality gap is at most `tol`.

    With several outputs the ball is Σ_j ‖w_j‖₂ ≤ C_W over features j, whose vertices are single
    features too; with one output that is the ℓ₁ ball.
    """
    state = _State(problem)
    peak = problem.columns.peak
    curvature = 4.0 * problem.loss.smoothness * (problem.budget * peak) ** 2
    bound = iteration_bound(problem.loss.smoothness, problem.budget, peak, problem.tol)
    stopped = "bound"
    for _ in range(bound):
        theta = state.gradient()
        lengths = np.linalg.norm(theta, axis=1)
        best = int(lengths.argmax())
        gap = state.inner(theta) + problem.budget * float(lengths[best])
        if gap <= problem.tol or lengths[best] == 0.0:
            stopped = "gap"
            break
        if best not in state.place and len(state.place) == problem.n_features:
            stopped = "n_features"
            break
        state.move(best, min(1.0, gap / curvature), -problem.budget * theta[best] / lengths[best])
    state.keep()
    models, start = state.models, problem.offset
    return Path(
        list(state.place), state.losses, models.__getitem__, stopped, start, problem.start_loss
    )


class _State:
    """Weights on the features met so far, and the scores they give."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        outputs = problem.targets.shape[1]
        self.place: dict[int, int] = {}  # feature to row of weights, in order of entry
        self.weights = np.zeros((0, outputs))
        self.chosen: list[Array] = []  # columns, so that none is read twice
        self.scores = np.zeros_like(problem.targets) + problem.offset
        self.losses: list[float] = []
        self.models: list[Model] = []

    def gradient(self) -> Array:
        slope = self.problem.loss.slope(self.scores, self.problem.targets)
        return self.problem.columns.correlate(self.problem.weights[:, None] * slope)

    def inner(self, theta: Array) -> float:
        return float(np.sum(theta[list(self.place)] * self.weights))

    def move(self, j: int, eta: float, vertex: Array) -> None:
        """Go a share `eta` of the way to a vertex, which has all its weight on feature j."""
        if eta == 1.0:  # nothing is left of what was
            self.place.clear()
            self.chosen.clear()
            self.losses.clear()
            self.models.clear()
            self.weights = self.weights[:0]
        elif j not in self.place and self.place:
            self.keep()
        if j not in self.place:
            self.place[j] = len(self.place)
            self.chosen.append(self.problem.columns.column(j))
            self.weights = np.vstack([self.weights, np.zeros_like(vertex)])
        self.weights *= 1.0 - eta
        self.weights[self.place[j]] += eta * vertex
        offset = self.problem.offset
        self.scores = offset + (1.0 - eta) * (self.scores - offset)
        self.scores += eta * np.outer(self.chosen[self.place[j]], vertex)

    def keep(self) -> None:
        """Record the model as the last one with this many features."""
        if not self.place:
            return
        problem = self.problem
        means = problem.columns.statistics.means[list(self.place)]
        self.models.append((self.weights.copy(), problem.offset - means @ self.weights))
        self.losses.append(problem.loss.mean(self.scores, problem.targets, problem.weights))
