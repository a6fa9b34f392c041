"""Plans over bags: things with weights, such as n-grams of strings or labels in graphs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .. import engine
from .base import Measure

Values = Literal["cosine", "minmax", "dot"]
THING_SECONDS = 1.5e-7  # to find one thing of a row and weigh it
SHARED_SECONDS = 1e-10  # per thing of a row and landmark


@dataclass(frozen=True)
class Bags:
    """Bag i holds ``things[offsets[i]:offsets[i + 1]]``, none of them twice, with their weights."""

    things: NDArray[Any]
    weights: NDArray[np.float32]
    offsets: NDArray[np.int64]

    def sums(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return the sum of some values of the things of every bag."""
        running = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
        return np.asarray(running[self.offsets[1:]] - running[self.offsets[:-1]])

    def scaled(self) -> Bags:
        """Return bags whose squared weights add up to 1; an empty one stays empty."""
        sizes = np.sqrt(self.sums(np.square(self.weights, dtype=np.float64)))
        factors = 1.0 / np.where(sizes > 0, sizes, 1.0)
        weights = self.weights * np.repeat(factors, np.diff(self.offsets))
        return Bags(self.things, weights.astype(np.float32), self.offsets)


class BagMeasure(Measure):
    """A similarity of what objects hold: their bags."""

    values: Values
    kind = "similarity"
    symmetric = True
    psd = True

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """Only products have no upper bound."""
        return (0.0, np.inf) if self.values == "dot" else (0.0, 1.0)

    @abstractmethod
    def bags(self, X: Any) -> Bags:
        """Return the bags of ingested objects."""

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """1, or the squared size; 0 of an empty bag."""
        bags = self.bags(X)
        squares = bags.sums(np.square(bags.weights, dtype=np.float64))
        return squares if self.values == "dot" else np.asarray(squares > 0, np.float64)


class BagPlan(engine.Plan):
    """Bags compared with landmark bags.

    Parameters
    ----------
    L : Bags
        Landmarks.
    values : {"cosine", "minmax", "dot"}
        Σ ab / √(Σ a² Σ b²), Σ min(a, b) / Σ max(a, b), or Σ ab.
    bags : callable
        ``bags(rows)`` returns the Bags of ingested rows.
    sizes : callable
        ``sizes(rows)`` estimates how many things the rows hold.
    """

    def __init__(
        self,
        L: Bags,
        values: Values,
        bags: Callable[[Any], Bags],
        sizes: Callable[[Any], NDArray[Any]],
    ) -> None:
        self.n_landmarks = len(L.offsets) - 1
        self.values, self.bags, self.sizes = values, bags, sizes
        self.known, things = np.unique(L.things, return_inverse=True)
        self.totals = L.sums(L.weights)
        kernels = engine.backend()
        self.slowness = kernels.slowness
        weights = (L.scaled() if values == "cosine" else L).weights
        value = "smaller" if values == "minmax" else "product"
        numbers = things.astype(np.int32)
        self.plan = kernels.bags(numbers, weights, L.offsets, len(self.known), value)

    def seconds(self, X: Any) -> NDArray[np.float64]:
        """In proportion to the things of the rows."""
        per_thing = THING_SECONDS + self.n_landmarks * SHARED_SECONDS
        return np.asarray(self.sizes(X) * (per_thing * self.slowness), np.float64)

    def fill(self, X: Any, out: NDArray[np.float32], stop: Any) -> None:
        """Sum over the things that rows and landmarks share, then divide."""
        rows = self.bags(X)
        weights = (rows.scaled() if self.values == "cosine" else rows).weights
        self.plan.run(self._numbers(rows.things), weights, rows.offsets, out, stop)
        if self.values == "cosine":
            np.minimum(out, 1.0, out=out)
        elif self.values == "minmax":
            union = np.add.outer(rows.sums(rows.weights), self.totals).astype(np.float32) - out
            np.divide(out, union, out=out, where=union > 0)

    def _numbers(self, things: NDArray[Any]) -> NDArray[np.int32]:
        """Numbers of things among those of the landmarks; -1: in none."""
        if not len(self.known):
            return np.full(len(things), -1, dtype=np.int32)
        places = np.searchsorted(self.known, things)
        places[places == len(self.known)] = 0
        return np.where(self.known[places] == things, places, -1).astype(np.int32)


def check_values(values: Any) -> None:
    """Require a way to compare bags."""
    if values not in ("cosine", "minmax", "dot"):
        raise ValueError(f"values must be 'cosine', 'minmax' or 'dot', not {values!r}.")
