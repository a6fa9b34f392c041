"""The domains of sets of vectors and of their members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import sparse

from .domain import Domain, Schema, Sizes, as_sequence
from .ragged import Ragged, offsets_of
from .series import as_arrays, concatenate_arrays, reject_bad_items, require_domain
from .vectors import Vectors


@dataclass(frozen=True)
class Sets(Domain):
    """Sets of vectors: (vectors, dimensions) arrays in a list or in one three-dimensional array.

    Examples
    --------
    >>> Sets().ingest([[[0.0, 1.0]], [[1.0, 0.0], [0.5, 0.5]]])
    Ragged(2 sets, lengths 1..2, 2 variables)
    """

    name: ClassVar[str] = "sets"
    one: ClassVar[str] = "set"

    def read(self, raw: Any) -> Ragged:
        """Lists of (vectors, dimensions) arrays or lists, or a three-dimensional array."""
        if isinstance(raw, Ragged):
            X = require_domain(raw, self)
        else:
            arrays = as_arrays(as_sequence(raw, self), self)
            for i, a in enumerate(arrays):
                if a.ndim != 2:
                    raise ValueError(
                        f"set {i} has {a.ndim} dimensions; a set is (vectors, dimensions), "
                        "a set of one vector is x[None, :]."
                    )
                if a.shape[1] != arrays[0].shape[1]:
                    raise ValueError(
                        f"set {i} has vectors of dimension {a.shape[1]} where set 0 has "
                        f"{arrays[0].shape[1]}."
                    )
            X = concatenate_arrays(arrays, self)
        reject_bad_items(X)
        return X

    def look(self, X: Ragged) -> Schema:
        """Dimension of the vectors."""
        return Schema("sets", int(X.values.shape[1]))

    def _unlike(self, X: Ragged, look: Schema, before: Schema) -> str:
        return (
            f"X has vectors of dimension {look.width}, but the sets before had {before.width}; "
            f"give sets of shape (vectors, {before.width})."
        )

    def draw(
        self, n: int, rng: Generator, *, like: Ragged, sizes: Sizes = None, scale: float = 1.0
    ) -> Ragged:
        """Sizes uniform in `sizes` (default 3..15), vectors on the sphere of radius `scale`."""
        offsets = offsets_of(rng.integers(*(sizes or (3, 15)), n, endpoint=True))
        values = rng.normal(size=(offsets[-1], like.values.shape[1]))
        values *= scale / np.linalg.norm(values, axis=1, keepdims=True)
        return Ragged(values.astype(np.float32), offsets, self)


@dataclass(frozen=True)
class Members(Vectors):
    """Vectors, the landmarks of sets of vectors.

    Examples
    --------
    >>> from seamark.data import sets
    >>> X = sets.ingest([[[0.0, 1.0], [2.0, 3.0]], [[4.0, 5.0]]])
    >>> parts, sources = Members().cut(X, 2, np.random.default_rng(0))
    >>> parts, sources
    (array([[2., 3.],
           [4., 5.]]), array([0, 1]))
    """

    name: ClassVar[str] = "members"
    one: ClassVar[str] = "member"

    def read(self, raw: Any) -> NDArray[Any]:
        """Whatever the domain of vectors takes; sparse rows are filled."""
        X = super().read(raw)
        return np.asarray(X.toarray() if sparse.issparse(X) else X)

    def look(self, X: Any) -> Schema:
        """Dimension of the vectors, given alone or in sets."""
        width = X.values.shape[1] if isinstance(X, Ragged) else X.shape[1]
        return Schema(width=int(width))

    def _unlike(self, X: Any, look: Schema, before: Schema) -> str:
        return (
            f"members have dimension {look.width}, but the vectors of the sets have "
            f"{before.width}; give an array of {before.width} columns."
        )

    def cut(self, X: Ragged, n: int, rng: np.random.Generator) -> tuple[Any, NDArray[np.intp]]:
        """Take vectors out of sets, no two of them equal; the sets take turns.

        Parameters
        ----------
        X : Ragged
            Ingested sets.
        n : int
            How many; where fewer differ, fewer are returned.
        rng : numpy Generator

        Returns
        -------
        parts : ndarray of shape (n, dimensions)
            The vectors.
        sources : ndarray of int
            The row each was taken from.
        """
        owners = np.repeat(np.arange(len(X)), X.lengths)
        shuffled = np.lexsort([rng.random(len(owners)), owners])  # set by set, in random order
        turn = np.arange(len(owners)) - np.repeat(X.offsets[:-1] - X.offsets[0], X.lengths)
        order = shuffled[np.lexsort([rng.random(len(owners)), turn])]
        for some in (order[: 2 * n], order):
            first = np.sort(np.unique(self.groups(X.flat[some]), return_index=True)[1])[:n]
            if len(first) == n:
                break
        kept = some[first]
        return X.flat[kept], owners[kept].astype(np.intp)
