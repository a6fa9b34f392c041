"""check_object_estimator passes a good estimator in every domain, and finds each broken promise."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

import seamark as sm
from seamark.checks import check_object_estimator

rng = np.random.default_rng(5)
DATA = {
    "levenshtein": ["ab" * (1 + i % 4) + "xy"[i % 2] * (i % 7) for i in range(24)],
    "dtw": [rng.normal(size=(2, int(k))) for k in rng.integers(3, 9, size=24)],
    "modified_hausdorff": [rng.normal(size=(int(k), 2)) for k in rng.integers(1, 6, size=24)],
    "euclidean": rng.normal(size=(24, 3)),
}
y = np.arange(24) % 2


class Distances(TransformerMixin, BaseEstimator):
    """Distances to random landmarks: the smallest estimator over objects."""

    def __init__(self, measure="levenshtein", n_landmarks=5, random_state=None):
        self.measure = measure
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    def fit(self, X, y=None):
        self.measure_ = sm.measures.get(self.measure)
        X = self.measure_.domain.ingest(X)
        chosen = np.random.default_rng(self.random_state).permutation(X.shape[0])
        self.landmarks_ = X[chosen[: self.n_landmarks]]
        return self

    def transform(self, X):
        check_is_fitted(self)
        return self.measure_.cross(X, self.landmarks_)

    def get_feature_names_out(self, input_features=None):
        return np.array([f"landmark{i}" for i in range(self.n_landmarks)], dtype=object)


class Classifier(ClassifierMixin, BaseEstimator):
    def __init__(self, measure="levenshtein", random_state=None):
        self.measure = measure
        self.random_state = random_state

    def fit(self, X, y):
        self.map_ = Distances(self.measure, random_state=self.random_state).fit(X)
        self.head_ = LogisticRegression(max_iter=2000).fit(self.map_.transform(X), y)
        self.classes_ = self.head_.classes_
        return self

    def predict(self, X):
        check_is_fitted(self)
        return self.head_.predict(self.map_.transform(X))

    def predict_proba(self, X):
        check_is_fitted(self)
        return self.head_.predict_proba(self.map_.transform(X))


@pytest.mark.parametrize("measure", DATA)
def test_good_estimators_pass(measure):
    check_object_estimator(Distances(measure), DATA[measure])
    check_object_estimator(Classifier(measure), DATA[measure], y)
    ingested = sm.measures.get(measure).domain.ingest(DATA[measure])
    check_object_estimator(Distances(measure), ingested)


class WorksInInit(Distances):
    def __init__(self, measure="levenshtein", n_landmarks=5, random_state=None):
        super().__init__(measure, n_landmarks, random_state)
        self.prepared = True


class ReturnsNothing(Distances):
    def fit(self, X, y=None):
        super().fit(X, y)


class ChangesParameters(Distances):
    def fit(self, X, y=None):
        self.n_landmarks = 3
        return super().fit(X, y)


class ChangesX(Distances):
    def fit(self, X, y=None):
        super().fit(X, y)
        X[0] = X[1]
        return self


class ForgetsToCheck(Distances):
    def transform(self, X):
        return self.measure_.cross(X, self.landmarks_)


class IgnoresRandomState(Distances):
    def fit(self, X, y=None):
        super().fit(X, y)
        self.landmarks_ = self.landmarks_[np.random.permutation(self.n_landmarks)]  # noqa: NPY002
        return self


class CentresTheBatch(Distances):
    def transform(self, X):
        values = super().transform(X)
        return values - values.mean(axis=0)


class DependsOnPosition(Distances):
    def transform(self, X):
        values = super().transform(X)
        return values if len(values) < len(DATA["levenshtein"]) else values + (values[:1] > 2)


class CannotPickle(Distances):
    def fit(self, X, y=None):
        super().fit(X, y)
        self.function_ = lambda x: x
        return self


class MiscountsNames(Distances):
    def get_feature_names_out(self, input_features=None):
        return super().get_feature_names_out()[:-1]


class RepeatsNames(Distances):
    def get_feature_names_out(self, input_features=None):
        return np.array(["same"] * self.n_landmarks, dtype=object)


@pytest.mark.parametrize(
    ("broken", "promise"),
    [
        (WorksInInit, "__init__ sets"),
        (ReturnsNothing, "fit does not return self"),
        (ChangesParameters, "changes its parameters"),
        (ChangesX, "X or y was changed"),
        (ForgetsToCheck, "not NotFittedError"),
        (IgnoresRandomState, "second fit|random_state"),
        (CentresTheBatch, "subset of rows"),
        (DependsOnPosition, "other values"),
        (MiscountsNames, "feature names for 5 columns"),
        (RepeatsNames, "not unique"),
    ],
)
def test_a_broken_promise_is_found(broken, promise):
    with pytest.raises(AssertionError, match=promise):
        check_object_estimator(broken(), list(DATA["levenshtein"]))


def test_what_cannot_be_pickled_is_found():
    with pytest.raises(Exception, match="pickle"):
        check_object_estimator(CannotPickle(), DATA["levenshtein"])
