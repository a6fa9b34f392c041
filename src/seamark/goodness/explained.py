"""The quick model's landmarks and reasons, as the user's own objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..heads import coefficients_of
from ..measures import Columns
from ..models.explaining import strongest
from .bench import Bench
from .yardsticks import Tried

MOST_LANDMARKS = 24
MOST_OBJECTS = 12
REASONS = 5


@dataclass(frozen=True)
class Explained:
    """Plain records of landmarks and predictions.

    Attributes
    ----------
    landmarks : list of dict
        object, label, index, weight; the heaviest first.
    explanations : list of dict
        object, truth, prediction, reasons; a reason has object, label, index, value and
        contribution, the strongest first. Of held-out objects, right and wrong ones.
    """

    landmarks: list[dict[str, Any]]
    explanations: list[dict[str, Any]]


def explain(bench: Bench, model: Tried, X: Any) -> Explained:
    """Say which landmarks weigh most, and what decided a few held-out objects."""
    weights = np.linalg.norm(coefficients_of(model.head), axis=0)  # over all outputs
    landmarks = [
        {**_landmark(bench, int(j)), "weight": float(weights[j])}
        for j in strongest(weights, MOST_LANDMARKS)
    ]
    parts = _contributions(bench, model)
    n = len(bench.sample.learn)
    explanations = []
    for i in _shown(bench, model):
        reasons = [
            {
                **_landmark(bench, int(j)),
                "value": float(bench.sample.values[n + i, j]),
                "contribution": float(parts[i, j]),
            }
            for j in strongest(parts[i], REASONS)
        ]
        row = int(bench.sample.test[i])
        explanations.append(
            {
                "object": _object(bench, X, row),
                "truth": _plain(bench.task.labels[row]),
                "prediction": _plain(bench.task.shown(model.predictions[i])),
                "reasons": reasons,
            }
        )
    return Explained(landmarks, explanations)


def _contributions(bench: Bench, model: Tried) -> NDArray[np.float64]:
    """Coefficient times the feature's distance from its mean, for the class or number predicted."""
    learn, test = bench.features(model.transfer)
    coefficients = coefficients_of(model.head)
    classes = getattr(model.head, "classes_", np.array([]))  # those it has seen
    speakers = np.zeros(len(test), dtype=int)
    if len(classes) > 2:
        speakers = np.searchsorted(classes, model.predictions)
    parts: NDArray[np.float64] = (test - learn.mean(axis=0)) * coefficients[speakers]
    if len(classes) == 2:  # one row of coefficients, which speaks for the second class
        parts[model.predictions == classes[0]] *= -1
    return parts


def _shown(bench: Bench, model: Tried) -> NDArray[np.intp]:
    """Some objects: badly and well predicted ones by turns."""
    truth = bench.task.learned[bench.sample.test]
    wrong = (
        model.predictions != truth if bench.task.n_classes else np.abs(model.predictions - truth)
    )
    order = np.argsort(-np.asarray(wrong, dtype=float), kind="stable")
    half = min(MOST_OBJECTS, len(order)) // 2
    return np.concatenate([order[:half], order[::-1][:half]])


def _landmark(bench: Bench, j: int) -> dict[str, Any]:
    sample = bench.sample
    one = sample.landmarks[j]
    # A matrix's landmarks are known by their columns only.
    shown = int(one.indices[0]) if isinstance(one, Columns) else one
    if sample.reference is None:
        return {"object": shown, "label": None, "index": None}
    row = int(sample.reference[j])
    return {"object": shown, "label": _plain(bench.task.labels[row]), "index": row}


def _object(bench: Bench, X: Any, row: int) -> Any:
    return row if isinstance(bench.sample.landmarks, Columns) else X[row]


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
