"""Strings: edit distances, other values, pairs within a number of edits, n-grams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..array_checks import check_codes, check_out
from ..plan import Floats, Offsets, Stop, Things

Codes = NDArray[np.int32]

MEASURES = ("levenshtein", "substring", "lcs", "osa", "jaro", "damerau")
GROUP = 256  # landmarks that are advanced together
PADDING = -1  # after a landmark that is shorter than others of its group; it equals no symbol
PREFIX = 4  # symbols of a common prefix that count
PREFIX_FROM = 0.7  # similarity above which they do


class StringsPlan:
    """Landmark strings, prepared for one measure.

    Parameters
    ----------
    measure : {"levenshtein", "substring", "lcs", "osa", "jaro", "damerau"}
    codes : array of int32
        The symbols of all landmarks, in [0, n_symbols).
    offsets : array of int64
        Landmark k is ``codes[offsets[k]:offsets[k + 1]]``.
    n_symbols : int
        Size of the landmarks' alphabet.
    weight : float, default=0.0
        Of a common prefix, in Jaro–Winkler similarities.
    """

    def __init__(
        self, measure: str, codes: Codes, offsets: Offsets, n_symbols: int, weight: float = 0.0
    ) -> None:
        if measure not in MEASURES:
            raise ValueError(f"there is no measure of strings {measure!r}")
        check_codes(codes, offsets, n_symbols - 1)
        self.measure, self.weight, self.n_symbols = measure, weight, n_symbols
        self.landmarks = [codes[start:end] for start, end in pairwise(offsets)]
        self.n_landmarks, lengths = len(self.landmarks), np.diff(offsets)
        order = np.argsort(lengths, kind="stable")
        self.groups = []  # numbers of landmarks, their lengths, and a column of symbols for each
        for start in range(0, len(order), GROUP):
            columns = order[start : start + GROUP]
            symbols = np.full((lengths[columns[-1]], len(columns)), PADDING, dtype=np.int32)
            for k, column in enumerate(columns):
                symbols[: lengths[column], k] = self.landmarks[column]
            self.groups.append((columns, lengths[columns], symbols))

    def run(self, codes: Codes, offsets: Offsets, out: Floats, stop: Stop) -> None:
        """Write the values of the texts against the landmarks into `out`.

        Parameters
        ----------
        codes : array of int32
            The symbols of the texts; `n_symbols` stands for every symbol of no landmark.
        offsets : array of int64
            Text i is ``codes[offsets[i]:offsets[i + 1]]``.
        out : array of float32, shape (n, n_landmarks)
            Receives the values.
        stop : array of uint8, shape (1,)
            Another thread sets it to end the call early; `out` is then unfinished.
        """
        check_codes(codes, offsets, self.n_symbols)
        check_out(out, offsets, self.n_landmarks)
        for row, (start, end) in zip(out, pairwise(offsets), strict=True):
            if stop[0]:
                return
            text = codes[start:end]
            if self.measure == "jaro":
                row[:] = [_jaro_winkler(text, each, self.weight) for each in self.landmarks]
                continue
            for columns, lengths, symbols in self.groups:
                if self.measure == "damerau":
                    row[columns] = _damerau(text, lengths, symbols)
                else:
                    row[columns] = _aligned(text, lengths, symbols, self.measure)


LevenshteinPlan = partial(StringsPlan, "levenshtein")


def _aligned(text: Codes, lengths: Offsets, symbols: Codes, measure: str) -> NDArray[Any]:
    """Values that a matrix of prefixes gives, row by row: one row for each symbol of the text.

    Row i of the matrix of edit distances is kept as E[j] = D[i, j] − j. An insertion then costs
    nothing along the row, and the dependency inside the row is a running minimum. The measures
    differ in what a step down costs: 1; nothing for a common subsequence, whose length is counted
    down; and for a substring nothing along the upper border, and the best row counts, not the last.
    """
    down, substring, swaps = int(measure != "lcs"), measure == "substring", measure == "osa"
    longest, n = symbols.shape
    ends = lengths, np.arange(n)
    row = np.zeros((longest + 1, n), dtype=np.int32)
    before, best, equal = row.copy(), row[ends], np.zeros(symbols.shape, bool)
    for symbol in text:
        last, equal = equal, symbols == symbol
        diagonal = row[:-1] - equal
        if swaps:
            oldest, before = before, row.copy()
        row += down
        if substring:
            row[0] = 0
        np.minimum(row[1:], diagonal, out=row[1:])
        if swaps:  # a cell also comes from two rows before
            swapped = np.minimum(row[2:], oldest[:-2] - 1)
            row[2:] = np.where(equal[:-1] & last[1:], swapped, row[2:])
        np.minimum.accumulate(row, axis=0, out=row)
        best = np.minimum(best, row[ends]) if substring else best
    if measure == "lcs":
        return np.asarray(-row[ends])
    return np.asarray((best if substring else row[ends]) + lengths)


def _damerau(text: Codes, lengths: Offsets, symbols: Codes) -> NDArray[Any]:
    """Lowrance and Wagner, all landmarks of the group at once; the whole matrix is kept."""
    longest, n = symbols.shape
    each, far = np.arange(n), len(text) + longest + 1
    D = np.full((len(text) + 2, longest + 2, n), far, dtype=np.int32)
    D[1:, 1] = np.arange(len(text) + 1)[:, None]
    D[1, 1:] = np.arange(longest + 1)[:, None]
    last_row = np.zeros((longest, n), dtype=np.int64)
    for i, symbol in enumerate(text, 1):
        last_column = np.zeros(n, dtype=np.int64)
        for j in range(1, longest + 1):
            equal = symbols[j - 1] == symbol
            row = last_row[j - 1]
            swapped = D[row, last_column, each] + (i - row) + (j - last_column) - 1
            edited = np.minimum(D[i, j + 1], D[i + 1, j]) + 1
            D[i + 1, j + 1] = np.minimum(np.minimum(edited, swapped), D[i, j] + 1 - equal)
            last_column[equal] = j
        last_row[symbols == symbol] = i
    return np.asarray(D[-1, lengths + 1, each])


def _jaro_winkler(a: Codes, b: Codes, weight: float) -> float:
    if not len(a) and not len(b):
        return 1.0
    wide = max(max(len(a), len(b)) // 2 - 1, 0)
    used, taken = np.zeros(len(b), bool), np.zeros(len(a), bool)
    for i, symbol in enumerate(a):
        start = max(0, i - wide)
        inside = slice(start, i + wide + 1)
        free = np.flatnonzero((b[inside] == symbol) & ~used[inside])
        if len(free):
            taken[i] = used[start + free[0]] = True
    matched = int(used.sum())
    if not matched:
        return 0.0
    moved = int((a[taken] != b[used]).sum()) // 2
    value = (matched / len(a) + matched / len(b) + (matched - moved) / matched) / 3.0
    if value <= PREFIX_FROM:
        return value
    shorter = min(len(a), len(b), PREFIX)
    prefix = int(np.cumprod(a[:shorter] == b[:shorter]).sum())
    return value + prefix * weight * (1.0 - value)


class EditsPlan:
    """Strings, all of which are compared with each probe; the native kernel has an index of them.

    Parameters
    ----------
    codes, offsets : arrays
        The texts, in codes below `n_symbols`.
    n_symbols, limit : int
    """

    def __init__(self, codes: Codes, offsets: Offsets, n_symbols: int, limit: int) -> None:
        self.codes, self.offsets = codes, offsets
        self.n_symbols, self.limit = n_symbols, limit
        self.build(0, 0)

    def build(self, first: int, last: int) -> None:
        """Prepare the texts from `first` to before `last`, which are of one length."""
        self.first, offsets = first, self.offsets[first : last + 1]
        texts = self.codes[offsets[0] : offsets[-1]], offsets - offsets[0], self.n_symbols
        self.plan = LevenshteinPlan(*texts)

    def probe(
        self, codes: Codes, offsets: Offsets, own: int, most: int, stop: Stop
    ) -> tuple[Offsets, Offsets, Codes]:
        """Return the numbers of texts and probes within the limit, and their edits.

        `own` from 0: probe i is text ``own + i``, and only texts before it count. It ends early
        when there are more than `most` pairs.
        """
        found = np.zeros((3, 0), np.int64)
        edits = np.empty((1, self.plan.n_landmarks), dtype=np.float32)
        for i in range(len(offsets) - 1):
            if stop[0] or found.shape[1] > most:
                break
            self.plan.run(codes, offsets[i : i + 2], edits, stop)
            near = np.flatnonzero(edits[0] <= self.limit)
            if own >= 0:
                near = near[self.first + near < own + i]
            some = np.stack([self.first + near, np.full(len(near), i), edits[0, near]])
            found = np.hstack([found, some.astype(np.int64)])
        return found[0].copy(), found[1].copy(), found[2].astype(np.int32)


# N-grams of texts, and sums over what bags of them share.


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
