"""What the kernels of `tiles.cu` need: the sizes of a tile, and rows as they read them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

COLUMNS, THREADS = 128, 256
RUN = 512  # coordinates that are summed up in float32 at a time


@dataclass(frozen=True)
class Tile:
    """A shape of tiles.

    Parameters
    ----------
    down : {4, 8}
        Rows of sums to a thread.
    depth : int
        Coordinates in shared memory at a time.
    inner : int
        Of these unrolled.
    at_once : int
        Blocks that are to fit a multiprocessor: registers are shared out accordingly.
    """

    down: int
    depth: int
    inner: int
    at_once: int

    @property
    def rows(self) -> int:
        """Rows of a tile."""
        return 16 * self.down

    @property
    def nbytes(self) -> int:
        """Bytes of shared memory for the coordinates of a tile."""
        return 4 * self.depth * (self.rows + 4 + COLUMNS + 4)

    def defines(self, squared: bool, d: int) -> dict[str, int]:
        """Return what `tiles.cu` is to be compiled with, for rows of d coordinates."""
        shape = {"DOWN": self.down, "DEPTH": self.depth, "INNER": self.inner}
        sums = {"SQUARED": int(squared), "ONE_RUN": int(d <= RUN)}
        return {**shape, **sums, "AT_ONCE": self.at_once}


SETS = Tile(down=4, depth=16, inner=16, at_once=3)
ROWS = SETS.rows


def narrow_width(d: int) -> int:
    """Return the coordinates of a narrowed row."""
    return -(-d // 4) * 4


def narrow(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return rows in float32, with zeros up to a multiple of four coordinates.

    Examples
    --------
    >>> narrow(np.ones((1, 3)))
    array([[1., 1., 1., 0.]], dtype=float32)
    """
    n, d = rows.shape
    if d % 4 == 0:
        return rows.astype(np.float32)
    out = np.zeros((n, narrow_width(d)), np.float32)
    out[:, :d] = rows
    return out
