"""Kernels learned with an SVM: weights of several kernels, or of random features."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted

from .. import engine
from ..feature_selection import alignment_weights
from ..maps import RandomFourier, unscaled
from ..measures import Gaussian, Linear, ObjectEstimator, Polynomial, as_measures
from ..targets import class_targets, decided
from ..validation import generator, require_bounded, require_number, require_same_length, seeded
from .base import LARGEST, Numbers, all_columns, some_rows


@dataclass(eq=False, repr=False)
class MultipleKernelSVM(ClassifierMixin, ObjectEstimator):
    """SVM on Σ ηₘKₘ, with weights of the kernels' alignments or learned together with the SVM.

    Sinha and Duchi compare with both: ABMKSVM(ratio) and MKSVM. Fit holds one n × n matrix for each
    kernel, hence `n_sample`.

    Parameters
    ----------
    measure : list of Measure or str, optional
        The kernels; default those of the paper: linear, quadratic and Gaussian. Each is divided by
        its mean diagonal over the training objects.
    weights : {"ratio", "joint"}, default="ratio"
        "ratio": ηₘ = A(Kₘ, S)/Σ A(Kₕ, S), A the alignment ⟨Kₘ, S⟩/‖Kₘ‖‖S‖ with S = yyᵀ; for c
        classes, Sᵢⱼ is 1 for equal ones and −1/(c − 1) for others; negative alignments count as 0.
        "joint": the η of the simplex that minimises the SVM's dual optimum; two classes.
    C : float, default=1.0
        Cost of errors.
    n_sample : int, optional
        Rows, drawn at random, to train on; default all.
    tol : float, default=0.01
        Of "joint": relative duality gap to stop at.
    max_iter : int, default=200
        Of "joint": SVMs to solve at most.
    random_state : int, RandomState or Generator, optional
        Of the rows.
    n_jobs : int, optional
        Threads or processes of the measures.

    Attributes
    ----------
    weights_ : ndarray
        η, which sum to 1.
    scales_ : ndarray
        1 over the mean diagonal of each kernel.
    svm_ : SVC
    references_ : objects
        The support vectors.
    classes_ : ndarray
    gap_ : float
        Relative duality gap reached, of "joint"; else 0.
    n_iter_ : int
        SVMs solved for the weights.

    References
    ----------
    Gönen and Alpaydın, "Multiple Kernel Learning Algorithms", 2011, problems (2) and (9).

    Examples
    --------
    >>> X = np.array([[-2.0], [-1.0], [-0.5], [0.5], [1.0], [2.0]])
    >>> model = MultipleKernelSVM().fit(X, X[:, 0] > 0)
    >>> model.predict([[-3.0], [3.0]]), len(model.weights_)
    (array([False,  True]), 3)
    """

    measure: Any = None
    _: KW_ONLY
    weights: Literal["ratio", "joint"] = "ratio"
    C: float = 1.0
    n_sample: int | None = None
    tol: float = 0.01
    max_iter: int = 200
    random_state: Any = None
    n_jobs: int | None = None

    def fit(self, X: Any, y: Any) -> Self:
        """Evaluate all pairs, find the weights, and train the SVM.

        Parameters
        ----------
        X : objects
        y : array-like of shape (n,)

        Returns
        -------
        self
        """
        self.classes_, codes = class_targets(y)
        if self.weights not in ("joint", "ratio"):
            raise ValueError(f"weights must be one of ['joint', 'ratio'], not {self.weights!r}.")
        if self.weights == "joint" and len(self.classes_) > 2:
            raise ValueError('weights="joint" is for two classes; take "ratio", or one-vs-rest.')
        require_bounded(type(self), vars(self))
        require_number("C", self.C, 0, LARGEST, "a positive number")
        measures = as_measures(
            [Linear(), Polynomial(degree=2), Gaussian()] if self.measure is None else self.measure
        )
        objects = self._objects(X, measures[0], reset=True)
        require_same_length(objects, codes)
        rng = generator(self.random_state)
        rows = some_rows(len(codes), self.n_sample, rng, "n_sample")
        objects, codes = objects[rows], codes[rows]
        self.measures_ = [measure.fitted_to(objects, rng) for measure in measures]
        kernels = [self._cross(measure, objects, objects) for measure in self.measures_]
        self.scales_ = np.array([1.0 / (np.trace(K) / len(K) or 1.0) for K in kernels])
        kernels = [scale * K for scale, K in zip(self.scales_, kernels, strict=True)]
        self.n_iter_, self.gap_ = 1, 0.0
        if self.weights == "ratio":
            c = int(codes.max()) + 1
            ideal = np.where(codes[:, None] == codes, 1.0, -1.0 / (c - 1.0))
            sizes = [(np.linalg.norm(K) or 1.0) * np.linalg.norm(ideal) for K in kernels]
            found = [np.sum(K * ideal) / size for K, size in zip(kernels, sizes, strict=True)]
            alignments = np.maximum(found, 0.0)
            alignments = alignments if alignments.any() else np.ones(len(kernels))
            self.weights_ = alignments / alignments.sum()
        else:
            self.weights_, self.gap_ = self._joint_weights(kernels, codes)
        self.svm_ = SVC(C=self.C, kernel="precomputed").fit(combined(self.weights_, kernels), codes)
        self.references_ = measures[0].domain.landmarks(objects, self.svm_.support_)
        return self

    def _joint_weights(
        self, kernels: list[Numbers], codes: NDArray[np.intp]
    ) -> tuple[Numbers, float]:
        """Return the weights of the simplex with the least dual optimum, and the relative gap.

        For an SVM's α the optimum falls fastest along the kernel with the largest αᵀYKₘYα; at the
        best weights all kernels in use share the largest. Each weight is multiplied by the root of
        its own over the weighted mean: ηₘ ∝ ‖wₘ‖, which SimpleMKL's optimum is a fixed point of.
        """
        weights = np.full(len(kernels), 1.0 / len(kernels))
        gap = np.inf
        for n_iter in range(1, self.max_iter + 1):
            svm = SVC(C=self.C, kernel="precomputed").fit(combined(weights, kernels), codes)
            some, signed = svm.support_, svm.dual_coef_[0]
            squares = np.array([signed @ K[np.ix_(some, some)] @ signed for K in kernels])
            squares = np.maximum(squares, 0.0)
            mean = float(weights @ squares)
            value = float(np.abs(signed).sum()) - 0.5 * mean
            self.n_iter_ = n_iter
            gap = 0.5 * (float(squares.max()) - mean) / max(abs(value), 1e-12)
            if gap <= self.tol or mean == 0.0:
                break
            weights = weights * np.sqrt(squares / mean)
            weights = weights / weights.sum()
        return weights, gap

    def __sklearn_tags__(self) -> Any:
        if self.measure is None:
            return type(self)(measure="linear").__sklearn_tags__()
        return super().__sklearn_tags__()

    def _cross(self, measure: Any, X: Any, L: Any) -> Numbers:
        values = engine.run(measure.recipe(L), X, n_jobs=self.n_jobs)
        return np.asarray(values, dtype=np.float64)

    def _columns(self, X: Any) -> Numbers:
        """Values of the combined kernel."""
        check_is_fitted(self, "svm_")
        objects = self._objects(X, self.measures_[0], reset=False)
        K = np.zeros((objects.shape[0], self.references_.shape[0]))
        for weight, measure in zip(self.weights_ * self.scales_, self.measures_, strict=True):
            if weight > 0.0:
                K += weight * self._cross(measure, objects, self.references_)
        return all_columns(self.svm_, K)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each object."""
        columns = self._columns(X)
        return np.asarray(self.classes_[self.svm_.predict(columns)])

    def decision_function(self, X: Any) -> Numbers:
        """Return what the SVM says: one column per class, or one number if there are two."""
        columns = self._columns(X)
        return np.asarray(self.svm_.decision_function(columns))


def combined(weights: Numbers, kernels: list[Numbers]) -> Numbers:
    """Return the weighted sum of kernel matrices."""
    total = np.zeros_like(kernels[0])
    for weight, K in zip(weights, kernels, strict=True):
        total += weight * K
    return total


# Kernel and SVM learned together over random features: problem (9) of Sinha and Duchi.


@dataclass(eq=False, repr=False)
class JointFeatureSVM(ClassifierMixin, BaseEstimator):
    """SVM on Σ qₘ φₘ(x) φₘ(x′), with the q near uniform that minimises the SVM's dual optimum.

    `Aligned` looks at labels once; this solves an SVM again and again, and is its costly rival.

    Parameters
    ----------
    map : Map, optional
        Where features come from; default `RandomFourier`.
    rho_per_feature : float, default=0.01
        How far q may be from uniform, see `seamark.feature_selection.alignment_weights`.
    power : float, default=2
        k of the divergence tᵏ − 1.
    C : float, default=1.0
        Cost of errors.
    n_sample : int, default=2000
        Rows, drawn at random, to train on; all if there are fewer. Fit holds n × n and n × N.
    tol : float, default=0.01
        Relative duality gap to stop at.
    max_iter : int, default=100
        SVMs to solve at most.
    random_state : int, RandomState or Generator, optional
        Of the rows, and of a map that has none of its own.

    Attributes
    ----------
    distribution_ : ndarray of shape (N,)
        q.
    support_ : ndarray of int
        Features with weight.
    map_ : Map
        Fitted; has these features alone.
    coef_, intercept_ : ndarray, float
        Of these features.
    gap_ : float
        Relative duality gap reached.
    n_iter_ : int
        SVMs solved.
    classes_ : ndarray

    Notes
    -----
    The optimum over α is convex in q, with gradient −½(Σ αᵢyᵢφₘ(xᵢ))², so that the best vertex of
    the ball of distributions is `alignment_weights` of (Φᵀ(α∘y))²: the conditional gradient method
    with steps 2/(t + 2), whose gap bounds the distance from the optimum. It starts where all α
    are 1, which is the solution of `Aligned`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 2))
    >>> y = np.linalg.norm(X, axis=1) > 1.2
    >>> fourier = RandomFourier(n_components=400)
    >>> model = JointFeatureSVM(fourier, rho_per_feature=0.1, random_state=0)
    >>> model.fit(X, y).score(X, y) > 0.9, len(model.support_) < 200
    (True, True)
    """

    map: Any = None
    _: KW_ONLY
    rho_per_feature: float = 0.01
    power: float = 2.0
    C: float = 1.0
    n_sample: int = 2000
    tol: float = 0.01
    max_iter: int = 100
    random_state: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        """Find q and the SVM together.

        Parameters
        ----------
        X : objects of the map
        y : array-like of shape (n,)
            Two classes.

        Returns
        -------
        self
        """
        self.classes_, codes = class_targets(y)
        if len(self.classes_) > 2:
            raise ValueError(
                f"y has {len(self.classes_)} classes; problem (9) is for two. Only binary "
                "classification is supported."
            )
        require_bounded(type(self), vars(self))
        require_number("C", self.C, 0, LARGEST, "a positive number")
        rng = generator(self.random_state)
        bearings = unscaled(RandomFourier() if self.map is None else self.map)
        bearings = seeded(bearings, rng).fit(X, y)
        objects = bearings.ingest(X)
        require_same_length(objects, codes)
        rows = some_rows(objects.shape[0], self.n_sample, rng, "n_sample")
        features = bearings.block(objects[rows])
        features = features.toarray() if sparse.issparse(features) else features
        # Features of a map are over √N; the paper's, of which q is a distribution, are not.
        phi = features.astype(np.float64) * np.sqrt(features.shape[1])
        svm, signed = self._solve(phi, codes[rows])
        self.support_ = np.flatnonzero(self.distribution_)
        self.map_ = bearings.subset(self.support_)
        if hasattr(bearings, "n_features_in_"):
            self.n_features_in_ = bearings.n_features_in_
        scale = np.sqrt(features.shape[1])
        self.coef_ = scale * (self.distribution_ * (phi.T @ signed))[self.support_]
        self.intercept_ = float(svm.intercept_[0])
        return self

    def _solve(self, phi: Numbers, codes: NDArray[np.intp]) -> tuple[SVC, Numbers]:
        """Set the distribution; return the SVM of it, and αᵢyᵢ of every row."""
        ball = {"rho_per_feature": self.rho_per_feature, "power": self.power}
        q = alignment_weights(np.square(phi.T @ np.where(codes == 1, 1.0, -1.0)), **ball)
        for n_iter in range(1, self.max_iter + 1):
            K = (phi * q) @ phi.T
            svm = SVC(C=self.C, kernel="precomputed").fit(K, codes)
            signed = np.zeros(len(codes))
            signed[svm.support_] = svm.dual_coef_[0]
            v = np.square(phi.T @ signed)
            vertex = alignment_weights(v, **ball)
            value = float(np.abs(signed).sum() - 0.5 * q @ v)
            self.gap_ = 0.5 * float((vertex - q) @ v) / max(abs(value), 1e-12)
            self.distribution_, self.n_iter_ = q, n_iter
            if self.gap_ <= self.tol:
                break
            q = q + 2.0 / (n_iter + 2.0) * (vertex - q)
        return svm, signed

    def decision_function(self, X: Any) -> Numbers:
        """Return the score of the second class."""
        check_is_fitted(self, "coef_")
        return np.asarray(self.map_.transform(X) @ self.coef_ + self.intercept_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each object."""
        return decided(self.decision_function(X), self.classes_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = self.map is None
        return tags
