"""What there is to learn: how targets are predicted, scored and judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d

from ..linear_model import (
    RidgeClassifier,
    RidgeRegressor,
    ndcg,
    normalised_gains,
    ordered_ranks,
    query_codes,
)
from ..targets import holds_classes, require_targets, signs
from ..theory import ordinal_landmarks, regression_landmarks
from .definitions import SQUARED_LOSS, BoxLoss, insensitive_loss, ordinal_margin_loss

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

FOLDS = 3  # by which the quick model chooses its penalty, as models compare transfers
INSENSITIVITY = 0.1  # of the largest |y − mean|
SCORES = {
    "classification": "accuracy",
    "regression": "R²",
    "ordinal": "absolute error removed",
    "ranking": "NDCG",
}
"""Tasks, and what predictions are scored by."""


@dataclass(frozen=True)
class AssessedTask:
    """A task.

    Attributes
    ----------
    name : {"classification", "regression", "ordinal", "ranking"}
    labels : ndarray
        What users know the targets as.
    y : ndarray
        Class numbers, numbers, ranks, relevance.
    targets : ndarray of shape (n, T)
        Numbers to be regressed on and aligned with: ±1 for each class, the numbers, the ranks,
        gains normalised by query.
    query : ndarray or None
        Query of each row, in ranking.
    """

    name: str
    labels: NDArray[Any]
    y: NDArray[Any]
    targets: Floats
    query: Rows | None = None

    @property
    def score_name(self) -> str:
        """What predictions are scored by."""
        return SCORES[self.name]

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 if targets are no classes."""
        return int(self.y.max()) + 1 if self.name == "classification" else 0

    @property
    def learned(self) -> NDArray[Any]:
        """What the quick model learns."""
        return self.y if self.n_classes else self.targets[:, 0]

    def head(self, random_state: int) -> Any:
        """Return the quick model, unfitted; nobody asks it for probabilities."""
        if self.n_classes:
            return RidgeClassifier(cv=FOLDS, calibrate=False, random_state=random_state)
        return RidgeRegressor(cv=FOLDS, random_state=random_state)

    def predicted(self, head: Any, features: Floats) -> NDArray[Any]:
        """Predictions of the quick model; of ranks the nearest."""
        predictions = np.asarray(head.predict(features))
        if self.name == "ordinal":
            predictions = np.clip(np.rint(predictions), 0, self.y.max())
        return predictions

    def shown(self, prediction: Any) -> Any:
        """Return a prediction as users know it."""
        if self.name in ("regression", "ranking"):
            return float(prediction)
        return self.labels[np.argmax(self.y == prediction)]

    def score(self, predictions: NDArray[Any], rows: Rows) -> float:
        """Score of predictions for some rows; larger is better."""
        y = self.y[rows]
        if self.name == "classification":
            return float((predictions == y).mean())
        if self.name == "ranking":
            query = None if self.query is None else self.query[rows]
            return float(ndcg(predictions, y, query))
        if self.name == "regression":
            lost, least = ((y - predictions) ** 2).sum(), ((y - y.mean()) ** 2).sum()
        else:
            lost, least = np.abs(y - predictions).mean(), np.abs(y - np.median(y)).mean()
        return 1.0 - float(lost) / float(least) if least > 0 else 0.0

    def constant(self, rows: Rows) -> NDArray[Any]:
        """Best constant prediction, learned from some rows; in ranking any leaves it to chance."""
        y = self.y[rows]
        if self.name == "classification":
            return np.asarray(np.bincount(y).argmax())
        if self.name == "ranking":
            return np.asarray(0.0)
        return np.asarray(y.mean() if self.name == "regression" else np.median(y))

    def least_loss(self) -> tuple[BoxLoss, Floats] | None:
        """Return the loss of the (ε, B) curve, and the targets in its units; None for classes.

        Targets are centred, for there is no constant to add.
        """
        if self.name == "classification":
            return None
        y = self.targets[:, 0]
        if self.name == "ordinal":
            middle = float(self.y.max()) / 2
            return ordinal_margin_loss(-middle, middle), y - middle
        y = y - y.mean()
        if self.name == "ranking":
            return SQUARED_LOSS, y
        return insensitive_loss(INSENSITIVITY), y / (np.abs(y).max() or 1.0)

    def landmarks_asked(self, bound: float) -> int | None:
        """Landmarks that RegLand's or ORLand's theorem asks for, if one bounds weights so."""
        asked = {"regression": regression_landmarks, "ordinal": ordinal_landmarks}.get(self.name)
        return None if asked is None else asked(bound)


# How y is read: which task it poses.


def read_task(y: Any, task: str, qid: Any) -> AssessedTask:
    """Return the task that y and a user's `task=` mean.

    Examples
    --------
    >>> read_task(["a", "b", "a"], "auto", None).name, read_task([0.5, 1.5], "auto", None).name
    ('classification', 'regression')
    """
    ordered = bool(getattr(getattr(y, "dtype", None), "ordered", False))
    require_targets(y)
    labels = column_or_1d(np.asarray(y))
    if len(labels) and (labels == labels[0]).all():
        raise ValueError(
            f"all of y is {labels.tolist()[0]!r}; a measure can be judged only against targets "
            "that differ."
        )
    if task == "auto" and qid is not None:
        task = "ranking"
    elif task == "auto" and ordered:
        task = "ordinal"
    elif task == "auto":
        task = "classification" if holds_classes(labels) else "regression"
    if task not in SCORES:
        raise ValueError(f"task must be one of auto, {', '.join(SCORES)}; got {task!r}.")
    if (qid is not None) != (task == "ranking"):
        raise ValueError(
            f"qid names the query of each object, and goes with task='ranking', not {task!r}."
            if qid is not None
            else "task='ranking' needs qid, the query of each object."
        )
    if task == "classification":
        classes, codes = np.unique(labels, return_inverse=True)
        targets = signs(codes, np.arange(len(classes)), each=True)
        return AssessedTask(task, labels, codes, targets)
    if task == "ordinal":
        classes, ranks = ordered_ranks(y if ordered else labels, None)
        return AssessedTask(task, classes[ranks], ranks, ranks[:, None].astype(np.float64))
    require_targets(labels, numeric=True)
    numbers = labels.astype(np.float64)
    if task == "regression":
        return AssessedTask(task, labels, numbers, numbers[:, None])
    query = query_codes(qid, len(labels))
    if query.max() < 2:
        raise ValueError(
            f"qid names {query.max() + 1} queries; give at least three, for landmarks, learning "
            "and testing."
        )
    return AssessedTask(task, labels, numbers, normalised_gains(numbers, query)[:, None], query)
