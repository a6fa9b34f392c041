"""Surrogates φ of the 0/1 loss, as functions of a margin, and their slopes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

STEEPEST = 50.0  # exponents beyond this are cut: exp(50) is as wrong as anything larger


class Surrogate(NamedTuple):
    """φ(m) and φ′(m), pointwise."""

    value: Callable[[Any], Any]
    slope: Callable[[Any], Any]


def _exponential(margin: Any) -> Any:
    return np.exp(np.minimum(-margin, STEEPEST))


SURROGATES: dict[str, Surrogate] = {
    "hinge": Surrogate(lambda m: np.maximum(1 - m, 0), lambda m: -1.0 * (m < 1)),
    "squared": Surrogate(lambda m: np.square(1 - m), lambda m: -2 * (1 - m)),
    "logistic": Surrogate(lambda m: np.logaddexp(0, -m), lambda m: -expit(-m)),
    "exponential": Surrogate(_exponential, lambda m: -_exponential(m)),
}


def get_surrogate(name: Any) -> Surrogate:
    """Return the surrogate of a name.

    Examples
    --------
    >>> float(get_surrogate("hinge").value(0.25)), float(get_surrogate("squared").slope(0.25))
    (0.75, -1.5)
    """
    if name not in SURROGATES:
        raise ValueError(f"surrogate={name!r} is none of {', '.join(SURROGATES)}.")
    return SURROGATES[name]
