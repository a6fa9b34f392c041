"""Classifiers of objects that have any number of labels: what differs from one class each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from ..io import RowSource, is_collection
from ..linear_model import EachLabel, RidgeClassifier, RidgeLabels, coefficients_of
from ..targets import label_matrix, label_targets
from .deciding import Decision


def has_labels(model: Any) -> bool:
    """Whether a model was fitted to labels, and not to classes."""
    return bool(getattr(model, "multilabel_", False))


class Labelled(ClassifierMixin):
    """A classifier that takes classes, and labels too."""

    classes_: NDArray[Any]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy; of labels, the share of objects for which all are right.

        Parameters
        ----------
        X : objects
        y : as in `fit`
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        float
        """
        y = label_matrix(self.classes_, y) if has_labels(self) else y
        return float(super().score(X, y, sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def fit_to_labels(model: Any, X: Any, y: Any, sample_weight: Any) -> None:
    """Fit a classifier to a matrix of 0 and 1, or to sets of labels."""
    _require_possible(model, X)
    model.classes_, codes = label_targets(model, y)
    model.multilabel_ = True
    model._fit(X, codes, codes, adapted=parts_for_labels, sample_weight=sample_weight)


def _require_possible(model: Any, X: Any) -> None:
    """Stop at what means nothing for labels, before any work."""
    if isinstance(X, RowSource) or is_collection(X):
        raise ValueError(
            "several labels of an object are not read from a source of rows; give a list or an "
            "array of the objects, and a matrix of 0 and 1 as y."
        )
    if model.class_weight is not None:
        raise ValueError(
            f"class_weight={model.class_weight!r} weighs rows by their one class, and y has "
            "several labels for each; leave it out, or give sample_weight."
        )


def parts_for_labels(head: Any, weighing: Any) -> tuple[Any, Any, Any]:
    """Return head and weighing that learn all labels, and the yardstick of them.

    A ridge learns them at once; any other head is cloned for each.
    """
    if hasattr(weighing, "task"):
        weighing.set_params(task="regression")  # on columns of 0 and 1
    return _head_of_labels(head), weighing, RidgeLabels(cv=3, calibrate=False)


def _head_of_labels(head: Any) -> Any:
    if isinstance(head, RidgeClassifier):
        parameters = head.get_params()
        del parameters["class_weight"]
        return RidgeLabels(**parameters)
    return head if isinstance(head, (RidgeLabels, EachLabel)) else EachLabel(head)


def decision_of_label(
    head: Any, labels: NDArray[Any], features: NDArray[Any], target: Any
) -> Decision:
    """Return the score of one label, for each object: to have it, or not."""
    place = place_of(labels, target)
    scores = np.asarray(head.decision_function(features), dtype=np.float64)[:, place]
    names = np.array([f"not {target}", str(target)], dtype=object)
    said = (scores > 0).astype(np.intp)
    weights = np.broadcast_to(coefficients_of(head)[place], features.shape)
    asked, rivals = (np.broadcast_to(names[[k]], len(features)) for k in (1, 0))
    return Decision(names[said], scores, weights, asked, rivals)


def place_of(labels: NDArray[Any], target: Any) -> int:
    """Return the column of a label; stop if there is none, or none was named."""
    shown = ", ".join(map(repr, labels[:10].tolist()))
    if target is None:
        raise ValueError(
            f"objects have several labels; say which one to explain, such as explain(X, "
            f"target={labels.tolist()[0]!r}). The labels are {shown}."
        )
    places = np.flatnonzero(labels == target)
    if not len(places):
        raise ValueError(f"target={target!r} is none of the labels {shown}.")
    return int(places[0])


def sides_of(labels: Any, place: int, name: Any) -> Any:
    """Return of each landmark whether it has a label, in words; None: its labels are not known."""
    if labels is None:
        return None
    words = f"not {name}", str(name)
    return np.array([None if one is None else words[int(one[place])] for one in labels], object)
