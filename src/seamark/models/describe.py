"""A description of a fitted model: what it compares, its prototypes, its errors, and its page."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from ..linear_model import core_of
from ..linear_model.intervals import accuracy_interval
from ..measures import as_measures
from ..measures.custom import titled
from ..plotting.text import brief, escaped, html_table, visible
from .explain import Evidence, block_kind, block_name, columns_name, has_labels, inner_measure
from .importance import Importance
from .tables import as_row, row_kept

LETTERS = 60
ROW_LETTERS = 120  # of a table, whose columns are named
# Landmarks of which prototypes are chosen: each costs as much as a prediction.
PROTOTYPE_LANDMARKS = 300


@dataclass(frozen=True)
class BlockSaid:
    """One block: what it compares, by what, and its share in what moves the decision.

    `columns` are those of a table that it reads, and `kind` says in a word what compares them.
    """

    name: str
    measure: str
    n_landmarks: int | None
    transfer: str
    weight: float | None = None
    columns: str = ""
    kind: str = ""


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
    importance : list of Importance
        Of the columns of a table or matrix, the largest first, where `describe` got X and y: by how
        much the score falls on rows that a copy of the model had not seen; see
        `seamark.models.importance.unseen_rows`.
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
    importance: list[Importance] = field(default_factory=list)

    def with_importance(self, importance: list[Importance]) -> Description:
        """Return the same with the importance of columns."""
        return replace(self, importance=importance)

    @property
    def using(self) -> str:
        """What compares objects in words, with its share in decisions; of a table by column."""
        by_column: dict[str, dict[str, float]] = {}
        for one in self.blocks:
            shares = by_column.setdefault(one.columns and f"{one.columns}: ", {})
            share = 1.0 if one.weight is None else one.weight
            shares[one.kind] = shares.get(one.kind, 0.0) + share
        if len(self.blocks) == 1:
            return "".join(f"{lead}{how}" for lead, some in by_column.items() for how in some)
        return "; ".join(
            lead + ", ".join(f"{how} ({percent(share)})" for how, share in some.items())
            for lead, some in by_column.items()
        )

    def sections(self) -> list[tuple[str, list[list[str]]]]:
        """Return titles, and under each rows of cells."""
        found = [
            ("how good", self._scores()),
            ("looks at", [_block(one) for one in self.blocks]),
            ("importance of columns", [[one.column, str(one)] for one in self.importance]),
            ("classes", [_class(one) for one in self.classes]),
            ("prototypes", [_prototype(one) for one in self.prototypes]),
        ]
        for one in self.classes:
            title = f"prototypes of {brief(one.label, 30)}"
            found.append((title, [_prototype(p) for p in one.prototypes]))
        pairs = [
            [brief(c.truth, 30), f"predicted as {brief(c.prediction, 30)}", f"{c.n} times"]
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
                ["mean error", f"{brief(self.error)}; always the median: {brief(self.constant)}"],
                ["rows", str(self.n)],
            ]
        if self.accuracy is None or self.interval is None or self.constant is None:
            return []
        low, high = self.interval
        return [
            ["accuracy out of fold", f"{self.accuracy:.3f} ({low:.3f} … {high:.3f})"],
            ["always the commonest class", f"{self.constant:.3f}"],
            ["rows", str(self.n)],
        ]

    def __str__(self) -> str:
        lines = [self.model]
        for title, rows in self.sections():
            columns = zip_longest(*rows, fillvalue="")
            widths = [max(map(len, column)) for column in columns]
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
            texts = ("landmark", "object")
            return {
                name: visible(part) if name in texts and part is not None else said(part)
                for name, part in vars(one).items()
            }

        found: dict[str, Any] = said(self)
        return found


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
    said = f"{brief(one.truth, 30)} predicted as {brief(one.prediction, 30)}"
    if isinstance(one.prediction, float):
        said = f"{brief(one.truth)}, predicted {brief(one.prediction)}"
    return [f"row {one.index}", said, thing]


# Landmarks that stand for most others of their class.


def prototypes_of(model: Any, n: int) -> dict[Any, list[Prototype]]:
    """Return landmarks that stand for most others of their class, by class; None: of all."""
    blocks = [Evidence(model, k) for k in range(len(model.map_.blocks_))]
    weights = getattr(model, "measure_weights_", np.ones(len(blocks)))
    usable = [(w, k) for k, w in enumerate(weights[: len(blocks)]) if blocks[k].mixes]
    if not usable or n < 1:
        return {}
    block = blocks[max(usable)[1]]
    total = int(block.map.landmarks_.shape[0])
    some = min(total, PROTOTYPE_LANDMARKS)
    few = np.linspace(0, total - 1, some).round().astype(np.intp)
    profiles = block.profiles.of(few)
    spread = profiles.std(axis=0)
    profiles = (profiles - profiles.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    if getattr(model, "classes_", None) is None or has_labels(model):
        owners: list[Any] = [None] * len(few)  # of numbers and labels, all landmarks are one group
    else:
        owners = [plain(block.about(int(j))[1]) for j in few]
    found: dict[Any, list[Prototype]] = {}
    for label in dict.fromkeys(owners):
        mine = np.array([k for k, owner in enumerate(owners) if owner == label])
        chosen, stands = medoids(profiles[mine], n)
        found[label] = [
            Prototype(block.landmark(int(few[mine[k]])), block.about(int(few[mine[k]]))[0], s)
            for k, s in zip(chosen, stands, strict=True)
        ]
    return found


def medoids(rows: NDArray[np.float64], n: int) -> tuple[list[int], list[float]]:
    """Return at most n rows to which all are nearest in sum, and the share that each stands for.

    Taken one by one, each where it shortens the squared distances most.

    Examples
    --------
    >>> medoids(np.array([[0.0], [0.1], [0.2], [9.0]]), 2)
    ([2, 3], [0.75, 0.25])
    """
    squares = (rows**2).sum(axis=1)
    apart = np.maximum(squares[:, None] + squares - 2.0 * rows @ rows.T, 0.0)
    chosen = [int(apart.sum(axis=0).argmin())]
    nearest = apart[:, chosen[0]]
    while len(chosen) < min(n, len(rows)):
        gains = np.maximum(nearest[:, None] - apart, 0.0).sum(axis=0)
        best = int(gains.argmax())
        if gains[best] <= 1e-12 * max(1.0, float(squares.sum())):
            break
        chosen.append(best)
        nearest = np.minimum(nearest, apart[:, best])
    owner = apart[:, chosen].argmin(axis=1)
    return chosen, [float(np.mean(owner == k)) for k in range(len(chosen))]


def plain(value: Any) -> Any:
    """Return a number of numpy as one of Python."""
    return value.item() if hasattr(value, "item") else value


# What a fitted model is like: what it looks at, its prototypes, and what it confuses.


PROTOTYPES = 3
SEED = re.compile(r"(, )?random_state=\d+")  # which a model draws for its parts; it says nothing
MOST_CONFUSED = 5


def describe_model(model: Any, X: Any, n_prototypes: int) -> Description:
    """Return what a fitted model looks at, its prototypes and its out-of-fold errors."""
    check_is_fitted(model, "head_")
    head = core_of(model.head_)
    by_class = prototypes_of(model, n_prototypes)
    facts: dict[str, Any] = {}
    if has_labels(model):
        facts = _of_labels(model, head)
    elif hasattr(model, "classes_"):
        facts = _of_classes(model, head, X, by_class)
    elif hasattr(head, "oof_r2_"):
        facts = _of_numbers(model, head, X)
    classes, common = facts.pop("classes", []), by_class.get(None, [])
    name, blocks = type(model).__name__, described_blocks(model)
    return Description(name, blocks, classes, prototypes=common, **facts)


def _of_classes(model: Any, head: Any, X: Any, by_class: dict[Any, list[Prototype]]) -> Any:
    """Return what is known of classes: how many rows of each were recognised, and its prototypes.

    Of rows that are copies of one another the interval counts fewer, `oof_independent_` ones.
    """
    names = [plain(label) for label in model.classes_]
    counts, classes = getattr(head, "oof_confusion_", None), []
    known = np.asarray(getattr(head, "classes_", range(len(names))), dtype=np.intp)
    for code, name in enumerate(names):
        n = recall = None
        place = np.flatnonzero(known == code)
        if counts is not None and len(place):
            n, right = int(counts[place[0]].sum()), float(counts[place[0], place[0]])
            recall = right / n if n else None
        classes.append(ClassSaid(name, n, recall, by_class.get(name, [])))
    if counts is None:
        return {"classes": classes}
    n = int(counts.sum())
    share, constant = int(np.trace(counts)) / n, float(counts.sum(axis=1).max() / n)
    several = min(float(getattr(head, "oof_independent_", n)), n)
    wrong = counts - np.diag(np.diag(counts))
    pairs = [divmod(int(k), len(wrong)) for k in np.argsort(-wrong.ravel(), kind="stable")]
    objects = None if X is None else model._ingested(X)
    reliability = np.asarray(getattr(head, "oof_reliability_", ()))
    return {
        "classes": classes,
        "n": n,
        "accuracy": share,
        "interval": accuracy_interval(share, several, constant),
        "constant": constant,
        "confused": [
            Confused(names[known[a]], names[known[b]], int(wrong[a, b]))
            for a, b in pairs[:MOST_CONFUSED]
            if wrong[a, b]
        ],
        "mistaken": [
            Mistaken(row, _row_of(model, objects, row), names[known[truth]], names[known[other]])
            for row, truth, other in getattr(head, "oof_worst_", np.empty((0, 3), int)).tolist()
        ],
        "reliability": [
            Reliability(chance, right, int(n))
            for chance, right, n in (reliability.tolist() if reliability.ndim == 2 else [])
        ],
    }


def _of_labels(model: Any, head: Any) -> Any:
    """Return what is known of labels: an object is right if all its labels are."""
    names = [plain(label) for label in model.classes_]
    counts = getattr(head, "oof_confusion_", None)
    if counts is None:
        return {"classes": [ClassSaid(name, None, None, []) for name in names]}
    rows = [int(one[1].sum()) for one in counts]
    n, share = int(counts[0].sum()), float(model.head_.oof_score_)
    constant = float(model.head_.commonest_)
    return {
        "classes": [
            ClassSaid(name, n_rows, float(one[1, 1] / n_rows) if n_rows else None, [])
            for name, n_rows, one in zip(names, rows, counts, strict=True)
        ],
        "n": n,
        "accuracy": share,
        "interval": accuracy_interval(share, n, constant),
        "constant": constant,
    }


def _of_numbers(model: Any, head: Any, X: Any) -> Any:
    """Return how far off predictions of numbers were, and on which rows most."""
    objects = None if X is None else model._ingested(X)
    alone = len(head.oof_r2_) == 1
    return {
        "n": int(head.oof_n_),
        "interval": tuple(head.oof_interval_[0].tolist()) if alone else None,
        "constant": float(head.oof_constant_.mean()),
        "mistaken": [
            Mistaken(int(row), _row_of(model, objects, int(row)), truth, predicted)
            for row, truth, predicted in head.oof_worst_.tolist()
        ],
        "r2": float(head.oof_r2_.mean()),
        "error": float(head.oof_error_.mean()),
    }


def described_blocks(model: Any) -> list[BlockSaid]:
    """Return what each block compares, by what, with how many landmarks, and how it weighs."""
    whole = model.map_
    weights = getattr(model, "measure_weights_", ())
    found = []
    for k, one in enumerate(whole.blocks_):
        inner = getattr(one, "map_", one)  # of a column in which some are missing
        transfers = [
            re.sub(r"\d+\.\d{4,}(e[+-]?\d+)?", lambda number: f"{float(number[0]):.3g}", repr(t))
            for t in getattr(inner, "transfers_", [])
        ]
        name = block_name(whole, k) if whole.is_union else "everything"
        weight = float(weights[k]) if len(weights) == len(whole.blocks_) else None
        n = getattr(inner, "n_landmarks_", None)
        how = what_compares(inner)
        names = whole.columns_[k] if whole.is_union else None
        columns = "" if names is None else columns_name(names)
        kind = block_kind(one) if whole.is_union else how
        found.append(BlockSaid(name, how, n, " + ".join(transfers), weight, columns, kind))
    return found


def what_compares(one: Any) -> str:
    """Return what compares objects in a map, as it was asked for: fitted ones have many numbers."""
    measures = as_measures(one.measure) if hasattr(one, "measures_") else [one]
    return " + ".join(SEED.sub("", titled(inner_measure(one))) for one in measures)


def choice_sentence(model: Any) -> str:
    """Say what ``measure="auto"`` came to: what X was read as, which blocks stayed, their weights.

    Parameters
    ----------
    model : estimator
        Fitted, with `measure_`.
    """
    offered, kept = model.measure_, described_blocks(model)
    if isinstance(offered, dict):
        entries = [key if isinstance(key, tuple) else (key,) for key in offered]
        union = model.map_.columns_
        used = {name for one in union for name in (one if isinstance(one, list) else [one])}
        total = len({name for some in entries for name in some})
        return f"Reading X as a table; using {len(used)} of {total} columns."
    first = offered[0].measure if isinstance(offered, list) else offered
    left = len(offered) - len(kept) if isinstance(offered, list) else 0
    dropped = f"; {left} other block{'s' if left > 1 else ''} did not help" if left else ""
    return f"Reading X as {first.domain.name}; using {Description('', kept, []).using}{dropped}."


def _row_of(model: Any, objects: Any, row: int) -> Any:
    """Return a row of fit, given its objects; else if it is a landmark; None: it is not kept."""
    if objects is not None:
        if row >= objects.shape[0]:
            raise ValueError(
                f"row {row} was mistaken in fit, and X has {objects.shape[0]} objects; give "
                "describe the X of fit, or none."
            )
        return as_row(model.map_, objects[row])
    if model.map_.is_union:
        return row_kept(model.map_, row)
    if model.landmark_indices_ is None:
        return None
    places = np.flatnonzero(np.asarray(model.landmark_indices_) == row)
    return model.landmarks_[int(places[0])] if len(places) else None


# A fitted model in scikit-learn's diagram: its blocks side by side, then the head.


def diagram_of(model: Any) -> Any:
    """Return a model's parts for scikit-learn's diagram, which shows one box if this fails."""
    # The class of boxes lies in the module that draws them, which has moved once.
    Visual = importlib.import_module(estimator_html_repr.__module__)._VisualBlock
    if not hasattr(model, "head_"):
        return Visual("single", model, names=type(model).__name__, name_details=str(model))
    blocks, names = model.map_.blocks_, _block_names(model)
    details = [str(one) for one in blocks]
    parts = Visual("parallel", blocks, names=names, name_details=details)
    if len(names) == 1:
        parts = Visual("single", blocks[0], names=names[0], name_details=details[0])
    return Visual("serial", [parts, model.head_], dash_wrapped=False)


def _block_names(model: Any) -> list[str]:
    """Return what each block compares, by what, and how much it moves the decision."""
    whole = model.map_
    weights = getattr(model, "measure_weights_", None)
    names = []
    for k, one in enumerate(whole.blocks_):
        inner = getattr(one, "map_", one)  # of a column with gaps
        measures = getattr(inner, "measures_", None)
        how = " + ".join(type(m).__name__ for m in measures) if measures else type(inner).__name__
        name = brief(block_name(whole, k), 40) if whole.is_union else ""
        name = f"{name}: {how}" if whole.is_union and whole.columns_[k] is not None else how
        if whole.is_union and weights is not None and len(weights) == len(whole.blocks_):
            name += f" ({weights[k]:.0%})"
        names.append(name)
    return names
