"""Rows on their way to the device while kernels work on those before them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = tuple[NDArray[Any], ...]

ALIGNED = 256


class Staging:
    """Memory for one part: pinned on the host, and on the device."""

    def __init__(self, device: Any, nbytes: int) -> None:
        cupy = device.cupy
        self.device, self.nbytes = device, nbytes
        self.pinned = np.frombuffer(cupy.cuda.alloc_pinned_memory(nbytes), np.uint8, nbytes)
        self.on_device = cupy.empty(nbytes, np.uint8)
        self.copied = self.used = None

    def send(self, arrays: Arrays) -> None:
        """Begin to copy arrays, when those before them are no longer used."""
        if self.used is not None:
            self.used.synchronize()
        end, self.places = 0, []
        for array in arrays:
            begin, end = end, end + array.nbytes
            if end > self.nbytes:
                raise ValueError("a part is larger than was said")
            self.pinned[begin:end] = array.reshape(-1).view(np.uint8)
            self.places.append((begin, end, array.dtype, array.shape))
            end = -(-end // ALIGNED) * ALIGNED
        runtime, copying = self.device.cupy.cuda.runtime, self.device.copying
        size = min(end, self.nbytes)
        to, source = self.on_device.data.ptr, self.pinned.ctypes.data
        runtime.memcpyAsync(to, source, size, runtime.memcpyHostToDevice, copying.ptr)
        self.copied = copying.record()

    def arrays(self) -> tuple[Any, ...]:
        """Return the arrays on the device; kernels launched from now on wait for them."""
        self.device.cupy.cuda.get_current_stream().wait_event(self.copied)
        views = (self.on_device[begin:end].view(dtype) for begin, end, dtype, _ in self.places)
        return tuple(view.reshape(place[3]) for view, place in zip(views, self.places, strict=True))


def streamed(device: Any, parts: Iterable[Arrays], nbytes: int) -> Iterator[tuple[Any, ...]]:
    """Yield arrays on a CUDA device from two buffers; see `seamark.engine.cuda.Device.stream`."""
    with device.speaking():
        device.synchronise()  # the buffers' memory may have been in use until now
        two = [Staging(device, nbytes + 8 * ALIGNED) for _ in range(2)]
    waiting = None
    try:
        for number, arrays in enumerate(parts):
            with device.speaking():
                coming = two[number % 2]
                coming.send(arrays)
            if waiting is not None:
                yield waiting.arrays()
                waiting.used = device.mark()
            waiting = coming
        if waiting is not None:
            yield waiting.arrays()
    finally:  # the buffers go back to the pool, and nothing may write to them then
        device.copying.synchronize()
        device.synchronise()
