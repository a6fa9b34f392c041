"""The distribution over features that aligns a kernel best with the labels (Sinha and Duchi)."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from .columns import Array


def alignment_weights(v: ArrayLike, rho_per_feature: float, power: float = 2.0) -> Array:
    """Maximise Σ qₘvₘ over distributions q near the uniform one.

    Near means (1/N) Σ (Nqₘ)ᵏ − 1 ≤ ρ with k = `power`: problem (4) of the paper, in which vₘ is
    how well feature m goes with the labels. For k = 2 this is ‖q − 1/N‖² ≤ ρ/N.

    Parameters
    ----------
    v : array-like of shape (N,)
        Alignment of each feature. Its scale and origin do not matter.
    rho_per_feature : float
        ρ/N, at least 0. For k = 2 it has one meaning whatever N: about N/ρ features stay.
        0 leaves q uniform; if ρ ≥ (N/t)^(k−1) − 1, where t features share the largest v, q is
        uniform on these.
    power : float, default=2
        k, at least 2.

    Returns
    -------
    ndarray of shape (N,)
        q: not negative, sums to 1, and exactly 0 for the features left out.

    Notes
    -----
    The solution is q ∝ (vₘ − η)₊^(1/(k−1)) for one number η, which rises with ρ. For k = 2 its
    support follows from sums over the sorted v, and η in closed form. Otherwise η is bracketed
    and found by Brent's method; the end of the bracket that keeps the constraint is returned.

    Examples
    --------
    >>> alignment_weights([3.0, 2.0, 0.0, 0.0], rho_per_feature=0.3).round(3)
    array([0.658, 0.342, 0.   , 0.   ])
    >>> alignment_weights([1.0, 1.0, 0.0], rho_per_feature=10.0)
    array([0.5, 0.5, 0. ])
    """
    v = _checked(v, rho_per_feature, power)
    n = len(v)
    low, high = float(v.min()), float(v.max())
    # Halves, so that a range beyond the largest float is no infinity.
    span = 0.5 * high - 0.5 * low
    lag = (0.5 * high - 0.5 * v) / span if span > 0.0 else np.zeros(n)
    tied = np.count_nonzero(lag == 0.0)
    rho = rho_per_feature * n
    if rho == 0.0 or tied == n:
        return np.full(n, 1.0 / n)
    if rho >= (n / tied) ** (power - 1.0) - 1.0:
        return np.where(lag == 0.0, 1.0 / tied, 0.0)
    return _by_sorting(lag, rho) if power == 2.0 else _by_bisection(lag, rho, power)


def _checked(v: ArrayLike, rho_per_feature: Any, power: Any) -> Array:
    values = np.asarray(v, dtype=np.float64)
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(f"v must be a list of numbers, one per feature, not {values.shape}.")
    if not np.isfinite(values).all():
        m = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(f"v[{m}] is {values[m]}; leave out features that are not finite.")
    check_ball(rho_per_feature, power)
    return values


def check_ball(rho_per_feature: Any, power: Any) -> None:
    """Stop unless these make a ball of distributions."""
    for name, value, least in (("rho_per_feature", rho_per_feature, 0), ("power", power, 2)):
        number = isinstance(value, Real) and not isinstance(value, bool)
        if not number or not least <= value < np.inf:
            raise ValueError(f"{name} must be a number of at least {least}, not {value!r}.")


def _by_sorting(lag: Array, rho: float) -> Array:
    """Solve for k = 2 exactly, for how far each feature lags behind the best.

    On the m best features q = 1/m − s(lag − mean), whose square norm is 1/m + s²S, S the sum of
    squares about the mean. Feature m leaves when s reaches 1/Σⱼ≤ₘ(lagₘ − lagⱼ); the norm at that
    point falls with m, so the support is counted.
    """
    n = len(lag)
    allowed = (1.0 + rho) / n
    order = np.argsort(lag)
    u = lag[order]
    m = np.arange(1, n + 1)
    sums, squares = np.cumsum(u), np.cumsum(np.square(u))
    room = m * u - sums
    spread = np.maximum(squares - np.square(sums) / m, 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        leaves = np.where(room > 0.0, 1.0 / m + spread / np.square(room), np.inf)
    kept = int(np.count_nonzero(leaves > allowed))
    chosen = u[:kept] - u[:kept].mean()
    total = float(chosen @ chosen)
    slope = np.sqrt(max(0.0, allowed - 1.0 / kept) / total) if total > 0.0 else 0.0
    q = np.zeros(n)
    q[order[:kept]] = np.maximum(0.0, 1.0 / kept - slope * chosen)
    return np.asarray(q / q.sum())


def _by_bisection(lag: Array, rho: float, power: float) -> Array:
    """Find h = v_max − η such that q ∝ (h − lag)₊^(1/(k−1)) is as far from uniform as allowed."""
    n = len(lag)

    def weights(h: float) -> Array:
        # Relative to h, so that no power of a tiny number underflows.
        p = np.maximum(0.0, 1.0 - lag / h) ** (1.0 / (power - 1.0))
        return np.asarray(p / p.sum())

    def excess(log_h: float) -> float:
        return float(np.mean((n * weights(np.exp(log_h))) ** power)) - 1.0 - rho

    near = np.log(lag[lag > 0.0].min())  # only those that share the maximum: too far
    far = 1.0
    while excess(far) > 0.0:
        far += 2.0
        if far > 40.0:  # ρ is below rounding
            return np.full(n, 1.0 / n)
    log_h = brentq(excess, near, far, xtol=1e-14, rtol=1e-14)
    step = 1e-15
    while excess(log_h) > 0.0 and log_h < far:
        log_h, step = min(far, log_h + step), 2.0 * step
    return weights(np.exp(log_h))
