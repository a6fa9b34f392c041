"""The device: memory, streams, kernels compiled once, and jobs in parts that fit into memory."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..settings import settings

PART_BYTES = 256 << 20  # of one copy: Ctrl-C waits for one, and copies run beside the next


# The device: arrays on it, kernels compiled for it, and what is said when it fails.


TRIED = 2048  # rows and columns of the products by which the speed of float64 is measured
SLOWER = 4.0  # times float32, from which on float64 is slow: chips for games take 32 to 64
INSTALL = "pip install 'seamark[cuda13]' (or 'seamark[cuda12]', as the driver's CUDA is)"
Defines = Mapping[str, int | str]
Ints = NDArray[np.int64]


@cache
def source_of(*names: str) -> str:
    """Return the text of kernel sources, one after another."""
    folder = resources.files(__package__)
    return "\n".join((folder / f"{name}.cu").read_text(encoding="utf-8") for name in names)


class Device:
    """Where kernels run: the current CUDA device, through CuPy.

    The tests have one on the host, which runs the same sources.

    Parameters
    ----------
    cupy : module

    Attributes
    ----------
    multiprocessors : int
    shared_bytes : int
        Shared memory that one block may have.
    sums_from : float
        Multiplications of a ridge's sums from which on these are made here.
    """

    sums_from: float = 5e9

    def __init__(self, cupy: Any) -> None:
        self.cupy = cupy
        self._process = os.getpid()
        device = cupy.cuda.Device()
        self.multiprocessors = int(device.attributes["MultiProcessorCount"])
        self.shared_bytes = int(device.attributes["MaxSharedMemoryPerBlockOptin"])
        self._modules: dict[Any, Any] = {}
        self._copying: Any = None

    @cached_property
    def fast_doubles(self) -> bool:
        """Whether products of float64 take no more than a few times those of float32.

        It is measured, for names of chips do not tell.
        """
        best = []
        with self.speaking():
            for kind in (np.float32, np.float64):
                matrix, times = self.cupy.ones((TRIED, TRIED), kind), []
                for _ in range(3):
                    begin, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
                    begin.record()
                    matrix @ matrix
                    end.record()
                    end.synchronize()
                    times.append(self.cupy.cuda.get_elapsed_time(begin, end))
                best.append(min(times))
        return bool(best[1] <= SLOWER * best[0])

    def upload(self, array: NDArray[Any]) -> Any:
        """Return a copy on the device."""
        with self.speaking():
            return self.cupy.asarray(array, order="C")

    def empty(self, shape: Any, dtype: Any) -> Any:
        """Return an array on the device, of any content."""
        with self.speaking():
            return self.cupy.empty(shape, dtype)

    def download(self, array: Any, out: NDArray[Any], after: Any = None) -> None:
        """Copy an array of the same type and shape to the host.

        Waits for all that was launched, or for what was before the mark `after`.
        """
        with self.speaking():
            stream = self.cupy.cuda.get_current_stream()
            if after is not None:  # copies run beside kernels
                stream = self._copying = self._copying or self.cupy.cuda.Stream(non_blocking=True)
                stream.wait_event(after)
            if out.flags.c_contiguous:
                array.get(stream=stream, out=out)
            else:
                out[...] = array.get(stream=stream)
            stream.synchronize()

    def mark(self) -> Any:
        """Return a mark after what has been launched."""
        with self.speaking():
            return self.cupy.cuda.get_current_stream().record()

    def solve(self, A: Any, b: Any) -> Any:
        """Return the solution of A x = b for a positive definite A.

        What is not positive definite shows as NaN, or as a large error.
        """
        from cupyx import errstate, lapack

        with self.speaking(), errstate(linalg="ignore"):
            return self.cupy.ascontiguousarray(lapack.posv(A, b))

    def launch(
        self,
        source: str,
        kernel: str,
        defines: Defines,
        grid: tuple[int, int],
        threads: int,
        shared: int,
        *arguments: Any,
    ) -> None:
        """Run a kernel of a source; Python's ints are 32-bit numbers, numpy's what they are."""
        with self.speaking():
            function = self._compiled(source, defines).get_function(kernel)
            if shared > 48 << 10 and function.max_dynamic_shared_size_bytes < shared:
                function.max_dynamic_shared_size_bytes = shared
            arguments = tuple(np.int32(a) if isinstance(a, int) else a for a in arguments)
            function(grid, (threads,), arguments, shared_mem=shared)

    def free_bytes(self) -> int:
        """Half of what is free, with what CuPy's pool does not use; or as the settings say."""
        with self.speaking():
            free, _ = self.cupy.cuda.runtime.memGetInfo()
            free += self.cupy.get_default_memory_pool().free_bytes()
        bound = settings().device_bytes
        return int(free // 2 if bound is None else min(bound, free))

    def release(self) -> None:
        """Give memory that nothing uses back to the device."""
        if os.getpid() == self._process:
            self.cupy.get_default_memory_pool().free_all_blocks()
            self.cupy.get_default_pinned_memory_pool().free_all_blocks()

    def _compiled(self, source: str, defines: Defines) -> Any:
        """Compile a source by NVRTC, once; CuPy keeps the result on disk, by content and chip."""
        key = source, tuple(sorted(defines.items()))
        if key in self._modules:
            return self._modules[key]
        options = ("-std=c++17", *(f"-D{name}={value}" for name, value in defines.items()))
        module = self.cupy.RawModule(code=source_of("device", *source.split("+")), options=options)
        errors = self.cupy.cuda
        try:
            module.compile()
        except (errors.memory.OutOfMemoryError, errors.runtime.CUDARuntimeError):
            raise
        except Exception as error:  # NVRTC is not there, or does not know the chip
            said = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise RuntimeError(
                f"CuPy could not compile a kernel for this GPU ({said}); it must be the CuPy of "
                f"the driver's CUDA, and know the chip: {INSTALL}."
            ) from error
        self._modules[key] = module
        return module

    @contextmanager
    def speaking(self) -> Iterator[None]:
        """Say in one sentence what went wrong on the device."""
        if os.getpid() != self._process:
            raise RuntimeError(
                "this process was forked from one that has used the GPU, and CUDA does not work "
                'in it; start processes by "spawn", or use the CPU in them.'
            )
        errors = self.cupy.cuda
        try:
            yield
        except errors.memory.OutOfMemoryError as error:
            raise MemoryError(
                f"the GPU has too little memory left ({error}); use fewer landmarks, give rows in "
                "smaller parts, or free what other programs hold."
            ) from error
        except (errors.runtime.CUDARuntimeError, errors.driver.CUDADriverError) as error:
            raise RuntimeError(
                f"the GPU failed ({error}); nothing on the host is lost: start Python again, or "
                'leave out using("cuda").'
            ) from error


def _cupy() -> Any:
    """Return CuPy, if it is there and can talk to a GPU."""
    try:
        import cupy
    except ImportError as error:
        raise RuntimeError(f'using("cuda") needs CuPy: {INSTALL}.') from error
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # no driver, or one that is too old for this CuPy
        raise RuntimeError(
            f'using("cuda") found no GPU that CuPy can use ({error}); it needs an NVIDIA GPU, its '
            f"driver, and the CuPy of the driver's CUDA: {INSTALL}."
        ) from error
    if count == 0:
        raise RuntimeError('using("cuda") found no GPU; leave it out to use the CPU.')
    return cupy


@cache
def the_device(make: Callable[[], Any] = _cupy) -> Device:
    """Return the device, the same each time."""
    return Device(make())


# Rows in parts that fit into the device's memory, and their values on the way back.


def parts(device: Device, offsets: Ints, per_row: int, per_item: int) -> Iterator[slice]:
    """Cut rows into parts of which two, with their values, fit into the device's memory."""
    n, start, free = len(offsets) - 1, 0, device.free_bytes()
    needed = per_item * offsets + per_row * np.arange(n + 1)
    largest, most = int(np.diff(needed).max(initial=0)), PART_BYTES
    room = min(free // 2, max(most, largest))
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


class DevicePlan(ABC):
    """Landmarks on the device; a subclass puts values of rows into an array there."""

    device: Device
    n_landmarks: int
    per_row: int = 0
    """Bytes on the device for a row, beside its values."""
    per_item: int
    """And for each of its items."""

    @abstractmethod
    def put(self, values: NDArray[Any], offsets: Ints, out: Any) -> None:
        """Put the values of ragged rows into an array on the device, which is not empty."""

    def values(self, values: NDArray[Any], offsets: Ints, dtype: Any = np.float32) -> Any:
        """Return the values of ragged rows as an array on the device."""
        out = self.device.empty((len(offsets) - 1, self.n_landmarks), dtype)
        if out.size:
            self.put(values, offsets, out)
        return out

    def run(self, values: NDArray[Any], offsets: Ints, out: Any, stop: Any) -> None:
        """See `seamark.engine.backends.KernelPlan`."""
        per_row = out.dtype.itemsize * self.n_landmarks + self.per_row
        cut = parts(self.device, offsets, per_row, self.per_item)

        def part(rows: slice) -> Any:
            return self.values(*part_of(values, offsets, rows), out.dtype)

        fill(self.device, cut, part, out, stop)


# Landmark strings packed into long words, with a guard bit after each.


@dataclass(frozen=True)
class Packing:
    """Where landmarks lie: in which word, and at which bit of it."""

    landmarks: Ints
    words: Ints
    bits: Ints
    n_words: int


def best_fit(landmarks: Ints, lengths: Ints, size: int) -> Packing:
    """Put each landmark, the longest first, into the word where it leaves the least room.

    Parameters
    ----------
    landmarks : ndarray of int
        Numbers of the landmarks.
    lengths : ndarray of int
        Of these landmarks, none above `size`.
    size : int
        Bits of a word.

    Examples
    --------
    >>> packing = best_fit(np.arange(3), np.array([20, 40, 11]), 32 * 2)
    >>> packing.words.tolist(), packing.bits.tolist(), packing.n_words
    ([0, 0, 1], [0, 41, 0], 2)
    """
    order = np.argsort(-lengths, kind="stable")
    by_room: list[list[int]] = [[] for _ in range(size + 1)]
    words, bits, n_words = np.zeros(len(order), np.int64), np.zeros(len(order), np.int64), 0
    for place, length in enumerate(lengths[order].tolist()):
        room = next((r for r in range(length, size + 1) if by_room[r]), None)
        if room is None:
            room = size
            by_room[room].append(n_words)
            n_words += 1
        word = by_room[room].pop()
        # The guard; where a landmark ends with the word there is none, and none is needed.
        by_room[max(0, room - length - 1)].append(word)
        words[place], bits[place] = word, size - room
    return Packing(landmarks[order], words, bits, n_words)


def consecutive(landmarks: Ints, lengths: Ints, size: int, n_words: int) -> list[Packing]:
    """Pack runs of consecutive landmarks, each into so many words at most.

    So the values of a block of threads lie next to each other, and leave it in one piece.
    """
    packings = []
    start, bits = 0, np.concatenate([[0], np.cumsum(lengths + 1)])
    while start < len(landmarks):
        room = bits[start] + n_words * size
        end = max(start + 1, int(np.searchsorted(bits, room, side="right")) - 1)
        while True:
            packing = best_fit(landmarks[start:end], lengths[start:end], size)
            if packing.n_words <= n_words:
                break
            end -= max(1, (packing.n_words - n_words) * (end - start) // (2 * packing.n_words))
        packings.append(packing)
        start = end
    return packings
