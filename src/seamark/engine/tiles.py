"""Which pairs a run is about, and cutting them into tiles of rows × landmarks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from .settings import settings

WASTE = 1.125  # a function of batches may compute so many times the values needed

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Region:
    """For each row the range of landmarks it is compared with.

    Arrays that belong to a region have one row per row, and begin at the row's `first` landmark.
    """

    first: NDArray[np.int64]
    last: NDArray[np.int64]

    @classmethod
    def full(cls, n: int, n_landmarks: int) -> Self:
        """Every row against every landmark."""
        return cls(np.zeros(n, dtype=np.int64), np.full(n, n_landmarks, dtype=np.int64))

    @classmethod
    def lower(cls, n: int) -> Self:
        """Row i against landmarks 0 to i."""
        return cls(np.zeros(n, dtype=np.int64), np.arange(1, n + 1))

    @classmethod
    def diagonal(cls, n: int) -> Self:
        """Row i against landmark i alone."""
        return cls(np.arange(n), np.arange(1, n + 1))


@dataclass(frozen=True)
class Tile:
    """Rows a..b against landmarks c..d; only the `wanted` ones, if not None."""

    a: int
    b: int
    c: int
    d: int
    pairs: int
    wanted: Mask | None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and landmarks."""
        return self.b - self.a, self.d - self.c


class Tiles:
    """Cuts a region into tiles one after another, each as large as is asked for.

    Parameters
    ----------
    region : Region
    need : ndarray of bool, optional
        Which pairs of the region are to be computed; all if left out.

    Examples
    --------
    >>> tiles = Tiles(Region.full(3, 4))
    >>> [(t.a, t.b, t.c, t.d) for t in (tiles.next(3), tiles.next(9), tiles.next(9))]
    [(0, 1, 0, 3), (0, 1, 3, 4), (1, 3, 0, 4)]
    >>> tiles.left
    0
    """

    def __init__(self, region: Region, need: Mask | None = None) -> None:
        self.region = region
        self.need = need
        work = region.last - region.first if need is None else need.sum(axis=1)
        self._before = np.concatenate([[0], np.cumsum(work)])
        self.left = int(self._before[-1])
        self._row = self._offset = 0

    def next(self, budget: int, *, oblong: bool = False) -> Tile:
        """Return the next tile of about `budget` pairs to compute, at least one.

        `oblong`: the whole rectangle will be computed, so it may hold few pairs not needed.
        """
        budget = max(1, min(budget, settings().tile_pairs))
        while True:
            row = self._row
            whole = self._offset == 0 and self._before[row + 1] - self._before[row] <= budget
            tile = self._strip(budget, oblong) if whole else self._piece(budget)
            if tile.pairs:
                self.left -= tile.pairs
                return tile

    def _strip(self, budget: int, oblong: bool) -> Tile:
        """Whole rows, which must begin at the same landmark."""
        a, region = self._row, self.region
        fits = int(np.searchsorted(self._before, self._before[a] + budget, side="right")) - 1
        b = min(fits, a + max(1, settings().tile_pairs // int(region.last[a] - region.first[a])))
        b = a + int(np.count_nonzero(region.first[a:b] == region.first[a]))
        while oblong and b - a > 1 and self._waste(a, b) > WASTE:
            b = a + (b - a) // 2
        self._row = b
        return self._tile(a, b, int(region.first[a]), int(region.last[b - 1]))

    def _waste(self, a: int, b: int) -> float:
        area = (b - a) * int(self.region.last[b - 1] - self.region.first[a])
        return float(area / max(1, self._before[b] - self._before[a]))

    def _piece(self, budget: int) -> Tile:
        """A part of one long row."""
        a, start = self._row, self._offset
        width = int(self.region.last[a] - self.region.first[a])
        end = min(width, start + budget)
        if self.need is not None:
            needed = np.flatnonzero(self.need[a, start:width])[:budget]
            end = start + int(needed[-1]) + 1 if len(needed) else width
        self._row, self._offset = (a, end) if end < width else (a + 1, 0)
        first = int(self.region.first[a])
        return self._tile(a, a + 1, first + start, first + end)

    def _tile(self, a: int, b: int, c: int, d: int) -> Tile:
        wanted: Mask | None = None
        last = self.region.last[a:b]
        if self.need is not None:
            first = int(self.region.first[a])
            wanted = self.need[a:b, c - first : d - first]
        elif last[0] < d:
            wanted = np.arange(c, d) < last[:, None]
        if wanted is None or wanted.all():
            return Tile(a, b, c, d, (b - a) * (d - c), None)
        return Tile(a, b, c, d, int(np.count_nonzero(wanted)), wanted)
