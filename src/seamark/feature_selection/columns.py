"""What all selections of columns share: targets, checks, the columns kept, and their sums."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from ..data import reject_non_numbers, unmasked
from ..engine.lapack import tiles
from ..features import Features, InMemory, Selected, as_features
from ..maps import ComputedFeatures
from ..targets import checked_weights, class_targets, require_targets, signs

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

SPARSE_ROWS = 10_000  # read at a time
STRIP_COLUMNS = 1024  # multiplied at a time


def shown(X: Any, rows: Rows) -> Features:
    """Return some rows, which rise, of a matrix or of features; as they are if these are all."""
    features = as_features(X)
    return features if len(rows) == features.shape[0] else Selected(features, kept=rows)


def read(X: Any, rows: Rows, columns: Any = None) -> NDArray[Any]:
    """Return rows and columns of a matrix or of features as one array."""
    return shown(X, rows).stacked(lambda _, block: block, columns)


def finite(values: Array) -> None:
    """Stop on a column whose sum is not finite."""
    if not np.isfinite(values).all():
        j = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(
            f"column {j} of X holds NaN or infinity; impute it, or leave the column out."
        )


# y as columns of numbers: as it is, or one class against the rest.


@dataclass(frozen=True)
class Outputs:
    """What is predicted.

    Parameters
    ----------
    values : ndarray of shape (n, outputs)
        Numbers; or 1 for a class and −1 for the rest, one column for two classes.
    flat : bool
        y had one dimension.
    classes : ndarray or None
        Sorted labels; None for numbers.
    codes : ndarray of shape (n,) or None
        Number of each row's class; None for numbers.
    """

    values: Array
    flat: bool
    classes: NDArray[Any] | None = None
    codes: Rows | None = None


def encode(y: NDArray[Any], *, classes: bool) -> Outputs:
    """Turn a checked y into targets.

    Examples
    --------
    >>> encode(np.array(["a", "b", "a"]), classes=True).values.T
    array([[-1.,  1., -1.]])
    """
    if classes:
        names, codes = class_targets(y)
        target = Outputs(signs(codes, np.arange(len(names))), True, names, codes)
    else:
        try:
            reject_non_numbers(y, "y")
            values = y.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"y holds {y.dtype} values that are not numbers; for classes set "
                "task='classification', or use loss='logistic' or 'squared_hinge'."
            ) from error
        target = Outputs(values.reshape(len(y), -1), y.ndim == 1)
    if np.ptp(target.values, axis=0).max() == 0.0:
        raise ValueError(
            f"y is constant ({y.flat[0]!s} in all {len(y)} rows), so that no feature can lower "
            "the loss; give targets that vary."
        )
    return target


# X, y and weights as an estimator over features takes them: checked, in sentences.


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


# What every estimator that chooses columns does with them afterwards.


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


# Sums of features against targets, fold by fold: all that an alignment needs, in one pass.


class Candidates(Features):
    """Features to choose among; blocks of a CSR matrix or of a map stay sparse if they are.

    Parameters
    ----------
    X : matrix or Features if there is no map; else objects, ingested
    map : Map or None
        Fitted.
    groups : ndarray of int or None
        Number of each row's group of equal objects, for folds.
    """

    def __init__(self, X: Any, map: Any = None, groups: Rows | None = None) -> None:
        self.X, self.map, self.groups = X, map, groups
        self.shape = (X.shape[0], int(X.shape[1] if map is None else map.n_features_out_))

    def some(self, rows: Rows) -> Features:
        """Return the given rows, which rise."""
        if self.map is None and not sparse.issparse(self.X):
            return shown(self.X, rows)
        return Candidates(self.X[rows], self.map)

    def chunks(self, columns: Any = None) -> Iterator[tuple[slice, Any]]:
        """Yield chunks of all columns."""
        n = self.shape[0]
        for rows in tiles(0, n, SPARSE_ROWS) if self.map is None else self.map.row_chunks(n):
            yield rows, self.X[rows] if self.map is None else self.map.block(self.X[rows])

    def rows(self, indices: Rows, columns: Any = None) -> NDArray[Any]:
        """Return some columns of some rows, dense; a map never evaluates the others."""
        if self.map is not None:
            return ComputedFeatures(self.map, self.X).rows(indices, columns)
        return read(self.X, indices, columns)


@dataclass(frozen=True)
class TargetSums:
    """Sums over the rows of each fold.

    Parameters
    ----------
    products : ndarray of shape (folds, N, outputs)
        Σ φₘ(xᵢ) yᵢ.
    moments : ndarray of shape (folds, N, 3), or of fewer if nobody asks for the last
        Σ φₘ(xᵢ), Σ φₘ(xᵢ)² and Σ φₘ(xᵢ)² ‖yᵢ‖², the terms i = j of the alignment.
    counts : ndarray of shape (folds,)
        Rows.
    """

    products: Array
    moments: Array
    counts: Array

    @classmethod
    def of(cls, features: Features, Y: Array, folds: Rows, *, moments: int) -> TargetSums:
        """Read all rows once; `moments`: how many of them are asked for, 0, 2 or 3."""
        width, n_folds = features.shape[1], int(folds.max()) + 1

        def part(rows: slice, block: Any) -> TargetSums:
            sums = cls(
                np.zeros((n_folds, width, Y.shape[1])),
                np.zeros((n_folds, width, moments)),
                np.bincount(folds[rows], minlength=n_folds).astype(np.float64),
            )
            for fold in np.flatnonzero(sums.counts):
                mine = np.flatnonzero(folds[rows] == fold)
                y = Y[rows][mine].astype(block.dtype)
                lengths = np.square(y).sum(axis=1)
                for strip in tiles(0, width, STRIP_COLUMNS):
                    some = block[:, strip] if len(mine) == block.shape[0] else block[mine, strip]
                    sums.products[fold, strip] = some.T @ y
                    if moments:
                        sums.moments[fold, strip, 0] = np.asarray(some.sum(axis=0)).ravel()
                    if moments == 2 and not sparse.issparse(some):  # without a matrix of squares
                        sums.moments[fold, strip, 1] = np.einsum("ij,ij->j", some, some)
                    elif moments:
                        own = np.column_stack([np.ones_like(lengths), lengths])[:, : moments - 1]
                        is_sparse = sparse.issparse(some)
                        squares = some.multiply(some).tocsr() if is_sparse else np.square(some)
                        sums.moments[fold, strip, 1:] = squares.T @ own.astype(some.dtype)
            # The sums of a column are not finite if one of its numbers is not.
            finite((sums.moments[..., 0] if moments else sums.products.sum(axis=2)).sum(axis=0))
            return sums

        found: TargetSums = features.reduce(part)
        return found

    def __iadd__(self, other: TargetSums) -> Self:
        np.add(self.products, other.products, out=self.products)
        np.add(self.moments, other.moments, out=self.moments)
        np.add(self.counts, other.counts, out=self.counts)
        return self

    def without(self, fold: int | None) -> TargetSums:
        """Return the sums over all folds but one, or over all, as those of a single one."""
        every = self.products, self.moments, self.counts
        wholes = [one.sum(axis=0, keepdims=True) for one in every]
        if fold is None:
            return TargetSums(*wholes)
        return TargetSums(*(whole - one[fold] for whole, one in zip(wholes, every, strict=True)))

    def alignment(self, *, diagonal: bool, normalise: bool) -> Array:
        """Return vₘ = ‖Σ φₘ(xᵢ) yᵢ‖² over n², over all folds."""
        n = self.counts.sum()
        v = np.square(self.products.sum(axis=0)).sum(axis=1)
        moments = self.moments.sum(axis=0)
        if not diagonal:
            v -= moments[:, 2]
        v /= n * n
        return np.asarray(v * self._unit_squares() if normalise else v)

    def correlations(self, means: Array) -> Array:
        """Return the squared correlation of each feature with each output.

        But for a factor that is the same for all features.

        Parameters
        ----------
        means : ndarray of shape (outputs,)
            Of the outputs; small ones, of which products cost no digits.
        """
        products = self.products.sum(axis=0) - np.outer(self.moments[:, :, 0].sum(axis=0), means)
        return np.asarray(np.square(products) * self._unit_squares()[:, None])

    def _unit_squares(self) -> Array:
        """Return 1/variance of each feature; 0 for those that are constant."""
        n, moments = self.counts.sum(), self.moments.sum(axis=0)
        square = moments[:, 1] / n
        variance = square - np.square(moments[:, 0] / n)
        # Of a constant feature the variance is float32's rounding.
        varies = variance > 1e-6 * square
        return np.asarray(np.divide(1.0, variance, out=np.zeros_like(square), where=varies))
