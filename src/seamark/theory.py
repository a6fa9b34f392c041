"""How many landmarks, pairs or examples the theorems ask for, and what they promise.

Sample sizes are rounded up. ``delta`` is the probability of failure. Where a printed constant does
not follow from its proof, the docstring says what was changed. BBS is Balcan, Blum and Srebro, "A
Theory of Learning with Similarity Functions"; KJ is Kar and Jain, "Supervised Learning with
Similarity Functions"; the thesis is Kar's.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

__all__ = [
    "alignment_gap",
    "d2ke_failure",
    "d2ke_landmarks",
    "hinge_goodness",
    "kernel_as_similarity",
    "margin_goodness",
    "ordinal_excess",
    "ordinal_landmarks",
    "regression_excess",
    "regression_landmarks",
    "several_measures_margin",
    "sparse_excess",
    "strong_goodness",
    "transfer_family_pairs",
    "transfer_pairs",
    "transfer_pairs_hinge",
    "weak_error",
    "weak_goodness",
]


def require_shares(**given: Any) -> None:
    """Stop unless every number lies in (0, 1]; a probability of failure of 1 asks for nothing."""
    for name, value in given.items():
        if not isinstance(value, Real) or not 0 < float(value) <= 1:
            raise ValueError(f"{name} must lie between 0 and 1, not {value!r}.")


def require_positive(**given: Any) -> None:
    """Stop unless every number is above 0 and finite."""
    for name, value in given.items():
        if not isinstance(value, Real) or not 0 < float(value) < math.inf:
            raise ValueError(f"{name} must be a positive number, not {value!r}.")


# How many landmarks, pairs or examples the theorems ask for.


def strong_goodness(gamma: float, delta: float = 0.05) -> int:
    """Return the examples of each class that make the average-similarity vote good (BBS, Thm 1).

    The error is then at most ε + δ, for a strongly (ε, γ)-good similarity.

    Examples
    --------
    >>> strong_goodness(0.2)
    1476
    """
    require_shares(gamma=gamma, delta=delta)
    return math.ceil(16 / gamma**2 * math.log(2 / delta))


def weak_goodness(gamma: float, delta: float = 0.05) -> int:
    """Return the examples of each class that make the weak vote weakly learn (BBS, Thm 2).

    Examples
    --------
    >>> weak_goodness(0.5)
    2010
    """
    require_shares(gamma=gamma, delta=delta)
    return math.ceil(64 / gamma**2 * math.log(64 / (gamma * delta)))


def margin_goodness(gamma: float, delta: float = 0.05) -> int:
    """Return the landmarks for a separator of error ε + δ at margin γ/2 (BBS, Thm 3 and 5).

    The constant is 16: the printed 8 does not follow from the proof, whose deviation
    √(2 ln(1/δ²)/R) is γ/2 only for R = 16 ln(1/δ)/γ².

    Examples
    --------
    >>> margin_goodness(0.2)
    1199
    """
    require_shares(gamma=gamma, delta=delta)
    return math.ceil(16 * math.log(1 / delta) / gamma**2)


def hinge_goodness(gamma: float, excess: float = 0.1, delta: float | None = None) -> int:
    """Return the landmarks for hinge loss ε + `excess` at margin γ (BBS, Thm 4).

    Holds only for δ < excess·γ/4; left out, δ is half of that.

    Examples
    --------
    >>> hinge_goodness(0.2, 0.1)
    239659
    """
    require_shares(gamma=gamma, excess=excess)
    largest = excess * gamma / 4
    delta = largest / 2 if delta is None else delta
    if not 0 < delta < largest:
        raise ValueError(
            f"delta={delta!r} must lie between 0 and excess·gamma/4 = {largest:g}, where the "
            "theorem holds."
        )
    return math.ceil(16 * math.log(1 / delta) / (excess * gamma) ** 2)


def transfer_pairs(gamma: float, excess: float = 0.1, delta: float = 0.05) -> int:
    """Return the landmark pairs for error ε + `excess` under one transfer function (thesis, 4.2).

    Weights are at most 1.

    Examples
    --------
    >>> transfer_pairs(0.2)
    1199
    """
    require_shares(gamma=gamma, excess=excess, delta=delta)
    return math.ceil(8 / gamma**2 * math.log(2 / (delta * excess)))


def transfer_pairs_hinge(
    gamma: float, excess: float = 0.1, delta: float = 0.05, bound: float = 1.0
) -> int:
    """Return the landmark pairs for hinge loss ε + `excess` at margin γ (thesis, Thm 4.7).

    The hinge at margin γ has Lipschitz constant 1/γ; weights are at most `bound`.

    Examples
    --------
    >>> transfer_pairs_hinge(0.2)
    267385
    """
    require_shares(gamma=gamma, excess=excess, delta=delta)
    require_positive(bound=bound)
    scale = 16 * (bound / (gamma * excess)) ** 2
    return math.ceil(scale * math.log(4 * bound / (delta * excess)))


def transfer_family_pairs(
    gamma: float,
    n_transfers: int,
    excess: float = 0.1,
    delta: float = 0.05,
    bound: float = 1.0,
) -> int:
    """Return the landmark pairs that serve N transfer functions at once (thesis, Thm 4.3).

    Examples
    --------
    >>> transfer_family_pairs(0.2, 6)
    1578027
    """
    require_shares(gamma=gamma, excess=excess, delta=delta)
    require_positive(bound=bound, n_transfers=n_transfers)
    scale = 64 * (bound / (gamma * excess)) ** 2
    return math.ceil(scale * math.log(16 * bound * n_transfers / (delta * excess)))


def regression_landmarks(bound: float, excess: float = 0.1, delta: float = 0.05) -> int:
    """Return the landmarks that cost RegLand at most `excess`, 32B√(ln(1/δ)/R) (KJ, Thm 5).

    Examples
    --------
    >>> regression_landmarks(1.0)
    306763
    """
    return _landmarks(32, bound, excess, delta)


def ordinal_landmarks(bound: float, excess: float = 0.1, delta: float = 0.05) -> int:
    """Return the landmarks that cost ordinal regression at most `excess`: 64B for 32B (KJ).

    Examples
    --------
    >>> ordinal_landmarks(1.0)
    1227052
    """
    return _landmarks(64, bound, excess, delta)


def d2ke_landmarks(gamma: float, dimension: float, t: float, delta: float = 0.05) -> int:
    """Return the random objects that make `d2ke_failure` at most δ.

    Examples
    --------
    >>> d2ke_landmarks(1.0, 1.0, 0.1)
    2653
    """
    require_positive(gamma=gamma, dimension=dimension, t=t)
    require_shares(delta=delta)
    log = math.log(2 / delta) + 2 * dimension * math.log(12 * gamma / t)
    return max(1, math.ceil(2 / t**2 * log))


def _landmarks(constant: float, bound: float, excess: float, delta: float) -> int:
    require_shares(delta=delta)
    require_positive(bound=bound, excess=excess)
    return math.ceil((constant * bound / excess) ** 2 * math.log(1 / delta))


# What the theorems promise: margins, errors, excess risks and chances of failure.


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
