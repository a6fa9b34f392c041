"""Similarities of vectors that are functions of the inner product."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb, gammaln

from .. import engine
from ..bounds import require_bounded
from .base import Fact
from .dot_products import DotProductKernel, DotProducts
from .radial import Width, check_width, typical_distance
from .vector_plans import squared_norms
from .vectors import Euclidean


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

    name: ClassVar[str] = "sigmoid"
    bounds = (-1.0, 1.0)

    def __init__(self, gamma: float | Literal["1/d"] = "1/d", coef0: float = -1.0) -> None:
        self.gamma = gamma
        self.coef0 = coef0

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

    name: ClassVar[str] = "polynomial"

    def __init__(self, degree: int = 3, gamma: float = 1.0, coef0: float = 1.0) -> None:
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

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


class Exponential(DotProductKernel):
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

    def __init__(self, width: Width = "mean") -> None:
        self.width = width

    def check_parameters(self) -> None:
        """Require a positive width, or a rule."""
        check_width(self.width)

    def fitted_to(self, X: Any, rng: np.random.Generator) -> Self:
        """Return a copy whose width is a number."""
        return self._with(width=typical_distance(Euclidean(), X, self.width, rng))

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

    name: ClassVar[str] = "vovk"
    psd: Fact = True

    def __init__(self, degree: int | None = None) -> None:
        self.degree = degree

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
