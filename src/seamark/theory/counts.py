"""How many landmarks, pairs or examples the theorems ask for."""

from __future__ import annotations

import math

from .arguments import require_positive, require_shares


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
