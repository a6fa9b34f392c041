"""Nearest neighbours under any measure."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ..measures import matrix_inside
from ..search import nearest
from ..targets import class_targets, number_targets
from ..validation import require_bounded, require_count
from .base import Numbers, OverObjects, Rows, Values


@dataclass(eq=False, repr=False)
class _Neighbours(OverObjects):
    """What both tasks share: keep everything, find the k nearest."""

    measure: Any = "euclidean"
    _: KW_ONLY
    n_neighbors: int = 1
    n_jobs: int | None = None

    def _keep(self, X: Any, targets: NDArray[Any]) -> None:
        """Keep the objects and their targets."""
        require_bounded(type(self), vars(self))
        measure, objects = self._ingest(X, targets)
        measure.distance_sign()
        require_count("n_neighbors", self.n_neighbors)
        if self.n_neighbors > len(targets):
            raise ValueError(
                f"n_neighbors={self.n_neighbors} asks for more objects than n_samples="
                f"{len(targets)}; lower it."
            )
        self.measure_ = measure.fitted_to(objects, np.random.default_rng(0))
        self.references_ = measure.domain.landmarks(objects, np.arange(len(targets)))
        self.targets_ = targets

    def _nearest(self, X: Any, k: int) -> tuple[Values, Rows]:
        """Return values and numbers of the k nearest, the nearest first."""
        own = np.arange(len(self.targets_)) if X is None else None
        objects = self._ingest_new(self.references_ if X is None else X)
        return nearest(self.measure_, objects, self.references_, k, own=own, n_jobs=self.n_jobs)

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """Find the nearest training objects, as scikit-learn's neighbours do.

        Parameters
        ----------
        X : objects, optional
            Default: the training objects, each without itself.
        n_neighbors : int, optional
            How many; default: the parameter.
        return_distance : bool, default=True

        Returns
        -------
        values : ndarray of shape (n, n_neighbors)
            Distances, rising; or similarities, falling. Left out if not `return_distance`.
        indices : ndarray of shape (n, n_neighbors)
            Numbers of training objects.
        """
        check_is_fitted(self, "references_")
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        require_count("n_neighbors", k)
        own = X is None
        if k > len(self.targets_) - own:
            raise ValueError(
                f"n_neighbors={k} asks for more than the {len(self.targets_) - own} training "
                "objects there are to find; lower it."
            )
        if own and matrix_inside(self.measure_) is not None:
            raise ValueError("a precomputed matrix is not kept; give its rows as X.")
        values, rows = self._nearest(X, k)
        return (values, rows) if return_distance else rows


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

    def _fit(self, X: Any, y: Any) -> None:
        self.classes_, codes = class_targets(y)
        self._keep(X, codes)

    def predict_proba(self, X: Any) -> Numbers:
        """Return the share of each class among the nearest.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of shape (n, classes)
        """
        _, rows = self._nearest(X, self.n_neighbors)
        near = self.targets_[rows]
        shares = [(near == code).mean(axis=1) for code in range(len(self.classes_))]
        return np.stack(shares, axis=1)

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
        return np.asarray(self.classes_[codes])


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

    def _fit(self, X: Any, y: Any) -> None:
        self._keep(X, number_targets(self, y))

    def predict(self, X: Any) -> Numbers:
        """Return the means of the nearest objects' targets.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of shape (n,)
        """
        _, rows = self._nearest(X, self.n_neighbors)
        return np.asarray(self.targets_[rows].mean(axis=1))
