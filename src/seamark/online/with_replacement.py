"""Buffers whose slots are independent samples of all points so far: what the theory asks for."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from .buffers import NO_MOVES, Ints, Moves, Oblivious


class _WithReplacement(Oblivious):
    """Slots that are independent uniform samples of all points so far."""

    def _replace(self, t: Ints) -> Moves:
        parts, skip = [NO_MOVES], 0
        if t[0] == self.capacity + 1:
            parts, skip = [self._repopulate()], 1
        later = self._resample(t[skip:])
        return Moves.joined([*parts, Moves(later.step + skip, later.slot, later.source)])

    def _repopulate(self) -> Moves:
        """At t = size + 1 every slot is drawn anew from the buffer and the new point."""
        s = self.capacity
        source = np.floor(self._further.random(s) * (s + 1)).astype(np.int64)
        return Moves.of(np.zeros(s), np.arange(s), np.where(source == s, -1, source))

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
    >>> state = buffer.state
    >>> list(buffer.update(100)) == list(RSx2(3).restore(state).update(100))
    True
    """

    def _resample(self, t: Ints) -> Moves:
        chance = self._first.random(len(t))
        some = np.flatnonzero(chance >= (1 - 1 / t) ** self.capacity)
        counts = self._binomial(chance[some], 1 / t[some])
        slots = [self._distinct(k) for k in counts.tolist()]
        return Moves.of(np.repeat(some, counts), np.concatenate([[], *slots]))

    def _binomial(self, chance: NDArray[Any], p: NDArray[Any]) -> Ints:
        """Positive numbers of slots, by the inverse of the distribution function."""
        counts = np.ones(len(chance), np.int64)
        while (more := chance >= bdtr(counts.astype(float), self.capacity, p)).any():
            counts += more
        return counts

    def _distinct(self, k: int) -> Ints:
        """K different slots by Floyd's method, from k random numbers."""
        chosen: list[int] = []
        tops = range(self.capacity - k, self.capacity)
        for top, u in zip(tops, self._further.random(k), strict=True):
            place = int(u * (top + 1))
            chosen.append(top if place in chosen else place)
        return np.array(chosen, np.int64)
