"""Kernels for one NVIDIA GPU, through CuPy: a backend that is used when it is asked for.

The sources (`*.cu`) are compiled for the chip at first use, and kept on disk by CuPy. A plan lays
landmarks out on the device once; rows go up in compact codes. `run` gives values back to the host,
as every backend does; `values` leaves them on the device, for those who go on there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..array_checks import (
    check_band,
    check_centre,
    check_codes,
    check_elastic,
    check_offsets,
    check_out,
    check_series,
    check_windows,
)
from ..plan import Doubles, Floats
from . import statistics
from .device import Device, Ints, the_device
from .series import DTWPlan, ElasticPlan
from .strings import LevenshteinPlan, StringsPlan, SubstringPlan
from .vectors import ManhattanPlan, MembersPlan, SetsOfVectors, SetsPlan
from .windows import SubsequencePlan

__all__ = ["Cuda", "Device", "cuda"]


def rows_of_texts(plan: StringsPlan, codes: NDArray[Any], offsets: Ints) -> NDArray[Any]:
    """Refuse symbols that the tables of a plan do not have."""
    if plan.reads(codes):  # every byte has a code
        check_offsets(offsets, len(codes))
    else:
        check_codes(codes, offsets, plan.n_symbols)
    return codes


def rows_of_series(plan: Any, values: Doubles, offsets: Ints) -> Doubles:
    """Refuse series of another number of channels, or without a step of their own."""
    return check_series(values, offsets, plan.channels, getattr(plan, "lead", 0))


def rows_of_sets(plan: SetsOfVectors, values: NDArray[Any], offsets: Ints) -> NDArray[Any]:
    """Refuse sets of another dimension."""
    check_series(values, offsets, plan.d)
    return values


# `Cuda`: the kernels on a GPU, as a backend like the others.


Check = Callable[[Any, NDArray[Any], Ints], NDArray[Any]]

PRODUCT_ROWS = 1024
STRINGS = {"substring": SubstringPlan}


class OneAtATime:
    """A plan whose runs take turns: rows of several threads meet on one device.

    ``check(plan, values, offsets)`` refuses rows, or returns them as the plan takes them.
    """

    def __init__(self, plan: Any, check: Check, lock: threading.Lock) -> None:
        self.plan, self._check, self._lock = plan, check, lock
        self.n_landmarks: int = plan.n_landmarks
        self.fills_device = True

    def read_bytes(self, codes: NDArray[np.uint8]) -> None:
        """See `StringsPlan`."""
        with self._lock:
            self.plan.read_bytes(codes)

    def run(self, values: NDArray[Any], offsets: Ints, out: Floats, stop: Any) -> None:
        """See `seamark.engine.backends.KernelPlan`."""
        values, offsets = np.ascontiguousarray(values), np.ascontiguousarray(offsets)
        check_offsets(offsets, len(values))
        check_out(out, offsets, self.n_landmarks)
        if out.dtype.itemsize > np.dtype(np.float32).itemsize:
            raise TypeError("out must hold float32")
        if len(stop) < 1:
            raise ValueError("stop must hold a flag")
        with self._lock:
            self.plan.run(self._check(self.plan, values, offsets), offsets, out, stop)


class Cuda:
    """The kernels on a device; where the device has no kernel, the CPU's is used.

    Parameters
    ----------
    device : Device
    cpu : Backend
        For the rest.
    """

    name = "cuda"
    slowness = 0.01
    statistics = statistics

    def __init__(self, device: Any, cpu: Any) -> None:
        self.device, self._cpu = device, cpu
        self.auc: Callable[..., None] | None = cpu.auc  # a descent goes from point to point
        self.damerau, self.ngrams, self.bags = cpu.damerau, cpu.ngrams, cpu.bags
        self.trees = cpu.trees
        self.edits, self.envelopes = cpu.edits, cpu.envelopes
        # All values of many queries take the device less time.
        self.edit_search: Callable[..., Any] | None = None
        self.convolution = cpu.convolution
        self._lock = threading.Lock()

    def levenshtein(self, codes: NDArray[np.int32], offsets: Ints, n_symbols: int) -> OneAtATime:
        """See `seamark.engine.backends.Backend`."""
        check_codes(codes, offsets, n_symbols - 1)
        return self._plan(LevenshteinPlan, rows_of_texts, codes, offsets, n_symbols)

    def strings(
        self,
        measure: str,
        codes: NDArray[np.int32],
        offsets: Ints,
        n_symbols: int,
        weight: float = 0.0,
    ) -> Any:
        """See `seamark.engine.backends.Backend`."""
        if measure not in STRINGS:
            return self._cpu.strings(measure, codes, offsets, n_symbols, weight)
        check_codes(codes, offsets, n_symbols - 1)
        return self._plan(STRINGS[measure], rows_of_texts, codes, offsets, n_symbols)

    def dtw(
        self, values: Doubles, offsets: Ints, steps: int, fraction: float, euclidean: bool
    ) -> OneAtATime:
        """See `seamark.engine.backends.Backend`."""
        values = check_series(values, offsets)
        check_band(steps, fraction)
        return self._plan(DTWPlan, rows_of_series, values, offsets, steps, fraction, euclidean)

    def elastic(self, *measure: Any) -> OneAtATime:
        """See `seamark.engine.backends.Backend`."""
        values = check_elastic(*measure)
        return self._plan(ElasticPlan, rows_of_series, values, *measure[1:])

    def sets(self, values: Doubles, offsets: Ints, centre: Doubles, value: str) -> OneAtATime:
        """See `seamark.engine.backends.Backend`."""
        values = check_series(values, offsets)
        check_centre(values, centre)
        return self._plan(SetsPlan, rows_of_sets, values, offsets, centre, value)

    def subsequence(self, *windows: Any) -> OneAtATime:
        """See `seamark.engine.backends.Backend`."""
        check_windows(*windows)
        return self._plan(SubsequencePlan, rows_of_series, *windows)

    def members(self, values: Doubles, centre: Doubles) -> OneAtATime:
        """See `seamark.engine.backends.Backend`."""
        values = np.ascontiguousarray(values, np.float64)
        check_centre(values, centre)
        return self._plan(MembersPlan, rows_of_sets, values, centre)

    def _plan(self, make: Callable[..., Any], check: Check, *arguments: Any) -> OneAtATime:
        with self._lock:
            return OneAtATime(make(self.device, *arguments), check, self._lock)

    def products(self, X: Floats | Doubles, L: Floats | Doubles, out: Floats) -> None:
        """Inner products by cuBLAS, always so many rows at a time: values depend on no others."""
        if not isinstance(self.device, Device):  # in the tests
            self._cpu.products(X, L, out)
            return
        cupy, n = self.device.cupy, len(X)
        with self._lock, self.device.speaking():
            turned = cupy.asarray(L).T
            rows = cupy.zeros((PRODUCT_ROWS, X.shape[1]), X.dtype)
            for start in range(0, n, PRODUCT_ROWS):
                part = X[start : start + PRODUCT_ROWS]
                rows[: len(part)] = cupy.asarray(part)
                found = (rows @ turned)[: len(part)].astype(np.float32, copy=False)
                out[start : start + len(part)] = found.get()

    def manhattan(self, X: Doubles, L: Doubles, out: Floats, stop: Any) -> None:
        """See `seamark.engine.backends.Backend`."""
        if X.shape[1] != L.shape[1] or out.shape != (len(X), len(L)):
            raise ValueError("rows, landmarks and out do not fit together")
        with self._lock:
            plan = ManhattanPlan(self.device, np.ascontiguousarray(L, np.float64))
            plan.run(np.asarray(X, np.float64), np.arange(len(X) + 1), out, stop)

    def release(self) -> None:
        """Give back memory of the device that nothing uses."""
        if isinstance(self.device, Device):
            self.device.release()


def cuda(cpu: Any) -> Cuda:
    """Return the backend of this machine's GPU, or say in one sentence why there is none."""
    return Cuda(the_device(), cpu)
