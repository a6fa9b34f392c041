"""Rivals that evaluate all pairs of training objects: their parameters are searched on one matrix.

D2KE's paper searches by cross-validation; doing so on the objects themselves would evaluate the
measure again in every fold.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV, StratifiedKFold

import seamark as sm
from seamark.baselines import (
    NearestNeighboursClassifier,
    SubstitutionSVM,
    pseudo_euclidean_svm,
)
from seamark.measures import Precomputed

MATRIX = Precomputed(kind="distance")
COSTS = [1.0, 10.0, 100.0]


class Searched(ClassifierMixin, BaseEstimator):
    """A classifier on a matrix of distances, its parameters chosen by cross-validation.

    Distances are in units of their median, so that a grid means the same on all data.

    Parameters
    ----------
    measure : Measure
        A distance.
    classifier : estimator
        On precomputed distances.
    grid : dict of lists
        Its parameters to try.
    most_objects : int, optional
        Train on so many objects, drawn at random, if there are more.
    folds : int, default=5
    random_state : int, default=0
    """

    def __init__(
        self,
        measure: Any,
        classifier: Any,
        grid: dict[str, list[Any]],
        most_objects: int | None = None,
        folds: int = 5,
        random_state: int = 0,
    ) -> None:
        self.measure = measure
        self.classifier = classifier
        self.grid = grid
        self.most_objects = most_objects
        self.folds = folds
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        order = np.random.default_rng(self.random_state).permutation(len(y))
        rows = np.sort(order[: self.most_objects])
        self.objects_ = X[rows]
        D = sm.cross(self.measure, self.objects_)
        self.unit_ = float(np.median(D)) or 1.0
        folds = StratifiedKFold(self.folds, shuffle=True, random_state=self.random_state)
        self.search_ = GridSearchCV(self.classifier, self.grid, cv=folds)
        self.search_.fit(D / self.unit_, np.asarray(y)[rows])
        self.n_evaluations_ = D.size
        return self

    def predict(self, X: Any) -> np.ndarray:
        return self.search_.predict(sm.cross(self.measure, X, self.objects_) / self.unit_)


def knn(measure: Any, most_objects: int | None, random_state: int) -> Any:
    """K is searched unless there are too many objects; then it is 1, and they all are there."""
    if most_objects is not None:
        return NearestNeighboursClassifier(measure)
    grid = {"n_neighbors": [1, 3, 5, 9, 15]}
    return Searched(measure, NearestNeighboursClassifier(MATRIX), grid, random_state=random_state)


def dsk_rbf(measure: Any, most_objects: int | None, random_state: int) -> Any:
    grid = {"gamma": [0.05, 0.5, 5.0], "C": COSTS}
    svm = SubstitutionSVM(MATRIX, kernel="rbf")
    return Searched(measure, svm, grid, most_objects, random_state=random_state)


def dsk_nd(measure: Any, most_objects: int | None, random_state: int) -> Any:
    svm = SubstitutionSVM(MATRIX, kernel="negative")
    return Searched(measure, svm, {"C": [0.1, *COSTS]}, most_objects, random_state=random_state)


def gdk_led(measure: Any, most_objects: int | None, random_state: int) -> Any:
    """The paper embeds test objects too; here they are projected."""
    grid = {"pseudoeuclidean__n_components": [64, 512], "svc__C": [1.0, 100.0]}
    svm = pseudo_euclidean_svm(MATRIX)
    return Searched(measure, svm, grid, most_objects, random_state=random_state)
