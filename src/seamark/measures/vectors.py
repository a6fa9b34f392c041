"""Measures of vectors: distances, through the native kernel or a matrix product."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .. import engine
from ..objects import vectors
from .base import Fact, Measure

Floats = NDArray[np.float32]
Width = float | Literal["mean", "median"]

GEMM_SECONDS = 2e-11  # per multiply-add of a float32 matrix product
POINTWISE_SECONDS = 1e-9  # per value of a pointwise function


class VectorPlan(engine.ChunkedPlan):
    """Landmark rows as float32 (as they are if sparse), and a cost equal for all rows."""

    def __init__(self, L: Any) -> None:
        self.n_landmarks, self.n_features = L.shape
        self.scratch_per_row = 24 * self.n_landmarks + 16 * self.n_features

    def seconds(self, X: Any) -> NDArray[np.float64]:
        """Cost of a row of a matrix product and a pointwise function."""
        work = self.n_landmarks * (self.n_features * GEMM_SECONDS + POINTWISE_SECONDS)
        return np.full(X.shape[0], work)


PRODUCT_ROWS = 64


def products(X: Floats, L: Floats, out: Floats) -> None:
    """Inner products of dense rows, which do not depend on what other rows X has.

    BLAS takes other paths, with other roundings, for one row and for many; so it is always given
    the same number of rows, the last ones filled up with zeros.
    """
    n = len(X)
    whole = n - n % PRODUCT_ROWS
    for start in range(0, whole, PRODUCT_ROWS):
        rows = slice(start, start + PRODUCT_ROWS)
        np.matmul(X[rows], L.T, out=out[rows])
    if whole < n:
        padded = np.zeros((PRODUCT_ROWS, X.shape[1]), dtype=np.float32)
        padded[: n - whole] = X[whole:]
        out[whole:] = np.matmul(padded, L.T)[: n - whole]


def sparse_products(X: Any, L: Any) -> NDArray[Any]:
    """Inner products of rows, one or both sparse, in float64."""
    product = X @ L.T
    return np.asarray(product.toarray() if sparse.issparse(product) else product)


def squared_norms(X: Any) -> NDArray[np.float64]:
    """Squared Euclidean norm of each row, in float64."""
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    norms: NDArray[np.float64] = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    return norms


class SquaredDistances(VectorPlan):
    """Squared Euclidean distances by a matrix product, made safe.

    ‖x‖² + ‖l‖² − 2⟨x, l⟩ in float32 loses small distances between vectors of large norm. So data
    are centred on the landmarks' mean first, and what is still small against the norms is
    computed again from the differences.
    """

    AGAIN = 1e-3  # below this share of ‖x‖² + ‖l‖² the matrix product has too few digits left

    def __init__(self, L: Any) -> None:
        super().__init__(L)
        self.sparse = sparse.issparse(L)
        self.original = L
        self.centre = None if self.sparse else L.mean(axis=0, dtype=np.float64)
        self.L = L if self.sparse else (L - self.centre).astype(np.float32)
        self.norms = squared_norms(self.L)

    def fill(self, X: Any, out: Floats, stop: Any) -> None:
        """Squared distances of a chunk of rows."""
        if self.sparse or sparse.issparse(X):
            norms = self.norms if self.sparse else squared_norms(self.original)
            values = squared_norms(X)[:, None] + norms - 2 * sparse_products(X, self.original)
            np.maximum(values, 0, out=out, casting="unsafe")
            return
        centred = (X - self.centre).astype(np.float32)
        sums = np.add.outer(squared_norms(centred), self.norms).astype(np.float32)
        products(centred, self.L, out)
        out *= -2
        out += sums
        sums *= self.AGAIN
        self._again(X, out, np.nonzero(out < sums))

    def _again(self, X: Any, out: Floats, pairs: tuple[NDArray[Any], ...]) -> None:
        step = max(1, (4 << 20) // (8 * self.n_features))
        for start in range(0, len(pairs[0]), step):
            i, j = pairs[0][start : start + step], pairs[1][start : start + step]
            difference = X[i] - self.original[j]
            out[i, j] = np.einsum("ij,ij->i", difference, difference, dtype=np.float64)


class Distances(SquaredDistances):
    """Euclidean distances."""

    def fill(self, X: Any, out: Floats, stop: Any) -> None:
        """Root of the squared distances."""
        super().fill(X, out, stop)
        np.sqrt(out, out=out)


class AbsoluteDistances(VectorPlan):
    """Manhattan distances by the native kernel; centred, which changes nothing but the rounding."""

    def __init__(self, L: Any) -> None:
        super().__init__(L)
        self.kernels = engine.backend()
        self.original = L
        self.sparse = sparse.issparse(L)
        if not self.sparse:
            self.centre = L.mean(axis=0, dtype=np.float64)
            self.L = (L - self.centre).astype(np.float32)

    def fill(self, X: Any, out: Floats, stop: Any) -> None:
        """Manhattan distances of a chunk of rows."""
        if self.sparse or sparse.issparse(X):
            from sklearn.metrics.pairwise import manhattan_distances

            out[:] = manhattan_distances(_narrow(X), _narrow(self.original))
        else:
            self.kernels.manhattan((X - self.centre).astype(np.float32), self.L, out, stop)

    def seconds(self, X: Any) -> NDArray[np.float64]:
        """Cost of a row: three operations per coordinate, not one."""
        return super().seconds(X) * (3 * self.kernels.slowness)


def _narrow(X: Any) -> Any:
    """CSR with 32-bit indices, the only ones scikit-learn's kernel reads; a chunk has few."""
    X = sparse.csr_matrix(X)
    parts = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
    return sparse.csr_matrix(parts, shape=X.shape)


class Euclidean(Measure):
    """Euclidean distance ‖x − y‖, dense or sparse. Relative error at most 2·10⁻⁴, typically 10⁻⁶.

    Examples
    --------
    >>> Euclidean().cross([[0.0, 0.0]], [[3.0, 4.0]])
    array([[5.]], dtype=float32)
    """

    name: ClassVar[str] = "euclidean"
    domain = vectors
    kind = "distance"
    bounds = (0.0, np.inf)
    symmetric = True
    triangle = True

    def compile(self, L: Any) -> engine.Plan:
        """Centre the landmarks."""
        return Distances(L)


class SqEuclidean(Measure):
    """Squared Euclidean distance ‖x − y‖².

    Examples
    --------
    >>> SqEuclidean().cross([[0.0, 0.0]], [[3.0, 4.0]])
    array([[25.]], dtype=float32)
    """

    name: ClassVar[str] = "sqeuclidean"
    domain = vectors
    kind = "distance"
    bounds = (0.0, np.inf)
    symmetric = True
    triangle = False

    def compile(self, L: Any) -> engine.Plan:
        """Centre the landmarks."""
        return SquaredDistances(L)


class Manhattan(Measure):
    """Manhattan distance Σ|xᵢ − yᵢ|.

    Examples
    --------
    >>> Manhattan().cross([[0.0, 0.0]], [[3.0, 4.0]])
    array([[7.]], dtype=float32)
    """

    name: ClassVar[str] = "manhattan"
    domain = vectors
    kind = "distance"
    bounds = (0.0, np.inf)
    symmetric = True
    triangle = True

    def compile(self, L: Any) -> engine.Plan:
        """Centre the landmarks."""
        return AbsoluteDistances(L)


class _Radial(Measure):
    """A similarity that falls from 1 with distance, on a scale that the data may choose."""

    domain = vectors
    kind = "similarity"
    bounds = (0.0, 1.0)
    symmetric = True
    psd: Fact = True
    distance: ClassVar[type[Measure]]
    """Distance whose typical size is the width."""

    def __init__(self, width: Width = "mean") -> None:
        self.width = width

    def check_parameters(self) -> None:
        """Require a positive width, or a rule."""
        check_width(self.width)

    def fitted_to(self, X: Any, rng: np.random.Generator) -> Self:
        """Return a copy whose width is the typical distance between the rows of X."""
        return self._with(width=typical_distance(self.distance(), X, self.width, rng))

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """1."""
        return np.ones(X.shape[0])


class Gaussian(_Radial):
    """Gaussian similarity exp(−‖x − y‖² / 2σ²).

    Parameters
    ----------
    width : float, "mean" or "median", default="mean"
        σ; a rule takes the mean or median distance between pairs of the data.

    Examples
    --------
    >>> Gaussian(width=5.0).cross([[0.0, 0.0]], [[3.0, 4.0], [0.0, 0.0]]).round(4)
    array([[0.6065, 1.    ]], dtype=float32)
    """

    name: ClassVar[str] = "gaussian"
    distance = Euclidean
    rotation_invariant: ClassVar[bool] = True

    def compile(self, L: Any) -> engine.Plan:
        """Exponentiate squared distances while the chunk is in cache."""
        return _Decaying(SquaredDistances(L), -1.0 / (2.0 * float(self.width) ** 2))

    def frequencies(self, n: int, d: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Gaussian, of deviation 1/σ."""
        return rng.normal(scale=1.0 / float(self.width), size=(n, d))


class Laplacian(_Radial):
    """Laplacian similarity exp(−‖x − y‖₁ / σ).

    Parameters
    ----------
    width : float, "mean" or "median", default="mean"
        σ; a rule takes the mean or median Manhattan distance between pairs of the data.

    Examples
    --------
    >>> Laplacian(width=7.0).cross([[0.0, 0.0]], [[3.0, 4.0]]).round(4)
    array([[0.3679]], dtype=float32)
    """

    name: ClassVar[str] = "laplacian"
    distance = Manhattan

    def compile(self, L: Any) -> engine.Plan:
        """Exponentiate Manhattan distances while the chunk is in cache."""
        return _Decaying(AbsoluteDistances(L), -1.0 / float(self.width))

    def frequencies(self, n: int, d: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Cauchy in each coordinate, of scale 1/σ."""
        return rng.standard_cauchy(size=(n, d)) / float(self.width)


class _Decaying(engine.ChunkedPlan):
    """exp(rate · value) of another plan's values."""

    def __init__(self, plan: engine.ChunkedPlan, rate: float) -> None:
        self.plan = plan
        self.rate = np.float32(rate)
        self.n_landmarks = plan.n_landmarks
        self.scratch_per_row = plan.scratch_per_row

    def seconds(self, X: Any) -> NDArray[np.float64]:
        return self.plan.seconds(X)

    def fill(self, X: Any, out: Floats, stop: Any) -> None:
        self.plan.fill(X, out, stop)
        out *= self.rate
        np.exp(out, out=out)


def check_width(width: Any) -> None:
    """Require a positive number, "mean" or "median"."""
    if isinstance(width, str):
        if width not in _TYPICAL:
            raise ValueError(f'width must be a positive number, "mean" or "median", not {width!r}.')
    elif not (np.isscalar(width) and 0 < float(width) < np.inf):  # type: ignore[arg-type]
        raise ValueError(f"width must be positive, not {width!r}.")


_TYPICAL: dict[str, Any] = {"mean": np.mean, "median": np.median}
WIDTH_SAMPLE = 1000  # rows whose pairs give the typical distance


def typical_distance(distance: Measure, X: Any, width: Width, rng: np.random.Generator) -> float:
    """Return a width as a number: itself, or the mean or median distance between pairs of X.

    A sample of rows is enough. With one row, or all alike, there is no scale: 1 is returned.
    """
    if not isinstance(width, str):
        return float(width)
    n = X.shape[0]
    if n > WIDTH_SAMPLE:
        X = X[np.sort(rng.choice(n, WIDTH_SAMPLE, replace=False))]
        n = WIDTH_SAMPLE
    if n < 2:
        return 1.0
    values = engine.cross(distance.compile, X, symmetric=True)[np.tril_indices(n, -1)]
    return float(_TYPICAL[width](values.astype(np.float64))) or 1.0
