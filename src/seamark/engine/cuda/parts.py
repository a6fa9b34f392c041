"""Rows in parts that fit into the device's memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .device import Device

Ints = NDArray[np.int64]

MOST = 4 << 30  # bytes of one part: kernels count pairs in 32 bits, and Ctrl-C waits for a part


def parts(device: Device, offsets: Ints, per_row: int, per_item: int) -> Iterator[slice]:
    """Cut rows into parts that, with their values, fit into the device's memory."""
    n, start, room = len(offsets) - 1, 0, min(device.free_bytes(), MOST)
    needed = per_item * offsets + per_row * np.arange(n + 1)
    while start < n:
        end = int(np.searchsorted(needed, needed[start] + room, side="right")) - 1
        if end <= start:
            raise MemoryError(
                f"one row of {per_row} bytes of values needs more than the {room} bytes that the "
                "GPU may take for a run; use fewer landmarks, or free its memory."
            )
        yield slice(start, end)
        start = end
