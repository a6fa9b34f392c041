"""What to draw for an object, in plain numbers, on one scale for all objects of a picture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

MOST_POINTS = 160  # of one curve or cloud: more than a small picture can show
MOST_CURVES = 6


@dataclass(frozen=True)
class Letters:
    """A string, to be drawn as its letters."""

    text: str


@dataclass(frozen=True)
class Curves:
    """One or more curves over a common axis: a series, or the entries of a vector."""

    x: Numbers
    lines: Numbers
    """(curves, points)"""


@dataclass(frozen=True)
class Cloud:
    """Points of the plane."""

    points: Numbers


@dataclass(frozen=True)
class Words:
    """An object of an unknown type, shown by its own text."""

    thing: Any


Shape = Letters | Curves | Cloud | Words


class DrawingScale:
    """The common scale on which objects of one kind are drawn.

    Parameters
    ----------
    objects : iterable
        All that will be drawn.
    domain : str
        "strings", "series", "sets", "vectors", or anything else.

    Attributes
    ----------
    limits : tuple of float or None
        Left, right, bottom and top of what there is to see; None for letters and words.

    Examples
    --------
    >>> frame = DrawingScale([np.array([0.0, 2.0, 1.0])], "series")
    >>> frame.limits
    (0.0, 2.0, 0.0, 2.0)
    >>> type(frame.shape("text")).__name__
    'Letters'
    """

    def __init__(self, objects: Iterable[Any], domain: str) -> None:
        self.domain = domain
        things = list(objects)
        self._plane = _plane(things) if domain == "sets" else None
        self.limits = _limits([self.shape(one) for one in things])

    def shape(self, thing: Any) -> Shape:
        """Return what an object looks like."""
        if isinstance(thing, (str, bytes, bytearray)):
            return Letters(thing if isinstance(thing, str) else bytes(thing).decode("latin-1"))
        array = _numbers(thing)
        if array is None:
            return Words(thing)
        if self.domain == "sets" and array.ndim in (1, 2):
            array = np.atleast_2d(array)  # a single member
            return Cloud(self._on_plane(_thinned(array)))
        if self.domain in ("series", "vectors") and array.ndim in (1, 2):
            lines = np.atleast_2d(array)[:MOST_CURVES]
            kept = _few(lines.shape[1])
            return Curves(kept.astype(np.float64), lines[:, kept])
        return Words(thing)

    def _on_plane(self, points: Numbers) -> Numbers:
        if self._plane is not None and points.shape[1] == len(self._plane[0]):
            centre, axes = self._plane
            return np.asarray((points - centre) @ axes)
        flat = np.zeros((len(points), 2))
        flat[:, : min(2, points.shape[1])] = points[:, :2]
        return flat


def _numbers(thing: Any) -> Numbers | None:
    """Return the object as a non-empty array of at least one dimension; None if it is not one."""
    try:
        array = np.asarray(thing, dtype=np.float64)
    except (TypeError, ValueError):  # words, dictionaries, sparse rows, lists of unequal lists
        return None
    return array if array.ndim and array.size else None


def _few(n: int) -> NDArray[np.intp]:
    return np.unique(np.linspace(0, n - 1, min(n, MOST_POINTS)).round().astype(np.intp))


def _thinned(points: Numbers) -> Numbers:
    return points[_few(len(points))]


def _plane(things: list[Any]) -> tuple[Numbers, Numbers] | None:
    """Centre and two principal axes of vectors of more than two dimensions; they share a plane."""
    arrays = [a for a in map(_numbers, things) if a is not None and a.ndim == 2]
    if not arrays or arrays[0].shape[1] <= 2 or len({a.shape[1] for a in arrays}) > 1:
        return None
    points = np.concatenate([_thinned(a) for a in arrays])
    points = points[np.isfinite(points).all(axis=1)]
    if len(points) == 0:
        return None
    centre = points.mean(axis=0)
    axes = np.linalg.svd(points - centre, full_matrices=False)[2][:2].T
    return centre, axes if axes.shape[1] == 2 else np.pad(axes, ((0, 0), (0, 1)))


def _limits(shapes: list[Shape]) -> tuple[float, float, float, float] | None:
    pairs = [(s.x, s.lines.ravel()) for s in shapes if isinstance(s, Curves)]
    pairs += [(s.points[:, 0], s.points[:, 1]) for s in shapes if isinstance(s, Cloud)]
    if not pairs:
        return None
    sides = [np.concatenate(side) for side in zip(*pairs, strict=True)]
    (left, right), (bottom, top) = (span(side) for side in sides)
    return left, right, bottom, top


def span(values: Numbers) -> tuple[float, float]:
    """Return the smallest and the largest finite value; moved a little apart if they are equal.

    Examples
    --------
    >>> span(np.array([3.0, np.nan]))
    (1.5, 4.5)
    """
    finite = values[np.isfinite(values)]
    if len(finite) == 0:
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    around = 0.5 * max(1.0, abs(low))
    return (low, high) if high > low else (low - around, high + around)


# Two strings, letter under letter, with as few edits as possible.


Column = tuple[str, str]
"""A letter of each string; "" where the other string has a letter more."""


def aligned(a: str, b: str) -> list[Column]:
    """Return columns of letters of a and b, as few of them unequal as possible.

    Examples
    --------
    >>> aligned("cat", "cart")
    [('c', 'c'), ('a', 'a'), ('', 'r'), ('t', 't')]
    """
    cost = _costs(a, b)
    i, j = len(a), len(b)
    columns: list[Column] = []
    while i or j:
        if i and j and cost[i, j] == cost[i - 1, j - 1] + (a[i - 1] != b[j - 1]):
            i, j = i - 1, j - 1
            columns.append((a[i], b[j]))
        elif i and cost[i, j] == cost[i - 1, j] + 1:
            i -= 1
            columns.append((a[i], ""))
        else:
            j -= 1
            columns.append(("", b[j]))
    return columns[::-1]


def runs(columns: list[Column]) -> list[tuple[str, list[Column]]]:
    """Return neighbouring columns of one state together: "same", "other" or "gap".

    Examples
    --------
    >>> [(state, len(columns)) for state, columns in runs(aligned("cat", "cart"))]
    [('same', 2), ('gap', 1), ('same', 1)]
    """
    return [(state, list(some)) for state, some in groupby(columns, _state)]


def _state(column: Column) -> str:
    if "" in column:
        return "gap"
    return "same" if column[0] == column[1] else "other"


def _costs(a: str, b: str) -> NDArray[np.int64]:
    """Edit distances of all prefixes of a and b."""
    # Code points, since numpy takes a NUL for the end of a string.
    letters, steps = np.fromiter(map(ord, b), np.int64, len(b)), np.arange(len(b) + 1)
    cost = np.empty((len(a) + 1, len(b) + 1), dtype=np.int64)
    cost[0] = steps
    for i, letter in enumerate(a, start=1):
        above = cost[i - 1]
        row = above + 1
        row[1:] = np.minimum(row[1:], above[:-1] + (letters != ord(letter)))
        # Insertions cost one per step along the row: a running minimum after taking the slope off.
        cost[i] = np.minimum.accumulate(row - steps) + steps
    return cost
