"""`Description`: what `model.describe` returns, as text, HTML and plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..plotting.text import brief, escaped, html_table, visible

LETTERS = 60
ROW_LETTERS = 120  # of a table, whose columns are named


@dataclass(frozen=True)
class BlockSaid:
    """One block: what it compares, by what, and its share in what moves the decision."""

    name: str
    measure: str
    n_landmarks: int | None
    transfer: str
    weight: float | None = None


@dataclass(frozen=True)
class Prototype:
    """A landmark, its row in fit, and the share of its class's landmarks that are nearest to it."""

    landmark: Any
    index: int | None
    stands_for: float


@dataclass(frozen=True)
class ClassSaid:
    """One class: how many rows, how many of them are recognised out of fold, its prototypes."""

    label: Any
    n: int | None
    recall: float | None
    prototypes: list[Prototype]


@dataclass(frozen=True)
class Confused:
    """How many rows of one class were taken for another out of fold."""

    truth: Any
    prediction: Any
    n: int


@dataclass(frozen=True)
class Mistaken:
    """A row that was surely taken for another class; the object itself, where it is known."""

    index: int
    object: Any
    truth: Any
    prediction: Any


@dataclass(frozen=True)
class Reliability:
    """Answers given out of fold with like probability: its mean, how many were right, of n."""

    said: float
    right: float
    n: int


@dataclass(frozen=True)
class Description:
    """What a fitted model is like.

    Attributes
    ----------
    model : str
        Class of the model.
    blocks : list of BlockSaid
        What the model looks at: each measure or map, its landmarks, and what it is worth.
    classes : list of ClassSaid
        How many rows each class had, how many were recognised, and its prototypes; empty for
        numbers.
    n : int or None
        Rows that were predicted out of fold.
    accuracy, interval, constant : float, (float, float) and float, or None
        Out of fold, its 95 % interval, and the accuracy of the commonest class.
    r2, error : float or None
        Of numbers, out of fold: R², whose interval is `interval`, and the mean absolute error;
        `constant` is the error of the median. Of several targets, means over these.
    confused : list of Confused
        Pairs of classes, the most frequent first.
    mistaken : list of Mistaken
        Objects, the most surely mistaken first.
    prototypes : list of Prototype
        Where there are no classes, or landmarks without labels.
    reliability : list of Reliability
        Whether probabilities can be believed: the least sure answers first.
    """

    model: str
    blocks: list[BlockSaid]
    classes: list[ClassSaid]
    n: int | None = None
    accuracy: float | None = None
    interval: tuple[float, float] | None = None
    constant: float | None = None
    confused: list[Confused] = field(default_factory=list)
    mistaken: list[Mistaken] = field(default_factory=list)
    prototypes: list[Prototype] = field(default_factory=list)
    reliability: list[Reliability] = field(default_factory=list)
    r2: float | None = None
    error: float | None = None

    def sections(self) -> list[tuple[str, list[list[str]]]]:
        """Return titles, and under each rows of cells."""
        found = [
            ("how good", self._scores()),
            ("looks at", [_block(one) for one in self.blocks]),
            ("classes", [_class(one) for one in self.classes]),
            ("prototypes", [_prototype(one) for one in self.prototypes]),
        ]
        for one in self.classes:
            title = f"prototypes of {brief(one.label, 30)}"
            found.append((title, [_prototype(p) for p in one.prototypes]))
        pairs = [
            [brief(c.truth, 30), f"taken for {brief(c.prediction, 30)}", f"{c.n} times"]
            for c in self.confused
        ]
        found.append(("most often confused", pairs))
        title = "most surely mistaken" if self.classes else "furthest off"
        found.append((title, [_mistake(one) for one in self.mistaken]))
        return [(title, rows) for title, rows in found if rows]

    def _scores(self) -> list[list[str]]:
        if self.r2 is not None and self.error is not None:
            low, high = self.interval or (self.r2, self.r2)
            ends = "" if self.interval is None else f" ({low:.3f} … {high:.3f})"
            return [
                ["R² out of fold", f"{self.r2:.3f}{ends}"],
                ["mean error", f"{brief(self.error)}; of a constant {brief(self.constant)}"],
                ["rows", str(self.n)],
            ]
        if self.accuracy is None or self.interval is None or self.constant is None:
            return []
        low, high = self.interval
        return [
            ["accuracy out of fold", f"{self.accuracy:.3f} ({low:.3f} … {high:.3f})"],
            ["of a constant", f"{self.constant:.3f}"],
            ["rows", str(self.n)],
        ]

    def __str__(self) -> str:
        lines = [self.model]
        for title, rows in self.sections():
            widths = [max(len(row[k]) for row in rows if k < len(row)) for k in range(_most(rows))]
            lines.append(f"{title}:")
            for row in rows:
                cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=False))
                lines.append(("  " + "  ".join(cells)).rstrip())
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        parts = [f"<h4>{escaped(self.model)}</h4>"]
        for title, rows in self.sections():
            parts.append(f"<p><b>{escaped(title)}</b></p>{html_table(rows)}")
        return f"<div>{''.join(parts)}</div>"

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain data; objects as text."""

        def said(one: Any) -> Any:
            if isinstance(one, list):
                return [said(part) for part in one]
            if not hasattr(one, "__dataclass_fields__"):
                return one
            names = one.__dataclass_fields__
            texts = ("landmark", "object")
            return {
                name: _text(getattr(one, name)) if name in texts else said(getattr(one, name))
                for name in names
            }

        found: dict[str, Any] = said(self)
        return found


def _most(rows: list[list[str]]) -> int:
    return max(map(len, rows))


def _text(thing: Any) -> str | None:
    return None if thing is None else visible(thing)


def _shown(thing: Any) -> str:
    return visible(thing, ROW_LETTERS if isinstance(thing, dict) else LETTERS)


def percent(share: float) -> str:
    """Return a share in percent; what is little is not nothing.

    Examples
    --------
    >>> percent(0.257), percent(0.001), percent(0.0)
    ('26%', 'under 1%', '0%')
    """
    return "under 1%" if 0 < share < 0.005 else f"{share:.0%}"


def _block(one: BlockSaid) -> list[str]:
    n = "" if one.n_landmarks is None else f"{one.n_landmarks} landmarks"
    weight = "" if one.weight is None else f"{percent(one.weight)} of what moves the decision"
    cells = (visible(one.name, LETTERS), visible(one.measure, LETTERS), n, one.transfer, weight)
    return list(cells)


def _class(one: ClassSaid) -> list[str]:
    n = "" if one.n is None else f"{one.n} rows"
    recall = "" if one.recall is None else f"{one.recall:.1%} recognised"
    return [brief(one.label, 30), n, recall]


def _prototype(one: Prototype) -> list[str]:
    row = "" if one.index is None else f"row {one.index}"
    return [f"{one.stands_for:4.0%}", row, _shown(one.landmark)]


def _mistake(one: Mistaken) -> list[str]:
    thing = "" if one.object is None else _shown(one.object)
    said = f"{brief(one.truth, 30)} taken for {brief(one.prediction, 30)}"
    if isinstance(one.prediction, float):
        said = f"{brief(one.truth)}, predicted {brief(one.prediction)}"
    return [f"row {one.index}", said, thing]
