"""Which columns of vectors matter, and whether it pays to say so.

A forest fitted to one half of the rows, or the slopes of a fitted ridge, say how much each column
matters; the other half judges whether columns scaled by that are better than all alike. So no row
judges what it has itself made likely. What wins is found anew on all rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from ..data import Ragged, Vectors
from ..engine import settings
from ..estimating import seeded
from ..landmarks import AtMost
from ..maps import LandmarkMap
from ..measures import FilledColumns, Manhattan, ScaledColumns, Summaries
from ..measures.columns import summaries_of
from ..tuning import Task, Tuning
from .blocks import Block

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

FEWEST = 100  # rows, below which halves say too little
STEP = 0.25  # of a slope, in deviations of a column
MOST_ROUNDS = 3


@dataclass(frozen=True, eq=False)
class Jury:
    """The rows of a table and what is learnt from them, for comparing factors of its columns."""

    X: NDArray[Any]
    task: Task
    tuning: Tuning
    keeping: dict[str, Any]
    seed: int

    def some(self, rows: Rows) -> Jury:
        """Return the jury on some rows."""
        task = self.task.some(rows)
        keeping = {**self.keeping, "groups": task.groups}
        return Jury(self.X[rows], task, self.tuning, keeping, self.seed)

    def halves(self) -> tuple[Jury, Jury]:
        """Part the rows in two; equal objects stay together."""
        groups = np.arange(len(self.X)) if self.task.groups is None else self.task.groups
        sides = np.random.default_rng(self.seed).permutation(groups.max() + 1) % 2
        side = sides[groups]
        return self.some(np.flatnonzero(side == 0)), self.some(np.flatnonzero(side == 1))

    @property
    def can_learn(self) -> bool:
        """Whether there are two kinds of targets: a rare class may be in the other half."""
        return len(np.unique(self.task.numbers, axis=0)) > 1

    def best(self, factors: list[Floats]) -> tuple[int, Any]:
        """Return which factors have the least cross-validated error, and their features.

        The first are to be beaten by 0.5/√n of their error, which is about what chance does.
        """
        block = Block(None, None, raw=self.X, objects=self.X)
        block.fit([self._map(one) for one in factors], self.task.y, False)
        rng = np.random.default_rng(self.seed)
        features, choice = block.tuned(self.task, self.tuning, rng, self.keeping)
        errors = -np.array(choice.results["merit"] if len(factors) > 1 else [0.0])
        best = int(np.argmin(errors))
        beaten = errors[best] < (1 - 0.5 / np.sqrt(len(self.X))) * errors[0]
        return best if beaten else 0, features

    def _map(self, factors: Floats) -> LandmarkMap:
        measure = ScaledColumns(Manhattan(), relevance=factors)
        few = AtMost(settings().relevance_landmarks)
        return LandmarkMap(measure, landmarks=few, scale=False, random_state=self.seed)

    @cached_property
    def importances(self) -> Floats:
        """How much each column matters to a small forest; they add up to 1."""
        forest = (
            RandomForestClassifier(100, min_samples_leaf=2, random_state=self.seed)
            if is_classifier(self.task.yardstick)
            else RandomForestRegressor(
                100, max_features=1 / 3, min_samples_leaf=2, random_state=self.seed
            )
        )
        forest.fit(self.X, self.task.numbers, sample_weight=self.task.weights)
        return np.asarray(forest.feature_importances_)

    def slopes(self, factors: Floats) -> Floats:
        """Root of the mean squared slope along each column of a ridge on columns with factors.

        Slopes are per deviation of a column, and the largest is 1.
        """
        _, features = self.best([factors])
        head, _ = clone(self.task.yardstick).fitted_to(features, self.task.numbers, {})
        say = getattr(head, "decision_function", None) or head.predict
        some = np.asarray(self.X[: settings().slope_rows], dtype=np.float64)
        spread = self.X.std(axis=0)
        squares = np.empty(self.X.shape[1])
        for column, width in enumerate(spread):
            up, down = some.copy(), some.copy()
            up[:, column] += STEP * width
            down[:, column] -= STEP * width
            rise = say(features.map.block(up)) - say(features.map.block(down))
            squares[column] = np.mean(np.square(rise))
        return _largest_one(np.sqrt(squares))


Way = Callable[[Jury], Floats]


def _alike(jury: Jury) -> Floats:
    return np.ones(jury.X.shape[1])


def _by_forest(power: float) -> Way:
    return lambda jury: _largest_one(jury.importances**power)


def _largest_one(factors: Floats) -> Floats:
    top = factors.max()
    return factors / top if top > 0 else np.ones_like(factors)


def scale_columns(
    blocks: list[Block],
    task: Task,
    tuning: Tuning,
    rng: np.random.Generator,
    keeping: dict[str, Any],
) -> Floats | None:
    """Give measures of vectors, or of sets' summaries, the relevance of columns, and return it."""
    about = [block for block in blocks if _scaled_columns(block) is not None]
    if not about:
        return None
    objects = about[0].objects
    rows = summaries_of(objects) if isinstance(objects, Ragged) else objects
    if isinstance(rows, np.ndarray) and np.isnan(rows).any():
        rows = FilledColumns(Manhattan()).fitted_to(rows, rng).prepared(rows)
    factors = relevance_of(rows, task, tuning, rng, keeping)[1]
    for block in about if factors is not None else ():
        _scaled_columns(block).set_params(relevance=factors)
    return factors


def _scaled_columns(block: Block) -> Any:
    """What scales the columns of vectors, or of sets' summaries, in a block; None: nothing does."""
    measure = block.what.measure if isinstance(block.what, LandmarkMap) else block.what
    if isinstance(measure, (FilledColumns, Summaries)):
        measure = measure.measure
    scales = isinstance(measure, ScaledColumns) and isinstance(measure.domain, Vectors)
    return measure if scales else None


def relevance_of(
    X: Any, task: Task, tuning: Tuning, rng: np.random.Generator, keeping: dict[str, Any]
) -> tuple[str, Floats | None]:
    """Return factors for the columns of vectors, and where they come from; None: all alike.

    Parameters
    ----------
    X : ndarray or sparse matrix
        Ingested vectors.
    task, tuning, rng, keeping
        As for the blocks of a model.
    """
    seed = int(rng.integers(2**31 - 1))
    n, d = X.shape
    if sparse.issparse(X) or n < FEWEST or not 2 <= d <= settings().relevance_columns:
        return "alike", None
    task = replace(task, yardstick=seeded(task.yardstick, rng))
    jury = Jury(X, task, tuning, {**keeping, "progress": False}, seed)
    if n > (most := settings().relevance_rows):
        jury = jury.some(np.sort(np.random.default_rng(seed).choice(n, most, replace=False)))
    learning, judging = jury.halves()
    if not (learning.can_learn and judging.can_learn):
        return "alike", None
    tried = [way(learning) for way in WAYS.values()]
    best, _ = judging.best(tried)
    (name, way), factors = list(WAYS.items())[best], tried[best]
    rounds = 0
    while rounds < MOST_ROUNDS:  # of slopes, for as long as they help
        sharper = learning.slopes(factors)
        if judging.best([factors, sharper])[0] == 0:
            break
        factors, rounds = sharper, rounds + 1
    if rounds:
        name = f"{name}, then slopes {rounds} times"
    elif name == "alike":
        return name, None
    factors = way(jury)
    for _ in range(rounds):
        factors = jury.slopes(factors)
    return name, factors


WAYS: dict[str, Way] = {
    "alike": _alike,
    "forest, fourth root": _by_forest(0.25),
    "forest, root": _by_forest(0.5),
    "forest": _by_forest(1.0),
}
