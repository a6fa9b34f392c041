"""Classification that puts classes in the right order: online maximisation of the AUC."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..maps import unscaled
from ..targets import decided
from ..validation import require_same_length
from .buffers import Buffer
from .learners import PairwiseEstimator
from .losses import AUC, Constraint, Everywhere, L2Ball, Numbers, PairwiseLoss


@dataclass(eq=False, repr=False)
class AUCClassifier(ClassifierMixin, PairwiseEstimator):
    """A linear score with a large area under the ROC curve, learned from a stream.

    For two classes one score, else one for each class against the rest. With a `map` in front the
    objects may be strings, series, or whatever the map takes.

    Parameters
    ----------
    map : transformer, optional
        What turns objects into vectors, such as a `LandmarkMap`; fitted on the X of `fit`, or on
        the first chunk of a stream. A fitted one stays as it is inside scikit-learn's
        ``FrozenEstimator``.
    loss : {"hinge", "squared", "logistic", "exponential"}, default="hinge"
        φ of the margin between a point and one of the other class.
    over : {"buffer", "opposite"}, default="buffer"
        Average over all points of the buffer, as in the paper; or only over those of the other
        class, so that steps do not get short when one class is rare.
    radius : float, optional
        Largest norm of the weights of a score; default: any.
    buffer : Buffer, optional
        Which points are remembered; default ``RSx2(100)``.
    step : float, default=3.0
        η, the length of the steps.
    schedule : {"adaptive", "sqrt", "linear"}, default="adaptive"
        Size of step t. "adaptive": η/(G√Σ‖g‖²), with g the gradients so far and G the largest norm
        among them, which does not depend on the scale of the data. "sqrt": η/√t, as in the paper.
        "linear": η/t.
    penalty : float, default=0.0
        σ of σ/2 ‖w‖², added to the loss of every point; ``schedule="linear", step=1 / σ`` are the
        steps that suit it.
    average : bool, default=True
        Whether weights are the mean over the stream, or the last ones.
    n_passes : int, default=5
        Passes of `fit` over the data.
    random_state : int, RandomState or Generator, optional
        Decides which points the buffer keeps, and the order of points in `fit`.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    coef_ : ndarray of shape (1 or number of classes, features)
        Weights of the scores.
    intercept_ : ndarray
        Moves the scores so that 0 separates the classes of the buffer best (largest balanced
        accuracy).
    map_ : transformer
        Fitted, if there is a map.
    buffer_ : Buffer
        The points that are remembered.
    history_ : History
        The loss over the stream; ``history_.plot()`` draws it.

    Examples
    --------
    >>> import seamark as sm
    >>> from seamark.online import AUCClassifier
    >>> names = ["Anna", "Hanna", "Johanna", "Otto", "Ottokar", "Ottilo"] * 9
    >>> bearings = sm.LandmarkMap("levenshtein", n_landmarks=6, random_state=0)
    >>> model = AUCClassifier(bearings, random_state=0)
    >>> for start in range(0, 54, 6):
    ...     _ = model.partial_fit(names[start : start + 6], ["a", "a", "a", "o", "o", "o"])
    >>> model.predict(["Joanna", "Otho"]).tolist()
    ['a', 'o']
    """

    map: Any = None
    _: KW_ONLY
    loss: str = "hinge"
    over: str = "buffer"
    radius: float | None = None
    buffer: Buffer | None = None
    step: float = 3.0
    schedule: str = "adaptive"
    penalty: float = 0.0
    average: bool = True
    n_passes: int = 5
    random_state: Any = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self.map, "__sklearn_tags__"):
            tags.input_tags = self.map.__sklearn_tags__().input_tags
        return tags

    def _problem(self) -> tuple[PairwiseLoss, Constraint]:
        ball = Everywhere() if self.radius is None else L2Ball(self.radius)
        return AUC(self.loss, self.over), ball

    def _points(self, X: Any, labels: NDArray[Any], rng: np.random.Generator | None) -> Any:
        if self.map is None:
            return super()._points(X, labels, rng)
        bearings = unscaled(self.map).fit(X, labels) if rng is not None else self.map_
        features = bearings.transform(X)
        require_same_length(features, labels)
        self.map_: Any = bearings
        return features

    @property
    def coef_(self) -> Numbers:
        """Weights of the scores."""
        return self.parameter_

    @property
    def intercept_(self) -> Numbers:
        """Minus the threshold of each score."""
        points, labels = self.buffer_.columns
        scores = points @ self.coef_.T
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        pairs = zip(scores.T, positive, strict=True)
        return -np.array([threshold(column, labels == k) for column, k in pairs])

    def decision_function(self, X: Any) -> Numbers:
        """Scores: positive for the second of two classes, else a column for each class.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of shape (n,) or (n, number of classes)
        """
        check_is_fitted(self, "learner_")
        X = self._vectors(X, reset=False) if self.map is None else self.map_.transform(X)
        scores = np.asarray(X @ self.coef_.T) + self.intercept_
        return scores.ravel() if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Classes: where the score is positive, or largest.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of shape (n,)
        """
        return decided(self.decision_function(X), self.classes_)


def threshold(scores: Numbers, positive: NDArray[np.bool_]) -> float:
    """Return the score that tells positives from others with the largest balanced accuracy.

    Examples
    --------
    >>> threshold(np.array([1.0, 2.0, 4.0, 5.0]), np.array([False, False, True, True]))
    3.0
    """
    if not positive.any():  # nothing is known to be positive: nothing so far should be
        return float(scores.max() + 1)
    if positive.all():
        return float(scores.min() - 1)
    order = np.argsort(scores, kind="stable")
    ranked, hits = scores[order], positive[order]
    # After the first k points are called negative: true negatives gained, positives lost.
    gain = np.cumsum(~hits) / (~hits).sum() - np.cumsum(hits) / hits.sum()
    gain[:-1][ranked[:-1] == ranked[1:]] = -np.inf  # equal scores cannot be told apart
    k = int(gain[:-1].argmax()) if len(gain) > 1 else 0
    return float((ranked[k] + ranked[k + 1]) / 2)
