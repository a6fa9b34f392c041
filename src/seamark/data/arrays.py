"""The domains of time series and of sets of vectors: ragged collections of number arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .arrow import from_arrow
from .domain import Domain, as_sequence, reject_empty, reject_unfit_numbers
from .look import Look
from .numbers import non_numbers, unmasked
from .ragged import Ragged, offsets_of
from .tables import reject_long_and_nested


@dataclass(frozen=True)
class Series(Domain):
    """Time series in aeon's shapes.

    (n, time), (n, channels, time), or a list of one-dimensional or (channels, time) arrays.
    Stored time-major, (total time, channels); an item comes back as the user gave it.

    Examples
    --------
    >>> series = Series()
    >>> series.ingest([[1.0, 2.0, 3.0], [4.0]])
    Ragged(2 series, lengths 1..3, 1 variables)
    >>> series.ingest(np.zeros((5, 3, 20)))[0].shape
    (3, 20)
    """

    name: ClassVar[str] = "series"
    one: ClassVar[str] = "series"
    flat: bool = True
    """Whether an item is one-dimensional (a univariate series given without a channel axis)."""

    def ingest(self, raw: Any, *, like: Ragged | None = None) -> Ragged:
        """Arrays (n, time) or (n, channels, time), frames, lists of 1-D or (channels, time)."""
        if isinstance(raw, Ragged):
            X = _same_domain(raw, self)
        else:
            reject_long_and_nested(raw)
            table = _as_table(raw)
            if table is None:
                X = self._stack(_as_arrays(as_sequence(raw, self), self))
            else:
                X = self._split(table)
        _reject_bad_items(X, "; trailing padding is cut by [x[~np.isnan(x)] for x in X]")
        if like is not None:
            self.require_alike(X, like)
        return X

    def look(self, X: Ragged) -> Look:
        """Number of channels."""
        return Look("series", int(X.values.shape[1]))

    def _unlike(self, X: Ragged, look: Look, before: Look) -> str:
        remedy = f"give arrays of shape ({before.width}, time)"
        if before.width == 1:
            remedy = "give arrays of shape (time,)"
        elif bool((X.lengths == before.width).all()):
            remedy = "they look like (time, channels), so give [x.T for x in X]"
        channels = "channel" if look.width == 1 else "channels"
        return f"X has {look.width} {channels}, but the series before had {before.width}; {remedy}."

    def _split(self, table: NDArray[Any]) -> Ragged:
        """(n, time) without a copy, or (n, channels, time) transposed."""
        n, time = table.shape[0], table.shape[-1]
        channels = table.shape[1] if table.ndim == 3 else 1
        values = table if table.ndim == 2 else table.transpose(0, 2, 1)
        offsets = np.arange(n + 1, dtype=np.int64) * time
        return Ragged(values.reshape(n * time, channels), offsets, Series(flat=table.ndim == 2))

    def _stack(self, arrays: list[NDArray[Any]]) -> Ragged:
        ndim = arrays[0].ndim if arrays else 1
        for i, a in enumerate(arrays):
            if a.ndim != ndim or a.ndim not in (1, 2):
                raise ValueError(
                    f"series {i} has {a.ndim} dimensions where series 0 has {ndim}; give all as "
                    "(time,) or all as (channels, time)."
                )
        if ndim == 2:
            _reject_mixed_channels(arrays)
        rows = [a[:, None] if ndim == 1 else a.T for a in arrays]
        return _concatenate(rows, Series(flat=ndim == 1))

    def item(self, values: NDArray[Any]) -> NDArray[Any]:
        """(time,) or (channels, time), a view."""
        return values[:, 0] if self.flat else values.T

    def draw(
        self,
        n: int,
        rng: np.random.Generator,
        *,
        like: Ragged,
        sizes: tuple[int, int] | None = None,
        scale: float = 1.0,
    ) -> Ragged:
        """Lengths uniform in `sizes` (default 2..25), entries N(0, scale²) in every channel."""
        offsets = _random_offsets(n, rng, sizes or (2, 25))
        values = rng.normal(scale=scale, size=(offsets[-1], like.values.shape[1]))
        return Ragged(values.astype(np.float32), offsets, like.domain)


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

    def ingest(self, raw: Any, *, like: Ragged | None = None) -> Ragged:
        """Lists of (vectors, dimensions) arrays or lists, or a three-dimensional array."""
        if isinstance(raw, Ragged):
            X = _same_domain(raw, self)
        else:
            arrays = _as_arrays(as_sequence(raw, self), self)
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
            X = _concatenate(arrays, self)
        _reject_bad_items(X)
        if like is not None:
            self.require_alike(X, like)
        return X

    def look(self, X: Ragged) -> Look:
        """Dimension of the vectors."""
        return Look("sets", int(X.values.shape[1]))

    def _unlike(self, X: Ragged, look: Look, before: Look) -> str:
        return (
            f"X has vectors of dimension {look.width}, but the sets before had {before.width}; "
            f"give sets of shape (vectors, {before.width})."
        )

    def draw(
        self,
        n: int,
        rng: np.random.Generator,
        *,
        like: Ragged,
        sizes: tuple[int, int] | None = None,
        scale: float = 1.0,
    ) -> Ragged:
        """Sizes uniform in `sizes` (default 3..15), vectors on the sphere of radius `scale`."""
        offsets = _random_offsets(n, rng, sizes or (3, 15))
        values = rng.normal(size=(offsets[-1], like.values.shape[1]))
        values *= scale / np.linalg.norm(values, axis=1, keepdims=True)
        return Ragged(values.astype(np.float32), offsets, self)


def _random_offsets(n: int, rng: np.random.Generator, sizes: tuple[int, int]) -> NDArray[np.int64]:
    return offsets_of(rng.integers(sizes[0], sizes[1], n, endpoint=True))


def _same_domain(X: Ragged, domain: Domain) -> Ragged:
    if not isinstance(X.domain, type(domain)):
        raise TypeError(f"X holds {X.domain.name}; {domain.name} are needed.")
    return X


def _as_table(raw: Any) -> NDArray[Any] | None:
    """A numeric (n, time) or (n, channels, time) array, or None if `raw` is no such thing."""
    raw = from_arrow(raw)
    if hasattr(raw, "columns"):
        raw = raw.to_numpy()
    if isinstance(raw, np.ndarray) and raw.ndim in (2, 3) and raw.dtype != object:
        return _as_float(raw, "X")
    return None


def _as_arrays(items: Sequence[Any], domain: Domain) -> list[NDArray[Any]]:
    reject_empty(len(items), domain)
    return [_as_float(item, f"{domain.one} {i}") for i, item in enumerate(items)]


def _as_float(item: Any, what: str) -> NDArray[Any]:
    try:
        array = np.asarray(unmasked(item))
        complaint = non_numbers(array)
        if complaint is not None:
            raise TypeError(f"it holds {complaint}")
        if array.dtype == object:
            array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what} is not an array of real numbers: {error}") from None
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


def _concatenate(rows: list[NDArray[Any]], domain: Domain) -> Ragged:
    offsets = offsets_of([len(r) for r in rows])
    return Ragged(np.concatenate(rows), offsets, domain)


def _reject_bad_items(X: Ragged, remedy: str = "") -> None:
    """Stop at an empty collection, an empty object, or numbers that cannot be computed with."""
    reject_empty(len(X), X.domain)
    empty = np.flatnonzero(X.lengths == 0)
    if len(empty):
        raise ValueError(f"{X.domain.one} {empty[0]} is empty; drop it or give it a value.")
    ends = X.offsets[1:] - X.offsets[0]
    reject_unfit_numbers(
        X.flat, X.domain, lambda p: int(np.searchsorted(ends, p, side="right")), remedy
    )


def _reject_mixed_channels(arrays: list[NDArray[Any]]) -> None:
    channels, times = zip(*(a.shape for a in arrays), strict=True)
    odd = next((i for i, c in enumerate(channels) if c != channels[0]), None)
    if odd is None:
        return
    message = f"series {odd} has {channels[odd]} channels where series 0 has {channels[0]}"
    if len(set(times)) == 1:
        message += (
            f", while all have {times[0]} columns: they look like (time, channels); give "
            "(channels, time), e.g. [x.T for x in X]"
        )
    raise ValueError(message + ".")
