"""Windows found in series, in numpy: what the native kernel computes, where there is none."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from ..protocols import Doubles, Floats
from .dtw import Ints

Bytes = NDArray[np.uint8]

ROUNDING = 1e-14  # of the size of values: what varies less is rounding


class SubsequencePlan:
    """Windows prepared to be found in series.

    Parameters
    ----------
    values : ndarray
        Values of all windows end to end; of one window, channel after channel.
    offsets : ndarray of shape (n + 1,)
        Where the values of each window begin.
    dilations : ndarray of shape (n,)
        Steps from one value of a window to the next.
    channels : ndarray of int
        Channels of all windows, end to end.
    channel_offsets : ndarray of shape (n + 1,)
        Where the channels of each window begin.
    normalised, differenced : ndarray of uint8, shape (n,)
        Whether a window is compared by its shape only; whether it is one of differences.
    n_channels : int
        Channels of series.
    flat : float
        Deviation, in that of the series, up to which a place has no shape.

    Examples
    --------
    >>> window, one = np.array([1.0, 3.0]), np.zeros(1, np.int64)
    >>> no = np.zeros(1, np.uint8)
    >>> plan = SubsequencePlan(
    ...     window, np.array([0, 2]), one + 1, one, np.array([0, 1]), no, no, 1, 1e-3
    ... )
    >>> out = np.empty((1, 1), np.float32)
    >>> plan.run(np.array([[0.0], [1.0], [4.0], [9.0]]), np.array([0, 4]), out, no)
    >>> float(out[0, 0])
    1.0
    """

    def __init__(
        self,
        values: Doubles,
        offsets: Ints,
        dilations: Ints,
        channels: Ints,
        channel_offsets: Ints,
        normalised: Bytes,
        differenced: Bytes,
        n_channels: int,
        flat: float,
    ) -> None:
        ends = pairwise(offsets), pairwise(channel_offsets)
        self._windows = [
            _Window(values[a:b], int(dilation), channels[c:d], bool(shape), bool(steps))
            for (a, b), (c, d), dilation, shape, steps in zip(
                *ends, dilations, normalised, differenced, strict=True
            )
        ]
        if len(channels) and not 0 <= channels.min() <= channels.max() < n_channels:
            raise ValueError("a window lies in a channel that series lack")
        self.n_landmarks = len(dilations)
        self._n_channels = n_channels
        self._flat = flat
        self.nbytes = values.nbytes

    def run(self, values: Doubles, offsets: Ints, out: Floats, stop: Bytes) -> None:
        """Write the distances of the windows to the nearest places of the series into out."""
        check_places(self, values, offsets, out)
        for row, (start, end) in zip(out, pairwise(offsets), strict=True):
            x = np.asarray(values[start:end].T, np.float64)
            known: dict[Any, Any] = {}
            for w, window in enumerate(self._windows):
                if stop[0]:
                    return
                row[w] = np.sqrt(max(0.0, self._square(x, window, known)))

    def _square(self, x: Doubles, window: _Window, known: dict[Any, Any]) -> float:
        """Smallest sum of squares over all places."""
        sums: Any = 0.0
        for c, values in zip(window.channels.tolist(), window.values, strict=True):
            key = (window.differenced, window.dilation, len(values), window.normalised, c)
            if key not in known:
                known[key] = self._places(x[c], *key[:4])
            places = known[key]
            sums = sums + ((places - values) ** 2).sum(axis=1)
        return float(np.min(sums))

    def _places(
        self, x: Doubles, differenced: bool, dilation: int, length: int, normalised: bool
    ) -> Doubles:
        """All places of one channel, (places, values)."""
        own = np.diff(x) if differenced and len(x) > 1 else x * (not differenced)
        span = (length - 1) * dilation + 1
        filler = 0.0 if differenced else x[-1]  # repeated values differ by nothing
        long = np.concatenate([own, np.full(max(0, span - len(own)), filler)])
        shape = (len(long) - span + 1, length)
        steps = (long.strides[0], long.strides[0] * dilation)
        places = as_strided(long, shape, steps, writeable=False)
        least = max(self._flat * own.std(), ROUNDING * np.abs(long).max())
        return shaped(places, least) if normalised else places


class _Window:
    def __init__(
        self, values: Doubles, dilation: int, channels: Ints, normalised: bool, differenced: bool
    ) -> None:
        if dilation < 1 or len(values) == 0 or len(channels) == 0 or len(values) % len(channels):
            raise ValueError("a window has no values, or not as many in each channel")
        rows = np.asarray(values, np.float64).reshape(len(channels), -1)
        self.values = shaped(rows, ROUNDING * np.abs(rows).max(axis=1)) if normalised else rows
        self.dilation, self.channels = dilation, channels
        self.normalised, self.differenced = normalised, differenced


def shaped(rows: Doubles, least: Any) -> Doubles:
    """Rows at mean 0 and deviation 1; those with no more than the least deviation at 0.

    Examples
    --------
    >>> shaped(np.array([[1.0, 3.0], [2.0, 2.0]]), 0.0)
    array([[-1.,  1.],
           [ 0.,  0.]])
    """
    centred = rows - rows.mean(axis=1, keepdims=True)
    centred -= centred.mean(
        axis=1, keepdims=True
    )  # the first mean of far-off values has few digits
    deviation = np.sqrt((centred**2).mean(axis=1))
    scale = np.where(deviation > least, deviation, np.inf)
    return np.asarray(centred / scale[:, None])


def check_places(plan: Any, values: Doubles, offsets: Ints, out: Floats) -> None:
    """Refuse series that a plan of places cannot take, and results of another shape."""
    if len(offsets) == 0 or offsets[0] < 0 or offsets[-1] > len(values):
        raise ValueError("offsets out of range")
    if (np.diff(offsets) < 1).any():
        raise ValueError("a series is empty")
    if values.shape[1] != plan._n_channels:
        raise ValueError("series and plan differ in their number of channels")
    if out.shape != (len(offsets) - 1, plan.n_landmarks):
        raise ValueError("out has the wrong shape")
