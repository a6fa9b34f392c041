"""Paths of ridges on some folds, and what they are worth on the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .columns import Array, Rows
from .fold_columns import Shown
from .forward import RidgePath

SURE = 3.0  # standard errors by which a number of columns must be worse to be given up


class Supports(NamedTuple):
    """What was chosen, and the table it was chosen from."""

    columns: list[Rows]
    """In the order chosen: without each fold, and by all rows."""
    penalty: float
    results: dict[str, list[Any]]
    """What was tried, and its errors; empty if there is one fold."""


def chosen(
    shown: Callable[[int | None, int], Shown],
    n_folds: int,
    options: tuple[list[int], list[float]],
    offered: list[Rows],
) -> Supports:
    """Choose columns by all rows; where there are folds, their errors decide how many.

    Numbers of columns that are surely too large after the first folds are given up.

    Parameters
    ----------
    shown : callable
        ``shown(fold, i)``: rows without a fold, None for all, and the i-th of the columns offered.
    n_folds : int
    options : tuple of two lists
        Numbers of columns, and penalties, to try.
    offered : list of ndarray of int
        Columns that may be chosen without each fold and, last, by all rows; or these alone.
    """
    (sizes, penalties), table = options, {}
    size, penalty, columns = sizes[0], penalties[0], []
    if n_folds > 1:
        race, paths = Race(sizes), []
        for fold in range(n_folds):
            own = fold % len(offered)
            rows = shown(fold, own)
            found = [rows.path(race.sizes[-1], one) for one in penalties]
            race.add([rows.errors(path, race.sizes) for path in found])
            paths.append([offered[own][path.support] for path in found])
        i, k = race.best()
        size, penalty = sizes[k], penalties[i]
        table = {"penalty": penalties, "n_features": sizes, "error": race.means().tolist()}
        columns = [of_fold[i][:size] for of_fold in paths]
    last: RidgePath = shown(None, -1).path(size, penalty)
    return Supports([*columns, offered[-1][last.support]], penalty, table)


@dataclass
class Race:
    """Errors of each row, known fold by fold, of models with some numbers of columns.

    Parameters
    ----------
    sizes : list of int
        Rising; the last are given up once they are surely worse than a smaller one.

    Examples
    --------
    >>> race, rng = Race([8, 16, 32]), np.random.default_rng(0)
    >>> race.add([rng.normal([[1.0], [0.9], [1.5]], 0.1, size=(3, 100))])
    >>> race.sizes
    [8, 16]
    >>> race.add([rng.normal([[1.0], [0.9]], 0.1, size=(2, 100))])
    >>> race.best(), race.means().round(1).tolist()
    ((0, 1), [[1.0, 0.9, nan]])
    """

    sizes: list[int]
    errors: list[Array] = field(default_factory=list)  # of each fold, (penalties, sizes, rows)
    n_sizes: int = 0

    def __post_init__(self) -> None:
        self.n_sizes = len(self.sizes)

    def add(self, errors: list[Array]) -> None:
        """Add what rows of a fold say, (sizes, rows) for each penalty."""
        self.errors.append(np.array(errors))
        seen = np.concatenate([one[:, : len(self.sizes)] for one in self.errors], axis=2)
        i, k = self.best()
        while len(self.sizes) > k + 1:
            worse = seen[:, len(self.sizes) - 1] - seen[i, k]
            spread = worse.std(axis=1) / np.sqrt(worse.shape[1])
            if (worse.mean(axis=1) <= SURE * spread).any():
                break
            self.sizes = self.sizes[:-1]

    def means(self) -> Array:
        """Mean error of each penalty and number of columns; NaN of those given up."""
        found = np.full((len(self.errors[0]), self.n_sizes), np.nan)
        kept = len(self.sizes)
        seen = np.concatenate([one[:, :kept] for one in self.errors], axis=2)
        found[:, :kept] = seen.mean(axis=2)
        return found

    def best(self) -> tuple[int, int]:
        """Places of the penalty and the number of columns with the least error."""
        means = self.means()
        i, k = divmod(int(np.nanargmin(means)), means.shape[1])
        return i, k
