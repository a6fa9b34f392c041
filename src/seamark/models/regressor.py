"""Regression on any objects through landmarks."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.svm import LinearSVR

from ..heads import RidgeRegressor
from ..targets import number_targets
from ..weighing import weighings_of
from .base import LandmarkModel
from .callbacks import with_callbacks


class LandmarkRegressor(MultiOutputMixin, RegressorMixin, LandmarkModel):
    """Predict a number for strings, series, sets, vectors or anything by likeness to landmarks.

    Parameters
    ----------
    measure, n_landmarks, landmarks, transfer, weighing, tune, passthrough, memory, progress, \
random_state, n_jobs
        As in `LandmarkClassifier`; "auto" landmarks are drawn uniformly.
    head : "ridge", "svr" or an estimator, default="auto"
        The linear model; "auto" is ridge, which takes several targets at once.

    Attributes
    ----------
    map_, head_, landmarks_, landmark_indices_, landmark_labels_, tuning_, n_evaluations_,
    fit_times_
        As in `LandmarkClassifier`.

    Examples
    --------
    >>> import seamark as sm
    >>> words = ["a" * k for k in range(1, 30)]
    >>> model = sm.LandmarkRegressor("levenshtein", random_state=0).fit(words, range(1, 30))
    >>> model.predict(["a" * 12]).round()
    array([12.])
    """

    strategy: ClassVar[str] = "uniform"
    heads: ClassVar[dict[str, Any]] = {"ridge": RidgeRegressor, "svr": LinearSVR}
    weighings: ClassVar[dict[str, Any]] = weighings_of("regression")
    yardstick: ClassVar[Any] = partial(RidgeRegressor, cv=3)

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to objects and their numbers.

        Parameters
        ----------
        X : objects
        y : array-like of shape (n,) or (n, T)
        sample_weight : array-like of shape (n,), optional
            For the head.

        Returns
        -------
        self
        """
        targets = number_targets(self, y, several=True)
        self._fit(X, targets, targets, sample_weight=sample_weight)
        return self

    def _decide(self, features: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
        predictions = self.head_.predict(features)
        if predictions.ndim == 2:
            raise ValueError("explanations of several targets at once are not offered; fit one.")
        return predictions, np.zeros(len(predictions), dtype=np.intp)
