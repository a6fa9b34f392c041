"""One buffer for each class, so that a rare class is remembered as long as a frequent one."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .buffers import NO_MOVES, Buffer, Ints, Moves, Reservoir


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

    @property
    def state(self) -> dict[str, Any]:
        """Everything `restore` needs."""
        state = super().state
        own = {"slots": self._slots.copy(), "n_filled": self._n_filled}
        return state | own | {"parts": [part.state for part in self._parts]}

    def restore(self, state: dict[str, Any]) -> Self:
        """Go back to a `state`."""
        super().restore(state)
        self._slots, self._n_filled = state["slots"].copy(), state["n_filled"]
        for part, kept in zip(self._parts, state["parts"], strict=True):
            part.restore(kept)
        return self
