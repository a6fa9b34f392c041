"""Landmarks chosen one by one, each far from those before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import engine
from ..data import distinct
from ..measures import Measure
from ..targets import shuffled
from .base import FromRows, Rows, groups_in, interleaved, rows_to_choose, shared_out


@dataclass(eq=False, repr=False)
class Diverse(FromRows):
    """DSELECT: each next landmark is the object least similar, on average, to those chosen.

    Parameters
    ----------
    per_class : bool, default=True
        Choose within each class, an equal number. Without labels there is one class.
    candidates : objects, optional
        Choose among these instead, which have no labels.

    Notes
    -----
    n·R evaluations: sums of similarities to the chosen are kept, not matrices. Of equal objects one
    is looked at: copies of what is far from all others would be chosen again and again.
    """

    per_class: bool = True
    candidates: Any = None

    name = "diverse"

    def rows(self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator) -> Rows:
        """Choose one by one."""
        labels = y if self.per_class else None
        kinds = groups_in(X, measure.domain)
        groups = rows_to_choose(labels, n, kinds, None)
        shares = shared_out(n, [len(group) for group in groups], equal=True)
        chosen = [
            spread_out(measure, X, group, share, rng, join=np.add, kinds=kinds)
            for group, share in zip(groups, shares, strict=True)
        ]
        return interleaved(chosen)


@dataclass(eq=False, repr=False)
class FarthestFirst(FromRows):
    """Each next landmark is the object farthest from its nearest landmark so far (k-centre).

    Parameters
    ----------
    candidates : objects, optional
        Choose among these instead of the rows of X.
    """

    candidates: Any = None

    name = "farthest"

    def rows(self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator) -> Rows:
        """Choose one by one."""
        kinds = groups_in(X, measure.domain)
        everything = distinct(np.arange(X.shape[0]), kinds)
        n = min(n, len(everything))
        return spread_out(measure, X, everything, n, rng, join=np.minimum, kinds=kinds)


def spread_out(
    measure: Measure,
    X: Any,
    group: Rows,
    n: int,
    rng: np.random.Generator,
    *,
    join: np.ufunc,
    kinds: Rows,
) -> Rows:
    """Choose rows of a group one by one, each the farthest from those before.

    How far an object is from those chosen is `join` (sum, minimum) of its distances to them. Of
    many rows the first, and the one of several that are as far, is that of the smallest hash of
    seed and object (`kinds`), so that the order of rows does not matter.
    """
    sign = measure.distance_sign()
    if n == 0:
        return group[:0]
    if X.shape[0] > engine.settings().hashed_from:
        (group,), first = shuffled([group], kinds, rng), 0
    else:
        first = int(rng.integers(len(group)))
    objects, chosen = X[group], [first]
    far = np.full(len(group), 0.0 if join is np.add else np.inf)
    while len(chosen) < n:
        newest = measure.domain.landmarks(X, group[chosen[-1:]])
        values = engine.run(measure.recipe(newest), objects)[:, 0]
        far = join(far, sign * values.astype(np.float64))
        far[chosen] = -np.inf
        chosen.append(int(far.argmax()))
    return group[chosen]
