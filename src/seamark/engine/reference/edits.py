"""Pairs of strings within a number of edits, in Python and numpy; as the native kernel does it."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from ..protocols import Offsets
from .levenshtein import Codes, LevenshteinPlan

__all__ = ["EditsPlan"]


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
        offsets = np.concatenate([[0], np.cumsum([len(one) for one in texts])]).astype(np.int64)
        landmark = np.where(text < self.n_symbols, text, self.n_symbols).astype(np.int32)
        plan = LevenshteinPlan(
            landmark, np.array([0, len(text)], dtype=np.int64), self.n_symbols + 1
        )
        out = np.empty((len(near), 1), dtype=np.float32)
        plan.run(np.concatenate([*texts, text[:0]]), offsets, out, np.zeros(1, dtype=np.uint8))
        within = out[:, 0] <= self.limit
        return [(j, int(d)) for j, d, ok in zip(near, out[:, 0], within, strict=True) if ok]
