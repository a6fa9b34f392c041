"""How vectors are compared: by a matrix product, or the native kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .. import engine
from .centre import centre_of, power_of_two

Floats = NDArray[np.float32]

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
    product = X @ L.T
    return np.asarray(product.toarray() if sparse.issparse(product) else product)


def squared_norms(X: Any) -> NDArray[np.float64]:
    """Squared Euclidean norm of each row, in float64."""
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, X, dtype=np.float64))


class SquaredDistances(VectorPlan):
    """Squared Euclidean distances by a matrix product, made safe.

    ‖x‖² + ‖l‖² − 2⟨x, l⟩ in float32 loses small distances between vectors of large norm. So data
    are centred first, and what is still small against the norms is computed again from the
    differences. Squares of tiny numbers leave the range of float32: a chunk of them is magnified by
    a power of two, and single tiny values are computed in float64 to the end.
    """

    AGAIN = 1e-3  # below this share of ‖x‖² + ‖l‖² a float32 matrix product has too few digits left
    AGAIN_SPARSE = 1e-9  # and a float64 one, of rows that cannot be centred
    TINY = 1e-30  # squares below this have too few digits left in float32

    def __init__(self, L: Any) -> None:
        super().__init__(L)
        self.sparse = sparse.issparse(L)
        self.original = L
        self.centre = None if self.sparse else centre_of(L)
        self.L = L if self.sparse else (L - self.centre).astype(np.float32)
        self.norms = squared_norms(self.L)

    def finish(self, squares: NDArray[Any], unit: float) -> None:
        """Turn squared distances, in units of `unit`², into values, in place."""
        if unit != 1:
            squares *= np.float64(unit**2)

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
        now = engine.settings()
        step = max(1, now.pairs_bytes // (8 * self.n_features)) if dense else now.sparse_pairs
        for start in range(0, len(rows), step):
            i, j = rows[start : start + step], columns[start : start + step]
            squares = squared_norms(_rows(X, i, dense) - _rows(L, j, dense))
            out[i, j] = squares / unit**2
            few = (squares < self.TINY * unit**2) & (squares > 0)
            if few.any():
                tiny.append((i[few], j[few], squares[few]))


class Distances(SquaredDistances):
    """Euclidean distances."""

    def finish(self, squares: NDArray[Any], unit: float) -> None:
        """Root of the squared distances."""
        np.sqrt(squares, out=squares)
        if unit != 1:
            squares *= np.float64(unit)


class Gaussians(SquaredDistances):
    """exp(rate · d²)."""

    def __init__(self, L: Any, rate: float) -> None:
        super().__init__(L)
        self.rate = rate

    def finish(self, squares: NDArray[Any], unit: float) -> None:
        """Exponentiate, while the chunk is in the cache."""
        rate: Any = self.rate * unit**2
        if squares.dtype == np.float32:
            # Beyond float32 it leaves all but tiny squares, which come in float64, at nothing.
            rate = np.float32(np.clip(rate, *_FLOAT32))
        with np.errstate(over="ignore"):
            squares *= rate
        np.exp(squares, out=squares)


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
