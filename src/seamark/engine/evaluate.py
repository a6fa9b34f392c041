"""Inside one tile: a Python function is called on pairs of objects, or on a batch of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import compress, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .tiles import Mask

LARGEST = float(np.finfo(np.float32).max)
# Types known to be real numbers at a glance; others are looked at one by one.
_PLAIN = frozenset({float, int, bool, np.float64, np.float32, np.int64, np.int32, np.bool_})

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Failure:
    """What went wrong, and at which row and column of the tile (None: no one pair)."""

    text: str
    cause: Exception | None = None
    row: int | None = None
    column: int | None = None


class Calls:
    """A function, the landmarks, and how the function wants its objects.

    Parameters
    ----------
    f : callable
        ``f(x, y) -> number``, or ``f(X, L) -> (n, R) array`` if `vectorised`.
    L : objects
        Ingested landmarks.
    vectorised : bool
    """

    def __init__(self, f: Callable[..., Any], L: Any, vectorised: bool) -> None:
        self.f = f
        self.L = L
        self.vectorised = vectorised

    def __reduce__(self) -> tuple[Any, ...]:
        return Calls, (self.f, self.L, self.vectorised)  # not the landmarks one by one

    @functools.cached_property
    def landmarks(self) -> list[Any]:
        """The landmarks one by one."""
        return objects(self.L)

    def evaluate(
        self, rows: Any, c: int, d: int, wanted: Mask | None, values: Doubles
    ) -> Failure | None:
        """Put values of `rows` against landmarks c..d into `values`, which is all NaN.

        What stays NaN was not evaluated: it is not wanted, or a failure came first (which is
        returned), or an exception from elsewhere, such as KeyboardInterrupt.
        """
        fill = self._batch if self.vectorised else self._pairs
        return fill(rows, c, d, wanted, values)

    def _pairs(
        self, rows: Any, c: int, d: int, wanted: Mask | None, values: Doubles
    ) -> Failure | None:
        landmarks = self.landmarks[c:d]
        for i, x in enumerate(objects(rows)):
            failure = (
                _call_row(self.f, x, landmarks, values[i])
                if wanted is None
                else self._some_of_row(x, landmarks, wanted[i], values[i])
            )
            if failure is not None:
                return replace(failure, row=i)
        return None

    def _some_of_row(
        self, x: Any, landmarks: list[Any], wanted: NDArray[np.bool_], out: Doubles
    ) -> Failure | None:
        n = int(np.count_nonzero(wanted))
        if wanted[:n].all():  # the first ones, as below a diagonal
            return _call_row(self.f, x, landmarks[:n], out[:n])
        got = np.full(n, np.nan)
        try:
            failure = _call_row(self.f, x, list(compress(landmarks, wanted)), got)
        finally:
            out[wanted] = got
        if failure is None or failure.column is None:
            return failure
        return replace(failure, column=int(np.flatnonzero(wanted)[failure.column]))

    def _batch(
        self, rows: Any, c: int, d: int, wanted: Mask | None, values: Doubles
    ) -> Failure | None:
        """Call once, on the smallest rectangle that holds all that is wanted."""
        r, s = np.arange(values.shape[0]), np.arange(values.shape[1])
        if wanted is not None:
            r, s = r[wanted.any(axis=1)], s[wanted.any(axis=0)]
        rows = rows if len(r) == values.shape[0] else rows[r]
        landmarks = self.L[c:d] if len(s) == values.shape[1] else self.L[c + s]
        try:
            result = matrix(self.f(batch(rows), batch(landmarks)), (len(r), len(s)))
        except Exception as error:
            return Failure(reason(error), error)
        with np.errstate(invalid="ignore"):
            bad = ~(np.abs(result) <= LARGEST)
        unfit = result[bad][:1]
        result[bad] = np.nan
        values[np.ix_(r, s)] = result
        if not len(unfit):
            return None
        i, j = np.argwhere(bad)[0]
        return Failure(_unfit(float(unfit[0])), row=int(r[i]), column=int(s[j]))


def objects(X: Any) -> list[Any]:
    """Return the objects of an ingested collection one by one; a CSR row is a 1-row matrix."""
    return [X[i : i + 1] for i in range(X.shape[0])] if sparse.issparse(X) else list(X)


def batch(X: Any) -> Any:
    """Return a collection as a function of batches gets it: a matrix, or a list of objects."""
    return X if sparse.issparse(X) or (isinstance(X, np.ndarray) and X.ndim > 1) else list(X)


def name_of(f: Callable[..., Any]) -> str:
    """Return a function's name for people.

    Examples
    --------
    >>> name_of(functools.partial(max, 1)), name_of(len)
    ('max', 'len')
    """
    if isinstance(f, functools.partial):
        return name_of(f.func)
    return str(getattr(f, "__name__", type(f).__name__))


def reason(error: BaseException) -> str:
    """Return what an exception says, with its type unless it is one of ours."""
    return str(error) if isinstance(error, _Unfit) else f"{type(error).__name__}: {error}"


class _Unfit(ValueError):
    """A result that is no finite number, or no matrix of numbers."""


def matrix(result: Any, shape: tuple[int, int]) -> Doubles:
    """Return a copy of a batch's result as float64, or raise `ValueError` with a sentence."""
    array = np.asarray(result.toarray() if sparse.issparse(result) else result)
    if array.shape != shape:
        raise _Unfit(
            f"it returned an array of shape {array.shape} for {shape[0]} rows and {shape[1]} "
            f"landmarks, and must return shape {shape}; if it compares single objects, pass "
            "vectorised=False."
        )
    if array.dtype.kind not in "biuf":
        raise _Unfit(f"it returned an array of {array.dtype}, and must return real numbers.")
    return array.astype(np.float64)


def number(result: Any) -> float:
    """Return a pair's result as a float, or raise `ValueError` with a sentence.

    Examples
    --------
    >>> number(np.array([[2.5]])), number(True)
    (2.5, 1.0)
    """
    value = result.toarray() if sparse.issparse(result) else result
    if hasattr(value, "dtype") and hasattr(value, "item") and np.prod(value.shape) == 1:
        value = value.item()
    if isinstance(value, (str, bytes, complex)) or not hasattr(value, "__float__"):
        raise _Unfit(f"it returned {_brief(result)}, and must return one finite number.")
    try:
        value = float(value)
    except OverflowError:
        value = np.inf
    except (TypeError, ValueError):
        raise _Unfit(f"it returned {_brief(result)}, and must return one number.") from None
    if not abs(value) <= LARGEST:
        raise _Unfit(_unfit(value, _brief(result)))
    return value


def _unfit(value: float, shown: str = "") -> str:
    shown = shown or f"{value:g}"
    if np.isfinite(value):
        return f"it returned {shown}, beyond the range of float32 ({LARGEST:.2g}); rescale it."
    return f"it returned {shown}, and must return one finite number."


def _brief(value: Any) -> str:
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an int of too many digits, a class with a broken __repr__
        return f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:60]}… (a {type(value).__name__})"


def _call_row(f: Callable[..., Any], x: Any, landmarks: list[Any], out: Doubles) -> Failure | None:
    """Fill `out` until the first failure, and return it."""
    got: list[Any] = []
    error: Exception | None = None
    try:
        got.extend(map(f, repeat(x), landmarks))  # a loop in C; what came before an error stays
        if len(got) < len(landmarks):  # `map` takes this exception of the function's as an end
            error = StopIteration("raised by the function")
    except Exception as raised:
        error = raised
    finally:  # Ctrl-C too leaves the numbers so far
        bad = _take_numbers(got, out)
    if bad is not None:
        return bad
    return None if error is None else Failure(reason(error), error, column=len(got))


def _take_numbers(got: list[Any], out: Doubles) -> Failure | None:
    """Write results to `out` up to the first that is no finite number, and return that."""
    n = len(got)
    if _PLAIN.issuperset(map(type, got)):
        try:
            out[:n] = got
        except OverflowError:  # an int too large for a double
            pass
        else:
            if np.all(np.abs(out[:n]) <= LARGEST):
                return None
    out[:n] = np.nan
    for position, result in enumerate(got):
        try:
            out[position] = number(result)
        except ValueError as error:
            return Failure(str(error), column=position)
    return None
