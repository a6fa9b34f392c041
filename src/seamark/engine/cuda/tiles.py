"""What the kernels of `tiles.cu` need: the sizes of a tile, and rows as they read them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ROWS, COLUMNS, DEPTH, THREADS = 64, 128, 16, 256
TILE_BYTES = 4 * DEPTH * (ROWS + 4 + COLUMNS + 4)
AT_ONCE = 3  # blocks that are to fit a multiprocessor: registers are shared out accordingly


def defines(squared: bool) -> dict[str, int]:
    """Return what `tiles.cu` is to be compiled with."""
    return {"SQUARED": int(squared), "AT_ONCE": AT_ONCE}


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
