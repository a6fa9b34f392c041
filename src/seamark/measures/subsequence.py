"""Series against windows: how near the best-matching place of a series comes to a window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Domain, Ragged, WindowList, Windows, series
from ..data.missing import interpolated
from ..data.series import FLAT
from ..validation import require_bounded
from .base import Measure, require_number, require_one_of, require_whole
from .centre import TINY, power_of_two

VALUE_SECONDS = 3e-11  # per value of a window and place of a series
ROW_SECONDS = 5e-9  # per step and channel of a row, before any window


@dataclass(eq=False, repr=False)
class Subsequence(Measure):
    """Smallest distance of a window to any place of a series.

    A window is a few values, one or more steps (its dilation) apart. At every place of a series it
    is compared with the values that lie there, by the root of the sum of squared differences; the
    smallest is the value. A *normalised* window is compared by its shape: it and every place are
    shifted and scaled to mean 0 and deviation 1 first, channel by channel.

    Series are compared with parts of series, so landmarks are windows: those that
    ``landmarks="parts"`` cuts out of training series, or your own (`seamark.data.Window`, or
    plain lists, which are windows without gaps).

    Parameters
    ----------
    length : int, default=11
        Values of a window, where windows are cut; as many as long series have, if fewer.
    share_normalised : float, default=0.8
        Share of the windows cut that are normalised. Plain lists are normalised if it is 1.
    differenced : bool, default=False
        Whether windows are cut out of, and found in, first differences.

    Notes
    -----
    A series that is shorter than a window repeats its last value. A place whose deviation is
    below a thousandth of the series' own has no shape, and is all 0 when normalised. A window that
    lies in several channels is compared with the same place of all of them.

    Missing values (NaN) are interpolated between those before and after; missing steps at the end
    are cut.

    Computed in float32, centred on each series; values that come out small are computed again in
    float64, so that a window is found where it was cut.

    Examples
    --------
    >>> import seamark as sm
    >>> X = [[0.0, 0.0, 1.0, 2.0, 1.0, 0.0], [5.0, 5.0, 5.0, 6.0]]
    >>> sm.cross("subsequence", X, [[1.0, 2.0, 1.0], [5.0, 5.0]]).round(2)
    array([[0. , 5. ],
           [6.4, 0. ]], dtype=float32)
    >>> shape = sm.data.Window([1.0, 2.0, 1.0], normalised=True)
    >>> Subsequence().cross([[8.0, 8.0, 9.0, 8.0]], [shape]).round(2)
    array([[0.]], dtype=float32)
    """

    length: int = 11
    share_normalised: float = 0.8
    differenced: bool = False

    name: ClassVar[str] = "subsequence"
    domain = series
    kind = "distance"
    bounds = (0.0, np.inf)
    symmetric = False

    def check_parameters(self) -> None:
        """Require a length, a share, and a yes or no."""
        require_bounded(type(self), vars(self))
        require_whole("length", self.length, 2)
        require_number("share_normalised", self.share_normalised, 0, 1)
        require_one_of("differenced", self.differenced, (True, False))

    @property
    def landmark_domain(self) -> Domain:
        """Windows, cut as the parameters say."""
        return Windows(int(self.length), float(self.share_normalised), bool(self.differenced))

    def compile(self, L: WindowList) -> engine.Plan:
        """Sort the windows by what they share."""
        return _Nearest(L)


class _Nearest(engine.Plan):
    def __init__(self, L: WindowList) -> None:
        self.windows = L
        self.n_landmarks = len(L)
        self.counts = np.diff(L.channel_offsets)
        self.plans: dict[tuple[int, float], engine.KernelPlan] = {}
        raw = np.repeat(~L.normalised.astype(bool), np.diff(L.offsets))
        self.raw_size = float(np.abs(L.values[raw]).max(initial=0.0))
        self.kernels = engine.backend()
        self.fills_device = self.kernels.device is not None

    def check(self, X: Ragged) -> None:
        """Stop at windows of channels that the series lack."""
        Windows().ingest(self.windows, like=X)

    def seconds(self, X: Ragged) -> NDArray[np.float64]:
        spans = self.windows.spans
        size = float((self.windows.lengths * self.counts).sum())
        # Places are steps less the span; windows longer than a row have one.
        places = np.maximum(X.lengths - (spans.mean() if len(spans) else 0), 1)
        cost = places * (size * VALUE_SECONDS) + X.lengths * X.values.shape[1] * ROW_SECONDS
        return np.asarray(cost * self.kernels.slowness, np.float64)

    def fill(self, X: Ragged, out: NDArray[np.float32], stop: Any) -> None:
        X = interpolated(X)
        values = np.ascontiguousarray(X.flat, dtype=np.float64)
        unit = 1.0
        if 0 < self.raw_size < TINY:  # raw windows, whose squares float32 may not hold
            size = max(self.raw_size, float(np.abs(values).max(initial=0.0)))
            unit = power_of_two(size) if size < TINY else 1.0
        kind = values.shape[1], unit
        if kind not in self.plans:  # the windows laid out for so many channels, in this unit
            L = self.windows
            windows = L.values / unit, L.offsets, L.dilations, L.channels, L.channel_offsets
            flags = L.normalised.astype(np.uint8), L.differenced.astype(np.uint8)
            self.plans[kind] = self.kernels.subsequence(*windows, *flags, kind[0], FLAT)
        self.plans[kind].run(
            values / unit if unit != 1 else values, X.offsets - X.offsets[0], out, stop
        )
        if unit != 1:
            out[:, np.flatnonzero(~self.windows.normalised.astype(bool))] *= np.float64(unit)
