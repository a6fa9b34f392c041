"""Windows of series: distances to the nearest place, and shares of convolutions above biases."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from ..array_checks import check_out, check_series, check_windows
from ..plan import Doubles, Floats, Offsets

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
        offsets: Offsets,
        dilations: Offsets,
        channels: Offsets,
        channel_offsets: Offsets,
        normalised: Bytes,
        differenced: Bytes,
        n_channels: int,
        flat: float,
    ) -> None:
        windows = values, offsets, dilations, channels, channel_offsets, normalised, differenced
        check_windows(*windows, n_channels, flat)
        self.n_landmarks = len(dilations)
        self._windows, self._n_channels, self._flat = Windows(*windows), n_channels, flat
        self._rows = [self._windows.rows(w)[0] for w in range(self.n_landmarks)]

    def run(self, values: Doubles, offsets: Offsets, out: Floats, stop: Bytes) -> None:
        """Write the distances of the windows to the nearest places of the series into out."""
        values = check_series(values, offsets, self._n_channels)
        check_out(out, offsets, self.n_landmarks)
        for row, (start, end) in zip(out, pairwise(offsets), strict=True):
            x = values[start:end].T
            known: dict[Any, Any] = {}
            for w in range(self.n_landmarks):
                if stop[0]:
                    return
                row[w] = np.sqrt(max(0.0, self._square(x, w, known)))

    def _square(self, x: Doubles, w: int, known: dict[Any, Any]) -> float:
        """Smallest sum of squares over all places."""
        sums, own = 0.0, self._windows
        for c, values in zip(own.channels_of(w), self._rows[w], strict=True):
            how = bool(own.differenced[w]), int(own.dilations[w]), len(values), own.normalised[w]
            if (c, *how) not in known:
                known[c, *how] = self._places(x[c], *how)
            sums = sums + ((known[c, *how] - values) ** 2).sum(axis=1)
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


@dataclass(frozen=True)
class Windows:
    """Windows as they come: see `SubsequencePlan`."""

    values: Doubles
    offsets: Offsets
    dilations: Offsets
    channels: Offsets
    channel_offsets: Offsets
    normalised: Bytes
    differenced: Bytes

    def channels_of(self, w: int) -> tuple[int, ...]:
        """Channels of a window."""
        return tuple(self.channels[self.channel_offsets[w] : self.channel_offsets[w + 1]].tolist())

    def rows(self, w: int) -> tuple[Doubles, float]:
        """Values of a window, (channels, length), as they are compared; and the size of its shape.

        The size is the sum of squares of the window and of a place that is not flat.
        """
        count = int(self.channel_offsets[w + 1] - self.channel_offsets[w])
        rows = self.values[self.offsets[w] : self.offsets[w + 1]].reshape(count, -1)
        if not self.normalised[w]:
            return rows, 0.0
        rows = shaped(rows, ROUNDING * np.abs(rows).max(axis=1))
        return rows, float(rows.shape[1] * (count + rows.any(axis=1).sum()))


def shaped(rows: Doubles, least: Any) -> Doubles:
    """Rows at mean 0 and deviation 1; those with no more than the least deviation at 0.

    Examples
    --------
    >>> shaped(np.array([[1.0, 3.0], [2.0, 2.0]]), 0.0)
    array([[-1.,  1.],
           [ 0.,  0.]])
    """
    centred = rows - rows.mean(axis=1, keepdims=True)
    # The first mean of far-off values has few digits.
    centred -= centred.mean(axis=1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(axis=1))
    scale = np.where(deviation > least, deviation, np.inf)
    return np.asarray(centred / scale[:, None])


# Random convolutions in numpy: what the native kernels compute, where no compiler was found.


TAPS = 9
KERNELS = np.array(list(combinations(range(TAPS), 3)))
"""Places, of nine, of the three taps that weigh 2; the others weigh −1."""


def convolved(x: Doubles, kernel: Any, dilation: int, padded: bool) -> Doubles:
    """Values of one kernel at every place of a series, that is the sum of its channels.

    Parameters
    ----------
    x : ndarray of shape (time,) or (series, time)
        If shorter than the kernel, it repeats its last value.
    kernel : int or ndarray of shape (series,)
        Row of `KERNELS`.
    dilation : int
        Steps from one tap to the next.
    padded : bool
        Whether places count where the kernel reaches beyond the series, to zeros.

    Examples
    --------
    >>> convolved(np.ones(12), 0, 1, padded=False)
    array([0., 0., 0., 0.])
    """
    reach = TAPS // 2 * dilation
    x = np.concatenate([x, x[..., -1:].repeat(max(0, 2 * reach + 1 - x.shape[-1]), axis=-1)], -1)
    n = x.shape[-1] - (0 if padded else 2 * reach)
    if padded:
        beyond = np.zeros((*x.shape[:-1], reach))
        x = np.concatenate([beyond, x, beyond], axis=-1)
    taps = [x[..., t * dilation : t * dilation + n] for t in range(TAPS)]
    if x.ndim == 1:
        first, second, third = (taps[t] for t in KERNELS[kernel])
    else:
        stacked, rows = np.stack(taps), np.arange(len(x))
        first, second, third = (stacked[t, rows] for t in KERNELS[kernel].T)
    return np.asarray(3 * (first + second + third) - sum(taps))


class ConvolutionPlan:
    """Random convolutions prepared for series.

    Parameters
    ----------
    kernels, dilations : ndarray of int, one per combination
    padded : ndarray of uint8
    channels : ndarray of int
        Channels of all combinations, end to end.
    channel_offsets : ndarray of shape (combinations + 1,)
        Where the channels of each begin.
    owners : ndarray of int, one per feature
        The combination that it belongs to.
    biases : ndarray of float, one per feature
    n_channels : int
        Channels of series.

    Examples
    --------
    >>> one, no = np.zeros(1, np.int64), np.zeros(1, np.uint8)
    >>> plan = ConvolutionPlan(one, one + 1, no, one, np.array([0, 1]), one, np.array([-1.0]), 1)
    >>> out = np.empty((1, 1), np.float32)
    >>> plan.run(np.ones((12, 1)), np.array([0, 12]), out, no)
    >>> float(out[0, 0])
    1.0
    """

    def __init__(
        self,
        kernels: Offsets,
        dilations: Offsets,
        padded: Bytes,
        channels: Offsets,
        channel_offsets: Offsets,
        owners: Offsets,
        biases: Doubles,
        n_channels: int,
    ) -> None:
        n = len(kernels)
        if len(dilations) != n or len(padded) != n or len(channel_offsets) != n + 1:
            raise ValueError("the arrays of convolutions differ in length")
        if n and not 0 <= kernels.min() <= kernels.max() < len(KERNELS):
            raise ValueError("kernels are numbered from 0 to 83")
        if n and dilations.min() < 1:
            raise ValueError("a dilation is out of range")
        if len(channels) and not 0 <= channels.min() <= channels.max() < n_channels:
            raise ValueError("a combination has a channel that series lack")
        if len(owners) and not 0 <= owners.min() <= owners.max() < n:
            raise ValueError("a feature belongs to no combination")
        self._features = [np.flatnonzero(owners == i) for i in range(n)]
        self._facts = list(zip(kernels.tolist(), dilations.tolist(), padded.tolist(), strict=True))
        self._channels = [channels[a:b] for a, b in pairwise(channel_offsets)]
        self._biases = biases
        self._n_channels = n_channels
        self.n_landmarks = len(biases)

    def run(self, values: Doubles, offsets: Offsets, out: Floats, stop: Bytes) -> None:
        """Write the shares of places of the series that lie above the biases into out."""
        values = check_series(values, offsets, self._n_channels)
        check_out(out, offsets, self.n_landmarks)
        for row, (start, end) in zip(out, pairwise(offsets), strict=True):
            for i, features in enumerate(self._features):
                if stop[0]:
                    return
                if len(features):
                    x = values[start:end, self._channels[i]].sum(axis=1)
                    kernel, dilation, padded = self._facts[i]
                    value = convolved(x, kernel, dilation, bool(padded))
                    row[features] = (value > self._biases[features, None]).mean(axis=1)
