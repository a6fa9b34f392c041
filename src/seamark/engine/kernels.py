"""The kernels: native C++ for the best instruction set of this CPU, or the numpy reference.

SEAMARK_ISA forces one of "reference", "baseline", "v3", "v4".
"""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from . import reference
from .plan import Stop
from .settings import settings

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Offsets = NDArray[np.int64]


class KernelPlan(Protocol):
    """Landmarks compiled for a kernel."""

    @property
    def nbytes(self) -> int:
        """Size of the compiled landmarks."""

    def run(self, values: NDArray[Any], offsets: Offsets, out: Floats, stop: Stop) -> None:
        """Write the values of ragged rows into `out`."""


class Backend(Protocol):
    """What every implementation of the kernels offers."""

    name: str
    slowness: float
    """Rough factor on the time estimates, which are those of the widest native build."""

    def levenshtein(self, codes: NDArray[np.int32], offsets: Offsets, n_symbols: int) -> KernelPlan:
        """Edit distances of texts, given as dense codes over the landmarks' alphabet."""

    def dtw(
        self, values: Doubles, offsets: Offsets, steps: int, fraction: float, euclidean: bool
    ) -> KernelPlan:
        """Path costs of series (time, channels); -1 means no band of that kind."""

    def sets(self, values: Doubles, offsets: Offsets, centre: Doubles, value: str) -> KernelPlan:
        """Nearest distances between sets of vectors, in float32 or float64.

        Landmarks come less the `centre`; `value` is "larger_mean", "largest" or "sum_of_means".
        """

    def convolution(self, *features: Any) -> KernelPlan:
        """Shares of places of series above biases; `features` as the plans take them."""

    def elastic(self, *measure: Any) -> KernelPlan:
        """Path costs of series under another rule than DTW's; `measure` as the plans take it.

        It begins like the arguments of `dtw`; the rule, two numbers and a gap value follow.
        """

    def subsequence(self, *windows: Any) -> KernelPlan:
        """Distances of windows to the nearest places of series; `windows` as the plans take them.

        They end in the number of channels, and the deviation up to which a place has no shape.
        """

    def products(self, X: Floats, L: Floats, out: Floats) -> None:
        """Inner products of dense rows, each the same whatever other rows there are."""

    def manhattan(self, X: Doubles, L: Doubles, out: Floats, stop: Stop) -> None:
        """Sums of absolute differences of rows."""

    auc: Callable[..., None] | None
    """Online descent on a linear AUC loss; None: the loop of `seamark.online` itself, its twin."""


class Reference:
    """The kernels in numpy: slow, obvious, always there."""

    name = "reference"
    slowness = 60.0
    levenshtein = staticmethod(reference.LevenshteinPlan)
    dtw = staticmethod(reference.DTWPlan)
    convolution = staticmethod(reference.ConvolutionPlan)
    elastic = staticmethod(reference.ElasticPlan)
    sets = staticmethod(reference.SetsPlan)
    subsequence = staticmethod(reference.SubsequencePlan)
    products = staticmethod(reference.products)
    manhattan = staticmethod(reference.manhattan)
    auc: Callable[..., None] | None = None


class Native:
    """The C++ kernels, in the build for one instruction set; products are BLAS's own."""

    products = staticmethod(reference.products)

    def __init__(self, module: Any, isa: str) -> None:
        self.name = isa
        self.slowness = {"v4": 1.0, "v3": 1.5}.get(isa, 4.0)
        self._module = module

    def levenshtein(self, codes: NDArray[np.int32], offsets: Offsets, n_symbols: int) -> KernelPlan:
        """See `Backend`."""
        plan: KernelPlan = self._module.LevenshteinPlan(codes, offsets, n_symbols, self.name)
        return plan

    def dtw(
        self, values: Doubles, offsets: Offsets, steps: int, fraction: float, euclidean: bool
    ) -> KernelPlan:
        """See `Backend`."""
        plan: KernelPlan = self._module.DTWPlan(
            values, offsets, steps, fraction, euclidean, self.name
        )
        return plan

    def sets(self, values: Doubles, offsets: Offsets, centre: Doubles, value: str) -> KernelPlan:
        """See `Backend`."""
        plan: KernelPlan = self._module.SetsPlan(values, offsets, centre, value, self.name)
        return plan

    def convolution(self, *features: Any) -> KernelPlan:
        """See `Backend`."""
        plan: KernelPlan = self._module.ConvolutionPlan(*features, self.name)
        return plan

    def elastic(self, *measure: Any) -> KernelPlan:
        """See `Backend`."""
        plan: KernelPlan = self._module.ElasticPlan(*measure, self.name)
        return plan

    def subsequence(self, *windows: Any) -> KernelPlan:
        """See `Backend`."""
        plan: KernelPlan = self._module.SubsequencePlan(*windows, self.name)
        return plan

    def manhattan(self, X: Doubles, L: Doubles, out: Floats, stop: Stop) -> None:
        """See `Backend`."""
        self._module.manhattan(X, L, out, stop, self.name)

    def auc(self, *job: Any) -> None:
        """See `Backend`."""
        self._module.auc(*job, self.name)


def _native_module() -> ModuleType | None:
    try:
        return importlib.import_module("._native", __package__)
    except ImportError:
        return None


@cache
def backends() -> dict[str, Backend]:
    """Return all implementations that run here, by name, the fastest last."""
    found: dict[str, Backend] = {"reference": Reference()}
    module = _native_module()
    if module is not None:
        found |= {isa: Native(module, isa) for isa in module.isas()}
    return found


@cache
def _default() -> Backend:
    available = backends()
    forced = os.environ.get("SEAMARK_ISA")
    if forced:
        if forced not in available:
            raise ValueError(f"SEAMARK_ISA={forced!r} is not one of {', '.join(available)}.")
        return available[forced]
    if len(available) == 1:
        warnings.warn(
            "seamark runs without its native kernels, on the slow numpy reference; with a C++17 "
            "compiler: pip install --no-cache-dir --force-reinstall seamark",
            stacklevel=2,
        )
    return list(available.values())[-1]


def backend() -> Backend:
    """Return the implementation that plans compiled here and now will use."""
    forced: Backend | None = settings().backend
    return forced or _default()
