"""Factors and products of large matrices, divided among our threads.

SciPy's wrappers of BLAS and LAPACK let no other thread run meanwhile. What they wrap is there for
Cython too, and is called from here as it is: on 16 free cores our factor of 4096 columns takes 0.8
times as long as SciPy's with threads of BLAS (8192: 0.65 times), on two cores that others use too,
that of 2000 columns a third. NumPy's takes at least twice as long as SciPy's everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
from functools import cache
from itertools import combinations_with_replacement
from threading import Event
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cython_blas, cython_lapack

from . import threads
from .threads import n_threads, side_by_side

Floats = NDArray[np.float64]
Tile = slice  # of rows or columns

# Rows and columns that are one thread's share: of a product, of a factor (few where threads are
# many), and rows of a product with vectors.
PRODUCT_ROWS = 4096  # rows of one float32 product: more of them would lose digits
PRODUCT_TILE = 512
LEAST_TILE, LARGEST_TILE = 192, 1024
PANEL_ROWS = 256

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
    n = len(matrix)
    if n <= threads.SMALL_MATRIX:
        out = matrix.copy()
        out.flat[:: n + 1] += penalty
        _call("dpotrf", b"L", n, out, max(1, n))
    else:
        out = _Factor(matrix, penalty).out
    if not np.isfinite(np.diag(out)).all():
        raise LinAlgError("the factor is not finite")
    return out.T


class _Factor:
    """The factor of a large matrix, tile by tile; a tile begins with what is there of the others.

    Tiles are taken in an order in which each waits for earlier ones only: whoever has the first of
    those that are not done need not wait, so that any number of threads comes to the end.
    """

    def __init__(self, matrix: Floats, penalty: float) -> None:
        n = len(matrix)
        least, most = LEAST_TILE, LARGEST_TILE
        size = int(np.clip(n / (6 * np.sqrt(n_threads())), least, most))
        self.matrix, self.penalty, self.out = matrix, penalty, np.empty((n, n))
        self.tiles = tiles(0, n, size)
        places = list(combinations_with_replacement(range(len(self.tiles)), 2))
        self.done = {place: Event() for place in places}
        self.failed = False
        side_by_side(self._fill, places)

    def _fill(self, place: tuple[int, int]) -> None:
        try:
            above, right = (self.tiles[i] for i in place)
            out, own, n = self.out, self.out[above, right], len(self.out)
            own[:] = self.matrix[above, right]
            (height, width), taken = own.shape, 0
            while taken < place[0]:  # take out what rows above have in common with this tile
                ready = self._ready(place, taken)
                rows = slice(self.tiles[taken].start, self.tiles[ready - 1].stop)
                a, b, depth = out[rows, right], out[rows, above], rows.stop - rows.start
                if above == right:
                    _call("dsyrk", b"L", b"N", height, depth, -1.0, a, n, 1.0, own, n)
                else:
                    sizes = b"N", b"T", width, height, depth
                    _call("dgemm", *sizes, -1.0, a, n, b, n, 1.0, own, n)
                taken = ready
            if above == right:
                own.flat[:: height + 1] += self.penalty
                _call("dpotrf", b"L", height, own, n)
            else:
                self._wait(place[0], place[0])
                how, triangle = (b"R", b"L", b"T", b"N"), out[above, above]
                _call("dtrsm", *how, width, height, 1.0, triangle, n, own, n)
        except BaseException:
            self.failed = True
            raise
        finally:
            self.done[place].set()

    def _ready(self, place: tuple[int, int], taken: int) -> int:
        """Wait for the next tiles above, and return how many are there by then."""
        for k in range(taken, place[0]):
            both = self.done[k, place[0]], self.done[k, place[1]]
            if k > taken and not all(map(Event.is_set, both)):
                return k
            self._wait(k, place[0])
            self._wait(k, place[1])
        return place[0]

    def _wait(self, *place: int) -> None:
        self.done[place[0], place[1]].wait()
        if self.failed:
            raise LinAlgError("the matrix is not positive definite")


def cholesky_solve(
    factor: Floats, right: Floats, half: Literal["first", "second"] | None = None
) -> Floats:
    """Solve with a factor L of `cholesky`, or its leading block, for right-hand sides (n, T).

    Parameters
    ----------
    factor : ndarray of shape (n, n)
    right : ndarray of shape (n,) or (n, T)
    half : {"first", "second"}, optional
        Solve with L alone, or with its transpose alone.

    Examples
    --------
    >>> factor = cholesky(np.array([[4.0, 2.0], [0.0, 5.0]]))
    >>> cholesky_solve(factor, np.array([8.0, 14.0]))
    array([0.75, 2.5 ])
    """
    n, lower = len(factor), factor.T
    found = np.array(right, dtype=np.float64, order="F")
    if found.shape[0] != n:
        raise ValueError(f"{n} equations need as many numbers, not {found.shape[0]}.")
    if found.size:
        lead = max(n, lower.strides[0] // 8)  # of a single row strides say nothing
        sizes, matrices = (n, found.size // n), (lower, lead, found.T, n)
        if half is None:
            _call("dpotrs", b"L", *sizes, *matrices)
        else:
            how = b"L", b"L", b"N" if half == "first" else b"T", b"N"
            _call("dtrsm", *how, *sizes, 1.0, *matrices)
    return found


def add_products(totals: Iterable[NDArray[Any]], matrices: Sequence[NDArray[Any]]) -> None:
    """Add AᵀA of each matrix A, (n, R), to the lower triangle of its total, (R, R).

    Examples
    --------
    >>> total = np.ones((2, 2))
    >>> add_products([total], [np.array([[1.0, 2.0], [0.0, 3.0]])])
    >>> np.tril(total)
    array([[ 2.,  0.],
           [ 3., 14.]])
    """

    def add(total: NDArray[Any], A: NDArray[Any], left: Tile, right: Tile) -> None:
        total[right, left] += A[:, right].T @ A[:, left]

    shares, size = [], PRODUCT_TILE
    for total, A in zip(totals, matrices, strict=True):
        if total.shape != (A.shape[1],) * 2:
            raise ValueError(f"products of {A.shape[1]} columns cannot be added to {total.shape}.")
        pairs = combinations_with_replacement(tiles(0, len(total), size), 2)
        shares += [(total, A, left, right) for left, right in pairs if len(A)]
    if shares:
        side_by_side(add, *zip(*shares, strict=True))


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

    return np.asarray(sum(side_by_side(strip, tiles(0, len(matrix), PANEL_ROWS))))


def tiles(start: int, stop: int, size: int) -> list[Tile]:
    """Cut a range into pieces of one size; the last one may be smaller.

    Examples
    --------
    >>> tiles(0, 5, 3)
    [slice(0, 3, None), slice(3, 5, None)]
    """
    return [slice(at, min(at + size, stop)) for at in range(start, stop, size)]


@cache
def _routine(name: str) -> Any:
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

    Rows of a matrix must be runs of float64; BLAS counts by columns, so it sees the transpose. What
    LAPACK says in its last argument, which is not given here, becomes a LinAlgError.
    """
    passed: list[Any] = []
    for one in arguments:
        if isinstance(one, np.ndarray):
            runs = one.dtype == np.float64 and (one.shape[-1] < 2 or one.strides[-1] == 8)
            if not runs or not one.flags.writeable:
                raise ValueError("a matrix must have rows of float64 numbers that can be written.")
            passed.append(c_void_p(one.ctypes.data))
        else:
            passed.append(byref(_KINDS[type(one)](one)))
    routine, failed = _routine(name), c_int(0)
    if len(passed) < len(routine.argtypes):
        passed.append(byref(failed))
    routine(*passed)
    if failed.value:
        raise LinAlgError("the matrix is not positive definite")
