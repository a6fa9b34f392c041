"""Margin losses of scores against thresholds, and what they promise of labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .newton import Floats


def margin_losses(
    score: Floats, rank: NDArray[np.intp], thresholds: Floats, margin: float, variant: str
) -> Floats:
    """Hinge losses of scores, one per object.

    Examples
    --------
    >>> b = np.array([1.5, 2.5])
    >>> margin_losses(np.array([2.0, 3.5]), np.array([1, 0]), b, 0.5, "exc").tolist()
    [0.0, 2.5]
    """
    sides = sides_of(rank, len(thresholds), variant)
    slacks = margin - sides * (score[:, None] - thresholds)
    return np.asarray((np.abs(sides) * np.maximum(slacks, 0.0)).sum(axis=1))


def sides_of(rank: NDArray[np.intp], n_thresholds: int, variant: str) -> Floats:
    """+1 where a score belongs above a threshold, −1 below, 0 where the variant does not look."""
    above = rank[:, None] - np.arange(n_thresholds)  # of a label's own two thresholds: 1 and 0
    sides = np.where(above > 0, 1.0, -1.0)
    return sides if variant == "imc" else np.where((above == 0) | (above == 1), sides, 0.0)


class Guarantees(NamedTuple):
    """What a mean margin loss promises of the labels on the same sample."""

    mislabelling: float
    absolute_error: float


def guarantees(
    loss: float, margin: float, spacing: float = 1.0, variant: str = "exc"
) -> Guarantees:
    """Bounds on the errors of a model whose mean margin loss is known.

    A label k ranks off lies beyond k thresholds, so that its loss is at least γ + (k − 1)Δ, and
    kγ with IMC. Hence mislabelling ≤ ε₀/γ; and mean absolute error, in ranks, ≤ ε₀/min(γ, Δ),
    ≤ (ε₀ + Δ − γ)/Δ where γ ≤ Δ, ≤ ε₀/γ with IMC: the least of those that apply is given. (The
    paper's bound, with max{γ, 1} in the place of γ, fails for γ < 1.)

    Parameters
    ----------
    loss : float
        Mean margin loss ε₀.
    margin : float
        γ.
    spacing : float, default=1
        Least distance Δ of two thresholds; ``inf`` if there is only one.
    variant : {"exc", "imc"}, default="exc"
        Which loss it is.

    Returns
    -------
    Guarantees
        Named tuple (mislabelling, absolute_error).

    Examples
    --------
    >>> guarantees(loss=0.1, margin=0.5)
    Guarantees(mislabelling=0.2, absolute_error=0.2)
    """
    step = margin if variant == "imc" else min(margin, spacing)
    absolute = loss / step if step > 0 else np.inf
    if margin <= spacing:
        absolute = min(absolute, 1.0 + (loss - margin) / spacing)
    return Guarantees(min(1.0, loss / margin), absolute)
