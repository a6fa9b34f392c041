"""Features that y decides, of rows of a sample they were fitted to, among many other rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..features import Rows
from .united import ComputedFeatures, UnitedFeatures, UnseenFeatures


@dataclass(frozen=True, eq=False)
class Unseen:
    """Features of the objects of a sample as maps give them that have not seen these.

    Attributes
    ----------
    hashes : ndarray of int
        Of the objects, sorted.
    held : ndarray of shape (n, number of columns)
    columns : ndarray of int
        Where these stand among all features.
    """

    hashes: NDArray[np.int64]
    held: NDArray[Any]
    columns: Rows

    @classmethod
    def of(cls, features: Any, hashes: NDArray[np.int64]) -> Self | None:
        """Return those among the features of a sample that y has decided; None: there are none."""
        parts: list[Any] = features.parts if isinstance(features, UnitedFeatures) else []
        decided = [k for k, part in enumerate(parts) if isinstance(part, UnseenFeatures)]
        if not decided:
            return None
        owners = features.map.owners()
        columns = np.concatenate([np.flatnonzero(owners == k) for k in decided])
        held = np.concatenate([parts[k].held for k in decided], axis=1)
        first = np.unique(hashes, return_index=True)[1]
        return cls(hashes[first], held[first], columns)

    def put_into(self, features: ComputedFeatures, hashes: NDArray[np.int64]) -> ComputedFeatures:
        """Return features of objects in which those of the sample have their own."""
        places = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        known = self.hashes[places] == hashes
        return PartlySeen(features, self, np.where(known, places, -1)) if known.any() else features


class PartlySeen(ComputedFeatures):
    """Features of rows some of which a map was fitted to; see `Unseen`.

    Parameters
    ----------
    features : ComputedFeatures
    unseen : Unseen
    places : ndarray of int
        Of the rows among those of `unseen`; -1: not among them.
    """

    def __init__(self, features: ComputedFeatures, unseen: Unseen, places: Rows) -> None:
        super().__init__(features.map, features.X)
        self.unseen, self.places = unseen, places

    def chunks(self, columns: Any = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield chunks of features."""
        for rows in self.map.row_chunks(self.shape[0]):
            with engine.numbering(rows, within=True):
                block = self.chunk(rows, columns)
            yield rows, block

    def rows(self, indices: Rows, columns: Any = None) -> NDArray[Any]:
        """Compute the features of some rows."""
        some = ComputedFeatures(self.map, self.X[indices])
        return PartlySeen(some, self.unseen, self.places[indices]).chunk(slice(None), columns)

    def chunk(
        self, rows: slice, columns: Any = None, progress: bool | engine.Progress = False
    ) -> NDArray[Any]:
        """Return the features of a run of rows."""
        block = super().chunk(rows)
        own = np.flatnonzero(self.places[rows] >= 0)
        block[np.ix_(own, self.unseen.columns)] = self.unseen.held[self.places[rows][own]]
        return block if columns is None else block[:, columns]
