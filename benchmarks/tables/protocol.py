"""Steps of the papers' protocols: scaling, binning, splits, measures of error."""

from __future__ import annotations

import time
from typing import Any

import numpy as np


def to_unit(values: Any) -> np.ndarray:
    """Scale each column to [0, 1] by its least and largest value; a constant one becomes 0."""
    values = np.asarray(values, dtype=np.float64)
    low, high = values.min(axis=0), values.max(axis=0)
    return (values - low) / np.where(high > low, high - low, 1.0)


def standardised(values: Any) -> np.ndarray:
    """Shift and scale each column to mean 0 and variance 1; a constant one becomes 0."""
    values = np.asarray(values, dtype=np.float64)
    spread = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def by_largest(y: Any) -> np.ndarray:
    """Targets divided by the largest of their absolute values; 0 stays 0."""
    y = np.asarray(y, dtype=np.float64)
    largest = np.abs(y).max()
    return y / (largest if largest > 0 else 1.0)


def equal_frequency(y: Any, n_bins: int) -> np.ndarray:
    """Bins 1, …, n_bins, as equally filled as ties allow: equal values share a bin."""
    y = np.asarray(y, dtype=np.float64)
    edges = np.quantile(y, np.arange(1, n_bins) / n_bins)
    return 1 + np.searchsorted(edges, y, side="left")


def swap_target(X: Any, y: Any, column: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Exchange the target with a column of X (LIBSVM's bodyfat predicts density)."""
    X = np.array(X, dtype=np.float64)
    target = X[:, column].copy()
    X[:, column] = y
    return X, target


def split_rows(n: int, shares: tuple[float, ...], split: int) -> list[np.ndarray]:
    """Rows of each part of one random split; the last part is what the shares leave.

    Number `split` alone decides, so that all methods meet the same splits.
    """
    order = np.random.default_rng([20120612, split]).permutation(n)
    return np.split(order, np.round(np.cumsum(shares) * n).astype(int))


def timed(model: Any, X: Any, y: Any, X_new: Any) -> tuple[np.ndarray, dict[str, Any]]:
    """Fit and predict by the clock: predictions, and facts to be kept with the score.

    Processor seconds tell what a method costs even where others share the machine.
    """
    start, processor = time.perf_counter(), time.process_time()
    model.fit(X, y)
    fitted = time.perf_counter()
    predicted = model.predict(X_new)
    done = time.perf_counter()
    return predicted, {
        "seconds": done - start,
        "processor_seconds": time.process_time() - processor,
        "fit_seconds": fitted - start,
        "predict_seconds": done - fitted,
        "n_train": len(y),
        "n_test": len(predicted),
        "evaluations": int(getattr(model, "n_evaluations_", 0)),
    }


def mean_squared(predicted: Any, y: Any) -> float:
    return float(np.mean(np.square(np.asarray(predicted) - y)))


def mean_absolute(predicted: Any, y: Any) -> float:
    return float(np.mean(np.abs(np.asarray(predicted) - y)))


def rounded(predicted: Any, labels: Any) -> np.ndarray:
    """The nearest whole number within the range of the labels."""
    return np.clip(np.rint(predicted), np.min(labels), np.max(labels))
