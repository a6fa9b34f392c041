"""`LinearSVM`: the squared hinge by Newton's method, for few columns and many classes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from ..engine import blas_for, warn_user
from .descent import row_space
from .per_class import OneVsRest
from .squared_hinge import minimise


class LinearSVM(OneVsRest):
    """Linear SVM with squared hinge, one class against the rest.

    Minimises ½‖w‖² + C Σ max(0, 1 − y(w·x + b))²; the intercept is free. scikit-learn's
    `LinearSVC(dual=False)` does the same by conjugate gradients. Dense features by the hundred are
    solved faster by Newton's own steps, on growing samples of the rows (`squared_hinge`).

    Parameters
    ----------
    C : float, default=1.0
        Cost of errors.
    tol : float, default=1e-4
        Gain that a last step may promise, as a share of the objective.
    max_iter : int, default=50
        Most steps for a class, on all rows.

    Attributes
    ----------
    classes_ : ndarray
    coef_ : ndarray of shape (1 or n_classes, n_features)
    intercept_ : ndarray of shape (1 or n_classes,)
    n_iter_ : int
        Most steps that a class took, on all rows.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> head = LinearSVM(C=100.0).fit(X, ["sea", "sea", "land", "land"])
    >>> head.predict([[0.5], [2.5]])
    array(['sea', 'land'], dtype='<U4')
    """

    def __init__(self, C: float = 1.0, *, tol: float = 1e-4, max_iter: int = 50) -> None:
        self.C = C
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to a matrix and labels."""
        if not 0 < self.C < np.inf:
            raise ValueError(f"C={self.C!r} must be a positive number.")
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        check_classification_targets(y)
        labels = self._labels(y)
        costs = self.C * _check_sample_weight(sample_weight, X, dtype=np.float64)
        signs = np.where(y[:, None] == labels, 1.0, -1.0)
        with blas_for(X.shape[1]):
            A, axes = row_space(X)
            weights, self.n_iter_ = minimise(A, signs, costs, self.tol, self.max_iter)
        w, self.intercept_ = weights[:, :-1], weights[:, -1]
        self.coef_ = w if axes is None else w @ axes.T
        if self.n_iter_ == self.max_iter:
            warn_user(
                f"LinearSVM took all {self.max_iter} steps; raise max_iter, or lower C.",
                ConvergenceWarning,
            )
        return self
