"""Categories: the same or not."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Ragged, categories, hashes
from .base import Measure

VALUE_SECONDS = 1e-9


class Equality(Measure):
    """1 for the same category, 0 for another. Landmarks make it the one-hot code of a category.

    A category that is no landmark is like none: all its values are 0.

    Examples
    --------
    >>> Equality().cross(["red", "blue", "mauve"], ["red", "blue"])
    array([[1., 0.],
           [0., 1.],
           [0., 0.]], dtype=float32)
    """

    name: ClassVar[str] = "equality"
    domain = categories
    kind = "similarity"
    bounds = (0.0, 1.0)
    symmetric = True
    psd = True

    def compile(self, L: Ragged) -> engine.Plan:
        """Hash the landmarks."""
        return _SameHash(L)

    def self_values(self, X: Ragged) -> NDArray[np.float64]:
        """1."""
        return np.ones(len(X))


class _SameHash(engine.Plan):
    """Hashes of rows against those of landmarks."""

    def __init__(self, L: Ragged) -> None:
        self.n_landmarks = len(L)
        self.scratch_per_row = len(L) + 8
        self.hashes = hashes(L)

    def fill(self, X: Ragged, out: NDArray[np.float32], stop: Any) -> None:
        """Compare all pairs."""
        np.equal(hashes(X)[:, None], self.hashes, out=out, casting="unsafe")

    def seconds(self, X: Ragged) -> NDArray[np.float64]:
        """In proportion to letters and landmarks."""
        return np.asarray((X.lengths + self.n_landmarks) * VALUE_SECONDS, dtype=np.float64)
