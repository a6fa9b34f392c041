"""The plain data a page is made of, and what is refused before any of it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, TypedDict, cast

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
    """One curve, or one group of bars; `low` and `high` bound an interval around y."""

    name: str
    x: Sequence[Any]
    y: Sequence[float]
    low: NotRequired[Sequence[float] | None]
    high: NotRequired[Sequence[float] | None]


class Figure(TypedDict):
    """One chart."""

    kind: Literal["line", "bars", "points"]
    title: str
    xlabel: str
    ylabel: str
    series: Sequence[Line]


class Landmark(TypedDict):
    """A landmark, its label and row in the data, and its weight in a model."""

    object: Any
    label: Any
    index: int | None
    weight: float | None


class Reason(TypedDict):
    """A landmark's part in one prediction."""

    object: Any
    label: Any
    index: int | None
    value: float
    contribution: float


class Explained(TypedDict):
    """An object, what it is, what was predicted, and why."""

    object: Any
    truth: Any
    prediction: Any
    reasons: Sequence[Reason]


class Document(TypedDict):
    """All there is to say of one measure on one task."""

    title: str
    verdict: Sequence[Sentence]
    figures: NotRequired[Sequence[Figure]]
    facts: NotRequired[Sequence[tuple[str, str, str]]]
    landmarks: NotRequired[Sequence[Landmark]]
    domain: NotRequired[str]
    explanations: NotRequired[Sequence[Explained]]


def checked(documents: Document | Sequence[Document]) -> list[Document]:
    """Return the documents as a list, or say which part of which is not as it should be."""
    given = [documents] if isinstance(documents, dict) else list(documents)
    if not given:
        raise ValueError("there is nothing to write: give a document, or a list of them.")
    for number, document in enumerate(given):
        _check(cast("dict[str, Any]", document), f"document {number}")
    return given


def _check(document: dict[str, Any], name: str) -> None:
    missing = [key for key in ("title", "verdict") if key not in document]
    if missing:
        raise ValueError(f"{name} has no {missing[0]!r}; see seamark.displays.page.Document.")
    for sentence in document["verdict"]:
        if sentence["level"] not in LEVELS:
            levels = ", ".join(LEVELS)
            raise ValueError(
                f"a sentence of {name} has level {sentence['level']!r}; take one of {levels}."
            )
    for figure in document.get("figures", ()):
        _check_figure(figure, name)


def _check_figure(figure: dict[str, Any], name: str) -> None:
    where = f"figure {figure['title']!r} of {name}"
    if figure["kind"] not in ("line", "bars", "points"):
        raise ValueError(f"{where} has kind {figure['kind']!r}; take 'line', 'bars' or 'points'.")
    for line in figure["series"]:
        lengths = {
            key: len(line[key]) for key in ("x", "y", "low", "high") if line.get(key) is not None
        }
        if len(set(lengths.values())) > 1:
            raise ValueError(f"{where}: series {line['name']!r} has unequal lengths {lengths}.")
