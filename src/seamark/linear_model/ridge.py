"""Ridge regression on features that never need to be in memory at once."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MultiOutputMixin, RegressorMixin

from ..engine import step
from ..targets import checked_weights
from .base import StreamedRidge
from .spread import ErrorsOutOfFold, Spread

Floats = NDArray[np.float64]

TOLD = tuple(f"oof_{name}_" for name in ErrorsOutOfFold._fields)


class RidgeRegressor(MultiOutputMixin, RegressorMixin, StreamedRidge):
    """Ridge regression whose penalty is chosen in the one pass that fits it.

    Reads chunks of rows, keeps sums of products per fold, and chooses the penalty by exact
    K-fold cross-validation from them. Where there are no more rows than columns, the rows are kept
    instead, which needs less memory, and the same model is found sooner, in its dual form.

    Parameters
    ----------
    penalty : "cv" or float, default="cv"
        Weight of ‖β‖² against the mean squared error, for columns of mean 0 and variance 1. It is
        relative to the mean eigenvalue of their correlation matrix, so that the same number means
        the same on other units, other row numbers and other weights: scikit-learn's
        ``Ridge(alpha=penalty * n)`` after a ``StandardScaler``. "cv": by cross-validation, which
        costs no second pass.
    cv : int, array of shape (n,), splitter or splits, default=5
        Number of random folds, or the fold number of each row, or what scikit-learn takes.
    n_features : None, "cv" or int, default=None
        Use the leading columns only: all, a number of them, or the fewest of n, n/2, n/4, …
        whose error is within one standard error of the best.
    fit_intercept : bool, default=True
        False fits through the origin, with columns scaled by their root mean square.
    precision : {"auto", "single", "double"}, default="auto"
        Of the products of rows. "auto": float64 where that is quick, else float32 where that can
        be trusted, else float32 followed by a second pass in float64. "single" always keeps sums.
    calibrate : bool, default=False
        Whether errors out of fold are looked at, for intervals of a model's predictions.
    random_state : int, RandomState or None, default=None
        Deals the folds.

    Attributes
    ----------
    spread_ : Spread
        Sizes of errors, if calibrated.
    oof_r2_, oof_error_, oof_constant_ : ndarray of shape (T,)
        If calibrated, of rows that the models had not seen: R², the mean absolute error, and that
        of the targets' median.
    oof_interval_ : ndarray of shape (T, 2)
        Where R² lies in 95 of 100 cases.
    oof_n_ : int
        How many rows that were.
    oof_worst_ : ndarray of shape (k, 3)
        Of one target, the rows that were furthest off: row, truth, prediction.
    coef_ : ndarray of shape (R,) or (T, R)
        For features as they came; 0 for columns not in use.
    intercept_ : float or ndarray of shape (T,)
        Constant of each target.
    penalty_ : float
        The penalty used.
    n_features_ : int
        How many leading columns are in use.
    cv_results_ : dict
        "penalty" (P,), "n_features" (S,) and the "mean_error" and "sd_error" (P, S) over folds
        of the out-of-fold squared error; empty if nothing was to be chosen.
    precision_ : str
        "single" or "double".
    n_features_in_ : int
        R.
    blocks_ : dict
        Of features in blocks: the "rule", "averaged" (a ridge for each block, added up with
        weights) or "together" (one ridge on all, blocks times factors after standardising),
        whichever erred least out of fold; the "weights" or factors, 0 for blocks that do not help;
        and what was "tried" with which "error". `penalty_` is an array if averaged.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> y = X @ [1.0, 2.0, 0.0, 0.0, -1.0] + 3.0
    >>> model = RidgeRegressor(random_state=0).fit(X, y)
    >>> model.coef_.round(2) + 0.0
    array([ 1.,  2.,  0.,  0., -1.])
    >>> model.predict(np.zeros((1, 5))).round(2)
    array([3.])
    """

    def __init__(
        self,
        penalty: Any = "cv",
        *,
        cv: Any = 5,
        n_features: Any = None,
        fit_intercept: bool = True,
        precision: str = "auto",
        calibrate: bool = False,
        random_state: Any = None,
    ) -> None:
        self.penalty = penalty
        self.cv = cv
        self.n_features = n_features
        self.fit_intercept = fit_intercept
        self.precision = precision
        self.calibrate = calibrate
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to a matrix or features X and targets y, (n,) or (n, T)."""
        features, Y, weights, _ = self._read(X, y, sample_weight)
        fit, task = self._fit(features, Y, weights, None, self.calibrate)
        for name in ("spread_", *TOLD):  # of an earlier fit
            self.__dict__.pop(name, None)
        if self.calibrate:
            with step("calibration", 2):
                self.spread_, told = Spread.of(fit, task, RidgeRegressor(), features)
            for name, value in zip(TOLD, told, strict=True):
                setattr(self, name, value)
        if np.asarray(y).ndim == 1:
            self.coef_, self.intercept_ = self.coef_[0], float(self.intercept_[0])
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Any:
        X, y = self._validated(X, y, multi_output=True, y_numeric=True)
        weights = None if sample_weight is None else checked_weights(sample_weight, len(y))
        return X, y.astype(np.float64, copy=False).reshape(len(y), -1), weights, None

    def predict(self, X: Any) -> Floats:
        """Predict targets, (n,) or (n, T) as they were given."""
        return self._predict(self._scores(X))

    def _predict(self, scores: Floats) -> Floats:
        return scores[:, 0] if self.coef_.ndim == 1 else scores

    def narrowed(self, columns: NDArray[np.intp]) -> Self:
        """Return the same model on some columns; see `Streamed.narrowed`."""
        other = super().narrowed(columns)
        if hasattr(self, "spread_"):
            other.spread_ = self.spread_.narrowed(columns)
        return other

    def said_of(self, block: Any, method: str) -> NDArray[Any]:
        """Return what a method says of a chunk; "spread" says predictions and sizes of errors."""
        if method != "spread":
            return super().said_of(block, method)
        scores = super().said_of(block, "predict")
        return np.stack([scores.reshape(len(block), -1), self.spread_.sizes(block)], axis=2)
