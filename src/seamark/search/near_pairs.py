"""Pairs of objects within a distance, and how they are found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from .. import engine
from ..data import pandas_for
from ..measures import Measure
from ..plotting.text import html_table, visible
from .index import Index

Rows = NDArray[np.intp]
Values = NDArray[np.float32]

QUERIED_ROWS = 2048
"""Objects that are looked up in an index together."""
SHOWN, WIDE = 10, 60
"""Pairs in the text of a result, and characters of each object."""


@dataclass(frozen=True, eq=False, repr=False)
class Pairs:
    """Pairs of objects within a distance, sorted by their rows.

    Attributes
    ----------
    left, right : ndarray of int
        Rows of both objects. Of duplicates the smaller row is left; of links, rows of each side.
    values : ndarray of float32
        Their distances, or similarities.
    groups : ndarray of int
        Number of each pair's group: objects that are connected by pairs, however many, are one.
    left_objects, right_objects : objects
        All that were compared.

    Examples
    --------
    >>> from seamark.search import duplicates
    >>> found = duplicates(["Anna", "Otto", "Ana", "Annas"], "levenshtein", within=1)
    >>> len(found), found.left, found.right, found.groups
    (2, array([0, 0]), array([2, 3]), array([0, 0]))
    >>> found
    2 pairs in 1 group
    1: Anna ~ Ana
    1: Anna ~ Annas
    """

    left: Rows
    right: Rows
    values: Values
    groups: Rows
    left_objects: Any
    right_objects: Any

    def __len__(self) -> int:
        return len(self.left)

    def __iter__(self) -> Iterator[tuple[int, int, float]]:
        """Yield row, row and value of each pair."""
        yield from zip(self.left.tolist(), self.right.tolist(), self.values.tolist(), strict=True)

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return int(self.groups.max(initial=-1)) + 1

    def members(self) -> list[Rows]:
        """Return the rows of each group, of duplicates of one collection."""
        if self.left_objects is not self.right_objects:
            raise ValueError("links have rows of two collections; take those of left and right.")
        rows, group = np.concatenate([self.left, self.right]), np.tile(self.groups, 2)
        each = np.unique(np.stack([group, rows]), axis=1)
        return np.split(each[1], np.flatnonzero(np.diff(each[0])) + 1) if len(self) else []

    def labels(self) -> Rows:
        """Return the number of each object's group, −1 for those that are in none."""
        found = np.full(self.left_objects.shape[0], -1, dtype=np.intp)
        for number, rows in enumerate(self.members()):
            found[rows] = number
        return found

    def to_frame(self) -> Any:
        """Return a pandas DataFrame of rows, values, groups, and the objects themselves."""
        pd = pandas_for("to_frame")
        columns = {"left": self.left, "right": self.right, "value": self.values}
        frame = pd.DataFrame({**columns, "group": self.groups})
        frame["left_object"] = pd.Series([self.left_objects[i] for i in self.left], dtype=object)
        frame["right_object"] = pd.Series([self.right_objects[i] for i in self.right], dtype=object)
        return frame

    def __str__(self) -> str:
        lines = [f"{self._title()}", *(f"{v:g}: {a} ~ {b}" for *_, v, _, a, b in self._first())]
        return "\n".join([*lines, *(["…"] if len(self) > SHOWN else [])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "left", "right", "value", "group", "", ""
        return f"<p>{self._title()}</p>" + html_table(self._first(), head)

    def _title(self) -> str:
        n, m = len(self), self.n_groups
        return f"{n} pair{'s' * (n != 1)} in {m} group{'s' * (m != 1)}"

    def _first(self) -> list[tuple[Any, ...]]:
        """The first few pairs, as a table."""
        columns = (self.left, self.right, self.values, self.groups)
        return [
            (*one, self._text(self.left_objects, one[0]), self._text(self.right_objects, one[1]))
            for one in zip(*(column[:SHOWN].tolist() for column in columns), strict=True)
        ]

    def _text(self, objects: Any, row: int) -> str:
        return visible(objects[row], WIDE)


def near_pairs(
    measure: Measure,
    X: Any,
    Y: Any,
    within: float,
    most: int,
    n_jobs: int | None,
    progress: bool | engine.Progress,
) -> tuple[Rows, Rows, Values]:
    """Return rows and values of all pairs within a distance; of X alone where Y is None."""
    options: dict[str, Any] = {"most": most, "n_jobs": n_jobs, "progress": progress}
    try:
        found = measure.pairs_within(X, Y, float(within), **options)
        return _looked_up(measure, X, Y, float(within), **options) if found is None else found
    except engine.TooManyPairsError:
        raise ValueError(
            f"more than {most} pairs are within {within:g}; choose a smaller distance, drop equal "
            "objects first, or raise max_pairs."
        ) from None


def _looked_up(
    measure: Measure,
    X: Any,
    Y: Any,
    within: float,
    most: int,
    n_jobs: int | None,
    progress: bool | engine.Progress,
) -> tuple[Rows, Rows, Values]:
    """Look every object up in an index of the others."""
    index = Index(measure, n_jobs=n_jobs).fit(X if Y is None else Y)
    n, parts = X.shape[0], []
    with engine.progress_bar(progress) as bar:
        bar.start(n, unit="objects")
        for a, b in pairwise([*range(0, n, QUERIED_ROWS), n]):
            values, ids = index.within(X[a:b], within)
            rows = np.repeat(np.arange(a, b), [len(one) for one in ids])
            columns, near = np.concatenate(ids), np.concatenate(values)
            new = columns > rows if Y is None else np.ones(len(rows), dtype=bool)
            parts.append((rows[new], columns[new], near[new]))
            most -= int(new.sum())
            if most < 0:
                raise engine.TooManyPairsError
            bar.advance(b - a)
    left, right, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    return left, right, values


def numbered(left: Rows, right: Rows, values: Values, X: Any, Y: Any) -> Pairs:
    """Sort pairs by their rows, and number their groups by their first pairs."""
    order = np.lexsort((right, left))
    left, right, values = left[order], right[order], values[order]
    n, m = X.shape[0], X.shape[0] + (0 if Y is X else Y.shape[0])
    edges = np.ones(len(left), dtype=np.int8), (left, right + (0 if Y is X else n))
    _, each = connected_components(sparse.coo_array(edges, shape=(m, m)), False)
    _, first, groups = np.unique(each[left], return_index=True, return_inverse=True)
    return Pairs(left, right, values, np.argsort(np.argsort(first))[groups], X, Y)
