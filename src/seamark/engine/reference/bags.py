"""N-grams of texts and sums over what bags share, in Python and numpy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..plan import Floats, Offsets, Things

START, STEP, MIX = 0xCBF29CE484222325, 0x100000001B3, 0x9E3779B97F4A7C15
WORD = (1 << 64) - 1


def ngrams(
    values: NDArray[np.uint32],
    offsets: Offsets,
    shortest: int,
    longest: int,
    blanks: NDArray[np.uint32],
    mark: int,
    bits: int,
) -> tuple[Things, Floats, Offsets]:
    """Return buckets, counts and offsets of the n-grams of texts.

    Parameters
    ----------
    values, offsets : arrays
        Code points of the texts.
    shortest, longest : int
        Symbols of an n-gram, within a piece with its two marks; a shorter piece counts as a whole.
    blanks : array
        Code points between pieces; none: a text is one piece.
    mark : int
        Stands before and after each piece.
    bits : int
        There are 2^bits buckets.
    """
    bags = []
    for start, stop in pairwise(offsets):
        cut = set(blanks.tolist())
        spans = ngram_spans(values[start:stop].tolist(), shortest, longest, cut, mark, bits)
        bags.append(Counter(bucket for bucket, *_ in spans))
    ends = np.cumsum([0, *map(len, bags)])
    things = np.array([thing for bag in bags for thing in bag], dtype=np.int32)
    counts = np.array([count for bag in bags for count in bag.values()], dtype=np.float32)
    return things, counts, ends.astype(np.int64)


def ngram_spans(
    text: list[int], shortest: int, longest: int, blanks: set[int], mark: int, bits: int
) -> Iterator[tuple[int, int, int]]:
    """Yield the bucket of each n-gram of a text, and where it begins and ends.

    Marks count as symbols before and after a piece, so that places may lie just beyond the text.

    Examples
    --------
    >>> [(start, stop) for _, start, stop in ngram_spans([7], 2, 3, set(), 0, 8)]
    [(-1, 1), (-1, 2), (0, 2)]
    """
    ends = [-1, *(k for k, symbol in enumerate(text) if symbol in blanks), len(text)]
    for before, after in pairwise(ends):
        if before + 1 == after and blanks:  # no piece between two blanks
            continue
        piece = [mark, *text[before + 1 : after], mark]
        for start in range(len(piece)):
            hashed = START
            for size, symbol in enumerate(piece[start : start + longest], 1):
                hashed = ((hashed ^ (symbol + 1)) * STEP) & WORD
                if size >= shortest or size == len(piece):
                    mixed = ((hashed ^ (hashed >> 32)) * MIX) & WORD
                    yield mixed >> (64 - bits), before + start, before + start + size


class BagsPlan:
    """Landmark bags as a dense matrix.

    Parameters
    ----------
    things, weights, offsets : arrays
        Bag j holds ``things[offsets[j]:offsets[j + 1]]``, numbers below `n_things`.
    n_things : int
    value : {"product", "smaller"}
        What is summed over shared things.
    """

    def __init__(
        self, things: Things, weights: Floats, offsets: Offsets, n_things: int, value: str
    ) -> None:
        self.matrix = np.zeros((len(offsets) - 1, n_things), np.float32)
        owners = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        self.matrix[owners, things] = weights
        self.join = {"product": np.multiply, "smaller": np.minimum}[value]

    def run(
        self,
        things: Things,
        weights: Floats,
        offsets: Offsets,
        out: Floats,
        stop: NDArray[np.uint8],
    ) -> None:
        """Write the sums into `out`; things of -1 are in no landmark."""
        for i in range(len(out)):
            if stop[0]:
                return
            some = slice(offsets[i], offsets[i + 1])
            shared = things[some] >= 0
            columns = self.matrix[:, things[some][shared]]
            out[i] = self.join(columns, weights[some][shared]).sum(axis=1, dtype=np.float64)
