"""Values that float32 cannot tell from its own rounding: found by kernels, computed again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..settings import settings
from .device import Device

SURE = 1e-3
"""A value below this share of its objects' sizes is computed again, as the CPU's kernels do."""


def loses(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which numbers float32 does not hold."""
    with np.errstate(over="ignore"):
        return np.asarray(values.astype(np.float32) != values)


def sizes_of(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float32]:
    """Length of the longest vector of each object; 0 if float32 loses nothing of the object.

    Examples
    --------
    >>> values = np.array([[3.0, 4.0], [0.0, 1.0], [0.1, 0.0]])
    >>> sizes_of(values, np.array([0, 2, 3]))
    array([0. , 0.1], dtype=float32)
    """
    if len(offsets) == 1:
        return np.zeros(0, np.float32)
    squares = np.einsum("ij,ij->i", values, values)
    lossy = loses(values).any(axis=1)
    starts = offsets[:-1]
    sizes = np.sqrt(np.maximum.reduceat(squares, starts))
    return np.where(np.logical_or.reduceat(lossy, starts), sizes, 0.0).astype(np.float32)


class Unsure:
    """The list on the device to which a kernel adds pairs, as row · landmarks + landmark.

    Parameters
    ----------
    device : Device
    room : int
        Pairs it can hold; more are counted only.
    """

    def __init__(self, device: Device, room: int) -> None:
        self.device, self.room = device, room
        self.counter = device.upload(np.zeros(1, np.int32))
        self.pairs = device.empty(room, np.int64)

    @property
    def arguments(self) -> tuple[Any, Any, int]:
        """What the kernel is given."""
        return self.counter, self.pairs, self.room

    def count(self) -> int:
        """How many there are, when the kernel is finished."""
        count = np.zeros(1, np.int32)
        self.device.download(self.counter, count)
        return int(count[0])


def noted(device: Device, most: int, launch: Callable[[Unsure], None]) -> Any:
    """Run kernels, and return the pairs they were not sure of, on the device.

    Parameters
    ----------
    device : Device
    most : int
        Pairs there are.
    launch : callable
        ``launch(unsure)`` runs the kernels; once more, if the list was too short.
    """
    room = max(1, min(most, settings().device_pairs))
    while True:
        unsure = Unsure(device, room)
        launch(unsure)
        count = unsure.count()
        if count <= room:
            return unsure.pairs[:count]
        room = count
