"""What a model decides of objects, as one linear score each: of a class, or of a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..linear_model import coefficients_of

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Decision:
    """Predictions, and the scores that an explanation takes apart.

    Attributes
    ----------
    predictions : ndarray of shape (n,)
    scores : ndarray of shape (n,)
        Of the target above its rival; of numbers, the prediction.
    weights : ndarray of shape (n, features)
        Coefficients of each score.
    targets, rivals : ndarray of shape (n,) or None
        The class asked about, and the best other one; None of numbers.
    """

    predictions: NDArray[Any]
    scores: Floats
    weights: Floats
    targets: NDArray[Any] | None = None
    rivals: NDArray[Any] | None = None


def of_classes(head: Any, classes: NDArray[Any], features: NDArray[Any], target: Any) -> Decision:
    """Return the score of a class above the best other one, for each object.

    Parameters
    ----------
    head : fitted classifier
        Its classes are numbers of the model's.
    classes : ndarray
        The model's.
    features : ndarray
    target : class or None
        None: the one that is predicted.
    """
    predictions = np.asarray(head.predict(features), dtype=np.intp)
    known = np.asarray(head.classes_, dtype=np.intp)
    coefficients, scores = coefficients_of(head), _scores(head, features)
    if len(known) == 2:
        # One row speaks for the second class. Halves, so that a class is above the other by it.
        coefficients = np.concatenate([-coefficients, coefficients]) / 2
        scores = np.concatenate([-scores, scores], axis=1) / 2
    rows = np.arange(len(features))
    mine = np.searchsorted(known, predictions if target is None else _code(target, classes, known))
    mine = np.broadcast_to(mine, len(features))
    rest = scores.copy()
    rest[rows, mine] = -np.inf
    rival = rest.argmax(axis=1)
    return Decision(
        classes[predictions],
        scores[rows, mine] - scores[rows, rival],
        coefficients[mine] - coefficients[rival],
        classes[known[mine]],
        classes[known[rival]],
    )


def of_numbers(
    head: Any, features: NDArray[Any], predictions: NDArray[Any], scores: Any, output: int = 0
) -> Decision:
    """Return the linear score behind predictions; of several, that of one output."""
    weights = np.broadcast_to(coefficients_of(head)[output], features.shape)
    return Decision(predictions, np.asarray(scores, dtype=np.float64), weights)


def require_no_target(target: Any, model: Any) -> None:
    """Stop where a class is asked about and there are none."""
    if target is not None:
        raise ValueError(
            f"target={target!r} asks about a class, and {type(model).__name__} predicts none; "
            "leave it out."
        )


def _scores(head: Any, features: NDArray[Any]) -> Floats:
    """Return scores of classes, (n, 1) of two."""
    if hasattr(head, "decision_function"):
        found = np.asarray(head.decision_function(features), dtype=np.float64)
    else:
        found = features @ coefficients_of(head).T + np.ravel(getattr(head, "intercept_", 0.0))
    return found.reshape(len(features), -1)


def _code(target: Any, classes: NDArray[Any], known: NDArray[np.intp]) -> int:
    """Return the number of a class; stop if the model does not know it."""
    places = [k for k, one in enumerate(classes) if k in known and one == target]
    if not places:
        shown = ", ".join(map(repr, classes[:10].tolist()))
        raise ValueError(f"target={target!r} is none of the classes {shown}.")
    return places[0]
