"""The domain of windows: short pieces of time series, which series are compared with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..user_warnings import warn_user
from .domain import Domain, as_sequence, reject_empty, reject_unfit_numbers
from .hashing import groups, hashes
from .look import Look
from .ragged import Ragged
from .window_list import LONGEST, Window, WindowList, flat_pieces

Rows = NDArray[np.int64]
Places = NDArray[np.void]
"""Fields ``row``, ``first``, ``dilation``, and ``channels``, a mask."""

ROUNDS = 100  # of draws, until flat windows are kept
LONG = 0.9  # share of the series that are no longer than what a window may span
MOST_CHANNELS = 9  # of one window, or of one kernel


@dataclass(frozen=True)
class Windows(Domain):
    """Windows of time series: a few values, so many steps apart, in one or several channels.

    Parameters
    ----------
    length : int, default=11
        Values of a window that `cut` draws.
    normalised : float, default=0.8
        Share of the drawn windows that are compared after both sides have mean 0 and deviation 1.
    differenced : bool, default=False
        Whether windows are those of the first differences of series.

    Examples
    --------
    >>> Windows().ingest([[0.0, 1.0, 0.0], [1.0, 2.0]])
    WindowList(2 windows of 2..3 values, dilations 1..1)
    """

    name: ClassVar[str] = "windows"
    one: ClassVar[str] = "window"
    length: int = 11
    normalised: float = 0.8
    differenced: bool = False

    def ingest(self, raw: Any, *, like: Any = None) -> WindowList:
        """Return a list of windows.

        Parameters
        ----------
        raw : WindowList, or sequence of Window or of arrays
            An array of shape (values,) or (channels, values) is a window without gaps; it is
            normalised if all windows of this domain are.
        like : Ragged or WindowList, optional
            Series that the windows must go with.
        """
        if isinstance(raw, WindowList):
            windows = raw
        else:
            items = as_sequence(raw, self)
            reject_empty(len(items), self)
            windows = WindowList.of([self._window(item, i) for i, item in enumerate(items)])
            ends = windows.offsets[1:]
            reject_unfit_numbers(
                windows.values, self, lambda p: int(np.searchsorted(ends, p, side="right"))
            )
        if isinstance(like, Ragged):
            self._require_channels(windows, int(like.values.shape[1]))
        return windows

    def _window(self, item: Any, i: int) -> Window:
        if isinstance(item, Window):
            return item
        try:
            values = np.asarray(item, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise TypeError(f"window {i} is not an array of real numbers: {error}") from None
        if values.ndim not in (1, 2) or values.size == 0:
            raise ValueError(
                f"window {i} has shape {values.shape}; give (values,) or (channels, values), with "
                "at least one value."
            )
        channels = tuple(range(len(values))) if values.ndim == 2 else (0,)
        return Window(values, 1, channels, self.normalised == 1, self.differenced)

    def _require_channels(self, windows: WindowList, there: int) -> None:
        far = np.flatnonzero(windows.channels >= there)
        if len(far):
            i = int(np.searchsorted(windows.channel_offsets[1:], far[0], side="right"))
            raise ValueError(
                f"window {i} lies in channel {windows.channels[far[0]]}, but the series have "
                f"{there}, counted from 0; give windows of channels that they have."
            )

    def look(self, X: WindowList) -> Look:
        """Windows; which channels they lie in is their own matter."""
        return Look("windows")

    def draw(
        self,
        n: int,
        rng: np.random.Generator,
        *,
        like: Any,
        sizes: tuple[int, int] | None = None,
        scale: float = 1.0,
    ) -> WindowList:
        """Windows of random numbers: those of series drawn like the given ones."""
        low, high = sizes or (self.length, 4 * self.length)
        X = like.domain.draw(n, rng, like=like, sizes=(max(low, self.length), high), scale=scale)
        return self.cut(X, n, rng)[0]

    def joined(self, first: WindowList, second: WindowList) -> WindowList:
        """Return two lists as one."""
        return WindowList.of([*first, *second])

    def groups(self, X: WindowList) -> NDArray[np.intp]:
        """Return the number of each window's group; those that are equal in all share one."""
        facts = np.stack([X.dilations, X.normalised, X.differenced], axis=1)
        channels = Ragged(X.channels, X.channel_offsets, self)
        values = Ragged(X.values, X.offsets, self)
        return groups(np.stack(list(map(hashes, (facts, channels, values))), axis=1))

    def cut(self, X: Ragged, n: int, rng: np.random.Generator) -> tuple[WindowList, Rows]:
        """Cut n random windows out of series.

        The dilation δ is drawn so that log δ is uniform, up to where a long series holds the window
        (`reach`); then one of the series that hold it, the place in it, and the channels. A
        normalised window that is flat is drawn again. Where long series have fewer values than a
        window, windows are as short as they are, with a warning.

        Parameters
        ----------
        X : Ragged
            Ingested series.
        n : int
        rng : Generator

        Returns
        -------
        windows : WindowList
        sources : ndarray of shape (n,)
            The row that each window was cut from.

        Examples
        --------
        >>> from seamark.data import series
        >>> X = series.ingest(np.random.default_rng(0).normal(size=(5, 60)))
        >>> windows, sources = Windows().cut(X, 3, np.random.default_rng(0))
        >>> windows.lengths, sources.shape
        (array([11, 11, 11]), (3,))
        """
        steps = _Steps(X, self.differenced)
        length = min(self.length, steps.reach)
        if length < self.length:
            warn_user(
                f"windows have {length} values in place of {self.length}, as most series have no "
                "more; ask for that length."
            )
        normalised = rng.random(n) < self.normalised
        places = steps.places(n, length, rng)
        open_ = np.flatnonzero(normalised)
        for _ in range(ROUNDS if length > 1 else 0):  # one value is always flat
            open_ = open_[steps.are_flat(places[open_], length)]
            if not len(open_):
                break
            places[open_] = steps.places(len(open_), length, rng)
        return steps.windows(places, length, normalised), places["row"]


def reach(lengths: Rows) -> int:
    """Return how many steps windows and kernels may span: those of a long series, but no outlier.

    Nine of ten series are no longer, and no window spans more than `LONGEST`. Shorter ones repeat
    their last value.

    Examples
    --------
    >>> reach(np.array([3, 50, 50, 60, 1000]))
    60
    """
    return min(int(np.quantile(lengths, LONG, method="lower")), LONGEST)


def drawn_channels(n: int, there: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draw which channels each of n windows lies in: a mask of shape (n, there).

    How many, is drawn so that its logarithm is uniform.

    Examples
    --------
    >>> drawn_channels(3, 2, np.random.default_rng(0)).shape
    (3, 2)
    """
    counts = (2 ** rng.uniform(0.0, np.log2(min(there, MOST_CHANNELS) + 1), n)).astype(np.int64)
    taken = np.arange(there) < counts[:, None]
    return rng.permuted(taken, axis=1) if there > 1 else taken


class _Steps:
    """Steps of series, or the differences between them, to cut windows from."""

    def __init__(self, X: Ragged, differenced: bool) -> None:
        self.differenced = differenced
        flat = X.flat.astype(np.float64)
        self.starts = X.offsets[:-1] - X.offsets[0]
        self.lengths = X.lengths.copy()
        self.values = flat
        if differenced:
            # A series of one step has one difference, 0, as if its last value were repeated.
            self.values = np.zeros_like(flat)
            self.values[:-1] = np.diff(flat, axis=0)
            self.values[self.starts + self.lengths - 1] = 0.0
            self.lengths = np.maximum(self.lengths - 1, 1)
        self.reach = reach(self.lengths)

    def places(self, n: int, length: int, rng: np.random.Generator) -> Places:
        """Draw rows, first steps, dilations and channels."""
        widest = np.log2((self.reach - 1) / (length - 1)) if length > 1 else 0.0
        there = self.values.shape[1]
        kinds = [("row", "i8"), ("first", "i8"), ("dilation", "i8"), ("channels", "?", (there,))]
        drawn = np.empty(n, dtype=kinds)
        drawn["dilation"] = np.floor(2 ** rng.uniform(0.0, widest, n))
        spans = (length - 1) * drawn["dilation"]
        order, many = np.argsort(self.lengths, kind="stable"), len(self.lengths)
        short = np.searchsorted(self.lengths[order], spans, side="right")  # do not hold the window
        drawn["row"] = order[short + rng.integers(0, many, n) * (many - short) // many]
        drawn["first"] = rng.integers(0, self.lengths[drawn["row"]] - spans)
        drawn["channels"] = drawn_channels(n, there, rng)
        return drawn

    def windows(self, places: Places, length: int, normalised: NDArray[np.bool_]) -> WindowList:
        """Return the windows at these places."""
        ends = np.concatenate([[0], np.cumsum(places["channels"].sum(axis=1))])
        return WindowList(
            self._pieces(places, length).ravel(),
            ends * length,
            places["dilation"],
            np.nonzero(places["channels"])[1],
            ends,
            normalised,
            np.full(len(places), self.differenced),
        )

    def are_flat(self, places: Places, length: int) -> NDArray[np.bool_]:
        """Whether windows at these places have no shape in any of their channels."""
        windows, channels = np.nonzero(places["channels"])
        sizes = self._deviations[places["row"][windows], channels]
        shaped = ~flat_pieces(self._pieces(places, length), sizes)
        return np.asarray(np.bincount(windows, shaped, len(places)) == 0)

    def _pieces(self, places: Places, length: int) -> NDArray[np.float64]:
        """Return the values at these places: a row for each window and channel."""
        windows, channels = np.nonzero(places["channels"])
        first = self.starts[places["row"]] + places["first"]
        steps = first[:, None] + places["dilation"][:, None] * np.arange(length)
        return np.asarray(self.values[steps[windows], channels[:, None]])

    @cached_property
    def _deviations(self) -> NDArray[np.float64]:
        """Deviation of every channel of every series."""
        ends = np.stack([self.starts, self.starts + self.lengths], axis=1).ravel()
        shares = 1.0 / self.lengths[:, None]

        def means(values: NDArray[np.float64]) -> NDArray[np.float64]:
            closed = np.concatenate([values, np.zeros((1, values.shape[1]))])  # for the last end
            return np.asarray(np.add.reduceat(closed, ends)[::2] * shares)

        steps = np.diff(np.concatenate([self.starts, [len(self.values)]]))
        return np.sqrt(means(np.square(self.values - np.repeat(means(self.values), steps, axis=0))))
