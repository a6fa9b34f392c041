"""Objects of a column in which some are missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Gapped:
    """Ingested objects of a column, and which of them are not there.

    Attributes
    ----------
    objects : objects or None
        As many as there are cells: another object stands where one is missing. None: all are.
    missing : ndarray of bool
    """

    objects: Any
    missing: Mask

    @property
    def shape(self) -> tuple[int]:
        """``(n,)``."""
        return (len(self.missing),)

    def __len__(self) -> int:
        return len(self.missing)

    def __getitem__(self, key: Any) -> Any:
        """Return one object, None if it is missing, for an int; or some as another such column."""
        if isinstance(key, (int, np.integer)):
            return None if self.missing[key] else self.objects[key]
        return Gapped(None if self.objects is None else self.objects[key], self.missing[key])


def require_some(missing: Mask) -> Mask:
    """Stop if all objects are missing."""
    if missing.all():
        raise ValueError("all its objects are missing; leave it out.")
    return missing


def name_present_rows(fitted: Any, missing: Mask) -> None:
    """Have landmarks that stand in for missing objects be those of the first row that is full.

    A row in which nothing stands has a label, which says nothing of the object in its place.

    Parameters
    ----------
    fitted : Map
        Fitted to objects `without_gaps`; its `landmark_indices_` and `landmark_sources_` change.
    missing : ndarray of bool
    """
    first = int(np.argmin(missing))
    for name in ("landmark_indices_", "landmark_sources_"):
        rows = getattr(fitted, name, None)
        if rows is not None:
            stand_in = (rows >= 0) & missing[np.maximum(rows, 0)]
            setattr(fitted, name, np.where(stand_in, first, rows))


def mean_of_present(block: NDArray[Any], missing: Mask) -> NDArray[Any]:
    """Return the mean features of the objects among the first that are there."""
    there = ~missing[: len(block)]
    return np.asarray((block[there] if there.any() else block).mean(axis=0, dtype=np.float64))
