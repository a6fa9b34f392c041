"""Values that were computed elsewhere: a matrix instead of objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Vectors
from .base import Fact, Kind, Measure


@dataclass(frozen=True)
class Columns:
    """Landmarks of a precomputed matrix: which of its columns they are.

    Parameters
    ----------
    indices : ndarray of int
        Column numbers.
    total : int
        How many columns the whole matrix has.
    """

    indices: NDArray[np.intp]
    total: int

    @property
    def shape(self) -> tuple[int]:
        """``(R,)``."""
        return (len(self.indices),)

    @property
    def are_all(self) -> bool:
        """Whether every column of the matrix is here, once."""
        return np.array_equal(np.sort(self.indices), np.arange(self.total))

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, key: Any) -> Columns:
        return Columns(np.atleast_1d(self.indices[key]), self.total)

    def __str__(self) -> str:
        numbers = ", ".join(map(str, self.indices.tolist()))
        return f"column{'s' if len(self) > 1 else ''} {numbers}"


@dataclass(frozen=True)
class MatrixRows(Vectors):
    """Rows of a matrix of values: objects known only by their values against the columns."""

    name: ClassVar[str] = "rows of values"

    def ingest(self, raw: Any, *, like: Any = None) -> Any:
        """Accept a matrix; landmarks are given as column numbers, or as `Columns`."""
        if isinstance(raw, Columns):
            return raw
        if like is not None:
            return _columns(np.asarray(raw), like.shape[1])
        X = super().ingest(raw)
        return X.toarray() if hasattr(X, "toarray") else X

    def can_draw(self, like: Any) -> bool:
        """No: nothing is known of an object but its values."""
        return False

    def landmarks(self, X: Any, rows: NDArray[np.integer[Any]]) -> Columns:
        """Return the columns of the given objects."""
        return _columns(np.asarray(rows), X.shape[1])

    def groups(self, X: Any) -> NDArray[np.intp]:
        """Return every row as a group by itself: equal values do not make equal objects."""
        return np.arange(X.shape[0])

    def hashes(self, X: Any) -> NDArray[np.int64]:
        """Return the rows' numbers: nothing else tells such objects apart."""
        return np.arange(X.shape[0], dtype=np.int64)


def _columns(indices: NDArray[Any], total: int) -> Columns:
    if indices.dtype.kind not in "iu" or indices.ndim != 1 or not len(indices):
        raise TypeError(
            "landmarks of a precomputed matrix are a list of column numbers, such as [0, 5, 7]; "
            "leave them out for all columns."
        )
    odd = indices[(indices < -total) | (indices >= total)]
    if len(odd):
        raise IndexError(
            f"landmark column {odd[0]} is out of range: the matrix has {total} columns."
        )
    return Columns((indices % total).astype(np.intp), total)


@dataclass(eq=False, repr=False)
class Precomputed(Measure):
    """Values computed elsewhere, given as a matrix in place of objects.

    Parameters
    ----------
    square : bool, default=True
        True: fit takes the n × n matrix of all objects against all, as scikit-learn's
        ``metric="precomputed"``; splitting takes rows *and* columns, landmarks are chosen among
        the columns. False: the matrix is n × R, all columns are the landmarks, and only rows are
        split.
    kind : {"distance", "similarity"}, optional
        Whether small or large values mean alike.
    symmetric : bool, optional
        A fact about a square matrix.

    Notes
    -----
    New rows have all columns of fit, or exactly those of the landmarks, in the order of
    `landmark_indices_`; where all columns are landmarks, they stay in fit's order, so that both are
    the same.

    Examples
    --------
    >>> D = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 4.0], [5.0, 4.0, 0.0]])
    >>> Precomputed().cross(D, [0, 2])
    array([[0., 5.],
           [1., 4.],
           [5., 0.]], dtype=float32)
    """

    square: bool = True
    kind: Kind | None = None
    symmetric: Fact = None

    name: ClassVar[str] = "precomputed"
    choices: ClassVar = {"kind": ("distance", "similarity", None)}
    domain = MatrixRows()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.square
        return tags

    def require_shape(self, X: Any) -> None:
        """Stop unless X is square, or need not be."""
        if self.square and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"a square precomputed matrix is needed, X is {X.shape[0]} × {X.shape[1]}; if its "
                "columns are the landmarks, use Precomputed(square=False)."
            )

    def cross(
        self,
        X: Any,
        L: Any = None,
        *,
        n_jobs: int | None = None,
        progress: bool | engine.Progress = False,
    ) -> NDArray[np.float32]:
        """Pick the columns L (numbers; all if left out) of the matrix X."""
        self.check_parameters()
        X = self.domain.ingest(X)
        if L is None:
            self.require_shape(X)
            L = Columns(np.arange(X.shape[1]), X.shape[1])
        recipe = self.recipe(self.domain.ingest(L, like=X))
        return engine.run(recipe, X, n_jobs=n_jobs, progress=progress)

    def compile(self, L: Columns) -> engine.Plan:
        """Remember the columns."""
        return _Picked(L)

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """Diagonal of a square matrix; other rows do not hold their own value."""
        if not self.square or X.shape[0] != X.shape[1]:
            raise TypeError(
                "only a square precomputed matrix holds values of objects to themselves."
            )
        return np.asarray(X.diagonal(), dtype=np.float64)

    def sizes(self, X: Any) -> NDArray[np.float64]:
        """Refuse: new rows do not hold their objects' self-similarity."""
        raise TypeError(
            "a precomputed matrix cannot be normalised row by row: rows of new objects do not "
            "hold their self-similarity; normalise the matrix before giving it."
        )


class _Picked(engine.Plan):
    def __init__(self, L: Columns) -> None:
        self.columns = L
        self.n_landmarks = len(L)

    def check(self, X: Any) -> None:
        if X.shape[1] not in (self.columns.total, self.n_landmarks):
            raise ValueError(
                f"X has {X.shape[1]} columns; give all {self.columns.total} columns of the matrix "
                f"seen before, or exactly the {self.n_landmarks} of the landmarks."
            )

    def seconds(self, X: Any) -> NDArray[np.float64]:
        return np.full(X.shape[0], self.n_landmarks * 1e-9)

    def fill(self, X: Any, out: NDArray[np.float32], stop: Any) -> None:
        whole = X.shape[1] == self.columns.total
        out[:] = X[:, self.columns.indices] if whole else X


def matrix_inside(measure: Measure) -> Precomputed | None:
    """Return the precomputed measure that this one is or is made of, if any."""
    for part in (measure, *measure.get_params().values()):
        if isinstance(part, Precomputed):
            return part
    return None
