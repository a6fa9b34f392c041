"""The plain data a page is made of, and what is refused before any of it is drawn."""

# Annotations stay real: as strings they would hide from `__required_keys__` what is NotRequired.
from collections.abc import Sequence
from typing import Any, Literal, NotRequired, TypedDict

import numpy as np

from ..text import brief

Level = Literal["good", "warn", "bad", "info"]
LEVELS: dict[str, tuple[str, str]] = {
    "good": ("✓", "Good"),
    "warn": ("!", "Caution"),
    "bad": ("✕", "Problem"),
    "info": ("i", "Note"),
}
"""Sign and word of each level: colour is never the only difference."""


class Sentence(TypedDict):
    """One sentence of the verdict."""

    level: Level
    text: str


class Line(TypedDict):
    """One curve, or one group of bars; `low` and `high` bound an interval around y.

    A `kind` of its own goes before that of the figure. Where there are `texts`, one for each point,
    pointing at it shows its text in place of numbers: points on a map.
    """

    name: str
    x: Sequence[Any]
    y: Sequence[float]
    low: NotRequired[Sequence[float] | None]
    high: NotRequired[Sequence[float] | None]
    kind: NotRequired[Literal["line", "points"]]
    texts: NotRequired[Sequence[str] | None]


class Figure(TypedDict):
    """One chart; `note` says in one sentence what it shows, `folded` puts it under the details."""

    kind: Literal["line", "bars", "points"]
    title: str
    xlabel: str
    ylabel: str
    series: Sequence[Line]
    note: NotRequired[str]
    folded: NotRequired[bool]


class Landmark(TypedDict):
    """A landmark, its label and row in the data, and its weight in a model, or what is said.

    Rows are numbers, or words such as "line 2", here and elsewhere.
    """

    object: Any
    label: Any
    index: int | str | None
    weight: float | None
    note: NotRequired[str]


class Mistaken(TypedDict):
    """An object that was taken for another by models that had not seen it, and its row."""

    object: Any
    truth: Any
    prediction: Any
    index: int | str


class Reason(TypedDict):
    """A landmark's part in one prediction; `place` says where in the object it was found."""

    object: Any
    label: Any
    index: int | str | None
    value: float
    contribution: float
    block: NotRequired[str | None]
    place: NotRequired[str]


class Explained(TypedDict):
    """An object, what it is, what is predicted, and why.

    `lines` are all contributions in a few lines, whose sum is the score.
    """

    object: Any
    truth: Any
    prediction: Any
    reasons: Sequence[Reason]
    lines: NotRequired[Sequence[tuple[str, float]]]


class Document(TypedDict):
    """Everything a page shows about one measure on one task, or one model.

    `summary` stands on the first screen, below the verdict, and `code` with it, a line to copy;
    `heading` and `chart`, of the first of several documents, stand above their comparison.
    `landmarks_title` and `mistaken_title` say what these are.
    """

    title: str
    verdict: Sequence[Sentence]
    summary: NotRequired[Sequence[tuple[str, str]]]
    code: NotRequired[str]
    heading: NotRequired[str]
    chart: NotRequired[Figure]
    figures: NotRequired[Sequence[Figure]]
    facts: NotRequired[Sequence[tuple[str, str, str]]]
    landmarks: NotRequired[Sequence[Landmark]]
    landmarks_title: NotRequired[str]
    mistaken: NotRequired[Sequence[Mistaken]]
    mistaken_title: NotRequired[str]
    domain: NotRequired[str]
    explanations: NotRequired[Sequence[Explained]]


PARTS: dict[Any, dict[str, tuple[Any, str]]] = {
    Document: {
        "verdict": (Sentence, "sentence"),
        "figures": (Figure, "figure"),
        "landmarks": (Landmark, "landmark"),
        "mistaken": (Mistaken, "mistake"),
        "explanations": (Explained, "explanation"),
    },
    Figure: {"series": (Line, "series")},
    Explained: {"reasons": (Reason, "reason")},
}
"""What lists of a record hold, and what messages call one of them."""
CHOICES: dict[Any, tuple[str, tuple[str, ...]]] = {
    Sentence: ("level", tuple(LEVELS)),
    Figure: ("kind", ("line", "bars", "points")),
}
"""What some parts of a record may be."""


def checked(documents: Document | Sequence[Document]) -> list[Document]:
    """Return the documents as a list; stop at the first part that is not as described here."""
    given = [documents] if isinstance(documents, dict) else list(documents)
    if not given:
        raise ValueError("there is nothing to write: give a document, or a list of them.")
    for number, document in enumerate(given):
        _check(document, Document, f"document {number}")
        if "chart" in document:
            _check(document["chart"], Figure, f"the chart of document {number}")
    return given


def _check(record: Any, kind: Any, name: str) -> None:
    missing = sorted(kind.__required_keys__ - record.keys())
    if missing:
        raise ValueError(f"{name} has no {missing[0]!r}; see seamark.plotting.page.Document.")
    key, choices = CHOICES.get(kind, ("", ()))
    if choices and record[key] not in choices:
        raise ValueError(f"{name} has {key} {record[key]!r}; take one of {', '.join(choices)}.")
    if kind is Line:
        given = {key: record.get(key) for key in ("x", "y", "low", "high", "texts")}
        lengths = {key: len(values) for key, values in given.items() if values is not None}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"{name}: {record['name']!r} has unequal lengths {lengths}.")
    for key, (part, word) in PARTS.get(kind, {}).items():
        for k, one in enumerate(record.get(key, ())):
            _check(one, part, f"{word} {k} of {name}")


# Charts of how good predictions are, which pages of models and of evaluations show.


Interval = tuple[float, float]


def recall_figure(
    labels: Sequence[Any], recall: Sequence[float], intervals: Sequence[Interval]
) -> Figure:
    """Return bars of the share of each class's rows that is recognised.

    Parameters
    ----------
    labels : sequence
        Of the classes.
    recall : sequence of float
    intervals : sequence of (low, high)
    """
    return {
        "kind": "bars",
        "title": "recall of each class",
        "xlabel": "",
        "ylabel": "recall",
        "note": "The share of each class's rows that models which had not seen them recognised.",
        "series": [
            {
                "name": "recall",
                "x": [brief(label, 20) for label in labels],
                "y": recall,
                "low": [low for low, _ in intervals],
                "high": [high for _, high in intervals],
            }
        ],
    }


def reliability_figure(
    probabilities: Sequence[float], right: Sequence[float], intervals: Sequence[Interval]
) -> Figure:
    """Return the calibration curve: how many answers of about a probability are right.

    Parameters
    ----------
    probabilities : sequence of float
        Mean of each group of answers, rising.
    right : sequence of float
        Share of each group.
    intervals : sequence of (low, high)
        Around these shares.
    """
    return {
        "kind": "line",
        "title": "can probabilities be believed?",
        "xlabel": "probability of the answer",
        "ylabel": "share that was right",
        "note": (
            "Of answers given with 80 %, 80 % should be right. The band is a 95 % interval; "
            "below the line the model is too sure, above it too modest."
        ),
        "series": [
            {
                "name": "right",
                "x": probabilities,
                "y": right,
                "low": [low for low, _ in intervals],
                "high": [high for _, high in intervals],
            },
            {"name": "ideal", "x": [probabilities[0], 1.0], "y": [probabilities[0], 1.0]},
        ],
    }


def predictions_figure(truth: Any, predictions: Any, note: str) -> Figure:
    """Return points of predicted against actual numbers, and the line where both are equal."""
    actual = np.asarray(truth, dtype=np.float64)
    ends = [float(actual.min()), float(actual.max())]
    return {
        "kind": "points",
        "title": "predicted against actual",
        "xlabel": "actual",
        "ylabel": "predicted",
        "note": note,
        "series": [
            {"name": "rows", "x": actual.tolist(), "y": np.asarray(predictions).tolist()},
            {"name": "ideal", "x": ends, "y": ends, "kind": "line"},
        ],
    }
