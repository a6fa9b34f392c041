"""Random projections w whose products Π wⱼᵀx are unbiased features of ⟨x, y⟩ⁿ."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..measures.vectors import squared_norms

Array = NDArray[np.float64]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class VectorPairs:
    """Facts of pairs of vectors on which the variance of a product feature depends."""

    products: Array  # ⟨x, y⟩
    norms: Array  # ‖x‖²‖y‖²
    squares: Array  # Σ xₖ²yₖ²

    @classmethod
    def of(cls, X: Any) -> VectorPairs:
        """All pairs of rows."""
        Y = X.multiply(X) if sparse.issparse(X) else np.square(X)
        norms = squared_norms(X)
        full = (_gram(X), np.outer(norms, norms), _gram(Y))
        which = pairs_of(X.shape[0])
        return cls(*(np.asarray(table[which], np.float64) for table in full))


def pairs_of(n: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return both members of all pairs of n rows, every row with itself among them.

    Examples
    --------
    >>> pairs_of(2)
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    return np.triu_indices(n)


def _gram(X: Any) -> Array:
    product = X @ X.T
    return np.asarray(product.toarray() if sparse.issparse(product) else product, np.float64)


class Projection(ABC):
    """How vectors w are drawn, and how noisy a column made of n of them is."""

    unit: ClassVar[int] = 1
    """Columns that come together: 1, or 2 for real and imaginary part."""

    @abstractmethod
    def draw(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Return n rows, a multiple of `unit`, of length d."""

    @abstractmethod
    def variance(self, pairs: VectorPairs, n: int) -> Array:
        """Variance of the product of one column at x and at y, for degree n, of each pair."""


class Rademacher(Projection):
    """Independent fair signs, as in Kar and Karnick."""

    def draw(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Return signs."""
        return _signs((n, d), rng)

    def variance(self, pairs: VectorPairs, n: int) -> Array:
        """E[(wᵀx)²(wᵀy)²]ⁿ − ⟨x, y⟩²ⁿ."""
        t = np.square(pairs.products)
        return np.asarray((pairs.norms + 2 * t - 2 * pairs.squares) ** n - t**n)


class Hadamard(Rademacher):
    """Rows of a Hadamard matrix with random signs, shuffled: orthogonal within a block.

    Evaluated as a matrix product like any other: up to a few thousand dimensions that is faster
    than the fast transform. Variances are those of independent signs for degrees from 2 on, less a
    share of order D/d² at most.
    """

    def draw(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Return as many blocks as needed, the last one cut."""
        size = 1 << max(0, d - 1).bit_length()
        blocks = -(-n // size)
        numbers = rng.permuted(np.tile(np.arange(size), (blocks, 1)), axis=1).ravel()[:n]
        signs = _signs((blocks, d), rng)
        return np.asarray(hadamard_rows(numbers, size)[:, :d] * signs[np.arange(n) // size])


def hadamard_rows(numbers: NDArray[np.integer[Any]], size: int) -> NDArray[np.int8]:
    """Return some rows of Sylvester's matrix, which would be too large as a whole.

    Examples
    --------
    >>> hadamard_rows(np.array([0, 3]), 4)
    array([[ 1,  1,  1,  1],
           [ 1, -1, -1,  1]], dtype=int8)
    """
    rows = np.ones((len(numbers), 1), dtype=np.int8)
    for bit in range(size.bit_length() - 1):
        signs = (1 - 2 * ((numbers >> bit) & 1)).astype(np.int8)
        rows = np.concatenate([rows, signs[:, None] * rows], axis=1)
    return rows


class ComplexSigns(Projection):
    """Entries 1, i, −1, −i; the real and the imaginary part of a product are two columns.

    Less noise than real signs wherever ⟨x, y⟩ is not small (Wacker, Kanagawa and Filippone,
    Improved Random Features for Dot Product Kernels, JMLR 2024). Rows alternate: real part,
    imaginary part. √2 times either is an unbiased feature by itself, since E[w²] = 0.
    """

    unit: ClassVar[int] = 2

    def draw(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Return rows in twos, of which one is zero wherever the other is not."""
        signs = _signs((n // 2, d), rng)
        real = rng.integers(2, size=signs.shape, dtype=np.int8)
        rows = np.empty((n // 2, 2, d), dtype=np.float32)
        np.multiply(signs, real, out=rows[:, 0])
        np.multiply(signs, 1 - real, out=rows[:, 1])
        return rows.reshape(n, d)

    def variance(self, pairs: VectorPairs, n: int) -> Array:
        """Variance of a column when both of each two are used."""
        t = np.square(pairs.products)
        modulus = (pairs.norms + t - pairs.squares) ** n
        pseudo = (2 * t - pairs.squares) ** n
        return np.asarray(modulus + pseudo - 2 * t**n)


def _signs(shape: tuple[int, int], rng: np.random.Generator) -> Floats:
    return (2 * rng.integers(2, size=shape, dtype=np.int8) - 1).astype(np.float32)


PROJECTIONS: dict[str, Projection] = {
    "rademacher": Rademacher(),
    "srht": Hadamard(),
    "complex": ComplexSigns(),
}
