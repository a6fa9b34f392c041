"""Nearest neighbours under any measure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from .. import engine
from ..estimating import Numbers, Rows, require_count, require_same_length
from ..targets import class_targets, number_targets
from .base import OverObjects, Values


class _Neighbours(OverObjects):
    """What both tasks share: keep everything, find the k nearest."""

    n_neighbors: int
    targets_: NDArray[Any]

    def __init__(
        self, measure: Any = "euclidean", *, n_neighbors: int = 1, n_jobs: int | None = None
    ) -> None:
        self.measure = measure
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs

    def _keep(self, X: Any, targets: NDArray[Any]) -> int:
        """Keep the objects; return the number of evaluations."""
        measure, objects = self._ingest(X)
        require_same_length(objects, targets)
        measure.distance_sign()
        require_count("n_neighbors", self.n_neighbors)
        if self.n_neighbors > len(targets):
            raise ValueError(
                f"n_neighbors={self.n_neighbors} asks for more objects than n_samples="
                f"{len(targets)}; lower it."
            )
        with engine.counting() as counter:
            self.measure_ = measure.fitted_to(objects, np.random.default_rng(0))
        self.references_ = measure.domain.landmarks(objects, np.arange(len(targets)))
        self.targets_ = targets
        return counter.evaluations

    def _neighbours(self, objects: Any) -> Iterator[tuple[slice, Rows]]:
        """Yield rows of objects and the numbers of their nearest, (rows, k), in rising order."""
        for rows, values in self._distance_blocks(objects):
            yield rows, nearest(values, self.n_neighbors)


class NearestNeighboursClassifier(ClassifierMixin, _Neighbours):
    """The class that most of the k nearest training objects have.

    Parameters
    ----------
    measure : Measure, str or callable, default="euclidean"
        A distance, or a similarity: then the most similar are the nearest.
    n_neighbors : int, default=1
        k. Of objects equally near, those first in the training data count.
    n_jobs : int, optional
        Threads or processes of the measure.

    Attributes
    ----------
    measure_ : Measure
    references_ : objects
        All training objects.
    targets_ : ndarray
        Their class numbers.
    classes_ : ndarray
    n_evaluations_ : int
        Measure evaluations of fit.

    Examples
    --------
    >>> model = NearestNeighboursClassifier("levenshtein").fit(["sea", "mark"], ["short", "long"])
    >>> model.predict(["see", "bark"])
    array(['short', 'long'], dtype='<U5')
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the objects and their classes.

        Parameters
        ----------
        X : objects
        y : array-like of shape (n,)

        Returns
        -------
        self
        """
        self.classes_, codes = class_targets(self, y)
        self.n_evaluations_ = self._keep(X, codes)
        return self

    def predict_proba(self, X: Any) -> Numbers:
        """Return the share of each class among the nearest.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of shape (n, classes)
        """
        objects = self._ingest_new(X)
        shares = np.zeros((objects.shape[0], len(self.classes_)))
        for rows, near in self._neighbours(objects):
            votes = self.targets_[near][:, :, None] == np.arange(len(self.classes_))
            shares[rows] = votes.mean(axis=1)
        return shares

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most frequent class; of equally frequent ones the first in `classes_`.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of shape (n,)
        """
        codes = self.predict_proba(X).argmax(axis=1)
        predicted: NDArray[Any] = self.classes_[codes]
        return predicted


class NearestNeighboursRegressor(RegressorMixin, _Neighbours):
    """The mean target of the k nearest training objects.

    Parameters
    ----------
    measure : Measure, str or callable, default="euclidean"
        A distance, or a similarity: then the most similar are the nearest.
    n_neighbors : int, default=1
        k. Of objects equally near, those first in the training data count.
    n_jobs : int, optional
        Threads or processes of the measure.

    Attributes
    ----------
    measure_ : Measure
    references_ : objects
        All training objects.
    targets_ : ndarray
    n_evaluations_ : int
        Measure evaluations of fit.

    Examples
    --------
    >>> model = NearestNeighboursRegressor("levenshtein", n_neighbors=2)
    >>> model.fit(["sea", "see", "mark"], [1.0, 2.0, 9.0]).predict(["seas"])
    array([1.5])
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the objects and their targets.

        Parameters
        ----------
        X : objects
        y : array-like of shape (n,)

        Returns
        -------
        self
        """
        self.n_evaluations_ = self._keep(X, number_targets(self, y))
        return self

    def predict(self, X: Any) -> Numbers:
        """Return the means of the nearest objects' targets.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of shape (n,)
        """
        objects = self._ingest_new(X)
        predicted = np.empty(objects.shape[0])
        for rows, near in self._neighbours(objects):
            predicted[rows] = self.targets_[near].mean(axis=1)
        return predicted


def nearest(distances: Values, k: int) -> Rows:
    """Column numbers of the k smallest of each row, in rising order; ties go to the first columns.

    Examples
    --------
    >>> nearest(np.array([[2.0, 1.0, 2.0, 2.0]], dtype=np.float32), 2)
    array([[0, 1]])
    """
    if k == 1:
        first: Rows = distances.argmin(axis=1, keepdims=True)
        return first
    last = np.partition(distances, k - 1, axis=1)[:, k - 1 : k]
    nearer, tied = distances < last, distances == last
    room = k - nearer.sum(axis=1, keepdims=True)
    chosen = nearer | (tied & (tied.cumsum(axis=1) <= room))
    columns: Rows = np.nonzero(chosen)[1].reshape(-1, k)
    return columns
