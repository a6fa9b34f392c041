"""What people use for strings, sets of vectors and tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC

import seamark as sm
from seamark.data import Ragged

Peers = dict[str, Callable[[int], Any]]
SVM_GRID = {"C": [1, 10, 100], "gamma": ["scale", 0.01, 0.1, 1.0]}
SVM_ROWS = 5000
"""Support vector machines are tuned on so many rows at most: their time grows with the square."""
MILES_WIDTHS = (0.5, 1.0, 2.0)
"""Of Gaussians about members, in units of the median distance."""


class Grid(BaseEstimator):
    """A support vector machine whose C and γ are chosen by 3 folds, on some rows if many."""

    def __init__(self, model: Any, seed: int = 0) -> None:
        self.model = model
        self.seed = seed

    def fit(self, X: Any, y: Any) -> Grid:
        search = GridSearchCV(self.model, SVM_GRID, cv=3)
        rows = np.random.default_rng(self.seed).permutation(len(y))[:SVM_ROWS]
        self.scaler_ = StandardScaler().fit(X)
        scaled = self.scaler_.transform(X)
        self.best_ = search.fit(scaled[rows], y[rows]).best_estimator_
        if len(rows) < len(y):
            self.best_.fit(scaled, y)
        return self

    def predict(self, X: Any) -> Any:
        return self.best_.predict(self.scaler_.transform(X))


class BagStatistics(TransformerMixin, BaseEstimator):
    """Least, mean and largest value of every variable of a set."""

    def fit(self, X: Ragged, y: Any = None) -> BagStatistics:
        return self

    def transform(self, X: Ragged) -> np.ndarray:
        starts = X.offsets[:-1]
        mean = np.add.reduceat(X.values, starts) / np.diff(X.offsets)[:, None]
        least, largest = (f.reduceat(X.values, starts) for f in (np.minimum, np.maximum))
        return np.hstack([least, mean, largest])


class Gaussians(TransformerMixin, BaseEstimator):
    """Distances as likeness."""

    def __init__(self, width: float = 1.0) -> None:
        self.width = width

    def fit(self, X: Any, y: Any = None) -> Gaussians:
        return self

    def transform(self, X: Any) -> Any:
        return np.exp(-((X / self.width) ** 2))


class MILES(ClassifierMixin, BaseEstimator):
    """Similarity to every training member, and a sparse linear model; width and C by folds.

    Members are those of at most 1000 vectors, drawn without looking.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def fit(self, X: Ragged, y: np.ndarray) -> MILES:
        rng = np.random.default_rng(self.seed)
        rows = rng.permutation(len(X.values))[:1000]
        self.scale_ = np.maximum(X.values.std(axis=0), 1e-9)
        self.members_ = X.values[rows] / self.scale_
        distances = self._distances(X)
        self.unit_ = np.median(distances)
        pipeline = Pipeline(
            [("near", Gaussians()), ("svm", LinearSVC(penalty="l1", dual=False, max_iter=3000))]
        )
        grid = {"near__width": self.unit_ * np.array(MILES_WIDTHS), "svm__C": [0.1, 1.0, 10.0]}
        self.model_ = GridSearchCV(pipeline, grid, cv=3).fit(distances, y)
        self.classes_ = self.model_.classes_
        return self

    def _distances(self, X: Ragged) -> np.ndarray:
        sets = Ragged((X.values / self.scale_).astype(np.float32), X.offsets, X.domain)
        out = np.empty((len(sets), len(self.members_)))
        for i, (a, b) in enumerate(zip(X.offsets[:-1], X.offsets[1:], strict=True)):
            out[i] = sm.cross("euclidean", sets.values[a:b], self.members_).min(axis=0)
        return out

    def predict(self, X: Ragged) -> np.ndarray:
        return self.model_.predict(self._distances(X))


class OfTexts(ClassifierMixin, BaseEstimator):
    """A pipeline that wants a list of strings."""

    def __init__(self, pipeline: Any) -> None:
        self.pipeline = pipeline

    def fit(self, X: Any, y: Any) -> OfTexts:
        self.pipeline.fit(list(X), y)
        self.classes_ = self.pipeline.classes_
        return self

    def predict(self, X: Any) -> Any:
        return self.pipeline.predict(list(X))

    def predict_proba(self, X: Any) -> Any:
        return self.pipeline.predict_proba(list(X))


def texts(vectorizer: Callable[[], Any], seed: int) -> Any:
    """A vectorizer, and a logistic regression whose C is chosen by 3 folds."""
    search = GridSearchCV(LogisticRegression(max_iter=300), {"C": [1.0, 10.0, 100.0]}, cv=3)
    return OfTexts(make_pipeline(vectorizer(), search))


def as_column(X: Any) -> Any:
    """A list of strings as what skrub wants."""
    import pandas as pd

    return pd.Series(list(X), name="text")


def skrub(seed: int) -> Any:
    """The encoder of short strings that comes with skrub."""
    from skrub import StringEncoder

    encoder = make_pipeline(FunctionTransformer(as_column), StringEncoder(random_state=seed))
    return texts(lambda: encoder, seed)


def forest_of(task: str, seed: int) -> Any:
    kind = RandomForestRegressor if task == "regression" else RandomForestClassifier
    return kind(500, random_state=seed)


def boosting_of(task: str, seed: int) -> Any:
    kind = HistGradientBoostingRegressor
    if task == "classification":
        kind = HistGradientBoostingClassifier
    return kind(random_state=seed)


def lightgbm_of(task: str, seed: int) -> Any:
    import lightgbm

    kind = lightgbm.LGBMClassifier if task == "classification" else lightgbm.LGBMRegressor
    return kind(random_state=seed, verbose=-1, n_jobs=1)


def svm_of(task: str, seed: int) -> Any:
    return Grid(SVC() if task == "classification" else SVR(), seed)


STRINGS: Peers = {
    "TF-IDF (char)": partial(
        texts, partial(TfidfVectorizer, analyzer="char", ngram_range=(1, 5), sublinear_tf=True)
    ),
    "TF-IDF (char_wb)": partial(
        texts, partial(TfidfVectorizer, analyzer="char_wb", ngram_range=(1, 5), sublinear_tf=True)
    ),
    "hashing": partial(
        texts, partial(HashingVectorizer, n_features=2**16, analyzer="char_wb", ngram_range=(1, 5))
    ),
    "skrub": skrub,
}
SETS: Peers = {
    "bag statistics + forest": lambda seed: make_pipeline(
        BagStatistics(), RandomForestClassifier(500, random_state=seed)
    ),
    "bag statistics + SVC": lambda seed: make_pipeline(BagStatistics(), Grid(SVC(), seed)),
    "MILES": MILES,
}


def tables(task: str) -> Peers:
    """What people use for a task on tables."""
    return {
        "gradient boosting": partial(boosting_of, task),
        "random forest": partial(forest_of, task),
        "LightGBM": partial(lightgbm_of, task),
        "SVM": partial(svm_of, task),
    }
