"""One classifier against the rest for each class: what they share, and `PerClass`."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from ..targets import decided, require_targets, too_few_classes
from .curvature import DoubleRows


class OneVsRest(ClassifierMixin, BaseEstimator):
    """What linear classifiers of one class against the rest share.

    Their `fit` sets `coef_`, a row for each class; a single one, for the second, if there are two.
    """

    classes_: NDArray[Any]
    coef_: NDArray[np.float64]
    intercept_: NDArray[np.float64]

    def _labels(self, y: NDArray[Any]) -> NDArray[Any]:
        """Set `classes_`, and return those that get a row."""
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise too_few_classes(self.classes_)
        return self.classes_[1:] if len(self.classes_) == 2 else self.classes_

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores: (n,) for two classes, else (n, number of classes)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        scores = DoubleRows(X).scores(self.coef_.T) + self.intercept_
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of the largest score."""
        return decided(self.decision_function(X), self.classes_)


class PerClass(OneVsRest):
    """Linear classifiers, one for each class against the rest, on columns of their own.

    scikit-learn's `OneVsRestClassifier` gives all of them the same parameters and columns.

    Parameters
    ----------
    members : list of (classifier, columns)
        In the order of the classes; a single one, for the second class, if there are two.

    Attributes
    ----------
    classes_ : ndarray
    coef_ : ndarray of shape (number of members, n_features)
        0 outside a member's columns.
    intercept_ : ndarray of shape (number of members,)

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> X = np.array([[0.0, 1.0], [0.2, 0.0], [1.0, 0.0], [0.8, 1.0]])
    >>> head = PerClass([(LinearSVC(C=10.0), [0])]).fit(X, [0, 0, 1, 1])
    >>> head.predict(X), head.coef_.astype(bool)
    (array([0, 0, 1, 1]), array([[ True, False]]))
    """

    def __init__(self, members: list[tuple[Any, Any]]) -> None:
        self.members = members

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit each member to its columns, and to its class against the rest."""
        require_targets(y)
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        labels = self._labels(y)
        if len(labels) != len(self.members):
            raise ValueError(
                f"{len(self.members)} members do not fit {len(self.classes_)} classes."
            )
        self.coef_ = np.zeros((len(labels), X.shape[1]))
        self.intercept_ = np.zeros(len(labels))
        for row, (label, (member, columns)) in enumerate(zip(labels, self.members, strict=True)):
            fitted = clone(member).fit(X[:, columns], y == label, sample_weight=sample_weight)
            self.coef_[row, columns] = np.ravel(fitted.coef_)
            self.intercept_[row] = np.ravel(fitted.intercept_)[0]
        return self
