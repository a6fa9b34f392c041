"""What a solver is given, and what it returns: a path of models, one feature after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import Array, CandidateColumns, Rows, read
from .losses import SmoothLoss

Model = tuple[Array, Array]  # weights (features, outputs), intercepts (outputs,)

_TIED = 1.0 - 1e-12


@dataclass(frozen=True)
class Problem:
    """Minimise a mean loss over few columns.

    Parameters
    ----------
    columns : CandidateColumns
        Candidates; centred if there is an intercept.
    targets : ndarray of shape (n, outputs)
        Numbers, or −1 and 1.
    weights : ndarray of shape (n,)
        Of the rows; they sum to 1.
    loss : SmoothLoss
        Summed over outputs.
    n_features : int
        Stop with so many.
    tol : float
        Stop at this share of the loss without features; for a budget, at this duality gap.
    normalise : bool
        Divide gradients by the norms of the columns.
    penalty, refit_every
        Of refits that are not least squares.
    budget : float
        C_W, the largest ℓ₁ norm of the weights.
    """

    columns: CandidateColumns
    targets: Array
    weights: Array
    loss: SmoothLoss
    n_features: int
    tol: float
    normalise: bool = False
    penalty: float = 1e-6
    refit_every: int = 1
    budget: float = 1.0

    @cached_property
    def offset(self) -> Array:
        """What is predicted of numbers before any feature: their mean, if there is an intercept."""
        zero = np.zeros(self.targets.shape[1])
        return self.weights @ self.targets if self.columns.centred else zero

    @cached_property
    def start_loss(self) -> float:
        """Loss of predicting the offset."""
        scores = np.zeros_like(self.targets) + self.offset
        return self.loss.mean(scores, self.targets, self.weights)

    def scale(self) -> Array:
        """Return the factor of each gradient; 0 for columns that do not vary."""
        facts = self.columns.statistics
        varies = facts.norms > self.columns.collinear * facts.sizes
        norms = facts.norms if self.normalise else np.ones_like(facts.norms)
        return np.divide(1.0, norms, out=np.zeros_like(norms), where=varies)


@dataclass(frozen=True)
class Path:
    """Models of growing support.

    Parameters
    ----------
    support : list of int
        Columns in the order chosen.
    losses : list of float
        Training loss after each step.
    model_at : callable
        Step (from 0) to weights, over the first columns of the support, and intercepts.
    stopped : str
        Why it ended.
    start : ndarray of shape (outputs,)
        Intercepts before the first step.
    start_loss : float
        Training loss before the first step.
    """

    support: list[int]
    losses: list[float]
    model_at: Callable[[int], Model]
    stopped: str
    start: Array
    start_loss: float

    def __len__(self) -> int:
        return len(self.losses)


def largest(scores: Array) -> int:
    """Return the first of the largest scores, so that ties do not hang on rounding."""
    return int((scores >= _TIED * scores.max()).argmax())


def united(paths: Sequence[Path]) -> Path:
    """Paths of single outputs, side by side: at each step the union of their supports."""
    length = max(len(path) for path in paths)
    support: list[int] = []
    sizes = []
    for t in range(length):
        picks = [path.support[t] for path in paths if t < len(path)]
        support += [j for j in dict.fromkeys(picks) if j not in support]
        sizes.append(len(support))
    place = {j: i for i, j in enumerate(support)}

    def model_at(step: int) -> Model:
        weights = np.zeros((sizes[step], len(paths)))
        intercepts = np.zeros(len(paths))
        for c, path in enumerate(paths):
            if not len(path):
                intercepts[c] = path.start[0]
                continue
            w, b = path.model_at(min(step, len(path) - 1))
            weights[[place[j] for j in path.support[: len(w)]], c] = w[:, 0]
            intercepts[c] = b[0]
        return weights, intercepts

    each = [path.losses or [path.start_loss] for path in paths]
    losses = [sum(one[min(t, len(one) - 1)] for one in each) for t in range(length)]
    reasons = {path.stopped for path in paths}
    stopped = reasons.pop() if len(reasons) == 1 else "mixed"
    start = np.concatenate([path.start for path in paths])
    return Path(support, losses, model_at, stopped, start, sum(path.start_loss for path in paths))


def held_out(
    path: Path, X: Any, rows: Rows, targets: Array, weights: Array, loss: SmoothLoss
) -> NDArray[np.float64]:
    """Return the loss of every model of a path on other rows; reads the support only."""
    values = read(X, rows, path.support).astype(np.float64, copy=False)
    losses = []
    for step in range(len(path)):
        w, b = path.model_at(step)
        losses.append(loss.mean(values[:, : len(w)] @ w + b, targets, weights))
    return np.array(losses)
