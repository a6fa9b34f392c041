"""Parts of a table, and what several of them hold: one collection of objects for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .arrow import from_arrow
from .domain import Domain
from .hashing import groups, mixed_bits
from .rows import Vectors

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Bundle:
    """Ingested objects of several kinds, as long as each other: row i of all is one thing.

    Examples
    --------
    >>> from seamark.data import strings
    >>> bundle = Bundle([strings.ingest(["sea", "mark"]), np.array([[1.0], [2.0]])])
    >>> bundle.shape, bundle[1:].parts[1]
    ((2,), array([[2.]]))
    """

    parts: list[Any]

    @property
    def shape(self) -> tuple[int]:
        """``(n,)``."""
        return (int(self.parts[0].shape[0]),)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        """Return one row as a tuple, for an int, or some rows as another bundle."""
        picked = {id(part): part[key] for part in self.parts}  # what is shared stays shared
        some = [picked[id(part)] for part in self.parts]
        return tuple(some) if isinstance(key, (int, np.integer)) else Bundle(some)

    def groups(self, tell_apart: list[Callable[[Any], Rows]]) -> Rows:
        """Return the number of each row's group: rows that are equal in all parts share it.

        Parameters
        ----------
        tell_apart : list of callable
            For each part, what returns the groups of its objects.
        """
        return groups(self.hashes(tell_apart)[:, None])

    def hashes(self, tell_apart: list[Callable[[Any], Rows]]) -> Rows:
        """Return a hash of each row, made of the groups of its parts, or of their hashes."""
        known = {id(part): tell(part) for part, tell in zip(self.parts, tell_apart, strict=True)}
        joint = np.zeros(len(self), dtype=np.uint64)
        for numbers in known.values():
            joint = mixed_bits(joint ^ np.asarray(numbers, dtype=np.int64).view(np.uint64))
        return joint.view(np.intp)


def part_of(X: Any, columns: Any, domain: Domain | None) -> Any:
    """Return a part of raw X: all of it, a column of a table, or several as a table.

    Parameters
    ----------
    X : objects
        A frame or matrix where columns are named.
    columns : None, str, int or list of these
        None: all of X. By name where columns have names, else by number.
    domain : Domain or None
        Of the objects in there: vectors are read from a matrix, if of a single column.

    Examples
    --------
    >>> from seamark.data import anything, vectors
    >>> X = np.array([[1, 2], [3, 4]])
    >>> part_of(X, 1, vectors), part_of(X, 1, anything)
    (array([[2],
           [4]]), array([2, 4]))
    """
    if columns is None:
        return X
    several, raw = isinstance(columns, (list, tuple)), X
    X = from_arrow(X)
    known = dict.fromkeys(X.columns) if hasattr(X, "columns") else None
    names = [_column(X, one, known) for one in (columns if several else [columns])]
    if X is not raw:  # scikit-learn knows the names of pyarrow's own tables
        return raw.select(names) if several or isinstance(domain, Vectors) else X[names[0]]
    if several or isinstance(domain, Vectors):
        return X[names] if hasattr(X, "columns") else X[:, names]
    return X[names[0]] if hasattr(X, "columns") else X[:, names[0]]


@contextmanager
def naming_column(columns: Any) -> Iterator[None]:
    """Have a message about objects say which column they come from.

    Examples
    --------
    >>> with naming_column("price"):
    ...     raise ValueError("row 3 is missing.")
    Traceback (most recent call last):
    ValueError: in column 'price': row 3 is missing.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        said = str(error)
        if columns is None or said.startswith(("column ", "in column")):
            raise
        names = columns if isinstance(columns, list) else [columns]
        shown = ", ".join(map(repr, names[:4])) + (", …" if len(names) > 4 else "")
        where = f"in column{'s' * (len(names) > 1)} {shown}"
        raise type(error)(f"{where}: {said}") from error


def _column(X: Any, wanted: Any, known: dict[Any, None] | None) -> Any:
    """Return the name of a frame's column, or the number of a matrix's; stop if there is none.

    `known` holds the names, for a look-up that takes as long for many as for few.
    """
    number = isinstance(wanted, (int, np.integer)) and not isinstance(wanted, bool)
    if known is not None:
        if wanted in known:
            return wanted
        names = list(X.columns)
        if number and -len(names) <= wanted < len(names):
            return names[int(wanted)]
        raise ValueError(f"X has no column {wanted!r}; it has {', '.join(map(str, names[:8]))}.")
    if not (isinstance(X, np.ndarray) or sparse.issparse(X)) or X.ndim != 2:
        raise TypeError(
            f"column {wanted!r} is asked for, and X is a {type(X).__name__} without columns; give "
            "a DataFrame or a matrix."
        )
    if not number:
        raise ValueError(
            f"column {wanted!r} is asked for by name, and the columns of a matrix have numbers "
            "only; give a DataFrame, or its number."
        )
    if not -X.shape[1] <= wanted < X.shape[1]:
        raise ValueError(f"X has no column {wanted}; it has {X.shape[1]} columns.")
    return int(wanted)
