"""The quick model's landmarks and reasons, as the user's own objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..heads import coefficients_of
from ..measures import Columns
from ..models.explaining import strongest
from ..models.likeness import mixture, near
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
    explanations = []
    seen = _Seen(bench, model)
    for i in _shown(bench, model):
        row = int(bench.sample.test[i])
        explanations.append(
            {
                "object": _object(bench, X, row),
                "truth": _plain(bench.task.labels[row]),
                "prediction": _plain(bench.task.shown(model.predictions[i])),
                "reasons": seen.reasons(int(i)),
            }
        )
    return Explained(landmarks, explanations)


class _Seen:
    """What the quick model sees of test rows, and of landmarks among the rows it learned from."""

    def __init__(self, bench: Bench, model: Tried) -> None:
        self.bench = bench
        self.learn, self.test = bench.features(model.transfer)
        self.weights = _weights(model, len(self.test))
        sample = bench.sample
        place = {int(row): k for k, row in enumerate(sample.learn)}
        rows = [] if sample.reference is None else [int(row) for row in sample.reference]
        # Only landmarks that were learned from too have features of their own.
        self.known = np.array([j for j, row in enumerate(rows) if row in place], dtype=np.intp)
        self.places = np.array([place[rows[j]] for j in self.known], dtype=np.intp)

    def reasons(self, i: int) -> list[dict[str, Any]]:
        """Return the landmarks of which a test row is a mixture, or else the heaviest ones."""
        values = self.bench.sample.values[len(self.bench.sample.learn) + i]
        weights, means = self.weights[i], self.learn.mean(axis=0)
        if len(self.known) > REASONS:
            few = near(values[self.known], self.bench.kind)
            rows = self.learn[self.places[few]]
            scores, score = (rows - means) @ weights, float((self.test[i] - means) @ weights)
            taken, shares = mixture(self.test[i], rows, score, scores, REASONS)
            columns, parts = self.known[few[taken]], shares * scores[taken]
        else:
            every = (self.test[i] - means) * weights
            columns = strongest(every, REASONS)
            parts = every[columns]
        return [
            {
                **_landmark(self.bench, int(columns[k])),
                "value": float(values[columns[k]]),
                "contribution": float(parts[k]),
            }
            for k in strongest(parts, REASONS)
        ]


def _weights(model: Tried, n: int) -> NDArray[np.float64]:
    """Return coefficients of what is predicted: of a class above the mean of all, or a number."""
    coefficients = coefficients_of(model.head)
    classes = getattr(model.head, "classes_", np.array([]))  # those it has seen
    if len(classes) > 2:
        return coefficients[np.searchsorted(classes, model.predictions)]
    weights = np.repeat(coefficients[:1], n, axis=0)
    if len(classes) == 2:  # one row of coefficients, which speaks for the second class
        weights[model.predictions == classes[0]] *= -1
    return weights


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
