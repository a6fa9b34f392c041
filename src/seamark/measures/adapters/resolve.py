"""From a bare name, ``"library:name"`` or a library's function to its adapter."""

from __future__ import annotations

from typing import Any

from .aeon_distances import Aeon
from .base import Adapter, did_you_mean
from .rapidfuzz_scorers import RapidFuzz
from .scipy_metrics import Scipy
from .sklearn_kernels import SklearnKernel

ADAPTERS: tuple[type[Adapter], ...] = (RapidFuzz, Aeon, Scipy, SklearnKernel)


def find(wanted: Any) -> Adapter | None:
    """Return the adapter that a name or a function means, None if no library knows it.

    The catalogue is asked first, so that its names ("cosine", "dtw", …) mean its own measures. A
    bare name means the one library that knows it; if several do, they compare different things
    (RapidFuzz strings, aeon series, scipy and scikit-learn vectors), and the user must say which.
    Functions are recognised by identity, and a library is imported only if the function is its own.

    Parameters
    ----------
    wanted : str or callable
        "jaro", "scipy:hamming", ``scipy.spatial.distance.canberra``, …

    Examples
    --------
    >>> find("canberra"), find("rapidfuzz:hamming"), find("no such measure")
    (Scipy(metric='canberra'), RapidFuzz(scorer='hamming'), None)
    """
    if isinstance(wanted, str):
        library, colon, name = wanted.partition(":")
        return _in_library(library, name) if colon else _anywhere(wanted)
    return _of_function(wanted) if callable(wanted) else None


def known_names() -> list[str]:
    """Return every bare name that a library knows, and its form with the library."""
    bare = [name for adapter in ADAPTERS for name in adapter.table]
    return bare + [f"{a.library}:{name}" for a in ADAPTERS for name in a.table]


def _in_library(library: str, name: str) -> Adapter:
    adapter = next((a for a in ADAPTERS if a.library == library), None)
    if adapter is None:
        libraries = ", ".join(repr(a.library) for a in ADAPTERS)
        raise ValueError(
            f"unknown library {library!r} in the measure '{library}:{name}'; known are {libraries}."
        )
    if name not in adapter.table:
        raise ValueError(
            f"unknown measure '{library}:{name}'{did_you_mean(name, adapter.table)}; "
            f"measures.{adapter.__name__}.table lists what {library} has."
        )
    return _made(adapter, name)


def _anywhere(name: str) -> Adapter | None:
    knowing = [adapter for adapter in ADAPTERS if name in adapter.table]
    if len(knowing) > 1:
        choices = " or ".join(f"'{a.library}:{name}' ({a.domain.name})" for a in knowing)
        raise ValueError(f"{name!r} is the name of several measures; say {choices}.")
    return _made(knowing[0], name) if knowing else None


def _of_function(function: Any) -> Adapter | None:
    root = str(getattr(function, "__module__", "")).partition(".")[0]
    for adapter in ADAPTERS:
        if adapter.library == root:
            name = adapter.name_of(function)
            return _made(adapter, name) if name else None
    return None


def _made(adapter: type[Adapter], name: str) -> Adapter:
    return adapter(**{adapter.choice: name})
