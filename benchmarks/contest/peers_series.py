"""What people use for series: MiniRocket, ROCKET, RDST, 1-NN with DTW, catch22 with a forest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier

import seamark as sm
from seamark.data import Ragged
from seamark.engine import PairError

WINDOWS = (0.0, 0.02, 0.05, 0.1, 0.2, 1.0)
"""Shares of the length that a band may take; 1-NN chooses by leaving one out."""
FOREST = 500


def cube(X: Ragged, length: int) -> np.ndarray:
    """Series as (n, channels, length): shorter ones repeat their last value, longer ones end.

    The packages compared with want equal lengths.
    """
    out = np.empty((len(X), X.values.shape[1], length), dtype=np.float64)
    for i, (a, b) in enumerate(zip(X.offsets[:-1], X.offsets[1:], strict=True)):
        steps = np.minimum(np.arange(length), b - a - 1)
        out[i] = X.values[a + steps].T
    return out


class OfCubes(ClassifierMixin, BaseEstimator):
    """A classifier of another package, given equal lengths."""

    def __init__(self, build: Callable[[int], Any], seed: int = 0) -> None:
        self.build = build
        self.seed = seed

    def fit(self, X: Ragged, y: np.ndarray) -> OfCubes:
        self.length_ = max(9, int(np.diff(X.offsets).max()))
        self.model_ = self.build(self.seed).fit(cube(X, self.length_), y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Ragged) -> np.ndarray:
        return self.model_.predict(cube(X, self.length_))


class NearestByDTW(ClassifierMixin, BaseEstimator):
    """1-NN with DTW, its window chosen by leaving one out of the training series.

    Distances are ours: others compute the same ones, more slowly. Where lengths differ, bands
    follow the diagonal of the rectangle; one through which no path leads is not a candidate, and
    new series that have none are compared without a band.
    """

    def fit(self, X: Ragged, y: np.ndarray) -> NearestByDTW:
        self.X_, self.y_, self.classes_ = X, y, np.unique(y)
        scores = []
        for window in windows_of(X):
            measure = sm.measures.DTW(window=window)
            try:
                distances = sm.cross(measure, X)
            except PairError:
                continue
            np.fill_diagonal(distances, np.inf)
            scores.append((np.mean(y[np.argmin(distances, axis=1)] == y), measure))
        self.measure_ = max(scores, key=lambda found: found[0])[1]
        return self

    def predict(self, X: Ragged) -> np.ndarray:
        try:
            distances = sm.cross(self.measure_, X, self.X_)
        except PairError:
            distances = sm.cross(sm.measures.DTW(), X, self.X_)
        return self.y_[np.argmin(distances, axis=1)]


def windows_of(X: Ragged) -> list[float | None]:
    """Widths of bands to choose from: steps, or shares where lengths differ."""
    lengths = np.diff(X.offsets)
    if lengths.min() == lengths.max():
        return [max(1, round(share * int(lengths[0]))) if share else 0 for share in WINDOWS]
    return [None if share == 1.0 else share for share in WINDOWS]


def minirocket(seed: int) -> Any:
    from aeon.classification.convolution_based import MiniRocketClassifier

    return MiniRocketClassifier(random_state=seed)


def rocket(seed: int) -> Any:
    from aeon.classification.convolution_based import RocketClassifier

    return RocketClassifier(random_state=seed)


def rdst(seed: int) -> Any:
    from aeon.classification.shapelet_based import RDSTClassifier

    return RDSTClassifier(random_state=seed)


def catch22(seed: int) -> Any:
    from aeon.classification.feature_based import Catch22Classifier

    forest = RandomForestClassifier(FOREST, random_state=seed)
    return Catch22Classifier(estimator=forest, random_state=seed)


PEERS: dict[str, Callable[[int], Any]] = {
    "MiniRocket": lambda seed: OfCubes(minirocket, seed),
    "ROCKET": lambda seed: OfCubes(rocket, seed),
    "RDST": lambda seed: OfCubes(rdst, seed),
    "catch22 + forest": lambda seed: OfCubes(catch22, seed),
    "1-NN DTW": lambda seed: NearestByDTW(),
}
