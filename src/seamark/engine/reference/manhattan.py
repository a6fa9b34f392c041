"""Manhattan distances in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..protocols import Doubles, Floats


def manhattan(X: Doubles, L: Doubles, out: Floats, stop: Any) -> None:
    """Write the Manhattan distances of the rows of X to the rows of L into `out`."""
    for j, landmark in enumerate(L):
        if stop[0]:
            return
        out[:, j] = np.abs(X - landmark).sum(axis=1)
