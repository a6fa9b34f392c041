"""Arc-cosine kernels: what infinitely many random threshold or rectified units compute."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import vectors
from .base import Fact, Measure
from .dot_products import DotProducts, unit_rows
from .vector_plans import squared_norms

Angles = NDArray[Any]


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

    name: ClassVar[str] = "arc_cosine"
    domain = vectors
    kind = "similarity"
    symmetric = True
    psd: Fact = True

    def __init__(self, order: int = 1) -> None:
        self.order = order

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """Return (0, 1) for steps; the others grow with the vectors."""
        return (0.0, 1.0 if self.order == 0 else np.inf)

    def check_parameters(self) -> None:
        """Require an order that has a formula."""
        if self.order not in _ANGULAR:
            raise ValueError(f"order must be 0, 1 or 2, not {self.order!r}.")

    def compile(self, L: Any) -> engine.Plan:
        """Scale the landmarks to unit length and remember their norms."""
        return _ArcCosines(L, self.order)

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """‖x‖²ᵖ, three times that for order 2."""
        squares = squared_norms(X)
        angular = float(_ANGULAR[self.order](np.zeros(1))[0]) / np.pi
        return np.asarray(np.where(squares > 0, angular * squares**self.order, 0.0))


class _ArcCosines(DotProducts):
    def __init__(self, L: Any, order: int) -> None:
        super().__init__(unit_rows(L), lambda t: np.clip(t, -1, 1, out=t))
        self.order = order
        self.sizes = _sizes(L, order)

    def fill(self, X: Any, out: NDArray[np.float32], stop: Any) -> None:
        super().fill(unit_rows(X), out, stop)
        np.arccos(out, out=out)
        out[:] = _ANGULAR[self.order](out)
        out *= (_sizes(X, self.order) / np.pi).astype(np.float32)[:, None]
        out *= self.sizes.astype(np.float32)


def _sizes(X: Any, order: int) -> NDArray[np.float64]:
    squares = squared_norms(X)
    return np.asarray(np.where(squares > 0, np.sqrt(squares) ** order, 0.0))


def _steps(theta: Angles) -> Angles:
    return np.pi - theta


def _ramps(theta: Angles) -> Angles:
    return np.asarray(np.sin(theta) + (np.pi - theta) * np.cos(theta))


def _squares(theta: Angles) -> Angles:
    cos = np.cos(theta)
    return np.asarray(3 * np.sin(theta) * cos + (np.pi - theta) * (1 + 2 * cos**2))


_ANGULAR = {0: _steps, 1: _ramps, 2: _squares}  # Jₚ(θ)
