"""The columns of X as features: the linear kernel, exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ..measures import Linear
from .base import VectorMap
from .chunks import Floats32, dense32


class Coordinates(VectorMap):
    """The columns of X themselves, so that what chooses among features can choose among them.

    Sparse X stays sparse.

    Attributes
    ----------
    kernel_ : Linear
    columns_ : ndarray
        Which columns of X.

    Examples
    --------
    >>> import seamark as sm
    >>> columns = sm.Coordinates().fit([[1.0, 2.0, 3.0]])
    >>> columns.subset([2, 0]).transform([[1.0, 2.0, 3.0]])
    array([[3., 1.]], dtype=float32)
    """

    def _draw(self, X: Any, rng: np.random.Generator) -> None:
        self.kernel_ = Linear()
        self.columns_ = np.arange(X.shape[1])
        self.n_features_out_ = X.shape[1]

    def block(self, X: Any) -> Any:
        """Return some columns, as float32."""
        whole = self.n_features_out_ == X.shape[1] and (np.diff(self.columns_) == 1).all()
        return (X if whole else X[:, self.columns_]).astype(np.float32)

    def fill(self, X: Any, out: Floats32) -> None:
        """Write some columns."""
        out[:] = dense32(self.block(X))

    def transform(self, X: Any) -> Any:
        """Columns of X, float32.

        Parameters
        ----------
        X : array-like or sparse matrix

        Returns
        -------
        ndarray or CSR matrix of shape (n, number of features), float32
        """
        check_is_fitted(self)
        objects = self.ingest(X)
        return self.block(objects) if sparse.issparse(objects) else super().transform(X)

    def shown(self, X: Any) -> tuple[Floats32, NDArray[Any]]:
        """Features, which are what can be shown."""
        features = dense32(self.block(X))
        return features, features

    def by_landmark(self, parts: NDArray[Any]) -> NDArray[Any]:
        """Every column speaks for itself."""
        return parts

    def behind(self, column: int) -> Any:
        """Return the name of a column."""
        return str(self.get_feature_names_out()[column])

    def _pick(self, columns: NDArray[np.intp]) -> None:
        self.columns_ = self.columns_[columns]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the columns of X, or ``x0``, ``x1``, …."""
        check_is_fitted(self)
        given = getattr(self, "feature_names_in_", None)
        if given is None:
            return np.array([f"x{k}" for k in self.columns_], dtype=object)
        return np.asarray(given, dtype=object)[self.columns_]
