"""Dynamic time warping, and lower bounds of it from envelopes."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d, minimum_filter1d

from .. import engine
from ..data import Ragged, series
from ..data.missing import present_steps
from ..validation import require_bounded
from .base import Fact, Measure
from .centre import Magnified, centre_of

SLACK = 5e-4
"""Values and bounds are rounded; bounds are made so much smaller."""
ROUNDING = 2.4e-7
"""Of float32, for a difference of two numbers, relative to the larger."""

CACHED = 512
"""Series that all queries pass before the next ones: they stay in the cache of a core."""

Doubles = NDArray[np.float64]


def envelope_bounds(X: Ragged, width: int) -> Callable[[Ragged], Doubles]:
    """Return a function from queries to lower bounds of their distances to series of one length.

    Within a band, every step of one series is matched with one of few steps of the other: no path
    costs less than what lies outside the band's smallest and largest values.

    Parameters
    ----------
    X : Ragged
        Of one length; values as the measure compares them.
    width : int
        Steps from the diagonal that a path may take.

    Returns
    -------
    callable
        Of the roots of summed squares, (queries, series); 0 for queries of other lengths.

    Examples
    --------
    >>> from seamark.data import series
    >>> walks = series.ingest([[0.0, 0.0, 0.0], [5.0, 5.0, 9.0]])
    >>> envelope_bounds(walks, width=1)(series.ingest([[0.0, 1.0, 2.0]])).round(1)
    array([[1. , 8.6]])
    """
    length, centre = int(X.lengths[0]), centre_of(X.flat)
    points = (X.flat - centre).astype(np.float32).reshape(len(X), -1)
    largest_point = float(np.abs(points).max(initial=0))
    size = 2 * min(width, length) + 1

    def below(queries: Ragged) -> Doubles:
        bounds = np.zeros((len(queries), len(points)))
        same = np.flatnonzero(queries.lengths == length)
        if not len(same):
            return bounds
        flat = (queries[same].flat - centre).astype(np.float32).reshape(len(same), -1)
        steps = flat.reshape(len(same), length, -1)
        high = maximum_filter1d(steps, size, axis=1, mode="nearest").reshape(flat.shape)
        low = minimum_filter1d(steps, size, axis=1, mode="nearest").reshape(flat.shape)
        sums = np.empty((len(same), len(points)), dtype=np.float32)
        kernel, stop = engine.backend().envelopes, np.zeros(1, dtype=np.uint8)
        for a in range(0, len(points), CACHED):
            for i in range(len(same)):
                out = sums[i, a : a + CACHED]
                kernel(points[a : a + CACHED], low[i : i + 1], high[i : i + 1], out, stop)
        largest = np.maximum(largest_point, np.abs(flat).max(axis=1, keepdims=True))
        lost = ROUNDING * np.sqrt(flat.shape[1]) * largest
        bounds[same] = np.maximum((1 - SLACK) * np.sqrt(sums.astype(np.float64)) - lost, 0.0)
        return bounds

    return below


CELL_SECONDS = 4e-11  # per cell of the warping matrix, and
CHANNEL_SECONDS = 2e-11  # per cell and channel


@dataclass(eq=False, repr=False)
class DTW(Measure):
    """Dynamic time warping of series of any lengths, with any number of channels.

    The least sum of local costs over monotone alignments of two series. Steps without any value
    (NaN) are left out.

    Parameters
    ----------
    window : None, int or float, default=None
        Sakoe–Chiba band. None: no band. An int: at most so many steps from the diagonal
        |i − j| ≤ w. A float in [0, 1]: this share of the shorter series, around the diagonal of
        the rectangle if lengths differ (as aeon's). A band through which no path leads is an error.
    local : {"squared", "euclidean"}, default="squared"
        Local cost: squared Euclidean distance between time points, or the distance itself.
    root : bool, default=True
        Take the square root of a sum of squared costs, so that values have the unit of the data.
        Not used with ``local="euclidean"``.
    znormalise : bool, default=False
        Shift and scale every channel of every series to mean 0 and deviation 1 first.

    Notes
    -----
    Computed in float32; the relative error is typically below 10⁻⁵ for series of up to a thousand
    steps. Costs of series that float32 cannot tell apart are computed again from both halves of
    the doubles: so the error is at most 10⁻⁴ of the value, and 10⁻¹⁴ of the largest number for
    each coordinate on the path, whatever sizes the series of one collection have.

    Examples
    --------
    >>> DTW().cross([[0.0, 0.0, 1.0, 2.0]], [[0.0, 1.0, 2.0], [0.0, 1.0, 4.0]])
    array([[0., 2.]], dtype=float32)
    """

    window: float | None = None
    local: Literal["squared", "euclidean"] = "squared"
    root: bool = True
    znormalise: bool = False

    name: ClassVar[str] = "dtw"
    choices: ClassVar = {"local": ("squared", "euclidean")}
    domain = series
    kind = "distance"
    bounds = (0.0, np.inf)
    symmetric = True
    self_value = 0.0

    def check_parameters(self) -> None:
        """Require a sensible band and a known local cost."""
        super().check_parameters()
        require_bounded(type(self), vars(self))
        require_window(self.window)

    @property
    def triangle(self) -> Fact:  # type: ignore[override]
        """False, as warping is free; in a band of no steps it is a distance of vectors."""
        if self.window is None:
            return False
        if not in_steps(self.window) or self.window > 0:
            return None
        return self.local == "euclidean" or self.root

    def compile(self, L: Ragged) -> engine.Plan:
        """Lay the landmarks out in lanes."""
        L = present_steps(L)
        kernels, band = engine.backend(), band_numbers(self.window)
        euclidean = self.local == "euclidean"
        root = self.root and not euclidean
        centre = 0.0 if self.znormalise else centre_of(L.flat)

        def parts(X: Ragged) -> list[Any]:
            flat = znormalised(X) if self.znormalise else X.flat - centre
            return [(np.ascontiguousarray(flat), X.offsets - X.offsets[0])]

        def make(values: Any, offsets: Any, centre: float, unit: float) -> engine.KernelPlan:
            return kernels.dtw(values, offsets, *band, euclidean)

        power = 1 if root or euclidean else 2
        plan = PathPlan(self.window, L, parts, make, power=power, root=root)
        plan.fills_device = plan.plans[0].fills_device
        return plan

    def sketch(self, X: Ragged) -> NDArray[np.float64] | None:
        """First, last, smallest and largest value of each channel (Kim's bound)."""
        if self.local == "squared" and not self.root:
            return None
        X = present_steps(X)
        flat = znormalised(X) if self.znormalise else X.flat.astype(np.float64)
        starts, ends = X.offsets[:-1] - X.offsets[0], X.offsets[1:] - X.offsets[0] - 1
        least, most = np.minimum.reduceat(flat, starts), np.maximum.reduceat(flat, starts)
        return np.hstack([flat[starts], flat[ends], least, most])

    def bounding(self, X: Ragged) -> Callable[[Any], NDArray[np.float64]] | None:
        """Keogh's bound within the band, if all series are of one length."""
        X = present_steps(X)
        if (X.lengths != X.lengths[0]).any():
            return None
        length = int(X.lengths[0])
        width = length if self.window is None else self.window
        steps = int(width) if in_steps(width) else int(min(width * length, length))
        bounds_of = envelope_bounds(self._compared(X), steps)
        squared = self.local == "squared" and not self.root

        def bounds(queries: Ragged) -> NDArray[np.float64]:
            below = bounds_of(self._compared(queries))
            return below**2 if squared else below

        return bounds

    def _compared(self, X: Ragged) -> Ragged:
        """The series as they are compared."""
        X = present_steps(X)
        if not self.znormalise:
            return X
        return Ragged(znormalised(X), X.offsets - X.offsets[0], X.domain)


class PathPlan(engine.Plan):
    """Least costs of paths between series and landmarks, within a band.

    Steps of series without any value are left out.

    Parameters
    ----------
    window : None, int or float
    L : Ragged
        Landmarks, without missing steps.
    parts : callable
        ``parts(X)`` returns values and offsets for each kernel plan; costs are added up.
    make : callable
        ``make(values, offsets, centre, unit)`` returns a kernel's plan; see `Magnified`.
    power : int or None
        Values grow with this power of the series; None: tiny ones need no care.
    root : bool, default=False
        Take the root of the costs.
    finish : callable, optional
        ``finish(out, rows, landmarks)`` turns costs into values, in place, by the lengths.
    slower : float, default=1
        Than a cell of DTW.
    """

    def __init__(
        self,
        window: Any,
        L: Ragged,
        parts: Callable[[Ragged], list[Any]],
        make: Callable[..., engine.KernelPlan],
        *,
        power: int | None,
        root: bool = False,
        finish: Callable[..., None] | None = None,
        slower: float = 1.0,
    ) -> None:
        self.window, self.lengths, self.n_landmarks = window, L.lengths, len(L)
        self.parts, self.finish = parts, finish
        self.root = root and power is None  # else magnified plans take it
        self.slowness = engine.backend().slowness * slower
        self.plans: list[Any] = [
            make(*part, 0.0, 1.0)
            if power is None
            else Magnified(make, *part, root=root, power=power)
            for part in parts(L)
        ]
        # Channels that are warped for themselves are added up.
        self.scratch_per_row = 4 * self.n_landmarks * (len(self.plans) > 1)

    def check(self, X: Ragged) -> None:
        """Stop at a band of steps that is narrower than a difference of lengths."""
        X = present_steps(X)
        if in_steps(self.window) and len(X):
            for row in {int(X.lengths.argmin()), int(X.lengths.argmax())}:
                gaps = np.abs(self.lengths - X.lengths[row])
                if gaps.max(initial=0) > self.window:
                    raise self._no_path(X, row, int(gaps.argmax()))

    def seconds(self, X: Ragged) -> NDArray[np.float64]:
        """By the cells in the band."""
        per_cell = len(self.plans) * CELL_SECONDS + CHANNEL_SECONDS * X.values.shape[1]
        return np.asarray(per_cell * self.slowness * cells(self.window, X.lengths, self.lengths))

    def fill(self, X: Ragged, out: NDArray[np.float32], stop: Any) -> None:
        """Sum up the costs of all parts."""
        X = present_steps(X)
        for k, (plan, part) in enumerate(zip(self.plans, self.parts(X), strict=True)):
            values = out if k == 0 else np.empty_like(out)
            plan.run(*part, values, stop)
            if stop[0]:
                return  # what was not computed is anything
            if k:
                out += values
        if self.window is not None and np.isinf(out).any():
            i, j = np.argwhere(np.isinf(out))[0]
            raise self._no_path(X, int(i), int(j))
        if self.root:
            np.sqrt(out, out=out)
        if self.finish is not None:
            self.finish(out, X.lengths, self.lengths)

    def _no_path(self, X: Ragged, row: int, landmark: int) -> engine.PairError:
        gap = abs(int(X.lengths[row]) - int(self.lengths[landmark]))
        return engine.PairError(
            f"window={self.window!r} leaves no path between series {{row}} and landmark "
            f"{{landmark}}, whose lengths differ by {gap}; widen the window to at least the "
            "difference of lengths.",
            row,
            landmark,
        )


def cells(
    window: Any, rows: NDArray[np.int64], landmarks: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return about how many cells of warping matrices lie in a band, for each row.

    Examples
    --------
    >>> cells(None, np.array([10]), np.array([10, 20]))
    array([300.])
    >>> cells(1, np.array([10]), np.array([10, 10]))
    array([56.])
    """
    if not len(landmarks):
        return np.zeros(len(rows))
    length = float(landmarks.mean())
    shorter = np.minimum(rows, length)
    width = np.inf if window is None else window if in_steps(window) else window * shorter
    # Along the diagonal of the shorter side; two corners are cut off.
    width = np.minimum(width, shorter - 1)
    share = (shorter * (2 * width + 1) - width * (width + 1)) / np.maximum(shorter, 1) ** 2
    return np.asarray(share * rows * length * len(landmarks))


def require_window(window: Any) -> None:
    """Stop unless a window is nothing, a number of steps, or a share."""
    real = isinstance(window, numbers.Real) and not isinstance(window, bool)
    if window is not None and not (real and 0 <= window <= (np.inf if in_steps(window) else 1)):
        raise ValueError(
            f"window must be None, a number of steps (int ≥ 0) or a fraction in [0, 1], "
            f"not {window!r}."
        )


def band_numbers(window: Any) -> tuple[int, float]:
    """Return a window as the kernels take it: steps and share, −1 where there is none."""
    if in_steps(window):
        return int(window), -1.0
    return -1, -1.0 if window is None else float(window)


def in_steps(window: Any) -> bool:
    """Whether a window counts steps (an int), rather than being a share or nothing."""
    return isinstance(window, numbers.Integral)


def znormalised(X: Ragged) -> NDArray[np.float64]:
    """Flat values with every channel of every series at mean 0 and deviation 1; constants at 0."""
    flat = X.flat.astype(np.float64)
    starts, lengths = X.offsets[:-1] - X.offsets[0], X.lengths
    largest = np.maximum.reduceat(np.abs(flat), starts)
    mean = np.add.reduceat(flat, starts) / lengths[:, None]
    flat -= np.repeat(mean, lengths, axis=0)
    deviation = np.sqrt(np.add.reduceat(flat**2, starts) / lengths[:, None])
    constant = deviation <= 1e-12 * largest
    flat /= np.repeat(np.where(constant, np.inf, deviation), lengths, axis=0)
    return flat
