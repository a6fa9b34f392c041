"""Random convolutions in numpy: what the native kernels compute, where no compiler was found."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np

from ..protocols import Doubles, Floats
from .dtw import Ints
from .subsequence import Bytes, check_places

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
        kernels: Ints,
        dilations: Ints,
        padded: Bytes,
        channels: Ints,
        channel_offsets: Ints,
        owners: Ints,
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
        self.nbytes = biases.nbytes + owners.nbytes

    def run(self, values: Doubles, offsets: Ints, out: Floats, stop: Bytes) -> None:
        """Write the shares of places of the series that lie above the biases into out."""
        check_places(self, values, offsets, out)
        for row, (start, end) in zip(out, pairwise(offsets), strict=True):
            for i, features in enumerate(self._features):
                if stop[0]:
                    return
                if len(features):
                    x = values[start:end, self._channels[i]].sum(axis=1)
                    kernel, dilation, padded = self._facts[i]
                    value = convolved(x, kernel, dilation, bool(padded))
                    row[features] = (value > self._biases[features, None]).mean(axis=1)
