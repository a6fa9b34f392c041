"""Missing values: where they are, and what stands in their place."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .domain import as_sequence
from .frames import as_array, as_frame, as_series
from .ragged import Ragged, offsets_of
from .vectors import Anything

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def is_missing(item: Any) -> bool:
    """Whether a value is a missing one: None, NaN, pandas' NA or NaT.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing("nan")
    (True, True, False)
    """
    nan = isinstance(item, (float, np.floating)) and bool(np.isnan(item))
    named = type(item).__name__ in ("NAType", "NaTType", "MaskedConstant")
    return item is None or nan or named


def missing_in(column: Any) -> Mask:
    """Tell which cells of a raw column are empty: None, NaN, pandas' NA and NaT.

    Examples
    --------
    >>> missing_in(["sea", None, float("nan"), ""])
    array([False,  True,  True, False])
    >>> from seamark.data import Frame
    >>> missing_in(Frame({"size": np.array([1.0, np.nan])}))
    array([False,  True])
    """
    if isinstance(column, Ragged):
        return np.zeros(len(column), dtype=bool)
    series = as_series(column)
    if series is None and (frame := as_frame(column)) is not None:
        column = frame.get_column(frame.columns[0])
        series = column if hasattr(column, "is_null") else None  # a Frame has arrays
    if series is None:
        return np.fromiter(map(is_missing, as_array(column)), dtype=bool)
    missing = series.is_null() | series.is_nan() if series.dtype.is_float() else series.is_null()
    return np.asarray(missing.to_numpy(), dtype=bool)


# Objects of a column: another object stands where one is missing.


def without_gaps(column: Any, missing: Mask) -> Any:
    """Return a raw column whose empty cells hold what its first full one holds.

    Examples
    --------
    >>> without_gaps([None, "sea", "mark"], np.array([True, False, False]))
    ['sea', 'sea', 'mark']
    """
    if not missing.any():
        return column
    items = list(as_sequence(column, Anything()))
    stand_in = items[int(np.argmin(missing))]
    for i in np.flatnonzero(missing):
        items[i] = stand_in
    return items


# Columns of numbers: medians stand in.


def column_medians(X: Floats) -> Floats:
    """Return what stands in for a missing number of each column: its median, 0 where all miss.

    Examples
    --------
    >>> column_medians(np.array([[1.0, np.nan], [3.0, np.nan], [np.nan, np.nan]]))
    array([2., 0.])
    """
    known = ~np.isnan(X).all(axis=0)
    medians = np.zeros(X.shape[1])
    medians[known] = np.nanmedian(X[:, known], axis=0)
    return medians


def filled_columns(X: Floats, medians: Any) -> Floats:
    """Return columns of numbers with the median of each in place of what is missing.

    Examples
    --------
    >>> filled_columns(np.array([[1.0, np.nan], [3.0, 4.0]]), [2.0, 4.0])
    array([[1., 4.],
           [3., 4.]])
    """
    return np.where(np.isnan(X), np.asarray(medians), X)


def columns_with_gaps(X: Floats) -> NDArray[np.intp]:
    """Return which columns of numbers miss any.

    Examples
    --------
    >>> columns_with_gaps(np.array([[1.0, np.nan], [3.0, 4.0]]))
    array([1])
    """
    return np.flatnonzero(np.isnan(X).any(axis=0))


# Series: steps are left out, or values interpolated.


def has_missing_steps(X: Ragged) -> bool:
    """Whether any value of these series is missing.

    Examples
    --------
    >>> from seamark.data import series
    >>> has_missing_steps(series.ingest([[1.0, np.nan, 3.0], [4.0, 5.0]]))
    True
    """
    return bool(X.flat.size) and bool(np.isnan(X.flat.min()))  # a minimum keeps NaN


def present_steps(X: Ragged) -> Ragged:
    """Return the series without the steps at which every channel is missing.

    A channel that is missing where others are not is interpolated.

    Examples
    --------
    >>> from seamark.data import series
    >>> list(present_steps(series.ingest([[1.0, np.nan, 3.0], [4.0, 5.0]])))
    [array([1., 3.]), array([4., 5.])]
    """
    if not has_missing_steps(X):
        return X
    kept = ~np.isnan(X.flat).all(axis=1)
    lengths = np.add.reduceat(kept, _starts(X), dtype=np.int64)
    return Ragged(_filled(X)[kept], offsets_of(lengths), X.domain)


def interpolated(X: Ragged) -> Ragged:
    """Return the series with missing values on the line between those before and after.

    The first known value is repeated to the left. Steps after the last known one are cut: where
    series were padded to one length, they are not part of the series.

    Examples
    --------
    >>> from seamark.data import series
    >>> list(interpolated(series.ingest([[np.nan, 1.0, np.nan, 3.0], [4.0, 5.0, np.nan, np.nan]])))
    [array([1., 1., 2., 3.]), array([4., 5.])]
    """
    if not has_missing_steps(X):
        return X
    known, places = ~np.isnan(X.flat).all(axis=1), np.arange(len(X.flat))
    ends = np.maximum.reduceat(np.where(known, places, -1), _starts(X)) + 1
    kept = places < np.repeat(ends, X.lengths)
    return Ragged(_filled(X)[kept], offsets_of(ends - _starts(X)), X.domain)


def shares_missing(X: Ragged) -> NDArray[np.float64]:
    """Return the share of missing values in each channel of each series.

    Examples
    --------
    >>> from seamark.data import series
    >>> shares_missing(series.ingest([[1.0, np.nan, 3.0, 2.0], [4.0, 5.0]]))
    array([[0.25],
           [0.  ]])
    """
    counts = np.add.reduceat(np.isnan(X.flat), _starts(X), axis=0, dtype=np.float64)
    return np.asarray(counts / X.lengths[:, None])


def reject_series_without_values(X: Ragged) -> None:
    """Stop at a series of which a channel has no value at all."""
    if not has_missing_steps(X):
        return
    empty = shares_missing(X) == 1.0
    if empty.any():
        row, channel = np.argwhere(empty)[0]
        where = f" in channel {channel}" if empty.shape[1] > 1 else ""
        raise ValueError(f"Series {row} has no value{where}: all are NaN. Drop it.")


def _starts(X: Ragged) -> NDArray[np.int64]:
    return np.asarray(X.offsets[:-1] - X.offsets[0])


def _filled(X: Ragged) -> NDArray[Any]:
    """Return all values, missing ones interpolated within their series and channel."""
    values, starts = X.flat.copy(), _starts(X)
    places = np.arange(len(values))
    first = np.repeat(starts, X.lengths)
    stop = np.repeat(starts + X.lengths, X.lengths)
    for channel in values.T:  # views
        missing = np.isnan(channel)
        before = np.maximum.accumulate(np.where(missing, -1, places))
        after = np.minimum.accumulate(np.where(missing, len(values), places)[::-1])[::-1]
        before, after = (
            np.where(before < first, after, before),
            np.where(after < stop, after, before),
        )
        before, after = before[missing], after[missing]
        share = (places[missing] - before) / np.maximum(after - before, 1)
        channel[missing] = channel[before] + share * (channel[after] - channel[before])
    return values
