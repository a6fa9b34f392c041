"""Orthogonal matching pursuit: least squares on columns that are added one after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

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


class Statistics(NamedTuple):
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


class CandidateColumns:
    """The candidates A: columns less their weighted means, or as they are if not `centred`.

    Parameters
    ----------
    X : ndarray, CSR matrix or Features
        An array is held, a sparse matrix stays one, and Features, which are too many to hold, are
        read again with every pass.
    rows : ndarray of int
        Rows to look at.
    weights : ndarray of shape (len(rows),)
        They sum to 1.
    centred : bool
    """

    def __init__(self, X: Any, rows: Rows, weights: Array, *, centred: bool) -> None:
        self.X, self.rows, self.weights, self.centred = X, rows, weights, centred
        self.width, self.shown = int(X.shape[1]), shown(X, rows)
        self.held, self.is_sparse = not isinstance(X, Features), sparse.issparse(X)
        self.dtype = X.dtype if self.held else next(self.shown.chunks([0]))[1].dtype
        self.values: Any = None  # those of the rows looked at, if they are held
        if self.is_sparse:
            self.values = sparse.csc_array(X[rows], dtype=np.float64)
        elif self.held:
            self.values = np.asarray(X if len(rows) == len(X) else X[rows])
        # In float32, and the norms of the columns, to which its rounding is proportional.
        self._scout: tuple[NDArray[np.float32], Array] | None = None
        # Relative remainder under which a column adds only rounding.
        self.collinear = max(_COLLINEAR, 16.0 * float(np.finfo(self.dtype).eps))

    @cached_property
    def statistics(self) -> Statistics:
        """Means, norms and sizes, in one pass; a value that is not finite stops it."""
        if self.is_sparse:
            first, second = self.values.T @ self.weights, self.values.power(2).T @ self.weights
            zero = np.zeros(self.width)
            moments = ColumnMoments(zero, 1.0, first, second, zero)
            return Statistics.of_moments(moments, centred=self.centred)

        def part(rows: slice, block: NDArray[Any]) -> ColumnMoments:
            moments = ColumnMoments.of(block, self.shift(block), self.weights[rows])
            finite(moments.second)
            return moments

        return Statistics.of_moments(self.shown.reduce(part), centred=self.centred)

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

    def column(self, j: int) -> Array:
        """Column j of A."""
        if self.is_sparse:
            values = self.values[:, [j]].toarray()[:, 0]
        else:
            values = self.values[:, j] if self.held else read(self.X, self.rows, [j])[:, 0]
        return np.asarray(values.astype(np.float64) - self.statistics.means[j])

    def correlate(self, V: Array) -> Array:
        """AᵀV, for V of shape (n, outputs), in float64 and in one pass."""
        if self.is_sparse or (self.held and self.dtype == np.float64):
            found = self.values.T @ V
        else:  # chunk by chunk, so that there is no float64 copy of all
            found = self.shown.reduce(
                lambda rows, block: block.astype(np.float64, copy=False).T @ V[rows]
            )
        return np.asarray(found - np.outer(self.statistics.means, V.sum(axis=0)))

    def scores(self, V: Array, scale: Array) -> Array:
        """Squared norms over outputs of AᵀV times a scale per column, good at least at the top.

        Large arrays are scouted in float32, and the best columns weighed again in float64.
        """
        size = len(self.rows) * self.width
        large = SCOUTED_VALUES <= size <= settings().share(1, HELD_BYTES) // 4
        if large and self.held and not self.is_sparse:
            if self._scout is None:
                means = self.statistics.means
                A = self.shown.stacked(lambda _, block: (block - means).astype(np.float32))
                self._scout = A, np.sqrt(np.einsum("ij,ij->j", A, A).astype(np.float64))
            scout, reach = self._scout
            length = float(np.linalg.norm(V)) or 1.0
            G = scout.T @ (V / length).astype(np.float32)
            scores = np.square(G.astype(np.float64) * (length * scale)[:, None]).sum(axis=1)
            # Rounding hides who is best among those near the top. Where a residual is nearly
            # orthogonal to everything (ill-conditioned columns), that is nearly all.
            roots = np.sqrt(scores)
            rounding = 1e-4 * roots.max() + 2e-6 * length * float((scale * reach).max())
            near = np.flatnonzero(roots >= roots.max() - rounding)
            if len(near) <= _SHORTLIST:
                exact = self.values[:, near].astype(np.float64).T @ V
                exact -= np.outer(self.statistics.means[near], V.sum(axis=0))
                scores[near] = np.square(exact * scale[near, None]).sum(axis=1)
                return np.asarray(scores)
        return np.asarray(np.square(self.correlate(V) * scale[:, None]).sum(axis=1))


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


def remainder(column: Array, basis: Array) -> tuple[Array, Array]:
    """Return what of a column is orthogonal to a basis, one vector a row, and its coordinates.

    By Gram–Schmidt, done twice: once leaves an error that grows with the condition number of the
    columns; twice is enough.
    """
    rest, coordinates = column.copy(), np.zeros(len(basis))
    for _ in range(2):
        for start in range(0, len(basis), BASIS_ROWS):
            # The second product finds them in the cache.
            Q = basis[start : start + BASIS_ROWS]
            along = Q @ rest
            rest -= along @ Q
            coordinates[start : start + BASIS_ROWS] += along
    return rest, coordinates


def orthogonal_matching_pursuit(problem: Problem) -> Path:
    """Add the column with the largest gradient and refit least squares, until done.

    Columns that are held are orthogonalised themselves. Others are chosen by their Gram matrix, one
    pass over all, and then factored, one pass over the chosen: the weights do not suffer from the
    squares in a Gram matrix, only the choice may, between columns that differ by less than 1e-6.
    """
    columns = problem.columns
    if columns.held:
        return _pursue(problem)
    support, stopped = _choose_by_gram(problem)
    width, means = len(support), columns.statistics.means[support]
    targets = problem.targets - problem.offset

    def part(rows: slice, block: NDArray[Any]) -> Array:
        """R of a QR factorisation of the columns chosen and the targets."""
        root = np.sqrt(columns.weights[rows])[:, None]
        return np.asarray(np.linalg.qr(root * np.hstack([block - means, targets[rows]]), mode="r"))

    # R of the rows of all these is that of all rows.
    R = np.asarray(np.linalg.qr(columns.shown.stacked(part, support), mode="r"))
    explained = np.square(R[:, width:]).sum(axis=1)
    losses = [float(explained[t:].sum()) for t in range(1, width + 1)]
    upper, z = R[:width, :width], R[:width, width:]
    return _path(problem, support, R=upper, z=z, losses=losses, stopped=stopped)


def _pursue(problem: Problem) -> Path:
    """Choose among columns that are held, and orthogonalise them as they are chosen."""
    columns, scale = problem.columns, problem.scale()
    root = np.sqrt(columns.weights)
    targets = root[:, None] * (problem.targets - problem.offset)
    residual, basis = targets.copy(), np.empty((16, len(root)))
    support: list[int] = []
    R = np.zeros((16, 16))
    losses: list[float] = []
    stopped = "n_features"
    while (t := len(support)) < problem.n_features:
        scores = columns.scores(root[:, None] * residual, scale)
        length = float(np.linalg.norm(residual))
        # The best column that is independent of those chosen.
        while scores.max() > 0.0:
            j = largest(scores)
            rest, coordinates = remainder(root * columns.column(j), basis[:t])
            norm = float(np.linalg.norm(rest))
            scores[j] = 0.0
            if norm <= columns.collinear * columns.statistics.sizes[j]:
                scale[j] = 0.0  # now and later
            elif np.linalg.norm(rest @ residual) > _ORTHOGONAL * norm * length:
                break
        else:
            stopped = "span"
            break
        scale[j] = 0.0  # so that it is not chosen again
        if t == len(basis):
            basis, R = np.concatenate([basis, np.empty_like(basis)]), np.pad(R, (0, t))
        support.append(j)
        basis[t], R[:t, t], R[t, t] = rest / norm, coordinates, norm
        residual -= np.outer(basis[t], basis[t] @ residual)
        losses.append(float(np.square(residual).sum()))
        if losses[-1] <= problem.tol * problem.variance:
            stopped = "residual"
            break
    z = basis[: len(support)] @ targets
    return _path(problem, support, R=R, z=z, losses=losses, stopped=stopped)


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


def _gram(problem: Problem) -> tuple[Array, Array]:
    """Return AᵀA and Aᵀ(targets less their mean), weighted, in float64 and in one pass."""
    columns, targets = problem.columns, problem.targets - problem.offset
    width, shift = columns.width, np.empty(0)

    def part(rows: slice, block: NDArray[Any]) -> Array:
        """Products of the rows (1, columns about the very first row, targets)."""
        nonlocal shift
        shift = shift if len(shift) else columns.shift(block)
        moved = np.column_stack([np.ones(len(block)), block - shift, targets[rows]])
        moved *= np.sqrt(columns.weights[rows])[:, None]
        products = moved.T @ moved
        finite(products[0, 1 : 1 + width])
        return np.asarray(products)

    total = columns.shown.reduce(part)
    first, gram = total[0, 1 : 1 + width], total[1 : 1 + width, 1 : 1 + width].copy()
    # The same pass gives the statistics, which would otherwise cost another.
    moments = ColumnMoments(shift, total[0, 0], first, np.diag(gram), np.zeros(width))
    columns.statistics = Statistics.of_moments(moments, centred=columns.centred)
    if columns.centred:
        gram -= np.outer(first, first)
    return gram, total[1 : 1 + width, 1 + width :]


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
        slope = float(np.linalg.norm(gradient[j]))
        if scores[j] == 0.0 or slope <= _ORTHOGONAL * sizes[j] * np.sqrt(loss):
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
