"""What there is to learn: how targets are predicted, scored and judged."""

from __future__ import annotations

from abc import ABC, abstractmethod
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


@dataclass(frozen=True)
class AssessedTask(ABC):
    """A task.

    Attributes
    ----------
    labels : ndarray
        What users know the targets as.
    y : ndarray
        What is learned: class numbers, numbers, ranks, relevance.
    query : ndarray or None
        Query of each row, in ranking.
    """

    labels: NDArray[Any]
    y: NDArray[Any]
    query: Rows | None = None

    name = ""
    score_name = ""

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 if targets are no classes."""
        return 0

    @property
    def strata(self) -> Rows | None:
        """Classes that must be spread evenly over samples."""
        return None

    @property
    @abstractmethod
    def targets(self) -> Floats:
        """Targets as a matrix of numbers, (n, T), to be regressed on and aligned with."""

    def head(self, random_state: int) -> Any:
        """Return the quick model, unfitted; it learns `learned`."""
        return RidgeRegressor(cv=FOLDS, random_state=random_state)

    @property
    def learned(self) -> NDArray[Any]:
        """What the quick model learns."""
        return self.targets[:, 0]

    def decided(self, scores: Floats) -> NDArray[Any]:
        """Predictions from regressed targets, (n, T) or more axes before the last."""
        return scores[..., 0]

    def predicted(self, head: Any, features: Floats) -> NDArray[Any]:
        """Predictions of the quick model."""
        return self.decided(np.asarray(head.predict(features))[:, None])

    def shown(self, prediction: Any) -> Any:
        """Return a prediction as users know it."""
        return float(prediction)

    @abstractmethod
    def score(self, predictions: NDArray[Any], rows: Rows) -> float:
        """Score of predictions for some rows; larger is better."""

    @abstractmethod
    def constant(self, rows: Rows) -> NDArray[Any]:
        """Best constant prediction, learned from some rows."""

    def least_loss(self) -> tuple[BoxLoss, Floats] | None:
        """Return the loss of the (ε, B) curve, and the targets in its units; None for classes."""
        return None

    def landmarks_asked(self, bound: float) -> int | None:
        """Landmarks that a theorem asks for if weights up to a bound reach the least loss."""
        return None


class Classification(AssessedTask):
    """Classes."""

    name = "classification"
    score_name = "accuracy"

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.y.max()) + 1

    @property
    def strata(self) -> Rows:
        """The classes."""
        return self.y

    @property
    def targets(self) -> Floats:
        """±1 for each class."""
        return signs(self.y, np.arange(self.n_classes), each=True)

    @property
    def learned(self) -> NDArray[Any]:
        """Class numbers."""
        return self.y

    def head(self, random_state: int) -> Any:
        """Return a ridge on ±1; nobody asks it for probabilities."""
        return RidgeClassifier(cv=FOLDS, calibrate=False, random_state=random_state)

    def decided(self, scores: Floats) -> NDArray[Any]:
        """Return the class of the largest score."""
        return np.asarray(scores.argmax(axis=-1))

    def predicted(self, head: Any, features: Floats) -> NDArray[Any]:
        """Return classes."""
        return np.asarray(head.predict(features))

    def shown(self, prediction: Any) -> Any:
        """Return the label."""
        return _label_of(self, prediction)

    def score(self, predictions: NDArray[Any], rows: Rows) -> float:
        """Return the accuracy."""
        return float((predictions == self.y[rows]).mean())

    def constant(self, rows: Rows) -> NDArray[Any]:
        """Return the commonest class."""
        return np.asarray(np.bincount(self.y[rows]).argmax())


class Regression(AssessedTask):
    """Numbers."""

    name = "regression"
    score_name = "R²"

    @property
    def targets(self) -> Floats:
        """The numbers."""
        return self.y[:, None].astype(np.float64)

    def score(self, predictions: NDArray[Any], rows: Rows) -> float:
        """Return R²; the mean is that of the rows scored."""
        y = self.targets[rows, 0]
        spread = float(((y - y.mean()) ** 2).sum())
        return 1.0 - float(((y - predictions) ** 2).sum()) / spread if spread > 0 else 0.0

    def constant(self, rows: Rows) -> NDArray[Any]:
        """Return the mean."""
        return np.asarray(self.y[rows].mean())

    def least_loss(self) -> tuple[BoxLoss, Floats] | None:
        """Return the ε-insensitive loss of y, centred and scaled into [−1, 1]."""
        y = self.targets[:, 0] - self.y.mean()
        return insensitive_loss(INSENSITIVITY), y / (np.abs(y).max() or 1.0)

    def landmarks_asked(self, bound: float) -> int | None:
        """Return RegLand's."""
        return regression_landmarks(bound)


class OrdinalTask(AssessedTask):
    """Ordered labels."""

    name = "ordinal"
    score_name = "absolute error removed"

    @property
    def targets(self) -> Floats:
        """The ranks."""
        return self.y[:, None].astype(np.float64)

    def decided(self, scores: Floats) -> NDArray[Any]:
        """Return the nearest rank."""
        return np.clip(np.rint(scores[..., 0]), 0, self.y.max())

    def shown(self, prediction: Any) -> Any:
        """Return the label."""
        return _label_of(self, prediction)

    def score(self, predictions: NDArray[Any], rows: Rows) -> float:
        """Return the share of the median's mean absolute error that predictions remove."""
        y = self.y[rows]
        least = float(np.abs(y - np.median(y)).mean())
        return 1.0 - float(np.abs(y - predictions).mean()) / least if least > 0 else 0.0

    def constant(self, rows: Rows) -> NDArray[Any]:
        """Return the median rank."""
        return np.asarray(np.median(self.y[rows]))

    def least_loss(self) -> tuple[BoxLoss, Floats] | None:
        """Return the margin loss; ranks are centred, for there is no constant to add."""
        middle = float(self.y.max()) / 2
        return ordinal_margin_loss(-middle, middle), self.y - middle

    def landmarks_asked(self, bound: float) -> int | None:
        """Return ORLand's."""
        return ordinal_landmarks(bound)


class RankingTask(AssessedTask):
    """Relevance of documents to queries."""

    name = "ranking"
    score_name = "NDCG"

    @property
    def targets(self) -> Floats:
        """Gains, normalised by query."""
        return normalised_gains(self.y, self.query if self.query is not None else [])[:, None]

    def score(self, predictions: NDArray[Any], rows: Rows) -> float:
        """Return the mean NDCG over queries."""
        query = None if self.query is None else self.query[rows]
        return float(ndcg(predictions, self.y[rows], query))

    def constant(self, rows: Rows) -> NDArray[Any]:
        """Return 0: any constant leaves the order to chance."""
        return np.asarray(0.0)

    def least_loss(self) -> tuple[BoxLoss, Floats] | None:
        """Return the squared loss of the gains, centred."""
        gains = self.targets[:, 0]
        return SQUARED_LOSS, gains - gains.mean()


def _label_of(task: AssessedTask, code: Any) -> Any:
    return task.labels[np.argmax(task.y == code)]


# How y is read: which task it poses.


TASKS = tuple(cls.name for cls in (Classification, Regression, OrdinalTask, RankingTask))


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
    _require_varied(labels)
    if task == "auto":
        task = _guess(labels, ordered, qid)
    if task not in TASKS:
        raise ValueError(f"task={task!r} is none of auto, {', '.join(TASKS)}.")
    if (qid is not None) != (task == "ranking"):
        raise ValueError(
            f"qid names the query of each object, and goes with task='ranking', not {task!r}."
            if qid is not None
            else "task='ranking' needs qid, the query of each object."
        )
    if task == "classification":
        return Classification(labels, np.unique(labels, return_inverse=True)[1])
    if task == "ordinal":
        classes, ranks = ordered_ranks(y if ordered else labels, None)
        return OrdinalTask(classes[ranks], ranks)
    require_targets(labels, numeric=True)
    numbers = labels.astype(np.float64)
    if task == "regression":
        return Regression(labels, numbers)
    query = query_codes(qid, len(labels))
    if query.max() < 2:
        raise ValueError(
            f"qid names {query.max() + 1} queries; give at least three, for landmarks, learning "
            "and testing."
        )
    return RankingTask(labels, numbers, query)


def _guess(labels: NDArray[Any], ordered: bool, qid: Any) -> str:
    if qid is not None:
        return "ranking"
    if ordered:
        return "ordinal"
    return "classification" if holds_classes(labels) else "regression"


def _require_varied(labels: NDArray[Any]) -> None:
    if len(labels) and (labels == labels[0]).all():
        raise ValueError(
            f"all of y is {labels.tolist()[0]!r}; a measure can be judged only against targets "
            "that differ."
        )
