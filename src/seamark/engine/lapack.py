"""Factors and products of large matrices, divided among our threads.

SciPy's wrappers of BLAS and LAPACK let no other thread run meanwhile. What they wrap is there for
Cython too, and is called from here as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from ctypes import (
    CFUNCTYPE,
    byref,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_void_p,
    py_object,
    pythonapi,
)
from functools import cache, partial
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cython_blas, cython_lapack

from .threads import n_threads, side_by_side

Floats = NDArray[np.float64]
Tile = slice  # of rows or columns

WHOLE = 1500  # rows of a matrix that one thread factorises
PANEL = 256  # columns of a larger one that are factorised before the others hear of it
MANY = 6  # threads from which on panels are twice as wide
TILE = 512  # rows and columns of a product that are one thread's share
LARGEST, SMALLEST = 1024, 256  # the same of what is left of a matrix while it is factorised
_KINDS: dict[type, Any] = {bytes: c_char, int: c_int, float: c_double}


def cholesky(matrix: Floats, penalty: float = 0.0) -> Floats:
    """Cholesky factor of ``matrix + λI``; of the symmetric matrix the upper triangle is read.

    It comes as LAPACK likes it: the lower triangle of an array in Fortran's order, above which
    anything may stand. Raises LinAlgError if the matrix is not positive definite.

    Examples
    --------
    >>> factor = cholesky(np.array([[3.0, 2.0], [0.0, 4.0]]), 1.0)
    >>> np.tril(factor)
    array([[2., 0.],
           [1., 2.]])
    """
    n, failed = len(matrix), c_int(0)
    small = n <= WHOLE
    out = matrix.copy() if small else _upper_copy(matrix)
    out.flat[:: n + 1] += penalty
    # Where threads are many, waiting for each other costs more than a larger share of the first.
    step = max(1, n if small else PANEL * (1 if n_threads() < MANY else 2))
    for start in range(0, n, step):
        panel = slice(start, min(n, start + step))
        corner = out[panel, panel]
        _call("dpotrf", b"L", len(corner), corner, n, byref(failed))
        if failed.value:
            raise LinAlgError("the matrix is not positive definite")
        if panel.stop < n:
            _take_out(out, panel)
    if not np.isfinite(np.diag(out)).all():
        raise LinAlgError("the factor is not finite")
    return out.T


def cholesky_solve(factor: Floats, right: Floats) -> Floats:
    """Solve with a factor of `cholesky`, for right-hand sides (n,) or (n, T)."""
    return triangular_solve(factor, triangular_solve(factor, right), transposed=True)


def triangular_solve(factor: Floats, right: Floats, *, transposed: bool = False) -> Floats:
    """Solve with a factor of `cholesky`, or its leading block, for right-hand sides (n, T)."""
    n, lower = len(factor), factor.T
    found = np.array(right, dtype=np.float64, order="F")
    if found.shape[0] != n:
        raise ValueError(f"{n} equations need as many numbers, not {found.shape[0]}.")
    if found.size:
        how = b"L", b"L", b"T" if transposed else b"N", b"N"
        lead = max(n, lower.strides[0] // 8)  # of a single row strides say nothing
        _call("dtrsm", *how, n, found.size // n, 1.0, lower, lead, found.T, n)
    return found


def add_products(totals: Iterable[NDArray[Any]], matrices: Sequence[NDArray[Any]]) -> None:
    """Add AᵀA of each matrix A, (n, R), to the lower triangle of its total, (R, R).

    Examples
    --------
    >>> total = np.ones((2, 2))
    >>> add_products([total], [np.array([[1.0, 2.0], [0.0, 3.0]])])
    >>> total
    array([[ 2.,  1.],
           [ 3., 14.]])
    """
    shares = []
    for total, A in zip(totals, matrices, strict=True):
        if total.shape != (A.shape[1],) * 2:
            raise ValueError(f"products of {A.shape[1]} columns cannot be added to {total.shape}.")
        pairs = combinations_with_replacement(tiles(0, len(total), TILE), 2)
        shares += [(total, A, left, right) for left, right in pairs if len(A)]
    if shares:
        side_by_side(_add_tile, *zip(*shares, strict=True))


def upper_times(matrix: Floats, vector: Floats) -> Floats:
    """Product of a symmetric matrix with a vector; only its upper triangle is read.

    Examples
    --------
    >>> upper_times(np.array([[1.0, 2.0], [9.0, 3.0]]), np.array([1.0, 10.0]))
    array([21., 32.])
    """

    def strip(rows: Tile) -> Floats:
        out, right = np.zeros(len(vector)), slice(rows.stop, None)
        corner = np.triu(matrix[rows, rows])
        out[rows] = corner @ vector[rows] + vector[rows] @ np.triu(corner, 1)
        out[rows] += matrix[rows, right] @ vector[right]
        out[right] = vector[rows] @ matrix[rows, right]
        return out

    return np.asarray(sum(side_by_side(strip, tiles(0, len(matrix), PANEL))))


def tiles(start: int, stop: int, size: int) -> list[Tile]:
    """Cut a range into pieces of one size; the last one may be smaller.

    Examples
    --------
    >>> tiles(0, 5, 3)
    [slice(0, 3, None), slice(3, 5, None)]
    """
    return [slice(at, min(at + size, stop)) for at in range(start, stop, size)]


def _upper_copy(matrix: Floats) -> Floats:
    """Copy the upper triangle; what is below it is not set."""
    out = np.empty(matrix.shape)

    def strip(rows: Tile) -> None:
        out[rows, rows.start :] = matrix[rows, rows.start :]

    side_by_side(strip, tiles(0, len(matrix), TILE))
    return out


def _take_out(out: Floats, panel: Tile) -> None:
    """Turn what is right of a panel's triangle into factors, and take them out of the rest."""
    n = len(out)
    side_by_side(partial(_divide, out, panel), tiles(panel.stop, n, PANEL))
    # Three shares for each thread; larger ones are quicker where there are few threads.
    size = int(np.clip((n - panel.stop) / np.sqrt(6 * n_threads()), SMALLEST, LARGEST))
    pairs = combinations_with_replacement(tiles(panel.stop, n, size), 2)
    side_by_side(partial(_subtract, out, panel), list(pairs))


def _divide(out: Floats, panel: Tile, tile: Tile) -> None:
    own, triangle, n = out[panel, tile], out[panel, panel], len(out)
    how = b"R", b"L", b"T", b"N"
    _call("dtrsm", *how, own.shape[1], own.shape[0], 1.0, triangle, n, own, n)


def _subtract(out: Floats, panel: Tile, pair: tuple[Tile, Tile]) -> None:
    (left, right), n = pair, len(out)
    a, b, own = out[panel, right], out[panel, left], out[left, right]
    depth, columns, rows = len(a), *own.shape
    if left == right:
        _call("dsyrk", b"L", b"N", rows, depth, -1.0, a, n, 1.0, own, n)
    else:
        _call("dgemm", b"N", b"T", rows, columns, depth, -1.0, a, n, b, n, 1.0, own, n)


def _add_tile(total: NDArray[Any], A: NDArray[Any], left: Tile, right: Tile) -> None:
    """Add to one tile of the lower triangle."""
    own, lead = total[right, left], total.shape[1]
    if A.dtype != np.float64 or not A.flags.c_contiguous or not total.flags.c_contiguous:
        own += A[:, right].T @ A[:, left]
        return
    a, b, width, depth = A[:, left], A[:, right], A.shape[1], len(A)
    columns, rows = own.shape
    if left == right:
        _call("dsyrk", b"U", b"N", rows, depth, 1.0, a, width, 1.0, own, lead)
    else:
        _call("dgemm", b"N", b"T", rows, columns, depth, 1.0, a, width, b, width, 1.0, own, lead)


@cache
def _routine(name: str) -> Callable[..., None]:
    """Return a routine of BLAS or LAPACK; a call of it lets other threads run."""
    home = cython_blas if name in cython_blas.__pyx_capi__ else cython_lapack
    capsule = home.__pyx_capi__[name]
    name_of, pointer_of = pythonapi.PyCapsule_GetName, pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = c_char_p, [py_object]
    pointer_of.restype, pointer_of.argtypes = c_void_p, [py_object, c_char_p]
    signature = name_of(capsule)
    if b" int *" not in signature:
        raise ImportError(f"{name} of this SciPy wants other integers than it is given here.")
    n_arguments = signature.count(b",") + 1
    return CFUNCTYPE(None, *[c_void_p] * n_arguments)(pointer_of(capsule, signature))


def _call(name: str, *arguments: Any) -> None:
    """Call a routine: letters and numbers go by reference, matrices by their first entry.

    Rows of a matrix must be runs of float64; BLAS counts by columns, so it sees the transpose.
    """
    passed: list[Any] = []
    for one in arguments:
        if isinstance(one, np.ndarray):
            runs = one.dtype == np.float64 and (one.shape[-1] < 2 or one.strides[-1] == 8)
            if not runs or not one.flags.writeable:
                raise ValueError("a matrix must have rows of float64 numbers that can be written.")
            passed.append(c_void_p(one.ctypes.data))
        else:
            passed.append(byref(_KINDS[type(one)](one)) if type(one) in _KINDS else one)
    _routine(name)(*passed)
