"""The domains whose collection is indexed by rows: vectors, and anything at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_array

from .domain import Domain, Schema, Sizes, as_sequence, kind_of, reject_empty, reject_unfit_numbers
from .frames import as_frame, collected, reject_non_numbers, unmasked
from .ragged import Ragged


def require_sound(matrix: Any, what: str = "X") -> None:
    """Stop at a sparse matrix with positions outside of it.

    scipy's own full check does nothing if the last entry of `indptr` is 0, and its conversions,
    sums and products check nothing: they would read and write outside of their arrays.

    Parameters
    ----------
    matrix : scipy sparse matrix or array
        CSR, CSC, BSR and COO are checked; the other formats have no such positions.
    what : str, default="X"
        Its name in the message.

    Examples
    --------
    >>> from scipy import sparse
    >>> matrix = sparse.csr_array(np.eye(2))
    >>> require_sound(matrix)
    >>> matrix.indices[1] = 7
    >>> require_sound(matrix)
    Traceback (most recent call last):
    ValueError: X is not a valid sparse matrix: position 7 is not among its 2 columns; ...
    """
    fault = None
    if len(matrix.shape) == 2 and matrix.format in ("csr", "csc", "bsr"):
        fault = _fault_of_compressed(matrix)
    elif matrix.format == "coo":
        fault = next(filter(None, map(_outside, matrix.coords, matrix.shape, _NAMES)), None)
    elif len(matrix.shape) != 2:
        fault = f"it has {len(matrix.shape)} dimensions"
    if fault is not None:
        raise ValueError(f"{what} is not a valid sparse matrix: {fault}; build it again.")


_NAMES = ("rows", "columns")


def _fault_of_compressed(matrix: Any) -> str | None:
    """Return what is wrong with a matrix of `indptr` and `indices`, or None."""
    block = matrix.blocksize if matrix.format == "bsr" else (1, 1)
    sides = [side // size for side, size in zip(matrix.shape, block, strict=True)]
    major, minor = sides if matrix.format != "csc" else sides[::-1]
    starts, positions = matrix.indptr, matrix.indices
    if not all(a.ndim == 1 and a.dtype.kind in "iu" for a in (starts, positions)):
        return "its positions are not a list of integers"
    if len(starts) != major + 1:
        return f"it has {len(starts)} starts for {major} rows or columns"
    if starts[0] != 0 or starts[-1] > len(positions) or (starts[1:] < starts[:-1]).any():
        return f"its starts do not rise from 0 to {len(positions)}"
    if len(matrix.data) != len(positions):
        return f"it has {len(matrix.data)} values at {len(positions)} positions"
    return _outside(positions, minor, _NAMES[matrix.format != "csc"])


def _outside(positions: NDArray[Any], side: int, name: str) -> str | None:
    if len(positions) == 0:
        return None
    low, high = int(np.min(positions)), int(np.max(positions))
    if low >= 0 and high < side:
        return None
    return f"position {low if low < 0 else high} is not among its {side} {name}"


# The domains whose collection is indexed by rows: vectors, and anything at all.


REMEDY = ", or pass a DataFrame without measure="


@dataclass(frozen=True)
class Vectors(Domain):
    """Rows of a matrix, dense or CSR.

    Examples
    --------
    >>> Vectors().ingest([[1, 2], [3, 4]])
    array([[1., 2.],
           [3., 4.]])
    """

    name: ClassVar[str] = "vectors"
    one: ClassVar[str] = "row"

    def read(self, raw: Any) -> Any:
        """2-D arrays, frames, nested lists, sparse matrices (made CSR); float32 stays float32."""
        if isinstance(raw, Ragged):
            raise TypeError(f"X holds {raw.domain.name}; vectors (a 2-D array) are needed.")
        if type(raw) is not np.ndarray or raw.dtype.kind not in "biuf":  # else it is what it seems
            raw = self._numbers_of(raw)
        X = check_array(
            raw, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False
        )
        if sparse.issparse(X):
            owner = lambda p: int(np.searchsorted(X.indptr, p, side="right")) - 1  # noqa: E731
            reject_unfit_numbers(X.data, self, owner)
        else:
            reject_unfit_numbers(X, self, remedy=REMEDY)
        return X

    def _numbers_of(self, raw: Any) -> Any:
        """Return frames of all kinds, lists and matrices for scikit-learn to read."""
        raw = collected(unmasked(raw))
        if isinstance(raw, dict) and not sparse.issparse(raw):
            raise TypeError("X is a dict; give a 2-D array, a frame or a list of vectors.")
        listed = isinstance(raw, (list, tuple)) or len(getattr(raw, "shape", ())) == 1
        if listed and len(raw) and isinstance(first := next(iter(raw)), str):
            raise ValueError(
                f"X holds strings, such as {str(first)!r}, and the measure compares vectors; take "
                "a measure of strings, such as 'levenshtein'."
            )
        if hasattr(raw, "to_pylist") and not hasattr(raw, "columns"):  # of pyarrow
            raw = raw.to_pylist()
        if sparse.issparse(raw):
            require_sound(raw)
        reject_non_numbers(raw)
        return as_frame(raw).to_numpy() if hasattr(raw, "column_names") else raw  # of pyarrow

    def look(self, X: Any) -> Schema:
        """Number of columns."""
        return Schema("vectors", int(X.shape[1]))

    def _unlike(self, X: Any, look: Schema, before: Schema) -> str:
        return (
            f"X has {look.width} features, but the vectors before had {before.width} features; "
            "give the same columns."
        )

    def draw(
        self, n: int, rng: Generator, *, like: Any, sizes: Sizes = None, scale: float = 1.0
    ) -> NDArray[Any]:
        """Gaussian, with the means and `scale` times the deviations of the columns of `like`."""
        if sparse.issparse(like):
            mean = np.asarray(like.mean(axis=0)).ravel()
            square = np.asarray(like.multiply(like).mean(axis=0)).ravel()
            deviation = np.sqrt(np.maximum(square - mean**2, 0.0))
        else:
            mean, deviation = like.mean(axis=0), like.std(axis=0)
        return np.asarray(mean + scale * deviation * rng.normal(size=(n, like.shape[1])))

    def can_draw(self, like: Any) -> bool:
        """Whether they are dense: random vectors have no zeros, so sparse ones would be full."""
        return not sparse.issparse(like)

    def joined(self, first: Any, second: Any) -> Any:
        """Return the rows of two matrices as one."""
        if sparse.issparse(first) or sparse.issparse(second):
            return sparse.vstack([first, second], format="csr")
        return np.concatenate([first, second])


@dataclass(frozen=True)
class Anything(Domain):
    """Objects of any type, for measures that are Python functions.

    A matrix stays a matrix (an object is a row); rows of a mixed table become dictionaries;
    everything else becomes a one-dimensional object array.

    Examples
    --------
    >>> Anything().ingest([{"a": 1}, "text", None])
    array([{'a': 1}, 'text', None], dtype=object)
    """

    name: ClassVar[str] = "objects"
    one: ClassVar[str] = "object"

    def read(self, raw: Any) -> Any:
        """Accept any sequence, column, frame, array or Ragged."""
        raw = collected(unmasked(raw))
        frame = as_frame(raw)
        if isinstance(raw, Ragged):
            X: Any = raw
        elif sparse.issparse(raw):
            require_sound(raw)
            X = raw.tocsr()
        elif frame is not None and len(frame.columns) > 1:
            X = frame.to_numpy()
            if X.dtype.kind not in "biuf":
                X = _object_array(frame.rows(named=True))
        elif isinstance(raw, np.ndarray) and raw.ndim >= 2:
            X = raw
        else:
            X = _object_array(as_sequence(raw, self))
        reject_empty(X.shape[0], self)
        return X

    def ingest(self, raw: Any, *, like: Any = None) -> Any:
        """Read objects; landmarks of a function may be of another kind than `like`."""
        return self.read(raw)

    def look(self, X: Any) -> Schema:
        """Return the kind that all objects share (text, bytes, arrays), and the width of arrays."""
        if sparse.issparse(X):
            return Schema()
        if isinstance(X, np.ndarray) and X.ndim > 1:
            return Schema(kind_of(X[0]), X.shape[1] if X.ndim > 2 else None)
        items = X[:1] if isinstance(X, Ragged) else X  # those of a Ragged are of one kind
        kinds = {kind_of(item) for item in items}
        return Schema(kinds.pop() if len(kinds) == 1 else None)

    def require_alike(self, X: Any, like: Any) -> None:
        """Stop at objects of another kind, such as bytes in place of text."""
        if sparse.issparse(X):
            return
        before = like if isinstance(like, Schema) else self.look(like)
        of_one_kind = isinstance(X, Ragged) or X.ndim > 1
        for i, item in enumerate(X[:1] if of_one_kind else X):
            kind = kind_of(item)
            if Schema(kind).differs(Schema(before.kind)):
                raise ValueError(
                    f"object {i} is of another kind than the objects before: {kind} where they "
                    f"were {before.kind}; convert it."
                )
        super().require_alike(X, before)

    def _unlike(self, X: Any, look: Schema, before: Schema) -> str:
        return (
            f"X has objects of shape ({look.width}, …), but those before were ({before.width}, …); "
            "give objects of the same shape."
        )

    def draw(self, *args: Any, **how: Any) -> Any:
        """Refuse: nothing is known of these objects."""
        raise ValueError(
            "cannot draw random objects of unknown type; take landmarks from the data, or give "
            "a sampler of your own."
        )

    def can_draw(self, like: Any) -> bool:
        """No."""
        return False

    def joined(self, first: Any, second: Any) -> Any:
        """Return two arrays as one."""
        return np.concatenate([first, second])


def _object_array(items: Any) -> NDArray[Any]:
    # One by one: numpy would unpack nested sequences.
    return np.fromiter(items, dtype=object, count=len(items))
