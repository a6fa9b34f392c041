"""Ranking of any objects through landmarks."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..heads import Ranking, RidgeRegressor, ndcg, normalised_gains, query_codes, rankable
from ..targets import number_targets
from ..weighing import weighings_of
from .base import LandmarkModel
from .callbacks import with_callbacks


class LandmarkRanker(LandmarkModel):
    """Order the documents of each query by relevance, from likeness to landmarks.

    Parameters
    ----------
    measure, n_landmarks, landmarks, transfer, weighing, tune, passthrough, memory, progress, \
random_state, n_jobs
        As in `LandmarkClassifier`; "auto" landmarks are drawn uniformly.
    head : "ranking" or an estimator, default="auto"
        `seamark.heads.Ranking`: least squares onto normalised gains.

    Attributes
    ----------
    map_, head_, landmarks_, landmark_indices_, landmark_labels_, tuning_, n_evaluations_,
    fit_times_
        As in `LandmarkClassifier`.

    Examples
    --------
    >>> import seamark as sm
    >>> X = np.arange(12.0)[:, None] % 6
    >>> model = sm.LandmarkRanker("euclidean", random_state=0)
    >>> model = model.fit(X, X[:, 0] // 3, qid=np.repeat([0, 1], 6))
    >>> model.score(X, X[:, 0] // 3, qid=np.repeat([0, 1], 6))
    1.0
    """

    strategy: ClassVar[str] = "uniform"
    heads: ClassVar[dict[str, Any]] = {"ranking": Ranking}
    weighings: ClassVar[dict[str, Any]] = weighings_of("regression")
    yardstick: ClassVar[Any] = partial(RidgeRegressor, cv=3)
    # qid is routed to fit and score without having to be requested.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"qid": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"qid": True}

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> Self:
        """Fit to query–document pairs.

        Parameters
        ----------
        X : objects
            One for each query and document.
        y : array-like of shape (n,)
            Relevance, from 0.
        qid : array-like of shape (n,)
            The query of each.
        sample_weight : array-like of shape (n,), optional
            For the head.

        Returns
        -------
        self
        """
        relevance = number_targets(self, y)
        gains = normalised_gains(relevance, qid)
        queries = query_codes(qid, len(relevance))
        rankable(gains, queries)
        self._fit(X, relevance, relevance, gains, qid=queries, sample_weight=sample_weight)
        return self

    def score(self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> float:
        """Mean NDCG over queries."""
        return float(ndcg(self.predict(X), y, qid))

    def _decide(self, features: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
        scores = self.head_.predict(features)
        return scores, np.zeros(len(scores), dtype=np.intp)
