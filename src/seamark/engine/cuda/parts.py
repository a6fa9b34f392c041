"""Rows in parts that fit into the device's memory, and their values on the way back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .device import Device, Ints

MOST = 256 << 20  # bytes of one part: Ctrl-C waits for one, and copies of one run beside the next


def parts(device: Device, offsets: Ints, per_row: int, per_item: int) -> Iterator[slice]:
    """Cut rows into parts of which two, with their values, fit into the device's memory."""
    n, start, free = len(offsets) - 1, 0, device.free_bytes()
    needed = per_item * offsets + per_row * np.arange(n + 1)
    room = max(min(free // 2, MOST), min(free // 2, int(np.diff(needed).max(initial=0))))
    while start < n:
        end = int(np.searchsorted(needed, needed[start] + room, side="right")) - 1
        if end <= start:
            raise MemoryError(
                f"row {start} and its {per_row} bytes of values need more than the {room} bytes "
                "that the GPU may take for a part; use fewer landmarks, free its memory, or allow "
                "more: using(device_bytes=…)."
            )
        yield slice(start, end)
        start = end


def part_of(values: NDArray[Any], offsets: Ints, part: slice) -> tuple[NDArray[Any], Ints]:
    """Return the items and offsets of a part of the rows.

    Examples
    --------
    >>> part_of(np.arange(6), np.array([0, 1, 4, 6]), slice(1, 3))
    (array([1, 2, 3, 4, 5]), array([0, 3, 5]))
    """
    first, last = offsets[part.start], offsets[part.stop]
    return values[first:last], np.ascontiguousarray(offsets[part.start : part.stop + 1] - first)


def fill(
    device: Device, cut: Iterator[slice], values: Callable[[slice], Any], out: Any, stop: Any
) -> None:
    """Write the values of all parts to the host; those of one go back while the next is made.

    To an array on the device they are written there.

    Parameters
    ----------
    device : Device
    cut : iterator of slice
        The parts.
    values : callable
        ``values(part)`` returns them on the device.
    out : ndarray
    stop : array of one byte
        Looked at between parts.
    """
    if not isinstance(out, np.ndarray):  # on the device itself
        for part in cut:
            out[part] = values(part)
        return
    waiting: tuple[Any, Any, Any] | None = None
    for part in cut:
        if stop[0]:
            return
        made = values(part), out[part], device.mark()
        if waiting is not None:
            device.download(*waiting)
        waiting = made
    if waiting is not None and not stop[0]:
        device.download(*waiting)
