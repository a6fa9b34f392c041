"""`LinearSVM`: the squared hinge by Newton's method, for few columns and many classes."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from ..engine import blas_for
from .per_class import OneVsRest

Floats = NDArray[np.float64]
FREE = 1e-8  # penalty of the intercept: next to nothing, but enough to keep Newton's matrix regular


class LinearSVM(OneVsRest):
    """Linear SVM with squared hinge, one class against the rest.

    Minimises ½‖w‖² + C Σ max(0, 1 − y(w·x + b))². scikit-learn's `LinearSVC(dual=False)` does the
    same by conjugate gradients; on a few hundred dense columns Newton's own steps, each a product
    of the rows within the margin, are three to five times quicker. The intercept is free.

    Parameters
    ----------
    C : float, default=1.0
        Cost of errors.
    tol : float, default=1e-4
        Gain that a last step may promise, as a share of the objective.
    max_iter : int, default=50
        Most steps for a class.

    Attributes
    ----------
    classes_ : ndarray
    coef_ : ndarray of shape (1 or n_classes, n_features)
    intercept_ : ndarray of shape (1 or n_classes,)
    n_iter_ : int
        Most steps that a class took.

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
        A = np.column_stack([X, np.ones(len(X), dtype=X.dtype)])
        signs = [np.where(y == label, 1.0, -1.0) for label in labels]
        with blas_for(A.shape[1]):
            starts = _least_squares(A, np.column_stack(signs), costs)
            found = [
                _newton(A, sign, costs, start, self.tol, self.max_iter)
                for sign, start in zip(signs, starts.T, strict=True)
            ]
        weights = np.stack([theta for theta, _ in found])
        self.coef_, self.intercept_ = weights[:, :-1], weights[:, -1]
        self.n_iter_ = max(steps for _, steps in found)
        if self.n_iter_ == self.max_iter:
            warnings.warn(
                f"LinearSVM took all {self.max_iter} steps; raise max_iter, or lower C.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self


def _penalties(n_columns: int) -> Floats:
    return np.append(np.ones(n_columns - 1), FREE)


def _least_squares(A: NDArray[Any], signs: Floats, costs: Floats) -> Floats:
    """Solve for all classes as if every row were within the margin: Newton's step from 0."""
    weighted = (A * (2 * costs)[:, None]).astype(A.dtype)
    return _solve(A.T @ weighted, np.asarray(weighted.T @ signs, dtype=np.float64))


def _solve(hessian: NDArray[Any], right: Floats) -> Floats:
    """Solve for a step; damping beyond the rounding of products moves no minimum."""
    H = hessian.astype(np.float64)
    damping = max(1e-10, 30.0 * float(np.finfo(hessian.dtype).eps)) * H.diagonal().max()
    H.flat[:: len(H) + 1] += _penalties(len(H)) + damping
    while True:
        try:
            return np.asarray(cho_solve(cho_factor(H, check_finite=False), right))
        except LinAlgError:
            damping *= 10
            H.flat[:: len(H) + 1] += damping


def _newton(
    A: NDArray[Any], sign: Floats, costs: Floats, theta: Floats, tol: float, max_iter: int
) -> tuple[Floats, int]:
    """Minimise from a start, and count the steps; only rows within the margin bend the loss."""
    penalties = _penalties(A.shape[1])

    def objective(theta: Floats) -> tuple[float, Floats]:
        slack = np.maximum(1.0 - sign * (A @ theta), 0.0)
        return float(costs @ slack**2 + 0.5 * penalties @ theta**2), slack

    value, slack = objective(theta)
    for step_number in range(1, max_iter + 1):
        inside = np.flatnonzero(slack)
        rows, pull = A[inside], 2 * (costs * sign * slack)[inside]
        gradient = penalties * theta - rows.T @ pull
        root = np.sqrt(2 * costs[inside]).astype(A.dtype)[:, None]
        step = _solve((rows * root).T @ (rows * root), gradient)
        gain, size = float(gradient @ step), 1.0
        lower = objective(theta - step)
        while lower[0] > value - 1e-4 * size * gain and size > 1e-6:
            size /= 2
            lower = objective(theta - size * step)
        if lower[0] >= value:  # rounding hides any further gain
            return theta, step_number
        theta = theta - size * step
        if gain <= tol * value:
            return theta, step_number
        value, slack = lower
    return theta, max_iter
