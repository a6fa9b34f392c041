"""Orthogonal matching pursuit: least squares on columns that are added one after another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import solve_triangular

from ..engine import settings
from ..features import ColumnMoments, Features
from .columns import Array, Rows, finite, read, shown

SCOUTED_VALUES = 1 << 22  # from which on a float32 copy halves the time of a step
HELD_BYTES = 4 << 30  # features that a selection reads once and holds
_SHORTLIST = 32  # columns whose scores are computed again in float64; if more, all are
# Of a column's size: an orthogonal remainder below it would get a huge weight, and a Gram matrix,
# which holds squares, could not tell it from rounding.
_COLLINEAR = 1e-6
_ORTHOGONAL = 1e-10  # cosine under which a residual has nothing of a column
_TIED = 1.0 - 1e-12
BASIS_ROWS = 32  # vectors of a basis that are worked on at once, and stay in cache


@dataclass(frozen=True)
class Statistics:
    """Weighted facts of each column; weights sum to 1."""

    means: Array  # zeros where columns are not centred
    norms: Array  # of the centred columns
    sizes: Array  # norms of the columns as given, to which rounding is proportional

    @classmethod
    def of_moments(cls, moments: ColumnMoments, *, centred: bool) -> Statistics:
        """From the moments of the columns about a shift."""
        sizes = np.sqrt(moments.variance + np.square(moments.mean))
        if not centred:
            return cls(np.zeros_like(sizes), sizes, sizes)
        return cls(moments.mean, np.sqrt(moments.variance), sizes)


class CandidateColumns(ABC):
    """The candidates A: columns less their weighted means, or as they are if not `centred`."""

    held: ClassVar[bool] = True  # a pass over all values is cheap

    def __init__(self, X: Any, rows: Rows, weights: Array, *, centred: bool) -> None:
        self.X = X
        self.rows = rows
        self.weights = weights
        self.centred = centred
        self.width = int(X.shape[1])

    @cached_property
    def statistics(self) -> Statistics:
        """Means, norms and sizes, in one pass; a value that is not finite stops it."""

        def part(rows: slice, block: NDArray[Any]) -> ColumnMoments:
            moments = ColumnMoments.of(block, self.shift(block), self.weights[rows])
            finite(moments.second)
            return moments

        return Statistics.of_moments(self.shown.reduce(part), centred=self.centred)

    @property
    def shown(self) -> Features:
        """The rows looked at."""
        return shown(self.X, self.rows)

    def shift(self, block: NDArray[Any]) -> Array:
        """Where a block is measured from: its first row, so that large means cost no digits."""
        return block[0].astype(np.float64) if self.centred else np.zeros(self.width)

    @cached_property
    def peak(self) -> float:
        """Return max |A| over rows that count."""
        means = self.statistics.means

        def part(rows: slice, block: NDArray[Any]) -> Array:
            counts = self.weights[rows] > 0
            return np.array([np.abs(block[counts] - means).max(initial=0.0)])

        return float(self.shown.stacked(part).max())

    @property
    def collinear(self) -> float:
        """Relative remainder under which a column adds only rounding; depends on its dtype."""
        return max(_COLLINEAR, 16.0 * float(np.finfo(self.dtype).eps))

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Type the values were stored in."""
        dtype: np.dtype[Any] = self.X.dtype
        return dtype

    @abstractmethod
    def column(self, j: int) -> Array:
        """Column j of A."""

    def correlate(self, V: Array) -> Array:
        """AᵀV, for V of shape (n, outputs)."""
        return np.asarray(self.products(V) - np.outer(self.statistics.means, V.sum(axis=0)))

    def products(self, V: Array) -> Array:
        """Columns as they came, times V, in float64 and in one pass."""
        found: Array = self.shown.reduce(
            lambda rows, block: block.astype(np.float64, copy=False).T @ V[rows]
        )
        return found

    def scores(self, V: Array, scale: Array) -> Array:
        """Squared norms over outputs of AᵀV times a scale per column, good at least at the top."""
        return np.asarray(np.square(self.correlate(V) * scale[:, None]).sum(axis=1))


class Dense(CandidateColumns):
    """An array. Large ones are scouted in float32, and the best of them weighed in float64."""

    @cached_property
    def _own(self) -> NDArray[Any]:
        whole = len(self.rows) == len(self.X)
        return np.asarray(self.X if whole else self.X[self.rows])

    @cached_property
    def _scout(self) -> NDArray[np.float32]:
        means = self.statistics.means
        return self.shown.stacked(lambda _, block: (block - means).astype(np.float32))

    @cached_property
    def _reach(self) -> Array:
        squares = np.einsum("ij,ij->j", self._scout, self._scout)
        return np.asarray(np.sqrt(squares.astype(np.float64)))

    def column(self, j: int) -> Array:
        """One column, less its mean."""
        return np.asarray(self._own[:, j].astype(np.float64) - self.statistics.means[j])

    def products(self, V: Array) -> Array:
        """In float64, casting chunk by chunk if need be."""
        return self._own.T @ V if self.dtype == np.float64 else super().products(V)

    def scores(self, V: Array, scale: Array) -> Array:
        """Scores; beyond the shortlist those of a scouted array have float32's digits."""
        if not SCOUTED_VALUES <= self._own.size <= settings().share(1, HELD_BYTES) // 4:
            return super().scores(V, scale)
        length = float(np.linalg.norm(V)) or 1.0
        G = self._scout.T @ (V / length).astype(np.float32)
        scores = np.square(G.astype(np.float64) * (length * scale)[:, None]).sum(axis=1)
        # Rounding hides who is best among those near the top. Where a residual is nearly
        # orthogonal to everything (ill-conditioned columns), that is nearly all.
        roots = np.sqrt(scores)
        rounding = 1e-4 * roots.max() + 2e-6 * length * float((scale * self._reach).max())
        near = np.flatnonzero(roots >= roots.max() - rounding)
        if len(near) > _SHORTLIST:
            return super().scores(V, scale)
        exact = self._own[:, near].astype(np.float64).T @ V
        exact -= np.outer(self.statistics.means[near], V.sum(axis=0))
        scores[near] = np.square(exact * scale[near, None]).sum(axis=1)
        return np.asarray(scores)


class Sparse(CandidateColumns):
    """A sparse matrix, which stays one: its means are subtracted from what is computed."""

    def __init__(self, X: Any, rows: Rows, weights: Array, *, centred: bool) -> None:
        super().__init__(X, rows, weights, centred=centred)
        self._csc = sparse.csc_array(X[rows], dtype=np.float64)

    @cached_property
    def statistics(self) -> Statistics:
        """Means, norms and sizes, from stored values alone."""
        first, second = self._csc.T @ self.weights, self._csc.power(2).T @ self.weights
        zero = np.zeros(self.width)
        moments = ColumnMoments(zero, 1.0, first, second, zero)
        return Statistics.of_moments(moments, centred=self.centred)

    def column(self, j: int) -> Array:
        """One column, less its mean."""
        return np.asarray(self._csc[:, [j]].toarray()[:, 0] - self.statistics.means[j])

    def products(self, V: Array) -> Array:
        """One sparse product."""
        return np.asarray(self._csc.T @ V)


class StreamedColumns(CandidateColumns):
    """Features too many to hold: every call reads them all again."""

    held = False

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Type of the first block."""
        return next(self.shown.chunks([0]))[1].dtype

    def column(self, j: int) -> Array:
        """One column, evaluated by itself."""
        return np.asarray(read(self.X, self.rows, [j])[:, 0] - self.statistics.means[j])


def settled(X: Any) -> Any:
    """Decide by size: features that fit are read, once, into an array; others stay as they are.

    They are read too where their Gram matrix, which would be the other way, is no smaller.
    """
    if not isinstance(X, Features):
        return X
    n, width = X.shape
    item = next(X.chunks([0]))[1].dtype.itemsize
    fits = n * width * item <= settings().share(1, HELD_BYTES) or width * 8 >= n * item
    return read(X, np.arange(n)) if fits else X


def candidates(X: Any, rows: Rows, weights: Array, *, centred: bool) -> CandidateColumns:
    """Return the columns of a matrix or of features."""
    if sparse.issparse(X):
        return Sparse(X, rows, weights, centred=centred)
    kind = StreamedColumns if isinstance(X, Features) else Dense
    return kind(X, rows, weights, centred=centred)


Model = tuple[Array, Array]  # weights (features, outputs), intercepts (outputs,)


@dataclass(frozen=True)
class Problem:
    """Minimise a mean loss, summed over outputs, over few columns.

    Parameters
    ----------
    columns : CandidateColumns
        Candidates, and the weights of the rows; centred if there is an intercept.
    targets : ndarray of shape (n, outputs)
    n_features : int
        Stop with so many.
    tol : float
        Stop at this share of the loss without features; for a budget, at this duality gap.
    normalise : bool
        Divide gradients by the norms of the columns.
    """

    columns: CandidateColumns
    targets: Array
    n_features: int
    tol: float
    normalise: bool = False

    @cached_property
    def offset(self) -> Array:
        """What is predicted before any feature: the mean, if there is an intercept."""
        zero = np.zeros(self.targets.shape[1])
        return self.columns.weights @ self.targets if self.columns.centred else zero

    @cached_property
    def variance(self) -> float:
        """Squared loss of predicting the offset."""
        return float(self.columns.weights @ np.square(self.offset - self.targets).sum(axis=1))

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
    """

    support: list[int]
    losses: list[float]
    model_at: Callable[[int], Model]
    stopped: str


def largest(scores: Array) -> int:
    """Return the first of the largest scores, so that ties do not hang on rounding."""
    return int((scores >= _TIED * scores.max()).argmax())


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
            for start in range(0, self.count, BASIS_ROWS):
                # The second product finds them in the cache.
                Q = self.vectors[start : start + BASIS_ROWS]
                along = Q @ rest
                rest -= along @ Q
                coordinates[start : start + BASIS_ROWS] += along
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
    root = np.sqrt(columns.weights)[:, None]
    residual = root * (problem.targets - problem.offset)
    enough = problem.tol * problem.variance
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

    return Path(support, losses, model_at, stopped)


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
    loss = problem.variance
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
