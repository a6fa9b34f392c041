"""Multiple kernel learning: an SVM on a weighted sum of kernels, the weights learned too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted

from .. import engine
from ..bounds import require_bounded
from ..estimating import (
    Numbers,
    ObjectEstimator,
    as_measures,
    generator,
    require_number,
    require_same_length,
)
from ..measures import Gaussian, Linear, Polynomial
from ..targets import class_targets
from .base import LARGEST, some_rows


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

    def __init__(
        self,
        measure: Any = None,
        *,
        weights: Literal["ratio", "joint"] = "ratio",
        C: float = 1.0,
        n_sample: int | None = None,
        tol: float = 0.01,
        max_iter: int = 200,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.measure = measure
        self.weights = weights
        self.C = C
        self.n_sample = n_sample
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

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
        if self.weights not in WEIGHTS:
            raise ValueError(f"weights must be one of {sorted(WEIGHTS)}, not {self.weights!r}.")
        if self.weights == "joint" and len(self.classes_) > 2:
            raise ValueError('weights="joint" is for two classes; take "ratio", or one-vs-rest.')
        require_bounded(type(self), vars(self))
        require_number("C", self.C, 0, LARGEST, "a positive number")
        measures = self._measures()
        objects = self._objects(X, measures[0], reset=True)
        require_same_length(objects, codes)
        rng = generator(self.random_state)
        rows = some_rows(len(codes), self.n_sample, rng, "n_sample")
        objects, codes = objects[rows], codes[rows]
        self.measures_ = [measure.fitted_to(objects, rng) for measure in measures]
        kernels = [self._cross(measure, objects, objects) for measure in self.measures_]
        self.scales_ = np.array([1.0 / (np.trace(K) / len(K) or 1.0) for K in kernels])
        kernels = [scale * K for scale, K in zip(self.scales_, kernels, strict=True)]
        self.n_iter_ = 1
        self.weights_, self.gap_ = WEIGHTS[self.weights](self, kernels, codes)
        self.svm_ = self._svm().fit(combined(self.weights_, kernels), codes)
        self.references_ = measures[0].domain.landmarks(objects, self.svm_.support_)
        return self

    def _measures(self) -> list[Any]:
        if self.measure is None:
            return [Linear(), Polynomial(degree=2), Gaussian()]
        return as_measures(self.measure)

    def __sklearn_tags__(self) -> Any:
        if self.measure is None:
            return type(self)(measure="linear").__sklearn_tags__()
        return super().__sklearn_tags__()

    def _svm(self) -> SVC:
        return SVC(C=self.C, kernel="precomputed")

    def _cross(self, measure: Any, X: Any, L: Any) -> Numbers:
        values = engine.run(measure.recipe(L), X, n_jobs=self.n_jobs)
        return np.asarray(values, dtype=np.float64)

    def _columns(self, X: Any) -> Numbers:
        """Values of the combined kernel; the SVM wants all columns of fit, and reads some."""
        check_is_fitted(self, "svm_")
        objects = self._objects(X, self.measures_[0], reset=False)
        columns = np.zeros((objects.shape[0], self.svm_.shape_fit_[0]))
        for weight, measure in zip(self.weights_ * self.scales_, self.measures_, strict=True):
            if weight > 0.0:
                K = self._cross(measure, objects, self.references_)
                columns[:, self.svm_.support_] += weight * K
        return columns

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


def ratio_weights(
    model: MultipleKernelSVM, kernels: list[Numbers], codes: NDArray[np.intp]
) -> tuple[Numbers, float]:
    """Return weights in proportion to the alignments of the kernels with the labels."""
    c = int(codes.max()) + 1
    ideal = np.where(codes[:, None] == codes, 1.0, -1.0 / (c - 1.0))
    size = np.linalg.norm(ideal)
    found = np.array([np.sum(K * ideal) / ((np.linalg.norm(K) or 1.0) * size) for K in kernels])
    found = np.maximum(found, 0.0)
    if not found.any():
        found = np.ones(len(kernels))
    return found / found.sum(), 0.0


def joint_weights(
    model: MultipleKernelSVM, kernels: list[Numbers], codes: NDArray[np.intp]
) -> tuple[Numbers, float]:
    """Return the weights of the simplex with the least dual optimum, and the relative gap.

    For an SVM's α the optimum falls fastest along the kernel with the largest αᵀYKₘYα; at the
    best weights all kernels in use share the largest. Each weight is multiplied by the root of
    its own over the weighted mean: ηₘ ∝ ‖wₘ‖, which SimpleMKL's optimum is a fixed point of.
    """
    weights = np.full(len(kernels), 1.0 / len(kernels))
    gap = np.inf
    for n_iter in range(1, model.max_iter + 1):
        svm = model._svm().fit(combined(weights, kernels), codes)
        some, signed = svm.support_, svm.dual_coef_[0]
        squares = np.array([signed @ K[np.ix_(some, some)] @ signed for K in kernels])
        squares = np.maximum(squares, 0.0)
        mean = float(weights @ squares)
        value = float(np.abs(signed).sum()) - 0.5 * mean
        model.n_iter_ = n_iter
        gap = 0.5 * (float(squares.max()) - mean) / max(abs(value), 1e-12)
        if gap <= model.tol or mean == 0.0:
            break
        weights = weights * np.sqrt(squares / mean)
        weights = weights / weights.sum()
    return weights, gap


Weigher = Callable[[MultipleKernelSVM, list[Numbers], NDArray[np.intp]], tuple[Numbers, float]]
WEIGHTS: dict[str, Weigher] = {"ratio": ratio_weights, "joint": joint_weights}
