"""`Pilot`: values that were computed while a map was fitted, so that none is computed twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.intp]
Values = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Pilot:
    """Rows of fit's X, rising, and their values against the landmarks.

    Examples
    --------
    >>> pilot = Pilot(np.array([1, 4]), np.array([[10.0], [40.0]], dtype=np.float32))
    >>> pilot.n_known(slice(0, 4))
    1
    >>> pilot.complete(slice(0, 3), lambda rows: rows[:, None].astype(np.float32)).tolist()
    [[0.0], [10.0], [2.0]]
    """

    rows: Rows
    values: Values

    def among(self, rows: Rows, columns: Rows) -> Pilot:
        """Return what is known of some rows, rising, and of some landmarks.

        Examples
        --------
        >>> pilot = Pilot(np.array([1, 4]), np.array([[10, 11], [40, 41]], dtype=np.float32))
        >>> some = pilot.among(np.array([0, 4, 5]), np.array([1]))
        >>> some.rows.tolist(), some.values.tolist()
        ([1], [[41.0]])
        """
        _, ours, theirs = np.intersect1d(self.rows, rows, assume_unique=True, return_indices=True)
        return Pilot(theirs, self.values[np.ix_(ours, columns)])

    def _known(self, rows: slice) -> slice:
        start, stop = np.searchsorted(self.rows, [rows.start, rows.stop])
        return slice(int(start), int(stop))

    def n_known(self, rows: slice) -> int:
        """How many of these rows there are."""
        known = self._known(rows)
        return int(known.stop - known.start)

    def complete(self, rows: slice, compute: Callable[[Rows], Values]) -> Values:
        """Values of all rows of a slice, of which only the others are computed."""
        known = self._known(rows)
        at = self.rows[known] - rows.start
        values = np.empty((rows.stop - rows.start, self.values.shape[1]), dtype=np.float32)
        values[at] = self.values[known]
        others = np.setdiff1d(np.arange(len(values)), at, assume_unique=True)
        if len(others):
            values[others] = compute(rows.start + others)
        return values
