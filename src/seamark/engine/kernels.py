"""The kernels: native C++ for the best instruction set of this CPU, or the numpy reference.

SEAMARK_ISA forces one of "reference", "baseline", "v3", "v4"; or "cuda", which is never chosen
unless it is asked for.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache, partial
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..user_warnings import warn_user
from . import reference
from .plan import Stop
from .protocols import (
    Backend,
    BagKernelPlan,
    Doubles,
    EditSearchPlan,
    EditsKernelPlan,
    Floats,
    KernelPlan,
    Offsets,
    Things,
)
from .settings import Settings, changed, settings


class Reference:
    """The kernels in numpy: slow, obvious, always there."""

    name = "reference"
    slowness = 60.0
    device = None
    levenshtein = staticmethod(reference.LevenshteinPlan)
    strings = staticmethod(reference.StringsPlan)
    damerau = staticmethod(partial(reference.StringsPlan, "damerau"))
    edits = staticmethod(reference.EditsPlan)
    envelopes = staticmethod(reference.envelopes)
    dtw = staticmethod(reference.DTWPlan)
    convolution = staticmethod(reference.ConvolutionPlan)
    elastic = staticmethod(reference.ElasticPlan)
    sets = staticmethod(reference.SetsPlan)
    members = staticmethod(reference.MembersPlan)
    ngrams = staticmethod(reference.ngrams)
    bags = staticmethod(reference.BagsPlan)
    subsequence = staticmethod(reference.SubsequencePlan)
    products = staticmethod(reference.products)
    manhattan = staticmethod(reference.manhattan)
    edit_search: Callable[..., EditSearchPlan] | None = None
    auc: Callable[..., None] | None = None


class Native:
    """The C++ kernels, in the build for one instruction set; products are BLAS's own."""

    products = staticmethod(reference.products)
    device = None

    def __init__(self, module: Any, isa: str) -> None:
        self.name = isa
        self.slowness = {"v4": 1.0, "v3": 1.5}.get(isa, 4.0)
        self._module = module
        self.levenshtein = partial(module.LevenshteinPlan, isa=isa)
        self.damerau = partial(module.DamerauPlan, isa=isa)
        self.dtw = partial(module.DTWPlan, isa=isa)
        self.elastic = partial(module.ElasticPlan, isa=isa)
        self.subsequence = partial(module.SubsequencePlan, isa=isa)
        self.convolution = partial(module.ConvolutionPlan, isa=isa)
        self.sets = partial(module.SetsPlan, isa=isa)
        self.members = partial(module.MemberPlan, isa=isa)
        # A module built before this one was written lacks it.
        there = hasattr(module, "EditSearch")
        self.edit_search = partial(module.EditSearch, isa=isa) if there else None

    def strings(
        self,
        measure: str,
        codes: NDArray[np.int32],
        offsets: Offsets,
        n_symbols: int,
        weight: float = 0.0,
    ) -> KernelPlan:
        """See `Backend`."""
        plan: KernelPlan = self._module.StringsPlan(
            codes, offsets, n_symbols, measure, weight, self.name
        )
        return plan

    def ngrams(self, *texts: Any) -> tuple[Things, Floats, Offsets]:
        """See `Backend`."""
        found: tuple[Things, Floats, Offsets] = self._module.ngrams(*texts)
        return found

    def bags(
        self, things: Things, weights: Floats, offsets: Offsets, n_things: int, value: str
    ) -> BagKernelPlan:
        """See `Backend`."""
        plan: BagKernelPlan = self._module.BagsPlan(
            things, weights, offsets, n_things, value, self.name
        )
        return plan

    def manhattan(self, X: Doubles, L: Doubles, out: Floats, stop: Stop) -> None:
        """See `Backend`."""
        self._module.manhattan(X, L, out, stop, self.name)

    def edits(
        self, codes: NDArray[np.int32], offsets: Offsets, n_symbols: int, limit: int
    ) -> EditsKernelPlan:
        """See `Backend`."""
        plan: EditsKernelPlan = self._module.EditsPlan(codes, offsets, n_symbols, limit, self.name)
        return plan

    def envelopes(self, points: Floats, low: Floats, high: Floats, out: Floats, stop: Stop) -> None:
        """See `Backend`."""
        self._module.envelopes(points, low, high, out, stop, self.name)

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
def _cuda() -> Backend:
    from .cuda import cuda  # only here: it takes CuPy, and the device

    return cuda(list(backends().values())[-1])


def named(name: Any) -> Backend | None:
    """Return the implementation of that name; None: there is no such."""
    return _cuda() if name == "cuda" else backends().get(name)


@cache
def _default() -> Backend:
    available = backends()
    forced = os.environ.get("SEAMARK_ISA")
    if forced:
        found = named(forced)
        if found is None:
            raise ValueError(f"SEAMARK_ISA={forced!r} is not one of {', '.join(available)}, cuda.")
        return found
    if len(available) == 1:
        warn_user(
            "seamark runs without its native kernels, on the slow numpy reference; with a C++17 "
            "compiler: pip install --no-cache-dir --force-reinstall seamark"
        )
    return list(available.values())[-1]


def backend() -> Backend:
    """Return the implementation that plans compiled here and now will use."""
    forced: Backend | None = settings().backend
    return forced or _default()


def carried() -> dict[str, Any]:
    """Return the settings in force as they travel to another process, for `restored` there."""
    return {**settings().portable(), "backend": backend().name}


def restored(sent: dict[str, Any]) -> AbstractContextManager[Settings]:
    """Work by settings that came from another process, on one thread.

    A backend that is not there gives way to the best that is.
    """
    return changed(**{**sent, "backend": named(sent["backend"]), "n_jobs": 1})
