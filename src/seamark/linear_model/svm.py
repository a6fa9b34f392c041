"""`LinearSVM`: the squared hinge by Newton's method, for few columns and many classes."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from ..bounds import require_bounded
from ..engine import blas_for, warn_user
from ..targets import checked_weights, require_targets, signs
from .per_class import OneVsRest
from .squared_hinge import SquaredHinges


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
        X, hinges, weights = self._hinges(X, y, sample_weight)
        with blas_for(X.shape[1]):
            return self._solved(hinges, weights)

    def fit_each(
        self, grid: Sequence[dict[str, Any]], X: Any, y: Any, sample_weight: Any = None
    ) -> list[Self]:
        """Fit for several parameters, each from the solution before.

        Parameters
        ----------
        grid : sequence of dict
            Parameters; neighbours should be near each other.
        X : array-like or CSR matrix of shape (n, R)
            Features.
        y : array-like of shape (n,)
            The class of each row.
        sample_weight : array-like of shape (n,), optional
            How much each row counts; default: all alike.

        Returns
        -------
        list of LinearSVM
            One for each, which say the same as if they had been fitted alone.

        Examples
        --------
        >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
        >>> heads = LinearSVM().fit_each([{"C": 0.1}, {"C": 10.0}], X, [0, 0, 1, 1])
        >>> [head.coef_.round(2).tolist() for head in heads]
        [[[0.4]], [[1.82]]]
        """
        X, hinges, weights = self._hinges(X, y, sample_weight)
        heads, known = [], set(self._get_param_names())  # which takes as long as a small fit
        with blas_for(X.shape[1]):
            for parameters in grid:
                head = copy(self)
                if known.issuperset(parameters):
                    for name, value in parameters.items():
                        setattr(head, name, value)
                else:
                    head.set_params(**parameters)  # and says what is wrong
                heads.append(head._solved(hinges, weights))
        return heads

    def _hinges(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, SquaredHinges, Any]:
        """Check the data; return the matrix, its hinges, and the weights of rows that count."""
        require_targets(y)
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        check_classification_targets(y)
        self._labels(y)
        weights, sides = checked_weights(sample_weight, len(X)), signs(y, self.classes_)
        if not weights.all():
            X, sides, weights = X[weights > 0], sides[weights > 0], weights[weights > 0]
        return X, SquaredHinges(X, sides), weights

    def _solved(self, hinges: SquaredHinges, weights: Any) -> Self:
        require_bounded(type(self), vars(self))
        if not 0 < self.C < np.inf:
            raise ValueError(f"C={self.C!r} must be a positive number.")
        found = hinges.minimise(self.C * weights, self.tol, self.max_iter)
        self.coef_, self.intercept_, self.n_iter_, converged = found
        if not converged:
            warn_user(
                f"LinearSVM took all {self.max_iter} steps; raise max_iter, or lower C.",
                ConvergenceWarning,
            )
        return self
