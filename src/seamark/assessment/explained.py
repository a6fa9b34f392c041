"""The quick model's landmarks and reasons, as the user's own objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..linear_model import coefficients_of
from ..measures import Columns
from ..models.deciding import of_classes, of_numbers
from ..models.evidence import Evidence, evidence_of
from ..models.explaining import strongest
from ..models.likeness import Profiles
from ..models.reasons import Reason
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
        object, label, index, weight; the heaviest first. A weight is the size of the coefficient
        times the deviation of the feature: by how much the landmark moves scores.
    explanations : list of dict
        object, truth, prediction, reasons; a reason has object, label, index, value and
        contribution, the strongest first. Of held-out objects, right and wrong ones.
    """

    landmarks: list[dict[str, Any]]
    explanations: list[dict[str, Any]]


def explain(bench: Bench, model: Tried, X: Any) -> Explained:
    """Say which landmarks weigh most, and what decided a few held-out objects."""
    # A coefficient of a feature that hardly varies may be huge and still move nothing.
    spread = bench.features(model.transfer)[0].std(axis=0, dtype=np.float64)
    weights = np.linalg.norm(coefficients_of(model.head), axis=0) * spread  # over all outputs
    landmarks = []
    for j in strongest(weights, MOST_LANDMARKS):
        index = None if bench.sample.reference is None else int(bench.sample.reference[j])
        label = None if index is None else _plain(bench.task.labels[index])
        shown = _object(bench.sample.landmarks[int(j)])
        landmarks.append(
            {"object": shown, "label": label, "index": index, "weight": float(weights[j])}
        )
    some = _shown(bench, model)
    block = _Known(bench, model, some)
    if bench.task.n_classes:
        decided = of_classes(model.head, np.arange(bench.task.n_classes), block.features, None)
    else:
        scores = model.head.predict(block.features)
        decided = of_numbers(model.head, block.features, model.predictions[some], scores)
    explanations = []
    for i, told in zip(some, evidence_of(block, decided.weights, decided, REASONS), strict=True):
        row = int(bench.sample.test[i])
        explanations.append(
            {
                "object": row if isinstance(bench.sample.landmarks, Columns) else X[row],
                "truth": _plain(bench.task.labels[row]),
                "prediction": _plain(bench.task.shown(model.predictions[i])),
                "reasons": [_reason(one) for one in told.reasons],
            }
        )
    return Explained(landmarks, explanations)


class _Known(Evidence):
    """What was seen of some test rows, for explanations as models give them.

    No value is computed for it: only landmarks that were learned from too have features of their
    own, and objects are mixtures of these, if there are enough of them.
    """

    def __init__(self, bench: Bench, model: Tried, some: NDArray[np.intp]) -> None:
        learn, test = bench.features(model.transfer)
        sample = bench.sample
        self.map, self.name, self.means = bench.bearings, None, learn.mean(axis=0)
        self.labels = None if sample.reference is None else bench.task.labels[sample.reference]
        place = {int(row): k for k, row in enumerate(sample.learn)}
        rows = [] if sample.reference is None else sample.reference.tolist()
        known = np.array([row in place for row in rows], dtype=bool)
        self.mixes = np.count_nonzero(known) > REASONS
        self.profiles = Profiles(lambda places: learn[[place[rows[int(j)]] for j in places]])
        self.values = sample.values[len(sample.learn) + some]
        if self.mixes:
            self.values[:, ~known] = np.nan
        self.features = test[some]
        self._kind = bench.kind

    @property
    def kind(self) -> str | None:
        """Declared, or seen."""
        return self._kind


def _shown(bench: Bench, model: Tried) -> NDArray[np.intp]:
    """Some objects: badly and well predicted ones by turns."""
    truth = bench.task.learned[bench.sample.test]
    wrong = (
        model.predictions != truth if bench.task.n_classes else np.abs(model.predictions - truth)
    )
    order = np.argsort(-np.asarray(wrong, dtype=float), kind="stable")
    half = min(MOST_OBJECTS, len(order)) // 2
    return np.concatenate([order[:half], order[::-1][:half]])


def _reason(reason: Reason) -> dict[str, Any]:
    return {
        "object": _object(reason.landmark),
        "label": _plain(reason.label),
        "index": reason.index,
        "value": reason.value,
        "contribution": reason.contribution,
    }


def _object(landmark: Any) -> Any:
    """Return a landmark to be shown; a matrix's are known by their columns only."""
    return int(landmark.indices[0]) if isinstance(landmark, Columns) else landmark


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
