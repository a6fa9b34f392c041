"""Domains, the schema of a collection, and checks of raw data that all domains share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import getitem
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from .frames import as_frame, as_series, collected, unmasked
from .hashing import groups, hashes
from .ragged import offsets_of


@dataclass(frozen=True)
class Schema:
    """What objects look like; small enough to be kept with a fitted model.

    Parameters
    ----------
    kind : str, optional
        Such as "text" or "bytes"; None if objects of several kinds were seen.
    width : int, optional
        Channels of series, dimension of the vectors of sets, columns of vectors.

    Examples
    --------
    >>> from seamark.data import series, strings
    >>> series.look(series.ingest(np.zeros((5, 2, 20))))
    Schema(kind='series', width=2)
    >>> strings.look(strings.ingest([b"sea"]))
    Schema(kind='bytes', width=None)
    """

    kind: str | None = None
    width: int | None = None

    def differs(self, other: Schema) -> bool:
        """Whether the two contradict each other; something unknown contradicts nothing."""
        kinds, widths = {self.kind, other.kind} - {None}, {self.width, other.width} - {None}
        return len(kinds) > 1 or len(widths) > 1


def kind_of(item: Any) -> str | None:
    """Return the kind of one object, if it is text, bytes or an array; None for other types.

    Examples
    --------
    >>> kind_of("sea"), kind_of(b"sea"), kind_of(np.zeros((2, 9))), kind_of({"sea"})
    ('text', 'bytes', 'arrays of 2 dimensions', None)
    """
    if isinstance(item, str):
        return "text"
    if isinstance(item, (bytes, bytearray)):
        return "bytes"
    if isinstance(item, np.ndarray):
        return f"arrays of {item.ndim} dimension{'s' if item.ndim != 1 else ''}"
    return None


# What a domain is, and checks of raw data that all domains share.


Sizes = tuple[int, int] | None
"""Smallest and largest size of objects that are drawn."""

# Kernels compute in float32; squares and sums of such values stay inside its range.
LARGEST_MAGNITUDE = 1e15


@dataclass(frozen=True)
class Domain(ABC):
    """A kind of object: how raw data becomes objects, and how random ones are drawn.

    `ingest` is the one place that asks what type the user's data is, and the one place that
    rejects it.
    """

    name: ClassVar[str]
    one: ClassVar[str]
    """Singular of `name`, for messages."""
    by_row: ClassVar[bool] = False
    """Whether objects are told apart by their place, be they equal or not."""

    def ingest(self, raw: Any, *, like: Any = None) -> Any:
        """Turn the user's data into objects; they must fit to `like`, earlier objects, if given."""
        X = self.read(raw)
        if like is not None:
            self.require_alike(X, like)
        return X

    @abstractmethod
    def read(self, raw: Any) -> Any:
        """Turn the user's data into objects."""

    @abstractmethod
    def look(self, X: Any) -> Schema:
        """Return what ingested objects have in common, and later ones must have too."""

    def require_alike(self, X: Any, like: Any) -> None:
        """Stop unless ingested objects fit to earlier ones, given as objects or by their look."""
        look, before = self.look(X), like if isinstance(like, Schema) else self.look(like)
        if look.differs(before):
            raise ValueError(self._unlike(X, look, before))

    def _unlike(self, X: Any, look: Schema, before: Schema) -> str:
        """Return the message about objects that do not look like earlier ones."""
        return f"X holds {look.kind}, but the {self.name} before were {before.kind}."

    @abstractmethod
    def draw(
        self, n: int, rng: Generator, *, like: Any, sizes: Sizes = None, scale: float = 1.0
    ) -> Any:
        """Draw random objects of the kind of `like`, sizes uniform in the closed range `sizes`."""

    def item(self, values: NDArray[Any]) -> Any:
        """Return one object, in the form the user gave it, from its piece of a flat array."""
        return values

    def can_draw(self, like: Any) -> bool:
        """Whether random objects of the kind of `like` can be drawn."""
        return True

    def joined(self, first: Any, second: Any) -> Any:
        """Return two collections of such objects as one."""
        offsets = offsets_of(np.r_[first.lengths, second.lengths])
        return type(first)(np.concatenate([first.flat, second.flat]), offsets, first.domain)

    landmarks: ClassVar[Callable[..., Any]] = staticmethod(getitem)
    """``landmarks(X, rows)`` returns the objects in the given rows, to serve as landmarks."""
    groups: ClassVar[Callable[..., NDArray[np.intp]]] = staticmethod(groups)
    """``groups(X)`` returns the number of each object's group; see `hashing.groups`."""
    hashes: ClassVar[Callable[..., NDArray[np.int64]]] = staticmethod(hashes)
    """``hashes(X)`` returns the hash of each object; see `hashing.hashes`."""

    def cut(self, X: Any, n: int, rng: np.random.Generator) -> tuple[Any, NDArray[np.integer[Any]]]:
        """Return n random parts of ingested rows, as objects of this domain, and their rows.

        Only of domains that are parts of another: windows, substrings, members.
        """
        raise TypeError(
            f"{self.name} are not parts of other objects, so none can be cut out of them."
        )


def as_sequence(raw: Any, domain: Domain) -> Sequence[Any]:
    """Return the objects of a list, tuple, array, or pandas / polars column, one by one."""
    if isinstance(raw, (str, bytes, bytearray)):
        raise TypeError(f"X is a single string; give a list of {domain.name}, e.g. [x].")
    raw = collected(unmasked(raw))
    frame = as_frame(raw)
    if frame is not None:
        columns = frame.columns
        if not columns:
            raise ValueError("X is a table without columns.")
        if len(columns) > 1:
            raise ValueError(
                f"X is a table of {len(columns)} columns {columns[:5]}; {domain.name} are one "
                f"column: give e.g. X[{columns[0]!r}]."
            )
        raw = frame.get_column(columns[0])
    series = as_series(raw)
    if series is not None:
        return list(series.to_list())
    if isinstance(raw, np.ndarray):
        if raw.ndim == 2 and raw.shape[1] == 1:
            raw = raw[:, 0]
        if raw.ndim == 0:
            raise TypeError(f"X is a scalar; give a list of {domain.name}.")
        return list(raw.tolist() if raw.ndim == 1 else raw)
    if hasattr(raw, "to_list"):  # an index of pandas, say
        return list(raw.to_list())
    if not hasattr(raw, "__len__") or not hasattr(raw, "__getitem__") or isinstance(raw, dict):
        kind = type(raw).__name__
        raise TypeError(f"X is a {kind}; give a list, array or column of {domain.name}.")
    return raw if isinstance(raw, (list, tuple)) else list(raw)


def reject_empty(n: int, domain: Domain) -> None:
    """Stop at an empty collection."""
    if n == 0:
        raise ValueError(f"X is empty (0 samples): at least one {domain.one} is required.")


def reject_unfit_numbers(
    values: NDArray[Any], domain: Domain, owner: Any = None, remedy: str = ""
) -> None:
    """Stop at NaN, infinite or huge numbers; `owner(position)` names the object of a flat row."""
    if values.size == 0:
        return
    low, high = float(values.min()), float(values.max())  # NaN comes through min and max
    if low >= -LARGEST_MAGNITUDE and high <= LARGEST_MAGNITUDE:
        return
    with np.errstate(invalid="ignore"):
        bad = ~(np.abs(values) <= LARGEST_MAGNITUDE)
    position = int(np.argmax(bad.reshape(len(values), -1).any(axis=1)))
    where = position if owner is None else owner(position)
    number = values[position][bad[position]].flat[0] if values.ndim > 1 else values[position]
    if np.isnan(number):
        raise ValueError(f"X contains NaN, in {domain.one} {where}. Fill or drop it{remedy}.")
    if np.isinf(number):
        raise ValueError(f"X contains infinity, in {domain.one} {where}. Clip or drop it.")
    raise ValueError(
        f"{domain.one} {where} holds {number:g}, too large for float32 arithmetic "
        f"(limit {LARGEST_MAGNITUDE:g}); rescale the data."
    )
