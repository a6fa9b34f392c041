"""Backends: native C++ kernels for the best instruction set of this CPU, the numpy reference, CUDA.

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
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..user_warnings import warn_user
from . import reference
from .plan import Doubles, Floats, Offsets, Points, Stop, Things
from .settings import Settings, changed, settings


class KernelPlan(Protocol):
    """Landmarks compiled for a kernel."""

    @property
    def nbytes(self) -> int:
        """Size of the compiled landmarks."""

    def run(self, values: NDArray[Any], offsets: Offsets, out: Floats, stop: Stop) -> None:
        """Write the values of ragged rows into `out`."""


class BagKernelPlan(Protocol):
    """Landmark bags compiled for a kernel."""

    def run(
        self, things: Things, weights: Floats, offsets: Offsets, out: Floats, stop: Stop
    ) -> None:
        """Write sums over what rows and landmarks share into `out`; things of -1 are in none."""


class EditsKernelPlan(Protocol):
    """Strings indexed for pairs within a number of edits."""

    def build(self, first: int, last: int) -> None:
        """Prepare the texts from `first` to before `last`, which are of one length."""

    def probe(
        self, codes: NDArray[np.int32], offsets: Offsets, own: int, most: int, stop: Stop
    ) -> tuple[Offsets, Offsets, Things]:
        """Return the numbers of texts and probes within the limit, and their edits.

        `own` from 0: probe i is text ``own + i``, and only texts before it count. It ends early
        when there are more than `most` pairs.
        """


class EditSearchPlan(Protocol):
    """Strings to be searched by edits."""

    def near(
        self,
        codes: NDArray[np.int32],
        offsets: Offsets,
        limits: NDArray[np.int32],
        most: int,
        stop: Stop,
    ) -> tuple[Offsets, Offsets, Things, int, int]:
        """Return how many were found for each query, their numbers, edits, comparisons, and steps.

        Of each query at most so many, those within its limit, the nearest first; of equal ones the
        smallest numbers count. A step takes a word of 64 characters one character further.
        """


class TreesKernelPlan(Protocol):
    """Decision trees compiled for a kernel."""

    def run(self, codes: NDArray[np.uint16], out: Floats) -> None:
        """Write the mean of the values of all trees for each row into `out`."""


class Backend(Protocol):
    """What every implementation of the kernels offers."""

    name: str
    slowness: float
    """Rough factor on the time estimates, which are those of the widest native build."""
    device: Any
    """Where arrays may stay between kernels (`seamark.engine.cuda.Device`); None: the host."""

    def levenshtein(self, codes: NDArray[np.int32], offsets: Offsets, n_symbols: int) -> KernelPlan:
        """Edit distances of texts, given as dense codes over the landmarks' alphabet."""

    def strings(
        self,
        measure: str,
        codes: NDArray[np.int32],
        offsets: Offsets,
        n_symbols: int,
        weight: float = 0.0,
    ) -> KernelPlan:
        """Other values of texts in such codes.

        `measure` is "substring" (smallest edit distance to any substring of the text), "lcs"
        (length of the longest common subsequence), "osa" (optimal string alignment) or "jaro",
        with the `weight` of a common prefix.
        """

    def damerau(self, codes: NDArray[np.int32], offsets: Offsets, n_symbols: int) -> KernelPlan:
        """Unrestricted Damerau–Levenshtein distances of texts in such codes."""

    def dtw(
        self, values: Doubles, offsets: Offsets, steps: int, fraction: float, euclidean: bool
    ) -> KernelPlan:
        """Path costs of series (time, channels); -1 means no band of that kind."""

    def sets(self, values: Doubles, offsets: Offsets, centre: Doubles, value: str) -> KernelPlan:
        """Nearest distances between sets of vectors, in float32 or float64.

        Landmarks have the `centre` subtracted already. `value` is "larger_mean", "largest" or
        "sum_of_means".
        """

    def members(self, values: Doubles, centre: Doubles) -> KernelPlan:
        """Smallest distances of vectors, which come less the `centre`, to the vectors of sets."""

    def ngrams(
        self,
        values: Points,
        offsets: Offsets,
        shortest: int,
        longest: int,
        blanks: Points,
        mark: int,
        bits: int,
    ) -> tuple[Things, Floats, Offsets]:
        """Buckets, counts and offsets of the n-grams of texts, in any order within a text.

        N-grams stay within pieces between `blanks` (none: a text is one piece), which have a `mark`
        before and after them; a piece too short for any counts as a whole.
        """

    def bags(
        self, things: Things, weights: Floats, offsets: Offsets, n_things: int, value: str
    ) -> BagKernelPlan:
        """Sums over shared things: of the "product" of the two weights, or of the "smaller"."""

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

    def products(self, X: Floats | Doubles, L: Floats | Doubles, out: Floats) -> None:
        """Inner products of dense rows, each the same for any number of others.

        X and L are of one type, in which the products are added up.
        """

    def manhattan(self, X: Doubles, L: Doubles, out: Floats, stop: Stop) -> None:
        """Sums of absolute differences of rows."""

    def edits(
        self, codes: NDArray[np.int32], offsets: Offsets, n_symbols: int, limit: int
    ) -> EditsKernelPlan:
        """Texts in such codes, to be joined with others within `limit` edits."""

    def envelopes(self, points: Floats, low: Floats, high: Floats, out: Floats, stop: Stop) -> None:
        """Squared distances of points to boxes; one of the two, or as many as there are results."""

    edit_search: Callable[..., EditSearchPlan] | None
    """``edit_search(codes, offsets, numbers, n_symbols)``: texts in such codes, in the order of
    their lengths; None: nothing is quicker than all values."""

    def trees(self, *nodes: Any) -> TreesKernelPlan:
        """Means of the values of leaves; `nodes` as the plans take them."""

    auc: Callable[..., None] | None
    """Online descent on a linear AUC loss; None: the loop of `seamark.online` itself, its twin."""


# The kernels: native C++ for the best instruction set of this CPU, or the numpy reference.


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
    dtw = staticmethod(reference.dtw)
    convolution = staticmethod(reference.ConvolutionPlan)
    elastic = staticmethod(reference.ElasticPlan)
    sets = staticmethod(reference.SetsPlan)
    members = staticmethod(reference.MembersPlan)
    ngrams = staticmethod(reference.ngrams)
    bags = staticmethod(reference.BagsPlan)
    subsequence = staticmethod(reference.SubsequencePlan)
    products = staticmethod(reference.products)
    manhattan = staticmethod(reference.manhattan)
    trees = staticmethod(reference.TreesPlan)
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
        self._trees = getattr(module, "TreesPlan", reference.TreesPlan)

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

    def trees(self, *nodes: Any) -> TreesKernelPlan:
        """See `Backend`."""
        plan: TreesKernelPlan = self._trees(*nodes)
        return plan

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
