"""Orthogonal matching pursuit: squared loss, refitted at every step by updating a QR factor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from ..engine import settings
from ..features import ColumnMoments
from .columns import Array, CandidateColumns, Statistics, finite
from .path import Model, Path, Problem, largest

_ORTHOGONAL = 1e-10  # cosine under which a residual has nothing of a column


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
        few = settings().basis_vectors
        for _ in range(2):
            for start in range(0, self.count, few):
                # The second product finds them in the cache.
                Q = self.vectors[start : start + few]
                along = Q @ rest
                rest -= along @ Q
                coordinates[start : start + few] += along
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
    R = _upper(coordinates)
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


def _upper(coordinates: list[Array]) -> Array:
    R = np.zeros((len(coordinates), len(coordinates)))
    for t, above in enumerate(coordinates):
        R[: t + 1, t] = above
    return R


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
