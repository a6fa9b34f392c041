"""Plans over strings: texts become dense codes over the landmarks' alphabet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..objects import Ragged

CELL_SECONDS = 6e-12  # per pair of characters, by a bit-parallel kernel
VALUE_SECONDS = 1e-9  # per value, whatever the lengths

Compile = Callable[[NDArray[np.int32], NDArray[np.int64], int], Any]


class TextPlan(engine.Plan):
    """A kernel's values of strings against landmark strings.

    Parameters
    ----------
    L : Ragged
        Landmarks.
    compile : callable
        ``compile(codes, offsets, n_symbols)`` returns the kernel's plan.
    slowness : float, default=1.0
        Rough factor on the time that a bit-parallel kernel takes.
    """

    def __init__(self, L: Ragged, compile: Compile, slowness: float = 1.0) -> None:
        self.n_landmarks = len(L)
        self.alphabet = _alphabet(L.flat)
        self.total_length = len(L.flat)
        self.slowness = engine.backend().slowness * slowness
        offsets = L.offsets - L.offsets[0]
        self.plan = compile(self.encode(L.flat), offsets, len(self.alphabet))

    def seconds(self, X: Ragged) -> NDArray[np.float64]:
        """In proportion to pairs of characters."""
        per_character = self.total_length * CELL_SECONDS * self.slowness
        cost = X.lengths.astype(np.float64)
        cost *= per_character
        cost += self.n_landmarks * VALUE_SECONDS
        return cost

    def fill(self, X: Ragged, out: NDArray[np.float32], stop: Any) -> None:
        """Encode the texts and run the kernel."""
        self.plan.run(*self.encoded(X), out, stop)

    def encoded(self, X: Ragged) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the texts in codes, and their offsets."""
        return self.encode(X.flat), X.offsets - X.offsets[0]

    def encode(self, text: NDArray[Any]) -> NDArray[np.int32]:
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


def _alphabet(text: NDArray[Any]) -> NDArray[Any]:
    """Return the characters that occur, sorted; of narrow ones a table knows without sorting."""
    if text.dtype.itemsize > 2:
        return np.unique(text)
    seen = np.zeros(1 << (8 * text.dtype.itemsize), dtype=bool)
    seen[text] = True
    return np.flatnonzero(seen)
