"""Ordinal regression on any objects through landmarks."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import validate_data

from ..heads import Ordinal, RidgeRegressor, ordered_ranks
from ..targets import require_targets
from ..weighing import weighings_of
from .base import LandmarkModel
from .callbacks import with_callbacks


class LandmarkOrdinal(ClassifierMixin, LandmarkModel):
    """Predict ordered labels (grades, stars, stages) of any objects by likeness to landmarks.

    Parameters
    ----------
    measure, n_landmarks, landmarks, transfer, weighing, tune, passthrough, memory, progress, \
random_state, n_jobs
        As in `LandmarkClassifier`.
    head : "ordinal" or an estimator, default="auto"
        `seamark.heads.Ordinal`: a score with thresholds between the labels. The order of labels
        that are no numbers is said by ``head=Ordinal(categories=[…])``, or by y, an ordered
        categorical.

    Attributes
    ----------
    classes_ : ndarray
        Labels in their order.
    map_, head_, landmarks_, landmark_indices_, landmark_labels_, tuning_, n_evaluations_,
    fit_times_
        As in `LandmarkClassifier`.

    Examples
    --------
    >>> import seamark as sm
    >>> words = ["a" * k for k in range(1, 31)]
    >>> stars = np.repeat([1, 2, 3], 10)
    >>> sm.LandmarkOrdinal("levenshtein", random_state=0).fit(words, stars).predict(["a" * 15])
    array([2])
    """

    strategy: ClassVar[str] = "stratified"
    heads: ClassVar[dict[str, Any]] = {"ordinal": Ordinal}
    weighings: ClassVar[dict[str, Any]] = weighings_of("regression")
    yardstick: ClassVar[Any] = partial(RidgeRegressor, cv=3)

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to objects and their ordered labels: numbers, or an ordered categorical.

        Parameters
        ----------
        X : objects
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            For the head.

        Returns
        -------
        self
        """
        require_targets(y)
        checked = validate_data(self, y=y)
        has_order = bool(getattr(getattr(y, "dtype", None), "ordered", False))
        categories = getattr(self.head, "categories", None)
        self.classes_, ranks = ordered_ranks(y if has_order else checked, categories)
        labels, as_numbers = self.classes_[ranks], ranks.astype(np.float64)
        self._fit(X, ranks, labels, as_numbers, sample_weight=sample_weight)
        return self

    def _parts(self, rng: np.random.Generator) -> tuple[Any, Any]:
        head, weighing = super()._parts(rng)
        if hasattr(head, "categories"):  # it learns ranks, whose order is plain
            head.set_params(categories=None)
        return head, weighing

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Score of each object, large for late labels; of heads that have `scores`."""
        return np.asarray(self._by_head(X, "scores"), dtype=np.float64)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision of the head: (n,) for two labels, else (n, number of labels)."""
        return np.asarray(self._by_head(X, "decision_function"), dtype=np.float64)

    def _decide(self, features: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
        ranks = self.head_.predict(features)
        return self.classes_[ranks], np.zeros(len(ranks), dtype=np.intp)
