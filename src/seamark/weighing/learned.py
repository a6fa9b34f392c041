"""`Learned`: few columns out of very many, screened by alignment and chosen by a ridge."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from ..engine import blas_for
from ..estimating import generator, require_count, require_number
from ..features import Selected, as_features, groups_of
from ..heads import FoldSums, deal
from ..old_names import renamed_parameter
from ..targets import TASKS, reads_classes
from .chosen import Chosen
from .columns import Array, Rows
from .fold_paths import chosen
from .outputs import Outputs, encode
from .rows import check_training
from .sums import Candidates, TargetSums

FOLDS = 3
PENALTIES = (0.01, 0.03, 0.1, 0.3)
SIZES = (8, 16, 32, 64, 128, 256)


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
    pool : int, default=10000
        For a landmark model: how many landmarks to choose among, generated ones and objects of
        the training data (see `seamark.landmarks.Mixed`) unless `landmarks` says otherwise;
        its `n_landmarks` is the number to choose.
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
    ridge : "cv" or float, optional
        What `penalty` was called before; it still works, with a warning.

    Attributes
    ----------
    support_ : ndarray of int
        Columns in the order chosen.
    weights_ : ndarray
        Scale of each: ones.
    penalty_ : float
        The penalty used.
    cv_results_ : dict
        "penalty", "n_features" and the "error" of each pair; empty if nothing was open.
    n_features_in_ : int
        Columns seen.

    Notes
    -----
    Two passes over the features: one for the screening, and one over the columns screened for
    their correlations in each fold; everything else happens on these.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 40))
    >>> X[:, 20:] = X[:, :20] + 0.1 * rng.normal(size=(300, 20))  # everything twice
    >>> learned = Learned(3, random_state=0).fit(X, 3 * X[:, 1] + 2 * X[:, 2] + X[:, 3])
    >>> sorted(int(j) % 20 for j in learned.support_)
    [1, 2, 3]
    """

    renamed: ClassVar[dict[str, str]] = {"ridge": "penalty", "ridge_": "penalty_"}

    def __init__(
        self,
        n_features: int | None = None,
        *,
        pool: int = 10_000,
        n_screened: int = 2000,
        penalty: Any = 0.05,
        n_sample: int = 10_000,
        task: str = "auto",
        random_state: Any = None,
        ridge: Any = None,
    ) -> None:
        self.n_features = n_features
        self.pool = pool
        self.n_screened = n_screened
        self.penalty = penalty
        self.n_sample = n_sample
        self.task = task
        self.random_state = random_state
        self.ridge = ridge

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
        screened = self._screened(X, target, rows)
        sizes = [self.n_features] if self.n_features else list(SIZES)
        penalties = list(PENALTIES) if self._penalty() == "cv" else [float(self._penalty())]
        folds = np.full(len(y), -1, dtype=np.intp)
        folds[rows] = 0
        if len(sizes) * len(penalties) > 1:  # else there is nothing for folds to decide
            everyone = np.ones(len(rows), dtype=bool)
            groups = None if groups is None else groups[rows]
            folds[rows] = deal(everyone, FOLDS, rng, target.labels(rows), groups)
        columns = Selected(as_features(X), screened)
        with blas_for(len(screened)):
            sums = FoldSums.of(columns, target.values, folds, precision="single")
            support, self.penalty_, self.cv_results_ = chosen(sums, sizes, penalties)
        if len(support) == 0:
            raise ValueError(
                f"none of the {X.shape[1]} columns of X goes with y; give columns that vary with y."
            )
        self.support_ = screened[support]
        self.weights_ = np.ones(len(self.support_))
        return self

    def _check_parameters(self) -> None:
        for name in ("n_features", "pool", "n_screened", "n_sample"):
            if name != "n_features" or self.n_features is not None:
                require_count(name, getattr(self, name))
        if self._penalty() != "cv":
            require_number("penalty", self._penalty(), 0.0, 1e6, '"cv" or a positive number')
        if self.task not in TASKS:
            raise ValueError(f"task={self.task!r} is none of {', '.join(TASKS)}.")

    def _penalty(self) -> Any:
        return renamed_parameter(self, "ridge", "penalty")

    def _screened(self, X: Any, target: Outputs, rows: Rows) -> Rows:
        """Return the columns that correlate best with some output, each output having its quota."""
        most = max(self.n_screened, self.n_features or 0)
        if X.shape[1] <= most:
            return np.arange(X.shape[1])
        Y = target.values[rows] - target.values[rows].mean(axis=0)
        folds = np.zeros(len(rows), dtype=np.intp)
        sums = TargetSums.of(Candidates(X).some(rows), Y, folds, moments=True)
        return quota_order(sums.correlations())[:most]


def quota_order(correlations: Array) -> Rows:
    """Return columns by their best rank among all columns for any output, ties by the sum.

    Examples
    --------
    >>> quota_order(np.array([[0.9, 0.0], [0.8, 0.1], [0.7, 0.2]]))  # best of either output first
    array([0, 2, 1])
    """
    ranks = np.argsort(np.argsort(-correlations, axis=0, kind="stable"), axis=0)
    return np.asarray(np.lexsort((-correlations.sum(axis=1), ranks.min(axis=1))))
