"""`WindowList`: many windows of time series, laid end to end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..bounds import BOUNDS
from .ragged import offsets_of

FLAT = 1e-3  # of a series' own deviation: a place that varies less has no shape to speak of
SHOWN = 6  # values of a window in its text
LONGEST = BOUNDS["WindowList"]["spans"]


class Window(NamedTuple):
    """One window.

    Parameters
    ----------
    values : ndarray of shape (values,) or (channels, values)
    dilation : int, default=1
        Steps of the series from one value to the next.
    channels : tuple of int, default=(0,)
        Channels of the series that it lies in, rising.
    normalised : bool, default=False
        Whether it is compared by its shape only: both sides shifted and scaled to mean 0 and
        deviation 1, in each channel.
    differenced : bool, default=False
        Whether it is a window of the first differences of a series.

    Examples
    --------
    >>> Window([0.0, 1.0, 0.0], dilation=2).channels
    (0,)
    >>> print(Window([0.0, 1.0, 0.0], dilation=2, normalised=True))
    window [0 1 0], 2 steps apart, normalised
    """

    values: Any
    dilation: int = 1
    channels: tuple[int, ...] = (0,)
    normalised: bool = False
    differenced: bool = False

    def __str__(self) -> str:
        values = np.asarray(self.values)
        shown = " ".join(f"{value:.3g}" for value in values.ravel()[:SHOWN])
        facts = [f"window [{shown}{' …' if values.size > SHOWN else ''}]"]
        facts += [f"{self.dilation} steps apart"] if self.dilation > 1 else []
        channels = ", ".join(map(str, self.channels))
        facts += [f"in channel {channels}"] if tuple(self.channels) != (0,) else []
        facts += [word for word in ("normalised", "differenced") if getattr(self, word)]
        return ", ".join(facts)


@dataclass(frozen=True, eq=False, repr=False)
class WindowList:
    """Windows of any lengths, as a sequence: an int gives a `Window`, anything else a WindowList.

    Parameters
    ----------
    values : ndarray of float
        All windows end to end; of one window, channel after channel.
    offsets : ndarray of shape (n + 1,)
        Where the values of each window begin.
    dilations : ndarray of shape (n,)
    channels : ndarray of int
        Channels of all windows, end to end.
    channel_offsets : ndarray of shape (n + 1,)
        Where the channels of each window begin.
    normalised, differenced : ndarray of bool, shape (n,)

    Examples
    --------
    >>> windows = WindowList.of([Window([0.0, 1.0]), Window([3.0, 4.0, 5.0], dilation=7)])
    >>> windows
    WindowList(2 windows of 2..3 values, dilations 1..7)
    >>> windows[1].dilation, windows[1:].shape
    (7, (1,))
    """

    values: NDArray[np.float64]
    offsets: NDArray[np.int64]
    dilations: NDArray[np.int64]
    channels: NDArray[np.int64]
    channel_offsets: NDArray[np.int64]
    normalised: NDArray[np.bool_]
    differenced: NDArray[np.bool_]

    def __post_init__(self) -> None:
        for field in fields(self):
            given = np.asarray(getattr(self, field.name))
            if given.ndim != 1 or given.dtype.kind not in "biuf":
                raise ValueError(f"{field.name} of windows must be a flat array of numbers.")
            kind = {"values": np.float64, "normalised": bool, "differenced": bool}
            array = np.array(given, dtype=kind.get(field.name, np.int64))
            array.flags.writeable = False
            object.__setattr__(self, field.name, array)
        self._require_sound()

    def _require_sound(self) -> None:
        """Stop at what native code could not walk through."""
        n = len(self.dilations)
        ends = ((self.offsets, self.values), (self.channel_offsets, self.channels))
        for offsets, things in ends:
            fits = len(offsets) == n + 1 and offsets[0] == 0 and offsets[-1] == len(things)
            if not fits or (np.diff(offsets) < 1).any():
                raise ValueError(
                    "every window needs values and channels, and offsets that fit them."
                )
        if len(self.normalised) != n or len(self.differenced) != n:
            raise ValueError(
                "normalised and differenced must each have one entry for every window."
            )
        if not np.isfinite(self.values).all():
            i = int(np.argmin(np.isfinite(self.values)))
            owner = int(np.searchsorted(self.offsets[1:], i, side="right"))
            raise ValueError(f"window {owner} holds NaN or infinity; give numbers.")
        self._require_places()

    def _require_places(self) -> None:
        counts = np.diff(self.channel_offsets)
        if (np.diff(self.offsets) % counts).any():
            raise ValueError(
                "a window must have the same number of values in each of its channels."
            )
        rising = np.diff(self.channels) > 0
        rising[self.channel_offsets[1:-1] - 1] = True  # from one window to the next
        if (self.channels < 0).any() or not rising.all():
            raise ValueError(
                "the channels of a window must be whole numbers from 0, in rising order."
            )
        steps = (self.lengths - 1) * np.minimum(self.dilations, LONGEST) + 1
        bad = np.flatnonzero((self.dilations < 1) | (steps > LONGEST))
        if len(bad):
            raise ValueError(
                f"window {bad[0]} has dilation {self.dilations[bad[0]]}; it must be at least 1, "
                f"and a window may span at most {LONGEST} steps."
            )

    @classmethod
    def of(cls, windows: Sequence[Window]) -> WindowList:
        """Lay single windows end to end."""
        pieces = [np.atleast_2d(np.asarray(w.values, dtype=np.float64)) for w in windows]
        for i, (piece, window) in enumerate(zip(pieces, windows, strict=True)):
            if piece.ndim != 2 or len(piece) != len(window.channels):
                raise ValueError(
                    f"window {i} has values of shape {np.shape(window.values)} in "
                    f"{len(window.channels)} channels; give one row of values for each channel."
                )
        return cls(
            np.concatenate([piece.ravel() for piece in pieces] or [np.zeros(0)]),
            offsets_of([piece.size for piece in pieces]),
            np.array([w.dilation for w in windows], dtype=np.int64),
            np.array([k for w in windows for k in w.channels], dtype=np.int64),
            offsets_of([len(w.channels) for w in windows]),
            np.array([w.normalised for w in windows], dtype=bool),
            np.array([w.differenced for w in windows], dtype=bool),
        )

    @property
    def shape(self) -> tuple[int]:
        """``(n,)``."""
        return (len(self),)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Values of each window, in each of its channels."""
        return np.diff(self.offsets) // np.diff(self.channel_offsets)

    @property
    def spans(self) -> NDArray[np.int64]:
        """Steps of a series that each window covers."""
        return (self.lengths - 1) * self.dilations + 1 + self.differenced

    @property
    def nbytes(self) -> int:
        """Bytes held by the arrays."""
        return sum(int(getattr(self, field.name).nbytes) for field in fields(self))

    def __len__(self) -> int:
        return len(self.dilations)

    def __iter__(self) -> Iterator[Window]:
        return (self._item(i) for i in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple):  # scikit-learn asks for X[rows, ...]
            key = key[0]
        if isinstance(key, (int, np.integer)):
            return self._item(int(np.arange(len(self))[key]))
        if not isinstance(key, slice):
            key = np.asarray(key, dtype=None if np.size(key) else np.intp)
        rows = np.arange(len(self))[key]
        return WindowList(
            *_taken(self.values, self.offsets, rows),
            self.dilations[rows],
            *_taken(self.channels, self.channel_offsets, rows),
            self.normalised[rows],
            self.differenced[rows],
        )

    def _item(self, i: int) -> Window:
        channels = self.channels[self.channel_offsets[i] : self.channel_offsets[i + 1]]
        values = self.values[self.offsets[i] : self.offsets[i + 1]]
        alone = len(channels) == 1
        return Window(
            values if alone else values.reshape(len(channels), -1),
            int(self.dilations[i]),
            tuple(channels.tolist()),
            bool(self.normalised[i]),
            bool(self.differenced[i]),
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WindowList):
            return NotImplemented
        names = [field.name for field in fields(self)]
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if not len(self):
            return "WindowList(0 windows)"
        low, high = self.lengths.min(), self.lengths.max()
        near, far = self.dilations.min(), self.dilations.max()
        return f"WindowList({len(self)} windows of {low}..{high} values, dilations {near}..{far})"


def flat_pieces(values: NDArray[np.float64], deviations: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether rows of values vary next to nothing, for series of these deviations.

    Examples
    --------
    >>> flat_pieces(np.array([[1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 1.0]))
    array([ True, False])
    """
    return np.asarray(values.std(axis=1) <= FLAT * deviations)


def _taken(
    things: NDArray[Any], offsets: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the runs of some rows, end to end, and where each begins."""
    counts = np.diff(offsets)[rows]
    ends = offsets_of(counts)
    where = np.repeat(offsets[:-1][rows] - ends[:-1], counts) + np.arange(ends[-1])
    return things[where], ends
