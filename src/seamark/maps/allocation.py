"""How many columns each degree of a series gets: which degrees are exact, which are drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear

Array = NDArray[np.float64]
Counts = NDArray[np.intp]
Draw = Callable[[int, int, np.random.Generator], tuple[Counts, Array]]
"""``draw(start, n, rng)``: n degrees from `start` on, and their probabilities."""

LEAST_SHARE = 1e-3  # of the largest share of a term that random columns are worth


@dataclass(frozen=True)
class Allocation:
    """Degrees computed exactly, and the degree and weight of every random column, by degree."""

    exact: list[int]
    degrees: Counts
    weights: Array
    """What the product of two values of a column counts: (a share of) aₙ over their number."""

    def column_degrees(self, d: int) -> Counts:
        """Degree of every output column, exact ones first."""
        exact = np.repeat(self.exact, [comb(d + n - 1, n) for n in self.exact])
        return np.asarray(np.concatenate([exact, self.degrees]), dtype=np.intp)

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


def drawn(budget: ColumnBudget, draw: Draw, rng: np.random.Generator) -> Allocation:
    """Degrees drawn one by one from a distribution, none but 0 and 1 exact, as in the thesis."""
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
    degrees, P = (np.repeat(v, budget.unit) for v in draw(start, -(-rest // budget.unit), rng))
    degrees, P = degrees[:rest], P[:rest]
    a = np.where(degrees < len(budget.a), budget.a[np.minimum(degrees, len(budget.a) - 1)], 0.0)
    degrees = np.where(a > 0, degrees, 0)  # a term that vanishes costs no products
    order = np.argsort(degrees, kind="stable")
    weights = np.asarray(a / (P * rest), np.float64)
    return Allocation(exact, degrees[order].astype(np.intp), weights[order])


def geometric(a: Array, p: float) -> Draw:
    """P(n) = (p−1)/pⁿ⁺¹, from degree `start` on; all on the one degree there is, if only one."""

    def draw(start: int, n: int, rng: np.random.Generator) -> tuple[Counts, Array]:
        live = np.flatnonzero(a[start:]) + start
        if len(live) == 1:
            return np.full(n, live[0]), np.ones(n)
        steps = rng.geometric((p - 1) / p, size=n)
        return steps - 1 + start, np.asarray((p - 1) / float(p) ** steps)

    return draw


def proportional(a: Array) -> Draw:
    """P(n) ∝ aₙ, on the unit ball the share of a degree in the largest value of the kernel."""

    def draw(start: int, n: int, rng: np.random.Generator) -> tuple[Counts, Array]:
        P = np.where(np.arange(len(a)) >= start, a, 0.0) / a[start:].sum()
        degrees = rng.choice(len(P), size=n, p=P)
        return degrees, P[degrees]

    return draw


def optimal(budget: ColumnBudget, noise: Array, terms: Array, *, shrink: bool) -> Allocation:
    """Fixed numbers of columns that make the mean squared error of the kernel smallest.

    Exact degrees cost columns and have no noise. The others share the rest in proportion to their
    noise, which is best for a sum of variances over counts. A term may count by less than 1: few
    columns of it are more noise than term. More columns then never make the expected error larger,
    for all that fewer could do is among the choices; columns that could only add noise are left
    out.

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
    best: tuple[float, list[int], list[int], Array] = (np.inf, [], [], np.empty(0))
    for top in range(-1, budget.last_exact + 1):
        exact = budget.exact(top)
        rest = budget.columns - budget.cost(exact)
        if rest < 0:
            break
        live = [n for n in range(top + 1, len(budget.a)) if budget.a[n] > 0]
        missing = terms[:, live].sum(axis=1)
        if not shrink or not rest:
            live = live[:rest]
        system = np.vstack([terms[:, live], noise[live] / np.sqrt(max(1, rest))])
        target = np.append(missing, 0.0)
        shares = _shares(system, target) if shrink and live else np.ones(len(live))
        error = float(np.square(system @ shares - target).sum())
        if error <= best[0]:
            best = error, exact, live, shares
    _, exact, live, shares = best
    rest = budget.columns - budget.cost(exact)
    kept = np.sort(np.argsort(-shares * noise[live], kind="stable")[:rest])
    kept = kept[shares[kept] > 0] if exact or shares.any() else kept[:1]
    degrees, shares = np.array(live, dtype=np.intp)[kept], shares[kept]
    counts = shared_out(shares * noise[degrees], rest if len(degrees) else 0)
    weights = shares * budget.a[degrees] / counts
    return Allocation(exact, np.repeat(degrees, counts), np.repeat(weights, counts))


def _shares(system: Array, target: Array) -> Array:
    """Return how much each term is to count, from 0 to 1; next to nothing is nothing."""
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
