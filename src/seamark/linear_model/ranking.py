"""`Ranking`: least squares onto normalised gains, so that scores sort each query's documents."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import GroupKFold

from ..bounds import require_bounded
from ..engine import blas_for
from ..features import as_features
from ..targets import checked_weights
from .base import Streamed, allowed_only
from .calibration import unseen_scores
from .fitting import RidgeTask, fold_models, solved
from .gains import Codes, Vector, gains_of, mean_ndcg, ndcg, normalised, query_codes, rankable
from .sampled import sampled
from .selection import Ridges

PENALTIES = tuple(np.logspace(-6, 3, 19))


class Ranking(Streamed):
    """Linear scores that rank the documents of a query.

    Ridge regression with an intercept onto η(r) = G(r)/‖G(r)‖_D, G(r) = 2^r − 1 (see
    `normalised_gains`). The penalty weighs on standardised features.

    Parameters
    ----------
    penalty : float or "cv", default="cv"
        Of ‖w‖², above 0, against a mean of squares. "cv": the one of `penalties` with the
        best mean NDCG in cross-validation by whole queries; of equals, the largest.
    penalties : sequence of float, default=None
        To try; by default 19 from 1e-6 to 1e3.
    cv : int, default=5
        Folds, or as many as there are queries if these are fewer.
    k : int, default=None
        Places that NDCG looks at, in `score` and in cross-validation; None for all.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        w, for features as given.
    intercept_ : float
        Constant of the score; it orders nothing.
    penalty_ : float
        Penalty used.
    cv_scores_ : ndarray of shape (n_penalties,)
        Mean NDCG of each penalty, if `penalty` is "cv". Of more than 320 features these are
        scores of models on some of them, 320 or a quarter, with penalties in proportion.

    Notes
    -----
    Queries of one document cannot be ranked: they are left out of the fit. Weights are of
    squared errors; η is of the whole list whatever its documents weigh.

    `fit` and `score` ask for `qid` under scikit-learn's metadata routing: with
    ``set_config(enable_metadata_routing=True)`` pipelines and searches hand it on.

    References
    ----------
    Kar and Jain, *Supervised Learning with Similarity Functions*, NIPS 2012, appendix F;
    Ravikumar, Tewari and Yang, *On NDCG Consistency of Listwise Ranking Methods*, AISTATS 2011.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0], [5.0], [2.0]])
    >>> model = Ranking(penalty=1e-3).fit(X, [0, 1, 2, 3, 1], qid=["a", "a", "a", "b", "b"])
    >>> model.score(X, [0, 1, 2, 3, 1], qid=["a", "a", "a", "b", "b"])
    1.0
    """

    __metadata_request__fit: ClassVar[dict[str, Any]] = {"qid": True}
    __metadata_request__score: ClassVar[dict[str, Any]] = {"qid": True}

    def __init__(
        self,
        penalty: float | str = "cv",
        *,
        penalties: Iterable[float] | None = None,
        cv: int = 5,
        k: int | None = None,
    ) -> None:
        self.penalty = penalty
        self.penalties = penalties
        self.cv = cv
        self.k = k

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(
        self,
        X: Any,
        y: Any,
        qid: Iterable[Hashable] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit scores to relevance.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features of query-document pairs, or `Features` that come in chunks: these are read
            once, and once more if penalty is "cv"; n × R numbers are in memory only where R × R
            would be more.
        y : array of shape (n_samples,)
            Relevance, from 0.
        qid : n_samples hashables
            Query of each document, in any order.
        sample_weight : array of shape (n_samples,), default=None
            Weights of the squared errors.

        Returns
        -------
        Ranking
            Itself.
        """
        self._check_parameters()
        X, relevance = self._validated(X, y)
        gains, query = gains_of(relevance), query_codes(qid, len(relevance))
        weight = None if sample_weight is None else checked_weights(sample_weight, len(query))
        kept = rankable(gains, query, weight)
        target = normalised(gains, query)[:, None]
        folds = self._folds(query, kept)
        task = RidgeTask(as_features(X), target, folds, weight, None, X.shape[1], False, True)
        task, columns = allowed_only(task)
        with blas_for(min(len(target), task.n_features)):
            ridges = task.ridges()
            chosen = self.penalty
            if chosen == "cv":
                chosen = self._choose(task, ridges, gains, query)
            self.penalty_ = float(chosen)
            fit = solved(replace(task, penalty=self.penalty_), ridges)
        self.coef_ = np.zeros(X.shape[1])
        self.coef_[columns], self.intercept_ = fit.coef[0], float(fit.intercept[0])
        self.n_features_ = X.shape[1]
        return self

    def _check_parameters(self) -> None:
        require_bounded(type(self), vars(self))
        for penalty in self._penalties() if self.penalty == "cv" else [self.penalty]:
            if not isinstance(penalty, Real) or not 0 < float(penalty) < np.inf:
                raise ValueError(f'penalty={penalty!r} must be "cv" or a number above 0.')

    def _penalties(self) -> list[float]:
        return sorted(PENALTIES if self.penalties is None else self.penalties)

    def _folds(self, query: Codes, kept: Codes) -> Codes:
        """Fold of each document, whole queries together; −1 for those that are left out."""
        folds = np.full(len(query), -1, dtype=np.intp)
        folds[kept] = 0
        if self.penalty != "cv":
            return folds
        n_queries = len(np.unique(query[kept]))
        if n_queries < 2 or self.cv < 2:
            raise ValueError(
                f'penalty="cv" needs two folds and two queries, and there are cv={self.cv} and '
                f"{n_queries}: give penalty a number."
            )
        splits = GroupKFold(min(self.cv, n_queries)).split(kept, groups=query[kept])
        for fold, (_, test) in enumerate(splits):
            folds[kept[test]] = fold
        return folds

    def _choose(self, task: RidgeTask, ridges: Ridges, gains: Vector, query: Codes) -> float:
        """Penalty of the best NDCG on left-out queries; one more pass scores them by all."""
        penalties = self._penalties()
        some, share = sampled(task, ridges)
        models = fold_models(some.ridges, [share * p for p in penalties], some.task.n_features)
        scores = unseen_scores(some.task, models, some.task.n_features)
        kept = np.flatnonzero(task.folds >= 0)
        queries = np.unique(query[kept], return_inverse=True)[1]
        self.cv_scores_ = mean_ndcg(scores[kept], gains[kept], queries, self.k)
        return penalties[int(np.flatnonzero(self.cv_scores_ == self.cv_scores_.max())[-1])]

    def predict(self, X: Any) -> Vector:
        """Score documents.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features of query-document pairs.

        Returns
        -------
        ndarray of shape (n_samples,)
            Scores; within a query, higher comes first.
        """
        return np.asarray(self._predict(self._scores(X)))

    @staticmethod
    def _predict(scores: Any) -> Any:
        return np.asarray(scores[:, 0])

    def score(
        self,
        X: Any,
        y: Any,
        qid: Iterable[Hashable] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Mean NDCG at `k`.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features of query-document pairs.
        y : array of shape (n_samples,)
            Relevance, from 0.
        qid : n_samples hashables
            Query of each document.
        sample_weight : array of shape (n_samples,), default=None
            Weights of documents; a query counts by the mean of its documents'.

        Returns
        -------
        float
            See `ndcg`.
        """
        return ndcg(self.predict(X), y, qid, self.k, sample_weight)
