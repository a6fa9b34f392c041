"""Random Maclaurin features of dot-product kernels, and of kernels composed with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..measures import Measure, PowerSeries, get
from ..measures.kernels import DotProductKernel
from .allocation import Allocation, Budget, drawn, geometric, optimal, proportional
from .base import DEFAULT_COMPONENTS, Block, Map, VectorMap
from .products import ProductColumns
from .projections import PROJECTIONS
from .sources import InnerSource, Source, VectorSource

Array = NDArray[np.float64]

TERMS = 256  # of a series that may be used
NEGLIGIBLE = 1e-9  # share of f(R²) below which a term is left out
SAMPLE_ROWS = 128  # whose pairs decide how columns are shared out


class RandomMaclaurin(VectorMap):
    """Random features of a dot-product kernel f(⟨x, y⟩) = Σ aₙ⟨x, y⟩ⁿ, all aₙ ≥ 0.

    A random column of degree n is a product of n random projections (Kar and Karnick); terms of
    low degree are computed exactly where there are columns for it.

    Parameters
    ----------
    kernel : str, Measure, sequence or callable, default="exponential"
        A measure that has a series ("linear", "polynomial", "exponential", "vovk"), the
        coefficients a₀, a₁, …, or a function n ↦ aₙ.
    n_components : int, default=1000
        Output columns, the exact ones included; there are fewer if the kernel needs no more.
    h01 : bool, default=True
        Compute a₀ and a₁⟨x, y⟩ exactly, with 1 + d columns. With `degrees="optimal"`: compute
        exactly whatever is worth its columns, up to degree 4. Does nothing for terms that the
        kernel does not have.
    degrees : str, int or sequence of int, default="optimal"
        "geometric": each column draws its degree with P(n) = (p−1)/pⁿ⁺¹. "proportional": with
        P(n) ∝ aₙR²ⁿ, R the largest norm. "optimal": fixed numbers of columns that make the mean
        squared error smallest over pairs of the data; high degrees are left out where that costs
        less than their noise. A number: the last degree. A sequence: the degrees to use.
    p : float, default=2
        Of the geometric distribution, above 1.
    projection : {"rademacher", "srht", "complex"}, default="rademacher"
        Random signs; rows of a Hadamard matrix with random signs; or complex signs, whose real
        and imaginary parts are two columns.
    inner : Map, optional
        A random map with independent columns, for the composed kernel f(K(x, y)), where K is the
        kernel of the inner map; the dot product if left out.
    random_state : int, RandomState or Generator, optional

    Attributes
    ----------
    kernel_ : Measure or None
        The kernel, with all parameters as numbers; None if it is composed.
    degrees_ : ndarray
        Degree of each column.
    radius_ : float
        Largest norm in fit, by which vectors are divided so that products stay within float32.

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
        kernel: str | Measure | Sequence[float] | Callable[[int], float] = "exponential",
        n_components: int = DEFAULT_COMPONENTS,
        *,
        h01: bool = True,
        degrees: str | int | Sequence[int] = "optimal",
        p: float = 2.0,
        projection: str = "rademacher",
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
        if self.projection not in PROJECTIONS:
            raise ValueError(
                f"projection must be one of {', '.join(PROJECTIONS)}, not {self.projection!r}."
            )
        if isinstance(self.degrees, str) and self.degrees not in _RULES:
            raise ValueError(
                f"degrees must be one of {', '.join(_RULES)}, the last degree, or a sequence of "
                f"degrees, not {self.degrees!r}."
            )
        self._measure().check_parameters()

    def _measure(self) -> DotProductKernel:
        """The kernel as a measure that can be asked for its series."""
        if callable(self.kernel) and not isinstance(self.kernel, Measure):
            return PowerSeries([float(self.kernel(n)) for n in range(TERMS)])
        if not isinstance(self.kernel, (str, Measure)):
            return PowerSeries(self.kernel)
        measure = get(self.kernel)
        if not isinstance(measure, DotProductKernel):
            raise TypeError(
                f"{measure!r} is no function of the inner product, so it has no Maclaurin series; "
                "take Linear, Polynomial, Exponential, Vovk, or coefficients."
            )
        return measure

    def _draw(self, X: Any, rng: np.random.Generator) -> None:
        measure = self._measure().fitted_to(X, rng)
        source = self._source(X, rng)
        a = scaled_series(measure, source.squared_radius)
        allocation = self._allocation(a, source, rng)
        self.columns_ = ProductColumns.of(allocation, a, source, rng)
        self.radius_ = np.sqrt(source.squared_radius) if self.inner is None else 1.0
        self.kernel_ = measure if self.inner is None else None
        self.degrees_ = allocation.column_degrees(source.d)
        self.n_features_out_ = len(self.degrees_)

    def _source(self, X: Any, rng: np.random.Generator) -> Source:
        sample = X[np.sort(rng.permutation(X.shape[0])[:SAMPLE_ROWS])]
        if self.inner is None:
            return VectorSource(X, sample, PROJECTIONS[self.projection])
        return InnerSource(self.inner, X, sample, rng)

    def _allocation(self, a: Array, source: Source, rng: np.random.Generator) -> Allocation:
        """Share columns out among degrees."""
        rule = self.degrees
        if isinstance(rule, str):
            most = source.last_exact if rule == "optimal" else min(1, source.last_exact)
        else:
            chosen = range(rule + 1) if isinstance(rule, (int, np.integer)) else rule
            a *= np.isin(np.arange(len(a)), list(chosen))
            most = source.last_exact
        if not a.any():
            raise ValueError("no term of the series is left; give a kernel or degrees that have.")
        budget = Budget(a, self.n_components, source.d, most if self.h01 else -1, source.unit)
        if rule == "geometric":
            return drawn(budget, geometric(a, self.p), rng)
        if rule == "proportional":
            return drawn(budget, proportional(a), rng)
        return optimal(budget, *errors(a, source), truncate=isinstance(rule, str))

    @property
    def has_independent_columns(self) -> bool:
        """Whether every column is a draw of its own: degrees too, and no imaginary twins."""
        drawn_one_by_one = self.degrees in ("geometric", "proportional")
        independent = self.projection == "rademacher" or self.inner is not None
        return drawn_one_by_one and independent and not self.h01

    @property
    def bytes_per_row(self) -> int:
        """Memory of the columns, and of X as float32."""
        return 4 * (self.n_features_out_ + 2 * int(self.n_features_in_))

    def block(self, X: Any) -> Block:
        """Features of a few rows."""
        out = np.empty((X.shape[0], self.n_features_out_), dtype=np.float32)
        self.columns_.fill(X * (1.0 / self.radius_), out)
        return out

    def _pick(self, columns: NDArray[np.intp]) -> None:
        self.columns_ = self.columns_.pick(columns)
        self.degrees_ = self.degrees_[columns]


def scaled_series(measure: DotProductKernel, squared_radius: float) -> Array:
    """Return aₙR²ⁿ up to the last that matters: the series on the unit ball."""
    if squared_radius >= measure.convergence:
        raise ValueError(
            f"the largest squared norm is {squared_radius:.4g}, and the series of {measure!r} "
            f"converges below {measure.convergence:g} only; divide all vectors by a little more "
            "than the largest norm."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        a = measure.maclaurin(TERMS) * squared_radius ** np.arange(TERMS)
    if np.isfinite(a).all() and a.min() < 0:
        n = int(np.argmax(a < 0))
        raise ValueError(
            f"the coefficient of degree {n} of {measure!r} is negative; random features need a "
            "kernel whose coefficients are all 0 or positive."
        )
    endless = np.isinf(measure.convergence) and a[-TERMS // 8 :].sum() > 1e-3 * a.sum()
    if endless or not np.isfinite(a).all():
        raise ValueError(
            f"the series of {measure!r} does not settle within {TERMS} terms where ⟨x, x⟩ is "
            f"{squared_radius:.4g}; centre or scale the data, or take a larger width."
        )
    last = int(np.flatnonzero(a > NEGLIGIBLE * a.sum())[-1]) if a.any() else 0
    return a[: last + 1].copy()


def errors(a: Array, source: Source) -> tuple[Array, Array]:
    """Return each degree's noise in one column, and the mean square of all terms above it."""
    degrees = range(len(a))
    noise = np.array([a[n] * np.sqrt(max(0.0, source.variance(n).mean())) for n in degrees])
    terms = a[:, None] * source.products ** np.arange(len(a))[:, None]
    above = terms[::-1].cumsum(axis=0)[::-1] - terms
    return noise, np.square(above).mean(axis=1)


_RULES = ("geometric", "proportional", "optimal")
