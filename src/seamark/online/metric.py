"""A distance learned from a stream of labelled points."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..estimating import Numbers
from ..measures import Mahalanobis
from .base import PairwiseEstimator
from .buffers import Buffer
from .constraints import Constraint, FrobeniusBall, PSDCone
from .losses import MetricLoss, PairwiseLoss


class MetricLearner(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PairwiseEstimator):
    """A Mahalanobis distance in which classes lie apart, learned online.

    Every step may need the eigenvalues of a (d, d) matrix: meant for up to a few hundred features.
    Features should have similar scales.

    Parameters
    ----------
    loss : {"hinge", "squared", "logistic", "exponential"}, default="hinge"
        φ(±(1 − M)), M being the squared distance to a point of the same or of another class.
    over : {"buffer", "balanced"}, default="buffer"
        All pairs count the same; or pairs of the same class, which are rare among many classes,
        count as much in total as the others.
    radius : float, optional
        Largest Frobenius norm of W; default: any.
    start : {"zero", "scaled"}, default="zero"
        Start from 0, as in the paper; or from the Euclidean distance, scaled so that the squared
        distance of two points of the *first chunk* is 1 in the mean, the threshold of the loss.
    buffer : Buffer, optional
        Which points are remembered; default ``RSx2(100)``.
    step : float, default=10.0
        η, the length of the steps.
    schedule : {"adaptive", "sqrt", "linear"}, default="adaptive"
        Size of step t. "adaptive": η/(G√Σ‖g‖²), with g the gradients so far and G the largest norm
        among them, which does not depend on the scale of the data. "sqrt": η/√t, as in the paper.
        "linear": η/t.
    average : bool, default=True
        Whether W is the mean over the stream, or the last one.
    n_passes : int, default=1
        Passes of `fit` over the data.
    random_state : int, RandomState or Generator, optional
        Decides which points the buffer keeps, and the order of points in `fit`.

    Attributes
    ----------
    W_ : ndarray of shape (d, d)
        The matrix of the distance.
    measure_ : Mahalanobis
        The distance, for any `measure=`.
    classes_ : ndarray
        The classes, sorted.
    buffer_ : Buffer
        The points that are remembered.
    history_ : History
        The loss over the stream; ``history_.plot()`` draws it.

    Examples
    --------
    >>> import numpy as np
    >>> from seamark.online import MetricLearner
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(400, 2)), rng.integers(2, size=400)
    >>> X[:, 0] += 2 * y
    >>> W = MetricLearner(random_state=0).fit(X, y).W_
    >>> bool(W[0, 0] > 2 * W[1, 1])
    True
    """

    def __init__(
        self,
        *,
        loss: str = "hinge",
        over: str = "buffer",
        radius: float | None = None,
        start: str = "zero",
        buffer: Buffer | None = None,
        step: float = 10.0,
        schedule: str = "adaptive",
        average: bool = True,
        n_passes: int = 1,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.over = over
        self.radius = radius
        self.start = start
        self.buffer = buffer
        self.step = step
        self.schedule = schedule
        self.average = average
        self.n_passes = n_passes
        self.random_state = random_state

    def _loss(self) -> PairwiseLoss:
        return MetricLoss(self.loss, self.over)

    def _constraint(self) -> Constraint:
        return PSDCone() if self.radius is None else FrobeniusBall(self.radius, psd=True)

    def _start(self, constraint: Constraint, shape: tuple[int, ...], points: Any) -> Numbers:
        if self.start == "zero":
            return constraint.start(shape)
        if self.start != "scaled":
            raise ValueError(f'start={self.start!r} is neither "scaled" nor "zero".')
        return constraint.project(np.eye(shape[0]) / mean_squared_distance(points))

    @property
    def W_(self) -> Numbers:
        """The matrix of the distance."""
        return self.parameter_

    @property
    def measure_(self) -> Mahalanobis:
        """The distance √((x − y)ᵀW(x − y))."""
        return Mahalanobis(self.W_)

    @property
    def _n_features_out(self) -> int:
        return len(self.W_)

    def transform(self, X: Any) -> Numbers:
        """Vectors whose Euclidean distances are the learned ones.

        Parameters
        ----------
        X : array-like of shape (n, d)

        Returns
        -------
        ndarray of shape (n, d)
        """
        check_is_fitted(self, "learner_")
        X = self._vectors(X, reset=False)
        return np.asarray(X @ self.measure_.factor())


def mean_squared_distance(X: Any) -> float:
    """Mean over all pairs of rows: twice the total variance; 1 if all rows are alike."""
    means = np.asarray(X.mean(axis=0))
    squares = X.multiply(X) if hasattr(X, "multiply") else np.square(X)
    variance = float(squares.mean(axis=0).sum() - np.square(means).sum())
    return 2 * variance if variance > 0 else 1.0
