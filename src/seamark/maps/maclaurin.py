"""Random Maclaurin features of dot-product kernels, and of kernels composed with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from itertools import combinations_with_replacement
from math import ceil, comb, log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial.polynomial import polyval
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import lsq_linear
from sklearn.base import clone

from ..data import Domain, Vectors, vectors
from ..landmarks import groups_in
from ..measures import Measure, PowerSeries, get
from ..measures.kernels import DotProductKernel
from ..measures.vectors import squared_norms
from .base import DEFAULT_COMPONENTS, Floats32, Map, VectorMap, chunk_rows, chunks, dense32, project

Array = NDArray[np.float64]
Counts = NDArray[np.intp]

SAMPLE_ROWS = 128  # whose pairs decide how columns are shared out
INNER_COLUMNS = 512  # of an inner map, which show how its products vary
# How far the mean squared error may be above the smallest for the sake of low degrees: of exact
# ones, and of exact ones and more random columns together.
EXACT_ALLOWANCE, ALLOWANCE = 1.2, 1.5
LEANINGS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)  # powers of which favour columns of low degrees
LEAST_SHARE = 1e-3  # of the largest share of a term that random columns are worth


@dataclass(frozen=True)
class Allocation:
    """Degrees computed exactly, and the degree and weight of every random column, by degree."""

    exact: list[int]
    degrees: Counts
    weights: Array
    """What the product of two values of a column counts: (a share of) aₙ over their number."""

    def error(self, a: Array, noise: Array, terms: Array) -> float:
        """Return the mean square of the error that is to be expected; see `optimal`."""
        weights, squares = (
            np.bincount(self.degrees, w, len(a)) for w in (self.weights, np.square(self.weights))
        )
        shares, variances = np.ones(len(a)), np.zeros(len(a))
        random = (a > 0) & ~np.isin(np.arange(len(a)), self.exact)
        shares[random] = weights[random] / a[random]
        variances[random] = squares[random] * np.square(noise[random] / a[random])
        return float(np.square(terms @ (shares - 1)).sum() + variances.sum())


@dataclass(frozen=True)
class ColumnBudget:
    """What is to be shared out.

    Attributes
    ----------
    a : array
        Coefficients of the series, up to the last degree that may be used.
    columns : int
        Output columns, the exact ones included.
    d : int
        Dimension of the vectors; the exact features of degree n are C(d+n−1, n) monomials.
    last_exact : int
        Highest degree that may be exact, −1 if none.
    unit : int
        Random columns come in such numbers.
    """

    a: Array
    columns: int
    d: int
    last_exact: int
    unit: int

    def exact(self, last: int) -> list[int]:
        """Degrees up to `last` that are there at all."""
        return [n for n in range(min(last + 1, len(self.a))) if self.a[n] > 0]

    def cost(self, exact: list[int]) -> int:
        """Columns of exact degrees."""
        return sum(comb(self.d + n - 1, n) for n in exact)


def drawn(budget: ColumnBudget, rule: str, p: float, rng: np.random.Generator) -> Allocation:
    """Degrees drawn one by one from a distribution, none but 0 and 1 exact, as in the thesis.

    "geometric": P(n) = (p−1)/pⁿ⁺¹, all on the one degree there is, if only one. "proportional":
    P(n) ∝ aₙ, on the unit ball the share of a degree in the largest value of the kernel.
    """
    last = min(1, budget.last_exact)
    exact = budget.exact(last)
    rest = budget.columns - budget.cost(exact)
    if rest < 1:
        raise ValueError(
            f"the exact terms alone take {budget.cost(exact)} columns of n_components="
            f"{budget.columns}; raise n_components, or set h01=False."
        )
    start = last + 1
    if not budget.a[start:].any():
        return Allocation(exact, np.empty(0, np.intp), np.empty(0))
    n, live = -(-rest // budget.unit), np.flatnonzero(budget.a[start:]) + start
    if rule == "proportional":
        shares = np.where(np.arange(len(budget.a)) >= start, budget.a, 0.0) / budget.a[start:].sum()
        degrees = rng.choice(len(shares), size=n, p=shares)
        P = shares[degrees]
    elif len(live) == 1:
        degrees, P = np.full(n, live[0]), np.ones(n)
    else:
        steps = rng.geometric((p - 1) / p, size=n)
        degrees, P = steps - 1 + start, np.asarray((p - 1) / float(p) ** steps)
    degrees, P = (np.repeat(v, budget.unit)[:rest] for v in (degrees, P))
    a = np.where(degrees < len(budget.a), budget.a[np.minimum(degrees, len(budget.a) - 1)], 0.0)
    degrees = np.where(a > 0, degrees, 0)  # a term that vanishes costs no products
    order = np.argsort(degrees, kind="stable")
    weights = np.asarray(a / (P * rest), np.float64)
    return Allocation(exact, degrees[order].astype(np.intp), weights[order])


def optimal(budget: ColumnBudget, noise: Array, terms: Array, *, shrink: bool) -> Allocation:
    """Fixed numbers of columns with next to the smallest mean squared error of the kernel.

    The smallest error of a steep kernel leaves nearly all columns to its high degrees, of which a
    linear model learns little. So low degrees are preferred: as many as possible are exact, with
    at most `EXACT_ALLOWANCE` times the smallest mean squared error; then as many random columns as
    possible go to the lower of the others, with at most `ALLOWANCE` times the smallest.

    Parameters
    ----------
    budget : ColumnBudget
    noise : array
        Standard deviation of one column of each degree, times aₙ, over typical pairs.
    terms : array
        A column for each degree: its terms, such that the square of the norm of a sum of columns
        is the mean square of the sum of terms over typical pairs.
    shrink : bool
        Whether terms may count by less than 1, or not at all; otherwise nothing is left out unless
        there are more degrees than columns.
    """
    choices = {
        top: balanced(budget, top, noise, terms, shrink=shrink)
        for top in range(-1, budget.last_exact + 1)
        if budget.cost(budget.exact(top)) <= budget.columns
    }
    errors = {top: choice.error(budget.a, noise, terms) for top, choice in choices.items()}
    least = min(errors.values())
    top = max(top for top, error in errors.items() if error <= EXACT_ALLOWANCE * least)
    for lean in LEANINGS:
        choice = balanced(budget, top, noise, terms, lean=lean, shrink=shrink)
        if choice.error(budget.a, noise, terms) <= ALLOWANCE * least:
            return choice
    return choices[top]


def balanced(
    budget: ColumnBudget, top: int, noise: Array, terms: Array, *, lean: float = 1.0, shrink: bool
) -> Allocation:
    """Degrees up to `top` exact, and the numbers of columns of the others by their noise.

    Exact degrees cost columns and have no noise. The others share the rest in proportion to their
    noise, which is best for a sum of variances over counts; with `lean` below 1, to leanⁿ times
    the noise of degree n. A term may count by less than 1: few columns of it are more noise than
    term. More columns then never make the expected error larger; columns that could only add noise
    are left out. Parameters are those of `optimal`.
    """
    exact = budget.exact(top)
    rest = budget.columns - budget.cost(exact)
    every = [n for n in range(top + 1, len(budget.a)) if budget.a[n] > 0]
    missing = terms[:, every].sum(axis=1)
    live = np.array(every if shrink and rest else every[:rest], dtype=np.intp)
    shares = np.ones(len(live))
    if shrink and len(live):  # as if every number of columns could be had, fractions too
        shares = _shares(terms[:, live], noise[live][None] / np.sqrt(max(1, rest)), missing)
    worth = shares * noise[live] * lean**live
    kept = np.sort(np.argsort(-worth, kind="stable")[:rest])
    kept = kept[shares[kept] > 0] if exact or shares.any() else kept[:1]
    degrees, shares = live[kept], shares[kept]
    counts = shared_out(worth[kept], rest if len(degrees) else 0)
    if shrink and lean < 1 and len(degrees):
        shares = _shares(terms[:, degrees], np.diag(noise[degrees] / np.sqrt(counts)), missing)
    weights = shares * budget.a[degrees] / counts
    return Allocation(exact, np.repeat(degrees, counts), np.repeat(weights, counts))


def _shares(terms: Array, noise: Array, missing: Array) -> Array:
    """Return how much each term is to count, from 0 to 1; next to nothing is nothing.

    The mean squared error is ‖terms · shares − missing‖² + ‖noise · shares‖².
    """
    system = np.vstack([terms, noise])
    target = np.append(missing, np.zeros(len(noise)))
    norms = np.linalg.norm(system, axis=0)
    norms[norms == 0] = 1.0
    shares = lsq_linear(system / norms, target, (0.0, norms)).x / norms
    return np.where(shares < LEAST_SHARE * shares.max(), 0.0, np.minimum(shares, 1.0))


def shared_out(noise: Array, columns: int) -> Counts:
    """Return whole numbers ≥ 1 of a given sum that make Σ noise²/count smallest.

    Examples
    --------
    >>> shared_out(np.array([3.0, 1.0, 0.0]), 9)
    array([6, 2, 1])
    """
    largest = noise.max(initial=0.0)
    squares = np.square(noise / largest) if largest > 0 else np.ones(len(noise))

    def taken(least: float) -> Counts:
        """Counts when every step k → k+1 is taken that gains at least noise²/k(k+1) ≥ least."""
        return 1 + np.floor((np.sqrt(1 + 4 * squares / least) - 1) / 2).astype(np.intp)

    low, high = 1.0 / (4.0 * columns * (columns + 1)) if columns else 1.0, 2.0
    for _ in range(60):  # the best counts are those of the largest gains, wherever they are
        middle = np.sqrt(low * high)
        low, high = (middle, high) if taken(middle).sum() > columns else (low, middle)
    counts = taken(high)
    while len(counts) and counts.sum() < columns:  # equal gains, of which not all are taken
        counts[np.argmax(squares / (counts * (counts + 1.0)))] += 1
    return counts


# Random projections w whose products Π wⱼᵀx are unbiased features of ⟨x, y⟩ⁿ.


Floats = NDArray[np.float32]


def _gram(X: Any) -> Array:
    product = X @ X.T
    return np.asarray(product.toarray() if sparse.issparse(product) else product, np.float64)


class Projection(NamedTuple):
    """How vectors w are drawn."""

    draw: Callable[[int, int, np.random.Generator], Floats]
    """Return n rows, a multiple of `unit`, of length d."""
    unit: int = 1
    """Columns that come together: 1, or 2 for real and imaginary part."""


def random_signs(n: int, d: int, rng: np.random.Generator) -> Floats:
    """Return independent fair signs, as in Kar and Karnick."""
    return (2 * rng.integers(2, size=(n, d), dtype=np.int8) - 1).astype(np.float32)


def hadamard_signs(n: int, d: int, rng: np.random.Generator) -> Floats:
    """Return rows of a Hadamard matrix with random signs, shuffled: orthogonal within a block.

    Evaluated as a matrix product like any other: up to a few thousand dimensions that is faster
    than the fast transform. Variances are those of independent signs for degrees from 2 on, less a
    share of order D/d² at most.
    """
    size = 1 << max(0, d - 1).bit_length()
    blocks = -(-n // size)
    numbers = rng.permuted(np.tile(np.arange(size), (blocks, 1)), axis=1).ravel()[:n]
    signs = random_signs(blocks, d, rng)
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


def complex_signs(n: int, d: int, rng: np.random.Generator) -> Floats:
    """Return entries 1, i, −1, −i: rows in twos, of which one is zero wherever the other is not.

    The real and the imaginary part of a product are two columns. Less noise than real signs
    wherever ⟨x, y⟩ is not small (Wacker, Kanagawa and Filippone, Improved Random Features for Dot
    Product Kernels, JMLR 2024). √2 times either part is an unbiased feature by itself, since
    E[w²] = 0.
    """
    signs = random_signs(n // 2, d, rng)
    real = rng.integers(2, size=signs.shape, dtype=np.int8)
    rows = np.empty((n // 2, 2, d), dtype=np.float32)
    np.multiply(signs, real, out=rows[:, 0])
    np.multiply(signs, 1 - real, out=rows[:, 1])
    return rows.reshape(n, d)


PROJECTIONS = {
    "rademacher": Projection(random_signs),
    "srht": Projection(hadamard_signs),
    "complex": Projection(complex_signs, unit=2),
}


# Columns that are products: monomials, and products of random projections.


Index = NDArray[np.intp]


def monomials(degrees: list[int], d: int) -> Index:
    """Return all monomials Π x_k of some degrees in d variables, a row each; d stands for 1.

    Examples
    --------
    >>> monomials([0, 1, 2], 2).tolist()
    [[2, 2], [0, 2], [1, 2], [0, 0], [0, 1], [1, 1]]
    """
    width = max(degrees, default=0)
    rows = [
        (*chosen, *(d,) * (width - n))
        for n in degrees
        for chosen in combinations_with_replacement(range(d), n)
    ]
    return np.array(rows, dtype=np.intp).reshape(len(rows), width)


def multiplicities(indices: Index, d: int) -> NDArray[np.float64]:
    """n!/α!: how often a monomial occurs in ⟨x, y⟩ⁿ.

    Examples
    --------
    >>> multiplicities(np.array([[0, 0, 1], [0, 1, 2]]), 3)
    array([3., 6.])
    """
    ways = np.ones(len(indices))
    run = np.zeros(len(indices))  # α! is the product of 1, 2, … along every run of equals
    for j, column in enumerate(indices.T):
        run = np.where(column == indices[:, j - 1], run + 1, 1) if j else run + 1
        ways *= np.where(column < d, (j + 1) / run, 1.0)
    return ways.round()


# The factors of columns that are sorted by degree: j-th ones belong to the last columns.


def factor_widths(degrees: Index) -> list[int]:
    """Return how many columns have at least 1, 2, … factors."""
    return [int((degrees >= j).sum()) for j in range(1, int(degrees.max(initial=0)) + 1)]


class Projected:
    """Factors wᵀx."""

    def __init__(self, weights: list[Floats]) -> None:
        self.weights = weights
        self.widths = [len(W) for W in weights]

    def values(self, X: Any) -> Iterator[Floats]:
        """Yield the j-th factors of all columns that have them; one overwrites another."""
        X = X.astype(np.float32, copy=False)
        scratch = np.empty((X.shape[0], max(self.widths, default=0)), dtype=np.float32)
        for W in self.weights:
            project(X, W, scratch[:, : len(W)])
            yield scratch[:, : len(W)]

    def pick(self, columns: Index, width: int) -> Projected:
        """Keep some of `width` columns, in rising order."""
        kept = [W[_own(columns, width, len(W))] for W in self.weights]
        return Projected([W for W in kept if len(W)])


@dataclass
class InnerColumns:
    """Factors that are independent columns of another map, each an unbiased feature by itself."""

    map: Map
    widths: list[int]
    scale: float

    def values(self, X: Any) -> Iterator[Floats]:
        """Yield one block of the inner map, cut into factors."""
        if self.widths:
            block = dense32(self.map.block(X)) * np.float32(self.scale)
            yield from np.split(block, np.cumsum(self.widths)[:-1], axis=1)

    def pick(self, columns: Index, width: int) -> InnerColumns:
        """Keep some of `width` columns, in rising order."""
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

    monomials: Index
    factors: Projected | InnerColumns
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
        listed = monomials(allocation.exact, source.d)
        # Rising degrees, filled up so that each occurs a multiple of `unit` times.
        given = np.unique(allocation.degrees, return_index=True, return_counts=True)
        filled = -(-given[2] // source.unit) * source.unit
        degrees, shifts = np.repeat(given[0], filled), np.cumsum(filled) - filled - given[1]
        which = np.arange(len(allocation.degrees)) + np.repeat(shifts, given[2])
        # Either part of a complex product is unbiased after √2; a constant needs none.
        parts = np.where(allocation.degrees > 0, source.unit, 1)
        exact = a[(listed < source.d).sum(axis=1)] * multiplicities(listed, source.d)
        scales = np.sqrt(np.concatenate([exact, allocation.weights * parts]))
        take = np.concatenate([np.arange(len(exact)), len(exact) + which])
        return cls(
            listed,
            source.draw(degrees, rng),
            len(degrees),
            source.unit,
            take.astype(np.intp),
            scales.astype(np.float32),
        )

    def fill(self, X: Any, out: Floats, scale: float) -> None:
        """Compute all columns of some rows, which are multiplied by a number first."""
        exact = len(self.monomials)
        computed = np.empty((chunk_rows(X, out.shape[1]), exact + self.width), dtype=np.float32)
        whole = np.array_equal(self.take, np.arange(computed.shape[1]))
        for given, target in chunks(X, out):
            rows, part = given, computed[: given.shape[0]]
            if scale != 1:  # never of objects that are no vectors
                rows = given * scale
            if self.monomials.size:
                extended = np.ones((len(part), rows.shape[1] + 1), dtype=np.float32)
                extended[:, :-1] = dense32(rows)
                np.take(extended, self.monomials[:, 0], axis=1, out=part[:, :exact])
                for column in self.monomials.T[1:]:
                    part[:, :exact] *= extended[:, column]
            else:  # nothing, or a constant
                part[:, :exact] = 1
            products = part[:, exact:]
            products[:, : self.width - max(self.factors.widths, default=0)] = 1
            for j, values in enumerate(self.factors.values(rows)):
                tail = products[:, self.width - values.shape[1] :]
                if j == 0:
                    tail[:] = values
                elif self.unit == 2:  # real and imaginary parts alternate
                    pairs = tail.view(np.complex64)
                    pairs *= values.view(np.complex64)
                else:
                    tail *= values
            chosen = part if whole else part[:, self.take]
            np.multiply(chosen, self.scales, out=target)

    def pick(self, columns: Index) -> ProductColumns:
        """Return only some of the columns, and compute no others but their imaginary twins."""
        wanted = self.take[columns]
        exact = len(self.monomials)
        kept_exact = np.unique(wanted[wanted < exact])
        groups = np.unique((wanted[wanted >= exact] - exact) // self.unit)
        kept = (groups[:, None] * self.unit + np.arange(self.unit)).ravel()
        place = np.full(exact + self.width, -1)
        place[kept_exact] = np.arange(len(kept_exact))
        place[exact + kept] = len(kept_exact) + np.arange(len(kept))
        return replace(
            self,
            monomials=self.monomials[kept_exact],
            factors=self.factors.pick(kept, self.width),
            width=len(kept),
            take=place[wanted],
            scales=self.scales[columns],
        )


# Maclaurin series of dot-product kernels, on data of a given size.


TERMS = 256  # of a series that may be used
NEGLIGIBLE = 1e-9  # share of f(R²) below which a term is left out


def series_kernel(kernel: Any) -> DotProductKernel:
    """Return the kernel that a name, a measure, coefficients, or a function n ↦ aₙ means.

    Examples
    --------
    >>> series_kernel([1.0, 0.5]).maclaurin(3)
    array([1. , 0.5, 0. ])
    """
    if callable(kernel) and not isinstance(kernel, Measure):
        return PowerSeries([float(kernel(n)) for n in range(TERMS)])
    if not isinstance(kernel, (str, Measure)):
        return PowerSeries(kernel)
    measure = get(kernel)
    if not isinstance(measure, DotProductKernel):
        raise TypeError(
            f"{measure!r} is no function of the inner product, so it has no Maclaurin series; "
            "take Linear, Polynomial, Exponential, Vovk, or coefficients."
        )
    return measure


def scaled_series(measure: DotProductKernel, squared_radius: float) -> NDArray[np.float64]:
    """Return aₙR²ⁿ up to the last that matters: the series on the unit ball.

    Examples
    --------
    >>> scaled_series(series_kernel([1.0, 1.0, 1.0]), 4.0)
    array([ 1.,  4., 16.])
    """
    if squared_radius >= measure.convergence:
        raise ValueError(
            f"⟨x, x⟩ reaches {squared_radius:.4g}, and the series of {measure!r} converges below "
            f"{measure.convergence:g} only; divide all vectors by a little more than the largest "
            "norm."
        )
    given = measure.maclaurin(TERMS)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        # Through logarithms: R²ⁿ alone may overflow where aₙ is as good as 0.
        size = np.exp(np.log(np.abs(given)) + np.arange(TERMS) * np.log(squared_radius))
    a: NDArray[np.float64] = np.sign(given) * np.where(given == 0, 0.0, size)
    finite = bool(np.isfinite(a).all())
    if finite and a.min() < 0:
        raise ValueError(
            f"the coefficient of degree {int(np.argmax(a < 0))} of {measure!r} is negative; random "
            "features need a kernel whose coefficients are all 0 or positive."
        )
    # A known radius of convergence was looked at above; otherwise the last terms must tell.
    with np.errstate(over="ignore", invalid="ignore"):
        settled = a[-TERMS // 8 :].sum() <= 1e-3 * a.sum() < np.inf
    if not finite or (np.isinf(measure.convergence) and not settled):
        raise ValueError(
            f"the series of {type(measure).__name__} does not settle within {TERMS} terms where "
            f"⟨x, x⟩ reaches {squared_radius:.4g}; centre or scale the data, or take a larger "
            "width."
        )
    last = int(np.flatnonzero(a > NEGLIGIBLE * a.sum())[-1]) if a.any() else 0
    return a[: last + 1].copy()


# What random columns are products of: projections of vectors, or columns of an inner map.


MOST_EXACT = 4  # highest degree whose monomials may be listed


class VectorSource:
    """Projections of vectors: independent unbiased features of K, the inner product.

    Attributes
    ----------
    squared_radius : float
        Largest K(x, x) in the data. All else is for K over this, which is at most 1.
    products : ndarray
        K of typical pairs.
    own : ndarray
        K(x, x) of the rows whose pairs these are.
    unit : int
        Columns come in such numbers.
    d : int
        Dimension of the exact features of K.
    last_exact : int
        Highest power that may be computed exactly.
    """

    last_exact = MOST_EXACT

    def __init__(self, X: Any, sample: Any, projection: Projection) -> None:
        self.squared_radius = float(squared_norms(X).max()) or 1.0
        self.projection = projection
        self.unit = projection.unit
        self.d = X.shape[1]
        self.own = np.asarray(squared_norms(sample) / self.squared_radius, np.float64)
        rows = sample * (1.0 / np.sqrt(self.squared_radius))
        norms, which = squared_norms(rows), np.triu_indices(rows.shape[0])
        squares = rows.multiply(rows) if sparse.issparse(rows) else np.square(rows)
        self.products = _gram(rows)[which]
        self.norms = np.asarray(np.outer(norms, norms)[which], np.float64)  # ‖x‖²‖y‖²
        self.squares = _gram(squares)[which]  # Σ xₖ²yₖ²

    def variance(self, n: int) -> Array:
        """Variance of the product of a column of degree n at x and at y, of each typical pair.

        Of real signs E[(wᵀx)²(wᵀy)²]ⁿ − ⟨x, y⟩²ⁿ; of complex ones that of a column when both of
        each two are used.
        """
        t = np.square(self.products)
        if self.unit == 1:
            return np.asarray((self.norms + 2 * t - 2 * self.squares) ** n - t**n)
        modulus = (self.norms + t - self.squares) ** n
        pseudo = (2 * t - self.squares) ** n
        return np.asarray(modulus + pseudo - 2 * t**n)

    def draw(self, degrees: Index, rng: np.random.Generator) -> Projected:
        """Draw one matrix for all first factors, one for all second ones, …."""
        return Projected([self.projection.draw(m, self.d, rng) for m in factor_widths(degrees)])


class InnerSource:
    """Columns of a random map, every column drawn anew: a product of dependent ones is biased.

    Attributes are those of `VectorSource`, for the kernel K of the map.
    """

    unit, d, last_exact = 1, 1, 0

    def __init__(self, inner: Map, X: Any, sample: Any, rng: np.random.Generator) -> None:
        if not inner.has_independent_columns:
            raise ValueError(
                f"inner={inner!r} has columns that depend on each other, and the product of such "
                "is biased; take RandomFourier without orthogonal=True, ArcCosine, "
                'RandomMaclaurin with h01=False, degrees="geometric" and real projections, or '
                'LandmarkMap with landmarks="generated" and transfer=Decay(a number).'
            )
        self.inner = inner
        self.X = X
        width = INNER_COLUMNS
        trial = self._fitted(width, rng)
        W = dense32(trial.block(sample)).astype(np.float64) * np.sqrt(width)
        self.squared_radius = float(np.square(W).mean(axis=1).max()) or 1.0
        W /= np.sqrt(self.squared_radius)
        which = np.triu_indices(len(W))
        self.own = np.asarray(np.square(W).mean(axis=1))
        self.products = (W @ W.T)[which] / width
        self.moments = (np.square(W) @ np.square(W).T)[which] / width

    def variance(self, n: int) -> Array:
        """E[W(x)²W(y)²]ⁿ − K²ⁿ, as seen in these columns."""
        return np.asarray(np.maximum(0.0, self.moments**n - self.products ** (2 * n)))

    def draw(self, degrees: Index, rng: np.random.Generator) -> InnerColumns:
        """Fit an inner map with a column for every factor."""
        widths = factor_widths(degrees)
        total = max(1, sum(widths))
        return InnerColumns(self._fitted(total, rng), widths, np.sqrt(total / self.squared_radius))

    def _fitted(self, n: int, rng: np.random.Generator) -> Map:
        copy: Map = clone(self.inner)
        size = "n_components" if "n_components" in copy.get_params() else "n_landmarks"
        copy.set_params(**{size: n}, random_state=rng)
        # Columns may come sorted, by degree for instance; shuffled, each is like any other.
        return copy.fit(self.X).subset(rng.permutation(n))


Source = VectorSource | InnerSource


# Random Maclaurin features of dot-product kernels, and of kernels composed with them.


@dataclass(eq=False, repr=False)
class RandomMaclaurin(VectorMap):
    """Random features of a dot-product kernel f(⟨x, y⟩) = Σ aₙ⟨x, y⟩ⁿ, all aₙ ≥ 0.

    A random column of degree n is a product of n random projections (Kar and Karnick); terms of
    low degree are computed exactly where there are columns for it.

    Parameters
    ----------
    kernel : str, Measure, sequence or callable, default="polynomial"
        A measure that has a series ("linear", "polynomial", "exponential", "vovk"), the
        coefficients a₀, a₁, …, or a function n ↦ aₙ.
    n_components : int, default=1000
        Output columns, the exact ones included; there are fewer if the kernel needs no more.
    h01 : bool, default=True
        Compute a₀ and a₁⟨x, y⟩ exactly, with 1 + d columns. With `degrees="optimal"`, a number or
        a sequence: compute exactly whatever is worth its columns, up to degree 4, perhaps nothing.
        Does nothing for terms that the kernel does not have.
    degrees : str, int or sequence of int, default="optimal"
        "geometric": each column draws its degree with P(n) = (p−1)/pⁿ⁺¹. "proportional": with
        P(n) ∝ aₙR²ⁿ, R the largest norm. "optimal": fixed numbers of columns, as many as possible
        for low degrees, of which a linear model learns most, while the mean square of (error of
        K(x, y)) / √(K(x, x) K(y, y)) that is to be expected over all pairs of a sample of the
        data, a row with itself included, is at most 1.5 times the smallest; a term counts by less
        than 1, or not at all, where its few columns would be more noise than term. A number: the
        last degree. A sequence: the degrees to use.
    p : float, default=2
        Of the geometric distribution, above 1.
    projection : {"auto", "rademacher", "srht", "complex"}, default="auto"
        Random signs; rows of a Hadamard matrix with random signs; or complex signs, whose real
        and imaginary parts are two columns. "auto" takes the one of the last two of which the
        smaller mean square of the error is expected, relative as for "optimal".
    inner : Map, optional
        A random map with independent columns, for the composed kernel f(K(x, y)), where K is the
        kernel of the inner map; the dot product if left out. With random objects as landmarks, such
        as ``LandmarkMap("levenshtein", landmarks="generated", transfer=Decay(0.5))``, of D2KE's
        kernel of any objects.
    random_state : int, RandomState or Generator, optional
        Decides which random features are drawn.

    Attributes
    ----------
    kernel_ : Measure or None
        The kernel, with all parameters as numbers; None if it is composed.
    degrees_ : ndarray
        Degree of each column.
    radius_ : float
        Largest norm in fit, by which vectors are divided so that products stay within float32.

    Notes
    -----
    "optimal" counts errors relative to the norms of the pair in the kernel's own space, so that
    every pair has its say. Where norms differ much, the few longest vectors, whose kernel values
    are huge, are then approximated badly: divide rows by their norms first if those matter.

    Examples
    --------
    >>> import seamark as sm
    >>> X = np.array([[0.6, 0.0], [0.0, 0.8], [0.3, 0.3]])
    >>> Z = sm.RandomMaclaurin(sm.measures.Polynomial(2), n_components=6).fit_transform(X)
    >>> np.allclose(Z @ Z.T, (1 + X @ X.T) ** 2)  # six monomials: exact
    True
    """

    kernel: str | Measure | Sequence[float] | Callable[[int], float] = "polynomial"
    n_components: int = DEFAULT_COMPONENTS
    _: KW_ONLY
    h01: bool = True
    degrees: str | int | Sequence[int] = "optimal"
    p: float = 2.0
    projection: str = "auto"
    inner: Map | None = None
    random_state: Any = None

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        """What the objects are: vectors, or those of the inner map."""
        return vectors if self.inner is None else self.inner.domain or vectors

    def ingest(self, X: Any) -> Any:
        """Return objects that are like those of fit."""
        factors = self.columns_.factors
        if isinstance(self.domain, Vectors) or not isinstance(factors, InnerColumns):
            return super().ingest(X)
        return factors.map.ingest(X)

    def groups(self, X: Any) -> NDArray[np.intp]:
        """Return groups of equal objects."""
        return groups_in(X, self.domain)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not self.p > 1:
            raise ValueError(f"p must be above 1, so that P(n) sums to 1, not {self.p!r}.")
        if self.projection not in _CHOICES:
            raise ValueError(
                f"projection must be one of {', '.join(_CHOICES)}, not {self.projection!r}."
            )
        if isinstance(self.degrees, str) and self.degrees not in _RULES:
            raise ValueError(
                f"degrees must be one of {', '.join(_RULES)}, the last degree, or a sequence of "
                f"degrees, not {self.degrees!r}."
            )
        series_kernel(self.kernel).check_parameters()

    def _draw(self, X: Any, rng: np.random.Generator) -> None:
        measure = series_kernel(self.kernel).fitted_to(X, rng)
        sample = X[np.sort(rng.permutation(X.shape[0])[:SAMPLE_ROWS])]
        sources: list[Source]
        if self.inner is None:
            sources = [VectorSource(X, sample, PROJECTIONS[k]) for k in _CHOICES[self.projection]]
        else:
            sources = [InnerSource(self.inner, X, sample, rng)]
        squared_radius = sources[0].squared_radius
        self.radius_ = np.sqrt(squared_radius) if self.inner is None else 1.0
        a, rule = scaled_series(measure, squared_radius), self.degrees
        if not isinstance(rule, str):
            wanted = range(rule + 1) if isinstance(rule, (int, np.integer)) else rule
            a = a * np.isin(np.arange(len(a)), np.array(wanted))
        if not a.any():
            raise ValueError(
                "the kernel's series has no terms of these degrees; give another kernel, or others."
            )
        if len(sources) > 1:  # half of a complex product, alone, may be zero everywhere
            sources = [source for source in sources if source.unit <= self.n_components]
        choices = []
        for source in sources:
            last_exact = source.last_exact if self.h01 else -1
            budget = ColumnBudget(a, self.n_components, source.d, last_exact, source.unit)
            is_drawn = isinstance(rule, str) and rule in _DRAWN
            facts = None if is_drawn and len(sources) == 1 else errors(a, source)
            if is_drawn or facts is None:
                allocation = drawn(budget, str(rule), self.p, rng)
            else:
                allocation = optimal(budget, *facts, shrink=isinstance(rule, str))
            error = 0.0 if facts is None else allocation.error(a, *facts)
            choices.append((error, allocation, source))
        _, allocation, source = min(choices, key=lambda choice: choice[0])
        self.columns_ = ProductColumns.of(allocation, a, source, rng)
        widths = [comb(source.d + n - 1, n) for n in allocation.exact]
        exact = np.repeat(allocation.exact, widths)
        self.degrees_ = np.concatenate([exact, allocation.degrees]).astype(np.intp)
        self.kernel_ = measure if self.inner is None else None
        self.n_features_out_ = len(self.degrees_)

    @property
    def has_independent_columns(self) -> bool:  # type: ignore[override]
        """Whether every column is a draw of its own: its degree too, and no imaginary twins."""
        real = self.inner is not None or self.projection == "rademacher"
        return isinstance(self.degrees, str) and self.degrees in _DRAWN and real and not self.h01

    @property
    def bytes_per_row(self) -> int:
        """Memory of the columns, and of what is multiplied on the way."""
        return 4 * 3 * self.n_features_out_

    def fill(self, X: Any, out: Floats32) -> None:
        """Write the features of a few rows."""
        self.columns_.fill(X, out, 1.0 / self.radius_)

    def _pick(self, columns: NDArray[np.intp]) -> None:
        self.columns_ = self.columns_.pick(columns)
        self.degrees_ = self.degrees_[columns]


def errors(a: Array, source: Source) -> tuple[Array, Array]:
    """Return each degree's noise in one column, and the terms themselves, as `optimal` takes them.

    Both are relative to √(f(x, x) f(y, y)), the most that |f(x, y)| can be. Where norms differ
    much, so do values of the kernel, by many orders of magnitude; counted as they are, the errors
    of the one longest pair that is in the sample would outweigh all others.

    All n² pairs of the sample count alike, those of a row with itself among them. Between
    different rows a steep kernel may be next to linear; that all else of it is lost shows in the
    lengths of rows alone.
    """
    one, other = np.triu_indices(len(source.own))
    weights = np.where(one == other, 1.0, 2.0) / len(source.own) ** 2  # (x, y) and (y, x)
    roots = np.sqrt(polyval(source.own, a) / a.sum())
    size = roots[one] * roots[other]
    variances = [weights @ relative(source.variance(n), size**2) for n in range(len(a))]
    powers = a * source.products[:, None] ** np.arange(len(a))
    terms = relative(powers, np.broadcast_to(size[:, None], powers.shape))
    R = np.linalg.qr(terms * np.sqrt(weights)[:, None], mode="r")  # keeps norms of sums
    return a * np.sqrt(np.maximum(0.0, variances)), np.asarray(R)


def relative(values: Array, sizes: Array) -> Array:
    """Divide by sizes; a pair of no size, or of one too small to divide by, has no error."""
    divisible = sizes > np.finfo(np.float64).tiny
    return np.divide(values, sizes, out=np.zeros_like(values), where=divisible)


_DRAWN = ("geometric", "proportional")
_RULES = (*_DRAWN, "optimal")
_CHOICES = {"auto": ("srht", "complex"), **{name: (name,) for name in PROJECTIONS}}


# How many random features the theory asks for.


def maclaurin_size(
    kernel: Any, *, d: int, radius: float, epsilon: float, delta: float = 0.05, p: float = 2.0
) -> int:
    """Return the D with which |⟨Z(x), Z(y)⟩ − K(x, y)| ≤ ε everywhere (Theorem 3.10 of Kar).

    With probability at least 1 − δ, for all x, y of the ℓ₁ ball of a radius R, and geometric
    degrees P(n) = (p−1)/pⁿ⁺¹: D = 8C²/ε² · (ln(2/δ) + 2d ln(32RL/ε)), where C = p f(pR²)/(p−1) and
    L = R f′(R²) + p²R√d f′(pR²)/(p−1). The theorem as printed leaves out p−1, which is 1 for p = 2.
    It is a worst case: a few hundred features often do.

    Parameters
    ----------
    kernel : str, Measure, sequence or callable
        The kernel f(⟨x, y⟩) to approximate: a measure that has a series ("linear", "polynomial",
        "exponential", "vovk"), all of whose parameters are numbers; the coefficients a₀, a₁, …; or
        a function n ↦ aₙ.
    d : int
        Dimension of the vectors.
    radius : float
        R: ‖x‖₁ ≤ R for all vectors x.
    epsilon : float
        Largest error that is allowed.
    delta : float, default=0.05
        Probability that the error is larger somewhere.
    p : float, default=2
        Decides how soon the probability (p−1)/pⁿ⁺¹ of degree n falls; above 1.

    Examples
    --------
    >>> from seamark.measures import Exponential
    >>> maclaurin_size(Exponential(1.0), d=2, radius=0.5, epsilon=0.5)
    8430
    """
    _check(epsilon, delta, p)
    _, slope = _values(kernel, radius**2)
    f_wide, slope_wide = _values(kernel, p * radius**2)
    C = p * f_wide / (p - 1)
    L = radius * slope + p**2 * radius * sqrt(d) * slope_wide / (p - 1)
    nets = 2 * d * max(0.0, log(32 * radius * L / epsilon))
    return ceil(8 * C**2 / epsilon**2 * (log(2 / delta) + nets))


def compositional_size(
    kernel: Any,
    *,
    d: int,
    radius: float,
    epsilon: float,
    feature_bound: float,
    feature_lipschitz: float,
    kernel_bound: float,
    kernel_lipschitz: float,
    delta: float = 0.05,
    p: float = 2.0,
) -> int:
    """Return the D for a composed kernel f(K(x, y)) (Theorem 3.14 of Kar).

    D = 8dC²/ε² · ln(32RL/(εδ)), where C = p f(pC_W)/(p−1) and
    L = L_K f′(C_K) + L_W p²√C_W f′(pC_W)/(p−1).

    Parameters
    ----------
    kernel : str, Measure, sequence or callable
        The outer kernel f: a measure that has a series ("linear", "polynomial", "exponential",
        "vovk"), all of whose parameters are numbers; the coefficients a₀, a₁, …; or a function
        n ↦ aₙ.
    d : int
        Dimension of the vectors.
    radius : float
        R: ‖x‖₁ ≤ R for all vectors x.
    epsilon : float
        Largest error that is allowed.
    feature_bound : float
        C_W, the largest square of an inner feature.
    feature_lipschitz : float
        L_W, the expected Lipschitz constant of an inner feature.
    kernel_bound : float
        C_K, the largest value of the inner kernel.
    kernel_lipschitz : float
        L_K, the Lipschitz constant of the inner kernel.
    delta : float, default=0.05
        Probability that the error is larger somewhere.
    p : float, default=2
        Decides how soon the probability (p−1)/pⁿ⁺¹ of degree n falls; above 1.

    Examples
    --------
    >>> from seamark.measures import Exponential
    >>> compositional_size(Exponential(1.0), d=2, radius=0.5, epsilon=0.5, feature_bound=2.0,
    ...     feature_lipschitz=1.0, kernel_bound=1.0, kernel_lipschitz=1.0) > 10_000
    True
    """
    _check(epsilon, delta, p)
    _, slope = _values(kernel, kernel_bound)
    f_wide, slope_wide = _values(kernel, p * feature_bound)
    C = p * f_wide / (p - 1)
    L = kernel_lipschitz * slope + (
        feature_lipschitz * p**2 * sqrt(feature_bound) * slope_wide / (p - 1)
    )
    nets = max(0.0, log(32 * radius * L / (epsilon * delta)))
    return ceil(8 * d * C**2 / epsilon**2 * nets)


def _values(kernel: Any, t: float) -> tuple[float, float]:
    """Return f(t) and f′(t)."""
    a = scaled_series(series_kernel(kernel), t)
    return float(a.sum()), float(np.arange(len(a)) @ a) / t


def _check(epsilon: float, delta: float, p: float) -> None:
    if not epsilon > 0 or not 0 < delta < 1:
        raise ValueError(
            f"epsilon must be positive and delta between 0 and 1, not {epsilon!r} and {delta!r}."
        )
    if not p > 1:
        raise ValueError(f"p must be above 1, so that P(n) sums to 1, not {p!r}.")
