"""The domains of time series and of their windows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ..validation import BOUNDS, warn_user
from .domain import Domain, Schema, Sizes, as_sequence, reject_empty, reject_unfit_numbers
from .frames import as_frame, collected, non_numbers, unmasked
from .hashing import groups, hashes
from .missing import has_missing_steps, interpolated, reject_series_without_values
from .ragged import Ragged, offsets_of, runs


def reject_long_and_nested(raw: Any, frame: Any) -> None:
    """Stop at a table with a row for every time step, or with a series in every cell.

    The first would be read as many series of length 1, the second could not be read.
    """
    if getattr(getattr(raw, "index", None), "nlevels", 1) > 1:
        each = "g.to_numpy().T" if hasattr(raw, "columns") else "g.to_numpy()"
        raise ValueError(
            f"X has an index of {raw.index.nlevels} levels, as tables with a row for every time "
            f"step have; give one array per series, as [{each} for _, g in X.groupby(level=0)], "
            "or X.reset_index(drop=True) if every row is a series."
        )
    cells = [] if frame is None or len(frame.columns) < 2 else frame[:1].to_numpy().flat
    if any(isinstance(cell, (list, tuple)) or getattr(cell, "ndim", 0) == 1 for cell in cells):
        raise ValueError(
            f"X is a table of {len(frame.columns)} columns whose cells are series; give one array "
            "of shape (channels, time) per row, as "
            "[np.stack([np.asarray(cell) for cell in row]) for row in X.to_numpy()]."
        )


# The domains of time series and of sets of vectors: ragged collections of number arrays.


@dataclass(frozen=True)
class Series(Domain):
    """Time series in aeon's shapes.

    (n, time), (n, channels, time), or a list of one-dimensional or (channels, time) arrays.
    Stored time-major, (total time, channels); an item comes back as the user gave it. Values may be
    missing (NaN): elastic measures leave such steps out, windows and convolutions interpolate.

    Examples
    --------
    >>> series = Series()
    >>> series.ingest([[1.0, 2.0, 3.0], [4.0]])
    Ragged(2 series, lengths 1..3, 1 variables)
    >>> series.ingest(np.zeros((5, 3, 20)))[0].shape
    (3, 20)
    """

    name: ClassVar[str] = "series"
    one: ClassVar[str] = "series"
    flat: bool = True
    """Whether an item is one-dimensional (a univariate series given without a channel axis)."""

    def read(self, raw: Any) -> Ragged:
        """Arrays (n, time) or (n, channels, time), frames, lists of 1-D or (channels, time)."""
        if isinstance(raw, Ragged):
            X = require_domain(raw, self)
        else:
            raw = collected(unmasked(raw))
            frame = as_frame(raw)
            reject_long_and_nested(raw, frame)
            table = raw if frame is None else frame.to_numpy()
            if isinstance(table, np.ndarray) and table.ndim in (2, 3) and table.dtype != object:
                table = _as_float(table, "X")
                flat, (n, time) = table.ndim == 2, (len(table), table.shape[-1])
                values = table if flat else table.transpose(0, 2, 1)
                width = 1 if flat else table.shape[1]
                offsets = np.arange(n + 1, dtype=np.int64) * time
                X = Ragged(values.reshape(n * time, width), offsets, Series(flat=flat))
            else:
                X = self._stack(as_arrays(as_sequence(raw, self), self))
        reject_bad_items(X)
        if has_missing_steps(X):  # equal series have equal bits
            values = np.where(np.isnan(X.flat), np.nan, X.flat).astype(X.flat.dtype)
            X = Ragged(values, X.offsets - X.offsets[0], X.domain)
        return X

    def look(self, X: Ragged) -> Schema:
        """Number of channels."""
        return Schema("series", int(X.values.shape[1]))

    def _unlike(self, X: Ragged, look: Schema, before: Schema) -> str:
        remedy = f"give arrays of shape ({before.width}, time)"
        remedy += ', or, if they are sets of vectors, fit with a measure of sets, such as "chamfer"'
        if before.width == 1:
            remedy = "give arrays of shape (time,)"
        elif bool((X.lengths == before.width).all()):
            remedy = "they look like (time, channels), so give [x.T for x in X]"
        channels = "channel" if look.width == 1 else "channels"
        return f"X has {look.width} {channels}, but the series before had {before.width}; {remedy}."

    def _stack(self, arrays: list[NDArray[Any]]) -> Ragged:
        ndim = arrays[0].ndim if arrays else 1
        for i, a in enumerate(arrays):
            if a.ndim != ndim or a.ndim not in (1, 2):
                raise ValueError(
                    f"series {i} has {a.ndim} dimensions where series 0 has {ndim}; give all as "
                    "(time,) or all as (channels, time)."
                )
            if ndim == 2 and len(a) != len(arrays[0]):
                message = f"series {i} has {len(a)} channels where series 0 has {len(arrays[0])}"
                if len({one.shape[-1] for one in arrays}) == 1:
                    message += (
                        f", while all have {a.shape[1]} columns: they look like (time, channels); "
                        "give (channels, time), e.g. [x.T for x in X]. If they are sets of "
                        'vectors, say so by a measure of sets, such as "chamfer"'
                    )
                raise ValueError(f"{message}.")
        rows = [a[:, None] if ndim == 1 else a.T for a in arrays]
        return concatenate_arrays(rows, Series(flat=ndim == 1))

    def item(self, values: NDArray[Any]) -> NDArray[Any]:
        """(time,) or (channels, time), a view."""
        return values[:, 0] if self.flat else values.T

    def draw(
        self, n: int, rng: Generator, *, like: Ragged, sizes: Sizes = None, scale: float = 1.0
    ) -> Ragged:
        """Lengths uniform in `sizes` (default 2..25), entries N(0, scale²) in every channel."""
        offsets = offsets_of(rng.integers(*(sizes or (2, 25)), n, endpoint=True))
        values = rng.normal(scale=scale, size=(offsets[-1], like.values.shape[1]))
        return Ragged(values.astype(np.float32), offsets, like.domain)


def require_domain(X: Ragged, domain: Domain) -> Ragged:
    """Return a Ragged of this domain; stop at one of another."""
    if not isinstance(X.domain, type(domain)):
        raise TypeError(f"X holds {X.domain.name}; {domain.name} are needed.")
    return X


def as_arrays(items: Sequence[Any], domain: Domain) -> list[NDArray[Any]]:
    """Return objects as arrays of real numbers; a message names the object that is none."""
    reject_empty(len(items), domain)
    return [_as_float(item, f"{domain.one} {i}") for i, item in enumerate(unmasked(list(items)))]


def _as_float(item: Any, what: str) -> NDArray[Any]:
    try:
        array = np.asarray(item)
        if array.dtype.kind not in "biuf":
            complaint = non_numbers(array)
            if complaint is not None:
                raise TypeError(f"it holds {complaint}")
            array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what} is not an array of real numbers: {error}") from None
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


def concatenate_arrays(rows: list[NDArray[Any]], domain: Domain) -> Ragged:
    """Lay (time, channels) or (vectors, dimensions) arrays end to end."""
    offsets = offsets_of([len(r) for r in rows])
    return Ragged(np.concatenate(rows), offsets, domain)


def reject_bad_items(X: Ragged) -> None:
    """Stop at an empty collection, an empty object, or numbers that cannot be computed with.

    Series may have missing values, but no channel without any value.
    """
    reject_empty(len(X), X.domain)
    empty = np.flatnonzero(X.lengths == 0)
    if len(empty):
        raise ValueError(f"{X.domain.one} {empty[0]} is empty; drop it or give it a value.")
    values, ends = X.flat, X.offsets[1:] - X.offsets[0]
    if isinstance(X.domain, Series) and has_missing_steps(X):
        reject_series_without_values(X)
        values = np.nan_to_num(values, nan=0.0, posinf=np.inf, neginf=-np.inf)
    reject_unfit_numbers(values, X.domain, lambda p: int(np.searchsorted(ends, p, side="right")))


# `WindowList`: many windows of time series, laid end to end.


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
        # From here on: native code could not walk through anything else.
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
    where, ends = runs(offsets[:-1][rows], np.diff(offsets)[rows])
    return things[where], ends


# The domain of windows: short pieces of time series, which series are compared with.


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

    def read(self, raw: Any) -> WindowList:
        """Return a list of windows.

        Parameters
        ----------
        raw : WindowList, or sequence of Window or of arrays
            An array of shape (values,) or (channels, values) is a window without gaps; it is
            normalised if all windows of this domain are.
        """
        if isinstance(raw, WindowList):
            return raw
        items = as_sequence(raw, self)
        reject_empty(len(items), self)
        windows = WindowList.of([self._window(item, i) for i, item in enumerate(items)])
        ends = windows.offsets[1:]
        reject_unfit_numbers(
            windows.values, self, lambda p: int(np.searchsorted(ends, p, side="right"))
        )
        return windows

    def ingest(self, raw: Any, *, like: Any = None) -> WindowList:
        """Return a list of windows, in channels that the series `like` have, if these are given."""
        windows = self.read(raw)
        if isinstance(like, Ragged):
            far = np.flatnonzero(windows.channels >= like.values.shape[1])
            if len(far):
                i = int(np.searchsorted(windows.channel_offsets[1:], far[0], side="right"))
                raise ValueError(
                    f"window {i} lies in channel {windows.channels[far[0]]}, but the series have "
                    f"{like.values.shape[1]}, counted from 0; give windows of channels that they "
                    "have."
                )
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

    def look(self, X: WindowList) -> Schema:
        """Windows; which channels they lie in is their own matter."""
        return Schema("windows")

    def draw(
        self, n: int, rng: Generator, *, like: Any, sizes: Sizes = None, scale: float = 1.0
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
        X = interpolated(X)
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
