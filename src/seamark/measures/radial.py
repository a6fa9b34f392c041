"""Similarities of vectors that fall with their distance, and typical distances."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import vectors
from .base import Fact, Measure
from .prepared import PlanAround
from .vector_plans import AbsoluteDistances, Gaussians
from .vectors import Euclidean, Manhattan

Width = float | Literal["mean", "median"]
STEEPEST = 1e30  # rates beyond it, of tiny widths, ask for squares that float32 does not hold


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
    distance = Euclidean
    rotation_invariant: ClassVar[bool] = True

    def compile(self, L: Any) -> engine.Plan:
        """Exponentiate squared distances while the chunk is in cache."""
        return Gaussians(L, -0.5 / float(self.width) / float(self.width))

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
        return Decaying(AbsoluteDistances(L), -1.0 / float(self.width))

    def frequencies(self, n: int, d: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Cauchy in each coordinate, of scale 1/σ."""
        return rng.standard_cauchy(size=(n, d)) / float(self.width)


class Decaying(PlanAround):
    """exp(rate · value) of another plan's values, or of their squares."""

    def __init__(self, plan: engine.Plan, rate: float, *, squared: bool = False) -> None:
        super().__init__(plan)
        self.rate, self.squared = rate, squared
        # Chunks are to be in the cache still when their values are changed.
        self.scratch_per_row = max(self.scratch_per_row, 24 * plan.n_landmarks)

    def fill(self, X: Any, out: NDArray[np.float32], stop: Any) -> None:
        """Fill by the other plan, then change the values."""
        super().fill(X, out, stop)
        if abs(self.rate) > STEEPEST:
            exponents = out.astype(np.float64) ** (2 if self.squared else 1) * self.rate
            out[:] = np.exp(exponents)
            return
        if self.squared:
            np.square(out, out=out)
        out *= np.float32(self.rate)
        np.exp(out, out=out)


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
    n, most = X.shape[0], engine.settings().width_rows
    if n > most:
        X = X[np.sort(rng.choice(n, most, replace=False))]
        n = most
    if n < 2:
        return 1.0
    values = engine.cross(distance.compile, X, symmetric=True)[np.tril_indices(n, -1)]
    return float(_TYPICAL[width](values.astype(np.float64))) or 1.0
