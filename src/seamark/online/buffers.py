"""Buffers: the few points of a stream that are remembered."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr
from sklearn.base import BaseEstimator, clone

from ..validation import generator, require_bounded, require_count

Ints = NDArray[np.int64]

DRAWN_ROWS = 4096  # points whose places are drawn at once


class Moves(NamedTuple):
    """How the slots change while a chunk is read; moves of one step happen at once."""

    step: Ints
    """The move happens after the loss of this point of the chunk; numbers never fall."""
    slot: Ints
    source: Ints
    """An old slot whose point is copied, or -1: the point of this step."""

    @classmethod
    def of(cls, step: Any, slot: Any, source: Any = -1) -> Moves:
        """Return moves; their source is the point of the step by default."""
        step, slot = np.asarray(step, np.int64), np.asarray(slot, np.int64)
        return cls(step, slot, np.broadcast_to(np.asarray(source, np.int64), slot.shape).copy())

    @classmethod
    def joined(cls, parts: list[Moves]) -> Moves:
        """Moves one after the other."""
        return cls(*(np.concatenate(column) for column in zip(*parts, strict=True)))


NO_MOVES = Moves.of([], [])


@dataclass(eq=False, repr=False)
class Buffer(BaseEstimator, ABC):
    """At most `size` points of a stream, in arrays that are allocated once.

    Random numbers are drawn point by point from streams of their own, so the content does not
    depend on how the stream is cut into chunks.

    Parameters
    ----------
    size : int, default=100
        How many points.
    random_state : int, RandomState or Generator, optional
        None inside a learner: the learner's own randomness.
    """

    size: int = 100
    random_state: Any = None

    @property
    def capacity(self) -> int:
        """Number of slots."""
        return int(self.size)

    def begin(self, rng: np.random.Generator | None = None) -> Self:
        """Forget everything; take random numbers from `rng` unless there is a `random_state`."""
        require_bounded(type(self), vars(self))
        require_count("size", self.size)
        own = rng is None or self.random_state is not None
        seeds = (generator(self.random_state) if own else rng).integers(2**63, size=2)  # type: ignore[union-attr]
        # Two streams: a number for every point, and further ones for the few that need more.
        self._first, self._further = (np.random.default_rng(int(seed)) for seed in seeds)
        self.seen_ = 0
        self.columns_: tuple[NDArray[Any], ...] = ()
        return self

    def __len__(self) -> int:
        return min(self._seen(), self.capacity)

    def _seen(self) -> int:
        if not hasattr(self, "seen_"):
            self.begin()
        return self.seen_

    @property
    def columns(self) -> tuple[NDArray[Any], ...]:
        """Views of the points held: one array for each component of a point."""
        return tuple(column[: len(self)] for column in self.columns_)

    def __iter__(self) -> Iterator[Any]:
        rows = zip(*self.columns, strict=True)
        return (row[0] for row in rows) if len(self.columns_) == 1 else rows

    def draw(self, labels: NDArray[Any]) -> Moves:
        """Decide which of the next points are kept, given their labels, and count them."""
        first = self._seen() + 1
        self.seen_ += len(labels)
        return self._draw(np.arange(first, first + len(labels)), labels)

    @abstractmethod
    def _draw(self, t: Ints, labels: NDArray[Any]) -> Moves:
        """Moves after steps t."""

    def update(self, z: Any) -> Self:
        """Take one point: a number, an array, or a tuple of these."""
        parts = z if isinstance(z, tuple) else (z,)
        return self.extend(tuple(np.asarray(part)[None] for part in parts))

    def extend(self, Z: Any) -> Self:
        """Take the points of a chunk, an array or a tuple of arrays, as if one by one."""
        parts = tuple(np.asarray(part) for part in (Z if isinstance(Z, tuple) else (Z,)))
        self.allocate(parts)
        few = DRAWN_ROWS
        for start in range(0, len(parts[0]), few):
            chunk = tuple(part[start : start + few] for part in parts)
            self.place(self.draw(chunk[-1]), chunk)
        return self

    def allocate(self, parts: tuple[NDArray[Any], ...]) -> None:
        """Allocate arrays for such points; stop if earlier points had another shape."""
        self._seen()
        shapes = [part.shape[1:] for part in parts]
        if not self.columns_:
            self.columns_ = tuple(
                np.zeros((self.capacity, *part.shape[1:]), part.dtype) for part in parts
            )
        if shapes != [column.shape[1:] for column in self.columns_]:
            raise ValueError(
                f"a point has the shape {shapes}, those in the buffer "
                f"{[column.shape[1:] for column in self.columns_]}; give points of one shape."
            )

    def place(self, moves: Moves, parts: tuple[NDArray[Any], ...]) -> None:
        """Carry out moves."""
        # A copy between slots must find what the moves before it have left: it stands alone.
        shuffled = np.unique(moves.step[moves.source >= 0])
        edges = np.concatenate([shuffled, shuffled + 1])
        for run in np.split(np.arange(len(moves.step)), np.searchsorted(moves.step, edges)):
            step, slot, source = (column[run] for column in moves)
            for column, part in zip(self.columns_, parts, strict=True):
                new = part[step]
                new[source >= 0] = column[source[source >= 0]]
                column[slot] = new  # of several moves to one slot the last one stays


class Oblivious(Buffer):
    """A policy that depends on t alone: free slots are filled, then points are replaced."""

    def _draw(self, t: Ints, labels: NDArray[Any]) -> Moves:
        n_free = int(np.searchsorted(t, self.capacity, side="right"))
        parts = [Moves.of(np.arange(n_free), t[:n_free] - 1)]
        if n_free < len(t):
            later = self._replace(t[n_free:])
            parts.append(Moves(later.step + n_free, later.slot, later.source))
        return Moves.joined(parts)

    @abstractmethod
    def _replace(self, t: Ints) -> Moves:
        """Moves after steps t > size."""


class FIFO(Oblivious):
    """The most recent points.

    Parameters
    ----------
    size : int, default=100
        How many points.
    random_state : int, RandomState or Generator, optional
        None inside a learner: the learner's own randomness.

    Examples
    --------
    >>> [int(z) for z in sorted(FIFO(3).extend(np.arange(10)))]
    [7, 8, 9]
    """

    def _replace(self, t: Ints) -> Moves:
        return Moves.of(np.arange(len(t)), (t - 1) % self.capacity)


class Reservoir(Oblivious):
    """A uniform sample without replacement of all points so far (Vitter's reservoir, RS).

    Parameters
    ----------
    size : int, default=100
        How many points.
    random_state : int, RandomState or Generator, optional
        None inside a learner: the learner's own randomness.

    Examples
    --------
    >>> len(set(Reservoir(3, random_state=0).extend(np.arange(100)).columns[0]))
    3
    """

    def _replace(self, t: Ints) -> Moves:
        # One number says both: a place among t, and whether it is in the buffer.
        place = np.floor(self._first.random(len(t)) * t).astype(np.int64)
        step = np.flatnonzero(place < self.capacity)
        return Moves.of(step, place[step])


# Buffers whose slots are independent samples of all points so far: what the theory asks for.


class _WithReplacement(Oblivious):
    """Slots that are independent uniform samples of all points so far."""

    def _replace(self, t: Ints) -> Moves:
        parts, skip, s = [NO_MOVES], 0, self.capacity
        if t[0] == s + 1:  # every slot is drawn anew from the buffer and the new point
            source = np.floor(self._further.random(s) * (s + 1)).astype(np.int64)
            drawn = Moves.of(np.zeros(s), np.arange(s), np.where(source == s, -1, source))
            parts, skip = [drawn], 1
        later = self._resample(t[skip:])
        return Moves.joined([*parts, Moves(later.step + skip, later.slot, later.source)])

    @abstractmethod
    def _resample(self, t: Ints) -> Moves:
        """Moves after steps t > size + 1: each slot is replaced with probability 1/t."""


class RSx(_WithReplacement):
    """A uniform sample with replacement of all points so far: a coin for every slot and point.

    Parameters
    ----------
    size : int, default=100
        How many points.
    random_state : int, RandomState or Generator, optional
        None inside a learner: the learner's own randomness.

    Examples
    --------
    >>> RSx(3, random_state=0).extend(np.arange(100)).columns[0].shape
    (3,)
    """

    def _resample(self, t: Ints) -> Moves:
        coins = self._first.random((len(t), self.capacity))
        return Moves.of(*np.nonzero(coins < 1 / t[:, None]))


class RSx2(_WithReplacement):
    """The same distribution as `RSx`, with fewer random numbers: how many slots, then which.

    Parameters
    ----------
    size : int, default=100
        How many points.
    random_state : int, RandomState or Generator, optional
        None inside a learner: the learner's own randomness.

    Examples
    --------
    >>> buffer = RSx2(3, random_state=0).extend(np.arange(100))
    >>> buffer.seen_, len(buffer)
    (100, 3)
    """

    def _resample(self, t: Ints) -> Moves:
        chance = self._first.random(len(t))
        some = np.flatnonzero(chance >= (1 - 1 / t) ** self.capacity)
        # How many slots, by the inverse of the binomial distribution function.
        counts, chance, p = np.ones(len(some), np.int64), chance[some], 1 / t[some]
        while (more := chance >= bdtr(counts.astype(float), self.capacity, p)).any():
            counts += more
        slots: list[int] = []
        for k in counts.tolist():  # k different ones by Floyd's method, from k random numbers
            chosen: list[int] = []
            tops = range(self.capacity - k, self.capacity)
            for top, u in zip(tops, self._further.random(k), strict=True):
                place = int(u * (top + 1))
                chosen.append(top if place in chosen else place)
            slots += chosen
        return Moves.of(np.repeat(some, counts), slots)


# One buffer for each class, so that a rare class is remembered as long as a frequent one.


class BufferPerClass(Buffer):
    """One buffer for each class, so that rare classes are remembered as long as frequent ones.

    Parameters
    ----------
    buffer : Buffer, optional
        What each class gets; default ``Reservoir(50)``.
    n_classes : int, default=2
        Labels are 0, …, n_classes − 1, the last component of a point. Learners set it.
    random_state : int, RandomState or Generator, optional
        None inside a learner: the learner's own randomness.

    Examples
    --------
    >>> labels = np.array([0] * 95 + [1] * 5)
    >>> buffer = BufferPerClass(Reservoir(4), random_state=0).extend((np.arange(100.0), labels))
    >>> np.bincount(buffer.columns[1]).tolist()
    [4, 4]
    """

    def __init__(
        self, buffer: Buffer | None = None, n_classes: int = 2, random_state: Any = None
    ) -> None:
        self.buffer = buffer
        self.n_classes = n_classes
        self.random_state = random_state

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of slots, over all classes."""
        return int(self.n_classes * self._each.capacity)

    @property
    def _each(self) -> Buffer:
        return Reservoir(50) if self.buffer is None else self.buffer

    def begin(self, rng: np.random.Generator | None = None) -> Self:
        """Forget everything."""
        super().begin(rng)
        self._parts = [clone(self._each).begin(self._further) for _ in range(self.n_classes)]
        # Slots are given out in the order in which they are first filled: no gaps.
        self._slots = np.full((self.n_classes, self._each.capacity), -1, np.int64)
        self._n_filled = 0
        return self

    def __len__(self) -> int:
        self._seen()
        return self._n_filled

    def _draw(self, t: Ints, labels: NDArray[Any]) -> Moves:
        moves = [NO_MOVES]
        for label, part in enumerate(self._parts):
            rows = np.flatnonzero(labels == label)
            own = part.draw(labels[rows])
            moves.append(Moves(rows[own.step], own.slot + label * part.capacity, own.source))
            moves[-1].source[own.source >= 0] += label * part.capacity
        joined = Moves.joined(moves)
        order = np.argsort(joined.step, kind="stable")
        return self._numbered(Moves(*(column[order] for column in joined)))

    def _numbered(self, moves: Moves) -> Moves:
        """Replace (class, place) by slots, giving out new ones as places are first filled."""
        slots = self._slots.ravel()
        places, first = np.unique(moves.slot, return_index=True)
        new = places[slots[places] < 0]
        new = new[np.argsort(first[slots[places] < 0])]
        slots[new] = self._n_filled + np.arange(len(new))
        self._n_filled += len(new)
        copied = moves.source >= 0
        moves.source[copied] = slots[moves.source[copied]]
        return Moves(moves.step, slots[moves.slot], moves.source)
