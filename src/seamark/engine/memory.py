"""Values of earlier runs, found in a store by the content of function and objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .digest import digest, digest_function
from .evaluate import name_of, objects
from .settings import settings
from .tiles import Mask, Region, Tile

if TYPE_CHECKING:
    from .store import Ids, Store


class Memory:
    """The part of a store that concerns one function, some rows and some landmarks."""

    def __init__(self, store: Store, f: int, rows: Ids, landmarks: Ids, mirrored: bool) -> None:
        self.store = store
        self.f = f
        self.rows = rows
        self.landmarks = landmarks
        self.mirrored = mirrored
        # Equal landmarks share a number, and so a value.
        self._different, self._which = np.unique(landmarks, return_inverse=True)

    def recall(self, region: Region, out: NDArray[np.float32]) -> Mask:
        """Write known values to `out`; return which ones of the region are still needed."""
        need = np.zeros(out.shape, dtype=bool)
        for i, (x, first, last) in enumerate(
            zip(self.rows, region.first, region.last, strict=True)
        ):
            values = self._values(x)[self._which[first:last]]
            known = ~np.isnan(values)
            out[i, : last - first][known] = values[known]
            need[i, : last - first] = ~known
        return need

    def _values(self, x: int) -> NDArray[np.float64]:
        """Return the values of object x against the different landmarks, NaN if unknown."""
        values = np.full(len(self._different), np.nan)
        landmarks, stored = self.store.row(self.f, x)
        where = np.searchsorted(self._different, landmarks)
        ours = where < len(self._different)
        ours[ours] = self._different[where[ours]] == landmarks[ours]
        values[where[ours]] = stored[ours]
        return values

    def keep(self, tile: Tile, values: NDArray[np.float64]) -> None:
        """Store the values of a tile that are not NaN."""
        r, s = np.nonzero(~np.isnan(values))
        x = self.rows[tile.a + r].tolist()
        landmarks = self.landmarks[tile.c + s].tolist()
        numbers = values[r, s].tolist()
        triples = list(zip(x, landmarks, numbers, strict=True))
        if self.mirrored:
            triples += zip(landmarks, x, numbers, strict=True)
        self.store.put(self.f, triples)


@contextmanager
def remembering(
    folder: Any, f: Callable[..., Any], X: Any, L: Any, *, mirrored: bool
) -> Iterator[Memory | None]:
    """Open the memory of a function in a folder, for rows X and landmarks L; None: no folder.

    `mirrored`: a value stands for the swapped pair as well. Such values are kept apart, so that
    a run that does not assume symmetry never uses them.
    """
    if folder is None:
        yield None
        return
    function = _function(f)
    landmarks = _digests(L, "landmark", "")
    rows = landmarks if X is L else _digests(X, "row", " of X")
    from .store import Store  # only here: most imports of this package need no database

    with Store(folder) as store:
        f_id = int(store.ids([function + b"mirrored" if mirrored else function])[0])
        yield Memory(store, f_id, store.ids(rows), store.ids(landmarks), mirrored)


def _function(f: Callable[..., Any]) -> bytes:
    try:
        return digest_function(f)
    except Exception as error:
        raise TypeError(
            f"memory= cannot tell {name_of(f)} from other functions, because something it holds "
            f"has no stable content ({error}); leave memory= out, or give a plain function."
        ) from error


def _digests(X: Any, one: str, of: str) -> list[bytes]:
    found: list[bytes] = []
    for x in _one_by_one(X):
        try:
            found.append(digest(x))
        except Exception as error:
            raise TypeError(
                f"memory= cannot recognise {one} {len(found)}{of} again, a {type(x).__name__} "
                f"without stable content ({error}); leave memory= out, or give plain objects."
            ) from error
    return found


def _one_by_one(X: Any) -> Iterable[Any]:
    few = settings().taken_rows
    for start in range(0, X.shape[0], few):
        yield from objects(X[start : start + few])
