"""`Calibrated`: probabilities for any classifier, from scores of rows that it had not seen."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..bounds import require_bounded
from ..targets import deal, strata
from .calibration import OutOfFold, SoftmaxCalibration, quantiles, told_of
from .svm import PerClass

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Allowed = Callable[[NDArray[np.bool_]], Rows | None]

TOLD = tuple(f"oof_{name}_" for name in OutOfFold._fields)


class FromUnseen(ClassifierMixin, BaseEstimator):
    """A classifier, and what clones of it say of rows that they have not seen."""

    classes_: NDArray[Any]

    def __init__(self, head: Any, *, cv: int = 3, random_state: Any = 0) -> None:
        self.head = head
        self.cv = cv
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Rows | None = None,
        allowed: Allowed | None = None,
    ) -> Self:
        """Fit to a matrix X and classes y, or labels (n, L).

        Parameters
        ----------
        X, y, sample_weight
            As for the head.
        groups : ndarray of shape (n,), optional
            Number of each row's group, which no fold parts.
        allowed : callable, optional
            Says of rows that are hidden which columns a model without them may use; None: all.
        """
        require_bounded(type(self), vars(self))
        y = np.asarray(y)
        options = {} if sample_weight is None else {"sample_weight": np.asarray(sample_weight)}
        self.head_ = clone(self.head).fit(X, y, **options)
        self.classes_ = self.head_.classes_
        weights = options.get("sample_weight", np.ones(len(y)))
        folds = self._folds(y, weights, groups)
        used = np.flatnonzero(folds >= 0)
        for of_earlier_fit in ("calibration_", "doubts_", *TOLD):
            self.__dict__.pop(of_earlier_fit, None)
        self._begin(y)
        if len(used):
            scores = self._unseen(X, y, options, folds, allowed)
            self._calibrate(scores[used], y[used], used, weights[used])
        return self

    def _begin(self, y: NDArray[Any]) -> None:
        """Set what holds if no class has two rows, so that nothing is known of scores."""

    @abstractmethod
    def _scores_of(self, head: Any, X: Any) -> Floats:
        """Return scores of rows by a fitted clone."""

    @abstractmethod
    def _calibrate(self, scores: Floats, y: NDArray[Any], rows: Rows, weights: Floats) -> None:
        """Learn from scores of these rows, which those who gave them had not seen."""

    def _keep_told(self, told: OutOfFold) -> None:
        """Keep what was right out of fold."""
        for name, value in zip(TOLD, told, strict=True):
            setattr(self, name, value)

    def _folds(self, y: NDArray[Any], weights: Floats, groups: Rows | None) -> Rows:
        """Deal rows to folds so that every model without one knows all classes."""
        classes = np.unique(np.asarray(strata(y)), return_inverse=True)[1]
        counts = np.bincount(classes, weights > 0)
        used = (weights > 0) & (counts[classes] > 1)
        if used.sum() < 2:
            return np.full(len(y), -1)
        for kept in (groups, None):
            rng = check_random_state(self.random_state)
            folds = deal(used, self.cv, rng, classes, kept)
            parted = [len(np.unique(folds[classes == k])) > 1 for k in np.unique(classes[used])]
            if y.ndim == 2 or all(parted):
                break
        return folds

    def _unseen(self, X: Any, y: Any, options: Any, folds: Rows, allowed: Allowed | None) -> Floats:
        """Score every row by a clone that was fitted without its fold."""
        scores: Any = None
        for fold in range(int(folds.max()) + 1):
            hidden = folds == fold
            columns = None if allowed is None else allowed(hidden)
            seen = {name: value[~hidden] for name, value in options.items()}
            one = clone(self.head).fit(self._some(X[~hidden], columns), y[~hidden], **seen)
            shown = self._some(X[hidden], columns)
            said = self._scores_of(one, shown)
            if y.ndim == 1 and said.ndim == 2 and said.shape[1] != len(self.classes_):
                raise ValueError(
                    f"decision_function of {self.head!r} has {said.shape[1]} scores for "
                    f"{len(self.classes_)} classes; take one with a score for each, or "
                    "calibrate=False."
                )
            if scores is None:
                scores = np.zeros((len(y), *said.shape[1:]))
            scores[hidden] = said
        return np.asarray(scores)

    def _some(self, block: NDArray[Any], columns: Rows | None) -> NDArray[Any]:
        """Return the columns that may be used; in their places, where the head knows these."""
        if columns is None:
            return block
        if not isinstance(self.head, PerClass):
            return block[:, columns]
        block[:, np.setdiff1d(np.arange(block.shape[1]), columns)] = 0.0  # a copy already
        return block

    @property
    def coef_(self) -> Floats:
        """Coefficients of the classifier, if it has any."""
        return np.asarray(self.head_.coef_)

    @property
    def intercept_(self) -> Floats:
        """Constants of the classifier, if it has any."""
        return np.asarray(self.head_.intercept_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict what the classifier predicts."""
        check_is_fitted(self)
        return np.asarray(self.head_.predict(X))

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of the classifier."""
        check_is_fitted(self)
        return np.asarray(self.head_.decision_function(X), dtype=np.float64)


class Calibrated(FromUnseen):
    """A classifier with a `decision_function`, and probabilities that agree with its predictions.

    Clones are fitted without each fold, and score its rows. Probabilities are softmax(slope ·
    scores), with the slope of the least log loss on these scores; there are no offsets, so that the
    likeliest class is the one that the classifier predicts. Of labels they are expit(slope · score)
    after an offset for each, which is part of the scores: a label is predicted above one half.

    Parameters
    ----------
    head : classifier
        Cloned; it needs a `decision_function` with a score for each class, or one for two.
    cv : int, default=3
        Number of folds, each of which costs a fit. Rows of a class that has no other are in none.
    random_state : int, RandomState or None, default=0
        Deals the folds.

    Attributes
    ----------
    head_ : classifier
        Fitted to all rows.
    classes_ : ndarray
    slopes_ : ndarray of shape (1,) or (L,)
        One for all classes, or one for each label.
    offsets_ : ndarray of shape (1,) or (L,)
        What is added to the scores of the head: 0 of classes.
    doubts_, oof_score_, oof_recall_, oof_confusion_, oof_worst_, oof_reliability_
        Of classes, as in `RidgeClassifier`.

    Examples
    --------
    >>> from seamark.linear_model import LinearSVM
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = np.where(X[:, 0] + 0.3 * rng.normal(size=300) > 0, "sea", "land")
    >>> Calibrated(LinearSVM()).fit(X, y).predict_proba([[-2.0, 0.0], [2.0, 0.0]]).round(1)
    array([[1., 0.],
           [0., 1.]])
    """

    def _begin(self, y: NDArray[Any]) -> None:
        self.slopes_ = np.ones(y.shape[1] if y.ndim == 2 else 1)
        self.offsets_ = np.zeros_like(self.slopes_)

    def _scores_of(self, head: Any, X: Any) -> Floats:
        return np.asarray(head.decision_function(X), dtype=np.float64)

    def _calibrate(self, scores: Floats, y: NDArray[Any], rows: Rows, weights: Floats) -> None:
        # The calibration knows scores of about 1, and those of some classifiers are hundreds.
        size = np.sqrt(np.mean(scores**2, axis=0 if y.ndim == 2 else None))
        size = np.where(size > 0, size, 1.0)
        if y.ndim == 2:
            columns = zip((scores / size).T, y.T, strict=True)
            found = [
                SoftmaxCalibration.fit(score, has.astype(np.intp), weights)
                for score, has in columns
            ]
            self.slopes_ = np.array([one.slope for one in found]) / size
            self.offsets_ = np.array([one.offset[1] for one in found]) * size
            return
        codes = np.searchsorted(self.classes_, y)
        calibration = SoftmaxCalibration.fit(scores / size, codes, weights, offsets=False)
        self.slopes_, self.offsets_ = np.array([calibration.slope / float(size)]), np.zeros(1)
        chances = calibration.probabilities(scores / size)
        self.doubts_ = quantiles(1.0 - chances[np.arange(len(codes)), codes])
        self._keep_told(told_of(scores, codes, rows, weights, chances.max(axis=1)))

    @property
    def intercept_(self) -> Floats:
        """Constants of the classifier, if it has any."""
        return np.asarray(self.head_.intercept_ + self.offsets_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict what the classifier predicts; of labels, those that are likely, as 0 and 1."""
        check_is_fitted(self)
        if len(self.slopes_) == 1:
            return super().predict(X)
        return (self.decision_function(X) > 0).astype(np.intp)

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of the classifier, with the offsets of labels."""
        return np.asarray(super().decision_function(X) + self.offsets_)

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class, (n, n_classes), or of each label, (n, L)."""
        scores = self.decision_function(X)
        if len(self.slopes_) == 1:
            n_classes = len(self.classes_)
            known = SoftmaxCalibration(float(self.slopes_[0]), np.zeros(n_classes))
            return known.probabilities(scores)
        return np.asarray(expit(self.slopes_ * scores))
