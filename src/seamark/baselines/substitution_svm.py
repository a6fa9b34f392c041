"""Distance substitution kernels: a distance put into the place of ‖x − y‖ in an SVM's kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.svm import SVC

from .. import engine
from ..estimating import Numbers, require_number
from ..targets import class_targets
from .base import LARGEST
from .distances import OverDistances, require_distance

KERNELS: dict[str, Callable[[Numbers, float], Numbers]] = {
    "rbf": lambda squares, gamma: np.exp(-gamma * squares),
    "negative": lambda squares, gamma: -squares,
}


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

    def __init__(
        self,
        measure: Any = "euclidean",
        *,
        kernel: Literal["rbf", "negative"] = "rbf",
        gamma: float | Literal["median"] = "median",
        C: float = 1.0,
        class_weight: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.measure = measure
        self.kernel = kernel
        self.gamma = gamma
        self.C = C
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Evaluate all pairs and train the SVM.

        Parameters
        ----------
        X : objects
        y : array-like of shape (n,)

        Returns
        -------
        self
        """
        self.classes_, codes = class_targets(y)
        measure, objects = self._ingest(X, codes)
        require_distance(measure)
        self._check_parameters()
        with engine.counting() as counter:
            self.measure_ = measure.fitted_to(objects, np.random.default_rng(0))
            every = np.arange(len(codes))
            D, self.both_ways_ = self._among(self.measure_, objects, every)
        self.n_evaluations_ = counter.evaluations
        self.gamma_ = _median_gamma(D) if isinstance(self.gamma, str) else float(self.gamma)
        svm = SVC(C=self.C, kernel="precomputed", class_weight=self._class_weight())
        self.svm_ = svm.fit(self._kernel(D), codes)
        self.references_ = measure.domain.landmarks(objects, self.svm_.support_)
        return self

    def _check_parameters(self) -> None:
        if self.kernel not in KERNELS:
            raise ValueError(f"kernel must be one of {sorted(KERNELS)}, not {self.kernel!r}.")
        require_number("C", self.C, 0, LARGEST, "a positive number")
        if self.gamma != "median":
            require_number("gamma", self.gamma, 0, LARGEST, 'a positive number or "median"')

    def _class_weight(self) -> Any:
        """Return weights by class number, which is what the SVM is trained on."""
        if not isinstance(self.class_weight, dict):
            return self.class_weight
        return {i: self.class_weight.get(c, 1.0) for i, c in enumerate(self.classes_.tolist())}

    def _kernel(self, D: Numbers) -> Numbers:
        return KERNELS[self.kernel](D**2, self.gamma_)

    def _by_svm(self, X: Any, method: str) -> NDArray[Any]:
        """Apply a method of the SVM; it wants all columns of fit, and reads the support's."""
        objects = self._ingest_new(X)
        answer, width = getattr(self.svm_, method), self.svm_.shape_fit_[0]

        def answered(_: slice, values: NDArray[np.float32]) -> NDArray[Any]:
            answers = []
            for rows in engine.row_chunks(len(values), 8 * width):  # wider than the values are
                columns = np.zeros((rows.stop - rows.start, width))
                columns[:, self.svm_.support_] = self._kernel(values[rows].astype(np.float64))
                answers.append(answer(columns))
            return np.concatenate(answers)

        return self._stacked(objects, answered)

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


def _median_gamma(D: Numbers) -> float:
    """Return 1/2σ², σ the median distance; 1/2 if most objects are alike and there is no scale."""
    sigma = float(np.median(D[np.tril_indices(len(D), -1)]))
    return 0.5 / (sigma or 1.0) ** 2
