"""Distances of vectors."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .. import engine
from ..data import vectors
from .base import Measure
from .vector_plans import AbsoluteDistances, Distances, SquaredDistances


class Euclidean(Measure):
    """Euclidean distance ‖x − y‖, dense or sparse. Relative error at most 2·10⁻⁴, typically 10⁻⁶.

    Also beside numbers of any other size: what float32 cannot tell apart is computed in float64.

    Examples
    --------
    >>> Euclidean().cross([[0.0, 0.0]], [[3.0, 4.0]])
    array([[5.]], dtype=float32)
    """

    name: ClassVar[str] = "euclidean"
    domain = vectors
    kind = "distance"
    bounds = (0.0, np.inf)
    symmetric = True
    triangle = True

    def compile(self, L: Any) -> engine.Plan:
        """Centre the landmarks."""
        return Distances(L)


class SqEuclidean(Measure):
    """Squared Euclidean distance ‖x − y‖².

    Examples
    --------
    >>> SqEuclidean().cross([[0.0, 0.0]], [[3.0, 4.0]])
    array([[25.]], dtype=float32)
    """

    name: ClassVar[str] = "sqeuclidean"
    domain = vectors
    kind = "distance"
    bounds = (0.0, np.inf)
    symmetric = True
    triangle = False

    def compile(self, L: Any) -> engine.Plan:
        """Centre the landmarks."""
        return SquaredDistances(L)


class Manhattan(Measure):
    """Manhattan distance Σ|xᵢ − yᵢ|. Relative error at most 10⁻⁴, typically 10⁻⁶.

    Also beside numbers of any other size: what float32 cannot tell apart is computed again from
    both halves of the doubles. Left is 10⁻¹⁴ of the largest number, for each coordinate.

    Examples
    --------
    >>> Manhattan().cross([[0.0, 0.0]], [[3.0, 4.0]])
    array([[7.]], dtype=float32)
    """

    name: ClassVar[str] = "manhattan"
    domain = vectors
    kind = "distance"
    bounds = (0.0, np.inf)
    symmetric = True
    triangle = True

    def compile(self, L: Any) -> engine.Plan:
        """Centre the landmarks."""
        return AbsoluteDistances(L)
