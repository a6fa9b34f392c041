"""X, y and weights as an estimator over features takes them: checked, in sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import validate_data

from ..data import unmasked
from ..features import Features, InMemory
from ..targets import checked_weights, require_targets
from .columns import Array, Rows
from .outputs import Outputs

_MATRIX: dict[str, Any] = {"accept_sparse": "csr", "dtype": [np.float64, np.float32]}


def check_training(estimator: Any, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    """Return X, a matrix or Features, and y, an array; set `n_features_in_`."""
    require_targets(y)
    if isinstance(X, InMemory):
        X = X.matrix
    if not isinstance(X, Features):
        shape: dict[str, Any] = {"multi_output": True, "ensure_min_samples": 2}
        checked: tuple[Any, NDArray[Any]] = validate_data(estimator, X, y, **_MATRIX, **shape)
        return checked
    y = check_targets(X, y)
    estimator.n_features_in_ = X.shape[1]
    if hasattr(estimator, "feature_names_in_"):  # of an earlier fit
        del estimator.feature_names_in_
    return X, y


def check_targets(X: Any, y: Any) -> NDArray[Any]:
    """Return y, an array with a target for each row of X."""
    if y is None:
        raise ValueError("fit requires y to be passed, but the target y is None.")
    require_targets(y)
    y = check_array(unmasked(y), ensure_2d=False, dtype=None, input_name="y")
    check_consistent_length(np.empty(X.shape[0]), y)
    return np.asarray(y)


def check_rows(estimator: Any, X: Any) -> Any:
    """Return X, a matrix or Features with as many columns as in fit."""
    if isinstance(X, InMemory):
        X = X.matrix
    if not isinstance(X, Features):
        return validate_data(estimator, X, **_MATRIX, reset=False)
    if X.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {X.shape[1]} features, but {type(estimator).__name__} was fitted with "
            f"{estimator.n_features_in_}; give it the same columns."
        )
    return X


def check_weights(sample_weight: Any, n: int) -> Array:
    """Return weights of rows that sum to 1; None: all alike."""
    weights = checked_weights(sample_weight, n)
    return np.asarray(weights / weights.sum())


@dataclass(frozen=True)
class TrainingRows:
    """Some rows of what `fit` was given."""

    X: Any
    target: Outputs
    weights: Array
    rows: Rows
    groups: Rows | None  # of equal objects, among all rows

    @property
    def targets(self) -> Array:
        """Of these rows."""
        return self.target.values[self.rows]

    @property
    def share(self) -> Array:
        """Their weights, which sum to 1."""
        return check_weights(self.weights[self.rows], len(self.rows))
