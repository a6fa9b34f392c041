"""What ``measure="auto"`` means: blocks by what the objects are, and how many rows there are.

A ridge head then keeps the blocks that help, by their out-of-fold errors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from ..data import (
    Domain,
    Mixed,
    Ragged,
    Series,
    Vectors,
    amounts,
    as_frame,
    domain_of,
    looks_like_time,
    missing_in,
    names_in,
    vectors,
    without_gaps,
)
from ..data.missing import has_missing_steps
from ..data.series import reach
from ..data.tables import naming_column, part_of
from ..engine import warn_user
from ..engine.lapack import tiles
from ..landmarks import AtMost
from ..linear_model.ridge import StreamedRidge
from ..maps import (
    BagScores,
    BoostedScores,
    DateParts,
    ForestScores,
    LandmarkMap,
    Map,
    MissingShares,
    NumericColumns,
    RandomConvolution,
)
from ..maps.boosting import affordable_rounds
from ..measures import (
    ADTW,
    DDTW,
    DTW,
    MSM,
    TWE,
    Chamfer,
    Custom,
    Equality,
    Euclidean,
    FilledColumns,
    Levenshtein,
    Manhattan,
    Measure,
    Member,
    ModifiedHausdorff,
    NGrams,
    ScaledColumns,
    Subsequence,
    Substring,
    Summaries,
    WeisfeilerLehman,
    as_measures,
    summaries_of,
)
from ..search import NeighbourScores
from ..transfers import GaussianDecay, Identity
from ..tuning import Task, Tuning
from ..validation import seeded
from .blocks import Block
from .tables import single_measures

__all__ = [
    "Effort",
    "affordable",
    "auto_blocks",
    "auto_measure",
    "measures_of_columns",
    "read_kind",
    "single_measure_for",
]


Effort = Literal["quick", "default", "best"]
EFFORTS: tuple[Effort, ...] = ("quick", "default", "best")
HELD_LETTERS = 20_000_000  # whose n-grams are held at once
SCORED_LETTERS = 20_000_000  # times targets of a ridge on their n-grams
# The most on which relevances of columns are compared, the rows that give slopes, and those from
# which on a forest needs fewer trees to tell.
RELEVANCE_ROWS, RELEVANCE_COLUMNS, RELEVANCE_LANDMARKS = 4000, 2000, 256
SLOPE_ROWS, FEWER_TREES_FROM = 100, 1500
SLOPE_VALUES = 1 << 21  # numbers, and values, of rows moved along some columns at a time


def require_effort(effort: Any) -> None:
    """Stop unless `effort=` is one of those there are."""
    if effort not in EFFORTS:
        raise ValueError(f"effort must be 'quick', 'default' or 'best', not {effort!r}.")


def auto_blocks(
    domain: Domain, effort: Effort = "default", n_landmarks: int | None = None, few: bool = False
) -> list[Any]:
    """Return the blocks that are offered for objects of a kind, as `measure=` takes them.

    Parameters
    ----------
    domain : Domain
        What the objects are.
    effort : {"quick", "default", "best"}
        Fewer, the usual, or more blocks and landmarks.
    n_landmarks : int, optional
        Landmarks of every block, in place of what the effort says.
    few : bool
        Whether all blocks together are to have some hundred features only, for a head whose work
        grows with the cube of their number.

    Examples
    --------
    >>> from seamark.data import strings
    >>> [block.measure for block in auto_blocks(strings)]
    [Levenshtein(), NGrams(n=(1, 5)), NGrams(within='places'), Substring(), None]
    """
    require_effort(effort)
    for kind, blocks in BLOCKS.items():
        if kind == domain.name:
            offered = blocks(EFFORTS.index(effort))
            break
    else:
        raise ValueError(
            f'measure="auto" knows no measure of {domain.name}; give one of yours as measure=.'
        )
    if few:
        n_landmarks = min(n_landmarks or 200, 200)
    return [block if n_landmarks is None else _resized(block, n_landmarks) for block in offered]


def single_measure_for(domain: Domain) -> Measure:
    """Return the one measure of a kind that stands for all, where other options want only one.

    Examples
    --------
    >>> from seamark.data import series
    >>> single_measure_for(series)
    DTW(window=0.1)
    """
    return {
        "strings": Levenshtein(),
        "series": DTW(window=0.1),
        "sets": ScaledColumns(Chamfer()),
        "graphs": WeisfeilerLehman(values="minmax"),
        "vectors": ScaledColumns(Manhattan()),
    }[domain.name]


def _resized(block: Any, n: int) -> Any:
    if block.sees_targets:  # has a feature for each class
        return block
    name = "n_components" if isinstance(block, RandomConvolution) else "landmarks__n"
    return block.set_params(**{name: n})


def _landmarks(measure: Measure, n: int, transfer: Any = "auto") -> LandmarkMap:
    return LandmarkMap(measure, landmarks=AtMost(n), transfer=transfer)


def _series(effort: int) -> list[Any]:
    windows, convolutions, rows = ((800, 2000, 0), (2000, 5000, 500), (4000, 10000, 1000))[effort]
    # Distances to windows serve as they are: a transfer tuned for each block gained nothing.
    near = "auto" if effort > 1 else Identity()
    drawn: list[Any] = [_landmarks(Subsequence(), windows, near), RandomConvolution(convolutions)]
    if effort == 0:
        return drawn
    drawn.insert(1, _landmarks(Subsequence(differenced=True), windows, clone(near, safe=False)))
    elastic: tuple[Measure, ...] = (DTW(window=0.1), MSM(window=0.1))
    if effort > 1:
        elastic += (DTW(), MSM(), TWE(), DDTW(window=0.1), ADTW())
    return [*drawn, *(_landmarks(one, rows) for one in elastic)]


def _strings(effort: int) -> list[Any]:
    n = (500, 1000, 3000)[effort]
    aligned = NGrams((1, 3), within="places")  # for strings of one length only
    if effort == 0:
        return [*(_landmarks(one, n) for one in (Levenshtein(), aligned)), BagScores()]
    measures: tuple[Measure, ...] = (Levenshtein(), NGrams((1, 5)), aligned)
    if effort > 1:
        measures += (Levenshtein().normalised(), NGrams())
    drawn = [_landmarks(Substring(), n)]
    return [*(_landmarks(one, n) for one in measures), *drawn, *again(drawn, effort), BagScores()]


def _sets(effort: int) -> list[Any]:
    n = (300, 1000, 3000)[effort]
    summaries = _landmarks(Summaries(ScaledColumns(Manhattan())), n)
    if effort == 0:
        return [_landmarks(ScaledColumns(Chamfer()), n), summaries]
    drawn = [_landmarks(ScaledColumns(Member()), n)]
    return [
        _landmarks(ScaledColumns(Chamfer()), n),
        *drawn,
        *again(drawn, effort),
        _landmarks(ScaledColumns(ModifiedHausdorff()), n),
        summaries,
        _landmarks(Summaries(ScaledColumns(Euclidean())), n, GaussianDecay("auto")),
    ]


def _graphs(effort: int) -> list[Any]:
    n = (300, 1000, 3000)[effort]
    rounds = (3,) if effort < 2 else (1, 3, 5)
    return [_landmarks(WeisfeilerLehman(h=h, values="minmax"), n) for h in rounds]


def _vectors(effort: int) -> list[Any]:
    n = (300, 1000, 3000)[effort]
    scalings: tuple[Literal["auto", "ranks"], ...] = ("auto", "ranks") if effort > 0 else ("auto",)
    blocks: list[Any] = []
    for scaling in scalings:
        blocks += [
            _landmarks(ScaledColumns(Manhattan(), scaling=scaling), n),
            _landmarks(ScaledColumns(Euclidean(), scaling=scaling), n, GaussianDecay("auto")),
        ]
    forest = ForestScores((50, 100, 250)[effort])
    if effort == 0:
        return [*blocks, forest]
    return [*blocks, BoostedScores(), forest, NeighbourScores(ScaledColumns(Manhattan()))]


def again(drawn: list[Any], effort: int) -> list[Any]:
    """Return the blocks whose landmarks are drawn at random once more, at the highest effort.

    Each draw is a block of its own, so their ridges are averaged as those of several seeds.
    """
    return [clone(block) for block in drawn] if effort > 1 else []


BLOCKS: dict[str, Callable[[int], list[Any]]] = {
    "series": _series,
    "strings": _strings,
    "sets": _sets,
    "graphs": _graphs,
    "vectors": _vectors,
}


# What ``measure="auto"`` offers where rows are many: the same blocks, with fewer landmarks.


MOST_FEATURES = {"quick": 750, "default": 2000, "best": 3000}
"""Features of all blocks together, by effort: the cost of a row grows with their square.

With so few, one ridge on all of them is affordable. On 150,000 rows of forest cover its accuracy
was 81.0 % with 2,000 features; that of one measure with 1,000 landmarks was 77.4 %.
"""
FEWER_FROM = 200_000  # rows, from which on there are fewer features than that
FEWEST = 50
USUAL = 1000  # landmarks of a measure that does not say how many


def features_for(effort: str, n_rows: int) -> int:
    """Return how many features all blocks of many rows have together.

    Examples
    --------
    >>> [features_for("default", n) for n in (150_000, 400_000, 10_000_000)]
    [2000, 1414, 1000]
    """
    return int(MOST_FEATURES[effort] * min(1.0, max(0.5, (FEWER_FROM / n_rows) ** 0.5)))


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
    if size * len(getattr(model, "classes_", "1")) > SCORED_LETTERS:
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
        return _with_features(one, max(FEWEST, int(_size(one) * share)), strategy)

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


def _with_features(one: Any, n: int, strategy: str) -> Any:
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


# Which columns of vectors matter, and whether it pays to say so.


Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

FEWEST_ROWS = 100  # rows, below which halves say too little
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
    tied: Rows

    def some(self, rows: Rows) -> Jury:
        """Return the jury on some rows."""
        task = self.task.some(rows)
        keeping = {**self.keeping, "groups": task.groups}
        return replace(self, X=self.X[rows], task=task, keeping=keeping)

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
        few = AtMost(RELEVANCE_LANDMARKS)
        return LandmarkMap(measure, landmarks=few, scale=False, random_state=self.seed)

    @cached_property
    def importances(self) -> Floats:
        """How much each column matters to a small forest; they add up to 1."""
        n_trees = 100 if len(self.X) < FEWER_TREES_FROM else 40
        options = {"min_samples_leaf": 2, "random_state": self.seed}
        forest = (
            RandomForestClassifier(n_trees, **options)
            if is_classifier(self.task.yardstick)
            else RandomForestRegressor(n_trees, max_features=1 / 3, **options)
        )
        forest.fit(self.X, self.task.numbers, sample_weight=self.task.weights)
        return self._of_tied(forest.feature_importances_)

    def _of_tied(self, values: NDArray[Any]) -> Floats:
        """Return for each column the sum over those that it is tied to, itself among them."""
        return np.asarray(np.bincount(self.tied, values)[self.tied])

    def slopes(self, factors: Floats) -> Floats:
        """Root of the mean squared slope along each column of a ridge on columns with factors.

        Slopes are per deviation of a column, and the largest is 1.
        """
        _, features = self.best([factors])
        head, _ = clone(self.task.yardstick).fitted_to(features, self.task.numbers, {})
        say = getattr(head, "decision_function", None) or head.predict
        some = np.asarray(self.X[:SLOPE_ROWS], dtype=np.float64)
        moves = np.diag(STEP * self.X.std(axis=0))[:, None]
        n, d = some.shape
        squares = np.empty(d)
        for columns in tiles(0, d, max(1, SLOPE_VALUES // (n * max(d, RELEVANCE_LANDMARKS)))):
            moved = moves[columns]
            rows = np.stack([some + moved, some - moved]).reshape(-1, d)
            up, down = say(features.map.block(rows)).reshape(2, len(moved), -1)
            squares[columns] = np.square(up - down).mean(axis=1)
        return _largest_one(np.sqrt(self._of_tied(squares)))


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
    names = getattr(getattr(about[0].what, "measure", None), "names", None)
    tied = None
    if names is not None or (isinstance(rows, np.ndarray) and np.isnan(rows).any()):
        filling = FilledColumns(Manhattan(), names=names).fitted_to(rows, rng)
        rows, tied = filling.prepared(rows), filling.sources()
        n_gaps = len(np.asarray(filling.gaps))  # what says that a number is missing is by itself
        tied[len(tied) - n_gaps :] = tied.max() + 1 + np.arange(n_gaps)
    factors = relevance_of(rows, task, tuning, rng, keeping, tied)[1]
    for block in about if factors is not None else ():
        _scaled_columns(block).set_params(relevance=factors)
    return factors


def _scaled_columns(block: Block) -> Any:
    """What scales the columns of vectors, or of sets' summaries, in a block; None: nothing does."""
    measure = getattr(block.what, "measure", block.what)
    if isinstance(measure, (FilledColumns, Summaries)):
        measure = measure.measure
    scales = isinstance(measure, ScaledColumns) and isinstance(measure.domain, Vectors)
    return measure if scales else None


def relevance_of(
    X: Any,
    task: Task,
    tuning: Tuning,
    rng: np.random.Generator,
    keeping: dict[str, Any],
    tied: Rows | None = None,
) -> tuple[str, Floats | None]:
    """Return factors for the columns of vectors, and where they come from; None: all alike.

    Parameters
    ----------
    X : ndarray or sparse matrix
        Ingested vectors.
    task, tuning, rng, keeping
        As for the blocks of a model.
    tied : ndarray of int, optional
        A number for each column; those that share one, as names of one category do, have one
        factor. (A factor for each name would know what single rows are like.)
    """
    seed = int(rng.integers(2**31 - 1))
    n, d = X.shape
    if sparse.issparse(X) or n < FEWEST_ROWS or not 2 <= d <= RELEVANCE_COLUMNS:
        return "alike", None
    task = replace(task, yardstick=seeded(task.yardstick, rng))
    tied = np.arange(d) if tied is None else tied
    jury = Jury(X, task, tuning, {**keeping, "progress": False}, seed, tied)
    if n > (most := RELEVANCE_ROWS):
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


# What ``measure="auto"`` means: blocks by what the objects are, and how many rows there are.


FACTORS = (0.3, 1.0, 10.0)  # of the time that values may take
SECONDS, SECONDS_A_NUMBER = 0.5, 4e-6  # of a block, and
SERIES_SECONDS, SERIES_SECONDS_A_NUMBER = 0.05, 5e-7  # where others take a microsecond a number
FEWEST_LANDMARKS = 32
MOST_BY_DEFAULT, SECONDS_A_ROW = 2000, 2e-4  # landmarks of a single measure, and their values
MANY_ROWS = 5000  # of a table
FOLDS_OF_MANY, FEWEST_ROUNDS = 3, 100  # of boosting
TREES = (BoostedScores, ForestScores)
FEWEST_FOR_TREES = 500
ALIGNED = 0.9  # of the strings have one length: letters at the same place may mean the same
FEWEST_VOTERS = 2000  # of fewer rows, landmarks tell all
VOTE_SECONDS_A_ROW, SECONDS_A_LOOK = 1e-4, 1e-9  # of neighbours; each distance is looked at
MOST_NAMES = 100  # of categories that are compared together with numbers
LANDMARKS_A_NUMBER = 400  # of a table: distances of one column need few to say all
MOST_IN_TABLE = (6000, 15_000, 40_000)  # features of all columns of a table, by effort


def read_kind(X: Any) -> Domain | None:
    """Return the domain of X, None for a table of several kinds; say so if it may be another."""
    domain = domain_of(X)
    if isinstance(domain, Vectors) and getattr(X, "ndim", 0) == 2 and looks_like_time(X):
        warn_user(
            f"the {X.shape[1]} columns of X look like steps of time, and are read as columns of a "
            'table; for series give X[:, None, :], or say measure="dtw".'
        )
    return domain


def auto_measure(model: Any, X: Any, behind: int = 0) -> Any:
    """Return what ``measure="auto"`` means for a model and its X, as `measure=` takes it.

    Options that speak of the landmarks of one measure get one measure. Rows with many `behind`
    them, of which they are a sample, get fewer landmarks.
    """
    require_effort(model.effort)
    domain = read_kind(X)
    if domain is None:
        one = _wants_one(model)
        columns = single_measures(X) if one else measures_of_columns(X, model, behind)
        return fewer_for_many(columns, model, behind) if behind else columns
    if _wants_one(model):
        return single_measure_for(domain)
    objects = domain.ingest(X)
    blocks = _offered(domain, objects, model, behind)
    blocks = blocks_for_many(blocks, objects, model, behind) if behind else blocks
    return affordable(blocks, objects, FACTORS[EFFORTS.index(model.effort)])


def measures_of_columns(frame: Any, model: Any = None, behind: int = 0) -> dict[Any, Any]:
    """Return what compares each column of a table, as a model's `measure=` takes it.

    Each column gets the blocks that it would get alone. Columns of numbers, and of yes and no, are
    one entry: `NumericColumns`, standardised, with missing values filled with medians and reported.
    Text with few different values that come again is compared by `Equality`, which makes it
    one-hot. One more entry compares rows by numbers and categories together, and has trees where
    rows are many: what a number means may depend on a category, and a sum over columns cannot tell.
    Dates become `DateParts`; other text gets the blocks of strings: edit distance, n-grams,
    substrings and `BagScores`. Lists and arrays of numbers get the blocks of series. Text that says
    dates, as 2024-02-29 or 29.02.2024, is dates.

    Parameters
    ----------
    frame : DataFrame of pandas or polars, table of pyarrow
    model : LandmarkModel, optional
        Whose `effort`, `n_landmarks` and head count; default: a `LandmarkClassifier`.
    behind : int, default=0
        All rows, where these are a sample of them.

    Returns
    -------
    dict
        Of measures, maps and lists of them by column, or by a tuple of columns; yours to change
        before a model gets it.

    Examples
    --------
    >>> import pandas as pd
    >>> import seamark as sm
    >>> table = pd.DataFrame({
    ...     "wine": ["Rioja", "Roija", "Medoc", "Médoc"] * 3,
    ...     "colour": ["red", "red", "red", None] * 3,
    ...     "price": [8.5, None, 21.0, 19.0] * 3,
    ...     "sold": pd.to_datetime(["2024-05-01", "2024-05-03", "2025-01-02", "2025-02-01"] * 3),
    ... })
    >>> columns = sm.models.measures_of_columns(table)
    >>> list(columns)
    ['wine', 'colour', 'sold', ('price',), ('wine', 'colour', 'price')]
    >>> columns["colour"], columns[("price",)]
    (Equality(), [NumericColumns()])
    """
    if model is None:
        from .classifier import LandmarkClassifier

        model = LandmarkClassifier()
    singles = single_measures(frame)
    numbers = next((key for key in singles if isinstance(key, tuple)), ())
    known = _names_of_categories(frame, singles)
    found: dict[Any, Any] = {
        key: [NumericColumns()] if key == numbers else _of_column(frame, key, one, model, behind)
        for key, one in singles.items()
    }
    together = tuple(name for name in as_frame(frame).columns if name in numbers or name in known)
    if numbers or len(known) > 1:
        with naming_column(together):
            blocks = _of_rows(frame, together, known, model, behind)
        found[together] = [*found.get(together, []), *blocks]  # of numbers alone, beside their sum
    most = MOST_IN_TABLE[EFFORTS.index(model.effort)]
    return fewer_of(found, most, model.strategy)  # type: ignore[no-any-return]


def _names_of_categories(frame: Any, singles: dict[Any, Any]) -> dict[Any, tuple[str, ...]]:
    """Return the names in each column of categories; those of few names first, up to a sum."""
    table = as_frame(frame)
    columns = [key for key, one in singles.items() if isinstance(one, Equality)]
    known = {key: names_in(table.get_column(key)) for key in columns}
    by_size = sorted(columns, key=lambda key: len(known[key]))
    sums = np.cumsum([len(known[key]) for key in by_size])
    return {key: known[key] for key, n in zip(by_size, sums, strict=True) if n <= MOST_NAMES}


def _of_rows(
    frame: Any, columns: tuple[Any, ...], known: dict[Any, Any], model: Any, behind: int
) -> list[Any]:
    """Return the blocks that compare rows by several columns of numbers and of categories.

    Parameters
    ----------
    frame : DataFrame
    columns : tuple
        Names of columns.
    known : dict
        The names of categories in those that are not numbers.
    model, behind
        As for `measures_of_columns`.
    """
    names = tuple(known.get(column) for column in columns) if known else None
    objects = (amounts if names is None else Mixed(names)).ingest(
        part_of(frame, list(columns), amounts)
    )
    blocks = _offered(vectors, objects, model, behind)
    maps = [block for block in blocks if isinstance(block, LandmarkMap)]
    for block in blocks:
        if isinstance(block, (LandmarkMap, NeighbourScores)):
            block.set_params(measure=FilledColumns(block.measure, names=names))
        else:
            block.set_params(missing=True, names=names)
    for block in maps:
        few = min(block.landmarks.n, LANDMARKS_A_NUMBER * len(columns) // len(maps))
        block.set_params(landmarks__n=few)
    return affordable(blocks, objects, FACTORS[EFFORTS.index(model.effort)])


def _of_column(frame: Any, key: Any, single: Any, model: Any, behind: int) -> Any:
    """Return the blocks of one column, given its single measure."""
    if isinstance(single, (Equality, DateParts)):
        return single
    domain = single.domain
    raw = part_of(frame, key, domain)
    with naming_column(key):
        missing = missing_in(raw)
        objects = domain.ingest(without_gaps(raw, missing) if missing.any() else raw)
    blocks = _offered(domain, objects, model, behind)
    if isinstance(single, LandmarkMap):  # spellings of few things: which of them are nearest
        few = AtMost(blocks[0].landmarks.n, model.strategy)
        blocks = [single.set_params(landmarks=few, n_jobs=model.n_jobs), *blocks]
    return affordable(blocks, objects, FACTORS[EFFORTS.index(model.effort)])


def _wants_one(model: Any) -> bool:
    """Tell whether options speak of the landmarks of one measure."""
    asked = {name: getattr(model, name) for name in ONE_MEASURE}
    unusual = any(not _is(asked[name], usual) for name, usual in ONE_MEASURE.items())
    return unusual or model.n_landmarks == "cv"


def _offered(domain: Domain, objects: Any, model: Any, behind: int) -> list[Any]:
    """Return the blocks for objects of a kind, as the options of a model allow them."""
    ridge = isinstance(model._parts(np.random.default_rng(0))[0], StreamedRidge)
    blocks = auto_blocks(domain, model.effort, model.n_landmarks, few=not ridge)
    if isinstance(domain, Series) and has_missing_steps(objects):
        blocks.append(MissingShares())
    blocks = suitable(blocks, objects)
    if getattr(model, "_in_blocks", False):  # later rows add to sums in which y is not to be
        blocks = [block for block in blocks if not block.sees_targets]
    if not ridge:  # which alone judges trees by themselves: beside other columns they give y away
        blocks = [block for block in blocks if not isinstance(block, (*TREES, NeighbourScores))]
    for block in blocks:
        if "n_jobs" in block.get_params(deep=False):
            block.set_params(n_jobs=model.n_jobs)
        if isinstance(block, LandmarkMap) and not block.measure.compares_parts:
            block.set_params(landmarks__strategy=model.strategy)
        _suit(block, objects)
    blocks = [block for block in blocks if _has_rounds(block, objects, model)]
    usual = model.n_landmarks is None and model.effort == "default"
    if usual and not behind and objects.shape[0] > MANY_ROWS:
        return few_beside_trees(blocks, objects)
    return blocks


def _has_rounds(block: Any, objects: Any, model: Any) -> bool:
    """Tell whether there is time for so many rounds of boosting that it is worth it."""
    if not isinstance(block, BoostedScores):
        return True
    n, d = objects.shape
    n_outputs = len(getattr(model, "classes_", "1"))
    return affordable_rounds(n, d, n_outputs, block.cv) >= FEWEST_ROUNDS


def few_beside_trees(blocks: list[Any], objects: Any) -> list[Any]:
    """Return blocks of many rows of a table, with one block of landmarks, if there are trees.

    Of 10,000 rows, trees and neighbours tell most, and the Gaussian of scaled columns what is
    smooth: blocks of other landmarks beside them changed scores by 0.001 at most.
    """
    if not any(isinstance(one, ForestScores) and _bears(one, objects, 0) for one in blocks):
        return blocks
    return [one for one in blocks if not isinstance(one, LandmarkMap) or _is_smooth(one.measure)]


def _is_smooth(measure: Any) -> bool:
    """Whether it is the one of `_vectors` that follows smooth changes best."""
    return isinstance(measure.measure, Euclidean) and measure.scaling == "auto"


def suitable(blocks: list[Any], objects: Any) -> list[Any]:
    """Return the blocks without n-grams at their places, unless strings have one length.

    Nearly all strings, that is, and two letters or more.
    """
    placed = [getattr(getattr(one, "measure", None), "within", "") == "places" for one in blocks]
    if any(placed):
        lengths, counts = np.unique(objects.lengths, return_counts=True)
        if counts.max() < ALIGNED * len(objects) or lengths[counts.argmax()] < 2:
            return [one for one, at_places in zip(blocks, placed, strict=True) if not at_places]
    return blocks


def _suit(block: Any, objects: Any) -> None:
    """Fit a block to the data: windows are no longer than most series, many rows need few folds."""
    measure = getattr(block, "measure", None)
    if isinstance(block, BoostedScores) and objects.shape[0] > MANY_ROWS:
        block.set_params(cv=FOLDS_OF_MANY)
    elif isinstance(measure, Subsequence):
        longest = reach(objects.lengths) - measure.differenced
        measure.set_params(length=max(2, min(measure.length, longest)))


def affordable(blocks: list[Any], objects: Any, factor: float = 1.0) -> list[Any]:
    """Return the blocks, with fewer landmarks where values of so many would take too long.

    A block may take about `factor` times 0.5 s, and 4 µs more for every number of the data; of
    series 0.05 s and 0.5 µs, with which more landmarks told no more. It is left out where that buys
    fewer than 32 landmarks, unless it is the only one. Votes of neighbours may take 0.1 ms more
    for every row: of more rows than that allows, some are drawn that vote.

    Parameters
    ----------
    blocks : list of Map
        Those that are landmark maps have `AtMost` so many.
    objects : objects
        Ingested.
    factor : float
    """
    n = objects.shape[0]
    size = objects.flat.size if isinstance(objects, Ragged) else n * objects.shape[1]
    allowed = SECONDS, SECONDS_A_NUMBER
    if isinstance(objects, Ragged) and isinstance(objects.domain, Series):
        allowed = SERIES_SECONDS, SERIES_SECONDS_A_NUMBER
    seconds = factor * (allowed[0] + allowed[1] * size)
    kept = []
    for block in blocks:
        if isinstance(block, LandmarkMap) and not block.measure.compares_parts:
            number = int(seconds / (n * _seconds_a_value(block.measure, objects)))
            if number < min(FEWEST_LANDMARKS, n):
                continue
            block.set_params(landmarks__n=min(block.landmarks.n, number))
        elif isinstance(block, NeighbourScores):
            a_look = SECONDS_A_LOOK + _seconds_a_value(block.measure, objects)
            number = min(n, int(factor * (SECONDS + VOTE_SECONDS_A_ROW * n) / (n * a_look)))
            if number < FEWEST_VOTERS or sparse.issparse(objects):
                continue
            block.set_params(n_objects=number if number < n else None)
        elif not _bears(block, objects, size):
            continue
        kept.append(block)
    return kept or [blocks[0].set_params(landmarks__n=FEWEST_LANDMARKS)]


def _bears(block: Any, objects: Any, size: int) -> bool:
    """Tell whether there is room for n-grams, and so many rows that trees are no chance."""
    if isinstance(block, BagScores):
        return size <= HELD_LETTERS
    if isinstance(block, TREES):
        n, d = objects.shape
        few = d <= RELEVANCE_COLUMNS
        return n >= FEWEST_FOR_TREES and few and not sparse.issparse(objects)
    return True


def usual_landmarks(block: Block, head: Any, n: int) -> int | None:
    """Return how many landmarks a single measure gets by default; None: as many as a map gets.

    A third of n different objects, up to 2000: accuracy grows with landmarks, the cost of a ridge
    with their square. Only where values of so many take no more than 0.2 ms a row, which those of
    Python functions and of elastic distances between long series do.
    """
    most = min(n // 3, MOST_BY_DEFAULT)
    if not block.is_plain or not isinstance(head, StreamedRidge) or most <= USUAL:
        return None
    measure, *others = as_measures(block.what)
    known = measure.domain.name in BLOCKS and not measure.compares_parts
    if others or not known or isinstance(measure, Custom):
        return None
    cheap = most * _seconds_a_value(measure, block.objects) <= SECONDS_A_ROW
    return most if cheap else None


def _seconds_a_value(measure: Measure, objects: Any) -> float:
    """Return about how long a value of two of the objects takes, on one thread."""
    rows = np.linspace(0, objects.shape[0] - 1, min(objects.shape[0], 16)).astype(np.intp)
    some = objects[rows]
    fitted = measure.fitted_to(some, np.random.default_rng(0))

    def seconds(n: int) -> float:
        landmarks = fitted.landmark_domain.landmarks(some, np.arange(n))
        return float(np.mean(fitted.compile(landmarks).seconds(some)))

    n = some.shape[0]  # what a row takes by itself, without any landmarks, does not count
    return max(seconds(n) - seconds(n // 2), 1e-12) / (n - n // 2) if n > 1 else seconds(1)


ONE_MEASURE: dict[str, Any] = {
    "landmarks": "auto",
    "transfer": "auto",
    "weighing": None,
    "tune": "cv",
    "passthrough": False,
}


def _is(given: Any, usual: Any) -> bool:
    return type(given) is type(usual) and given == usual
