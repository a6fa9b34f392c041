"""`Learned`: few columns out of very many, screened by alignment and chosen by a ridge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from ..bounds import require_bounded
from ..engine import blas_for, settings
from ..estimating import generator, require_count, require_number
from ..features import groups_of
from ..targets import TASKS, deal, reads_classes
from .chosen import Chosen
from .columns import Array, Rows, read
from .fold_columns import FoldColumns, Shown
from .fold_paths import Supports, chosen
from .outputs import encode
from .rows import check_training
from .screening import screened

FOLDS = 3
PENALTIES = (0.01, 0.03, 0.1, 0.3)
SIZES = (8, 16, 32, 64, 128, 256)
POOL, PER_ROW = (2000, 10_000), 20  # landmarks to choose among: least and most, and for each row


class Learned(Chosen):
    """The columns out of a large pool that serve a ridge best together.

    Alignment alone picks the same thing again and again, most of all where classes are many; a
    greedy pursuit fits noise in the end. So the pool is screened by alignment, each class
    against the rest having its quota, and among those screened columns are chosen one after
    another by how much they lower the error of a ridge, in which copies count little. Where to
    stop, folds decide, if nobody says how many are wanted.

    Parameters
    ----------
    n_features : int, optional
        Columns to choose. Default: of 8, 16, …, 256 the number with the least error on folds.
    pool : int, optional
        For a landmark model: how many landmarks to choose among, generated ones and objects of
        the training data (see `seamark.landmarks.Mixed`) unless `landmarks` says otherwise;
        its `n_landmarks` is the number to choose. Default: 20 for each different object of the
        training data, since few objects cannot tell which of very many are good; at least 2,000
        and at most 10,000.
    n_screened : int, default=2000
        Columns left by the screening.
    penalty : "cv" or float, default=0.05
        Penalty on the squares of the weights of standardised columns against the mean squared
        error; "cv": of 0.01, 0.03, 0.1 and 0.3 that with the least error on folds.
    n_sample : int, default=10000
        Rows, drawn at random, to choose by; all if there are fewer.
    task : {"auto", "classification", "regression"}, default="auto"
        How to read y. "auto": as classes, unless it holds numbers that are not whole, or more
        than 30 distinct ones.
    random_state : int, RandomState or Generator, optional
        Of the rows and the folds.

    Attributes
    ----------
    support_ : ndarray of int
        Columns in the order chosen.
    weights_ : ndarray
        Scale of each: ones.
    penalty_ : float
        The penalty used.
    cv_results_ : dict
        "penalty", "n_features" and the "error" of each pair, NaN for numbers that were given up
        after some folds as surely too large; empty if nothing was open.
    n_features_in_ : int
        Columns seen.

    Notes
    -----
    Two passes over the features: one for the screening, and one over the columns screened, which
    are held as float32; everything else happens on these.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 40))
    >>> X[:, 20:] = X[:, :20] + 0.1 * rng.normal(size=(300, 20))  # everything twice
    >>> learned = Learned(3, random_state=0).fit(X, 3 * X[:, 1] + 2 * X[:, 2] + X[:, 3])
    >>> sorted(int(j) % 20 for j in learned.support_)
    [1, 2, 3]
    """

    def __init__(
        self,
        n_features: int | None = None,
        *,
        pool: int | None = None,
        n_screened: int = 2000,
        penalty: Any = 0.05,
        n_sample: int = 10_000,
        task: str = "auto",
        random_state: Any = None,
    ) -> None:
        self.n_features = n_features
        self.pool = pool
        self.n_screened = n_screened
        self.penalty = penalty
        self.n_sample = n_sample
        self.task = task
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Screen the columns, and choose.

        Parameters
        ----------
        X : array-like, CSR matrix or Features of shape (n, R)
        y : array-like of shape (n,) or (n, outputs)
            Numbers or classes.

        Returns
        -------
        self
        """
        self._check_parameters()
        groups = groups_of(X)
        X, y = check_training(self, X, y)
        target = encode(y, classes=reads_classes(y, self.task))
        rng = generator(self.random_state)
        rows = np.sort(rng.permutation(len(y))[: self.n_sample])
        folds = np.full(len(y), -1, dtype=np.intp)
        folds[rows] = 0
        columns = screened(X, target.values, folds, [None], self._most())[0]
        if len(self._sizes()) * len(self._penalties()) > 1:  # else folds have nothing to decide
            everyone = np.ones(len(rows), dtype=bool)
            groups = None if groups is None else groups[rows]
            folds[rows] = deal(everyone, FOLDS, rng, target.labels(rows), groups)
        found = self._chosen(X, target.values, folds, [columns])
        self.support_ = found.columns[-1]
        self.weights_ = np.ones(len(self.support_))
        self.penalty_, self.cv_results_ = found.penalty, found.results
        return self

    def fit_folds(self, X: Any, y: Any, folds: Rows, offered: Sequence[Rows | None]) -> list[Rows]:
        """Choose for the models without each fold, and for that of all rows, in the same passes.

        Where the number of columns or the penalty is open, the same folds decide, for all.

        Parameters
        ----------
        X : array-like, CSR matrix or Features of shape (n, R)
        y : array-like of shape (n,) or (n, outputs)
            Numbers or classes.
        folds : ndarray of shape (n,)
            Number of each row's fold; rows of a negative one are left out.
        offered : sequence of ndarray of int, or None for all
            Columns that may be chosen without each fold and, last, by all rows.

        Returns
        -------
        list of ndarray of int
            Columns in the order chosen, for each.

        Examples
        --------
        >>> X = np.random.default_rng(0).normal(size=(40, 5))
        >>> folds, offered = np.arange(40) % 2, [None, np.array([0, 1]), None]
        >>> Learned(1).fit_folds(X, X[:, 2] + 0.5 * X[:, 1], folds, offered)
        [array([2]), array([1]), array([2])]
        """
        self._check_parameters()
        X, y = check_training(self, X, y)
        Y = encode(y, classes=reads_classes(y, self.task)).values
        used = np.flatnonzero(folds >= 0)
        some = generator(self.random_state).permutation(used)[: self.n_sample]
        folds = np.where(np.isin(np.arange(len(y)), some), folds, -1)
        each = screened(X, Y, folds, offered, self._most())
        return self._chosen(X, Y, folds, each).columns

    def _chosen(self, X: Any, Y: Array, folds: Rows, offered: list[Rows]) -> Supports:
        """Choose among columns screened, without each fold, if so many are given, and by all."""
        rows, last = np.flatnonzero(folds >= 0), offered[-1]
        columns = np.concatenate([last, np.setdiff1d(np.concatenate(offered), last)])
        place = np.empty(X.shape[1], dtype=np.intp)
        place[columns] = np.arange(len(columns))

        def read_all(some: Rows) -> FoldColumns:
            return FoldColumns.of(read(X, rows, some), Y[rows], folds[rows], rows)

        together = 4 * len(rows) * len(columns) <= settings().shared_bytes
        held = read_all(columns) if together else None

        def shown(fold: int | None, i: int) -> Shown:
            if held is None:
                return read_all(offered[i]).shown(fold)
            everything = len(offered[i]) == len(columns)
            return held.shown(fold, None if everything else place[offered[i]])

        with blas_for(0):
            options = self._sizes(), self._penalties()
            found = chosen(shown, int(folds.max()) + 1, options, offered)
        if min(map(len, found.columns)) == 0:
            raise ValueError(
                f"none of the {X.shape[1]} columns of X helps to predict y; give others."
            )
        return found

    def pool_for(self, n: int) -> int:
        """How many landmarks a model of so many different objects chooses among.

        Parameters
        ----------
        n : int
            Different objects of the training data.

        Returns
        -------
        int
            `pool`, or as many as `n` objects can tell apart.

        Examples
        --------
        >>> [Learned().pool_for(n) for n in (50, 200, 5000)]
        [2000, 4000, 10000]
        """
        require_bounded(type(self), vars(self))
        few, many = POOL
        return int(np.clip(PER_ROW * n, few, many)) if self.pool is None else self.pool

    def _check_parameters(self) -> None:
        require_bounded(type(self), vars(self))
        for name in ("n_features", "pool", "n_screened", "n_sample"):
            given = getattr(self, name)
            if given is not None or name not in ("n_features", "pool"):
                require_count(name, given)
        if self.penalty != "cv":
            require_number("penalty", self.penalty, 0.0, 1e6, '"cv" or a positive number')
        if self.task not in TASKS:
            raise ValueError(f"task={self.task!r} is none of {', '.join(TASKS)}.")

    def _sizes(self) -> list[int]:
        return [self.n_features] if self.n_features else list(SIZES)

    def _penalties(self) -> list[float]:
        return list(PENALTIES) if self.penalty == "cv" else [float(self.penalty)]

    def _most(self) -> int:
        """Columns to leave by the screening."""
        return max(self.n_screened, self.n_features or 0)
