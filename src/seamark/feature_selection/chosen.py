"""What every estimator that chooses columns does with them afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from ..features import Features
from .columns import read
from .rows import check_rows


class Chosen(TransformerMixin, BaseEstimator):
    """A transformer that keeps columns `support_`, in this order, times `weights_`.

    scikit-learn's `SelectorMixin` would return them in the order of the matrix, which is not the
    order of `coef_`, and would not know Features.
    """

    support_: NDArray[np.intp]
    weights_: NDArray[np.float64]
    n_features_in_: int

    def transform(self, X: Any) -> Any:
        """Return the chosen columns, in the order of `support_`, times `weights_`.

        Parameters
        ----------
        X : array-like, CSR matrix or Features of shape (n, R)
            Of Features, only the chosen columns are evaluated.

        Returns
        -------
        ndarray or CSR matrix of shape (n, k)
            Columns `support_`.
        """
        check_is_fitted(self)
        X = check_rows(self, X)
        if isinstance(X, Features):
            return self._weighed(read(X, np.arange(X.shape[0]), self.support_))
        return self._weighed(X[:, self.support_])

    def _weighed(self, columns: Any) -> Any:
        if np.all(self.weights_ == 1.0):
            return columns
        scales = self.weights_.astype(columns.dtype)
        return columns.multiply(scales).tocsr() if sparse.issparse(columns) else columns * scales

    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Return a mask over all columns, or their numbers in the order chosen.

        Parameters
        ----------
        indices : bool, default=False
            Return `support_`.

        Returns
        -------
        ndarray
            Of bool and length R, or of int and length k.
        """
        check_is_fitted(self)
        if indices:
            return self.support_.copy()
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.support_] = True
        return mask

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the chosen columns, in the order of `support_`.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of all columns; by default those seen in `fit`, or x0, x1, …

        Returns
        -------
        ndarray of str
            k names.
        """
        check_is_fitted(self)
        return np.asarray(_check_feature_names_in(self, input_features)[self.support_])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
