"""Solvers of greedy selection: losses, and paths of models, one feature after another."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import expit

from ..engine import blas_for
from ..features import ColumnMoments
from ..linear_model.newton import newton, solve_positive
from .columns import Array, CandidateColumns, Rows, Statistics, finite, read


class SmoothLoss(ABC):
    """ℓ(f, y), elementwise over arrays of scores and targets.

    Classes are targets −1 and 1. `smoothness` is β, the largest curvature.
    """

    for_classes: ClassVar[bool] = False  # its targets are −1 and 1, whatever y looks like
    quadratic: ClassVar[bool] = False  # a refit is least squares
    smoothness: float

    @abstractmethod
    def value(self, f: Array, y: Array) -> Array:
        """ℓ."""

    @abstractmethod
    def slope(self, f: Array, y: Array) -> Array:
        """∂ℓ/∂f."""

    @abstractmethod
    def curvature(self, f: Array, y: Array) -> Array:
        """∂²ℓ/∂f², or where it vanishes that of a parabola above ℓ, for Newton's method."""

    def mean(self, f: Array, y: Array, weights: Array) -> float:
        """Mean over rows (weights sum to 1) of the loss summed over outputs."""
        return float(weights @ self.value(f, y).sum(axis=1))


class Squared(SmoothLoss):
    """(f − y)².

    Examples
    --------
    >>> Squared().value(np.array([1.0]), np.array([3.0]))
    array([4.])
    """

    quadratic = True
    smoothness = 2.0

    def value(self, f: Array, y: Array) -> Array:
        """(f − y)²."""
        return np.square(f - y)

    def slope(self, f: Array, y: Array) -> Array:
        """2 (f − y)."""
        return 2.0 * (f - y)

    def curvature(self, f: Array, y: Array) -> Array:
        """2."""
        return np.full_like(f, 2.0)


class SquaredHinge(SmoothLoss):
    """max(0, 1 − y f)²."""

    for_classes = True
    smoothness = 2.0

    def value(self, f: Array, y: Array) -> Array:
        """max(0, 1 − y f)²."""
        return np.asarray(np.square(np.maximum(0.0, 1.0 - y * f)))

    def slope(self, f: Array, y: Array) -> Array:
        """−2 y max(0, 1 − y f)."""
        return np.asarray(-2.0 * y * np.maximum(0.0, 1.0 - y * f))

    def curvature(self, f: Array, y: Array) -> Array:
        """2 where the margin is violated."""
        return np.where(y * f < 1.0, 2.0, 0.0)


class Logistic(SmoothLoss):
    """log(1 + exp(−y f))."""

    for_classes = True
    smoothness = 0.25

    def value(self, f: Array, y: Array) -> Array:
        """log(1 + exp(−y f)), without overflow."""
        return np.logaddexp(0.0, -y * f)

    def slope(self, f: Array, y: Array) -> Array:
        """−y / (1 + exp(y f))."""
        return np.asarray(-y * expit(-y * f))

    def curvature(self, f: Array, y: Array) -> Array:
        """Variance of the class, p (1 − p)."""
        return np.asarray(expit(f) * expit(-f))


class EpsilonInsensitive(SmoothLoss):
    """max(0, |f − y| − ε), made β-smooth: quadratic for the first 1/β beyond the tube.

    Lies below the ε-insensitive loss by at most 1/(2β).

    Parameters
    ----------
    insensitivity : float
        ε, half the width of the tube.
    smoothing : float
        β.

    Examples
    --------
    >>> EpsilonInsensitive(0.1, 10.0).value(np.array([0.1, 0.15, 1.0]), np.zeros(3)).round(4)
    array([0.    , 0.0125, 0.85  ])
    """

    def __init__(self, insensitivity: float, smoothing: float) -> None:
        self.insensitivity = insensitivity
        self.smoothness = smoothing

    def _excess(self, f: Array, y: Array) -> Array:
        return np.maximum(0.0, np.abs(f - y) - self.insensitivity)

    def value(self, f: Array, y: Array) -> Array:
        """β/2 e² up to e = 1/β, e − 1/(2β) beyond, where e is the excess over ε."""
        excess = self._excess(f, y)
        beta = self.smoothness
        bent = np.minimum(excess, 1.0 / beta)
        return np.asarray(0.5 * beta * np.square(bent) + (excess - bent))

    def slope(self, f: Array, y: Array) -> Array:
        """±min(1, β e)."""
        steep = np.minimum(1.0, self.smoothness * self._excess(f, y))
        return np.asarray(np.copysign(steep, f - y))

    def curvature(self, f: Array, y: Array) -> Array:
        """β where the loss is quadratic; 1/e where it is linear, which keeps Newton's steps short.

        With no curvature there, rows far off would pull and nothing would hold.
        """
        excess = self._excess(f, y)
        bend = 1.0 / np.maximum(excess, 1.0 / self.smoothness)
        return np.where(excess > 0.0, bend, 0.0)


# What a solver is given, and what it returns: a path of models, one feature after another.


Model = tuple[Array, Array]  # weights (features, outputs), intercepts (outputs,)

_TIED = 1.0 - 1e-12


@dataclass(frozen=True)
class Problem:
    """Minimise a mean loss over few columns.

    Parameters
    ----------
    columns : CandidateColumns
        Candidates; centred if there is an intercept.
    targets : ndarray of shape (n, outputs)
        Numbers, or −1 and 1.
    weights : ndarray of shape (n,)
        Of the rows; they sum to 1.
    loss : SmoothLoss
        Summed over outputs.
    n_features : int
        Stop with so many.
    tol : float
        Stop at this share of the loss without features; for a budget, at this duality gap.
    normalise : bool
        Divide gradients by the norms of the columns.
    penalty, refit_every
        Of refits that are not least squares.
    budget : float
        C_W, the largest ℓ₁ norm of the weights.
    """

    columns: CandidateColumns
    targets: Array
    weights: Array
    loss: SmoothLoss
    n_features: int
    tol: float
    normalise: bool = False
    penalty: float = 1e-6
    refit_every: int = 1
    budget: float = 1.0

    @cached_property
    def offset(self) -> Array:
        """What is predicted of numbers before any feature: their mean, if there is an intercept."""
        zero = np.zeros(self.targets.shape[1])
        return self.weights @ self.targets if self.columns.centred else zero

    @cached_property
    def start_loss(self) -> float:
        """Loss of predicting the offset."""
        scores = np.zeros_like(self.targets) + self.offset
        return self.loss.mean(scores, self.targets, self.weights)

    def scale(self) -> Array:
        """Return the factor of each gradient; 0 for columns that do not vary."""
        facts = self.columns.statistics
        varies = facts.norms > self.columns.collinear * facts.sizes
        norms = facts.norms if self.normalise else np.ones_like(facts.norms)
        return np.divide(1.0, norms, out=np.zeros_like(norms), where=varies)


@dataclass(frozen=True)
class Path:
    """Models of growing support.

    Parameters
    ----------
    support : list of int
        Columns in the order chosen.
    losses : list of float
        Training loss after each step.
    model_at : callable
        Step (from 0) to weights, over the first columns of the support, and intercepts.
    stopped : str
        Why it ended.
    start : ndarray of shape (outputs,)
        Intercepts before the first step.
    start_loss : float
        Training loss before the first step.
    """

    support: list[int]
    losses: list[float]
    model_at: Callable[[int], Model]
    stopped: str
    start: Array
    start_loss: float

    def __len__(self) -> int:
        return len(self.losses)


def largest(scores: Array) -> int:
    """Return the first of the largest scores, so that ties do not hang on rounding."""
    return int((scores >= _TIED * scores.max()).argmax())


def united(paths: Sequence[Path]) -> Path:
    """Paths of single outputs, side by side: at each step the union of their supports."""
    length = max(len(path) for path in paths)
    support: list[int] = []
    sizes = []
    for t in range(length):
        picks = [path.support[t] for path in paths if t < len(path)]
        support += [j for j in dict.fromkeys(picks) if j not in support]
        sizes.append(len(support))
    place = {j: i for i, j in enumerate(support)}

    def model_at(step: int) -> Model:
        weights = np.zeros((sizes[step], len(paths)))
        intercepts = np.zeros(len(paths))
        for c, path in enumerate(paths):
            if not len(path):
                intercepts[c] = path.start[0]
                continue
            w, b = path.model_at(min(step, len(path) - 1))
            weights[[place[j] for j in path.support[: len(w)]], c] = w[:, 0]
            intercepts[c] = b[0]
        return weights, intercepts

    each = [path.losses or [path.start_loss] for path in paths]
    losses = [sum(one[min(t, len(one) - 1)] for one in each) for t in range(length)]
    reasons = {path.stopped for path in paths}
    stopped = reasons.pop() if len(reasons) == 1 else "mixed"
    start = np.concatenate([path.start for path in paths])
    return Path(support, losses, model_at, stopped, start, sum(path.start_loss for path in paths))


def held_out(
    path: Path, X: Any, rows: Rows, targets: Array, weights: Array, loss: SmoothLoss
) -> NDArray[np.float64]:
    """Return the loss of every model of a path on other rows; reads the support only."""
    values = read(X, rows, path.support).astype(np.float64, copy=False)
    losses = []
    for step in range(len(path)):
        w, b = path.model_at(step)
        losses.append(loss.mean(values[:, : len(w)] @ w + b, targets, weights))
    return np.array(losses)


# Orthogonal matching pursuit: squared loss, refitted at every step by updating a QR factor.


_ORTHOGONAL = 1e-10  # cosine under which a residual has nothing of a column


TOGETHER = 32  # vectors of a basis that are worked on at once, and stay in cache


class Basis:
    """Orthonormal vectors, grown one at a time by Gram–Schmidt, done twice.

    Once leaves an error that grows with the condition number of the columns; twice is enough.
    """

    def __init__(self, n: int) -> None:
        self._rows = np.empty((16, n))
        self.count = 0

    @property
    def vectors(self) -> Array:
        """One a row."""
        return self._rows[: self.count]

    def remainder(self, column: Array) -> tuple[Array, Array]:
        """Return what of a column is orthogonal to the basis, and its coordinates in it."""
        rest, coordinates = column.copy(), np.zeros(self.count)
        for _ in range(2):
            for start in range(0, self.count, TOGETHER):
                # The second product finds them in the cache.
                Q = self.vectors[start : start + TOGETHER]
                along = Q @ rest
                rest -= along @ Q
                coordinates[start : start + TOGETHER] += along
        return rest, coordinates

    def add(self, unit: Array) -> None:
        """Take in a unit vector that is orthogonal to all."""
        if self.count == len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
        self._rows[self.count] = unit
        self.count += 1


def orthogonal_matching_pursuit(problem: Problem) -> Path:
    """Add the column with the largest gradient and refit least squares, until done.

    Columns that are held are orthogonalised themselves. Others are chosen by their Gram matrix, one
    pass over all, and then factored, one pass over the chosen: the weights do not suffer from the
    squares in a Gram matrix, only the choice may, between columns that differ by less than 1e-6.
    """
    if problem.columns.held:
        return _pursue(problem)
    support, stopped = _choose_by_gram(problem)
    return _factored(problem, support, stopped)


def _pursue(problem: Problem) -> Path:
    columns, scale = problem.columns, problem.scale()
    root = np.sqrt(problem.weights)[:, None]
    residual = root * (problem.targets - problem.offset)
    enough = problem.tol * problem.start_loss
    basis = Basis(len(root))
    support: list[int] = []
    coordinates: list[Array] = []
    losses: list[float] = []
    stopped = "n_features"
    while len(support) < problem.n_features:
        found = _next(columns, basis, root * residual, residual, scale)
        if found is None:
            stopped = "span"
            break
        j, unit, above = found
        basis.add(unit)
        support.append(j)
        coordinates.append(above)
        residual -= np.outer(unit, unit @ residual)
        losses.append(float(np.square(residual).sum()))
        if losses[-1] <= enough:
            stopped = "residual"
            break
    R = np.zeros((len(coordinates), len(coordinates)))
    for t, above in enumerate(coordinates):
        R[: t + 1, t] = above
    z = basis.vectors @ (root * (problem.targets - problem.offset))
    return _path(problem, support, R=R, z=z, losses=losses, stopped=stopped)


def _next(
    columns: CandidateColumns, basis: Basis, V: Array, residual: Array, scale: Array
) -> tuple[int, Array, Array] | None:
    """Best column that is independent of the basis; those that are not lose their scale."""
    root = np.sqrt(columns.weights)
    scores = columns.scores(V, scale)
    length = float(np.linalg.norm(residual))
    while scores.max() > 0.0:
        j = largest(scores)
        rest, coordinates = basis.remainder(root * columns.column(j))
        norm = float(np.linalg.norm(rest))
        scores[j] = 0.0
        if norm <= columns.collinear * columns.statistics.sizes[j]:
            scale[j] = 0.0
        elif np.linalg.norm(rest @ residual) > _ORTHOGONAL * norm * length:
            scale[j] = 0.0  # chosen
            return j, rest / norm, np.append(coordinates, norm)
    return None


def _path(
    problem: Problem, support: list[int], *, R: Array, z: Array, losses: list[float], stopped: str
) -> Path:
    """Return the models that a triangular factor holds, one for each of its leading blocks."""
    means = problem.columns.statistics.means[support]

    def model_at(step: int) -> Model:
        t = step + 1
        weights = solve_triangular(R[:t, :t], z[:t], check_finite=False)
        return weights, problem.offset - means[:t] @ weights

    return Path(support, losses, model_at, stopped, problem.offset, problem.start_loss)


@dataclass
class _Products:
    """AᵀA and Aᵀ(targets less their mean), weighted; and moments, which say what A is about."""

    gram: Array
    by_target: Array
    targets: Array  # their sum
    moments: ColumnMoments

    def __iadd__(self, other: _Products) -> Self:
        by = other.moments.shift - self.moments.shift
        across = np.outer(by, other.moments.first)
        self.gram += other.gram + across + across.T + other.moments.weight * np.outer(by, by)
        self.by_target += other.by_target + np.outer(by, other.targets)
        self.targets += other.targets
        self.moments += other.moments
        return self


def _gram(problem: Problem) -> tuple[Array, Array]:
    """Return AᵀA and Aᵀ(targets less their mean), weighted, in float64 and in one pass."""
    columns, targets = problem.columns, problem.targets - problem.offset

    def part(rows: slice, block: NDArray[Any]) -> _Products:
        weights, shift = columns.weights[rows], columns.shift(block)
        moments = ColumnMoments.of(block, shift, weights)
        finite(moments.first)
        moved, pulls = block - shift, weights[:, None] * targets[rows]
        by_target = moved.T @ pulls
        moved *= np.sqrt(weights)[:, None]
        return _Products(moved.T @ moved, by_target, pulls.sum(axis=0), moments)

    found: _Products = columns.shown.reduce(part)
    # The same pass gives the statistics, which would otherwise cost another.
    columns.statistics = Statistics.of_moments(found.moments, centred=columns.centred)
    if columns.centred:
        found.gram -= np.outer(found.moments.first, found.moments.first)
    return found.gram, found.by_target


def _choose_by_gram(problem: Problem) -> tuple[list[int], str]:
    """Choose columns by a pivoted Cholesky factor of the Gram matrix, which is QᵀA."""
    G, gradient = _gram(problem)
    scale, sizes = problem.scale(), problem.columns.statistics.sizes
    loss = problem.start_loss
    enough = max(problem.tol, 1e-14) * loss
    W = np.empty((min(problem.n_features, len(problem.targets)), len(G)))
    support: list[int] = []
    while len(support) < min(problem.n_features, len(problem.targets)):
        scores = np.square(gradient * scale[:, None]).sum(axis=1)
        j = largest(scores)
        t = len(support)
        square = G[j, j] - W[:t, j] @ W[:t, j]
        if scores[j] == 0.0 or np.linalg.norm(gradient[j]) <= _ORTHOGONAL * sizes[j] * np.sqrt(
            loss
        ):
            return support, "span"
        scale[j] = 0.0
        if square <= (problem.columns.collinear * sizes[j]) ** 2:
            continue
        W[t] = (G[j] - W[:t, j] @ W[:t]) / np.sqrt(square)
        z = gradient[j] / np.sqrt(square)
        gradient -= np.outer(W[t], z)
        support.append(j)
        loss -= float(z @ z)
        if loss <= enough:
            return support, "residual"
    return support, "n_features"


class _Triangle:
    """R of a QR factorisation of rows; of two, that of all their rows."""

    def __init__(self, rows: Array) -> None:
        self.R = np.asarray(np.linalg.qr(rows, mode="r"))

    def __add__(self, other: _Triangle) -> _Triangle:
        return _Triangle(np.vstack([self.R, other.R]))


def _factored(problem: Problem, support: list[int], stopped: str) -> Path:
    """QR of the chosen columns and the targets, block after block."""
    columns, width = problem.columns, len(support)
    means = columns.statistics.means[support]
    targets = problem.targets - problem.offset

    def part(rows: slice, block: NDArray[Any]) -> _Triangle:
        root = np.sqrt(columns.weights[rows])[:, None]
        return _Triangle(root * np.hstack([block - means, targets[rows]]))

    R = columns.shown.reduce(part, support).R
    explained = np.square(R[:, width:]).sum(axis=1)
    losses = [float(explained[t:].sum()) for t in range(1, width + 1)]
    upper, z = R[:width, :width], R[:width, width:]
    return _path(problem, support, R=upper, z=z, losses=losses, stopped=stopped)


# Fully corrective selection for any smooth loss: pick by gradient, refit by Newton's method.


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


# Forward greedy selection under an ℓ₁ budget (Algorithm 2 of Kar and Jain; Frank–Wolfe).


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
