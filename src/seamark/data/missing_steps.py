"""Missing values inside series: steps left out, values interpolated, and the share of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .ragged import Ragged, offsets_of


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
