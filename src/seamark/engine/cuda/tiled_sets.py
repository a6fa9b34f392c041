"""Sets of vectors as the kernels of `tiled_sets.cu` take them: which share a tile, what is lost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .unsure import loses

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

GROUP = 16  # sets that share a tile at most


def lossy(values: Doubles, offsets: Ints) -> NDArray[np.uint8]:
    """Whether float32 loses anything of each set."""
    if len(offsets) == 1:
        return np.zeros(0, np.uint8)
    return np.logical_or.reduceat(loses(values).any(axis=1), offsets[:-1]).astype(np.uint8)


def groups_of(offsets: Ints, tile: int) -> NDArray[np.int32]:
    """First set and number of sets that share a tile; one alone that is larger than a tile."""
    groups, start, n = [], 0, len(offsets) - 1
    ends = np.minimum(
        np.searchsorted(offsets, offsets + tile, side="right") - 1, np.arange(n + 1) + GROUP
    ).tolist()
    while start < n:
        end = max(start + 1, min(n, ends[start]))
        groups.append((start, end - start))
        start = end
    return np.array(groups, np.int32).reshape(-1, 2)
