"""How y is read: which task it poses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d

from ..linear_model import ordered_ranks, query_codes
from ..targets import holds_classes, require_targets
from .tasks import AssessedTask, Classification, OrdinalTask, RankingTask, Regression

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
