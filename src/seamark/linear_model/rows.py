"""`FoldRows`: all that ridge regression needs to know of rows that are fewer than their columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..engine import settings
from ..features import Features
from .moments import Standard
from .sums import Precision

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FoldRows:
    """Weighted rows ``√w (1, φ, y)``, as they are, and the fold of each.

    What `FoldSums` adds up. Where there are fewer rows than columns, n × R numbers are fewer than
    the R × R of a single fold's sums.

    Parameters
    ----------
    rows : ndarray of shape (n, 1 + R + T)
        About `centre` in units of `scale`, times the root of the weight.
    folds : ndarray of shape (n,)
        Number of each row's fold.
    centre, scale : ndarray of shape (1 + R + T,)
        Where the columns are measured from, and in which unit.
    n_features : int
        R.
    allowed : ndarray of bool, shape (n_folds + 1, R), optional
        As in `FoldSums`.

    Examples
    --------
    >>> from seamark.features import InMemory
    >>> phi, y = np.array([[1.0, 5.0, 2.0], [3.0, 9.0, 2.0]]), np.array([[0.0], [1.0]])
    >>> rows = FoldRows.of(InMemory(phi), y, np.array([0, 1]))
    >>> rows.rows
    array([[ 1., -1., -1.,  0., -1.],
           [ 1.,  1.,  1.,  0.,  1.]])
    """

    rows: Floats
    folds: NDArray[np.intp]
    centre: Floats
    scale: Floats
    n_features: int
    allowed: NDArray[np.bool_] | None = None

    precision: ClassVar[Precision] = "double"

    @classmethod
    def of(
        cls,
        features: Features,
        Y: Floats,
        folds: NDArray[np.intp],
        sample_weight: Floats | None = None,
        *,
        columns: Any = None,
        centred: bool = True,
    ) -> FoldRows:
        """Keep the rows of one pass; parameters as in `FoldSums.of`."""
        how = Standard.of(
            features, Y, folds, sample_weight, columns=columns, dtype=np.float64, centred=centred
        )
        used = how.folds >= 0
        places, n_used = np.cumsum(used) - 1, np.count_nonzero(used)
        kept = np.empty((n_used, len(how.centre)))

        def part(rows: slice, block: NDArray[Any]) -> None:
            numbers, phi = how.in_use(rows, block)
            if len(numbers):
                first = places[numbers[0]]
                how.rows(numbers, phi, out=kept[first : first + len(numbers)])

        features.reduce(part, columns)
        return cls(kept, how.folds[used], how.centre, how.scale, how.n_features)

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return int(self.folds.max()) + 1

    @property
    def fold_weights(self) -> Floats:
        """Sum of the weights in each fold."""
        return self.first[:, 0]

    def some(self, columns: NDArray[np.intp]) -> FoldRows:
        """Return the same of some features; what is added up already is not added up again."""
        targets = np.arange(1 + self.n_features, len(self.centre))
        kept = np.concatenate([[0], 1 + columns, targets])
        rows = self.rows
        if (
            len(columns) and (np.diff(columns) == 1).all()
        ):  # runs are copied sooner than single ones
            first = 1 + int(columns[0])
            runs = rows[:, :1], rows[:, first : first + len(columns)], rows[:, targets[0] :]
            chosen = np.concatenate(runs, axis=1)
        else:
            chosen = np.ascontiguousarray(rows[:, kept])
        part = FoldRows(
            chosen,
            self.folds,
            self.centre[kept],
            self.scale[kept],
            len(columns),
            None if self.allowed is None else self.allowed[:, columns],
        )
        part.__dict__.update(first=self.first[:, kept], second=self.second[:, kept])
        return part

    @cached_property
    def first(self) -> Floats:
        """Σ w a over the rows of each fold, (n_folds, 1 + R + T)."""
        return np.asarray((self._members * self.rows[:, 0]) @ self.rows)

    @cached_property
    def second(self) -> Floats:
        """Σ w a² over the rows of each fold, (n_folds, 1 + R + T)."""
        out, width = np.empty((self.n_folds, self.rows.shape[1])), settings().strip_columns
        for start in range(0, self.rows.shape[1], width):
            strip = slice(start, start + width)
            out[:, strip] = self._members @ np.square(self.rows[:, strip])
        return out

    @property
    def _members(self) -> Floats:
        """Whether each fold holds each row, as 0 and 1."""
        return np.asarray(self.folds == np.arange(self.n_folds)[:, None], dtype=np.float64)
