"""Textbook ridge: standardise, then scikit-learn's `Ridge`, refitted wherever the heads do not."""

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def standardised_ridge(X, y, penalty, weights=None):
    """Textbook ridge in float64, without forming products of columns."""
    weights = np.ones(len(X)) if weights is None else weights
    model = make_pipeline(StandardScaler(), Ridge(penalty * weights.sum(), solver="svd"))
    fit_weights = {"standardscaler__sample_weight": weights, "ridge__sample_weight": weights}
    return model.fit(X, y, **fit_weights)


def refitted_scores(X, y, folds, penalty, weights=None):
    """Predictions of each fold by a model of the others; units are those of all rows."""
    weights = np.ones(len(X)) if weights is None else weights
    Z = StandardScaler().fit(X, sample_weight=weights).transform(X)
    scores = np.empty(y.shape)
    for k in range(folds.max() + 1):
        out, kept = folds == k, folds != k
        model = Ridge(penalty * weights[kept].sum(), solver="svd")
        found = model.fit(Z[kept], y[kept], weights[kept]).predict(Z[out])
        scores[out] = found.reshape(scores[out].shape)
    return scores


def refitted_errors(X, y, folds, penalty, weights=None):
    """Mean squared error of each fold under a model of the others; units are those of all rows."""
    squares = (refitted_scores(X, y, folds, penalty, weights) - y) ** 2
    squares = squares.reshape(len(squares), -1).mean(axis=1)
    weights = np.ones(len(X)) if weights is None else weights
    parts = [folds == k for k in range(folds.max() + 1)]
    return np.array([np.average(squares[out], weights=weights[out]) for out in parts])
