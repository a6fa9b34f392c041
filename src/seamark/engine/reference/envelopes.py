"""Squared distances of points to boxes, in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..protocols import Floats

__all__ = ["envelopes"]


def envelopes(points: Floats, low: Floats, high: Floats, out: Floats, stop: Any) -> None:
    """Write the squared distances of points to boxes into `out`."""
    if stop[0]:
        return
    beyond = np.maximum(np.maximum(low - points, points - high), 0)
    out[:] = (beyond.astype(np.float64) ** 2).sum(axis=1)
