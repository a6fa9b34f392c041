"""What a fitted model is like: what it looks at, its prototypes, and what it confuses."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..estimating import as_measures
from ..linear_model import core_of
from ..linear_model.calibration import share_interval
from ..measures import FilledColumns, ScaledColumns
from ..measures.custom import titled
from .description import (
    BlockSaid,
    ClassSaid,
    Confused,
    Description,
    Mistaken,
    Prototype,
    Reliability,
)
from .evidence import block_name
from .labelled import has_labels
from .prototypes import plain, prototypes_of
from .reporting import Reporting
from .table_rows import as_row, row_kept

PROTOTYPES = 3
SEED = re.compile(r"(, )?random_state=\d+")  # which a model draws for its parts, and says nothing
MOST_CONFUSED = 5


class Describing(Reporting):
    """What a fitted landmark model says of itself."""

    map_: Any
    head_: Any
    classes_: Any

    def describe(self, X: Any = None, *, n_prototypes: int = PROTOTYPES) -> Description:
        """Say what the model looks at, the prototypes of each class, and what it confuses.

        Scores are out of fold, as cross-validation inside `fit` left them; heads other than ridge
        have none.

        Parameters
        ----------
        X : objects, optional
            Those of `fit`, to show the objects that were mistaken; otherwise they are shown if
            they are landmarks, and else known by their row.
        n_prototypes : int, default=3
            For each class, landmarks that stand for most others of it.

        Returns
        -------
        Description
            Prints itself; `to_dict` gives plain data.

        Examples
        --------
        >>> import seamark as sm
        >>> names = ["Anna", "Hanna", "Johanna", "Otto", "Ottokar", "Ottilo"] * 3
        >>> model = sm.LandmarkClassifier("levenshtein", random_state=0)
        >>> said = model.fit(names, list("fffmmm") * 3).describe()
        >>> said.accuracy, [one.label for one in said.classes]
        (1.0, ['f', 'm'])
        """
        check_is_fitted(self, "head_")
        head = core_of(self.head_)
        counts = getattr(head, "oof_confusion_", None)
        classes = getattr(self, "classes_", None)
        by_class = prototypes_of(self, n_prototypes)
        if has_labels(self):
            return _of_labels(self, by_class.get(None, []))
        if classes is None and hasattr(head, "oof_r2_"):
            return _of_numbers(self, head, X, by_class.get(None, []))
        return Description(
            type(self).__name__,
            _blocks(self),
            [] if classes is None else _classes(head, classes, counts, by_class),
            None if counts is None else int(counts.sum()),
            *_accuracy(counts, getattr(head, "oof_independent_", None)),
            [] if classes is None or counts is None else _confused(head, classes, counts),
            [] if classes is None else _mistaken(self, classes, X),
            by_class.get(None, []),
            _reliability(head),
        )


def _blocks(model: Any) -> list[BlockSaid]:
    """Return what each block compares, by what, with how many landmarks, and how it weighs."""
    whole = model.map_
    maps = whole.blocks_
    weights = getattr(model, "measure_weights_", None)
    several = weights is not None and len(weights) == len(maps)
    found = []
    for k, one in enumerate(maps):
        inner = getattr(one, "map_", one)  # of a column with gaps
        how = what_compares(inner)
        transfers = [_with_few_digits(repr(t)) for t in getattr(inner, "transfers_", [])]
        n = getattr(inner, "n_landmarks_", None)
        name = block_name(whole, k) if whole.is_union else "everything"
        weight = float(weights[k]) if several and weights is not None else None
        found.append(BlockSaid(name, how, n, " + ".join(transfers), weight))
    return found


def _with_few_digits(text: str) -> str:
    return re.sub(r"\d+\.\d{4,}(e[+-]?\d+)?", lambda number: f"{float(number[0]):.3g}", text)


def what_compares(one: Any) -> str:
    """Return what compares objects in a map, as it was asked for: fitted ones have many numbers."""
    measures = as_measures(one.measure) if hasattr(one, "measures_") else [one]
    return " + ".join(SEED.sub("", titled(_inner(one))) for one in measures)


def _inner(measure: Any) -> Any:
    """Return what compares columns once gaps are filled and scales are one."""
    while isinstance(measure, (FilledColumns, ScaledColumns)):
        measure = measure.measure
    return measure


def said_of_choice(model: Any) -> str:
    """Say what ``measure="auto"`` came to: what X was read as, which blocks stayed, their weights.

    Parameters
    ----------
    model : estimator
        Fitted, with `measure_`.
    """
    offered, kept = model.measure_, _blocks(model)
    if isinstance(offered, dict):
        entries = [key if isinstance(key, tuple) else (key,) for key in offered]
        union = model.map_.columns_
        used = {name for one in union for name in (one if isinstance(one, list) else [one])}
        total = len({name for some in entries for name in some})
        return f"Reading X as a table; using {len(used)} of {total} columns."
    first = offered[0].measure if isinstance(offered, list) else offered
    said = [f"{one.measure}{'' if one.weight is None else f' ({one.weight:.0%})'}" for one in kept]
    left = len(offered) - len(kept) if isinstance(offered, list) else 0
    dropped = f"; {left} more were tried, and left out" if left else ""
    return f"X is read as {first.domain.name}; they are compared by {'; '.join(said)}{dropped}."


def _of_labels(model: Any, prototypes: list[Prototype]) -> Description:
    """Return what a model of labels is like: an object is right if all its labels are."""
    counts = getattr(core_of(model.head_), "oof_confusion_", None)
    if counts is None:
        said = [ClassSaid(plain(label), None, None, []) for label in model.classes_]
        return Description(type(model).__name__, _blocks(model), said, prototypes=prototypes)
    rows = [int(one[1].sum()) for one in counts]
    said = [
        ClassSaid(plain(label), n, float(one[1, 1] / n) if n else None, [])
        for label, n, one in zip(model.classes_, rows, counts, strict=True)
    ]
    n, share = int(counts[0].sum()), float(model.head_.oof_score_)
    scores = share, share_interval(share * n, n), float(model.head_.commonest_)
    return Description(
        type(model).__name__, _blocks(model), said, n, *scores, prototypes=prototypes
    )


def _of_numbers(model: Any, head: Any, X: Any, prototypes: list[Prototype]) -> Description:
    """Return what a model of numbers is like: how far off it was, and on which rows most."""
    objects = None if X is None else model._ingested(X)
    worst = [
        Mistaken(int(row), _row_of(model, objects, int(row)), truth, said)
        for row, truth, said in head.oof_worst_.tolist()
    ]
    one = len(head.oof_r2_) == 1
    return Description(
        type(model).__name__,
        _blocks(model),
        [],
        int(head.oof_n_),
        interval=tuple(head.oof_interval_[0].tolist()) if one else None,
        constant=float(head.oof_constant_.mean()),
        mistaken=worst,
        prototypes=prototypes,
        r2=float(head.oof_r2_.mean()),
        error=float(head.oof_error_.mean()),
    )


def _accuracy(
    counts: Any, independent: float | None
) -> tuple[float | None, tuple[float, float] | None, float | None]:
    """Return accuracy out of fold, its interval, and what a constant has.

    Of rows that are copies of one another the interval counts fewer, `independent` ones.
    """
    if counts is None:
        return None, None, None
    n, right = int(counts.sum()), int(np.trace(counts))
    several = n if independent is None else min(float(independent), n)
    interval = share_interval(right / n * several, several)
    return right / n, interval, float(counts.sum(axis=1).max() / n)


def _reliability(head: Any) -> list[Reliability]:
    """Return how often answers of like probability were right, if the head kept it."""
    kept = np.asarray(getattr(head, "oof_reliability_", ()))
    rows = kept.tolist() if kept.ndim == 2 and kept.shape[1] == 3 else []
    return [Reliability(said, right, int(n)) for said, right, n in rows]


def _classes(
    head: Any, classes: NDArray[Any], counts: Any, prototypes: dict[Any, list[Prototype]]
) -> list[ClassSaid]:
    known = [int(code) for code in getattr(head, "classes_", range(len(classes)))]
    found = []
    for k, label in enumerate(classes):
        place = known.index(k) if k in known else None
        n = recall = None
        if counts is not None and place is not None:
            n = int(counts[place].sum())
            recall = float(counts[place, place] / n) if n else None
        found.append(ClassSaid(plain(label), n, recall, prototypes.get(plain(label), [])))
    return found


def _confused(head: Any, classes: NDArray[Any], counts: NDArray[Any]) -> list[Confused]:
    """Return the pairs of classes that are confused most often."""
    codes = np.asarray(head.classes_, dtype=np.intp)
    wrong = counts - np.diag(np.diag(counts))
    order = np.argsort(-wrong.ravel(), kind="stable")[:MOST_CONFUSED]
    pairs = [(int(at) // len(wrong), int(at) % len(wrong)) for at in order]
    return [
        Confused(plain(classes[codes[a]]), plain(classes[codes[b]]), int(wrong[a, b]))
        for a, b in pairs
        if wrong[a, b]
    ]


def _mistaken(model: Any, classes: NDArray[Any], X: Any) -> list[Mistaken]:
    """Return the objects that are most surely taken for another class."""
    rows = getattr(core_of(model.head_), "oof_worst_", None)
    if rows is None:
        return []
    codes = np.asarray(core_of(model.head_).classes_, dtype=np.intp)
    objects = None if X is None else model._ingested(X)
    found = []
    for row, truth, said in rows.tolist():
        labels = plain(classes[codes[truth]]), plain(classes[codes[said]])
        found.append(Mistaken(row, _row_of(model, objects, row), *labels))
    return found


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
