"""A contest: contestants take turns in one process, so that a noisy machine is noisy for all."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Contestant:
    """Someone who can do the job, or a share of it."""

    name: str
    run: Callable[[], object]
    work: float
    """Units of work in one run: cells, or values. A slow peer may do a part of the job."""
    seconds: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Units per second in its best turn: noise only ever slows down."""
        return self.work / min(self.seconds)


@dataclass
class Contest:
    """One job, ours first, and what must be reached."""

    name: str
    unit: str
    ours: Contestant
    peers: list[Contestant]
    floor: float
    roof: float | None = None
    """Units per second that the arithmetic alone would allow on this CPU."""
    clock: Callable[[], float] = time.perf_counter
    """Processor time, of one thread, is fair on a machine that others use too."""

    def hold(self, rounds: int) -> Contest:
        """Let everyone take a turn, `rounds` times, after one that does not count."""
        everyone = [self.ours, *self.peers]
        for contestant in everyone:
            contestant.run()
        for _ in range(rounds):
            for contestant in everyone:
                start = self.clock()
                contestant.run()
                contestant.seconds.append(self.clock() - start)
        return self

    @property
    def best_peer(self) -> Contestant:
        return max(self.peers, key=lambda c: c.rate)

    @property
    def ratio(self) -> float:
        return self.ours.rate / self.best_peer.rate

    @property
    def spread(self) -> tuple[float, float]:
        """Ratio of each round's times: the smallest and largest."""
        peer = self.best_peer
        turns = np.array(peer.seconds) / peer.work / (np.array(self.ours.seconds) / self.ours.work)
        return float(turns.min()), float(turns.max())
