"""Levenshtein distances of texts to landmarks, in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..plan import Stop
from ..protocols import Floats, Offsets

__all__ = ["Codes", "Group", "LevenshteinPlan", "running_minimum"]

Codes = NDArray[np.int32]

# Landmarks are advanced together in groups of about so many symbols: the arrays of one text symbol
# then stay in the cache, and a call of numpy still has enough to do.
_GROUP_SYMBOLS = 1 << 15

# Fills a landmark up to the length of its group. It equals no text symbol.
_PADDING = -1


def _check_strings(codes: Codes, offsets: Offsets, largest: int) -> None:
    """Refuse strings that are not slices of `codes` or have symbols outside [0, largest]."""
    if len(offsets) == 0 or offsets[0] < 0 or offsets[-1] > len(codes):
        raise ValueError("offsets out of range")
    if np.any(offsets[1:] < offsets[:-1]):
        raise ValueError("offsets must not fall")
    used = codes[offsets[0] : offsets[-1]]
    if used.size and (used.min() < 0 or used.max() > largest):
        raise ValueError("codes out of range")


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

    def distances(self, text: Codes) -> Codes:
        """Distances of one text to the landmarks of the group.

        Row i of the dynamic programming matrix is kept as E[j] = D[i, j] − j. An insertion then
        costs nothing along the row, and the dependency inside the row is a running minimum.

        Parameters
        ----------
        text : array of int32

        Returns
        -------
        array of int32
            One distance per landmark of the group.
        """
        longest, n = self.symbols.shape
        row = np.zeros((longest + 1, n), dtype=np.int32)
        spare = np.empty_like(row)
        for symbol in text:
            diagonal = row[:-1] - (self.symbols == symbol)
            row += 1
            np.minimum(row[1:], diagonal, out=row[1:])
            row, spare = running_minimum(row, spare)
        ends: Codes = row[self.lengths, np.arange(n)]
        return ends + self.lengths.astype(np.int32)

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


class LevenshteinPlan:
    """Landmark strings, prepared for Levenshtein distances.

    Parameters
    ----------
    codes : array of int32
        The symbols of all landmarks, in [0, n_symbols).
    offsets : array of int64
        Landmark k is ``codes[offsets[k]:offsets[k + 1]]``.
    n_symbols : int
        Size of the landmarks' alphabet.
    """

    def __init__(self, codes: Codes, offsets: Offsets, n_symbols: int) -> None:
        if n_symbols < 0:
            raise ValueError("n_symbols out of range")
        _check_strings(codes, offsets, n_symbols - 1)
        self._n_symbols = n_symbols
        self._n_landmarks = len(offsets) - 1
        self._groups = _groups(codes, offsets)

    @property
    def n_landmarks(self) -> int:
        """Number of landmarks."""
        return self._n_landmarks

    @property
    def nbytes(self) -> int:
        """Bytes the prepared landmarks take."""
        return sum(group.nbytes for group in self._groups)

    def run(self, codes: Codes, offsets: Offsets, out: Floats, stop: Stop) -> None:
        """Write the distances of the texts to the landmarks into `out`.

        Parameters
        ----------
        codes : array of int32
            The symbols of the texts; `n_symbols` stands for every symbol of no landmark.
        offsets : array of int64
            Text i is ``codes[offsets[i]:offsets[i + 1]]``.
        out : array of float32, shape (n, n_landmarks)
            Receives the distances.
        stop : array of uint8, shape (1,)
            Another thread sets it to end the call early; `out` is then unfinished.
        """
        _check_strings(codes, offsets, self._n_symbols)
        if out.shape != (len(offsets) - 1, self._n_landmarks):
            raise ValueError("out has the wrong shape")
        for group in self._groups:
            for i in range(len(offsets) - 1):
                if stop[0]:
                    return
                text = codes[offsets[i] : offsets[i + 1]]
                out[i, group.columns] = self._values(group, text)

    def _values(self, group: Group, text: Codes) -> NDArray[Any]:
        """Values of one text against the landmarks of a group."""
        return group.distances(text)
