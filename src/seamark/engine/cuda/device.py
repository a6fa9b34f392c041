"""The device: arrays on it, kernels compiled for it, and what is said when it fails."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import cache, cached_property
from importlib import resources
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..settings import settings
from .staging import Arrays, streamed

TRIED = 2048  # rows and columns of the products by which the speed of float64 is measured
SLOWER = 4.0  # times float32, from which on float64 is slow: chips for games take 32 to 64
INSTALL = "pip install 'seamark[cuda13]' (or 'seamark[cuda12]', as the driver's CUDA is)"
Defines = Mapping[str, int | str]
Ints = NDArray[np.int64]


class Device(Protocol):
    """Where kernels run. The tests have one on the host, from the same sources."""

    multiprocessors: int
    shared_bytes: int
    """Shared memory that one block may have."""

    @property
    def fast_doubles(self) -> bool:
        """Whether products of float64 take no more than a few times those of float32."""

    def speaking(self) -> AbstractContextManager[None]:
        """Say in one sentence what goes wrong on the device inside."""

    def upload(self, array: NDArray[Any]) -> Any:
        """Return a copy on the device."""

    def empty(self, shape: Any, dtype: Any) -> Any:
        """Return an array on the device, of any content."""

    def download(self, array: Any, out: NDArray[Any], after: Any = None) -> None:
        """Copy an array of the same type and shape to the host.

        Waits for all that was launched, or for what was before the mark `after`.
        """

    def mark(self) -> Any:
        """Return a mark after what has been launched."""

    def stream(self, parts: Iterable[Arrays], nbytes: int) -> Iterator[tuple[Any, ...]]:
        """Yield copies of arrays on the device, those of the next part on their way meanwhile.

        A part takes at most `nbytes`; its arrays are good until the next is asked for.
        """

    def solve(self, A: Any, b: Any) -> Any:
        """Return the solution of A x = b for a positive definite A."""

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

    def free_bytes(self) -> int:
        """Return how much memory a run may take."""


@cache
def source_of(*names: str) -> str:
    """Return the text of kernel sources, one after another."""
    folder = resources.files(__package__)
    return "\n".join((folder / f"{name}.cu").read_text(encoding="utf-8") for name in names)


class CupyDevice:
    """The current CUDA device, through CuPy.

    Parameters
    ----------
    cupy : module
    """

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
        """See `Device`; measured, for names of chips do not tell."""
        with self.speaking():
            seconds = [self._product_seconds(kind) for kind in (np.float32, np.float64)]
        return seconds[1] <= SLOWER * seconds[0]

    def _product_seconds(self, kind: Any) -> float:
        matrix, times = self.cupy.ones((TRIED, TRIED), kind), []
        for _ in range(3):
            events = [self.cupy.cuda.Event() for _ in range(2)]
            events[0].record()
            matrix @ matrix
            events[1].record()
            events[1].synchronize()
            times.append(self.cupy.cuda.get_elapsed_time(*events))
        return float(min(times))

    def upload(self, array: NDArray[Any]) -> Any:
        """See `Device`."""
        with self.speaking():
            return self.cupy.asarray(array, order="C")

    def empty(self, shape: Any, dtype: Any) -> Any:
        """See `Device`."""
        with self.speaking():
            return self.cupy.empty(shape, dtype)

    def download(self, array: Any, out: NDArray[Any], after: Any = None) -> None:
        """See `Device`."""
        with self.speaking():
            stream = self.cupy.cuda.get_current_stream() if after is None else self.copying
            if after is not None:
                stream.wait_event(after)
            if out.flags.c_contiguous:
                array.get(stream=stream, out=out)
            else:
                out[...] = array.get(stream=stream)
            stream.synchronize()

    def mark(self) -> Any:
        """See `Device`."""
        with self.speaking():
            return self.cupy.cuda.get_current_stream().record()

    @property
    def copying(self) -> Any:
        """The stream of copies that run beside kernels."""
        if self._copying is None:
            self._copying = self.cupy.cuda.Stream(non_blocking=True)
        return self._copying

    def stream(self, parts: Iterable[Arrays], nbytes: int) -> Iterator[tuple[Any, ...]]:
        """See `Device`."""
        return streamed(self, parts, nbytes)

    def solve(self, A: Any, b: Any) -> Any:
        """See `Device`; what is not positive definite shows as NaN, or as a large error."""
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
        """See `Device`."""
        with self.speaking():
            function = self._kernel(source, kernel, defines)
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

    def synchronise(self) -> None:
        """Wait until all that was launched is finished."""
        with self.speaking():
            self.cupy.cuda.get_current_stream().synchronize()

    def release(self) -> None:
        """Give memory that nothing uses back to the device."""
        if os.getpid() == self._process:
            self.cupy.get_default_memory_pool().free_all_blocks()
            self.cupy.get_default_pinned_memory_pool().free_all_blocks()

    def _kernel(self, source: str, kernel: str, defines: Defines) -> Any:
        key = source, tuple(sorted(defines.items()))
        if key not in self._modules:
            self._modules[key] = self._compiled(source, defines)
        return self._modules[key].get_function(kernel)

    def _compiled(self, source: str, defines: Defines) -> Any:
        """Compile a source by NVRTC; CuPy keeps the result on disk, by content and chip."""
        options = ("-std=c++17", *(f"-D{name}={value}" for name, value in defines.items()))
        module = self.cupy.RawModule(code=source_of("device", *source.split("+")), options=options)
        errors = self.cupy.cuda
        try:
            module.compile()
        except (errors.memory.OutOfMemoryError, errors.runtime.CUDARuntimeError):
            raise
        except Exception as error:  # NVRTC is not there, or does not know the chip
            raise RuntimeError(
                f"CuPy could not compile a kernel for this GPU ({_first_line(error)}); it must be "
                f"the CuPy of the driver's CUDA, and know the chip: {INSTALL}."
            ) from error
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


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


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
def the_device(make: Callable[[], Any] = _cupy) -> CupyDevice:
    """Return the device, the same each time."""
    return CupyDevice(make())
