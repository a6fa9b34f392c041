"""`EachLabel`: any classifier, once for each label."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MultiOutputMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from ..targets import label_matrix

Floats = NDArray[np.float64]


def _tells(name: str) -> Any:
    """Whether all members, or the one to be cloned, have a method."""
    return lambda self: all(hasattr(one, name) for one in getattr(self, "members_", [self.head]))


class OfLabels(MultiOutputMixin, ClassifierMixin):
    """A classifier of objects that have any number of labels: y is a matrix of 0 and 1."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        tags.target_tags.single_output = False
        return tags


class EachLabel(OfLabels, BaseEstimator):
    """A classifier for each of several labels, that says whether an object has it.

    Parameters
    ----------
    head : classifier
        Cloned for each label. A label that all rows of `fit` have, or none, needs no classifier.

    Attributes
    ----------
    classes_ : ndarray of shape (L,)
        Numbers of the labels.
    members_ : list of classifiers
        Of the labels that vary.
    places_ : ndarray of int
        Which labels these are.
    always_ : ndarray of shape (L,), int8
        What is said of the others.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2))
    >>> EachLabel(LogisticRegression()).fit(X, X > 0).predict([[1.0, -1.0], [1.0, 1.0]])
    array([[1, 0],
           [1, 1]])
    """

    def __init__(self, head: Any) -> None:
        self.head = head

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to a matrix X and a matrix of 0 and 1, (n, L)."""
        X, y = validate_data(self, X, y, multi_output=True, dtype=[np.float64, np.float32])
        codes = label_matrix(np.arange(y.shape[1] if y.ndim == 2 else 0), y)
        options = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.classes_ = np.arange(codes.shape[1])
        self.places_ = np.flatnonzero(np.ptp(codes, axis=0))
        self.always_ = codes[0]
        self.members_ = [clone(self.head).fit(X, codes[:, k], **options) for k in self.places_]
        return self

    @property
    def coef_(self) -> Floats:
        """Coefficients (L, features), 0 of a label that needs no classifier."""
        check_is_fitted(self)
        rows = [np.ravel(one.coef_) for one in self.members_]
        found = np.zeros((len(self.classes_), self.n_features_in_))
        found[self.places_] = rows
        return found

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict which labels each row has: a matrix of 0 and 1."""
        return self._said(X, self.always_, lambda one, Z: one.predict(Z)).astype(np.intp)

    @available_if(_tells("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """Score of every label, (n, L)."""
        return self._said(X, 2.0 * self.always_ - 1, lambda one, Z: one.decision_function(Z))

    @available_if(_tells("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each label, (n, L); they need not sum to 1."""
        return self._said(X, self.always_, lambda one, Z: one.predict_proba(Z)[:, 1])

    def _said(self, X: Any, always: Any, say: Any) -> Floats:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        found = np.repeat(np.asarray(always, dtype=np.float64)[None], X.shape[0], axis=0)
        for place, one in zip(self.places_, self.members_, strict=True):
            found[:, place] = say(one, X)
        return found
