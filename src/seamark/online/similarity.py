"""A similarity learned from a stream of labelled points."""

from __future__ import annotations

from typing import Any

from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..estimating import Numbers
from ..measures import Bilinear
from .base import PairwiseEstimator
from .buffers import Buffer
from .constraints import Constraint, FrobeniusBall
from .losses import AlignmentLoss, GoodnessLoss, PairwiseLoss

TARGETS: dict[str, type[PairwiseLoss]] = {"alignment": AlignmentLoss, "goodness": GoodnessLoss}


class SimilarityLearner(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PairwiseEstimator):
    """A bilinear similarity xᵀWy that agrees with the classes, learned online.

    Parameters
    ----------
    target : {"alignment", "goodness"}, default="alignment"
        "alignment": every pair's similarity has the sign of the pair, W positive semidefinite.
        "goodness": a point is on average more similar to its own class, any W.
    loss : {"hinge", "squared", "logistic", "exponential"}, default="hinge"
        φ, a function of the similarity with the sign of the pair.
    radius : float, default=10.0
        Largest Frobenius norm of W.
    buffer : Buffer, optional
        Which points are remembered; default ``RSx2(100)``.
    step : float, default=1.0
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
        The matrix of the similarity.
    measure_ : Bilinear
        The similarity, for any `measure=`.
    classes_ : ndarray
        The classes, sorted.
    buffer_ : Buffer
        The points that are remembered.
    history_ : History
        The loss over the stream; ``history_.plot()`` draws it.

    Examples
    --------
    >>> import numpy as np
    >>> from seamark.online import SimilarityLearner
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(400, 2)), rng.integers(2, size=400)
    >>> X[:, 0] += 4 * y - 2
    >>> learner = SimilarityLearner(random_state=0).fit(X, y)
    >>> K = learner.measure_.cross([[2.0, 0.0]], [[2.0, 0.0], [-2.0, 0.0]])
    >>> bool(K[0, 0] > 0.5), bool(K[0, 1] < -0.5)
    (True, True)
    """

    def __init__(
        self,
        *,
        target: str = "alignment",
        loss: str = "hinge",
        radius: float = 10.0,
        buffer: Buffer | None = None,
        step: float = 1.0,
        schedule: str = "adaptive",
        average: bool = True,
        n_passes: int = 1,
        random_state: Any = None,
    ) -> None:
        self.target = target
        self.loss = loss
        self.radius = radius
        self.buffer = buffer
        self.step = step
        self.schedule = schedule
        self.average = average
        self.n_passes = n_passes
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    def _loss(self) -> PairwiseLoss:
        if self.target not in TARGETS:
            raise ValueError(f"target={self.target!r} is none of {', '.join(TARGETS)}.")
        return TARGETS[self.target](self.loss)

    def _constraint(self) -> Constraint:
        return FrobeniusBall(self.radius, psd=self.target == "alignment")

    @property
    def W_(self) -> Numbers:
        """The matrix of the similarity."""
        return self.parameter_

    @property
    def measure_(self) -> Bilinear:
        """The similarity xᵀWy."""
        return Bilinear(self.W_)

    @property
    def _n_features_out(self) -> int:
        return len(self.buffer_)

    def transform(self, X: Any) -> Any:
        """Similarities to the points in the buffer: a landmark map whose landmarks these are.

        Parameters
        ----------
        X : array-like of shape (n, d)

        Returns
        -------
        ndarray of shape (n, points in the buffer), float32
        """
        check_is_fitted(self, "learner_")
        X = self._vectors(X, reset=False)
        return self.measure_.cross(X, self.buffer_.columns[0])
