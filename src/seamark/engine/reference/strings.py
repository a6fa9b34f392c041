"""Values of texts against landmark strings, other than Levenshtein's, in numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .levenshtein import Codes, Group, LevenshteinPlan, running_minimum

PREFIX = 4  # symbols of a common prefix that count
PREFIX_FROM = 0.7  # similarity above which they do


class StringsPlan(LevenshteinPlan):
    """Landmark strings, prepared for one measure.

    Parameters
    ----------
    measure : {"substring", "lcs", "osa", "jaro", "damerau"}
    codes, offsets, n_symbols
        As in `LevenshteinPlan`.
    weight : float, default=0.0
        Of a common prefix, in Jaro–Winkler similarities.
    """

    def __init__(
        self,
        measure: str,
        codes: Codes,
        offsets: NDArray[np.int64],
        n_symbols: int,
        weight: float = 0.0,
    ) -> None:
        super().__init__(codes, offsets, n_symbols)
        self._measure = _MEASURES[measure]
        self._weight = weight

    def _values(self, group: Group, text: Codes) -> NDArray[Any]:
        return self._measure(group, text, self._weight)


def _substring(group: Group, text: Codes, weight: float) -> NDArray[Any]:
    """Sellers: the edit-distance matrix whose upper border is 0; see `Group.distances`."""
    ends = group.lengths, np.arange(group.symbols.shape[1])
    row = np.zeros((group.symbols.shape[0] + 1, len(group.lengths)), dtype=np.int32)
    spare = np.empty_like(row)
    best = row[ends]
    for symbol in text:
        diagonal = row[:-1] - (group.symbols == symbol)
        row += 1
        row[0] = 0
        np.minimum(row[1:], diagonal, out=row[1:])
        row, spare = running_minimum(row, spare)
        best = np.minimum(best, row[ends])
    return np.asarray(best + group.lengths)


def _lcs(group: Group, text: Codes, weight: float) -> NDArray[Any]:
    """Length of the longest common subsequence, negated so that a running minimum serves."""
    row = np.zeros((group.symbols.shape[0] + 1, len(group.lengths)), dtype=np.int32)
    spare = np.empty_like(row)
    for symbol in text:
        diagonal = row[:-1] - (group.symbols == symbol)
        np.minimum(row[1:], diagonal, out=row[1:])
        row, spare = running_minimum(row, spare)
    return np.asarray(-row[group.lengths, np.arange(row.shape[1])])


def _osa(group: Group, text: Codes, weight: float) -> NDArray[Any]:
    """Edit distance whose rows also come, by a swap, from the row before the last."""
    row = np.zeros((group.symbols.shape[0] + 1, len(group.lengths)), dtype=np.int32)
    spare, before = np.empty_like(row), row.copy()
    equal = np.zeros(group.symbols.shape, bool)
    for symbol in text:
        last, equal = equal, group.symbols == symbol
        oldest, before = before, row.copy()
        diagonal = row[:-1] - equal
        row += 1
        np.minimum(row[1:], diagonal, out=row[1:])
        swaps = equal[:-1] & last[1:]
        row[2:] = np.where(swaps, np.minimum(row[2:], oldest[:-2] - 1), row[2:])
        row, spare = running_minimum(row, spare)
    return np.asarray(row[group.lengths, np.arange(row.shape[1])] + group.lengths)


def _damerau(group: Group, text: Codes, weight: float) -> NDArray[Any]:
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


_MEASURES: dict[str, Callable[[Group, Codes, float], NDArray[Any]]] = {
    "substring": _substring,
    "lcs": _lcs,
    "osa": _osa,
    "jaro": _jaro,
    "damerau": _damerau,
}
