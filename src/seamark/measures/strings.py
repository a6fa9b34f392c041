"""Measures of strings: edits, what they have in common, symbols that match near their place."""

from __future__ import annotations

import numbers
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..objects import Ragged, strings
from .base import Fact, FoundPairs, Measure, Search
from .edit_pairs import edits_within
from .edit_search import EditSearch
from .text_plans import EditPlan, RestPlan, TextPlan


class _Edits(Measure):
    """A number of edits that turn one string into another."""

    domain = strings
    kind = "distance"
    bounds = (0.0, np.inf)
    symmetric = True
    triangle: Fact = True
    joint_size: ClassVar[np.ufunc] = np.maximum

    def self_values(self, X: Ragged) -> NDArray[np.float64]:
        """0."""
        return np.zeros(len(X))

    def sizes(self, X: Ragged) -> NDArray[np.float64]:
        """Length of each string."""
        return X.lengths.astype(np.float64)

    def sketch(self, X: Ragged) -> NDArray[np.float64]:
        """Lengths: an edit changes a length by one at most."""
        return X.lengths.astype(np.float64)[:, None]


class Levenshtein(_Edits):
    """Edit distance: fewest insertions, deletions and substitutions that turn x into y. Exact.

    ``Levenshtein().normalised()`` divides by the longer length.

    Examples
    --------
    >>> Levenshtein().cross(["kitten", ""], ["sitting", "mitten"])
    array([[3., 1.],
           [7., 6.]], dtype=float32)
    """

    name: ClassVar[str] = "levenshtein"

    def compile(self, L: Ragged) -> engine.Plan:
        """Pack the landmarks into words."""
        return EditPlan(L, engine.backend().levenshtein)

    def searching(self, X: Ragged) -> Search | None:
        """Search in the order of lower bounds, by a kernel with a cut-off."""
        return EditSearch.of(X)

    def pairs_within(
        self, X: Ragged, Y: Ragged | None, radius: float, **options: Any
    ) -> FoundPairs | None:
        """Join by segments: all but near strings are never compared."""
        return edits_within(X, Y, radius, **options)


class DamerauLevenshtein(_Edits):
    """Edit distance in which swapping two neighbours is one edit too. Exact.

    The unrestricted form: what was swapped may be edited again, so it is a metric. It costs 15
    to 60 times as much as `OptimalAlignment`, which seldom differs.
    ``DamerauLevenshtein().normalised()`` divides by the longer length.

    Examples
    --------
    >>> DamerauLevenshtein().cross(["sea", "ca"], ["esa", "abc"])
    array([[1., 3.],
           [2., 2.]], dtype=float32)
    """

    name: ClassVar[str] = "damerau_levenshtein"

    def compile(self, L: Ragged) -> engine.Plan:
        """Lay the landmarks out in lanes."""
        return TextPlan(L, engine.backend().damerau, slowness=50.0)


class OptimalAlignment(_Edits):
    """Optimal string alignment: Damerau's distance where no substring is edited twice. Exact.

    It is no metric: "ca" is 3 edits from "abc", but 1 from "ac", which is 1 from "abc".
    ``OptimalAlignment().normalised()`` divides by the longer length.

    Examples
    --------
    >>> OptimalAlignment().cross(["sea", "ca"], ["esa", "abc"])
    array([[1., 3.],
           [2., 3.]], dtype=float32)
    """

    name: ClassVar[str] = "osa"
    triangle = False

    def compile(self, L: Ragged) -> engine.Plan:
        """Lay the landmarks out in lanes."""
        return TextPlan(L, partial(engine.backend().strings, "osa"))


class Indel(_Edits):
    """Fewest insertions and deletions that turn x into y: all that is in no common subsequence.

    Exact. ``Indel().normalised()`` divides by the sum of the lengths.

    Examples
    --------
    >>> Indel().cross(["kitten", ""], ["sitting", "mitten"])
    array([[5., 2.],
           [7., 6.]], dtype=float32)
    """

    name: ClassVar[str] = "indel"
    joint_size: ClassVar[np.ufunc] = np.add

    def compile(self, L: Ragged) -> engine.Plan:
        """Lay the landmarks out in lanes."""
        return RestPlan(L, partial(engine.backend().strings, "lcs"))


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
    symmetric = True
    psd = False

    def __init__(self, prefix_weight: float = 0.1) -> None:
        self.prefix_weight = prefix_weight

    def check_parameters(self) -> None:
        """Require a weight that keeps similarities in [0, 1]."""
        weight = self.prefix_weight
        if not isinstance(weight, numbers.Real) or not 0 <= weight <= 0.25:
            raise ValueError(f"prefix_weight must be a number from 0 to 0.25, not {weight!r}.")

    def compile(self, L: Ragged) -> engine.Plan:
        """Lay the landmarks out in lanes."""
        weight = float(self.prefix_weight)
        return TextPlan(L, partial(engine.backend().strings, "jaro", weight=weight), slowness=3.0)

    def self_values(self, X: Ragged) -> NDArray[np.float64]:
        """1."""
        return np.ones(len(X))
