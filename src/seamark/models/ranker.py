"""Ranking of any objects through landmarks."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Self

from numpy.typing import NDArray

from ..feature_selection import weighings_of
from ..linear_model import Ranking, RidgeRegressor, ndcg, normalised_gains, query_codes, rankable
from ..targets import number_targets
from .base import LandmarkModel, with_callbacks
from .explain import Decision, of_numbers, require_no_target
from .likely_mistakes import require_paired


class LandmarkRanker(LandmarkModel):
    """Order the documents of each query by relevance, from likeness to landmarks.

    Parameters
    ----------
    measure : "auto", Measure, str, callable, list of these or of maps, or dict, default="auto"
        "auto": by what the objects are, several blocks with landmarks of their own; see
        `seamark.models.auto.auto_blocks`. Or what compares objects with landmarks: any similarity
        or distance, also an indefinite, asymmetric or slow one. Several measures share the
        landmarks. A list that holds maps, such as ``[LandmarkMap("dtw"), RandomFourier()]``, makes
        a block of each, with landmarks of its own; so does ``{column: measure or map}`` for the
        columns of a table, by name or number, several in a tuple, "passthrough" for columns of
        numbers. A ridge head weighs the blocks by their out-of-fold errors, and drops those that do
        not help (its `blocks_`).
    n_landmarks : int, optional
        How many; default 1000, or as many as there are objects.
    landmarks : str, Strategy or objects, default="auto"
        "uniform", "stratified", "diverse", "farthest", "generated", "pairs", "parts", a
        `Strategy`, or the landmarks themselves. "auto": drawn uniformly; parts of
        objects for a measure that compares objects with parts.
    transfer : str or Transfer, default="auto"
        How values become features: "identity", "decay", "gaussian_decay", "ramp", "sign",
        "whitening", or a `Transfer`. "auto": for distances, the distances themselves or exp(−γd);
        a ramp for differences of pairs; otherwise the values themselves. γ and slope are chosen
        by cross-validation, on values that are computed once.
    weighing : None, "aligned", "greedy", "learned" or an estimator, default=None
        Keep only the landmarks that matter; prediction never evaluates the others. "learned"
        chooses `n_landmarks` from a pool of up to 10,000 random and training objects (see
        `seamark.feature_selection.Learned`); the others choose among `n_landmarks`.
    head : "ranking" or an estimator, default="auto"
        `seamark.linear_model.Ranking`: least squares onto normalised gains.
    tune : "cv", "held_out" or a `seamark.tuning.HeldOut`, default="cv"
        How open parameters are chosen: those of the transfer by the cross-validated error of a
        ridge, or those of transfer and head by the head's own score on rows held out.
    passthrough : bool, default=False
        For vectors: give the head the columns of X as well.
    effort : {"quick", "default", "best"}, default="default"
        Of ``measure="auto"``: fewer blocks and landmarks, and no search for relevant columns; the
        usual; or more, with two draws of what is drawn at random.
    relevance : "auto" or None, default="auto"
        Of ``measure="auto"`` with vectors: scale columns by how much they matter to a small forest
        or to a first fit, if a half of the rows that has not been asked says that it pays. None:
        all columns count alike.
    budget : int, optional
        Bytes that a fit may hold beside X: sums to solve for come first, and the rest keeps values,
        which beyond that are computed again. Default: the `budget` of `engine.using`, or 2**30
        and, where sums alone take more, what these take.
    progress : bool, default=False
        Show how far values, tuning, fitting and calibration are.
    random_state : int, RandomState or Generator, optional
        Decides which landmarks are drawn, and how rows are dealt to folds.
    n_jobs : int, optional
        Threads (processes for Python functions) that compute values. Default: all cores available;
        for Python functions the calling process.

    Attributes
    ----------
    map_ : LandmarkMap or MapUnion
        Fitted; knows landmarks, measures and transfers. With several blocks, their union.
    head_ : estimator
        Fitted.
    landmarks_, landmark_indices_, landmark_sources_, landmark_labels_
        The landmarks themselves, the rows of X that they are, the rows that they are or (parts)
        were cut from, and the labels of these. With several blocks, a list with those of each.
    measure_ : list, dict or Measure
        What ``measure="auto"`` came to, as `measure` takes it; only then.
    relevance_ : ndarray or None
        Factors of the columns that came of `relevance`; None if all count alike.
    tuning_ : dict
        Everything tried, and its cross-validated error or its score on held-out rows.
    n_evaluations_ : int
        Measure evaluations in fit.
    fit_times_ : dict
        Seconds that `fit` spent on "values", "tuning", "fitting", "calibration" and all "other".

    Examples
    --------
    >>> import numpy as np
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
        require_paired(self, X, y)
        relevance = number_targets(self, y)
        gains = normalised_gains(relevance, qid, **self._gain_and_decay())
        queries = query_codes(qid, len(relevance))
        rankable(gains, queries)
        self._fit(X, relevance, relevance, gains, qid=queries, sample_weight=sample_weight)
        return self

    def score(self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> float:
        """Mean NDCG over queries, with the head's gain and decay."""
        return float(ndcg(self.predict(X), y, qid, **self._gain_and_decay()))

    def _gain_and_decay(self) -> dict[str, Any]:
        """Return what the head calls gain and decay; a head of one's own may know neither."""
        names = ("gain", "decay")
        return {name: getattr(self.head, name) for name in names if hasattr(self.head, name)}

    def _decide(self, features: NDArray[Any], target: Any) -> Decision:
        require_no_target(target, self)
        scores = self.head_.predict(features)
        return of_numbers(self.head_, features, scores, scores)
