"""Columns that are products: monomials, and products of random projections."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from .allocation import Allocation
from .base import Map
from .chunks import chunk_rows, chunks, dense32, project
from .projections import Projection

if TYPE_CHECKING:
    from .sources import Source

Floats = NDArray[np.float32]
Index = NDArray[np.intp]


@dataclass(frozen=True)
class Monomials:
    """Monomials Π x_k, one for each row of `indices`; index d stands for 1.

    Examples
    --------
    >>> Monomials.of([0, 1, 2], 2).indices.tolist()
    [[2, 2], [0, 2], [1, 2], [0, 0], [0, 1], [1, 1]]
    """

    indices: Index

    @classmethod
    def of(cls, degrees: list[int], d: int) -> Monomials:
        """All monomials of some degrees in d variables."""
        width = max(degrees, default=0)
        rows = [
            (*chosen, *(d,) * (width - n))
            for n in degrees
            for chosen in combinations_with_replacement(range(d), n)
        ]
        return cls(np.array(rows, dtype=np.intp).reshape(len(rows), width))

    def degrees(self, d: int) -> Index:
        """Degree of each monomial."""
        return np.asarray((self.indices < d).sum(axis=1))

    def multiplicities(self, d: int) -> NDArray[np.float64]:
        """n!/α!: how often a monomial occurs in ⟨x, y⟩ⁿ.

        Examples
        --------
        >>> Monomials(np.array([[0, 0, 1], [0, 1, 2]])).multiplicities(3)
        array([3., 6.])
        """
        ways = np.ones(len(self.indices))
        run = np.zeros(len(self.indices))  # α! is the product of 1, 2, … along every run of equals
        for j, column in enumerate(self.indices.T):
            run = np.where(column == self.indices[:, j - 1], run + 1, 1) if j else run + 1
            ways *= np.where(column < d, (j + 1) / run, 1.0)
        return ways.round()

    def fill(self, X: Any, out: Floats) -> None:
        """Compute all monomials of a few rows."""
        n, d = X.shape
        if not self.indices.size:  # nothing, or a constant
            out[:] = 1
            return
        extended = np.ones((n, d + 1), dtype=np.float32)
        extended[:, :d] = dense32(X)
        np.take(extended, self.indices[:, 0], axis=1, out=out)
        for column in self.indices.T[1:]:
            out *= extended[:, column]


class Factors(ABC):
    """The factors of columns that are sorted by degree: j-th ones belong to the last columns."""

    widths: list[int]

    @abstractmethod
    def values(self, X: Any) -> Iterator[Floats]:
        """Yield the j-th factors of all columns that have them; one yield may overwrite another."""

    @abstractmethod
    def pick(self, columns: Index, width: int) -> Self:
        """Keep some of `width` columns, in rising order."""

    @staticmethod
    def of_degrees(degrees: Index) -> list[int]:
        """Return how many columns have at least 1, 2, … factors."""
        return [int((degrees >= j).sum()) for j in range(1, int(degrees.max(initial=0)) + 1)]


class Projected(Factors):
    """Factors wᵀx."""

    def __init__(self, weights: list[Floats]) -> None:
        self.weights = weights
        self.widths = [len(W) for W in weights]

    @classmethod
    def draw(
        cls, degrees: Index, projection: Projection, d: int, rng: np.random.Generator
    ) -> Projected:
        """Draw independent projections for columns of given degrees."""
        return cls([projection.draw(m, d, rng) for m in cls.of_degrees(degrees)])

    def values(self, X: Any) -> Iterator[Floats]:
        """One matrix product for all j-th factors."""
        X = X.astype(np.float32, copy=False)
        scratch = np.empty((X.shape[0], max(self.widths, default=0)), dtype=np.float32)
        for W in self.weights:
            project(X, W, scratch[:, : len(W)])
            yield scratch[:, : len(W)]

    def pick(self, columns: Index, width: int) -> Projected:
        """Keep rows of the matrices."""
        kept = [W[_own(columns, width, len(W))] for W in self.weights]
        return Projected([W for W in kept if len(W)])


class InnerColumns(Factors):
    """Factors that are independent columns of another map, each an unbiased feature by itself."""

    def __init__(self, map: Map, widths: list[int], scale: float) -> None:
        self.map = map
        self.widths = widths
        self.scale = scale

    def values(self, X: Any) -> Iterator[Floats]:
        """One block of the inner map, cut into factors."""
        if self.widths:
            block = dense32(self.map.block(X)) * np.float32(self.scale)
            yield from np.split(block, np.cumsum(self.widths)[:-1], axis=1)

    def pick(self, columns: Index, width: int) -> InnerColumns:
        """Take a subset of the inner map."""
        owns = [_own(columns, width, m) for m in self.widths]
        starts = np.cumsum([0, *self.widths])
        every = np.concatenate([own + s for own, s in zip(owns, starts, strict=False)] or [columns])
        widths = [len(own) for own in owns if len(own)]
        return InnerColumns(self.map.subset(every), widths, self.scale)


def _own(columns: Index, width: int, m: int) -> Index:
    """Positions, among the last m of `width` columns, of those columns that are there."""
    return columns[columns >= width - m] - (width - m)


@dataclass(frozen=True)
class ProductColumns:
    """Monomials, then products of factors; of all these, columns `take`, times `scales`."""

    monomials: Monomials
    factors: Factors
    width: int
    """Number of products, which come in multiples of `unit`."""
    unit: int
    take: Index
    scales: Floats

    def __post_init__(self) -> None:
        # Room is made for `width` columns, also when a file says how many.
        if self.unit not in (1, 2) or not 0 <= self.width <= self.unit * len(self.take):
            raise ValueError(f"{self.width} products are more than {len(self.take)} columns need.")
        if max(self.factors.widths, default=0) > self.width:
            raise ValueError(f"there are factors of more than {self.width} products.")

    @classmethod
    def of(
        cls, allocation: Allocation, a: NDArray[Any], source: Source, rng: np.random.Generator
    ) -> ProductColumns:
        """Draw the columns that an allocation asks for."""
        monomials = Monomials.of(allocation.exact, source.d)
        degrees, which = in_units(allocation.degrees, source.unit)
        # Either part of a complex product is unbiased after √2; a constant needs none.
        parts = np.where(allocation.degrees > 0, source.unit, 1)
        exact = a[monomials.degrees(source.d)] * monomials.multiplicities(source.d)
        scales = np.sqrt(np.concatenate([exact, allocation.weights * parts]))
        take = np.concatenate([np.arange(len(exact)), len(exact) + which])
        return cls(
            monomials,
            source.draw(degrees, rng),
            len(degrees),
            source.unit,
            take.astype(np.intp),
            scales.astype(np.float32),
        )

    def fill(self, X: Any, out: Floats, scale: float) -> None:
        """Compute all columns of some rows, which are multiplied by a number first."""
        exact = len(self.monomials.indices)
        computed = np.empty((chunk_rows(X, out.shape[1]), exact + self.width), dtype=np.float32)
        whole = np.array_equal(self.take, np.arange(computed.shape[1]))
        for given, target in chunks(X, out):
            rows, part = given * scale, computed[: given.shape[0]]
            self.monomials.fill(rows, part[:, :exact])
            self._multiply(rows, part[:, exact:])
            chosen = part if whole else part[:, self.take]
            np.multiply(chosen, self.scales, out=target)

    def _multiply(self, X: Any, out: Floats) -> None:
        out[:, : self.width - max(self.factors.widths, default=0)] = 1
        for j, values in enumerate(self.factors.values(X)):
            tail = out[:, self.width - values.shape[1] :]
            if j == 0:
                tail[:] = values
            elif self.unit == 2:  # real and imaginary parts alternate
                pairs = tail.view(np.complex64)
                pairs *= values.view(np.complex64)
            else:
                tail *= values

    def pick(self, columns: Index) -> ProductColumns:
        """Return only some of the columns, and compute no others but their imaginary twins."""
        wanted = self.take[columns]
        exact = len(self.monomials.indices)
        monomials = np.unique(wanted[wanted < exact])
        groups = np.unique((wanted[wanted >= exact] - exact) // self.unit)
        kept = (groups[:, None] * self.unit + np.arange(self.unit)).ravel()
        place = np.full(exact + self.width, -1)
        place[monomials] = np.arange(len(monomials))
        place[exact + kept] = len(monomials) + np.arange(len(kept))
        return replace(
            self,
            monomials=Monomials(self.monomials.indices[monomials]),
            factors=self.factors.pick(kept, self.width),
            width=len(kept),
            take=place[wanted],
            scales=self.scales[columns],
        )


def in_units(degrees: Index, unit: int) -> tuple[Index, Index]:
    """Fill up rising degrees so that each occurs a multiple of `unit` times; say which are new.

    Examples
    --------
    >>> in_units(np.array([2, 2, 2, 5]), 2)
    (array([2, 2, 2, 2, 5, 5]), array([0, 1, 2, 4]))
    """
    values, starts, counts = np.unique(degrees, return_index=True, return_counts=True)
    filled = -(-counts // unit) * unit
    shifts = np.cumsum(filled) - filled - starts
    return np.repeat(values, filled), np.arange(len(degrees)) + np.repeat(shifts, counts)
