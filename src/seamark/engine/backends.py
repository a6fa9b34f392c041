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
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ..validation import warn_user
from . import reference
from .plan import Doubles, Floats, Offsets, Stop, Things
from .settings import Settings, changed, in_force


class KernelPlan(Protocol):
    """Landmarks compiled for a kernel."""

    def run(self, values: NDArray[Any], offsets: Offsets, out: Floats, stop: Stop) -> None:
        """Write the values of ragged rows into `out`."""


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


class Backend(Protocol):
    """What every implementation of the kernels offers: functions that lay landmarks out.

    Texts are dense codes over the landmarks' alphabet, ``(codes, offsets, n_symbols)``; series and
    sets ``(values, offsets)``. In place of plans, some kernels return or write values.
    """

    name: str
    slowness: float
    """Rough factor on the time estimates, which are those of the widest native build."""
    device: Any
    """Where arrays may stay between kernels (`seamark.engine.cuda.Device`); None: the host."""
    statistics: Any
    """What sums up rows that stay there (the module `seamark.engine.cuda.statistics`); or None."""

    levenshtein: Callable[..., KernelPlan]
    """``levenshtein(codes, offsets, n_symbols)``: edit distances."""
    damerau: Callable[..., KernelPlan]
    """``damerau(codes, offsets, n_symbols)``: unrestricted Damerau–Levenshtein distances."""
    strings: Callable[..., KernelPlan]
    """``strings(measure, codes, offsets, n_symbols, weight=0.0)``: "substring" (smallest edit
    distance to any substring of the text), "lcs" (length of the longest common subsequence), "osa"
    (optimal string alignment) or "jaro", with the `weight` of a common prefix."""
    dtw: Callable[..., KernelPlan]
    """``dtw(values, offsets, steps, fraction, euclidean)``: path costs of series (time, channels);
    -1 means no band of that kind."""
    elastic: Callable[..., KernelPlan]
    """``elastic(values, offsets, steps, fraction, rule, first, second, gap)``: path costs under
    another rule than DTW's, with two numbers and a gap value."""
    subsequence: Callable[..., KernelPlan]
    """Distances of windows to the nearest places of series, as `reference.SubsequencePlan`."""
    convolution: Callable[..., KernelPlan]
    """Shares of places of series above biases, as `reference.ConvolutionPlan`."""
    sets: Callable[..., KernelPlan]
    """``sets(values, offsets, centre, value)``: nearest distances between sets of vectors, in
    float32 or float64. Landmarks have the `centre` subtracted already. `value` is "larger_mean",
    "largest" or "sum_of_means"."""
    members: Callable[..., KernelPlan]
    """``members(values, centre)``: smallest distances of vectors, which come less the `centre`, to
    the vectors of sets."""
    bags: Callable[..., Any]
    """``bags(things, weights, offsets, n_things, value)``: sums over shared things, of the
    "product" of the two weights, or of the "smaller"; see `reference.BagsPlan`."""
    ngrams: Callable[..., tuple[Things, Floats, Offsets]]
    """``ngrams(values, offsets, shortest, longest, blanks, mark, bits)``: buckets, counts and
    offsets of the n-grams of texts, in any order within a text. N-grams stay within pieces between
    `blanks` (none: a text is one piece), which have a `mark` before and after them; a piece too
    short for any counts as a whole."""
    products: Callable[[Any, Any, Floats], None]
    """``products(X, L, out)``: inner products of dense rows, each the same for any number of
    others. X and L are of one type, in which the products are added up."""
    manhattan: Callable[[Doubles, Doubles, Floats, Stop], None]
    """``manhattan(X, L, out, stop)``: sums of absolute differences of rows."""
    envelopes: Callable[[Floats, Floats, Floats, Floats, Stop], None]
    """``envelopes(points, low, high, out, stop)``: squared distances of points to boxes; one of
    the two, or as many as there are results."""
    edits: Callable[..., Any]
    """``edits(codes, offsets, n_symbols, limit)``: texts to be joined with others within `limit`
    edits; see `reference.EditsPlan`."""
    edit_search: Callable[..., EditSearchPlan] | None
    """``edit_search(codes, offsets, numbers, n_symbols)``: texts in the order of their lengths;
    None: nothing is quicker than all values."""
    trees: Callable[..., Any]
    """Means of the values of leaves, as `reference.TreesPlan`."""
    auc: Callable[..., None] | None
    """Online descent on a linear AUC loss; None: the loop of `seamark.online` itself, its twin."""


# The kernels: native C++ for the best instruction set of this CPU, or the numpy reference.


class Reference:
    """The kernels in numpy: slow, obvious, always there."""

    name = "reference"
    slowness = 60.0
    device = statistics = None
    edit_search: Callable[..., EditSearchPlan] | None = None
    auc: Callable[..., None] | None = None

    def __init__(self) -> None:
        self.levenshtein, self.strings = reference.LevenshteinPlan, reference.StringsPlan
        self.damerau = partial(reference.StringsPlan, "damerau")
        self.dtw, self.elastic = reference.dtw, reference.ElasticPlan
        self.subsequence = reference.SubsequencePlan
        self.convolution = reference.ConvolutionPlan
        self.sets, self.members = reference.SetsPlan, reference.MembersPlan
        self.bags, self.ngrams = reference.BagsPlan, reference.ngrams
        self.products, self.manhattan = reference.products, reference.manhattan
        self.envelopes, self.edits = reference.envelopes, reference.EditsPlan
        self.trees = reference.TreesPlan


class Native:
    """The C++ kernels, in the build for one instruction set; products are BLAS's own."""

    device = statistics = None

    def __init__(self, module: Any, isa: str) -> None:
        self.name = isa
        self.slowness = {"v4": 1.0, "v3": 1.5}.get(isa, 4.0)
        self.products, self.ngrams = reference.products, module.ngrams
        self._strings = partial(module.StringsPlan, isa=isa)
        self.levenshtein = partial(module.LevenshteinPlan, isa=isa)
        self.damerau = partial(module.DamerauPlan, isa=isa)
        self.dtw = partial(module.DTWPlan, isa=isa)
        self.elastic = partial(module.ElasticPlan, isa=isa)
        self.subsequence = partial(module.SubsequencePlan, isa=isa)
        self.convolution = partial(module.ConvolutionPlan, isa=isa)
        self.sets = partial(module.SetsPlan, isa=isa)
        self.members = partial(module.MemberPlan, isa=isa)
        self.bags = partial(module.BagsPlan, isa=isa)
        self.manhattan = partial(module.manhattan, isa=isa)
        self.envelopes = partial(module.envelopes, isa=isa)
        self.edits = partial(module.EditsPlan, isa=isa)
        self.edit_search: Callable[..., EditSearchPlan] | None = partial(module.EditSearch, isa=isa)
        self.auc: Callable[..., None] | None = partial(module.auc, isa=isa)
        # A module built before this one was written lacks it.
        self.trees = getattr(module, "TreesPlan", reference.TreesPlan)

    def strings(
        self, measure: str, codes: Any, offsets: Any, n_symbols: int, weight: float = 0.0
    ) -> Any:
        """See `Backend`."""
        return self._strings(codes, offsets, n_symbols, measure, weight)


@cache
def backends() -> dict[str, Backend]:
    """Return all implementations that run here, by name, the fastest last."""
    found: dict[str, Any] = {"reference": Reference()}
    try:
        module = importlib.import_module("._native", __package__)
    except ImportError:
        return found
    return found | {isa: Native(module, isa) for isa in module.isas()}


@cache
def _cuda() -> Backend:
    from .cuda import cuda  # only here: it takes CuPy, and the device

    return cast(Backend, cuda(list(backends().values())[-1]))


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
            raise ValueError(
                f"SEAMARK_ISA must be one of {', '.join(available)}, cuda; got {forced!r}."
            )
        return found
    if len(available) == 1:
        warn_user(
            "seamark runs without its native kernels, on the slow numpy reference; with a C++17 "
            "compiler: pip install --no-cache-dir --force-reinstall seamark"
        )
    return list(available.values())[-1]


def backend() -> Backend:
    """Return the implementation that plans compiled here and now will use."""
    forced: Backend | None = in_force.get().backend
    return forced or _default()


def carried() -> dict[str, Any]:
    """Return the settings in force as they travel to another process, for `restored` there."""
    return {**in_force.get().portable(), "backend": backend().name}


def restored(sent: dict[str, Any]) -> AbstractContextManager[Settings]:
    """Work by settings that came from another process, on one thread.

    A backend that is not there gives way to the best that is.
    """
    return changed(**{**sent, "backend": named(sent["backend"]), "n_jobs": 1})
