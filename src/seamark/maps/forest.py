"""Scores of a forest: few features that say what thresholds of single columns tell of y."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ..data import Domain, Mixed, amounts, vectors
from ..engine import side_by_side
from ..landmarks import groups_in
from ..measures import FilledColumns, Manhattan
from ..targets import in_turn
from ..validation import BOUNDS, check_columns, generator, require_count
from .base import Contribution, Floats32, column_contribution
from .scores import Scores, in_one_unit
from .trees import Codes, Levels, Trees

Rows = NDArray[np.intp]

PILOT_ROWS, PILOT_TREES = 8000, 20  # by which kinds of trees are compared
FEWEST_TO_COMPARE = 400  # rows
MOST_ASKED = 50  # columns that a node of numbers may choose among, where there are many
HALF = 0.5  # of the trees of a forest
CLEARLY = 0.5  # standard errors that another kind must gain
# Times fewer trees leave out a fold than see all rows. Of many rows the luck of few trees averages
# out in what they tell: which blocks are worth how much.
OF_EACH_FOLD, OF_EACH_FOLD_OF_MANY, MANY_ROWS = 2, 4, 20_000
FEWEST_TREES = 30
MOST_LEAVES, MOST_LEAVES_A_ROW = 600_000, 60  # of all trees
# Processor seconds that a forest may take to grow, and how many more for each row; and about what
# a level of a tree takes for each row, and for each number that it looks at.
SECONDS, SECONDS_A_ROW = 5.0, 1e-4
SECONDS_A_LEVEL, SECONDS_A_NUMBER = 4e-8, 2e-9


class Kind(NamedTuple):
    """What trees are like.

    Attributes
    ----------
    asked : int
        Columns that a node draws a threshold in, to take the best.
    ranks : bool
        Whether thresholds are drawn evenly from a column's levels, and not from its numbers.
    """

    asked: int
    ranks: bool = False


class TreeScores(Scores):
    """Scores of trees that ask for the levels of numbers: what forests and boosted trees share."""

    additive: ClassVar[bool]
    """Whether trees add up, and are not averaged."""
    missing: bool
    names: Any
    cv: int
    random_state: Any
    levels_: Levels
    trees_: Trees

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self._fills
        tags.input_tags.allow_nan = self._fills
        tags.target_tags.required = True
        return tags

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        """Vectors, or numbers that may be missing, and categories."""
        if self.names is not None:
            return Mixed(self.names)
        return amounts if self.missing else vectors

    @property
    def _fills(self) -> bool:
        return self.missing or self.names is not None

    def _read_rows(self, X: Any, y: Any) -> tuple[TreeRows, Rows, np.random.Generator]:
        """Return the rows that trees grow on, the fold of each, and what else is drawn from."""
        require_count("cv", self.cv)
        objects, rng = self._read(X, y), generator(self.random_state)
        if self.cv < 2:
            raise ValueError(f"cv must be 2 or more, not {self.cv!r}.")
        groups = groups_in(objects, self.domain)
        if self._fills:
            self.filling_ = FilledColumns(Manhattan(), names=self.names).fitted_to(objects, rng)
        dense = self._dense(objects)
        self.levels_, numbers = Levels.of(dense)
        self.informative_ = bool(len(self.levels_.cuts))
        rows = TreeRows(self.levels_.codes(dense), numbers, _tree_targets(np.asarray(y)))
        return rows, _tree_folds(groups, np.asarray(y), self.cv, rng), rng

    def _keep(self, trees: Trees) -> None:
        self.trees_ = trees
        self.n_features_out_ = trees.values.shape[1]
        self.feature_numbers_ = np.arange(self.n_features_out_)

    def _dense(self, X: Any) -> NDArray[np.float64]:
        dense = X.toarray() if sparse.issparse(X) else X
        dense = self.filling_.prepared(dense) if self._fills else dense
        return np.asarray(dense, dtype=np.float64)

    def ingest(self, X: Any) -> Any:
        """Return a float array or CSR matrix with the columns of fit."""
        objects = self.domain.ingest(X)
        check_columns(self, X, objects, reset=False)
        return objects

    def block(self, X: Any) -> Floats32:
        """Scores of a few ingested rows."""
        return self.trees_.mean(self.levels_.codes(self._dense(X))) * np.float32(self._n_added)

    @property
    def _n_added(self) -> int:
        """How many times the mean of the trees is what they say together."""
        return len(self.trees_.sizes) if self.additive else 1

    def contributions(
        self, X: Any, weights: NDArray[Any], means: NDArray[Any], names: Any = None
    ) -> list[list[Contribution]]:
        """Return what each column adds, step by step on the way through the trees."""
        codes = self.levels_.codes(self._dense(X))
        constant, by_column = self.trees_.by_column(codes, weights * self._n_added)
        dense = X.toarray() if sparse.issparse(X) else X
        if self._fills:  # what says that a number is missing, or its name, belongs to its column
            every, sources = by_column, self.filling_.sources()
            by_column = np.zeros(dense.shape)
            np.add.at(by_column.T, sources, every.T)
        if names is None:
            names = getattr(self, "feature_names_in_", [f"x{k}" for k in range(dense.shape[1])])
        return [
            [
                Contribution(None, float(constant[row] - weights[row] @ means)),
                *(
                    column_contribution(self.domain, k, str(names[k]), added[k], dense[row, k])
                    for k in np.flatnonzero(added).tolist()
                ),
            ]
            for row, added in enumerate(by_column)
        ]

    @property
    def bytes_per_row(self) -> int:
        """Memory that a row takes: its numbers, their levels, and scores."""
        return 16 * (len(self.levels_.offsets) - 1) + 4 * self.n_features_out_

    def _pick(self, columns: Rows) -> None:
        self.trees_ = self.trees_.of_columns(columns)


class ForestScores(TreeScores):
    """What a forest of randomised trees says of vectors: one feature for each class, or number.

    To a forest two rows are alike if they fall into the same leaves, and what it says of a row is
    the mean of y over rows that are like it. So it sees what no distance over all columns does:
    thresholds of single ones.

    Trees are extremely randomised: a node looks at a random threshold in each of some columns, and
    takes the best. How many columns, and whether thresholds are drawn from numbers or from ranks,
    is chosen by trees on part of the rows, judged by the others.

    Features of the rows it is fitted to are another matter: inside a model each is scored by trees
    that have seen neither it nor its equals (`fit_unseen`), so that blocks beside it are weighed
    fairly. Rows are dealt into folds in which y is alike, and further trees grow on all folds but
    one. (Trees that leave single rows out, as those of a bagged forest do, would not be fair: what
    is left then leans against the y of the row.)

    Parameters
    ----------
    n_trees : int, default=100
        Each is grown on all rows. Where these are so many that it would take too long, or that the
        forest would be too large, there are fewer, but 30 at least.
    cv : int, default=5
        Folds. For each of them half as many trees grow; of more than 20,000 rows a
        quarter.
    missing : bool, default=False
        Whether numbers may be missing: medians stand in, and a further column says where.
    names : tuple, optional
        For each column the names of its categories, or None for numbers, which may be missing.
    random_state : int, RandomState or Generator, optional
        Deals folds, and draws columns and thresholds.

    Attributes
    ----------
    trees_ : Trees
        Small arrays.
    levels_ : Levels
        What trees know of numbers: the level of each within its column.
    kind_ : tuple of (int, bool)
        Columns that a node looks at, and whether thresholds are drawn from ranks.
    n_features_out_ : int
        1 for two classes, or one for each class, label or number.

    Examples
    --------
    >>> import seamark as sm
    >>> X = np.random.default_rng(0).normal(size=(200, 5))
    >>> scores = sm.ForestScores(random_state=0).fit(X, X[:, 2] > 1)
    >>> (scores.transform([[0, 0, 2, 0, 0], [0, 0, -2, 0, 0]]) > 0.5).ravel()
    array([ True, False])
    """

    additive = False

    def __init__(
        self,
        n_trees: int = 100,
        *,
        cv: int = 5,
        missing: bool = False,
        names: tuple[tuple[str, ...] | None, ...] | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_trees = n_trees
        self.cv = cv
        self.missing = missing
        self.names = names
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
        y : array-like of shape (n,) or (n, T)
            Classes, or 0 and 1 of several labels; or numbers, if floats.

        Returns
        -------
        self
        """
        self._grow(X, y)
        return self

    def fit_unseen(self, X: Any, y: Any) -> Floats32:
        """Grow the trees, and return the features of the rows of X, each by trees without it."""
        rows, folds, rng = self._grow(X, y)
        n_folds = int(folds.max()) + 1
        if n_folds < 2:  # equal rows, all of them
            return self.trees_.mean(rows.codes)
        each = -(-len(self.trees_.sizes) // rows.of_each_fold)
        unseen = np.empty((len(folds), self.n_features_out_), dtype=np.float32)
        for fold in range(n_folds):
            own = folds == fold
            unseen[own] = rows.scores(Kind(*self.kind_), each, ~own, own, rng)
        return unseen

    def _grow(self, X: Any, y: Any) -> tuple[TreeRows, Rows, np.random.Generator]:
        """Grow the trees that see all rows; return these, folds, and what else is drawn from."""
        require_count("n_trees", self.n_trees)
        rows, folds, rng = self._read_rows(X, y)
        kind = rows.best_kind(folds, rng)
        self.kind_ = (kind.asked, kind.ranks)
        self._keep(rows.forest(kind, self.n_trees, rng))
        return rows, folds, rng


@dataclass(eq=False)
class TreeRows:
    """The rows that trees grow on.

    Attributes
    ----------
    codes : ndarray of shape (n, d), uint16
        Levels of the rows' numbers.
    numbers : list of ndarray
        For each column, the number that stands for each level.
    y : ndarray of shape (n,) or (n, T)
        Numbers of classes; or floats.
    """

    codes: Codes
    numbers: list[NDArray[np.float64]]
    y: NDArray[Any]

    def forest(self, kind: Kind, n_trees: int, rng: np.random.Generator) -> Trees:
        """Return trees that see all rows, not too many to grow or to keep."""
        seeds = rng.integers(2**31 - 1, size=n_trees).tolist()
        rows, levels = self._numbers(kind.ranks)

        def grow(seed: int) -> Trees:
            tree = self._grown(kind, rows, self.y, seed)
            return Trees.of(tree.tree_, self._values(tree, tree.tree_.value), levels)

        first = grow(seeds[0])
        n = len(self.codes)
        in_time = self._seconds() / self._seconds_of_each(kind)
        in_size = max(MOST_LEAVES, MOST_LEAVES_A_ROW * n) / len(first.leaves)
        most = max(FEWEST_TREES, int(min(in_time, in_size)))
        return Trees.joined([first, *side_by_side(grow, seeds[1:most])])

    def scores(
        self,
        kind: Kind,
        n_trees: int,
        seen: NDArray[Any],
        asked: NDArray[Any],
        rng: np.random.Generator,
    ) -> Floats32:
        """Return what trees of some rows say of others, on average."""
        rows, _ = self._numbers(kind.ranks)
        known, y, new = rows[seen], self.y[seen], rows[asked]

        def predicted(seed: int) -> NDArray[np.float64]:
            tree = self._grown(kind, known, y, seed)
            return self._values(tree, tree.tree_.predict(new))

        every = side_by_side(predicted, rng.integers(2**31 - 1, size=n_trees).tolist())
        mean: Floats32 = (sum(every) / n_trees).astype(np.float32)
        return mean

    def best_kind(self, folds: Rows, rng: np.random.Generator) -> Kind:
        """Return the kind of trees that errs least on rows it has not seen."""
        few, *more = self._asked
        best = Kind(few)
        pilot = np.arange(len(folds))
        if len(pilot) > PILOT_ROWS:
            pilot = np.sort(rng.choice(pilot, PILOT_ROWS, replace=False))
        judging = folds[pilot] < (2 if folds.max() > 1 else 1)
        seen, asked = pilot[~judging], pilot[judging]
        if len(folds) < FEWEST_TO_COMPARE or len(seen) < len(asked):
            return best
        seed = int(rng.integers(2**31 - 1))

        def judged(kind: Kind) -> tuple[NDArray[np.float64], ...]:
            luck = np.random.default_rng(seed)
            return self._losses(self.scores(kind, PILOT_TREES, seen, asked, luck), self.y[asked])

        least = judged(best)
        for asked_for, ranks in [*((number, False) for number in more), (None, True)]:
            other = Kind(asked_for or best.asked, ranks)
            found = judged(other)
            gains = [old - new for old, new in zip(least, found, strict=True)]
            errors = [CLEARLY * one.std() / np.sqrt(len(one)) for one in gains]
            # What is more often wrong is not better for being more sure.
            if gains[0].mean() > errors[0] and gains[1].mean() >= -errors[1]:
                best, least = other, found
        return best

    def _losses(
        self, scores: Floats32, y: NDArray[Any]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return for each row the squared error of scores, and whether their decision is wrong."""
        targets = y if y.ndim == 2 else np.eye(self._n_classes)[y][:, self._shown]
        squares = _squared_errors(scores.astype(np.float64), targets)
        if y.ndim == 2:
            return squares, np.zeros(len(y))
        two = scores.shape[1] == 1
        decided = scores[:, 0] > HALF if two else scores.argmax(axis=1)
        return squares, (decided != y).astype(np.float64)

    @property
    def _asked(self) -> list[int]:
        """Numbers of columns that a node may look at: few, and more where there is time."""
        d = len(self.numbers)
        few = int(np.sqrt(d))
        if self.y.ndim == 2:
            few = max(1, few, min(d // 3, MOST_ASKED))
        affordable = [
            asked
            for asked in (d // 2, d)
            if FEWEST_TREES * self._seconds_of_each(Kind(asked)) <= self._seconds()
        ]
        return [few, *(asked for asked in affordable if asked > few)]

    def _seconds(self) -> float:
        return SECONDS + SECONDS_A_ROW * len(self.codes)

    def _seconds_of_each(self, kind: Kind) -> float:
        """Return about how long a tree takes, and its share of five folds' trees."""
        n = len(self.codes)
        a_tree = float(n * np.log2(n + 1)) * (SECONDS_A_LEVEL + SECONDS_A_NUMBER * kind.asked)
        return (1 + 4 / self.of_each_fold) * a_tree

    @property
    def of_each_fold(self) -> int:
        """How many times fewer trees leave out a fold than see all rows."""
        return OF_EACH_FOLD if len(self.codes) <= MANY_ROWS else OF_EACH_FOLD_OF_MANY

    @cached_property
    def _n_classes(self) -> int:
        return 0 if self.y.ndim == 2 else int(self.y.max()) + 1

    @property
    def _shown(self) -> slice:
        """Classes of which scores say how likely they are: of two, the second."""
        return slice(1, None) if self._n_classes == 2 else slice(None)

    def _numbers(self, ranks: bool) -> tuple[Floats32, list[NDArray[np.float64]]]:
        """Return the rows, and the levels of each column, as numbers that float32 tells apart."""
        if ranks:
            levels = [np.arange(len(known), dtype=np.float64) for known in self.numbers]
            return self.codes.astype(np.float32), levels
        rows, levels = np.empty(self.codes.shape, dtype=np.float32), []
        for j, known in enumerate(self.numbers):
            middle = known[len(known) // 2]
            spread = np.abs(known - middle).max()
            scaled = ((known - middle) / (spread if spread > 0 else 1.0)).astype(np.float32)
            rows[:, j] = scaled[self.codes[:, j]]
            levels.append(scaled.astype(np.float64))
        return rows, levels

    def _grown(self, kind: Kind, rows: Floats32, y: NDArray[Any], seed: int) -> Any:
        tree = DecisionTreeRegressor if y.ndim == 2 else DecisionTreeClassifier
        return tree(
            max_features=kind.asked,
            splitter="random",
            max_depth=BOUNDS["Trees"]["depth"],
            random_state=seed,
        ).fit(rows, y, check_input=False)

    def _values(self, tree: Any, found: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what a tree says, (m, T); a class may be missing among its rows."""
        found = found.reshape(len(found), -1)
        if not self._n_classes:
            return found
        every = np.zeros((len(found), self._n_classes))
        every[:, tree.classes_] = found
        return every[:, self._shown]


def _squared_errors(found: NDArray[np.float64], targets: NDArray[np.float64]) -> Any:
    """Return the squared error of each row, after the one factor that makes it least."""
    found, targets = found - found.mean(axis=0), targets - targets.mean(axis=0)
    size = np.vdot(found, found)
    factor = np.vdot(found, targets) / size if size > 0 else 0.0
    return np.square(targets - factor * found).sum(axis=1)


def _tree_folds(groups: Rows, y: NDArray[Any], n_folds: int, rng: np.random.Generator) -> Rows:
    """Return the fold of each row: equal rows share one, and y is much the same in all."""
    _, first, numbers = np.unique(groups, return_index=True, return_inverse=True)
    n, n_folds = len(first), min(n_folds, len(first))
    turns = rng.permuted(np.tile(np.arange(n_folds), (-(-n // n_folds), 1)), axis=1)
    folds = np.empty(n, dtype=np.intp)
    folds[in_turn(y[first], rng)] = turns.ravel()[:n]
    return folds[numbers.ravel()]


def _tree_targets(y: NDArray[Any]) -> NDArray[Any]:
    """Return numbers of classes, or numbers in one unit, (n, T) float."""
    if y.dtype.kind != "f" and y.ndim == 1:
        return np.unique(y, return_inverse=True)[1]
    return in_one_unit(y)
