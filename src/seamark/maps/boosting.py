"""Scores of boosted trees: few features, each a sum of what one tree after the other corrects."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from threadpoolctl import ThreadpoolController

from ..engine import side_by_side
from ..validation import require_count
from .base import Floats32
from .forest import Rows, TreeScores
from .trees import Trees

PATIENCE = 20  # rounds without gain, after which the trees of a fold are enough
PENALTY, ASKED = 1.0, 0.5  # on what leaves say; share of the columns that a node looks at
# Of few rounds each corrects more: so much is corrected in all, but no more than so much by one.
CORRECTED, MOST_CORRECTED = 25.0, 0.1
# Processor seconds that boosting may take, and how many more for each row; and about what a tree
# takes, and for each number that it looks at.
SECONDS, SECONDS_A_ROW = 2.0, 6e-5
SECONDS_A_TREE, SECONDS_A_NUMBER = 5e-4, 5e-9


class BoostedScores(TreeScores):
    """What boosted trees say of vectors: one feature for each class, or number.

    Every tree corrects what all trees before it have said, so that together they follow smooth
    changes that a forest, whose trees are averaged, is too coarse for. Features are the sums: the
    log-odds of classes, or numbers in units of their standard deviation.

    Trees are scikit-learn's `HistGradientBoostingClassifier` or `HistGradientBoostingRegressor`,
    kept as small arrays. Features of the rows it is fitted to are another matter: inside a model
    each is scored by trees that have seen neither it nor its equals (`fit_unseen`). The same folds
    say how many rounds are enough.

    Parameters
    ----------
    max_iter : int, default=500
        Rounds at most, each of which adds a tree for each class or number; of two classes one.
        Fewer where they would take too long.
    learning_rate : float, default=0.05
        Share of its correction that a tree adds; up to 0.1 where rounds are few.
    cv : int, default=5
        Folds.
    missing : bool, default=False
        Whether numbers may be missing: medians stand in, and a further column says where.
    names : tuple, optional
        For each column the names of its categories, or None for numbers, which may be missing.
    random_state : int, RandomState or Generator, optional
        Deals folds, and draws the columns that a node may look at.

    Attributes
    ----------
    trees_ : Trees
        Small arrays; the first trees are constants.
    levels_ : Levels
        What trees know of numbers: the level of each within its column.
    n_iter_ : list of int
        Rounds; of several numbers those of each.
    n_features_out_ : int
        1 for two classes, or one for each class, label or number.

    Examples
    --------
    >>> import seamark as sm
    >>> X = np.random.default_rng(0).normal(size=(300, 5))
    >>> scores = sm.BoostedScores(random_state=0).fit(X, X[:, 2] > 1)
    >>> (scores.transform([[0, 0, 2, 0, 0], [0, 0, -2, 0, 0]]) > 0).ravel()
    array([ True, False])
    """

    additive = True

    def __init__(
        self,
        max_iter: int = 500,
        *,
        learning_rate: float = 0.05,
        cv: int = 5,
        missing: bool = False,
        names: tuple[tuple[str, ...] | None, ...] | None = None,
        random_state: Any = None,
    ) -> None:
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.cv = cv
        self.missing = missing
        self.names = names
        self.random_state = random_state

    def fit_unseen(self, X: Any, y: Any) -> Floats32:
        """Grow the trees, and return the features of the rows of X, each by trees without it."""
        require_count("max_iter", self.max_iter)
        rows, folds, rng = self._read_rows(X, y)
        n, d = rows.codes.shape
        n_outputs = rows.y.shape[1] if rows.y.ndim == 2 else len(np.unique(rows.y))
        in_time = affordable_rounds(n, d, n_outputs, self.cv)
        n_rounds = min(self.max_iter, max(PATIENCE, in_time))
        options = {
            "max_iter": n_rounds,
            "learning_rate": max(self.learning_rate, min(MOST_CORRECTED, CORRECTED / n_rounds)),
            "l2_regularization": PENALTY,
            "max_features": ASKED,
            "random_state": int(rng.integers(2**31 - 1)),
        }
        codes = rows.codes.astype(np.float64)
        every = [Boosting(codes, y, options) for y in (rows.y.T if rows.y.ndim == 2 else [rows.y])]
        width = sum(one.width for one in every)
        found = [one.scores_without(folds) for one in every]
        self.n_iter_ = [n_rounds for _, n_rounds in found]
        trees = [
            one.trees(n_rounds, place, width)
            for place, (one, n_rounds) in enumerate(zip(every, self.n_iter_, strict=True))
        ]
        self._keep(Trees.joined(trees))
        return np.hstack([scores for scores, _ in found])


def affordable_rounds(n: int, d: int, n_outputs: int, cv: int = 5) -> int:
    """Return how many rounds there is time for.

    Parameters
    ----------
    n, d : int
        Rows and columns.
    n_outputs : int
        Classes, or numbers; two classes are as one.
    cv : int
        Folds.

    Examples
    --------
    >>> affordable_rounds(10_000, 10, n_outputs=2), affordable_rounds(10_000, 10, n_outputs=26)
    (433, 16)
    """
    trees = (cv + 1) * (n_outputs if n_outputs > 2 else 1)
    return int(
        (SECONDS + SECONDS_A_ROW * n) / (trees * (SECONDS_A_TREE + SECONDS_A_NUMBER * n * d))
    )


@dataclass(frozen=True, eq=False)
class Boosting:
    """Boosted trees of one target.

    Attributes
    ----------
    codes : ndarray of shape (n, d)
        Levels of the rows' numbers.
    y : ndarray of shape (n,)
        Numbers of classes, or floats.
    options : dict
        Of scikit-learn's estimator.
    """

    codes: NDArray[np.float64]
    y: NDArray[Any]
    options: dict[str, Any]

    @property
    def n_classes(self) -> int:
        """How many classes; 0: y are numbers."""
        return 0 if self.y.dtype.kind == "f" else int(self.y.max()) + 1

    @property
    def width(self) -> int:
        """How many scores a row has."""
        return self.n_classes if self.n_classes > 2 else 1

    def scores_without(self, folds: Rows) -> tuple[Floats32, int]:
        """Return scores of all rows, each by trees without its fold, and the number of rounds.

        Every fold has a number of rounds after which its loss is least; the median is the best.
        """
        own = [folds == fold for fold in range(folds.max() + 1)]
        models = side_by_side(self._without, own)
        best = [model.validation_score_.argmax() for model in models if model is not None]
        n_rounds = max(1, int(np.median(best))) if best else 1
        scores = np.zeros((len(self.y), self.width), dtype=np.float32)
        for rows, model in zip(own, models, strict=True):
            if model is not None:
                del model._predictors[n_rounds:]
                scores[rows] = self._scores(model, self.codes[rows])
        return scores, n_rounds

    def trees(self, n_rounds: int, place: int, width: int) -> Trees:
        """Grow so many rounds on all rows; return trees that add up to their scores.

        Parameters
        ----------
        n_rounds : int
        place : int
            Of the first of these scores among all, of which there are `width`.
        """
        model = self._fitted(slice(None), max_iter=n_rounds)
        levels = [np.arange(column.max() + 1) for column in self.codes.T]
        none = np.array([-1])
        leaf = SimpleNamespace(
            feature=none, children_left=none, children_right=none, threshold=np.zeros(1)
        )
        start = np.reshape(model._baseline_prediction, (-1, 1))
        trees, added = [leaf] * len(start), list(enumerate(start))
        for each_round in model._predictors:
            for score, predictor in enumerate(each_round):
                nodes = predictor.nodes
                trees.append(
                    SimpleNamespace(
                        feature=np.where(nodes["is_leaf"], -1, nodes["feature_idx"]),
                        children_left=nodes["left"].astype(np.intp),
                        children_right=nodes["right"].astype(np.intp),
                        threshold=nodes["num_threshold"],
                    )
                )
                added.append((score, nodes["value"]))
        values = []
        for score, of_nodes in added:
            values.append(np.zeros((len(of_nodes), width)))
            values[-1][:, place + score] = of_nodes
        return Trees.all_of(trees, values, levels)

    def _without(self, own: NDArray[np.bool_]) -> Any:
        """Return trees that have not seen some rows, judged by these; None if they could not be."""
        judged = own & np.isin(self.y, self.y[~own]) if self.n_classes else own
        if not judged.any():
            return None
        return self._fitted(
            ~own,
            {"X_val": self.codes[judged], "y_val": self.y[judged]},
            early_stopping=True,
            n_iter_no_change=PATIENCE,
            scoring="loss",
        )

    def _fitted(self, seen: Any, judged: Any = None, **options: Any) -> Any:
        """Return a fitted estimator; its sums do not depend on the number of threads."""
        kind = HistGradientBoostingClassifier if self.n_classes else HistGradientBoostingRegressor
        one = kind(**{"early_stopping": False, **self.options, **options})
        with ThreadpoolController().limit(limits=1, user_api="openmp"):
            return one.fit(self.codes[seen], self.y[seen], **(judged or {}))

    def _scores(self, model: Any, codes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what a model says before it decides; a class that it does not know is last."""
        if not self.n_classes:
            return np.asarray(model.predict(codes))[:, None]
        found = model.decision_function(codes).reshape(len(codes), -1)
        if self.width == 1:
            return np.asarray(found)
        if found.shape[1] == 1:  # two of several classes
            found = np.hstack([-found, found]) / 2
        every = np.full((len(codes), self.width), found.min())
        every[:, model.classes_] = found
        return every
