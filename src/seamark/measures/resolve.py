"""Measures by name: `get`, `catalogue` and `cross`; estimators that take them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from .. import engine
from ..data import Vectors, collected
from ..validation import check_columns, did_you_mean
from . import adapters
from .base import Fact, Kind, Measure
from .custom import Custom
from .precomputed import MatrixRows, Precomputed, matrix_inside

_known: dict[str, type[Measure]] = {}
"""Classes by name: those of this package, as they were when a name was last not found here."""


def named() -> list[type[Measure]]:
    """Return the measures of this package that have a name, which is all they need to be found.

    Measures of other packages are given as objects, so that a name means the same everywhere.
    """
    room, found, waiting = __name__.removesuffix("resolve"), [], [Measure]
    while waiting:
        cls = waiting.pop()
        waiting += reversed(cls.__subclasses__())
        if vars(cls).get("name") and cls.__module__.startswith(room):
            found.append(cls)
    return list(dict.fromkeys(found))  # a class of two bases is found twice


def get(measure: Any) -> Measure:
    """Return the Measure that a user's `measure=` argument means.

    Parameters
    ----------
    measure : Measure, str or callable
        A measure; a name of the catalogue or ``"precomputed"``; a name of another library
        (``"token_set_ratio"``, ``"canberra"``), with the library before a colon if several know it
        (``"scipy:hamming"``); or any function of two objects.

    Examples
    --------
    >>> import seamark as sm
    >>> sm.measures.get("dtw")
    DTW()
    >>> sm.measures.get(lambda x, y: abs(x - y)).cross([1, 5], [2])
    array([[1.],
           [3.]], dtype=float32)
    """
    if isinstance(measure, Measure):
        return measure
    if isinstance(measure, type) and issubclass(measure, Measure):
        raise TypeError(f"measure is the class {measure.__name__}; give {measure.__name__}().")
    if isinstance(measure, str) and measure not in _known:
        _known.update({cls.name: cls for cls in named()})
    if isinstance(measure, str) and measure in _known:
        return _known[measure]()
    adapter = adapters.find(measure)
    if adapter is not None:
        return adapter
    if callable(measure):
        return Custom(measure)
    known = [cls.name for cls in named()]
    for library, names in library_measures().items():
        known += [*names, *(f"{library}:{name}" for name in names)]
    guess = did_you_mean(str(measure), known)
    raise ValueError(
        f"unknown measure {measure!r}{guess}; measures.catalogue() lists what there is."
    )


def as_measures(measure: Any) -> list[Measure]:
    """Return the measures that a `measure=` argument names, one or several."""
    given = measure if isinstance(measure, (list, tuple)) else [measure]
    if not given:
        raise ValueError("measure is an empty list; give at least one measure.")
    return list(map(get, given))


@dataclass(frozen=True)
class Entry:
    """One line of the catalogue: a name, the measure with its defaults, and its facts."""

    name: str
    measure: Measure
    domain: str
    kind: Kind | None
    bounds: tuple[float, float]
    symmetric: Fact
    triangle: Fact
    psd: Fact
    summary: str

    def cells(self) -> tuple[str, ...]:
        """Texts of a table row."""
        facts = (self.symmetric, self.triangle, self.psd)
        words = ["?" if fact is None else "yes" if fact else "no" for fact in facts]
        low, high = self.bounds
        return (self.name, self.domain, self.kind or "?", f"{low:g}..{high:g}", *words)


class Catalogue(dict[str, Entry]):
    """Entries by name; prints itself as a table."""

    def __repr__(self) -> str:
        head = ("name", "objects", "kind", "bounds", "symmetric", "triangle", "psd")
        lines = [head, *(entry.cells() for entry in self.values())]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def catalogue() -> Catalogue:
    """List the measures this package computes itself, with their facts.

    Examples
    --------
    >>> import seamark as sm
    >>> sm.measures.catalogue()["levenshtein"].triangle
    True
    """
    measures = [cls() for cls in named() if cls is not Precomputed]  # which computes nothing
    entries = [
        Entry(
            m.name,
            m,
            m.domain.name,
            m.kind,
            m.bounds,
            m.symmetric,
            m.triangle,
            m.psd,
            (m.__doc__ or "").strip().splitlines()[0],
        )
        for m in measures
    ]
    entries.sort(key=lambda entry: (entry.domain, entry.kind or "", entry.name))
    return Catalogue((entry.name, entry) for entry in entries)


def library_measures() -> dict[str, list[str]]:
    """List the measures of other libraries, by library; `get` takes them if it is installed.

    Examples
    --------
    >>> import seamark as sm
    >>> "canberra" in sm.measures.library_measures()["scipy"]
    True
    """
    return {adapter.library: sorted(adapter.table) for adapter in adapters.ADAPTERS}


# `cross`: from a user's measure and objects to values.


def cross(
    measure: Any,
    X: Any,
    L: Any = None,
    *,
    n_jobs: int | None = None,
    progress: bool | engine.Progress = False,
) -> NDArray[np.float32]:
    """Values of every object of X against every landmark of L.

    Parameters
    ----------
    measure : Measure, str or callable
        A measure, a name of the catalogue, ``"precomputed"``, or a function of two objects.
    X : objects
        Strings, series, sets, vectors, or whatever the measure compares.
    L : objects, optional
        Landmarks. Left out: X against itself; half of it is mirrored only if the measure is
        declared symmetric.
    n_jobs : int, optional
        Threads (processes for Python callables). Default: the cores available; in-process for
        callables.
    progress : bool or Progress, default=False
        Show a progress bar.

    Returns
    -------
    ndarray of shape (n, R), float32

    Examples
    --------
    >>> import seamark as sm
    >>> sm.cross("levenshtein", ["sea", "see"], ["seamark"])
    array([[4.],
           [5.]], dtype=float32)
    """
    return get(measure).cross(X, L, n_jobs=n_jobs, progress=progress)


# Estimators whose X are the objects of a measure.


class ObjectEstimator(BaseEstimator):
    """An estimator whose X are the objects of a measure.

    Subclasses have a parameter `measure`: a Measure, a name, a callable, ``"precomputed"``, or
    where they allow it a list of these.
    """

    measure: Any
    takes_parts: ClassVar[bool] = False
    """Whether landmarks may be of another kind than rows; else rows are compared with rows."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if isinstance(self.measure, str) and self.measure == "auto":
            tags.input_tags.sparse = True
            return tags
        try:
            measure = as_measures(self.measure)[0]
        except (TypeError, ValueError):  # said clearly at fit
            return tags
        matrix = matrix_inside(measure)
        tags.input_tags.pairwise = matrix is not None and matrix.square
        tags.input_tags.sparse = type(measure.domain) is Vectors
        return tags

    def _objects(self, X: Any, measure: Measure, *, reset: bool) -> Any:
        """Return ingested objects, at fit (`reset`) or later; tables keep their columns."""
        if reset and not self.takes_parts:
            require_whole_objects(measure, type(self).__name__)
        X = collected(X)
        objects = measure.domain.ingest(X)
        if reset:
            check_columns(self, X, objects, reset=True)
            self.look_ = measure.domain.look(objects)
        elif not isinstance(measure.domain, MatrixRows):  # which may be chosen columns only
            check_columns(self, X, objects, reset=False)
            measure.domain.require_alike(objects, self.look_)
        return objects


def require_whole_objects(measure: Measure, who: str) -> None:
    """Stop at a measure of objects and parts, where objects are compared with objects."""
    if measure.compares_parts:
        raise ValueError(
            f"{measure!r} compares {measure.domain.name} with {measure.landmark_domain.name}, and "
            f"{who} compares {measure.domain.name} with each other; take another measure, or a "
            "landmark model."
        )
