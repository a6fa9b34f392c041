"""Manhattan distances in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def manhattan(
    X: NDArray[np.float64], L: NDArray[np.float64], out: NDArray[np.float32], stop: Any
) -> None:
    """Write the Manhattan distances of the rows of X to the rows of L into `out`."""
    for j, landmark in enumerate(L):
        if stop[0]:
            return
        out[:, j] = np.abs(X - landmark).sum(axis=1)
