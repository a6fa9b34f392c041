"""Maclaurin series of dot-product kernels, on data of a given size."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..measures import Measure, PowerSeries, get
from ..measures.kernels import DotProductKernel

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
