"""A dot-product kernel given by the coefficients of its Maclaurin series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .base import Fact
from .dot_products import DotProductKernel


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

    name: ClassVar[str] = "power_series"

    def __init__(self, coefficients: Sequence[float] | NDArray[Any] = (0.0, 1.0)) -> None:
        self.coefficients = coefficients

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
