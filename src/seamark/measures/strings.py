"""Measures of strings."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..objects import Ragged, strings
from .base import Measure
from .text_plans import TextPlan


class Levenshtein(Measure):
    """Edit distance: fewest insertions, deletions and substitutions that turn x into y. Exact.

    ``Levenshtein().normalised()`` divides by the longer length.

    Examples
    --------
    >>> Levenshtein().cross(["kitten", ""], ["sitting", "mitten"])
    array([[3., 1.],
           [7., 6.]], dtype=float32)
    """

    name: ClassVar[str] = "levenshtein"
    domain = strings
    kind = "distance"
    bounds = (0.0, np.inf)
    symmetric = True
    triangle = True
    joint_size: ClassVar[np.ufunc] = np.maximum

    def compile(self, L: Ragged) -> engine.Plan:
        """Pack the landmarks into words."""
        return TextPlan(L, engine.backend().levenshtein)

    def self_values(self, X: Ragged) -> NDArray[np.float64]:
        """0."""
        return np.zeros(len(X))

    def sizes(self, X: Ragged) -> NDArray[np.float64]:
        """Length of each string."""
        return X.lengths.astype(np.float64)
