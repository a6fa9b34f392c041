"""What the theorems promise: margins, errors, excess risks and chances of failure."""

from __future__ import annotations

import math

from .arguments import require_positive, require_shares


def weak_error(gamma: float) -> float:
    """Return the largest error of the weak vote, ½ − 3γ/128 (BBS, Thm 2).

    Examples
    --------
    >>> weak_error(0.5)
    0.48828125
    """
    require_shares(gamma=gamma)
    return 0.5 - 3 * gamma / 128


def several_measures_margin(gamma: float, n_measures: int) -> float:
    """Return the margin γ/(2√n) left when n similarities are concatenated (BBS, Thm 5).

    Examples
    --------
    >>> several_measures_margin(0.2, 4)
    0.05
    """
    require_shares(gamma=gamma)
    require_positive(n_measures=n_measures)
    return gamma / (2 * math.sqrt(n_measures))


def regression_excess(
    bound: float, n_landmarks: int, n_examples: int, delta: float = 0.05
) -> float:
    """Return the excess risk 32B√(ln(1/δ)/R) + 3B√(ln(1/δ)/n) of RegLand (KJ, Thm 5).

    Examples
    --------
    >>> round(regression_excess(1.0, 10_000, 10_000), 3)
    0.606
    """
    return _excess(32, bound, n_landmarks, n_examples, delta)


def ordinal_excess(bound: float, n_landmarks: int, n_examples: int, delta: float = 0.05) -> float:
    """Return the excess risk of ordinal regression: that of RegLand with 64B for 32B (KJ).

    Examples
    --------
    >>> round(ordinal_excess(1.0, 10_000, 10_000), 3)
    1.16
    """
    return _excess(64, bound, n_landmarks, n_examples, delta)


def sparse_excess(
    bound: float,
    tau: float,
    n_landmarks: int,
    n_examples: int,
    n_chosen: int,
    delta: float = 0.05,
) -> float:
    """Return the excess risk of k greedily chosen landmarks, a share τ being informative (KJ).

    32B√(ln(1/δ)/(τR)) + √(18B²/k) + 2B√(2 ln(2R)/n) + 2B√(ln(1/δ)/(2n)).

    Examples
    --------
    >>> round(sparse_excess(1.0, 0.5, 10_000, 10_000, 1000), 3)
    1.031
    """
    require_shares(tau=tau, delta=delta)
    require_positive(bound=bound, n_landmarks=n_landmarks, n_examples=n_examples, n_chosen=n_chosen)
    log = math.log(1 / delta)
    return (
        32 * bound * math.sqrt(log / (tau * n_landmarks))
        + math.sqrt(18 * bound**2 / n_chosen)
        + 2 * bound * math.sqrt(2 * math.log(2 * n_landmarks) / n_examples)
        + 2 * bound * math.sqrt(log / (2 * n_examples))
    )


def d2ke_failure(gamma: float, dimension: float, t: float, n_landmarks: int) -> float:
    """Bound the chance that R random features miss D2KE's kernel by more than 2t somewhere.

    2(12γ/t)^(2p) exp(−Rt²/2), p the effective dimension of the objects under the distance (D2KE,
    Proposition 2). Above 1 it says nothing.

    Examples
    --------
    >>> d2ke_failure(1.0, 1.0, 0.1, 5000) < 1e-6
    True
    """
    require_positive(gamma=gamma, dimension=dimension, t=t, n_landmarks=n_landmarks)
    log = math.log(2) + 2 * dimension * math.log(12 * gamma / t) - n_landmarks * t**2 / 2
    return math.exp(min(log, 700.0))


def alignment_gap(rho: float, n_candidates: int, n_examples: int, delta: float = 0.05) -> float:
    """Bound how far learned feature weights are from the best alignment (Sinha–Duchi, Thm 1).

    4C√(ln(2N)/N) + D√(ln(2/δ)/N) + 2D√(2 ln(2/δ)/n), C = 2(ρ+1)/(√(1+ρ) − 1), D = √(8(1+ρ));
    holds with probability 1 − 3δ.

    Examples
    --------
    >>> round(alignment_gap(1.0, 10**6, 10**6), 3)
    0.177
    """
    require_positive(rho=rho, n_candidates=n_candidates, n_examples=n_examples)
    require_shares(delta=delta)
    c = 2 * (rho + 1) / (math.sqrt(1 + rho) - 1)
    d = math.sqrt(8 * (1 + rho))
    log = math.log(2 / delta)
    return (
        4 * c * math.sqrt(math.log(2 * n_candidates) / n_candidates)
        + d * math.sqrt(log / n_candidates)
        + 2 * d * math.sqrt(2 * log / n_examples)
    )


def kernel_as_similarity(
    epsilon: float, gamma: float, excess: float, *, hinge: bool = False
) -> tuple[float, float]:
    """Return how good a kernel, (ε₀, γ)-good as a kernel, is as a similarity (BBS, Thm 7, 8).

    (ε₀ + ε₁, ½(1 − ε₀)ε₁γ²), or (ε₀ + ε₁, 2ε₁γ²) in hinge loss.

    Examples
    --------
    >>> kernel_as_similarity(0.0, 0.5, 0.1)
    (0.1, 0.0125)
    >>> kernel_as_similarity(0.0, 0.5, 0.1, hinge=True)
    (0.1, 0.05)
    """
    require_shares(gamma=gamma, excess=excess)
    margin = 2 * excess * gamma**2 if hinge else (1 - epsilon) * excess * gamma**2 / 2
    return epsilon + excess, margin


def _excess(
    constant: float, bound: float, n_landmarks: int, n_examples: int, delta: float
) -> float:
    require_shares(delta=delta)
    require_positive(bound=bound, n_landmarks=n_landmarks, n_examples=n_examples)
    log = math.log(1 / delta)
    return bound * (constant * math.sqrt(log / n_landmarks) + 3 * math.sqrt(log / n_examples))
