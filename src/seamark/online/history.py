"""The loss of a learner over its stream, in bounded memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

CAPACITY = 512


class History:
    """Mean loss of successive stretches of a stream; stretches grow so that their number does not.

    The loss of a point is taken against the buffer, before the point has been learned from: its
    mean is an honest estimate of the progress, and of the regret against any fixed parameter.

    Examples
    --------
    >>> history = History(capacity=2)
    >>> history.add(np.array([4.0, 2.0, 1.0]))
    >>> history.steps.tolist(), history.losses.tolist()
    ([2, 3], [3.0, 1.0])
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._sums = np.zeros(capacity)
        self._n = 0
        self._width = 1

    def __len__(self) -> int:
        return int(np.ceil(self._n / self._width))

    def add(self, losses: NDArray[np.float64]) -> None:
        """Record the losses of further points."""
        while len(losses):
            room = len(self._sums) * self._width - self._n
            part, losses = losses[:room], losses[room:]
            # One by one, so that the sums do not depend on how the stream was cut.
            np.add.at(self._sums, (self._n + np.arange(len(part))) // self._width, part)
            self._n += len(part)
            if len(part) == room:
                self._merge()

    def _merge(self) -> None:
        pairs = self._sums.reshape(-1, 2).sum(axis=1)
        self._sums = np.concatenate([pairs, np.zeros(len(pairs))])
        self._width *= 2

    @property
    def steps(self) -> NDArray[np.int64]:
        """How many losses had been seen at the end of each stretch."""
        ends = (1 + np.arange(len(self), dtype=np.int64)) * self._width
        return np.minimum(ends, np.int64(self._n))

    @property
    def losses(self) -> NDArray[np.float64]:
        """Mean loss of each stretch."""
        return self._sums[: len(self)] / np.diff(self.steps, prepend=0)

    @property
    def mean(self) -> NDArray[np.float64]:
        """Mean loss of everything up to the end of each stretch."""
        return np.cumsum(self._sums[: len(self)]) / self.steps

    def plot(self, ax: Any = None) -> Any:
        """Draw the loss of each stretch and the running mean; return the axes."""
        import matplotlib.pyplot as plt

        axes = plt.subplots(layout="constrained")[1] if ax is None else ax
        axes.plot(self.steps, self.losses, color="#9fb8c4", linewidth=1, label="stretch")
        axes.plot(self.steps, self.mean, color="#1f6f8b", label="mean so far")
        axes.set(xlabel="points", ylabel="loss against the buffer")
        axes.legend(frameon=False)
        return axes
