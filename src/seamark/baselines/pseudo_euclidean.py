"""Pseudo-Euclidean embedding: coordinates whose signed squared distances are the given ones."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import SVC

from .. import engine
from ..estimating import Numbers, generator, require_count, require_number
from .base import some_rows
from .distances import OverDistances, require_distance


class PseudoEuclidean(ClassNamePrefixFeaturesOutMixin, TransformerMixin, OverDistances):
    """Embed objects by the eigenvectors of −½JD²J with the largest |λ| (GDK_LED).

    D2KE is compared with it. Coordinates are eigenvectors scaled by √|λ|; `signature_` tells how
    many stand for positive and for negative eigenvalues, negative ones for what no Euclidean space
    can hold. New objects are projected; a training object's projection is its embedding.

    Parameters
    ----------
    measure : Measure, str or callable, default="euclidean"
        A distance. Of an asymmetric one the mean of both directions is taken.
    n_components : int, optional
        Coordinates to keep; fewer if the distances have fewer. Default: all.
    n_landmarks : int, optional
        Embed so many objects, drawn uniformly, and project the others: n·m evaluations in place of
        n². Default: all.
    tolerance : float, default=1e-5
        Eigenvalues below this share of the largest |λ| are float32 rounding, and cut.
    random_state : int, Generator or None
        Draws the landmarks.
    n_jobs : int, optional
        Threads or processes of the measure.

    Attributes
    ----------
    measure_ : Measure
    references_ : objects
        The embedded objects.
    eigenvalues_ : ndarray of shape (n_components,)
        With their signs, the largest |λ| first.
    signature_ : tuple of int
        How many are positive, and how many negative.
    both_ways_ : bool
        Whether the distance was found asymmetric.
    n_evaluations_ : int
        Measure evaluations of fit.

    Examples
    --------
    >>> model = PseudoEuclidean().fit([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
    >>> model.signature_, model.transform([[0.0, 0.0], [1.5, 2.0]]).round(3).tolist()
    ((1, 0), [[5.0], [2.5]])
    """

    def __init__(
        self,
        measure: Any = "euclidean",
        *,
        n_components: int | None = None,
        n_landmarks: int | None = None,
        tolerance: float = 1e-5,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.measure = measure
        self.n_components = n_components
        self.n_landmarks = n_landmarks
        self.tolerance = tolerance
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Embed the landmarks.

        Parameters
        ----------
        X : objects
        y : ignored

        Returns
        -------
        self
        """
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Numbers:
        """Embed the landmarks, and project the rest; no pair is evaluated twice.

        Parameters
        ----------
        X : objects
        y : ignored

        Returns
        -------
        ndarray of shape (n, n_components)
        """
        D, objects = self._fit(X)
        return self._project(D) if len(D) == objects.shape[0] else self.transform(X)

    def _fit(self, X: Any) -> tuple[Numbers, Any]:
        """Fit, and return the landmarks' distances and the objects."""
        measure, objects = self._ingest(X)
        require_distance(measure)
        if self.n_components is not None:
            require_count("n_components", self.n_components)
        require_number("tolerance", self.tolerance, 0, 1, "a positive number up to 1")
        rng = generator(self.random_state)
        rows = some_rows(objects.shape[0], self.n_landmarks, rng, "n_landmarks")
        with engine.counting() as counter:
            self.measure_ = measure.fitted_to(objects, rng)
            D, self.both_ways_ = self._among(self.measure_, objects, rows)
        self.n_evaluations_ = counter.evaluations
        self.references_ = measure.domain.landmarks(objects, rows)
        self.column_means_ = (D**2).mean(axis=0)
        self.eigenvalues_, vectors = self._spectrum(D)
        self.projection_ = vectors * np.sign(self.eigenvalues_) / np.sqrt(np.abs(self.eigenvalues_))
        self.signature_ = int((self.eigenvalues_ > 0).sum()), int((self.eigenvalues_ < 0).sum())
        self._n_features_out = len(self.eigenvalues_)
        return D, objects

    def _spectrum(self, D: Numbers) -> tuple[Numbers, Numbers]:
        """Return the eigenvalues to keep, and their vectors in columns."""
        values, vectors = np.linalg.eigh(self._centred(D))
        order = np.argsort(-np.abs(values), kind="stable")
        values, vectors = values[order], vectors[:, order]
        kept = np.abs(values) > self.tolerance * np.abs(values[0])
        kept[self.n_components or len(kept) :] = False
        if not kept.any():
            raise ValueError(
                f"the {len(D)} landmarks (n_samples={len(D)}) are all at distance 0 of each other, "
                "and span no space; give objects that differ."
            )
        values, vectors = values[kept], vectors[:, kept]
        # An eigenvector's sign is arbitrary: make its largest entry positive.
        largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(len(values))]
        return values, vectors * np.sign(largest)

    def _centred(self, D: Numbers) -> Numbers:
        """Return −½D², less the means over the landmarks, rows and columns."""
        squares = D**2
        own = squares.mean(axis=1, keepdims=True)
        return np.asarray(-0.5 * (squares - own - self.column_means_ + self.column_means_.mean()))

    def _project(self, D: Numbers) -> Numbers:
        return np.asarray(self._centred(D) @ self.projection_)

    def transform(self, X: Any) -> Numbers:
        """Project objects into the space of the landmarks.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of shape (n, n_components)
        """
        objects = self._ingest_new(X)
        return self._stacked(objects, lambda _, values: self._project(values.astype(np.float64)))


def pseudo_euclidean_svm(measure: Any = "euclidean", *, C: float = 1.0, **options: Any) -> Pipeline:
    """Return GDK_LED as D2KE's tables use it: the embedding, then a linear SVM.

    Parameters
    ----------
    measure : Measure, str or callable
        A distance.
    C : float, default=1.0
        Cost of errors.
    **options
        Further parameters of `PseudoEuclidean`.

    Returns
    -------
    Pipeline

    Examples
    --------
    >>> model = pseudo_euclidean_svm("levenshtein", n_components=2)
    >>> model.fit(["sea", "tea", "mark", "bark"], [0, 0, 1, 1]).predict(["pea", "lark"])
    array([0, 1])
    """
    return make_pipeline(PseudoEuclidean(measure, **options), SVC(kernel="linear", C=C))
