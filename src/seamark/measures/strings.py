"""Measures of strings."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..objects import Ragged, strings
from .base import Measure

CELL_SECONDS = 6e-12  # per cell of the edit-distance matrix
VALUE_SECONDS = 1e-9  # per distance, whatever its length


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
        return _EditDistances(L)

    def self_values(self, X: Ragged) -> NDArray[np.float64]:
        """0."""
        return np.zeros(len(X))

    def sizes(self, X: Ragged) -> NDArray[np.float64]:
        """Length of each string."""
        return X.lengths.astype(np.float64)


class _EditDistances(engine.Plan):
    def __init__(self, L: Ragged) -> None:
        self.n_landmarks = len(L)
        self.alphabet, codes = np.unique(L.flat, return_inverse=True)
        self.total_length = len(codes)
        kernels = engine.backend()
        self.slowness = kernels.slowness
        offsets = L.offsets - L.offsets[0]
        self.plan = kernels.levenshtein(codes.astype(np.int32), offsets, len(self.alphabet))

    def seconds(self, X: Ragged) -> NDArray[np.float64]:
        per_character = self.total_length * CELL_SECONDS * self.slowness
        cost = X.lengths.astype(np.float64)
        cost *= per_character
        cost += self.n_landmarks * VALUE_SECONDS
        return cost

    def fill(self, X: Ragged, out: NDArray[np.float32], stop: Any) -> None:
        self.plan.run(self._encode(X.flat), X.offsets - X.offsets[0], out, stop)

    def _encode(self, text: NDArray[Any]) -> NDArray[np.int32]:
        """Dense codes over the landmarks' alphabet; one more for characters in no landmark."""
        size = len(self.alphabet)
        if text.dtype.itemsize <= 2:
            table = np.full(1 << (8 * text.dtype.itemsize), size, dtype=np.int32)
            known = self.alphabet[self.alphabet < len(table)]
            table[known] = np.arange(len(known), dtype=np.int32)
            codes: NDArray[np.int32] = table[text]
            return codes
        if size == 0:
            return np.zeros(len(text), dtype=np.int32)
        places = np.searchsorted(self.alphabet, text)
        places[places == size] = 0
        places[self.alphabet[places] != text] = size
        return places.astype(np.int32)
