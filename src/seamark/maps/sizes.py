"""How many random features the theory asks for."""

from __future__ import annotations

from math import ceil, log, sqrt
from typing import Any

import numpy as np

from .series import scaled_series, series_kernel

__all__ = ["compositional_size", "maclaurin_size"]


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
