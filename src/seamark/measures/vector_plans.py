"""How vectors are compared: by a matrix product, or the native kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .. import engine
from .centre import centre_of

Floats = NDArray[np.float32]

GEMM_SECONDS = 2e-11  # per multiply-add of a float32 matrix product
POINTWISE_SECONDS = 1e-9  # per value of a pointwise function


class VectorPlan(engine.Plan):
    """Landmark rows as float32 (as they are if sparse), and a cost equal for all rows."""

    def __init__(self, L: Any) -> None:
        self.n_landmarks, self.n_features = L.shape
        self.scratch_per_row = 24 * self.n_landmarks + 16 * self.n_features

    def seconds(self, X: Any) -> NDArray[np.float64]:
        """Cost of a row of a matrix product and a pointwise function."""
        work = self.n_landmarks * (self.n_features * GEMM_SECONDS + POINTWISE_SECONDS)
        return np.full(X.shape[0], work)


SPARSE_PAIRS = 4096  # sparse rows whose differences are held at a time


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
    differences.
    """

    AGAIN = 1e-3  # below this share of ‖x‖² + ‖l‖² a float32 matrix product has too few digits left
    AGAIN_SPARSE = 1e-9  # and a float64 one, of rows that cannot be centred

    def __init__(self, L: Any) -> None:
        super().__init__(L)
        self.sparse = sparse.issparse(L)
        self.original = L
        self.centre = None if self.sparse else centre_of(L)
        self.L = L if self.sparse else (L - self.centre).astype(np.float32)
        self.norms = squared_norms(self.L)

    def fill(self, X: Any, out: Floats, stop: Any) -> None:
        """Squared distances of a chunk of rows."""
        if self.sparse or sparse.issparse(X):
            self._fill_sparse(X.astype(np.float64), out)
            return
        centred = (X - self.centre).astype(np.float32)
        sums = np.add.outer(squared_norms(centred), self.norms).astype(np.float32)
        engine.backend().products(centred, self.L, out)
        out *= -2
        out += sums
        sums *= self.AGAIN
        self._again(X, self.original, out, out < sums)

    def _fill_sparse(self, X: Any, out: Floats) -> None:
        L = self.original.astype(np.float64)
        sums = np.add.outer(squared_norms(X), squared_norms(L))
        values = sums - 2 * sparse_products(X, L)
        out[:] = values
        sums *= self.AGAIN_SPARSE
        self._again(X, L, out, values < sums)

    def _again(self, X: Any, L: Any, out: Floats, which: NDArray[np.bool_]) -> None:
        """Compute some of the values from the differences of rows."""
        rows, columns = np.nonzero(which)
        dense = not (sparse.issparse(X) and sparse.issparse(L))
        step = max(1, (4 << 20) // (8 * self.n_features)) if dense else SPARSE_PAIRS
        for start in range(0, len(rows), step):
            i, j = rows[start : start + step], columns[start : start + step]
            out[i, j] = squared_norms(_rows(X, i, dense) - _rows(L, j, dense))


class Distances(SquaredDistances):
    """Euclidean distances."""

    def fill(self, X: Any, out: Floats, stop: Any) -> None:
        """Root of the squared distances."""
        super().fill(X, out, stop)
        np.sqrt(out, out=out)


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
