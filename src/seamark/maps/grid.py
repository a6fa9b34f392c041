"""Measures × landmarks, of which a subset over several measures uses some cells only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Grid:
    """Which landmark each measure is evaluated at.

    A cell has the number measure · R + landmark. Values of several measures stand side by side in
    the order of these numbers; features may stand in another.

    Parameters
    ----------
    n_measures, n_landmarks : int
        M and R.
    cells : ndarray of int or None
        The cells in use, in the order of the features; None: all, as they are numbered.

    Examples
    --------
    >>> grid = Grid(2, 3, np.array([5, 0, 3]))
    >>> grid.read()  # landmark 0 by the first measure, landmarks 0 and 2 by the second
    [array([0]), array([0, 2])]
    >>> grid.as_features(np.array([["0", "3", "5"]]))
    array([['5', '0', '3']], dtype='<U1')
    """

    n_measures: int
    n_landmarks: int
    cells: Rows | None = None

    @property
    def numbers(self) -> Rows:
        """Numbers of the cells in use, in the order of the features."""
        every = np.arange(self.n_measures * self.n_landmarks)
        return every if self.cells is None else self.cells

    def read(self) -> list[Rows]:
        """Return the landmarks that each measure is evaluated at."""
        owners, places = np.divmod(np.sort(self.numbers), self.n_landmarks)
        return [places[owners == m] for m in range(self.n_measures)]

    def as_features(self, side_by_side: NDArray[Any]) -> NDArray[Any]:
        """Return columns of the measures, side by side, in the order of the features."""
        if self.cells is None:
            return side_by_side
        return side_by_side[:, np.argsort(np.argsort(self.cells))]

    def side_by_side(self, features: NDArray[Any]) -> NDArray[Any]:
        """Return columns in the order of the features, measures side by side."""
        return features if self.cells is None else features[:, np.argsort(self.cells)]

    def owners(self, columns: Rows) -> Rows:
        """Return the number of the measure behind each of some features."""
        return np.asarray(self.numbers[columns] // self.n_landmarks)

    def behind(self, column: int) -> int:
        """Return the landmark behind one of the columns side by side."""
        return int(np.sort(self.numbers)[column] % self.n_landmarks)

    def subset(self, columns: Rows) -> tuple[Rows, Rows]:
        """Return the landmarks still needed for some features, and the cells of a grid of these."""
        owners, places = np.divmod(self.numbers[columns], self.n_landmarks)
        kept, positions = np.unique(places, return_inverse=True)
        return kept, owners * len(kept) + positions
