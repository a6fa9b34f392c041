"""Kernels: functions of inner products or of distances of vectors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import comb, gammaln

from .. import engine
from ..data import vectors
from ..validation import require_bounded
from .algebra import PlanAround
from .base import Fact, Measure
from .vectors import (
    AbsoluteDistances,
    DotProducts,
    Euclidean,
    Manhattan,
    SquaredDistances,
    gaussians,
    squared_norms,
)


class DotProductKernel(Measure):
    """A similarity f(⟨x, y⟩)."""

    domain = vectors
    kind = "similarity"
    symmetric = True
    convergence: float = np.inf
    """Radius within which the Maclaurin series converges, if there is one."""

    def maclaurin(self, terms: int) -> NDArray[np.float64]:
        """Return the first coefficients a₀, a₁, … of f; all parameters are numbers by now."""
        raise TypeError(
            f"{self!r} gives no Maclaurin series; Linear, Polynomial, Exponential, Vovk and "
            "PowerSeries do."
        )

    @abstractmethod
    def function(self, t: NDArray[Any]) -> None:
        """Replace inner products by values, in place."""

    def compile(self, L: Any) -> engine.Plan:
        """Keep the landmarks."""
        return DotProducts(L, self.function)

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """Return f(‖x‖²)."""
        t = squared_norms(X)
        self.function(t)
        return t


class Linear(DotProductKernel):
    """Inner product ⟨x, y⟩.

    Examples
    --------
    >>> Linear().cross([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]], dtype=float32)
    """

    name: ClassVar[str] = "linear"
    psd: Fact = True

    def maclaurin(self, terms: int) -> NDArray[np.float64]:
        """0, 1, 0, …."""
        return np.asarray(np.arange(terms) == 1, dtype=np.float64)

    def function(self, t: NDArray[Any]) -> None:
        """Nothing to do."""


class Cosine(Measure):
    """Cosine similarity ⟨x, y⟩ / ‖x‖‖y‖; 0 if a vector is zero.

    Examples
    --------
    >>> Cosine().cross([[2.0, 0.0]], [[1.0, 0.0], [0.0, 3.0], [0.0, 0.0]])
    array([[1., 0., 0.]], dtype=float32)
    """

    name: ClassVar[str] = "cosine"
    domain = vectors
    kind = "similarity"
    bounds = (-1.0, 1.0)
    symmetric = True
    psd: Fact = True

    def compile(self, L: Any) -> engine.Plan:
        """Scale the landmarks to unit length."""
        return cosines(L)

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """1, or 0 for a zero vector."""
        return (squared_norms(X) > 0).astype(np.float64)


def cosines(L: Any, change: Callable[[Any, NDArray[np.float32]], Any] | None = None) -> engine.Plan:
    """Return a plan of cosines of angles, or of what `change` makes of rows and cosines."""
    plan = DotProducts(unit_rows(L), lambda t: np.clip(t, -1, 1, out=t))
    return PlanAround(plan, prepare=unit_rows, change=change)


def unit_rows(X: Any) -> Any:
    """Rows divided by their norms; zero rows stay zero."""
    norms = np.sqrt(squared_norms(X))
    scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    return sparse.diags(scale) @ X if sparse.issparse(X) else X * scale[:, None]


# Similarities of vectors that fall with their distance, and typical distances.


Width = float | Literal["mean", "median"]
WIDTH_ROWS = 1000  # whose pairs give the typical distance
STEEPEST = 1e30  # rates beyond it, of tiny widths, ask for squares that float32 does not hold


@dataclass(eq=False, repr=False)
class _WithWidth(Measure):
    """A measure on a scale that the data may choose."""

    width: Width = "mean"

    distance: ClassVar[type[Measure]] = Euclidean
    """Distance whose typical size is the width."""

    def check_parameters(self) -> None:
        """Require a positive width, or a rule."""
        check_width(self.width)

    def fitted_to(self, X: Any, rng: np.random.Generator) -> Self:
        """Return a copy whose width is the typical distance between the rows of X."""
        return self._with(width=typical_distance(self.distance(), X, self.width, rng))


class _Radial(_WithWidth):
    """A similarity that falls from 1 with distance."""

    domain = vectors
    kind = "similarity"
    bounds = (0.0, 1.0)
    symmetric = True
    psd: Fact = True
    self_value = 1.0


class Gaussian(_Radial):
    """Gaussian similarity exp(−‖x − y‖² / 2σ²). The error is at most 2·10⁻⁴, typically 10⁻⁶.

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
    rotation_invariant: ClassVar[bool] = True

    def compile(self, L: Any) -> engine.Plan:
        """Exponentiate squared distances while the chunk is in cache."""
        return SquaredDistances(L, partial(gaussians, -0.5 / float(self.width) / float(self.width)))

    def frequencies(self, n: int, d: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Gaussian, of deviation 1/σ."""
        return rng.normal(scale=1.0 / float(self.width), size=(n, d))


class Laplacian(_Radial):
    """Laplacian similarity exp(−‖x − y‖₁ / σ). The error is at most 10⁻⁴, typically 10⁻⁶.

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
        return decaying(AbsoluteDistances(L), -1.0 / float(self.width))

    def frequencies(self, n: int, d: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Cauchy in each coordinate, of scale 1/σ."""
        return rng.standard_cauchy(size=(n, d)) / float(self.width)


def decaying(plan: engine.Plan, rate: float, *, squared: bool = False) -> engine.Plan:
    """Return a plan of exp(rate · value) of another plan's values, or of their squares."""

    def change(rows: Any, out: NDArray[np.float32]) -> None:
        if abs(rate) > STEEPEST:
            out[:] = np.exp(out.astype(np.float64) ** (2 if squared else 1) * rate)
            return
        if squared:
            np.square(out, out=out)
        out *= np.float32(rate)
        np.exp(out, out=out)

    # Chunks are to be in the cache still when their values are changed.
    more = max(0, 24 * plan.n_landmarks - plan.scratch_per_row)
    return PlanAround(plan, change=change, scratch_per_row=more)


def check_width(width: Any) -> None:
    """Require a positive number, "mean" or "median"."""
    if isinstance(width, str):
        if width not in _TYPICAL:
            raise ValueError(f'width must be a positive number, "mean" or "median", not {width!r}.')
    elif not (np.isscalar(width) and 0 < float(width) < np.inf):  # type: ignore[arg-type]
        raise ValueError(f"width must be positive, not {width!r}.")


_TYPICAL: dict[str, Any] = {"mean": np.mean, "median": np.median}


def typical_distance(distance: Measure, X: Any, width: Width, rng: np.random.Generator) -> float:
    """Return a width as a number: itself, or the mean or median distance between pairs of X.

    A sample of rows is enough. With one row, or all alike, there is no scale: 1 is returned.
    """
    if not isinstance(width, str):
        return float(width)
    n = X.shape[0]
    if n > WIDTH_ROWS:
        X = X[np.sort(rng.choice(n, WIDTH_ROWS, replace=False))]
        n = WIDTH_ROWS
    if n < 2:
        return 1.0
    values = engine.cross(distance.compile, X, symmetric=True)[np.tril_indices(n, -1)]
    return float(_TYPICAL[width](values.astype(np.float64))) or 1.0


# Similarities of vectors that are functions of the inner product.


@dataclass(eq=False, repr=False)
class Sigmoid(DotProductKernel):
    """Sigmoid similarity tanh(γ⟨x, y⟩ + c): indefinite, and good on many tasks all the same.

    Parameters
    ----------
    gamma : float or "1/d", default="1/d"
        γ; "1/d" is one over the number of features.
    coef0 : float, default=-1
        c.

    Examples
    --------
    >>> Sigmoid().cross([[1.0, 1.0]], [[1.0, 1.0], [0.0, 0.0]]).round(3)
    array([[ 0.   , -0.762]], dtype=float32)
    """

    gamma: float | Literal["1/d"] = "1/d"
    coef0: float = -1.0

    name: ClassVar[str] = "sigmoid"
    bounds = (-1.0, 1.0)

    @property
    def psd(self) -> Fact:  # type: ignore[override]
        """Return False for c < 0 (the zero vector has negative self-similarity)."""
        return False if self.coef0 < 0 else None

    def check_parameters(self) -> None:
        """Require a number or "1/d"."""
        if isinstance(self.gamma, str) and self.gamma != "1/d":
            raise ValueError(f'gamma must be a number or "1/d", not {self.gamma!r}.')

    def fitted_to(self, X: Any, rng: np.random.Generator) -> Self:
        """Return a copy whose γ is a number."""
        return self._with(gamma=1.0 / X.shape[1]) if self.gamma == "1/d" else self

    def function(self, t: NDArray[Any]) -> None:
        """Hyperbolic tangent."""
        t *= self.gamma
        t += self.coef0
        np.tanh(t, out=t)


@dataclass(eq=False, repr=False)
class Polynomial(DotProductKernel):
    """Polynomial kernel (γ⟨x, y⟩ + c)^p.

    Parameters
    ----------
    degree : int, default=3
        p.
    gamma : float, default=1
        γ.
    coef0 : float, default=1
        c.

    Examples
    --------
    >>> Polynomial(degree=2).cross([[1.0, 2.0]], [[3.0, 4.0]])
    array([[144.]], dtype=float32)
    """

    degree: int = 3
    gamma: float = 1.0
    coef0: float = 1.0

    name: ClassVar[str] = "polynomial"

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """Return (0, ∞) for even degrees."""
        return (0.0 if self.degree % 2 == 0 else -np.inf, np.inf)

    @property
    def psd(self) -> Fact:  # type: ignore[override]
        """Return True for γ, c ≥ 0: a sum of kernels with non-negative weights."""
        return True if self.gamma >= 0 and self.coef0 >= 0 else None

    def check_parameters(self) -> None:
        """Require a whole positive degree."""
        require_bounded(type(self), vars(self))
        if int(self.degree) != self.degree or self.degree < 1:
            raise ValueError(f"degree must be a whole number from 1, not {self.degree!r}.")

    def maclaurin(self, terms: int) -> NDArray[np.float64]:
        """Binomial coefficients times γⁿ cᵖ⁻ⁿ; 0 above the degree."""
        n = np.arange(terms)
        rest = np.maximum(self.degree - n, 0)
        return np.asarray(comb(self.degree, n) * self.gamma**n * float(self.coef0) ** rest)

    def function(self, t: NDArray[Any]) -> None:
        """Return the power."""
        t *= self.gamma
        t += self.coef0
        np.power(t, int(self.degree), out=t)


class Exponential(_WithWidth, DotProductKernel):
    """Exponential kernel exp(⟨x, y⟩ / σ²).

    Parameters
    ----------
    width : float, "mean" or "median", default="mean"
        σ; a rule takes the mean or median distance between pairs of the data.

    Examples
    --------
    >>> Exponential(width=2.0).cross([[2.0, 0.0]], [[2.0, 0.0], [0.0, 1.0]]).round(3)
    array([[2.718, 1.   ]], dtype=float32)
    """

    name: ClassVar[str] = "exponential"
    bounds = (0.0, np.inf)
    psd: Fact = True

    def compile(self, L: Any) -> engine.Plan:
        """Keep the landmarks; refuse products that float32 cannot exponentiate."""
        return _Bounded(L, self.function, 88.0 * float(self.width) ** 2, "use a larger width")

    def maclaurin(self, terms: int) -> NDArray[np.float64]:
        """1 / (σ²ⁿ n!), through logarithms: each factor alone may overflow."""
        n = np.arange(terms)
        return np.asarray(np.exp(-2 * n * np.log(float(self.width)) - gammaln(n + 1)))

    def function(self, t: NDArray[Any]) -> None:
        """Return the exponential."""
        t /= float(self.width) ** 2
        np.exp(t, out=t)


@dataclass(eq=False, repr=False)
class Vovk(DotProductKernel):
    """Vovk's kernels: real (1 − t^p)/(1 − t), or infinite 1/(1 − t), of t = ⟨x, y⟩.

    Parameters
    ----------
    degree : int or None, default=None
        p, or None for the infinite polynomial, which needs |⟨x, y⟩| < 1.

    Examples
    --------
    >>> Vovk().cross([[0.5, 0.0]], [[0.5, 0.0]]).round(3)
    array([[1.333]], dtype=float32)
    >>> Vovk(degree=3).cross([[1.0, 1.0]], [[1.0, 1.0]])
    array([[7.]], dtype=float32)
    """

    degree: int | None = None

    name: ClassVar[str] = "vovk"
    psd = True

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """Return (½, ∞) for the infinite kernel; odd degrees stay positive."""
        if self.degree is None:
            return (0.5, np.inf)
        return (0.0 if self.degree % 2 else -np.inf, np.inf)

    @property
    def convergence(self) -> float:  # type: ignore[override]
        """Return 1 for the infinite kernel."""
        return 1.0 if self.degree is None else np.inf

    def maclaurin(self, terms: int) -> NDArray[np.float64]:
        """Ones, below the degree."""
        n = np.arange(terms)
        return np.asarray((self.degree is None) | (n < (self.degree or 0)), dtype=np.float64)

    def check_parameters(self) -> None:
        """Require a whole positive degree, or None."""
        require_bounded(type(self), vars(self))
        if self.degree is not None and (int(self.degree) != self.degree or self.degree < 1):
            raise ValueError(f"degree must be a whole number from 1, or None, not {self.degree!r}.")

    def compile(self, L: Any) -> engine.Plan:
        """Keep the landmarks; the infinite series must converge."""
        if self.degree is not None:
            return super().compile(L)
        return _Bounded(
            L, self.function, 1.0, "divide all vectors by a little more than the largest norm"
        )

    def function(self, t: NDArray[Any]) -> None:
        """Return the series, by Horner's rule if it is finite."""
        if self.degree is None:
            np.subtract(1, t, out=t)
            np.reciprocal(t, out=t)
            return
        base = t.copy()
        t.fill(1)
        for _ in range(int(self.degree) - 1):
            t *= base
            t += 1


class _Bounded(DotProducts):
    """A function that exists only for inner products below a limit."""

    def __init__(self, L: Any, function: Any, limit: float, remedy: str) -> None:
        super().__init__(L, function)
        self.limit = limit
        self.remedy = remedy
        self.longest = float(np.sqrt(squared_norms(L).max(initial=0.0)))

    def check(self, X: Any) -> None:
        """Check norms before any work: |⟨x, l⟩| ≤ ‖x‖‖l‖."""
        norms = np.sqrt(squared_norms(X))
        worst = int(norms.argmax()) if len(norms) else 0
        if len(norms) and norms[worst] * self.longest >= self.limit:
            raise engine.PairError(
                f"row {{row}} has norm {norms[worst]:.4g}, a landmark {self.longest:.4g}: their "
                f"inner product may reach {norms[worst] * self.longest:.4g}, and this kernel "
                f"needs less than {self.limit:.4g}; {self.remedy}.",
                worst,
            )


# A dot-product kernel given by the coefficients of its Maclaurin series.


@dataclass(eq=False, repr=False)
class PowerSeries(DotProductKernel):
    """Dot-product kernel Σ aₙ ⟨x, y⟩ⁿ.

    Parameters
    ----------
    coefficients : sequence of float, default=(0.0, 1.0)
        a₀, a₁, …; the kernel is positive semidefinite if none is negative.

    Examples
    --------
    >>> PowerSeries([1.0, 0.0, 2.0]).cross([[3.0]], [[1.0]])
    array([[19.]], dtype=float32)
    """

    coefficients: Sequence[float] | NDArray[Any] = (0.0, 1.0)

    name: ClassVar[str] = "power_series"

    @property
    def psd(self) -> Fact:  # type: ignore[override]
        """Return True if no coefficient is negative (Schoenberg)."""
        return True if min(self.coefficients) >= 0 else None

    def check_parameters(self) -> None:
        """Require at least one number, all finite."""
        array = np.asarray(self.coefficients, dtype=np.float64)
        if array.ndim != 1 or not len(array) or not np.isfinite(array).all():
            raise ValueError(
                "coefficients must be one or more finite numbers a₀, a₁, …, not "
                f"{self.coefficients!r}."
            )

    def maclaurin(self, terms: int) -> NDArray[np.float64]:
        """Return the coefficients, cut or filled up with zeros."""
        given = np.asarray(self.coefficients, dtype=np.float64)[:terms]
        return np.pad(given, (0, terms - len(given)))

    def function(self, t: NDArray[Any]) -> None:
        """Horner's rule."""
        base = t.copy()
        t.fill(0)
        for a in np.asarray(self.coefficients, dtype=np.float64)[::-1]:
            t *= base
            t += a


# Arc-cosine kernels: what infinitely many random threshold or rectified units compute.


@dataclass(eq=False, repr=False)
class ArcCosineKernel(Measure):
    """Arc-cosine kernel ‖x‖ᵖ‖y‖ᵖ Jₚ(θ)/π of the angle θ between x and y (Cho and Saul).

    It is 2 E[H(wᵀx) H(wᵀy) (wᵀx)ᵖ (wᵀy)ᵖ] for Gaussian w and the step function H; 0 if a vector
    is zero.

    Parameters
    ----------
    order : {0, 1, 2}, default=1
        p: steps, rectified linear units, or their squares.

    Examples
    --------
    >>> ArcCosineKernel(order=0).cross([[1.0, 0.0]], [[2.0, 0.0], [0.0, 1.0]])
    array([[1. , 0.5]], dtype=float32)
    """

    order: int = 1

    name: ClassVar[str] = "arc_cosine"
    domain = vectors
    kind = "similarity"
    symmetric = True
    psd = True

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """Return (0, 1) for steps; the others grow with the vectors."""
        return (0.0, 1.0 if self.order == 0 else np.inf)

    def check_parameters(self) -> None:
        """Require an order that has a formula."""
        if self.order not in (0, 1, 2):
            raise ValueError(f"order must be 0, 1 or 2, not {self.order!r}.")

    def compile(self, L: Any) -> engine.Plan:
        """Scale the landmarks to unit length and remember their norms."""
        sizes = _sizes(L, self.order).astype(np.float32)

        def change(X: Any, out: NDArray[np.float32]) -> None:
            np.arccos(out, out=out)
            out[:] = _angular(self.order, out)
            out *= (_sizes(X, self.order) / np.pi).astype(np.float32)[:, None]
            out *= sizes

        return cosines(L, change)

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """‖x‖²ᵖ, three times that for order 2."""
        squares = squared_norms(X)
        angular = float(_angular(self.order, np.zeros(1))[0]) / np.pi
        return np.asarray(np.where(squares > 0, angular * squares**self.order, 0.0))


def _sizes(X: Any, order: int) -> NDArray[np.float64]:
    squares = squared_norms(X)
    return np.asarray(np.where(squares > 0, np.sqrt(squares) ** order, 0.0))


def _angular(order: int, theta: NDArray[Any]) -> NDArray[Any]:
    """Return Jₚ(θ)."""
    if order == 0:
        return np.pi - theta
    sin, cos = np.sin(theta), np.cos(theta)
    if order == 1:
        return np.asarray(sin + (np.pi - theta) * cos)
    return np.asarray(3 * sin * cos + (np.pi - theta) * (1 + 2 * cos**2))
