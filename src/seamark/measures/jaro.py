"""Similarities of strings: what they have in common, symbols that match near their place."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Ragged, strings
from .base import Measure, require_number
from .edit import TextPlan


class LCS(Measure):
    """Length of the longest common subsequence, whose symbols need not be neighbours. Exact.

    ``LCS().normalised()`` divides by the root of the product of the lengths.

    Examples
    --------
    >>> LCS().cross(["kitten", ""], ["sitting", "mitten"])
    array([[4., 5.],
           [0., 0.]], dtype=float32)
    """

    name: ClassVar[str] = "lcs"
    domain = strings
    kind = "similarity"
    bounds = (0.0, np.inf)
    symmetric = True
    psd = False

    def compile(self, L: Ragged) -> engine.Plan:
        """Lay the landmarks out in lanes."""
        return TextPlan(L, partial(engine.backend().strings, "lcs"))

    def self_values(self, X: Ragged) -> NDArray[np.float64]:
        """Length of each string."""
        return X.lengths.astype(np.float64)


class JaroWinkler(Measure):
    """Jaro–Winkler similarity: the share of symbols that match near their place.

    Made for names: similarities above 0.7 grow with the common prefix, of at most four symbols.

    Parameters
    ----------
    prefix_weight : float, default=0.1
        What each symbol of a common prefix takes of the way to 1, from 0 (Jaro's similarity) to
        0.25.

    Examples
    --------
    >>> JaroWinkler().cross(["martha"], ["marhta", "otto"]).round(3)
    array([[0.961, 0.472]], dtype=float32)
    """

    name: ClassVar[str] = "jaro_winkler"
    domain = strings
    kind = "similarity"
    bounds = (0.0, 1.0)
    self_value = 1.0
    symmetric = True
    psd = False

    def __init__(self, prefix_weight: float = 0.1) -> None:
        self.prefix_weight = prefix_weight

    def check_parameters(self) -> None:
        """Require a weight that keeps similarities in [0, 1]."""
        require_number("prefix_weight", self.prefix_weight, 0, 0.25)

    def compile(self, L: Ragged) -> engine.Plan:
        """Lay the landmarks out in lanes."""
        weight = float(self.prefix_weight)
        return TextPlan(L, partial(engine.backend().strings, "jaro", weight=weight), slowness=3.0)
