"""Scores as features: what a ridge on bags, or a forest, predicts for objects."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ..bounds import BOUNDS, require_bounded
from ..data import Domain, amounts, vectors
from ..estimating import check_columns, generator, require_count, require_same_length
from ..landmarks import groups_in
from ..measures import FilledColumns, Manhattan, Measure, NGrams
from ..measures.ngrams import Bags
from ..targets import in_turn, require_targets, signs
from .base import Contribution, Floats32, Map


class Scores(Map):
    """What a model says of objects, as features: one for each class, label or number.

    Features of the rows it is fitted to are another matter: inside a model each is scored by what
    has not seen it (`fit_unseen`), so that blocks beside it are weighed fairly.
    """

    sees_targets: ClassVar[bool] = True
    cv: int

    @property
    @abstractmethod
    def domain(self) -> Domain:
        """What the objects are."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what to say of objects.

        Parameters
        ----------
        X : objects
        y : array-like of shape (n,) or (n, T)
            Classes, or 0 and 1 of several labels; or numbers, if floats.

        Returns
        -------
        self
        """
        self.fit_unseen(X, y)
        return self

    @abstractmethod
    def fit_unseen(self, X: Any, y: Any) -> Floats32:
        """Fit, and return the features of the rows of X, each by what has not seen it."""

    def _read(self, X: Any, y: Any) -> Any:
        """Check what is asked for and given; return the objects, ingested."""
        if y is None:
            raise ValueError(f"{type(self).__name__} scores classes or numbers; give them as y.")
        require_targets(y)
        require_bounded(type(self), vars(self))
        require_count("cv", self.cv)
        objects = self.domain.ingest(X)
        require_same_length(objects, y)
        check_columns(self, X, objects, reset=True)
        return objects


def in_one_unit(y: NDArray[Any]) -> NDArray[np.float64]:
    """Return numbers as (n, T), each column with mean 0 and variance 1.

    Examples
    --------
    >>> in_one_unit(np.array([1.0, 3.0])).tolist()
    [[-1.0], [1.0]]
    """
    numbers = y.reshape(len(y), -1).astype(np.float64)
    spread = numbers.std(axis=0)
    return np.asarray((numbers - numbers.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


# Scores of a ridge on all things of bags, such as n-grams: few features made of very many.


Rows = NDArray[np.intp]
Floats = NDArray[np.float32]

PENALTIES = (3.0, 1.0, 0.3, 0.1)  # against rows of size 1; searched from the smoothest
NEAR_ENOUGH, MOST_STEPS = 0.02, 100  # of conjugate gradients: what is left of the residual
FEWEST = 2  # rows that have a thing; what one row has alone says nothing of others
MOSTLY = 0.8  # of different objects are there once: new rows repeat others as seldom, or as often


class BagScores(Scores):
    """What a sparse linear model of all n-grams says of objects: one feature for each class.

    Every object is a bag of things with weights: the n-grams of a string, the labels in a graph. A
    ridge on *all* things that two objects or more have, which are too many for columns of a map,
    scores the classes, or numbers; these scores are the features. Features of the rows it is fitted
    to are another matter: inside a model each is scored by a ridge that has not seen it
    (`fit_unseen`), so that blocks beside it are weighed fairly.

    Parameters
    ----------
    measure : NGrams or WeisfeilerLehman, default=None
        Says what the things are, and how they weigh; None: ``NGrams((1, 5))``.
    cv : int, default=5
        Folds for the scores of training rows, and for the penalty.
    random_state : int, RandomState or Generator, optional
        Deals the folds.

    Attributes
    ----------
    measure_ : Measure
        Fitted.
    things_ : ndarray
        Those that have coefficients, in rising order.
    coefficients_ : ndarray of shape (number of things, number of features), float32
    constants_ : ndarray
        What is said of an object that has none of them.
    penalty_ : float
        Chosen by the errors of rows that ridges had not seen.

    Examples
    --------
    >>> import seamark as sm
    >>> names = ["Anna", "Hanna", "Johanna", "Otto", "Ottokar", "Ottilo"] * 2
    >>> scores = sm.BagScores(random_state=0).fit(names, [0, 0, 0, 1, 1, 1] * 2)
    >>> (scores.transform(["Susanna", "Lotto"]) > 0).ravel()
    array([False,  True])
    """

    def __init__(
        self, measure: Measure | None = None, *, cv: int = 5, random_state: Any = None
    ) -> None:
        self.measure = measure
        self.cv = cv
        self.random_state = random_state

    @property
    def domain(self) -> Domain:
        """That of the measure."""
        return self._asked.domain

    @property
    def _asked(self) -> Measure:
        return NGrams((1, 5)) if self.measure is None else self.measure

    def fit_unseen(self, X: Any, y: Any) -> Floats:
        """Fit, and return the features of the rows of X, each by a ridge that has not seen it."""
        measure = self._asked
        if not hasattr(measure, "bags"):
            raise TypeError(f"measure={measure!r} knows no bags; give NGrams or WeisfeilerLehman.")
        objects, rng = self._read(X, y), generator(self.random_state)
        self.look_ = self.domain.look(objects)
        self.measure_ = measure.fitted_to(objects, rng)
        bags = self.measure_.bags(objects)
        counted = np.unique(bags.things, return_counts=True)
        self.things_ = counted[0][counted[1] >= min(FEWEST, objects.shape[0])]
        targets = _bag_targets(np.asarray(y))
        task = _Ridge(
            self._matrix(bags), targets, _bag_folds(groups_in(objects, self.domain), y, rng)
        )
        self.informative_ = bool(task.order.any())
        self.penalty_, unseen = task.chosen(self.cv)
        self.constants_ = targets.mean(axis=0)
        found = task.coefficients(self.penalty_, np.arange(objects.shape[0]))
        self.coefficients_ = found.astype(np.float32)
        self.n_features_out_ = targets.shape[1]
        self.feature_numbers_ = np.arange(self.n_features_out_)
        return unseen

    def _matrix(self, bags: Bags) -> sparse.csr_matrix:
        """Rows of size 1 in the things that have coefficients."""
        if len(self.things_) == 0:
            return sparse.csr_matrix((len(bags.offsets) - 1, 0), dtype=np.float32)
        places = np.minimum(np.searchsorted(self.things_, bags.things), len(self.things_) - 1)
        known = self.things_[places] == bags.things
        offsets = np.concatenate([[0], np.cumsum(known)])[bags.offsets]
        some = Bags(places[known], bags.weights[known], offsets).scaled()
        shape = (len(offsets) - 1, len(self.things_))
        return sparse.csr_matrix((some.weights, some.things, some.offsets), shape=shape)

    def groups(self, X: Any) -> Rows:
        """Return the number of each ingested object's group; equal ones share it."""
        return groups_in(X, self.domain)

    def ingest(self, X: Any) -> Any:
        """Return objects like those of fit."""
        objects = self.domain.ingest(X)
        self.domain.require_alike(objects, self.look_)
        return objects

    def block(self, X: Any) -> Floats32:
        """Scores of a few ingested objects."""
        said = self._matrix(self.measure_.bags(X)) @ self.coefficients_ + self.constants_
        return np.asarray(said, dtype=np.float32)

    def contributions(
        self, X: Any, weights: NDArray[Any], means: NDArray[Any], names: Any = None
    ) -> list[list[Contribution]]:
        """Return what each n-gram of a string adds, wherever it is; or each thing of a bag."""
        bags = self._matrix(self.measure_.bags(X))
        found = []
        for row in range(X.shape[0]):
            own = slice(bags.indptr[row], bags.indptr[row + 1])
            things = bags.indices[own]
            added = bags.data[own] * (self.coefficients_[things] @ weights[row])
            amounts = dict(zip(self.things_[things].tolist(), added.tolist(), strict=True))
            base = Contribution(None, float(weights[row] @ (self.constants_ - means)))
            found.append([base, *self._named(X[row], amounts)])
        return found

    def _named(self, thing: Any, amounts: dict[int, float]) -> list[Contribution]:
        """Write n-grams as they are in a string; each occurrence adds its share."""
        if not isinstance(self.measure_, NGrams):
            return [Contribution(f"label {k}", amount) for k, amount in amounts.items()]
        written = [one for one in self.measure_.found_in(thing) if one[0] in amounts]
        times = Counter(bucket for bucket, *_ in written)
        sums: dict[str, float] = defaultdict(float)
        places: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for bucket, name, place in written:
            sums[name] += amounts[bucket] / times[bucket]
            places[name].append(place)
        return [Contribution(name, sums[name], where=tuple(places[name])) for name in sums]

    def _pick(self, columns: Rows) -> None:
        self.coefficients_ = np.ascontiguousarray(self.coefficients_[:, columns])
        self.constants_ = self.constants_[columns]


@dataclass(eq=False)
class _Ridge:
    """Sparse rows Z, targets Y and luck of folds; solved by rows: A of (Z Zᵀ + penalty) A = Y."""

    matrix: Any
    targets: Floats
    order: Rows

    def chosen(self, n_folds: int) -> tuple[float, Floats]:
        """Return the penalty of the least error out of fold, and scores of all rows out of fold."""
        if self.order.max() == 0:  # equal objects, all of them: nothing can be left out
            return PENALTIES[0], np.broadcast_to(self.targets.mean(axis=0), self.targets.shape)
        folds = self.order % max(2, min(n_folds, int(self.order.max()) + 1))
        best, found = np.inf, (PENALTIES[0], self.targets)
        for penalty in PENALTIES:
            scores = np.empty_like(self.targets)
            for fold in range(int(folds.max()) + 1):
                rest, own = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
                constant = self.targets[rest].mean(axis=0)
                scores[own] = self.matrix[own] @ self.coefficients(penalty, rest) + constant
            error = float(np.square(scores - self.targets, dtype=np.float64).mean())
            if error >= best:
                break
            best, found = error, (penalty, scores)
        return found

    def coefficients(self, penalty: float, rows: Rows) -> Floats:
        """Return those of a ridge on some rows, by conjugate gradients for all targets at once."""
        Z, Y = self.matrix[rows], self.targets[rows] - self.targets[rows].mean(axis=0)
        turned = Z.T.tocsr()
        solution, left = np.zeros_like(Y), Y.copy()
        step, size = Y.copy(), np.einsum("ij,ij->j", Y, Y)
        enough = NEAR_ENOUGH**2 * size
        for _ in range(MOST_STEPS):
            if (size <= enough).all():
                break
            image = Z @ (turned @ step) + np.float32(penalty) * step
            length = size / np.maximum(np.einsum("ij,ij->j", step, image), 1e-30)
            solution += length * step
            left -= length * image
            before, size = size, np.einsum("ij,ij->j", left, left)
            step = left + size / np.maximum(before, 1e-30) * step
        return np.asarray(turned @ solution)


def _bag_targets(y: NDArray[Any]) -> Floats:
    """Return what the ridge learns, (n, T): ±1 of classes and labels, or numbers in one unit."""
    if y.dtype.kind == "f":
        return in_one_unit(y).astype(np.float32)
    found = signs(y, np.unique(y)) if y.ndim == 1 else np.where(y > 0, 1.0, -1.0)
    return found.astype(np.float32)


def _bag_folds(groups: Rows, y: Any, rng: np.random.Generator) -> Rows:
    """Return a turn for each row, to be taken modulo the number of folds.

    Classes are dealt evenly. Where most objects are repeated, equal objects have the same turn.
    Where few are repeated, as among surnames, equal objects may have different turns: new rows
    will repeat the common ones too. If all rows of a common surname were left out together, the
    model would learn to distrust everything that is similar to it.
    """
    _, first, numbers, counts = np.unique(
        groups, return_index=True, return_inverse=True, return_counts=True
    )
    if np.mean(counts == 1) >= MOSTLY:
        first = numbers = np.arange(len(groups))
    turns = np.empty(len(first), dtype=np.intp)
    turns[in_turn(np.asarray(y)[first], rng)] = np.arange(len(first))
    return turns[numbers.ravel()]


# Decision trees as plain arrays: which leaf a row falls into, and what leaves say.


Ints = NDArray[np.int32]

TREE_ROWS = 4000  # more make a tree larger, and the forest hardly better
MOST_ASKED = 50  # columns that a node of numbers may choose among, where there are many


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees one after another: a row starts at a root and goes left where its number is no larger.

    Attributes
    ----------
    roots : ndarray of int32
        Where each tree begins.
    columns, thresholds : ndarray of shape (number of nodes,)
        What a node asks; in a leaf the column is −1.
    left, right : ndarray of int32
        Children, which come later than their parent. In a leaf `left` is its place in `said`.
    said : ndarray of shape (number of leaves, T), float32
        What a leaf says of the rows in it.

    Examples
    --------
    >>> one = Trees(
    ...     roots=np.array([0], np.int32),
    ...     columns=np.array([1, -1, -1], np.int32),
    ...     thresholds=np.array([0.5, 0, 0], np.float32),
    ...     left=np.array([1, 0, 1], np.int32),
    ...     right=np.array([2, 0, 0], np.int32),
    ...     said=np.array([[-1], [1]], np.float32),
    ... )
    >>> one.mean(np.array([[9.0, 0.4], [9.0, 0.6]], np.float32)).ravel()
    array([-1.,  1.], dtype=float32)
    """

    roots: Ints
    columns: Ints
    thresholds: Floats
    left: Ints
    right: Ints
    said: Floats

    @classmethod
    def of(cls, fitted: list[Any], n_classes: int) -> Trees:
        """Take over scikit-learn's trees.

        Parameters
        ----------
        fitted : list of DecisionTreeClassifier or DecisionTreeRegressor
        n_classes : int
            Leaves say how likely each of these classes is; of two, the second. 0: numbers.
        """
        trees = [one.tree_ for one in fitted]
        firsts = np.cumsum([0, *(tree.node_count for tree in trees)])
        left = np.concatenate(
            [tree.children_left + first for tree, first in zip(trees, firsts, strict=False)]
        )
        right = np.concatenate(
            [tree.children_right + first for tree, first in zip(trees, firsts, strict=False)]
        )
        columns = np.concatenate([tree.feature for tree in trees])
        is_leaf = columns < 0
        left[is_leaf], right[is_leaf] = np.arange(is_leaf.sum()), 0
        said = np.concatenate([_values(one, n_classes) for one in fitted])
        thresholds = np.concatenate([tree.threshold for tree in trees])
        return cls(
            firsts[:-1].astype(np.int32),
            np.maximum(columns, -1).astype(np.int32),
            _rounded_down(np.where(is_leaf, 0.0, thresholds)),
            left.astype(np.int32),
            right.astype(np.int32),
            said.astype(np.float32),
        )

    def some(self, which: NDArray[np.bool_]) -> Trees:
        """Return some of the trees."""
        return replace(self, roots=self.roots[which])

    def saying(self, columns: NDArray[np.intp]) -> Trees:
        """Return the trees, whose leaves say only some of what they say."""
        return replace(self, said=np.ascontiguousarray(self.said[:, columns]))

    def leaves(self, X: Floats) -> Ints:
        """Return the leaf, a place in `said`, of each row in each tree: (n, number of trees)."""
        n = len(X)
        at = np.tile(self.roots, n)
        rows = np.repeat(np.arange(n), len(self.roots))
        moving = np.flatnonzero(self.columns[at] >= 0)
        while len(moving):
            here = at[moving]
            larger = X[rows[moving], self.columns[here]] > self.thresholds[here]
            here = np.where(larger, self.right[here], self.left[here])
            at[moving] = here
            moving = moving[self.columns[here] >= 0]
        return self.left[at].reshape(n, -1)

    def node_means(self) -> NDArray[np.float64]:
        """Return what each node says: the mean of the leaves below it, (number of nodes, T)."""
        sums, n_leaves = np.zeros((len(self.columns), self.said.shape[1])), np.zeros(len(self.left))
        leaves = np.flatnonzero(self.columns < 0)
        sums[leaves], n_leaves[leaves] = self.said[self.left[leaves]], 1.0
        levels = [self.roots]
        while len(levels[-1]):
            inner = levels[-1] = levels[-1][self.columns[levels[-1]] >= 0]
            levels.append(np.concatenate([self.left[inner], self.right[inner]]))
        for inner in reversed(levels):  # children before parents
            for totals in (sums, n_leaves):
                totals[inner] = totals[self.left[inner]] + totals[self.right[inner]]
        return sums / np.maximum(n_leaves, 1.0)[:, None]

    def by_column(self, X: Floats, weights: NDArray[Any]) -> NDArray[np.float64]:
        """Return what columns add on the way from roots to leaves, (n, d): a mean over trees.

        A step from a node to its child adds the difference of what these say to the column that
        the node asks; what the trees say of a row is what roots say, and the sum of all steps.
        """
        means, found = self.node_means(), np.zeros(X.shape)
        at = np.tile(self.roots, len(X))
        rows = np.repeat(np.arange(len(X)), len(self.roots))
        while len(at):
            inner = self.columns[at] >= 0
            at, rows = at[inner], rows[inner]
            asked = self.columns[at]
            larger = X[rows, asked] > self.thresholds[at]
            child = np.where(larger, self.right[at], self.left[at])
            steps = ((means[child] - means[at]) * weights[rows]).sum(axis=1)
            np.add.at(found, (rows, asked), steps)
            at = child
        return found / len(self.roots)

    def mean(self, X: Floats) -> Floats:
        """Return what all trees say of each row, on average: (n, T)."""
        return np.asarray(self.said[self.leaves(X)].mean(axis=1, dtype=np.float32))


def _values(one: Any, n_classes: int) -> NDArray[np.float64]:
    """Return what the leaves of a tree say: (number of leaves, T)."""
    value: NDArray[np.float64] = one.tree_.value[one.tree_.feature < 0]
    if n_classes == 0:
        return value[:, :, 0]
    every = np.zeros((len(value), n_classes))
    every[:, one.classes_] = value[:, 0]  # a class may be missing among a tree's rows
    return every[:, 1:] if n_classes == 2 else every


def _rounded_down(numbers: NDArray[np.float64]) -> Floats:
    """Return the next float32 that is no larger: float32 compare with it as with the number."""
    near = numbers.astype(np.float32)
    return np.where(near > numbers, np.nextafter(near, np.float32(-np.inf)), near)


def grown(X: Floats, y: NDArray[Any], seed: int) -> Any:
    """Return scikit-learn's tree with random thresholds: of classes, or of (n, T) numbers."""
    d = X.shape[1]
    some, kind = int(np.sqrt(d)), DecisionTreeClassifier
    if y.dtype.kind == "f":
        some, kind = max(1, some, min(d // 3, MOST_ASKED)), DecisionTreeRegressor
    deepest = BOUNDS["Trees"]["depth"]
    tree = kind(max_features=some, splitter="random", max_depth=deepest, random_state=seed)
    return tree.fit(X, y, check_input=False)


# Scores of a forest: few features that say what thresholds of single columns tell of y.


class ForestScores(Scores):
    """What a forest of randomised trees says of vectors: one feature for each class, or number.

    To a forest two rows are alike if they fall into the same leaves, and what it says of a row is
    the mean of y over rows that are like it. So it sees what no distance over all columns does:
    thresholds of single ones. Features of the rows it is fitted to are another matter: inside a
    model each is scored by the trees that have seen neither it nor its equals (`fit_unseen`), so
    that blocks beside it are weighed fairly.

    Trees are extremely randomised: a node looks at a random threshold in each of some columns, and
    takes the best. Rows are dealt into folds in which y is alike, and each tree grows on all folds
    but one. (Trees that leave single rows out, as those of a bagged forest do, would not be fair:
    what is left then leans against the y of the row.)

    Parameters
    ----------
    n_trees : int, default=200
        Each is grown on 4000 rows at most.
    cv : int, default=5
        Folds.
    missing : bool, default=False
        Whether numbers may be missing: medians stand in, and a further column says where.
    random_state : int, RandomState or Generator, optional
        Deals folds, and draws rows, columns and thresholds.

    Attributes
    ----------
    trees_ : Trees
        Plain arrays.
    centre_, scale_ : ndarray of shape (d,)
        Columns are measured from and in these, so that float32 tells their numbers apart.
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

    def __init__(
        self,
        n_trees: int = 200,
        *,
        cv: int = 5,
        missing: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_trees = n_trees
        self.cv = cv
        self.missing = missing
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.missing
        tags.input_tags.allow_nan = self.missing
        tags.target_tags.required = True
        return tags

    @property
    def domain(self) -> Domain:
        """Vectors, or numbers that may be missing."""
        return amounts if self.missing else vectors

    def fit_unseen(self, X: Any, y: Any) -> Floats32:
        """Grow the trees, and return the features of the rows of X, each by trees without it."""
        require_count("n_trees", self.n_trees)
        objects, rng = self._read(X, y), generator(self.random_state)
        if self.cv < 2:
            raise ValueError(f"cv must be 2 or more, not {self.cv!r}.")
        groups = groups_in(objects, self.domain)
        if self.missing:
            self.filling_ = FilledColumns(Manhattan()).fitted_to(objects, rng)
        dense = self._dense(objects)
        self.centre_ = np.median(dense, axis=0)
        spread = np.abs(dense - self.centre_).max(axis=0)
        self.scale_ = np.where(spread > 0, spread, 1.0)
        self.informative_ = bool(spread.any())
        targets, rows = _tree_targets(np.asarray(y)), self._scaled(objects)
        folds = _tree_folds(groups, np.asarray(y), self.cv, rng)
        left_out = np.arange(max(self.n_trees, folds.max() + 1)) % (folds.max() + 1)
        trees = [_grown(rows, targets, folds != k, rng) for k in left_out]
        self.trees_ = Trees.of(trees, 0 if targets.dtype.kind == "f" else int(targets.max()) + 1)
        self.n_features_out_ = self.trees_.said.shape[1]
        self.feature_numbers_ = np.arange(self.n_features_out_)
        unseen = np.empty((len(rows), self.n_features_out_), dtype=np.float32)
        for fold in range(folds.max() + 1):
            own = folds == fold
            unseen[own] = self.trees_.some(left_out == fold).mean(rows[own])
        return unseen

    def _scaled(self, X: Any) -> Floats32:
        scaled: Floats32 = ((self._dense(X) - self.centre_) / self.scale_).astype(np.float32)
        return scaled

    def _dense(self, X: Any) -> NDArray[np.float64]:
        dense = X.toarray() if sparse.issparse(X) else X
        dense = self.filling_.prepared(dense) if self.missing else dense
        return np.asarray(dense, dtype=np.float64)

    def ingest(self, X: Any) -> Any:
        """Return a float array or CSR matrix with the columns of fit."""
        objects = self.domain.ingest(X)
        check_columns(self, X, objects, reset=False)
        return objects

    def block(self, X: Any) -> Floats32:
        """Scores of a few ingested rows."""
        return self.trees_.mean(self._scaled(X))

    def contributions(
        self, X: Any, weights: NDArray[Any], means: NDArray[Any], names: Any = None
    ) -> list[list[Contribution]]:
        """Return what each column adds, step by step on the way through the trees."""
        by_column = self.trees_.by_column(self._scaled(X), weights)
        roots = self.trees_.node_means()[self.trees_.roots].mean(axis=0)
        dense = X.toarray() if sparse.issparse(X) else X
        if self.missing:  # what says that a number is missing belongs to its column
            by_column[:, np.asarray(self.filling_.gaps, np.intp)] += by_column[:, dense.shape[1] :]
        if names is None:
            names = getattr(self, "feature_names_in_", [f"x{k}" for k in range(dense.shape[1])])
        return [
            [
                Contribution(None, float(weights[row] @ (roots - means))),
                *(
                    Contribution(str(names[k]), float(added[k]), float(dense[row, k]))
                    for k in np.flatnonzero(added[: dense.shape[1]])
                ),
            ]
            for row, added in enumerate(by_column)
        ]

    @property
    def bytes_per_row(self) -> int:
        """Memory that a row takes: its way through every tree, and what each says."""
        return len(self.trees_.roots) * (32 + 4 * self.n_features_out_)

    def _pick(self, columns: Rows) -> None:
        self.trees_ = self.trees_.saying(columns)


def _grown(rows: Floats32, y: NDArray[Any], seen: Any, rng: np.random.Generator) -> Any:
    """Return a tree of some of the rows that it may see; of all where these are none."""
    among = np.flatnonzero(seen) if seen.any() else np.arange(len(rows))
    if len(among) > TREE_ROWS:
        among = rng.choice(among, TREE_ROWS, replace=False)
    return grown(rows[among], y[among], int(rng.integers(2**31 - 1)))


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
