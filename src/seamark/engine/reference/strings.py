"""Strings: edit distances, other values of strings, pairs within a number of edits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..array_checks import check_codes
from ..plan import Floats, Offsets, Stop

__all__ = ["Codes", "EditsPlan", "Group", "LevenshteinPlan", "running_minimum"]


Codes = NDArray[np.int32]

# Landmarks are advanced together in groups of about so many symbols: the arrays of one text symbol
# then stay in the cache, and a call of numpy still has enough to do.
_GROUP_SYMBOLS = 1 << 15

# Fills a landmark up to the length of its group. It equals no text symbol.
_PADDING = -1


def running_minimum(row: Codes, spare: Codes) -> tuple[Codes, Codes]:
    """Replace row[j] by the minimum of row[0], ..., row[j]; return the result and the other buffer.

    In log₂ many vectorised steps: `minimum.accumulate` takes one element at a time and is four
    times slower.
    """
    step = 1
    while step < len(row):
        spare[:step] = row[:step]
        np.minimum(row[step:], row[:-step], out=spare[step:])
        row, spare = spare, row
        step *= 2
    return row, spare


class Group:
    """Landmarks of similar length, padded to a matrix with one column per landmark.

    Parameters
    ----------
    codes, offsets : arrays
        All landmarks, as in `LevenshteinPlan`.
    columns : array of int64
        The landmarks of this group.
    """

    def __init__(self, codes: Codes, offsets: Offsets, columns: Offsets) -> None:
        self.columns = columns
        self.lengths = offsets[columns + 1] - offsets[columns]
        shape = (int(self.lengths.max(initial=0)), len(columns))
        self.symbols = np.full(shape, _PADDING, dtype=np.int32)
        for k, column in enumerate(columns):
            landmark = codes[offsets[column] : offsets[column + 1]]
            self.symbols[: len(landmark), k] = landmark

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return self.columns.nbytes + self.lengths.nbytes + self.symbols.nbytes


def _groups(codes: Codes, offsets: Offsets) -> list[Group]:
    """Cut the landmarks, sorted by length, into groups of at most `_GROUP_SYMBOLS` with padding."""
    lengths = np.diff(offsets)
    order = np.argsort(lengths, kind="stable")
    groups = []
    start = 0
    for end in range(1, len(order) + 1):
        full = end < len(order) and (end - start + 1) * (lengths[order[end]] + 1) > _GROUP_SYMBOLS
        if full or end == len(order):
            groups.append(Group(codes, offsets, order[start:end]))
            start = end
    return groups


MEASURES = ("levenshtein", "substring", "lcs", "osa", "jaro", "damerau")
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
        self._values: Callable[[Group, Codes], NDArray[Any]] = partial(_aligned, measure=measure)
        if measure == "damerau":
            self._values = _damerau
        elif measure == "jaro":
            self._values = partial(_jaro, weight=weight)
        self._n_symbols = n_symbols
        self.n_landmarks = len(offsets) - 1
        self._groups = _groups(codes, offsets)

    @property
    def nbytes(self) -> int:
        """Bytes the prepared landmarks take."""
        return sum(group.nbytes for group in self._groups)

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
        check_codes(codes, offsets, self._n_symbols)
        if out.shape != (len(offsets) - 1, self.n_landmarks):
            raise ValueError("out has the wrong shape")
        for group in self._groups:
            for i in range(len(offsets) - 1):
                if stop[0]:
                    return
                text = codes[offsets[i] : offsets[i + 1]]
                out[i, group.columns] = self._values(group, text)


LevenshteinPlan = partial(StringsPlan, "levenshtein")


def _aligned(group: Group, text: Codes, measure: str) -> NDArray[Any]:
    """Values that a matrix of prefixes gives, row by row: one row for each symbol of the text.

    Row i of the matrix of edit distances is kept as E[j] = D[i, j] − j. An insertion then costs
    nothing along the row, and the dependency inside the row is a running minimum. The measures
    differ in what a step down costs: 1; nothing for a common subsequence, whose length is counted
    down; and for a substring nothing along the upper border, and the best row counts, not the last.
    """
    down, substring, swaps = int(measure != "lcs"), measure == "substring", measure == "osa"
    longest, n = group.symbols.shape
    ends = group.lengths, np.arange(n)
    row = np.zeros((longest + 1, n), dtype=np.int32)
    spare, before, best = np.empty_like(row), row.copy(), row[ends]
    equal = np.zeros(group.symbols.shape, bool)
    for symbol in text:
        last, equal = equal, group.symbols == symbol
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
        row, spare = running_minimum(row, spare)
        best = np.minimum(best, row[ends]) if substring else best
    if measure == "lcs":
        return np.asarray(-row[ends])
    return np.asarray((best if substring else row[ends]) + group.lengths)


def _damerau(group: Group, text: Codes) -> NDArray[Any]:
    """Lowrance and Wagner, all landmarks of the group at once; the whole matrix is kept."""
    longest, n = group.symbols.shape
    each, far = np.arange(n), len(text) + longest + 1
    D = np.full((len(text) + 2, longest + 2, n), far, dtype=np.int32)
    D[1:, 1] = np.arange(len(text) + 1)[:, None]
    D[1, 1:] = np.arange(longest + 1)[:, None]
    last_row = np.zeros((longest, n), dtype=np.int64)
    for i, symbol in enumerate(text, 1):
        last_column = np.zeros(n, dtype=np.int64)
        for j in range(1, longest + 1):
            equal = group.symbols[j - 1] == symbol
            row = last_row[j - 1]
            swapped = D[row, last_column, each] + (i - row) + (j - last_column) - 1
            edited = np.minimum(D[i, j + 1], D[i + 1, j]) + 1
            D[i + 1, j + 1] = np.minimum(np.minimum(edited, swapped), D[i, j] + 1 - equal)
            last_column[equal] = j
        last_row[group.symbols == symbol] = i
    return np.asarray(D[-1, group.lengths + 1, each])


def _jaro(group: Group, text: Codes, weight: float) -> NDArray[Any]:
    columns = zip(group.symbols.T, group.lengths.tolist(), strict=True)
    return np.array([_jaro_winkler(text, column[:k], weight) for column, k in columns])


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


# Pairs of strings within a number of edits, in Python and numpy; as the native kernel does it.


class EditsPlan:
    """Strings, indexed by segments: one of ``limit + 1`` segments is whole in any string so near.

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

    def _text(self, i: int) -> Codes:
        return self.codes[self.offsets[i] : self.offsets[i + 1]]

    def build(self, first: int, last: int) -> None:
        """Prepare the texts from `first` to before `last`, which are of one length."""
        self.first, self.last = first, last
        length = len(self._text(first)) if first < last else 0
        self.ends = np.arange(self.limit + 2) * length // (self.limit + 1)
        self.length = length
        self.index: dict[tuple[int, bytes], list[int]] = defaultdict(list)
        for i in range(first, last) if length > self.limit else ():
            text = self._text(i)
            for s in range(self.limit + 1):
                self.index[s, text[self.ends[s] : self.ends[s + 1]].tobytes()].append(i)

    def probe(
        self, codes: Codes, offsets: Offsets, own: int, most: int, stop: Any
    ) -> tuple[Offsets, Offsets, Codes]:
        """Return the numbers of texts and probes within the limit, and their edits."""
        found: list[tuple[int, int, int]] = []
        for i in range(len(offsets) - 1):
            if stop[0] or len(found) > most:
                break
            text = codes[offsets[i] : offsets[i + 1]]
            near = self._candidates(text, self.last if own < 0 else own + i)
            found += ((j, i, edits) for j, edits in self._verified(text, near))
        columns = np.array(found, dtype=np.int64).reshape(-1, 3).T
        return columns[0].copy(), columns[1].copy(), columns[2].astype(np.int32)

    def _candidates(self, text: Codes, before: int) -> list[int]:
        longer = len(text) - self.length
        if abs(longer) > self.limit:
            return []
        if self.length <= self.limit:  # too short to be cut
            return list(range(self.first, min(self.last, before)))
        near: set[int] = set()
        for s in range(self.limit + 1):
            start, size, right = self.ends[s], self.ends[s + 1] - self.ends[s], self.limit - s
            first = max(0, start - s, start + longer - right)
            last = min(len(text) - size, start + s, start + longer + right)
            for at in range(first, last + 1):
                near.update(self.index.get((s, text[at : at + size].tobytes()), ()))
        return sorted(j for j in near if j < before)

    def _verified(self, text: Codes, near: list[int]) -> list[tuple[int, int]]:
        if not near:
            return []
        texts = [self._text(j) for j in near]
        offsets = np.cumsum([0, *map(len, texts)]).astype(np.int64)
        landmark = np.where(text < self.n_symbols, text, self.n_symbols).astype(np.int32)
        plan = LevenshteinPlan(landmark, np.array([0, len(text)]), self.n_symbols + 1)
        out = np.empty((len(near), 1), dtype=np.float32)
        plan.run(np.concatenate(texts), offsets, out, np.zeros(1, dtype=np.uint8))
        within = out[:, 0] <= self.limit
        return [(j, int(d)) for j, d, ok in zip(near, out[:, 0], within, strict=True) if ok]
