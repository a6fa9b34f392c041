"""Squared distances in an SVM: pseudo-Euclidean coordinates, and distances put into a kernel."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import SVC

from .. import engine
from ..measures import Measure, matrix_inside
from ..targets import class_targets
from ..validation import generator, require_count, require_number
from .base import LARGEST, Numbers, OverObjects, Rows, Values, all_columns, some_rows

ROUNDING = 1e-5  # relative; float32 values of d(x, y) and d(y, x) differ by less


class OverDistances(OverObjects):
    """An estimator that needs symmetric distances d ≥ 0.

    Of an asymmetric distance the mean of both directions is taken, at fit and at predict; `fit`
    finds out and sets `both_ways_`.
    """

    both_ways_: bool

    def _among(self, measure: Measure, X: Any, rows: Rows) -> tuple[Numbers, bool]:
        """Return symmetric distances among some rows of X, and whether it took both ways."""
        L = measure.domain.landmarks(X, rows)
        matrix = matrix_inside(measure)
        if matrix is None:
            symmetric = measure.symmetric is True
            values = engine.cross(measure.compile, L, symmetric=symmetric, n_jobs=self.n_jobs)
        else:
            values = engine.run(measure.recipe(L), X[rows], n_jobs=self.n_jobs)
        if values.min() < 0:
            i, j = np.unravel_index(int(values.argmin()), values.shape)
            raise ValueError(
                f"{measure!r} gives objects {i} and {j} the negative distance {values[i, j]:g}, "
                "which has no meaning once squared; give a distance that is never negative."
            )
        both_ways = not np.allclose(
            values, values.T, rtol=ROUNDING, atol=ROUNDING * float(values.max())
        )
        if both_ways and matrix is not None:
            raise ValueError(
                "the precomputed distances are asymmetric, and rows of new objects hold one "
                "direction only; give (D + D.T) / 2, and do the same when predicting."
            )
        D = values.astype(np.float64)
        return (D + D.T) / 2, both_ways

    def _values(self, recipe: engine.Recipe, objects: Any) -> Values:
        values = super()._values(recipe, objects)
        if not self.both_ways_:
            return values
        back = super()._values(self.measure_.recipe(objects), self.references_)
        return np.float32(0.5) * (values + back.T)


def require_distance(measure: Measure) -> None:
    """Stop unless small values mean alike: a similarity's negative cannot be squared."""
    if measure.distance_sign() < 0:
        raise ValueError(
            f"a distance is needed, as it is squared, and {measure!r} is a similarity; give a "
            "distance, such as 'euclidean' for vectors or 'levenshtein' for strings."
        )


# Pseudo-Euclidean embedding: coordinates whose signed squared distances are the given ones.


@dataclass(eq=False, repr=False)
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

    measure: Any = "euclidean"
    _: KW_ONLY
    n_components: int | None = None
    n_landmarks: int | None = None
    tolerance: float = 1e-5
    random_state: Any = None
    n_jobs: int | None = None

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
        return super().fit(X, y)

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
        D, objects = self._counted(X, y)
        every = len(D) == objects.shape[0]
        return self._centred(D) @ self.projection_ if every else self.transform(X)

    def _fit(self, X: Any, y: Any) -> tuple[Numbers, Any]:
        """Fit, and return the landmarks' distances and the objects."""
        measure, objects = self._ingest(X)
        require_distance(measure)
        if self.n_components is not None:
            require_count("n_components", self.n_components)
        require_number("tolerance", self.tolerance, 0, 1, "a positive number up to 1")
        rng = generator(self.random_state)
        rows = some_rows(objects.shape[0], self.n_landmarks, rng, "n_landmarks")
        self.measure_ = measure.fitted_to(objects, rng)
        D, self.both_ways_ = self._among(self.measure_, objects, rows)
        self.references_ = measure.domain.landmarks(objects, rows)
        self.column_means_ = (D**2).mean(axis=0)
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
        self.eigenvalues_, vectors = values[kept], vectors[:, kept]
        # An eigenvector's sign is arbitrary: make its largest entry positive.
        largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(len(self.eigenvalues_))]
        vectors = vectors * np.sign(largest)
        self.projection_ = vectors * np.sign(self.eigenvalues_) / np.sqrt(np.abs(self.eigenvalues_))
        self.signature_ = int((self.eigenvalues_ > 0).sum()), int((self.eigenvalues_ < 0).sum())
        self._n_features_out = len(self.eigenvalues_)
        return D, objects

    def _centred(self, D: Numbers) -> Numbers:
        """Return −½D², less the means over the landmarks, rows and columns."""
        squares = D**2
        own = squares.mean(axis=1, keepdims=True)
        return np.asarray(-0.5 * (squares - own - self.column_means_ + self.column_means_.mean()))

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
        projection = self.projection_
        return self._stacked(
            objects, lambda _, values: self._centred(values.astype(np.float64)) @ projection
        )


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


# Distance substitution kernels: a distance put into the place of ‖x − y‖ in an SVM's kernel.


@dataclass(eq=False, repr=False)
class SubstitutionSVM(ClassifierMixin, OverDistances):
    """SVM on exp(−γd²) (DSK_RBF) or −d² (DSK_ND).

    D2KE is compared with it. The kernel need not be positive semidefinite: the SVM then stops at a
    stationary point. Fit evaluates all pairs; predict the support vectors only.

    Parameters
    ----------
    measure : Measure, str or callable, default="euclidean"
        A distance. Of an asymmetric one the mean of both directions is taken.
    kernel : {"rbf", "negative"}, default="rbf"
        exp(−γd²), or −d².
    gamma : float or "median", default="median"
        γ; "median" is 1/2σ², σ the median distance between training objects.
    C : float, default=1.0
        Cost of errors.
    class_weight : dict or "balanced", optional
        Factors of the cost of errors by class; "balanced" gives all classes the same weight,
        and classes that a dict lacks keep 1.
    n_jobs : int, optional
        Threads or processes of the measure.

    Attributes
    ----------
    measure_ : Measure
    references_ : objects
        The support vectors.
    gamma_ : float
    svm_ : SVC
    classes_ : ndarray
    both_ways_ : bool
        Whether the distance was found asymmetric.
    n_evaluations_ : int
        Measure evaluations of fit.

    Examples
    --------
    >>> X = ["sea", "tea", "pea", "mark", "bark", "lark"]
    >>> model = SubstitutionSVM("levenshtein").fit(X, ["ea", "ea", "ea", "ark", "ark", "ark"])
    >>> model.predict(["flea", "park"])
    array(['ea', 'ark'], dtype='<U3')
    """

    measure: Any = "euclidean"
    _: KW_ONLY
    kernel: Literal["rbf", "negative"] = "rbf"
    gamma: float | Literal["median"] = "median"
    C: float = 1.0
    class_weight: Any = None
    n_jobs: int | None = None

    def _fit(self, X: Any, y: Any) -> None:
        self.classes_, codes = class_targets(y)
        measure, objects = self._ingest(X, codes)
        require_distance(measure)
        if self.kernel not in ("negative", "rbf"):
            raise ValueError(f"kernel must be one of ['negative', 'rbf'], not {self.kernel!r}.")
        require_number("C", self.C, 0, LARGEST, "a positive number")
        if self.gamma != "median":
            require_number("gamma", self.gamma, 0, LARGEST, 'a positive number or "median"')
        self.measure_ = measure.fitted_to(objects, np.random.default_rng(0))
        D, self.both_ways_ = self._among(self.measure_, objects, np.arange(len(codes)))
        if isinstance(self.gamma, str):  # without a scale, where most objects are alike, 1/2
            sigma = float(np.median(D[np.tril_indices(len(D), -1)]))
            self.gamma_ = 0.5 / (sigma or 1.0) ** 2
        else:
            self.gamma_ = float(self.gamma)
        class_weight = self.class_weight
        if isinstance(class_weight, dict):  # by class number, which the SVM is trained on
            class_weight = {
                i: class_weight.get(c, 1.0) for i, c in enumerate(self.classes_.tolist())
            }
        svm = SVC(C=self.C, kernel="precomputed", class_weight=class_weight)
        self.svm_ = svm.fit(self._kernel(D), codes)
        self.references_ = measure.domain.landmarks(objects, self.svm_.support_)

    def _kernel(self, D: Numbers) -> Numbers:
        return np.asarray(np.exp(-self.gamma_ * D**2) if self.kernel == "rbf" else -(D**2))

    def _by_svm(self, X: Any, method: str) -> NDArray[Any]:
        """Apply a method of the SVM."""
        objects, answer = self._ingest_new(X), getattr(self.svm_, method)

        def answered(_: slice, values: Values) -> NDArray[Any]:
            columns = all_columns(self.svm_, self._kernel(values.astype(np.float64)))
            return np.asarray(answer(columns))

        return self._stacked(objects, answered, 8 * self.svm_.shape_fit_[0])

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each object.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of shape (n,)
        """
        codes = self._by_svm(X, "predict")
        return np.asarray(self.classes_[codes])

    def decision_function(self, X: Any) -> Numbers:
        """Return what the SVM says: one column per class, or one number if there are two.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of shape (n,) or (n, classes)
        """
        return self._by_svm(X, "decision_function")
