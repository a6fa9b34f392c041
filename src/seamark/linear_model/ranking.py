"""Ranking: gains, NDCG, and least squares onto normalised gains."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import KW_ONLY, dataclass, replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import GroupKFold

from ..data import unmasked
from ..engine import blas_for
from ..features import Floats, Rows, Selected
from ..targets import checked_weights
from ..theory import DECAYS
from ..validation import require_bounded
from .ridge import Streamed, usable_columns
from .ridge_fit import RidgeTask, solved, unseen_scores
from .ridge_solve import COARSE, Primal, Ridges

MOST_RELEVANT = 1000  # 2^r overflows soon after
GAINS: dict[str, Callable[[Floats], Floats]] = {
    "exponential": lambda grades: np.exp2(grades) - 1.0,
    "linear": lambda grades: grades,
}
"""G(r), what a document of grade r is worth."""


def normalised_gains(
    relevance: ArrayLike,
    qid: Iterable[Hashable],
    *,
    gain: str = "exponential",
    decay: str = "log",
) -> Floats:
    """Gains G(r) of documents, divided by the best discounted sum of their query.

    That sum, ‖G‖_D = max over orders of Σ G(r_i) / F(place of i), is of the descending order.
    A query without a relevant document has gains 0.

    Parameters
    ----------
    relevance : array of shape (n,)
        Grades r ≥ 0.
    qid : n hashables
        Query of each document; a query's documents need not be together.
    gain : {"exponential", "linear"}, default="exponential"
        G(r) = 2^r − 1, or r.
    decay : {"log", "linear", "quadratic"}, default="log"
        F(t) = log(1 + t), t or t².

    Returns
    -------
    ndarray of shape (n,)
        η(r): least squares on it is a consistent surrogate of NDCG.

    Examples
    --------
    >>> normalised_gains([0, 1, 0, 0], ["a", "a", "b", "b"]).round(3).tolist()
    [0.0, 0.693, 0.0, 0.0]
    >>> normalised_gains([0, 1, 0, 0], ["a", "a", "b", "b"], decay="linear").tolist()
    [0.0, 1.0, 0.0, 0.0]
    """
    query = query_codes(qid, np.size(relevance))
    return normalised(gains_of(relevance, gain), query, decay)


def ndcg(
    scores: ArrayLike,
    relevance: ArrayLike,
    qid: Iterable[Hashable] | None,
    k: int | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    gain: str = "exponential",
    decay: str = "log",
) -> float:
    """Mean over queries of the normalised discounted cumulative gain.

    By default gains are 2^r − 1 and discounts 1/log(1 + place) (the logarithm's base cancels).
    Documents of equal score share the mean of their gains, as with scikit-learn's ``ndcg_score``,
    which wants gains in the place of relevance. A query without a relevant document counts 0.

    Parameters
    ----------
    scores : array of shape (n,)
        Higher comes first.
    relevance : array of shape (n,)
        Grades r ≥ 0.
    qid : n hashables
        Query of each document; a query's documents need not be together.
    k : int, default=None
        Places that count; all by default.
    sample_weight : array of shape (n,), default=None
        Weights of documents; a query counts by the mean of its documents'.
    gain : {"exponential", "linear"}, default="exponential"
        G(r) = 2^r − 1, or r.
    decay : {"log", "linear", "quadratic"}, default="log"
        F(t) = log(1 + t), t or t²: the discount at place t is 1/F(t).

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> ndcg([0.2, 0.9, 0.1], [1, 2, 0], ["a", "a", "a"])
    1.0
    >>> ndcg([0.9, 0.2], [1, 2], ["a", "a"], gain="linear", decay="linear")
    0.8
    """
    if k is not None and k < 1:
        raise ValueError(f"k={k!r} must be at least 1, or None for all places.")
    gains = gains_of(relevance, gain)
    scores = np.asarray(scores, dtype=np.float64)
    if scores.shape != gains.shape or not np.all(np.isfinite(scores)):
        raise ValueError(f"scores must be {len(gains)} finite numbers, one per relevance.")
    query = query_codes(qid, len(gains))
    return float(mean_ndcg(scores[:, None], gains, query, k, sample_weight, decay)[0])


def mean_ndcg(
    scores: Floats,
    gains: Floats,
    query: Rows,
    k: int | None = None,
    sample_weight: ArrayLike | None = None,
    decay: str = "log",
) -> Floats:
    """`ndcg` of several columns of scores, (n, P), from gains and numbers of queries."""
    best = _discounted(gains, gains, query, k, decay)
    weights = None
    if sample_weight is not None:
        of_query = np.bincount(query, np.asarray(sample_weight, dtype=np.float64))
        weights = of_query / np.bincount(query)
    means = []
    for column in scores.T:
        reached = _discounted(gains, column, query, k, decay)
        # Rounding of a sum in another order must not lift a perfect one above 1.
        shares = np.minimum(1.0, reached / np.where(best > 0, best, 1.0))
        means.append(np.average(shares, weights=weights))
    return np.array(means)


def gains_of(relevance: ArrayLike, gain: str = "exponential") -> Floats:
    """Gains G(r) of grades, checked."""
    if gain not in GAINS:
        raise ValueError(f"gain must be {_either(GAINS)}, not {gain!r}.")
    try:
        r = np.asarray(unmasked(relevance)).astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError("relevance must be numbers: grades from 0 upwards.") from None
    if r.ndim != 1:
        raise ValueError(f"relevance must be one grade per document, and has shape {r.shape}.")
    wrong = np.flatnonzero(~((r >= 0) & (r <= MOST_RELEVANT)))
    if len(wrong):
        raise ValueError(
            f"relevance of document {wrong[0]} is {r[wrong[0]]:g}: grades must lie between 0 and "
            f"{MOST_RELEVANT}, for gains 2^r − 1."
        )
    return GAINS[gain](r)


def _either(names: Iterable[str]) -> str:
    return " or ".join(f'"{name}"' for name in names)


def query_codes(qid: Iterable[Hashable] | None, n: int) -> Rows:
    """Number the queries 0, 1, … ."""
    if qid is None:
        raise ValueError(
            "ranking needs qid=, the query of each document; give n equal ones for a single list."
        )
    qid = unmasked(qid)
    values = qid if isinstance(qid, np.ndarray) and qid.ndim == 1 else list(qid)
    if len(values) != n:
        raise ValueError(f"qid has {len(values)} entries for {n} documents; give one each.")
    if isinstance(values, np.ndarray):
        if values.dtype.kind in "iuSU":
            _, first, codes = np.unique(values, return_index=True, return_inverse=True)
            return np.argsort(np.argsort(first))[codes]  # numbered as they come
        values = values.tolist()
    place: dict[Hashable, int] = {}
    lost = next((i for i, q in enumerate(values) if q is None or q != q), None)  # noqa: PLR0124
    if lost is not None:
        raise ValueError(f"qid of document {lost} is missing.")
    return np.array([place.setdefault(q, len(place)) for q in values], dtype=np.intp)


def _discounted(
    gains: Floats, keys: Floats, query: Rows, k: int | None, decay: str = "log"
) -> Floats:
    """Σ gain / F(place) of each query, places by falling key; equal keys share their gain."""
    if decay not in DECAYS:
        raise ValueError(f"decay must be {_either(DECAYS)}, not {decay!r}.")
    order = np.argsort(-keys)
    # Small numbers are sorted by counting.
    own = query.astype(np.uint16) if len(query) and query.max() < 1 << 16 else query
    order = order[np.argsort(own[order], kind="stable")]
    sizes = np.bincount(query)
    start = np.repeat(np.cumsum(sizes) - sizes, sizes)
    place = np.arange(1.0, len(query) + 1) - start
    discount = np.where(place <= (k or len(query)), 1.0 / DECAYS[decay](place), 0.0)
    keys, query, gains = keys[order], query[order], gains[order]
    first = np.flatnonzero(np.append(True, (np.diff(query) != 0) | (np.diff(keys) != 0)))
    if len(first) < len(keys):
        ties = np.diff(np.append(first, len(keys)))
        gains = np.repeat(np.add.reduceat(gains, first) / ties, ties)
    return np.asarray(np.bincount(query, gains * discount), dtype=np.float64)


def normalised(gains: Floats, query: Rows, decay: str = "log") -> Floats:
    """Gains over the best discounted sum of their query."""
    best = _discounted(gains, gains, query, None, decay)
    return np.asarray(gains / np.where(best > 0, best, 1.0)[query])


def rankable(gains: Floats, query: Rows, weight: Floats | None = None) -> Rows:
    """Documents that weigh something, of queries that have others to be ranked against.

    Parameters
    ----------
    gains : ndarray of shape (n,)
        Normalised or not.
    query : ndarray of int, shape (n,)
    weight : ndarray of shape (n,), optional

    Examples
    --------
    >>> rankable(np.array([1.0, 0.0, 3.0]), np.array([0, 0, 1]))
    array([0, 1])
    """
    if not gains.any():
        raise ValueError("relevance is 0 everywhere, so that no document ranks above another.")
    ranked = np.bincount(query)[query] > 1
    if not ranked.any():
        raise ValueError(
            "every query has one document, which leaves nothing to rank: is qid the query's id, "
            "rather than the document's?"
        )
    kept = np.flatnonzero(ranked if weight is None else ranked & (weight > 0))
    if not len(kept):
        raise ValueError("sample_weight is 0 for all documents that could be ranked.")
    return kept


# Ridges on a sample of the columns: what is best there is best on all, in proportion.


MANY = 320  # columns, up to which all are taken; of more this number, or a quarter
_SEED = 0  # of the draw: columns may stand in any order, but each fit draws the same


def sampled(task: RidgeTask, ridges: Ridges) -> tuple[RidgeTask, Ridges, float]:
    """Return a task and its ridges on some of the columns, and which share of all these are.

    Eigenvalues grow with the number of columns, and the best penalty with them: one that is tried
    on a share of the columns must be that share of the one meant. Where fewer columns would save
    nothing, since there are few of them, or fewer rows, all are taken.

    Parameters
    ----------
    task : RidgeTask
    ridges : Ridges
        Of this task.

    Examples
    --------
    >>> from seamark.features import InMemory
    >>> X, folds = np.random.default_rng(0).normal(size=(1200, 800)), np.arange(1200) % 2
    >>> task = RidgeTask(InMemory(X), X[:, :1], folds, None, None, False, True)
    >>> some, _, share = sampled(task, task.ridges())
    >>> some.n_features, share
    (320, 0.4)
    """
    width = task.n_features
    size = max(MANY, width // COARSE)
    if size >= width or not isinstance(ridges, Primal):
        return task, ridges, 1.0
    columns = np.sort(np.random.default_rng(_SEED).permutation(width)[:size])
    fewer = Primal(ridges.data.some(columns), ridges.centred)
    return task.some(columns), fewer, size / width


# `Ranking`: least squares onto normalised gains, so that scores sort each query's documents.


PENALTIES = tuple(np.logspace(-6, 3, 19))


@dataclass(eq=False, repr=False)
class Ranking(Streamed):
    """Linear scores that rank the documents of a query.

    Ridge regression with an intercept onto η(r) = G(r)/‖G(r)‖_D (see `normalised_gains`). The
    penalty weighs on standardised features.

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
    gain : {"exponential", "linear"}, default="exponential"
        G(r) = 2^r − 1, or r.
    decay : {"log", "linear", "quadratic"}, default="log"
        F(t) = log(1 + t), t or t²: the faster it grows, the more the first places matter, and the
        less depends on the number of documents (`theory.ndcg_loss`).

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

    penalty: float | str = "cv"
    _: KW_ONLY
    penalties: Iterable[float] | None = None
    cv: int = 5
    k: int | None = None
    gain: str = "exponential"
    decay: str = "log"

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
        require_bounded(type(self), vars(self))
        tried: list[Any] = [self.penalty] if self.penalty != "cv" else [*self._penalties()]
        for penalty in tried:
            if not isinstance(penalty, Real) or not 0 < float(penalty) < np.inf:
                raise ValueError(f'penalty={penalty!r} must be "cv" or a number above 0.')
        X, relevance = self._validated(X, y)
        gains, query = gains_of(relevance, self.gain), query_codes(qid, len(relevance))
        weight = None if sample_weight is None else checked_weights(sample_weight, len(query))
        kept = rankable(gains, query, weight)
        target = normalised(gains, query, self.decay)[:, None]
        folds = self._folds(query, kept)
        columns, allowed = usable_columns(X, folds, X.shape[1])
        some = X if len(columns) == X.shape[1] else Selected(X, columns)
        task = RidgeTask(some, target, folds, weight, None, False, True, allowed, columns=columns)
        with blas_for(min(len(target), task.n_features)):
            ridges = task.ridges()
            chosen = self.penalty
            if chosen == "cv":
                chosen = self._choose(task, ridges, gains, query)
            self.penalty_ = float(chosen)
            fit = solved(replace(task, penalty=self.penalty_), ridges)
        self.coef_ = np.zeros(X.shape[1])
        self.coef_[task.columns], self.intercept_ = fit.coef[0], float(fit.intercept[0])
        self.n_features_ = X.shape[1]
        return self

    def _penalties(self) -> list[float]:
        return sorted(PENALTIES if self.penalties is None else self.penalties)

    def _folds(self, query: Rows, kept: Rows) -> Rows:
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

    def _choose(self, task: RidgeTask, ridges: Ridges, gains: Floats, query: Rows) -> float:
        """Penalty of the best NDCG on left-out queries, which all of them score at once."""
        penalties = self._penalties()
        fewer, some, share = sampled(task, ridges)
        left = some.left_at([share * p for p in penalties], fewer.n_features)
        scores = np.hstack(unseen_scores(fewer, some, left, fewer.n_features))
        kept = np.flatnonzero(task.folds >= 0)
        queries = np.unique(query[kept], return_inverse=True)[1]
        self.cv_scores_ = mean_ndcg(scores[kept], gains[kept], queries, self.k, decay=self.decay)
        return penalties[int(np.flatnonzero(self.cv_scores_ == self.cv_scores_.max())[-1])]

    def _answer(self, scores: Floats, method: str) -> Floats:
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
        return ndcg(
            self.predict(X), y, qid, self.k, sample_weight, gain=self.gain, decay=self.decay
        )
