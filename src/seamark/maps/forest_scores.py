"""Scores of a forest: few features that say what thresholds of single columns tell of y."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ..estimating import check_columns, generator, require_count, require_same_length
from ..landmarks import groups_in
from ..objects import Domain, vectors
from .base import Map
from .chunks import Floats32
from .trees import Trees, grown

Rows = NDArray[np.intp]
Floats = NDArray[np.float64]

SPLITS = ("random", "best")
MOST_DRAWN = 5000  # rows of a tree: more make it larger, and the forest hardly better


class ForestScores(Map):
    """What a forest of randomised trees says of vectors: one feature for each class, or number.

    To a forest two rows are alike if they fall into the same leaves, and what it says of a row is
    the mean of y over rows that are like it. So it sees what no distance over all columns does:
    thresholds of single ones. Features of the rows it is fitted to are another matter: inside a
    model each is scored by the trees that have seen neither it nor its equals (`fit_unseen`), so
    that blocks beside it are weighed fairly.

    Parameters
    ----------
    n_trees : int, default=100
        Each is grown on rows drawn with replacement, 5000 at most.
    splits : {"random", "best"}, default="random"
        Thresholds: one at random in each of some columns, of which the best is taken, or the best
        of all. Random ones are smoother, and quicker.
    random_state : int, RandomState or Generator, optional
        Draws rows and columns.

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

    sees_targets: ClassVar[bool] = True

    def __init__(
        self,
        n_trees: int = 100,
        *,
        splits: Literal["random", "best"] = "random",
        random_state: Any = None,
    ) -> None:
        self.n_trees = n_trees
        self.splits = splits
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    @property
    def domain(self) -> Domain:
        """Vectors."""
        return vectors

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
        self.fit_unseen(X, y)
        return self

    def fit_unseen(self, X: Any, y: Any) -> Floats32:
        """Grow the trees, and return the features of the rows of X, each by trees without it."""
        if y is None:
            raise ValueError("ForestScores scores classes or numbers; give them as y.")
        require_count("n_trees", self.n_trees)
        if self.splits not in SPLITS:
            raise ValueError(f"splits must be 'random' or 'best', not {self.splits!r}.")
        rng = generator(self.random_state)
        objects = vectors.ingest(X)
        require_same_length(objects, y)
        check_columns(self, X, objects, reset=True)
        dense = _dense(objects)
        self.centre_ = np.median(dense, axis=0)
        spread = np.abs(dense - self.centre_).max(axis=0)
        self.scale_ = np.where(spread > 0, spread, 1.0)
        equal = np.unique(groups_in(objects, vectors), return_inverse=True)[1]
        targets, rows = _targets(np.asarray(y)), self._scaled(objects)
        trees, outside = [], []
        for _ in range(self.n_trees):
            counts = _drawn(equal, rng)
            seed = int(rng.integers(2**31 - 1))
            trees.append(grown(rows, targets, counts, self.splits, seed))
            outside.append(np.flatnonzero(counts == 0))
        n_classes = 0 if targets.dtype.kind == "f" else int(targets.max()) + 1
        self.trees_ = Trees.of(trees, n_classes)
        self.n_features_out_ = self.trees_.said.shape[1]
        self.feature_numbers_ = np.arange(self.n_features_out_)
        self.kernel_ = None
        return self._unseen(rows, outside)

    def _unseen(self, rows: Floats32, outside: list[Rows]) -> Floats32:
        """Return what trees say of the rows that they have not seen; else what all say of all."""
        sums = np.zeros((len(rows), self.n_features_out_))
        votes = np.zeros((len(rows), 1))
        for number, some in enumerate(outside):
            sums[some] += self.trees_.alone(number).mean(rows[some])
            votes[some] += 1
        usual = sums.sum(axis=0) / max(1.0, votes.sum())
        unseen = np.where(votes > 0, sums / np.maximum(votes, 1), usual)
        return unseen.astype(np.float32)

    def _scaled(self, X: Any) -> Floats32:
        return ((_dense(X) - self.centre_) / self.scale_).astype(np.float32)

    def groups(self, X: Any) -> Rows:
        """Return the number of each ingested object's group; equal ones share it."""
        return groups_in(X, vectors)

    def ingest(self, X: Any) -> Any:
        """Return a float array or CSR matrix with the columns of fit."""
        objects = vectors.ingest(X)
        check_columns(self, X, objects, reset=False)
        return objects

    def block(self, X: Any) -> Floats32:
        """Scores of a few ingested rows."""
        return self.trees_.mean(self._scaled(X))

    @property
    def bytes_per_row(self) -> int:
        """Memory that a row takes: its way through every tree, and what each says."""
        return len(self.trees_.roots) * (32 + 4 * self.n_features_out_)

    def subset(self, columns: Rows) -> Self:
        """Return a fitted map that has only some of the features.

        Parameters
        ----------
        columns : ndarray of int
            Which features, in the order wanted.
        """
        check_is_fitted(self)
        copy = self._fitted_copy()
        columns = np.arange(self.n_features_out_)[columns]
        copy.trees_ = self.trees_.saying(columns)
        copy.feature_numbers_ = self.feature_numbers_[columns]
        copy.n_features_out_ = len(columns)
        return copy

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names such as ``forestscores0``; a subset keeps them."""
        check_is_fitted(self)
        return np.array([f"forestscores{k}" for k in self.feature_numbers_], dtype=object)


def _dense(X: Any) -> Floats:
    dense = X.toarray() if sparse.issparse(X) else X
    return np.asarray(dense, dtype=np.float64)


def _drawn(equal: Rows, rng: np.random.Generator) -> Rows:
    """Return how often each row is drawn; rows that are equal are drawn together."""
    n = int(equal.max()) + 1
    return np.bincount(rng.integers(n, size=min(n, MOST_DRAWN)), minlength=n)[equal]


def _targets(y: NDArray[Any]) -> NDArray[Any]:
    """Return numbers of classes, or numbers in one unit, (n, T) float."""
    if y.dtype.kind != "f" and y.ndim == 1:
        return np.unique(y, return_inverse=True)[1]
    numbers = y.reshape(len(y), -1).astype(np.float64)
    spread = numbers.std(axis=0)
    return np.asarray((numbers - numbers.mean(axis=0)) / np.where(spread > 0, spread, 1.0))
