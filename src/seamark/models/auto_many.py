"""What ``measure="auto"`` offers where rows are many: the same blocks, with fewer landmarks."""

from __future__ import annotations

from typing import Any

from ..data import Ragged
from ..engine import settings
from ..landmarks import AtMost
from ..maps import BagScores, LandmarkMap, Map, RandomConvolution
from ..measures import Equality

MOST_FEATURES = {"quick": 750, "default": 2000, "best": 3000}
"""Features of all blocks together, by effort: the cost of a row grows with their square.

With so few, one ridge on all of them is affordable. On 150,000 rows of forest cover its accuracy
was 81.0 % with 2,000 features; that of one measure with 1,000 landmarks was 77.4 %.
"""
FEWEST = 50
USUAL = 1000  # landmarks of a measure that does not say how many


def features_for(effort: str, n_rows: int) -> int:
    """Return how many features all blocks of many rows have together.

    Examples
    --------
    >>> [features_for("default", n) for n in (150_000, 400_000, 10_000_000)]
    [2000, 1414, 1000]
    """
    return int(MOST_FEATURES[effort] * min(1.0, max(0.5, (settings().many_rows / n_rows) ** 0.5)))


def blocks_for_many(blocks: list[Any], objects: Any, model: Any, n_rows: int) -> list[Any]:
    """Return fewer blocks and features, where these would take long on a sample or on all rows.

    Parameters
    ----------
    blocks : list of Map
    objects : objects
        Ingested, of the sample.
    model : LandmarkModel
        Which says its effort, number of landmarks and strategy, and knows its classes.
    n_rows : int
        All that the sample stands for.
    """
    size = objects.flat.size if isinstance(objects, Ragged) else 0
    if size * len(getattr(model, "classes_", "1")) > settings().scored_letters:
        blocks = [one for one in blocks if not isinstance(one, BagScores)]
    return fewer_for_many(blocks, model, n_rows)  # type: ignore[no-any-return]


def fewer_for_many(measure: Any, model: Any, n_rows: int) -> Any:
    """Return blocks, in a list or by column, with few landmarks together, unless a model says.

    Parameters
    ----------
    measure : list of Map, or dict of measures, maps and lists of them
    model : LandmarkModel
    n_rows : int

    Examples
    --------
    >>> import seamark as sm
    >>> three = {name: sm.measures.get("levenshtein") for name in "abc"}
    >>> fewer_for_many(three, sm.LandmarkClassifier(), 150_000)["a"].landmarks.n
    666
    """
    if model.n_landmarks is not None:
        return measure
    return fewer_of(measure, features_for(model.effort, n_rows), model.strategy)


def fewer_of(measure: Any, most: int, strategy: str) -> Any:
    """Return blocks, in a list or by column, with at most about so many features together."""
    lists = measure.values() if isinstance(measure, dict) else [measure]
    every = [one for some in lists for one in (some if isinstance(some, list) else [some])]
    share = most / max(1, sum(map(_size, every)))
    if share >= 1:
        return measure

    def fewer(one: Any) -> Any:
        if isinstance(one, list):
            return [fewer(part) for part in one]
        return _resized(one, max(FEWEST, int(_size(one) * share)), strategy)

    if isinstance(measure, dict):
        return {columns: fewer(one) for columns, one in measure.items()}
    return fewer(measure)


def _size(one: Any) -> int:
    """Return how many features a block has that may have fewer; 0: it may not."""
    if isinstance(one, RandomConvolution):
        return int(one.n_components)
    if isinstance(one, LandmarkMap):
        return int(one.landmarks.n) if isinstance(one.landmarks, AtMost) else USUAL
    return 0 if isinstance(one, (Map, Equality)) else USUAL


def _resized(one: Any, n: int, strategy: str) -> Any:
    if not _size(one):
        return one
    if isinstance(one, RandomConvolution):
        return one.set_params(n_components=n)
    if isinstance(one, LandmarkMap) and isinstance(one.landmarks, AtMost):
        return one.set_params(landmarks__n=n)
    few = AtMost(n, strategy)
    if isinstance(one, LandmarkMap):
        return one.set_params(landmarks=few)
    return LandmarkMap(one, landmarks=few)
