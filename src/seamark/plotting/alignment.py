"""Two strings, letter under letter, with as few edits as possible."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from numpy.typing import NDArray

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
