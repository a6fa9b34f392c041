"""What one block says of objects: the landmarks of which they are a mixture, or its columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..landmarks import NOT_A_ROW
from ..maps.chunks import dense32
from ..plotting.text import brief, visible
from .deciding import Decision
from .likeness import Profiles, mixture, near
from .reasons import Group, Reason
from .table_rows import cells_of

Floats = NDArray[np.float64]

MOST_NAMED = 3  # columns of a block
BLOCK_LETTERS = 60  # of what they are called


@dataclass(frozen=True)
class Told:
    """What a block says of one object: reasons, all that it adds, and how well these fit."""

    reasons: list[Reason]
    total: float
    fidelity: float | None = None


def _nothing(places: NDArray[np.intp]) -> NDArray[Any]:
    raise TypeError("landmarks that are parts or columns have no features of their own.")


class Evidence:
    """One block of a fitted model, and what it has seen of a few objects.

    Parameters
    ----------
    model : fitted landmark model
    number : int
        Of the block.
    """

    def __init__(self, model: Any, number: int) -> None:
        whole = model.map_
        self.number = number
        self.map = whole.blocks_[number]
        labels = model.landmark_labels_
        self.labels = labels[number] if whole.is_union else labels
        self.name = block_name(whole, number) if whole.is_union else None
        self.columns = whole.columns_[number] if whole.is_union else None
        self.mixes = getattr(self.map, "compares_objects", False)
        self.profiles = Profiles(self.map.of_landmarks) if self.mixes else Profiles(_nothing)
        means = model.feature_means_
        if whole.is_union:
            sizes = np.cumsum([0, *(int(one.n_features_out_) for one in whole.maps_)])
            means = means[np.argsort(whole.order_)][sizes[number] : sizes[number + 1]]
        self.means: Floats = means
        self.said: dict[int, Any] = {}
        """What the model predicts of landmarks, as far as it was asked."""

    def cut_from(self, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Tell which landmarks each of some rows of fit is, or has parts among."""
        sources = self.map.landmark_sources_
        known = np.array([NOT_A_ROW]) if sources is None else np.asarray(sources)
        return np.asarray(known == rows[:, None])

    def look(self, part: Any) -> NDArray[Any]:
        """Compute features and values of a few ingested objects, keep them, return the features."""
        if self.mixes:
            features, self.values = self.map.seen(part)
        else:
            features, self.values = self.map.shown(part)
        self.features: NDArray[Any] = dense32(features)
        return self.features

    def above_average(self, weights: Floats) -> Floats:
        """Return what the block adds to the score of an average object, for each it looked at."""
        away = self.features.astype(np.float64) - self.means
        return np.asarray((away * weights).sum(axis=1))

    @property
    def measure(self) -> Any:
        """The measure, if there is one alone."""
        measures = getattr(self.map, "measures_", [])
        return measures[0] if len(measures) == 1 else None

    @property
    def kind(self) -> str | None:
        """Whether small values are near ones, or large; None: neither is known."""
        return self.map.nearness if self.mixes else None

    def landmark(self, place: int) -> Any:
        """Return a landmark; one of several columns with their names."""
        thing = self.map.landmarks_[place]
        several = isinstance(self.columns, list) and len(self.columns) > 1
        return cells_of(self.columns, thing, self.map) if several else thing

    def about(self, place: int) -> tuple[int | None, Any]:
        """Return the row of fit that a landmark is or was cut from, and its label."""
        sources = self.map.landmark_sources_
        row = NOT_A_ROW if sources is None else int(sources[place])
        known = row != NOT_A_ROW and self.labels is not None
        return (row, self.labels[place]) if known else (None, None)


def evidence_of(
    block: Evidence,
    weights: Floats,
    decided: Decision,
    n: int,
    own: NDArray[np.intp] | None = None,
    base: Floats | None = None,
) -> list[Told]:
    """Return what a block says of each object it has looked at.

    Parameters
    ----------
    block : Evidence
    weights : ndarray
        Of the block's features, for each object.
    decided : Decision
    n : int
        Reasons, at most.
    own : ndarray, optional
        Rows of fit that the objects are; that a row is like itself is no reason.
    base : ndarray, optional
        What an average object scores in each decision: landmarks of this block take it on, so that
        all is measured from the border of two classes. A block that is alone does so anyway.
    """
    if not block.mixes:
        return _of_columns(block, weights, n)
    values = block.values
    if own is not None:
        values = np.where(block.cut_from(own), np.nan, values)
    chosen = [near(some, block.kind) for some in values]
    block.profiles.learn(np.concatenate(chosen))
    whole = block.name is None and decided.rivals is not None
    if whole:
        base = decided.scores - block.above_average(weights)
    none = np.zeros(len(chosen)) if base is None else base
    return [_mixed(block, i, weights[i], places, n, none[i]) for i, places in enumerate(chosen)]


def _mixed(
    block: Evidence, i: int, weights: Floats, places: NDArray[np.intp], n: int, base: float
) -> Told:
    """Write one object as a mixture of landmarks, which add `base` too."""
    x = block.features[i].astype(np.float64)
    level = float(weights @ block.means) - base
    if not len(places):
        added = float(weights @ block.features[i]) - level
        return Told([Reason("missing", None, None, np.nan, added, None, block.name)], added)
    rows = block.profiles.of(places)
    score, scores = float(weights @ x) - level, rows @ weights - level
    taken, shares = mixture(x, rows, score, scores, n)
    reasons = []
    for k, share in zip(taken, shares, strict=True):
        place = int(places[k])
        thing, value = block.landmark(place), float(block.values[i, place])
        added = float(share * scores[k])
        reasons.append(Reason(thing, *block.about(place), value, added, float(share), block.name))
    return Told(reasons, score, _fit(x, shares @ rows[taken], block.means))


def _fit(x: Floats, made: Floats, means: Floats) -> float:
    """Share of an object's distance from the average one that a mixture has, by squares."""
    apart = float(((x - means) ** 2).sum())
    return max(0.0, 1.0 - float(((x - made) ** 2).sum()) / apart) if apart > 0 else 1.0


def _of_columns(block: Evidence, weights: Floats, n: int) -> list[Told]:
    """Take columns one by one: coefficients times features, from those of an average object."""
    parts = (block.features - block.means) * weights
    by_column = block.map.by_landmark(parts)
    told = []
    for i, some in enumerate(by_column):
        reasons = []
        for j in np.argsort(-np.abs(some), kind="stable")[:n]:
            place = block.map.source_of(int(j))
            row, label = (None, None) if place is None else block.about(place[1])
            thing, value = block.map.behind(int(j)), float(block.values[i, j])
            reasons.append(Reason(thing, row, label, value, float(some[j]), None, block.name))
        told.append(Told(reasons, float(parts[i].sum())))
    return told


def grouped(reasons: list[Reason], classes: bool) -> list[Group]:
    """Add up reasons by label and block, the heaviest first.

    Parameters
    ----------
    reasons : list of Reason
    classes : bool
        Whether labels are classes; numbers are grouped by what they do.

    Examples
    --------
    >>> some = [Reason("a", 0, "f", 1.0, 0.5, 0.6), Reason("b", 1, "f", 1.0, 0.25, 0.4)]
    >>> print(grouped(some, True)[0])
    +0.750  like 2 of f
    """
    found: dict[tuple[Any, Any, Any], list[Reason]] = {}
    for one in reasons:
        kind = brief(one.label, 30) if classes and one.label is not None else one.contribution >= 0
        found.setdefault((one.block, one.share is None, kind), []).append(one)
    groups = [_group(*key, some) for key, some in found.items()]
    return sorted(groups, key=lambda group: -abs(group.contribution))


def _group(block: Any, columns: bool, kind: Any, some: list[Reason]) -> Group:
    lead = "" if block is None else f"{visible(block, BLOCK_LETTERS)}: "
    if columns and some[0].index is None:
        names = ", ".join(visible(one.landmark, 30) for one in some)
        name = names if len(some) < 3 else f"{len(some)} columns"
        if names == visible(block, BLOCK_LETTERS):
            return Group(names, len(some), float(sum(one.contribution for one in some)))
    elif isinstance(kind, str):
        name = f"{len(some)} landmarks of {kind}" if columns else f"like {len(some)} of {kind}"
    elif all(one.index is None for one in some) and len(some) < 3:  # such as categories
        name = ", ".join(visible(one.landmark, 30) for one in some)
    else:
        one = len(some) == 1
        what = f"landmark{'s' * (not one)}" if columns else "alike"
        name = f"{len(some)} {what} that {'raise' if kind else 'lower'}{'s' * one} it"
    return Group(lead + name, len(some), float(sum(one.contribution for one in some)))


def block_name(whole: Any, number: int) -> str:
    """Return what a block is called: its columns, or else its measure or map."""
    columns = whole.columns_[number]
    if columns is not None:
        return _of_several(list(map(str, columns))) if isinstance(columns, list) else str(columns)
    one = whole.maps_[number]
    measures = getattr(one, "measures_", None)
    if not measures:
        return type(one).__name__
    return measures[0].name or type(measures[0]).__name__


def _of_several(columns: list[str]) -> str:
    """Return a few names of columns, and how many more there are.

    Examples
    --------
    >>> _of_several(["age", "height"]), _of_several(["age", "height", "size", "weight"])
    ('age, height', 'age, height and 2 more columns')
    """
    if len(columns) <= MOST_NAMED:
        return ", ".join(columns)
    return f"{', '.join(columns[:2])} and {len(columns) - 2} more columns"


def measure_weights(
    whole: Any, block: NDArray[Any], coefficients: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the share of each block, or of each measure of one, in what moves the decision.

    A decision is a sum over these; their parts are compared by variance over a chunk of rows,
    summed over outputs. Weights of single features would not do: they say little where features
    are alike.
    """
    if whole.is_union:
        owners, n = whole.owners(), len(whole.maps_)
    else:
        owners, n = whole.grid.owners(np.arange(whole.n_features_out_)), len(whole.measures_)
    varied = block - block.mean(axis=0, dtype=np.float64)
    spread = [
        (varied[:, owners == m] @ coefficients[:, owners == m].T).var(axis=0).sum()
        for m in range(n)
    ]
    total = np.sum(spread)
    return np.asarray(spread) / total if total > 0 else np.full(n, 1.0 / n)
