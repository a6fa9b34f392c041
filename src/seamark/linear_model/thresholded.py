"""`Thresholded`: a linear score, cut by thresholds into ordered labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .margins import Guarantees, guarantees, margin_losses
from .newton import Floats
from .order import ranks_among


class Thresholded(ClassifierMixin, BaseEstimator):
    """What a fitted score and its thresholds say; how they are found is the subclass's."""

    variant: str
    margin: float
    classes_: NDArray[Any]
    coef_: Floats
    intercept_: float
    thresholds_: Floats
    loss_: float

    def _scores(self, X: Any) -> Floats:
        return np.asarray(X @ self.coef_ + self.intercept_)

    def scores(self, X: Any) -> Floats:
        """Score f of each object: the higher, the higher its label.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples,)
            Scores, to be compared with `thresholds_`.
        """
        check_is_fitted(self)
        return self._scores(
            validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        )

    def decision_function(self, X: Any) -> Floats:
        """How far inside the place of each label the score lies, as scikit-learn wants it.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, r)
            Distance to the nearer threshold of the label, below 0 outside; the label of the
            largest is predicted. For two labels the score itself, of shape (n_samples,).
        """
        return self.depths(self.scores(X))

    def depths(self, score: Floats) -> Floats:
        """Return the decision that belongs to scores."""
        if len(self.classes_) == 2:
            return score
        edges = np.concatenate([[-np.inf], self.thresholds_, [np.inf]])
        depth = np.minimum(score[:, None] - edges[:-1], edges[1:] - score[:, None])
        return np.asarray(depth)

    def predict(self, X: Any) -> NDArray[Any]:
        """Label of each object.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels out of `classes_`.
        """
        score = self.scores(X)
        labels: NDArray[Any] = self.classes_[np.searchsorted(self.thresholds_, score)]
        return labels

    def absolute_error(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Mean distance, in ranks, of predicted and true labels.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.
        y : array of shape (n_samples,)
            Labels out of `classes_`.
        sample_weight : array of shape (n_samples,), default=None
            Weights of the objects.

        Returns
        -------
        float
            Mean absolute error.
        """
        predicted = np.searchsorted(self.thresholds_, self.scores(X))
        distance = np.abs(predicted - ranks_among(np.asarray(y), self.classes_))
        return float(np.average(distance, weights=sample_weight))

    def margin_loss(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Mean margin loss ε₀, for `guarantees` about other objects than the training sample.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.
        y : array of shape (n_samples,)
            Labels out of `classes_`.
        sample_weight : array of shape (n_samples,), default=None
            Weights of the objects.

        Returns
        -------
        float
            ε₀.
        """
        score, rank = self.scores(X), ranks_among(np.asarray(y), self.classes_)
        losses = margin_losses(score, rank, self.thresholds_, self.margin, self.variant)
        return float(np.average(losses, weights=sample_weight))

    def guarantees(self, loss: float | None = None) -> Guarantees:
        """Bounds on mislabelling and absolute error that follow from a margin loss.

        Parameters
        ----------
        loss : float, default=None
            Mean margin loss of a sample, from `margin_loss`; by default that of the training
            sample.

        Returns
        -------
        Guarantees
            Named tuple (mislabelling, absolute_error), true of the same sample.
        """
        check_is_fitted(self)
        spacing = float(np.min(np.diff(self.thresholds_), initial=np.inf))
        loss = self.loss_ if loss is None else loss
        return guarantees(loss, self.margin, spacing, self.variant)
