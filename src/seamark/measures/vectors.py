"""Vectors: distances, learned matrices, equality of categories."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .. import engine
from ..data import Ragged, categories, hashes, vectors
from .algebra import PlanAround
from .base import Fact, Measure
from .centre import centre_of, power_of_two

Floats = NDArray[np.float32]

PAIRS_BYTES = 4 << 20  # of differences of dense rows that are held at a time,
SPARSE_PAIRS = 4096  # and pairs of sparse rows
GEMM_SECONDS = 2e-11  # per multiply-add of a float32 matrix product
POINTWISE_SECONDS = 1e-9  # per value of a pointwise function
_FLOAT32 = float(np.finfo(np.float32).min), float(np.finfo(np.float32).max)


class VectorPlan(engine.Plan):
    """Landmark rows as float32 (as they are if sparse), and a cost equal for all rows."""

    def __init__(self, L: Any) -> None:
        self.n_landmarks, self.n_features = L.shape
        self.scratch_per_row = 24 * self.n_landmarks + 16 * self.n_features

    def seconds(self, X: Any) -> NDArray[np.float64]:
        """Cost of a row of a matrix product and a pointwise function."""
        work = self.n_landmarks * (self.n_features * GEMM_SECONDS + POINTWISE_SECONDS)
        return np.full(X.shape[0], work)


def sparse_products(X: Any, L: Any) -> NDArray[Any]:
    """Inner products of rows, one or both sparse, in float64."""
    product = X.astype(np.float64) @ L.T
    return np.asarray(product.toarray() if sparse.issparse(product) else product)


def squared_norms(X: Any) -> NDArray[np.float64]:
    """Squared Euclidean norm of each row, in float64."""
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, X, dtype=np.float64))


SHORT = 16  # so many terms may be added up in float32: each addition may cost 6e-8 of the sum


class DotProducts(VectorPlan):
    """A pointwise function of inner products."""

    def __init__(self, L: Any, function: Any) -> None:
        super().__init__(L)
        self.function = function
        self.sparse = sparse.issparse(L)
        self.original = L
        self.dtype = np.float32 if self.n_features <= SHORT else np.float64
        self.L = L if self.sparse else L.astype(self.dtype, copy=False)

    def fill(self, X: Any, out: NDArray[np.float32], stop: Any) -> None:
        """Inner products of a chunk of rows, then the function in place."""
        if self.sparse or sparse.issparse(X):
            out[:] = sparse_products(X, self.original)
        else:
            engine.backend().products(X.astype(self.dtype, copy=False), self.L, out)
        self.function(out)


class SquaredDistances(VectorPlan):
    """Squared Euclidean distances by a matrix product, made safe.

    ‖x‖² + ‖l‖² − 2⟨x, l⟩ in float32 loses small distances between vectors of large norm. So data
    are centred first, and what is still small against the norms is computed again from the
    differences. Squares of tiny numbers leave the range of float32: a chunk of them is magnified by
    a power of two, and single tiny values are computed in float64 to the end. ``finish(squares,
    unit)`` turns squares in units of `unit`² into values, in place.
    """

    AGAIN = 1e-3  # below this share of ‖x‖² + ‖l‖² a float32 matrix product has too few digits left
    AGAIN_SPARSE = 1e-9  # and a float64 one, of rows that cannot be centred
    TINY = 1e-30  # squares below this have too few digits left in float32

    def __init__(self, L: Any, finish: Callable[[NDArray[Any], float], None]) -> None:
        super().__init__(L)
        self.finish = finish
        self.sparse = sparse.issparse(L)
        self.original = L
        self.centre = None if self.sparse else centre_of(L)
        self.L = L if self.sparse else (L - self.centre).astype(np.float32)
        self.norms = squared_norms(self.L)

    def fill(self, X: Any, out: Floats, stop: Any) -> None:
        """Squared distances of a chunk of rows, made values."""
        fill = self._fill_sparse if self.sparse or sparse.issparse(X) else self._fill_dense
        tiny: list[tuple[Any, Any, NDArray[np.float64]]] = []
        unit = fill(X, out, tiny)
        self.finish(out, unit)
        for rows, columns, squares in tiny:
            self.finish(squares, 1.0)
            out[rows, columns] = squares

    def _fill_dense(self, X: Any, out: Floats, tiny: list[Any]) -> float:
        centred, L, norms, unit = X - self.centre, self.L, self.norms, 1.0
        narrow = centred.astype(np.float32)
        own = squared_norms(narrow)
        if max(own.max(initial=0.0), norms.max(initial=0.0)) < self.TINY:
            far = self.original - self.centre
            unit = power_of_two(max(np.abs(centred).max(initial=0), np.abs(far).max(initial=0)))
            narrow, L = (centred / unit).astype(np.float32), (far / unit).astype(np.float32)
            own, norms = squared_norms(narrow), squared_norms(L)
        sums = np.add.outer(own, norms).astype(np.float32)
        engine.backend().products(narrow, L, out)
        out *= -2
        out += sums
        sums *= self.AGAIN
        which = out < sums
        small, smaller = own < self.TINY / self.AGAIN, norms < self.TINY / self.AGAIN
        if small.any() and smaller.any():  # two of the centre itself are alike
            which |= np.logical_and.outer(small, smaller) & np.logical_or.outer(own > 0, norms > 0)
        self._again(X, self.original, out, which, unit, tiny)
        return unit

    def _fill_sparse(self, X: Any, out: Floats, tiny: list[Any]) -> float:
        X, L = X.astype(np.float64), self.original.astype(np.float64)
        own, norms = squared_norms(X), squared_norms(L)
        largest, unit = max(own.max(initial=0.0), norms.max(initial=0.0)), 1.0
        if largest < self.TINY:
            unit = power_of_two(np.sqrt(largest))
        sums = np.add.outer(own, norms)
        values = sums - 2 * sparse_products(X, L)
        out[:] = values / unit**2
        which = values < sums * self.AGAIN_SPARSE
        which |= (sums < self.TINY / self.AGAIN * unit**2) & (sums > 0)
        self._again(X, L, out, which, unit, tiny)
        return unit

    def _again(
        self, X: Any, L: Any, out: Floats, which: NDArray[np.bool_], unit: float, tiny: list[Any]
    ) -> None:
        """Compute some of the values from the differences of rows; note those that are tiny."""
        rows, columns = np.nonzero(which)
        dense = not (sparse.issparse(X) and sparse.issparse(L))
        step = max(1, PAIRS_BYTES // (8 * self.n_features)) if dense else SPARSE_PAIRS
        for start in range(0, len(rows), step):
            i, j = rows[start : start + step], columns[start : start + step]
            squares = squared_norms(_rows(X, i, dense) - _rows(L, j, dense))
            out[i, j] = squares / unit**2
            few = (squares < self.TINY * unit**2) & (squares > 0)
            if few.any():
                tiny.append((i[few], j[few], squares[few]))


def squares(values: NDArray[Any], unit: float) -> None:
    """Squared distances."""
    if unit != 1:
        values *= np.float64(unit**2)


def roots(values: NDArray[Any], unit: float) -> None:
    """Distances from their squares."""
    np.sqrt(values, out=values)
    if unit != 1:
        values *= np.float64(unit)


def gaussians(rate: float, values: NDArray[Any], unit: float) -> None:
    """exp(rate · d²), while the chunk is in the cache."""
    factor: Any = rate * unit**2
    if values.dtype == np.float32:
        # Beyond float32 it leaves all but tiny squares, which come in float64, at nothing.
        factor = np.float32(np.clip(factor, *_FLOAT32))
    with np.errstate(over="ignore"):
        values *= factor
    np.exp(values, out=values)


class AbsoluteDistances(VectorPlan):
    """Manhattan distances by the kernel; centred, which changes nothing but the rounding."""

    def __init__(self, L: Any) -> None:
        super().__init__(L)
        # A centred row; where rows are sparse, distances in float64 as well. The kernel needs less.
        self.scratch_per_row = 8 * self.n_landmarks + 16 * self.n_features
        self.kernels = engine.backend()
        self.original = L
        self.sparse = sparse.issparse(L)
        if not self.sparse:
            self.centre = centre_of(L)
            self.L = L - self.centre

    def fill(self, X: Any, out: Floats, stop: Any) -> None:
        """Manhattan distances of a chunk of rows."""
        if self.sparse or sparse.issparse(X):
            from sklearn.metrics.pairwise import manhattan_distances

            out[:] = manhattan_distances(_narrow(X), _narrow(self.original))
        else:
            self.kernels.manhattan(X - self.centre, self.L, out, stop)

    def seconds(self, X: Any) -> NDArray[np.float64]:
        """Cost of a row: three operations per coordinate; to store a value costs like a few."""
        work = 3 * GEMM_SECONDS * self.n_landmarks * (self.n_features + 3)
        return np.full(X.shape[0], work * self.kernels.slowness)


def _rows(X: Any, which: NDArray[Any], dense: bool) -> Any:
    rows = X[which]
    return rows.toarray() if dense and sparse.issparse(rows) else rows


def _narrow(X: Any) -> Any:
    """CSR with 32-bit indices, the only ones scikit-learn's kernel reads; a chunk has few."""
    X = sparse.csr_matrix(X)
    parts = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
    return sparse.csr_matrix(parts, shape=X.shape)


class _Distance(Measure):
    domain = vectors
    kind = "distance"
    bounds = (0.0, np.inf)
    symmetric = True


class Euclidean(_Distance):
    """Euclidean distance ‖x − y‖, dense or sparse. Relative error at most 2·10⁻⁴, typically 10⁻⁶.

    Also beside numbers of any other size: what float32 cannot tell apart is computed in float64.

    Examples
    --------
    >>> Euclidean().cross([[0.0, 0.0]], [[3.0, 4.0]])
    array([[5.]], dtype=float32)
    """

    name: ClassVar[str] = "euclidean"
    triangle = True

    def compile(self, L: Any) -> engine.Plan:
        """Centre the landmarks."""
        return SquaredDistances(L, roots)


class SqEuclidean(_Distance):
    """Squared Euclidean distance ‖x − y‖².

    Examples
    --------
    >>> SqEuclidean().cross([[0.0, 0.0]], [[3.0, 4.0]])
    array([[25.]], dtype=float32)
    """

    name: ClassVar[str] = "sqeuclidean"
    triangle = False

    def compile(self, L: Any) -> engine.Plan:
        """Centre the landmarks."""
        return SquaredDistances(L, squares)


class Manhattan(_Distance):
    """Manhattan distance Σ|xᵢ − yᵢ|. Relative error at most 10⁻⁴, typically 10⁻⁶.

    Also beside numbers of any other size: what float32 cannot tell apart is computed again from
    both halves of the doubles. Left is 10⁻¹⁴ of the largest number, for each coordinate.

    Examples
    --------
    >>> Manhattan().cross([[0.0, 0.0]], [[3.0, 4.0]])
    array([[7.]], dtype=float32)
    """

    name: ClassVar[str] = "manhattan"
    triangle = True

    def compile(self, L: Any) -> engine.Plan:
        """Centre the landmarks."""
        return AbsoluteDistances(L)


# Categories: the same or not.


VALUE_SECONDS = 1e-9


class Equality(Measure):
    """1 for the same category, 0 for another. Landmarks make it the one-hot code of a category.

    A category that is no landmark is like none: all its values are 0.

    Examples
    --------
    >>> Equality().cross(["red", "blue", "mauve"], ["red", "blue"])
    array([[1., 0.],
           [0., 1.],
           [0., 0.]], dtype=float32)
    """

    name: ClassVar[str] = "equality"
    domain = categories
    self_value = 1.0
    kind = "similarity"
    bounds = (0.0, 1.0)
    symmetric = True
    psd = True

    def compile(self, L: Ragged) -> engine.Plan:
        """Hash the landmarks."""
        return _SameHash(L)


class _SameHash(engine.Plan):
    """Hashes of rows against those of landmarks."""

    def __init__(self, L: Ragged) -> None:
        self.n_landmarks = len(L)
        self.scratch_per_row = len(L) + 8
        self.hashes = hashes(L)

    def fill(self, X: Ragged, out: NDArray[np.float32], stop: Any) -> None:
        """Compare all pairs."""
        np.equal(hashes(X)[:, None], self.hashes, out=out, casting="unsafe")

    def seconds(self, X: Ragged) -> NDArray[np.float64]:
        """In proportion to letters and landmarks."""
        return np.asarray((X.lengths + self.n_landmarks) * VALUE_SECONDS, dtype=np.float64)


# Measures of vectors with a matrix inside, such as a learner finds.


ROUNDING = 1e-9  # of the largest entry or eigenvalue: asymmetry and negativity below this are none


@dataclass(eq=False, repr=False)
class _WithMatrix(Measure):
    """A measure of vectors made of a square matrix W."""

    W: Any

    domain = vectors

    @property
    def _matrix(self) -> NDArray[np.float64]:
        return np.asarray(self.W, dtype=np.float64)

    def check_parameters(self) -> None:
        """Require a finite square matrix."""
        W = self._matrix
        if W.ndim != 2 or W.shape[0] != W.shape[1]:
            raise ValueError(f"W must be a square matrix, not one of shape {W.shape}.")
        if not np.isfinite(W).all():
            raise ValueError("W holds NaN or infinity; give finite numbers.")

    def _require_width(self, X: Any) -> None:
        if X.shape[1] != len(self._matrix):
            raise ValueError(
                f"vectors have {X.shape[1]} features and W is for {len(self._matrix)}; "
                "give vectors of the same length."
            )


class Mahalanobis(_WithMatrix):
    """Distance √((x − y)ᵀW(x − y)), or its square, for a positive semidefinite W.

    Parameters
    ----------
    W : ndarray of shape (d, d)
        Symmetric, without negative eigenvalues.
    squared : bool, default=False
        Whether values are squared distances.

    Examples
    --------
    >>> Mahalanobis(np.diag([4.0, 1.0])).cross([[0.0, 0.0]], [[3.0, 0.0], [0.0, 3.0]])
    array([[6., 3.]], dtype=float32)
    """

    kind = "distance"
    bounds = (0.0, np.inf)
    symmetric = True

    def __init__(self, W: Any, squared: bool = False) -> None:
        super().__init__(W)
        self.squared = squared

    @property
    def triangle(self) -> Fact:  # type: ignore[override]
        """Return True for the distance; the square of one breaks it."""
        return not self.squared

    def check_parameters(self) -> None:
        """Require a positive semidefinite matrix."""
        super().check_parameters()
        if not _is_symmetric(self._matrix) or not is_psd(self._matrix):
            raise ValueError(
                "W must be symmetric and positive semidefinite, or distances would be imaginary; "
                "project it first: seamark.online.PSDCone().project(W)."
            )

    def factor(self) -> NDArray[np.float64]:
        """Return F with W = FFᵀ: the distance is Euclidean between the rows of XF."""
        values, axes = np.linalg.eigh(self._matrix)
        return np.asarray(axes * np.sqrt(np.maximum(values, 0)))

    def compile(self, L: Any) -> engine.Plan:
        """Map the landmarks."""
        self._require_width(L)
        factor = self.factor()
        plan = SquaredDistances(np.asarray(L @ factor), squares if self.squared else roots)
        width = 8 * factor.shape[1]
        return PlanAround(plan, prepare=lambda X: np.asarray(X @ factor), scratch_per_row=width)


class Bilinear(_WithMatrix):
    """Similarity xᵀWy for any square W; asymmetric or indefinite as W is.

    Parameters
    ----------
    W : ndarray of shape (d, d)
        The matrix; it need not be symmetric.

    Examples
    --------
    >>> Bilinear(np.array([[0.0, 1.0], [0.0, 0.0]])).cross([[1.0, 0.0], [0.0, 1.0]])
    array([[0., 1.],
           [0., 0.]], dtype=float32)
    """

    kind = "similarity"

    @property
    def symmetric(self) -> Fact:  # type: ignore[override]
        """Return whether W is symmetric."""
        return _is_symmetric(self._matrix)

    @property
    def psd(self) -> Fact:  # type: ignore[override]
        """Return whether W is symmetric and has no negative eigenvalue."""
        return _is_symmetric(self._matrix) and is_psd(self._matrix)

    def compile(self, L: Any) -> engine.Plan:
        """Multiply the landmarks once: what is left are inner products."""
        self._require_width(L)
        return DotProducts(np.asarray(L @ self._matrix.T), lambda t: None)

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """Return xᵀWx."""
        dense = X.toarray() if sparse.issparse(X) else X
        return np.asarray(np.einsum("ij,ij->i", dense @ self._matrix, dense))


def _is_symmetric(W: NDArray[np.float64]) -> bool:
    return bool(np.abs(W - W.T).max(initial=0.0) <= ROUNDING * np.abs(W).max(initial=0.0))


def is_psd(W: NDArray[np.float64]) -> bool:
    """Whether a symmetric matrix has no negative eigenvalue."""
    values = np.linalg.eigvalsh(W)
    return bool(values.min(initial=0.0) >= -ROUNDING * np.abs(values).max(initial=0.0))
