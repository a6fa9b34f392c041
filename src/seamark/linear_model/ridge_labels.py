"""Ridge for any number of labels an object, with a calibrated probability for each."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.metrics import multilabel_confusion_matrix
from sklearn.utils.metaestimators import available_if

from ..engine import step, tick
from ..targets import checked_weights, label_matrix, strata
from .base import StreamedRidge
from .calibration import SoftmaxCalibration
from .each_label import OfLabels

Floats = NDArray[np.float64]


class RidgeLabels(OfLabels, StreamedRidge):
    """Ridge regression on the labels of each row, all from one factor, with a probability each.

    An object has any number of labels: y is a matrix of 0 and 1, with a column for each. All labels
    share folds, penalty and factor, so that a further one costs next to nothing. Out-of-fold scores
    of a label give it Platt's sigmoid, of which the offset is part of `intercept_`: a label is
    predicted where its probability is above one half.

    Parameters
    ----------
    penalty : "cv" or float, default="cv"
        One for all labels: weight of ‖β‖² against the mean squared error, for columns of mean 0 and
        variance 1; "cv": by cross-validation, which costs no second pass.
    cv : int, array of shape (n,), splitter or splits, default=5
        Number of folds, which hold rare labels in equal parts, or the fold number of each row, or
        what scikit-learn takes.
    n_features : None, "cv" or int, default=None
        Use the leading columns only: all, a number of them, or the fewest of n, n/2, n/4, …
        whose error is within one standard error of the best.
    fit_intercept : bool, default=True
        False fits through the origin, with columns scaled by their root mean square.
    precision : {"auto", "single", "double"}, default="auto"
        Of the products of rows: "auto" is float32 only where that is quicker and can be trusted.
    calibrate : bool, default=True
        False saves the second pass; there is no `predict_proba` then.
    random_state : int, RandomState or None, default=None
        Deals the folds.

    Attributes
    ----------
    classes_ : ndarray of shape (L,)
        Numbers of the labels.
    coef_ : ndarray of shape (L, R)
        For features as they came.
    intercept_ : ndarray of shape (L,)
        Constants, offsets of the calibration included.
    slopes_ : ndarray of shape (L,)
        Of the probabilities, expit(slope · score), if calibrated.
    oof_score_ : float
        Share of rows whose labels were all right out of fold, if calibrated.
    oof_confusion_ : ndarray of shape (L, 2, 2)
        How many rows lack or have each label, down, and were said to, across, out of fold, if
        calibrated: as scikit-learn's `multilabel_confusion_matrix`.
    commonest_ : float
        Share of the rows that have the commonest combination of labels.
    penalty_, n_features_, cv_results_, precision_, n_features_in_, blocks_
        As in `RidgeRegressor`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> head = RidgeLabels(random_state=0).fit(X, X + 0.3 * rng.normal(size=(300, 2)) > 0)
    >>> head.predict([[2.0, 2.0], [-2.0, 2.0]])
    array([[1, 1],
           [0, 1]])
    >>> head.predict_proba([[2.0, -2.0]]).round(2)
    array([[1., 0.]])
    """

    def __init__(
        self,
        penalty: Any = "cv",
        *,
        cv: Any = 5,
        n_features: Any = None,
        fit_intercept: bool = True,
        precision: str = "auto",
        calibrate: bool = True,
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
        """Fit to a matrix or features X and a matrix of 0 and 1, (n, L)."""
        # Of streamed rows, `classes_` would say that targets are numbers of classes.
        self.__dict__.pop("classes_", None)
        features, Y, weights, labels = self._read(X, y, sample_weight)
        fit, task = self._fit(features, Y, weights, labels, self.calibrate)
        self.classes_ = np.arange(Y.shape[1])
        self.commonest_ = float(np.unique(Y, axis=0, return_counts=True)[1].max() / len(Y))
        # Scores are on ±1, as those of classes are: positive for a label that is likely.
        self.coef_, self.intercept_ = 2 * self.coef_, 2 * self.intercept_ - 1
        if self.calibrate:
            with step("calibration", 2):
                scores = fit.unseen_scores(task)
                tick()
                used = task.folds >= 0
                kept = None if weights is None else weights[used]
                self._calibrate(2 * scores[used] - 1, Y[used] > 0, kept)
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Any:
        X, y = self._validated(X, y, multi_output=True)
        codes = label_matrix(np.arange(np.shape(y)[1] if np.ndim(y) == 2 else 0), y)
        weights = None if sample_weight is None else checked_weights(sample_weight, len(y))
        return X, codes.astype(np.float64), weights, strata(codes)

    def _calibrate(self, scores: Floats, has: NDArray[np.bool_], weights: Floats | None) -> None:
        """Fit a sigmoid to the scores of each label, and say how well they did."""
        n_labels = scores.shape[1]
        weights = np.ones(len(scores)) if weights is None else weights
        self.slopes_, shift = np.empty(n_labels), np.empty(n_labels)
        for k in range(n_labels):
            found = SoftmaxCalibration.safe(
                scores[:, k], has[:, k].astype(np.intp), weights, offsets=self.fit_intercept
            )
            self.slopes_[k], shift[k] = found.slope, found.offset[1]
        self.intercept_ = self.intercept_ + shift
        said = scores + shift > 0
        self.oof_confusion_ = multilabel_confusion_matrix(has, said)
        self.oof_score_ = float(np.average((said == has).all(axis=1), weights=weights))

    def decision_function(self, X: Any) -> Floats:
        """Score of every label, (n, L): positive where it is predicted."""
        return self._decision_function(self._scores(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict which labels each row has: a matrix of 0 and 1."""
        return self._predict(self._scores(X))

    @available_if(lambda self: self.calibrate)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each label, (n, L); they need not sum to 1."""
        return self._predict_proba(self._scores(X))

    def _decision_function(self, scores: Floats) -> Floats:
        return scores

    def _predict(self, scores: Floats) -> NDArray[Any]:
        return (scores > 0).astype(np.intp)

    def _predict_proba(self, scores: Floats) -> Floats:
        return np.asarray(expit(self.slopes_ * scores))
