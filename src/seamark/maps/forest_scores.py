"""Scores of a forest: few features that say what thresholds of single columns tell of y."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data import Domain, amounts, vectors
from ..engine import settings
from ..estimating import check_columns, generator, require_count
from ..landmarks import groups_in
from ..measures import FilledColumns, Manhattan
from ..targets import in_turn
from .chunks import Floats32
from .scores import Scores, in_one_unit
from .trees import Trees, grown

Rows = NDArray[np.intp]
Floats = NDArray[np.float64]


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
        targets, rows = _targets(np.asarray(y)), self._scaled(objects)
        folds = _folds(groups, np.asarray(y), self.cv, rng)
        left_out = np.arange(max(self.n_trees, folds.max() + 1)) % (folds.max() + 1)
        trees = [_grown(rows, targets, folds != k, rng) for k in left_out]
        self.trees_ = Trees.of(trees, 0 if targets.dtype.kind == "f" else int(targets.max()) + 1)
        self.n_features_out_ = self.trees_.said.shape[1]
        self.feature_numbers_ = np.arange(self.n_features_out_)
        self.kernel_ = None
        unseen = np.empty((len(rows), self.n_features_out_), dtype=np.float32)
        for fold in range(folds.max() + 1):
            own = folds == fold
            unseen[own] = self.trees_.some(left_out == fold).mean(rows[own])
        return unseen

    def _scaled(self, X: Any) -> Floats32:
        scaled: Floats32 = ((self._dense(X) - self.centre_) / self.scale_).astype(np.float32)
        return scaled

    def _dense(self, X: Any) -> Floats:
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

    @property
    def bytes_per_row(self) -> int:
        """Memory that a row takes: its way through every tree, and what each says."""
        return len(self.trees_.roots) * (32 + 4 * self.n_features_out_)

    def _pick(self, columns: Rows) -> None:
        self.trees_ = self.trees_.saying(columns)


def _grown(rows: Floats32, y: NDArray[Any], seen: Any, rng: np.random.Generator) -> Any:
    """Return a tree of some of the rows that it may see; of all where these are none."""
    among = np.flatnonzero(seen) if seen.any() else np.arange(len(rows))
    if len(among) > (most := settings().tree_rows):
        among = rng.choice(among, most, replace=False)
    return grown(rows[among], y[among], int(rng.integers(2**31 - 1)))


def _folds(groups: Rows, y: NDArray[Any], n_folds: int, rng: np.random.Generator) -> Rows:
    """Return the fold of each row: equal rows share one, and y is much the same in all."""
    _, first, numbers = np.unique(groups, return_index=True, return_inverse=True)
    n, n_folds = len(first), min(n_folds, len(first))
    turns = rng.permuted(np.tile(np.arange(n_folds), (-(-n // n_folds), 1)), axis=1)
    folds = np.empty(n, dtype=np.intp)
    folds[in_turn(y[first], rng)] = turns.ravel()[:n]
    return folds[numbers.ravel()]


def _targets(y: NDArray[Any]) -> NDArray[Any]:
    """Return numbers of classes, or numbers in one unit, (n, T) float."""
    if y.dtype.kind != "f" and y.ndim == 1:
        return np.unique(y, return_inverse=True)[1]
    return in_one_unit(y)
