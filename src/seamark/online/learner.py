"""The learner whose parts the user chooses."""

from __future__ import annotations

from typing import Any

from .base import PairwiseEstimator
from .buffers import Buffer
from .constraints import Constraint, Everywhere
from .losses import AUC, AlignmentLoss, GoodnessLoss, MetricLoss, PairwiseLoss

LOSSES: dict[str, type[PairwiseLoss]] = {
    "auc": AUC,
    "metric": MetricLoss,
    "alignment": AlignmentLoss,
    "goodness": GoodnessLoss,
}


class PairwiseLearner(PairwiseEstimator):
    """Online learning with any pairwise loss (OLP): loss × constraint × buffer × step.

    Parameters
    ----------
    loss : {"auc", "metric", "alignment", "goodness"} or PairwiseLoss, default="auc"
        What a pair of points costs: `AUC`, `MetricLoss`, `AlignmentLoss`, `GoodnessLoss`, or a loss
        of your own.
    constraint : Constraint, optional
        Where the parameter must lie; default: anywhere.
    buffer : Buffer, optional
        Which points are remembered; default ``RSx2(100)``.
    step : float, default=1.0
        η, the length of the steps.
    schedule : {"sqrt", "linear", "adaptive"}, default="sqrt"
        Steps of η/√t; of η/t, for a σ-strongly convex loss with η = 1/σ; or of η/(G√Σ‖g‖²), with g
        the gradients so far and G the largest norm among them, whatever the scale of the data.
    average : bool, default=True
        Whether the answer is the mean of all parameters, or the last one.
    n_passes : int, default=1
        Passes of `fit` over the data.
    random_state : int, RandomState or Generator, optional
        Decides which points the buffer keeps, and the order of points in `fit`.

    Attributes
    ----------
    parameter_ : ndarray
        The answer: (1, d) or (classes, d) weights of scores, or a (d, d) matrix.
    classes_ : ndarray
        The classes, sorted.
    buffer_ : Buffer
        The points that are remembered.
    history_ : History
        The loss over the stream; ``history_.plot()`` draws it.

    Examples
    --------
    >>> import numpy as np
    >>> from seamark.online import L2Ball, PairwiseLearner, RSx2
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(500, 3)), rng.integers(2, size=500)
    >>> X[:, 0] += 2 * y
    >>> learner = PairwiseLearner("auc", L2Ball(1.0), RSx2(20), random_state=0)
    >>> for start in range(0, 500, 50):
    ...     _ = learner.partial_fit(X[start : start + 50], y[start : start + 50])
    >>> int(np.argmax(learner.parameter_))
    0
    """

    def __init__(
        self,
        loss: Any = "auc",
        constraint: Constraint | None = None,
        buffer: Buffer | None = None,
        *,
        step: float = 1.0,
        schedule: str = "sqrt",
        average: bool = True,
        n_passes: int = 1,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.constraint = constraint
        self.buffer = buffer
        self.step = step
        self.schedule = schedule
        self.average = average
        self.n_passes = n_passes
        self.random_state = random_state

    def _loss(self) -> PairwiseLoss:
        if isinstance(self.loss, PairwiseLoss):
            return self.loss
        if self.loss not in LOSSES:
            raise ValueError(
                f"loss={self.loss!r} is none of {', '.join(LOSSES)}, nor a PairwiseLoss."
            )
        return LOSSES[self.loss]()

    def _constraint(self) -> Constraint:
        return Everywhere() if self.constraint is None else self.constraint
