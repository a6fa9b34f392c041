"""Gains of documents, queries, and NDCG."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = NDArray[np.float64]
Codes = NDArray[np.intp]

MOST_RELEVANT = 1000  # 2^r overflows soon after


def normalised_gains(relevance: ArrayLike, qid: Iterable[Hashable]) -> Vector:
    """Gains 2^r − 1 of documents, divided by the best discounted sum of their query.

    That sum, ‖G‖_D = max over orders of Σ G_i / log(1 + place of i), is of the descending order.
    A query without a relevant document has gains 0.

    Parameters
    ----------
    relevance : array of shape (n,)
        Grades r ≥ 0.
    qid : n hashables
        Query of each document; a query's documents need not be together.

    Returns
    -------
    ndarray of shape (n,)
        η(r): least squares on it is a consistent surrogate of NDCG.

    Examples
    --------
    >>> normalised_gains([0, 1, 0, 0], ["a", "a", "b", "b"]).round(3).tolist()
    [0.0, 0.693, 0.0, 0.0]
    """
    return normalised(gains_of(relevance), query_codes(qid, np.size(relevance)))


def ndcg(
    scores: ArrayLike,
    relevance: ArrayLike,
    qid: Iterable[Hashable] | None,
    k: int | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean over queries of the normalised discounted cumulative gain.

    Gains are 2^r − 1, discounts 1/log(1 + place) (the logarithm's base cancels). Documents of
    equal score share the mean of their gains, as with scikit-learn's ``ndcg_score``, which wants
    gains in the place of relevance. A query without a relevant document counts 0.

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

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> ndcg([0.2, 0.9, 0.1], [1, 2, 0], ["a", "a", "a"])
    1.0
    """
    if k is not None and k < 1:
        raise ValueError(f"k={k!r} must be at least 1, or None for all places.")
    gains = gains_of(relevance)
    scores = np.asarray(scores, dtype=np.float64)
    if scores.shape != gains.shape or not np.all(np.isfinite(scores)):
        raise ValueError(f"scores must be {len(gains)} finite numbers, one per relevance.")
    query = query_codes(qid, len(gains))
    return float(mean_ndcg(scores[:, None], gains, query, k, sample_weight)[0])


def mean_ndcg(
    scores: Vector,
    gains: Vector,
    query: Codes,
    k: int | None = None,
    sample_weight: ArrayLike | None = None,
) -> Vector:
    """`ndcg` of several columns of scores, (n, P), from gains and numbers of queries."""
    best = _discounted(gains, gains, query, k)
    weights = None
    if sample_weight is not None:
        of_query = np.bincount(query, np.asarray(sample_weight, dtype=np.float64))
        weights = of_query / np.bincount(query)
    means = []
    for column in scores.T:
        reached = _discounted(gains, column, query, k)
        # Rounding of a sum in another order must not lift a perfect one above 1.
        shares = np.minimum(1.0, reached / np.where(best > 0, best, 1.0))
        means.append(np.average(shares, weights=weights))
    return np.array(means)


def gains_of(relevance: ArrayLike) -> Vector:
    """Gains 2^r − 1 of grades, checked."""
    try:
        r = np.asarray(relevance).astype(np.float64)
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
    return np.exp2(r) - 1.0


def query_codes(qid: Iterable[Hashable] | None, n: int) -> Codes:
    """Number the queries 0, 1, … ."""
    if qid is None:
        raise ValueError(
            "ranking needs qid=, the query of each document; give n equal ones for a single list."
        )
    if isinstance(qid, np.ndarray) and qid.ndim == 1 and qid.dtype.kind in "iuSU":
        _check_length(len(qid), n)
        _, first, codes = np.unique(qid, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[codes]  # numbered as they come
    place: dict[Hashable, int] = {}
    values = qid.tolist() if isinstance(qid, np.ndarray) else list(qid)
    _check_length(len(values), n)
    lost = next((i for i, q in enumerate(values) if q is None or q != q), None)  # noqa: PLR0124
    if lost is not None:
        raise ValueError(f"qid of document {lost} is missing.")
    return np.array([place.setdefault(q, len(place)) for q in values], dtype=np.intp)


def _check_length(n_queries: int, n: int) -> None:
    if n_queries != n:
        raise ValueError(f"qid has {n_queries} entries for {n} documents; give one each.")


def _discounted(gains: Vector, keys: Vector, query: Codes, k: int | None) -> Vector:
    """Σ gain / log(1 + place) of each query, places by falling key; equal keys share their gain."""
    order = np.argsort(-keys)
    # Small numbers are sorted by counting.
    own = query.astype(np.uint16) if len(query) and query.max() < 1 << 16 else query
    order = order[np.argsort(own[order], kind="stable")]
    sizes = np.bincount(query)
    start = np.repeat(np.cumsum(sizes) - sizes, sizes)
    place = np.arange(1, len(query) + 1) - start
    discount = np.where(place <= (k or len(query)), 1.0 / np.log1p(place), 0.0)
    keys, query, gains = keys[order], query[order], gains[order]
    first = np.flatnonzero(np.append(True, (np.diff(query) != 0) | (np.diff(keys) != 0)))
    if len(first) < len(keys):
        ties = np.diff(np.append(first, len(keys)))
        gains = np.repeat(np.add.reduceat(gains, first) / ties, ties)
    return np.asarray(np.bincount(query, gains * discount), dtype=np.float64)


def normalised(gains: Vector, query: Codes) -> Vector:
    """Gains over the best discounted sum of their query."""
    best = _discounted(gains, gains, query, None)
    return np.asarray(gains / np.where(best > 0, best, 1.0)[query])


def rankable(gains: Vector, query: Codes, weight: Vector | None = None) -> Codes:
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
