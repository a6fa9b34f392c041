"""OLP: projected gradient descent on the loss of each new point against a buffer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .. import engine
from ..estimating import Numbers
from .buffers import Buffer, Moves
from .constraints import Constraint, Everywhere, L2Ball
from .history import History
from .losses import AUC, Codes, PairwiseLoss
from .surrogates import SURROGATES

SCHEDULES = ("sqrt", "linear", "adaptive")


class Descent:
    """The state of one learner: its parameter, its buffer, and how far the stream has come.

    At step t: a gradient step on the mean loss of the new point against the buffer, back into the
    set that constrains it, and only then the buffer takes the point.

    Parameters
    ----------
    loss : PairwiseLoss
    constraint : Constraint
    buffer : Buffer
        Begun, and empty.
    step : float
        η.
    schedule : {"sqrt", "linear", "adaptive"}
        Steps of η/√t, of η/t, or of η/(G√Σ‖g‖²), where g are all gradients so far and G is the
        largest of their norms. The last does not depend on the scale of the data: with features
        c times as large the parameter becomes what undoes it, and margins stay the same.
    start : ndarray
        The first parameter, inside the constraint.
    """

    """Old names of parts, in files."""

    def __init__(
        self,
        loss: PairwiseLoss,
        constraint: Constraint,
        buffer: Buffer,
        step: float,
        schedule: str,
        start: Numbers,
    ) -> None:
        self.loss, self.constraint, self.buffer = loss, constraint, buffer
        self.step, self.schedule = step, schedule
        self.parameter = start
        self.sum = np.zeros_like(start)
        self.n_steps = 0
        self.squares = np.zeros(2)  # of gradient norms: their sum and the largest, for the kernel
        self.history = History()

    @property
    def average(self) -> Numbers:
        """Mean of the parameters before each step; steps begin with the second point."""
        return self.sum / self.n_steps if self.n_steps else self.parameter

    def learn(self, X: Any, labels: Codes) -> None:
        """Take points one by one: rows of X, dense or sparse, and class numbers."""
        now = engine.settings()
        rows = max(1, min(now.drawn_rows, now.feature_bytes // (8 * X.shape[1])))
        for start in range(0, X.shape[0], rows):
            chunk = X[start : start + rows]
            chunk = chunk.toarray() if sparse.issparse(chunk) else chunk
            points = np.ascontiguousarray(chunk, dtype=np.float64)
            known = np.ascontiguousarray(labels[start : start + rows], dtype=np.int64)
            self.buffer.allocate((points, known))
            n_filled = len(self.buffer)
            self.follow(points, known, self.buffer.draw(known), n_filled)

    def follow(self, X: Numbers, labels: Codes, moves: Moves, n_filled: int) -> None:
        """Take a chunk whose places in the buffer are decided; n_filled slots hold points."""
        kernel = engine.backend().auc if self._is_linear_auc() else None
        losses = (
            self._loop(X, labels, moves, n_filled)
            if kernel is None
            else self._native(kernel, X, labels, moves, n_filled)
        )
        first = 0 if n_filled else 1  # the first point of all finds an empty buffer
        self.n_steps += len(labels) - first
        self.history.add(losses[first:])

    def _loop(self, X: Numbers, labels: Codes, moves: Moves, n_filled: int) -> Numbers:
        """Follow the definition, for any loss and constraint; the native kernel does just this."""
        points, known = self.buffer.columns_
        edges = np.searchsorted(moves.step, np.arange(len(labels) + 1))
        losses, t = np.zeros(len(labels)), self.n_steps + (1 if n_filled else 0)
        for i, label in enumerate(labels.tolist()):
            t += 1
            if n_filled:
                self.sum += self.parameter
                losses[i], gradient = self.loss.value_and_gradient(
                    self.parameter, X[i], label, points[:n_filled], known[:n_filled]
                )
                moved = self.parameter - self._rate(t, gradient) * gradient
                self.parameter = self.constraint.project(moved)
            if edges[i] < edges[i + 1]:
                now = Moves(*(column[edges[i] : edges[i + 1]] for column in moves))
                self.buffer.place(now, (X, labels))
                n_filled = max(n_filled, int(now.slot.max()) + 1)
        return losses

    def _rate(self, t: int, gradient: Numbers) -> float:
        if self.schedule == "adaptive":
            norm = np.sum(gradient * gradient)
            self.squares[:] = self.squares[0] + norm, max(self.squares[1], norm)
            root = np.sqrt(self.squares[0] * self.squares[1])
            return float(self.step / root) if root else 0.0
        return self.step / (np.sqrt(t) if self.schedule == "sqrt" else t)

    def _is_linear_auc(self) -> bool:
        return type(self.loss) is AUC and type(self.constraint) in (Everywhere, L2Ball)

    def _native(
        self, kernel: Any, X: Numbers, labels: Codes, moves: Moves, n_filled: int
    ) -> NDArray[np.float64]:
        losses = np.zeros(len(labels))
        state = *self.buffer.columns_, self.parameter, self.sum, self.squares, losses
        counts = n_filled, self.n_steps + (1 if n_filled else 0)
        loss = list(SURROGATES).index(self.loss.surrogate), self.loss.average == "opposite"
        radius = float(getattr(self.constraint, "radius", np.inf))
        step = SCHEDULES.index(self.schedule), float(self.step), radius
        kernel(X, labels, *moves, *state, *counts, *loss, *step)
        return losses
