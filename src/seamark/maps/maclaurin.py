"""Random Maclaurin features of dot-product kernels, and of kernels composed with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.polynomial.polynomial import polyval
from numpy.typing import NDArray

from ..engine import settings
from ..measures import Measure
from .allocation import Allocation, ColumnBudget, drawn, geometric, optimal, proportional
from .base import DEFAULT_COMPONENTS, Map, VectorMap
from .chunks import Floats32
from .products import ProductColumns
from .projections import PROJECTIONS, pairs_of
from .series import scaled_series, series_kernel
from .sources import InnerSource, Source, VectorSource

Array = NDArray[np.float64]


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
        P(n) ∝ aₙR²ⁿ, R the largest norm. "optimal": fixed numbers of columns that make the mean
        square of (error of K(x, y)) / √(K(x, x) K(y, y)) smallest over all pairs of a sample of
        the data, a row with itself included; a term counts by less than 1, or not at all, where
        its few columns would be more noise than term. A number: the last degree. A sequence: the
        degrees to use.
    p : float, default=2
        Of the geometric distribution, above 1.
    projection : {"auto", "rademacher", "srht", "complex"}, default="auto"
        Random signs; rows of a Hadamard matrix with random signs; or complex signs, whose real
        and imaginary parts are two columns. "auto" takes the one of the last two of which the
        smaller mean square of the error is expected, relative as for "optimal".
    inner : Map, optional
        A random map with independent columns, for the composed kernel f(K(x, y)), where K is the
        kernel of the inner map; the dot product if left out.
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

    def __init__(
        self,
        kernel: str | Measure | Sequence[float] | Callable[[int], float] = "polynomial",
        n_components: int = DEFAULT_COMPONENTS,
        *,
        h01: bool = True,
        degrees: str | int | Sequence[int] = "optimal",
        p: float = 2.0,
        projection: str = "auto",
        inner: Map | None = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.n_components = n_components
        self.h01 = h01
        self.degrees = degrees
        self.p = p
        self.projection = projection
        self.inner = inner
        self.random_state = random_state

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
        sample = X[np.sort(rng.permutation(X.shape[0])[: settings().maclaurin_rows])]
        sources: list[Source]
        if self.inner is None:
            sources = [VectorSource(X, sample, PROJECTIONS[k]) for k in _CHOICES[self.projection]]
        else:
            sources = [InnerSource(self.inner, X, sample, rng)]
        squared_radius = sources[0].squared_radius
        self.radius_ = np.sqrt(squared_radius) if self.inner is None else 1.0
        a = self._terms(scaled_series(measure, squared_radius))
        if len(sources) > 1:  # half of a complex product, alone, may be zero everywhere
            sources = [source for source in sources if source.unit <= self.n_components]
        choices = [(self._allocation(a, source, rng), source) for source in sources]
        allocation, source = choices[0]
        if len(choices) > 1:
            allocation, source = min(choices, key=lambda c: c[0].error(a, *errors(a, c[1])))
        self.columns_ = ProductColumns.of(allocation, a, source, rng)
        self.degrees_ = allocation.column_degrees(source.d)
        self.kernel_ = measure if self.inner is None else None
        self.n_features_out_ = len(self.degrees_)

    def _terms(self, a: Array) -> Array:
        """Return the series without degrees that are not wanted."""
        if not isinstance(self.degrees, str):
            wanted = self.degrees
            wanted = range(wanted + 1) if isinstance(wanted, (int, np.integer)) else wanted
            a = a * np.isin(np.arange(len(a)), np.array(wanted))
        if not a.any():
            raise ValueError(
                "the kernel's series has no terms of these degrees; give another kernel, or others."
            )
        return a

    def _allocation(self, a: Array, source: Source, rng: np.random.Generator) -> Allocation:
        """Share columns out among degrees."""
        last_exact = source.last_exact if self.h01 else -1
        budget = ColumnBudget(a, self.n_components, source.d, last_exact, source.unit)
        rule = _RULES[self.degrees] if isinstance(self.degrees, str) else _all_terms
        return rule(budget, source, self.p, rng)

    @property
    def has_independent_columns(self) -> bool:
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
    one, other = pairs_of(len(source.own))
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


def _geometric(
    budget: ColumnBudget, source: Source, p: float, rng: np.random.Generator
) -> Allocation:
    return drawn(budget, geometric(budget.a, p), rng)


def _proportional(
    budget: ColumnBudget, source: Source, p: float, rng: np.random.Generator
) -> Allocation:
    return drawn(budget, proportional(budget.a), rng)


def _optimal(
    budget: ColumnBudget, source: Source, p: float, rng: np.random.Generator
) -> Allocation:
    return optimal(budget, *errors(budget.a, source), shrink=True)


def _all_terms(
    budget: ColumnBudget, source: Source, p: float, rng: np.random.Generator
) -> Allocation:
    return optimal(budget, *errors(budget.a, source), shrink=False)


_DRAWN = {"geometric": _geometric, "proportional": _proportional}
_RULES = {**_DRAWN, "optimal": _optimal}
_CHOICES = {"auto": ("srht", "complex"), **{name: (name,) for name in PROJECTIONS}}
