"""Ridge classification with calibrated probabilities: of one class, or of any number of labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, MultiOutputMixin, clone
from sklearn.metrics import multilabel_confusion_matrix
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from ..engine import blas_for, step, tick
from ..engine.threads import SMALL_MATRIX
from ..targets import (
    checked_weights,
    class_factors,
    decided,
    label_matrix,
    signs,
    strata,
    too_few_classes,
)
from .calibration import (
    ChosenCalibration,
    MixedCalibration,
    SoftmaxCalibration,
    out_of_fold_report,
    quantiles,
)
from .intervals import copies_of, independent_rows
from .iterative import IterativeFit
from .ridge import StreamedRidge
from .ridge_blocks import ApartFit, BlockFit
from .ridge_fit import CollinearError, RidgeFit, RidgeTask, fold_models, solved, unseen_scores
from .ridge_solve import HALF

Floats = NDArray[np.float64]

SMALLER = 3  # penalties below that of the least squared error, by half decades
TINY = 1e-9  # added to probabilities whose logarithm is taken
CLEARLY = 0.25  # of a standard error: what a smaller penalty must gain in accuracy


class RidgeClassifier(ClassifierMixin, StreamedRidge):
    """Ridge regression on ±1 targets, one per class, with calibrated probabilities.

    Penalty and size are chosen by the out-of-fold squared error on those targets; where that takes
    little, a smaller penalty is taken if it is right more often. A second pass
    over the features then scores each row by the model that has not seen it; probabilities
    are softmax(slope · decision) fitted to these scores, c equal objects as √c, after offsets that
    are added to `intercept_`: so `predict`, `decision_function` and `predict_proba` always agree.
    Offsets that cost accuracy out of fold, by more than a standard error, are left out. Scores of
    more than two classes are mixed, coefficients with them, where that makes unseen rows clearly
    likelier and is right as often; see `MixedCalibration`.

    Parameters
    ----------
    penalty : "cv" or float, default="cv"
        Weight of ‖β‖² against the mean squared error, for columns of mean 0 and variance 1; "cv":
        by cross-validation, which costs no second pass. `RidgeRegressor` says more.
    cv : int, array of shape (n,), splitter or splits, default=5
        Number of random folds, which hold every class in equal parts, or the fold number of each
        row, or what scikit-learn takes.
    n_features : None, "cv" or int, default=None
        Use the leading columns only: all, a number of them, or the fewest of n, n/2, n/4, …
        whose error is within one standard error of the best.
    fit_intercept : bool, default=True
        False fits through the origin, with columns scaled by their root mean square.
    precision : {"auto", "single", "double"}, default="auto"
        Of the products of rows: "auto" is float32 only where that is quicker and can be trusted.
    class_weight : None, "balanced" or dict, default=None
        Factors of the sample weights; "balanced" gives all classes the same weight.
    calibrate : bool, default=True
        False saves the second pass; there is no `predict_proba` then.
    random_state : int, RandomState or None, default=None
        Deals the folds.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels.
    coef_ : ndarray of shape (1, R) or (n_classes, R)
        For features as they came; one row for two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Constants, the offsets of the calibration included.
    calibration_ : SoftmaxCalibration
        Slope of the probabilities, and the offsets that are part of `intercept_`.
    conformity_scores_ : ndarray
        1 − probability of the true class out of fold, rising, if calibrated: 1,000 of them.
    cv_reliable_ : bool
        Whether at least half of the rows are of a class that has others. If not, out-of-fold errors
        say nothing: the penalty is 1, and there are no offsets.
    oof_independent_ : float
        How many rows without copies tell as much as those of `oof_score_`.
    oof_score_ : float
        Out-of-fold accuracy, if calibrated.
    oof_recall_ : ndarray of shape (n_classes,)
        Share of each class that was recognised out of fold, if calibrated.
    oof_confusion_ : ndarray of shape (n_classes, n_classes)
        How many rows of each class, down, were taken for each class, across, out of fold, if
        calibrated.
    oof_worst_ : ndarray of shape (k, 3)
        A few rows that were most surely taken for another class: row, class, prediction.
    oof_reliability_ : ndarray of shape (k, 3)
        For answers given out of fold with like probability: its mean, the share of them that was
        right, how many.
    penalty_, n_features_, cv_results_, precision_, n_features_in_, blocks_
        As in `RidgeRegressor`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = np.where(X[:, 0] + 0.3 * rng.normal(size=300) > 0, "sea", "land")
    >>> model = RidgeClassifier(random_state=0).fit(X, y)
    >>> model.predict([[-2.0, 0.0], [2.0, 0.0]])
    array(['land', 'sea'], dtype='<U4')
    >>> model.predict_proba([[2.0, 0.0]]).round(2)
    array([[0., 1.]])
    """

    def __init__(
        self,
        penalty: Any = "cv",
        *,
        cv: Any = 5,
        n_features: Any = None,
        fit_intercept: bool = True,
        precision: str = "auto",
        class_weight: Any = None,
        calibrate: bool = True,
        random_state: Any = None,
    ) -> None:
        self.penalty = penalty
        self.cv = cv
        self.n_features = n_features
        self.fit_intercept = fit_intercept
        self.precision = precision
        self.class_weight = class_weight
        self.calibrate = calibrate
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to a matrix or features X and labels y."""
        features, Y, weights, labels = self._read(X, y, sample_weight)
        fit, task = self._fit(features, Y, weights, labels, self.calibrate)
        if not self.calibrate:
            return self
        with blas_for(0), step("calibration", 2):
            used, two = task.folds >= 0, len(self.classes_) == 2
            labels = labels[used]
            weights = np.ones(len(labels)) if weights is None else weights[used]
            copies = copies_of(task.features.groups, used)
            # A fold takes all copies of an object away, which new rows may well have among the
            # known: classes of few names that come often look unknown, and offsets in their favour
            # cost the others. As one row, those that do come again would count for too little.
            by_object = weights / np.sqrt(copies)
            # Copies are right or wrong together: so many rows tell as much as all of these.
            self.oof_independent_ = independent_rows(copies)
            scores = self._most_right(fit, task, labels, by_object)[used]
            tick()
            scores = scores[:, 0] if two else scores
            offsets = self.fit_intercept and self.cv_reliable_ is not False
            folds = task.folds[used]
            chosen = ChosenCalibration.of(scores, labels, by_object, folds, offsets)
            whole = chosen.whole
            if isinstance(whole, MixedCalibration):
                # Scores are linear in features, and so are mixed ones.
                self.coef_ = whole.matrix.T @ self.coef_
                self.intercept_ = self.intercept_ @ whole.matrix
                whole = whole.calibration
            self.calibration_ = whole
            shift = self.calibration_.offset[1:] if two else self.calibration_.offset
            self.intercept_ = self.intercept_ + shift
            if isinstance(fit, (ApartFit, BlockFit)):
                scores = fit.judged().unseen_scores(task)[used]
                scores = scores[:, 0] if two else scores
            chances = chosen.unseen_probabilities(scores, folds)
            true = chances[np.arange(len(labels)), labels]
            self.conformity_scores_ = quantiles(1.0 - true, self.oof_independent_)
            decided = scores + shift[0] if two else np.log(chances + TINY)
            told = out_of_fold_report(
                decided, labels, np.flatnonzero(used), weights, chances.max(axis=1)
            )
            self.oof_score_, self.oof_recall_, self.oof_confusion_, self.oof_worst_ = told[:4]
            self.oof_reliability_ = told.reliability
        return self

    def _most_right(self, fit: RidgeFit, task: RidgeTask, labels: Any, weights: Floats) -> Floats:
        """Return scores of unseen rows at a penalty that is right most often; keep its model.

        The squared error asks for larger ones than decisions do. So smaller ones are tried, for as
        long as they are right more often by a quarter of a standard error, and as sure.
        """
        used, size, n_targets = task.folds >= 0, fit.choice.n_features, task.Y.shape[1]
        open_ = (
            task.penalty is None
            and not task.nested
            and not isinstance(fit, (ApartFit, BlockFit, IterativeFit))
            and not task.features.mixes_landmarks
        )
        if not open_ or task.behind or fit.ridges.n_unknowns > SMALL_MATRIX:
            return fit.unseen_scores(task)
        best = fit.choice.penalty
        penalties = [best / HALF**k for k in range(SMALLER + 1)]
        try:
            if fit.ridges.by_rows:
                choices = [replace(fit.choice, penalty=p, solutions=None) for p in penalties]
                each = [replace(fit, choice=one).unseen_scores(task) for one in choices]
            else:
                models = fold_models(fit.ridges, penalties, size)
                each = np.split(unseen_scores(task, models, size), len(penalties), axis=1)
        except CollinearError:
            return fit.unseen_scores(task)
        shares, share, least, scores = weights / weights.sum(), -1.0, np.inf, each[0]
        for penalty, other in zip(penalties, each, strict=True):
            said = other[used, 0] > 0 if n_targets == 1 else other[used].argmax(axis=1)
            right = float(shares @ (said == labels))
            spread = float(np.sqrt(max(share * (1 - share), 0.0) * (shares @ shares)))
            if right <= share + CLEARLY * spread:
                continue
            some = other[used, 0] if len(self.classes_) == 2 else other[used]
            chances = SoftmaxCalibration.fit(some, labels, weights, False).probabilities(some)
            loss = -float(shares @ np.log(chances[np.arange(len(labels)), labels] + TINY))
            if loss <= least:
                share, least, best, scores = right, loss, penalty, other
        if best != fit.choice.penalty:
            found = solved(replace(task, penalty=best), fit.ridges)
            self.penalty_ = best
            self.coef_[:, self.coef_.any(axis=0)] = found.coef[:, fit.coef.any(axis=0)]
            self.intercept_ = found.intercept if self.fit_intercept else self.intercept_
        return scores

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Any:
        """Set `classes_`, those with any weight; else as `StreamedRidge` says."""
        X, y = self._validated(X, y)
        if y.ndim != 1 or y.dtype.kind != "i":  # whole numbers are classes, whatever they are
            check_classification_targets(y)
            y = column_or_1d(y, warn=True)
        weights = None if sample_weight is None else checked_weights(sample_weight, len(y))
        used = np.ones(len(y), dtype=bool) if weights is None else weights > 0
        labels = np.full(len(y), -1, dtype=np.intp)
        self.classes_, labels[used] = np.unique(y[used], return_inverse=True)
        if len(self.classes_) < 2:
            raise too_few_classes(self.classes_, ", with weights above 0")
        # A model of the other rows knows nothing of a class with one row: its errors there only ask
        # for the largest penalty.
        counts = np.bincount(labels[used])
        self.cv_reliable_ = bool(counts[counts > 1].sum() >= counts.sum() / 2)
        Y = signs(labels, np.arange(len(self.classes_)))
        if self.class_weight is not None:
            weights = np.ones(len(y)) if weights is None else weights.copy()
            of_used = labels[used], weights[used]
            weights[used] *= class_factors(self.class_weight, self.classes_, *of_used)
        return X, Y, weights, labels

    def decision_function(self, X: Any) -> Floats:
        """Score of the second class, (n,), or of every class, (n, n_classes)."""
        return self._answer(self._scores(X), "decision_function")

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of the largest score."""
        return self._answer(self._scores(X), "predict")

    @available_if(lambda self: self.calibrate)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class, (n, n_classes)."""
        return self._answer(self._scores(X), "predict_proba")

    def _answer(self, scores: Floats, method: str) -> NDArray[Any]:
        if method == "predict":
            return decided(scores, self.classes_)
        scores = scores[:, 0] if len(self.classes_) == 2 else scores
        if method == "decision_function":
            return scores
        # Scores hold the offsets of the calibration already.
        slope = self.calibration_.slope
        return SoftmaxCalibration(slope, np.zeros(len(self.classes_))).probabilities(scores)


# `EachLabel`: any classifier, once for each label.


def _tells(name: str) -> Any:
    """Whether all members, or the one to be cloned, have a method."""
    return lambda self: all(hasattr(one, name) for one in getattr(self, "members_", [self.head]))


class OfLabels(MultiOutputMixin, ClassifierMixin):
    """A classifier of objects that have any number of labels: y is a matrix of 0 and 1."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        tags.target_tags.single_output = False
        return tags


class EachLabel(OfLabels, BaseEstimator):
    """A classifier for each of several labels, that says whether an object has it.

    Parameters
    ----------
    head : classifier
        Cloned for each label. A label that all rows of `fit` have, or none, needs no classifier.

    Attributes
    ----------
    classes_ : ndarray of shape (L,)
        Numbers of the labels.
    members_ : list of classifiers
        Of the labels that vary.
    places_ : ndarray of int
        Which labels these are.
    always_ : ndarray of shape (L,), int8
        What is said of the others.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2))
    >>> EachLabel(LogisticRegression()).fit(X, X > 0).predict([[1.0, -1.0], [1.0, 1.0]])
    array([[1, 0],
           [1, 1]])
    """

    def __init__(self, head: Any) -> None:
        self.head = head

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to a matrix X and a matrix of 0 and 1, (n, L)."""
        X, y = validate_data(self, X, y, multi_output=True, dtype=[np.float64, np.float32])
        codes = label_matrix(np.arange(y.shape[1] if y.ndim == 2 else 0), y)
        options = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.classes_ = np.arange(codes.shape[1])
        self.places_ = np.flatnonzero(np.ptp(codes, axis=0))
        self.always_ = codes[0]
        self.members_ = [clone(self.head).fit(X, codes[:, k], **options) for k in self.places_]
        return self

    @property
    def coef_(self) -> Floats:
        """Coefficients (L, features), 0 of a label that needs no classifier."""
        check_is_fitted(self)
        rows = [np.ravel(one.coef_) for one in self.members_]
        found = np.zeros((len(self.classes_), self.n_features_in_))
        found[self.places_] = rows
        return found

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict which labels each row has: a matrix of 0 and 1."""
        return self._said(X, self.always_, lambda one, Z: one.predict(Z)).astype(np.intp)

    @available_if(_tells("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """Score of every label, (n, L)."""
        return self._said(X, 2.0 * self.always_ - 1, lambda one, Z: one.decision_function(Z))

    @available_if(_tells("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each label, (n, L); they need not sum to 1."""
        return self._said(X, self.always_, lambda one, Z: one.predict_proba(Z)[:, 1])

    def _said(self, X: Any, always: Any, say: Any) -> Floats:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        found = np.repeat(np.asarray(always, dtype=np.float64)[None], X.shape[0], axis=0)
        for place, one in zip(self.places_, self.members_, strict=True):
            found[:, place] = say(one, X)
        return found


# Ridge for any number of labels an object, with a calibrated probability for each.


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
        return self._answer(self._scores(X), "decision_function")

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict which labels each row has: a matrix of 0 and 1."""
        return self._answer(self._scores(X), "predict")

    @available_if(lambda self: self.calibrate)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each label, (n, L); they need not sum to 1."""
        return self._answer(self._scores(X), "predict_proba")

    def _answer(self, scores: Floats, method: str) -> NDArray[Any]:
        if method == "predict":
            return (scores > 0).astype(np.intp)
        return scores if method == "decision_function" else np.asarray(expit(self.slopes_ * scores))
