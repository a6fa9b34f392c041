"""How many landmarks, pairs or examples the theorems ask for, and what they promise.

Sample sizes are rounded up. ``delta`` is the probability of failure. Where a printed constant does
not follow from its proof, the docstring says what was changed. BBS is Balcan, Blum and Srebro, "A
Theory of Learning with Similarity Functions"; KJ is Kar and Jain, "Supervised Learning with
Similarity Functions"; the thesis is Kar's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

__all__ = [
    "alignment_gap",
    "d2ke_failure",
    "d2ke_landmarks",
    "double_dipping_gap",
    "effective_dimension",
    "hinge_goodness",
    "kernel_as_similarity",
    "margin_goodness",
    "ndcg_loss",
    "online_regret",
    "ordinal_admissible",
    "ordinal_excess",
    "ordinal_landmarks",
    "pairwise_excess",
    "pairwise_excess_strongly",
    "ranking_admissible",
    "ranking_excess",
    "regression_admissible",
    "regression_excess",
    "regression_landmarks",
    "several_measures_margin",
    "sparse_as_dense",
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


PLACES = 10_000  # of documents whose decays are added up one by one
DECAYS: dict[str, Callable[[Any], Any]] = {
    "log": np.log1p,
    "linear": lambda place: place,
    "quadratic": np.square,
}
"""F(t) of NDCG: the document at place t counts 1/F(t)."""


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


def effective_dimension(distances: ArrayLike) -> float:
    """Estimate the effective dimension p of objects from their distances (D2KE, section 2.2).

    N(δ) ~ δ⁻ᵖ objects are needed to have one within δ of each. Objects are chosen greedily, each
    the farthest from those before; p is the slope of log k over log 1/δₖ, with δₖ the largest
    distance to the k chosen ones, up to a quarter of the objects: of more, each covers itself.
    Few objects have few far-off ones: of 1000 points uniform in a cube of 2, 3 and 5 dimensions
    it is 1.6, 2.2 and 3.0.

    Parameters
    ----------
    distances : array-like of shape (n, n)
        Of a sample of at least eight objects to each other.

    Examples
    --------
    >>> points = np.linspace(0.0, 1.0, 400)
    >>> dimension = effective_dimension(np.abs(points[:, None] - points))
    >>> round(dimension, 1), d2ke_landmarks(1.0, dimension, 0.1)
    (0.9, 2467)
    """
    D = np.asarray(distances, dtype=np.float64)
    if D.ndim != 2 or D.shape[0] != D.shape[1] or len(D) < 8:
        raise ValueError(
            f"distances must be those of at least eight objects to each other, not {D.shape}."
        )
    if not np.isfinite(D).all() or D.min() < 0:
        raise ValueError("distances must be finite, and not negative.")
    nearest, radii = D[:, 0].copy(), []
    for _ in range(len(D) // 4):
        farthest = int(nearest.argmax())
        radii.append(float(nearest[farthest]))
        nearest = np.minimum(nearest, D[:, farthest])
    known = np.array([radius for radius in radii if radius > 0])
    if len(np.unique(known)) < 2:  # as of few different objects, each of which covers its copies
        return 0.0
    slope, _ = np.polyfit(-np.log(known), np.log(np.arange(1, len(known) + 1)), 1)
    return float(slope)


def d2ke_landmarks(gamma: float, dimension: float, t: float, delta: float = 0.05) -> int:
    """Return the random objects that make `d2ke_failure` at most δ; see `effective_dimension`.

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


def several_measures_margin(
    gamma: float, n_measures: int, *, mixture: ArrayLike | None = None
) -> float:
    """Return the margin γ/(2‖α‖√n) left when n similarities are concatenated (BBS, Thm 5).

    Parameters
    ----------
    gamma : float
        Margin of the best mixture Σ αᵢKᵢ of the similarities.
    n_measures : int
    mixture : array-like of shape (n_measures,), optional
        α, not negative, of sum 1. Equal shares leave γ/2. Default: not known, so that ‖α‖ is taken
        as 1, the most that it can be.

    Examples
    --------
    >>> several_measures_margin(0.2, 4)
    0.05
    >>> several_measures_margin(0.2, 4, mixture=[0.25, 0.25, 0.25, 0.25])
    0.1
    """
    require_shares(gamma=gamma)
    require_positive(n_measures=n_measures)
    norm = 1.0
    if mixture is not None:
        shares = np.asarray(mixture, dtype=np.float64)
        if shares.shape != (n_measures,) or shares.min() < 0 or abs(shares.sum() - 1) > 1e-6:
            raise ValueError(
                f"mixture must be {n_measures} numbers from 0 that add up to 1, not {mixture!r}."
            )
        norm = float(np.linalg.norm(shares))
    return gamma / (2 * norm * math.sqrt(n_measures))


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


def regression_admissible(epsilon: float, gamma: float, excess: float) -> tuple[float, float]:
    """Return how good a kernel, (ε₀, γ)-good for a regression, is as a similarity (KJ, Thm 6).

    (ε₀ + ε₁, B) with B = 1/(2ε₁γ²), as the proof sets it; weights of the landmarks are at most B.

    Examples
    --------
    >>> regression_admissible(0.0, 0.5, 0.1)
    (0.1, 20.0)
    """
    require_shares(gamma=gamma, excess=excess)
    return epsilon + excess, 1 / (2 * excess * gamma**2)


def ordinal_admissible(
    epsilon: float, gamma: float, excess: float, margin: float = 1.0
) -> tuple[float, float]:
    """Return how good a kernel is as a similarity for ordered labels (KJ, Thm 14).

    (γ₁ε₀ + ε₁, B) with B = γ₁²/(ε₁γ²), for the loss at margin γ₁.

    Examples
    --------
    >>> ordinal_admissible(0.0, 0.5, 0.1)
    (0.1, 40.0)
    """
    require_shares(gamma=gamma, excess=excess)
    require_positive(margin=margin)
    return margin * epsilon + excess, margin**2 / (excess * gamma**2)


def ranking_admissible(
    epsilon: float, gamma: float, excess: float, n_documents: int
) -> tuple[float, float]:
    """Return how good a kernel is as a similarity for ranking m documents (KJ, Thm 31).

    (ε₀ + ε₁, B) with B = a(1 + √a), a = m/(ε₁γ²). The proof prints ‖W′‖ ≤ √(2mC) and then goes on
    with √(mC); this keeps the 2.

    Examples
    --------
    >>> ranking_admissible(0.0, 0.5, 0.1, n_documents=10)
    (0.1, 8400.0)
    """
    require_shares(gamma=gamma, excess=excess)
    require_positive(n_documents=n_documents)
    a = n_documents / (excess * gamma**2)
    return epsilon + excess, a * (1 + math.sqrt(a))


def sparse_as_dense(epsilon: float, bound: float, tau: float) -> tuple[float, float]:
    """Return how good a similarity is without a choice of landmarks (KJ, Thm 10).

    With a share τ of informative landmarks (ε₀, B, τ)-good, it is (ε₀, B/τ)-good with all of them.
    The other way round, (ε₀, B)-good with weights of mean size w̄ is (ε₀, B, w̄/B)-good.

    Examples
    --------
    >>> sparse_as_dense(0.1, 1.0, 0.25)
    (0.1, 4.0)
    """
    require_shares(tau=tau)
    require_positive(bound=bound)
    return epsilon, bound / tau


def ranking_excess(
    bound: float, n_landmarks: int, n_examples: int, n_documents: int, delta: float = 0.05
) -> float:
    """Return the excess squared loss of ranking m documents (KJ, Thm 30).

    64B²m²√(ln(1/δ)/R) + 3B²√(ln(1/δ)/n); `ndcg_loss` says what it means for the NDCG.

    Examples
    --------
    >>> round(ranking_excess(1.0, 10**8, 10**6, 5), 3)
    0.282
    """
    require_positive(n_documents=n_documents)
    return bound * _excess(64 * n_documents**2, bound, n_landmarks, n_examples, delta)


def ndcg_loss(squared_loss: float, n_documents: int, *, decay: str = "log") -> float:
    """Bound 1 − NDCG by the squared loss on the normalised gains of m documents (KJ, Thm 30).

    √(2 Σ 1/F(t)²) · √(squared loss), the sum over places t = 1 … m; the gain G is any, and the loss
    is Σ (score − G/‖G‖)². With F(t) = ln(1 + t) the factor is O(√m/ln m); with F(t) = t or t² it
    is at most π/√3 or π²/√45, whatever m.

    Parameters
    ----------
    squared_loss : float
    n_documents : int
        m.
    decay : {"log", "linear", "quadratic"}, default="log"
        F(t) = ln(1 + t), t or t².

    Examples
    --------
    >>> round(ndcg_loss(0.01, 10), 3), round(ndcg_loss(0.01, 10, decay="quadratic"), 3)
    (0.322, 0.147)
    """
    require_positive(squared_loss=squared_loss, n_documents=n_documents)
    if decay not in DECAYS:
        raise ValueError(f"decay must be one of {', '.join(DECAYS)}, not {decay!r}.")
    discounts = DECAYS[decay]
    squares = sum(1 / float(discounts(t)) ** 2 for t in range(1, min(n_documents, PLACES) + 1))
    squares += max(0, n_documents - PLACES) / float(discounts(PLACES)) ** 2
    return math.sqrt(2 * squares * squared_loss)


def double_dipping_gap(
    bound: float, n_examples: int, *, lipschitz: float = 1.0, delta: float = 0.05
) -> float:
    """Bound loss less training loss where the n training objects are the landmarks (KJ, App. B).

    2BL/√n + 6BL√(ln(1/δ)/(2n)) for all weights up to B at once and an L-Lipschitz loss. Printed is
    4BL√(ln(1/δ)/n), which is less than the second term alone. Every preset takes its landmarks from
    the training data, so that this is its bound; the excess risks above need landmarks apart.

    Examples
    --------
    >>> round(double_dipping_gap(1.0, 10_000), 3)
    0.093
    """
    require_shares(delta=delta)
    require_positive(bound=bound, n_examples=n_examples, lipschitz=lipschitz)
    deviation = 6 * math.sqrt(math.log(1 / delta) / (2 * n_examples))
    return bound * lipschitz * (2 / math.sqrt(n_examples) + deviation)


# What online learning from pairs loses (chapter 6 of the thesis).


def online_regret(
    lipschitz: float, n_examples: int, *, radius: float | None = None, penalty: float | None = None
) -> float:
    """Bound the sum of losses against the buffer above that of the best fixed parameter.

    Give one of the two. For a ball of some `radius` r around 0 and steps η/√t with η = √2 r/L the
    bound is 2√2 rL√n (Zinkevich). For losses with the `penalty` σ/2 ‖w‖², which are σ-strongly
    convex, and steps 1/(σt) it is L²(1 + 4 ln n)/(2σ), with or without a convex set that holds 0.

    Parameters
    ----------
    lipschitz : float
        L, the largest norm of a gradient of the losses without penalty.
    n_examples : int
        Points of the stream.
    radius, penalty : float, optional

    Examples
    --------
    >>> round(online_regret(1.0, 10_000, radius=1.0), 1)
    282.8
    >>> round(online_regret(1.0, 10_000, penalty=0.1), 1)
    189.2
    """
    require_positive(lipschitz=lipschitz, n_examples=n_examples)
    if radius is not None and penalty is None:
        require_positive(radius=radius)
        return 2 * math.sqrt(2 * n_examples) * radius * lipschitz
    if penalty is not None and radius is None:
        require_positive(penalty=penalty)
        return lipschitz**2 * (1 + 4 * math.log(n_examples)) / (2 * penalty)
    raise ValueError("give either the radius of a ball or a penalty.")


def pairwise_excess(
    regret: float,
    n_examples: int,
    complexity: float,
    *,
    bound: float = 1.0,
    buffer_size: int | None = None,
    delta: float = 0.05,
) -> float:
    """Return the mean excess risk of the parameters of an online learner (thesis, Thm 6.3 and 6.6).

    Regret/(n−1) + 4 mean C/√m_t + 6B√(ln(2n/δ)/m), where m_t = min(t − 1, s) for t = 2 … n and m is
    the last of them. Of convex losses the risk of the mean of the parameters is not larger. The
    two lemmas behind it fail with probability δ each, so δ/2 stands for δ; the constant of
    Lemma 6.7 is taken as 3, as Lemma 6.8 has it, since the printed √2 is too small where s is
    near n.

    Parameters
    ----------
    regret : float
        Against the buffer, such as `online_regret`.
    n_examples : int
        n, points of the stream.
    complexity : float
        C, such that the Rademacher complexity of the losses over m points is at most C/√m: for
        φ(½(y − y′)wᵀ(x − x′)), φ L-Lipschitz, ‖w‖ ≤ W and ‖x‖ ≤ X it is 2LXW (Table 6.1).
    bound : float, default=1.0
        B, the largest loss.
    buffer_size : int, optional
        s; default: all points so far.
    delta : float, default=0.05

    Examples
    --------
    >>> round(pairwise_excess(282.8, 10_000, 2.0, buffer_size=1000), 2)
    0.99
    """
    require_shares(delta=delta)
    require_positive(complexity=complexity, bound=bound)
    pairs, least, mean_root, _ = _buffered(n_examples, buffer_size)
    confidence = 6 * bound * math.sqrt(math.log(2 * n_examples / delta) / least)
    return regret / pairs + 4 * complexity * mean_root + confidence


def pairwise_excess_strongly(
    regret: float,
    n_examples: int,
    *,
    penalty: float,
    lipschitz: float,
    bound: float = 1.0,
    buffer_size: int | None = None,
    delta: float = 0.05,
) -> float:
    """Return the mean excess risk for σ-strongly convex losses (thesis, Thm 6.5 and 6.9).

    With Δ² = ln(8 ln n/δ) and the constant of Theorem 6.4, C = (4(1 + ε)L)²(32 + ln(2n/δ)), let
    r = (1 + ε) regret + C/(εσ) Σ 1/m_t and d = 4(1 + ε)²L²/σ. The sum of excess risks is at most
    r + 4√(dr)Δ + max(16d, 6(1 + ε)B)Δ² for every ε in (0, 1]; the least of 100 is taken. The
    theorems print its order only.

    Parameters
    ----------
    regret : float
        Against the buffer, such as ``online_regret(…, penalty=σ)``.
    n_examples : int
        n, at least 3.
    penalty : float
        σ.
    lipschitz : float
        L, the largest norm of a gradient in the parameter.
    bound : float, default=1.0
        B, the largest loss.
    buffer_size : int, optional
        s; default: all points so far.
    delta : float, default=0.05

    Examples
    --------
    >>> regret = online_regret(1.0, 10**7, penalty=0.1)
    >>> round(pairwise_excess_strongly(regret, 10**7, penalty=0.1, lipschitz=1.0), 3)
    0.069
    """
    require_shares(delta=delta)
    require_positive(penalty=penalty, lipschitz=lipschitz, bound=bound, regret=regret)
    pairs, _, _, inverses = _buffered(n_examples, buffer_size)
    squared_delta = math.log(8 * math.log(n_examples) / delta)

    def total(epsilon: float) -> float:
        factor = 1 + epsilon
        constant = (4 * factor * lipschitz) ** 2 * (32 + math.log(2 * n_examples / delta))
        r = factor * regret + constant * inverses / (epsilon * penalty)
        d = 4 * (factor * lipschitz) ** 2 / penalty
        most = max(16 * d, 6 * factor * bound) * squared_delta
        return r + 4 * math.sqrt(d * r * squared_delta) + most

    return min(total(k / 100) for k in range(1, 101)) / pairs


def _buffered(n_examples: int, buffer_size: int | None) -> tuple[int, int, float, float]:
    """Return n − 1, the last m_t, a bound on the mean of 1/√m_t, and one on the sum of 1/m_t."""
    if n_examples < 3:
        raise ValueError(f"n_examples must be at least 3, not {n_examples!r}.")
    pairs = n_examples - 1
    size = pairs if buffer_size is None else buffer_size
    require_positive(buffer_size=size)
    least = min(size, pairs)
    roots = 2 * math.sqrt(least) - 1 + (pairs - least) / math.sqrt(least)
    inverses = 1 + math.log(least) + (pairs - least) / least
    return pairs, least, roots / pairs, inverses


def _excess(
    constant: float, bound: float, n_landmarks: int, n_examples: int, delta: float
) -> float:
    require_shares(delta=delta)
    require_positive(bound=bound, n_landmarks=n_landmarks, n_examples=n_examples)
    log = math.log(1 / delta)
    return bound * (constant * math.sqrt(log / n_landmarks) + 3 * math.sqrt(log / n_examples))
