"""Whether the arrays of a sparse matrix are valid: scipy's native code does not check them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


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
