"""Ranking and NDCG against textbook loops, permutations and scikit-learn."""

import itertools
import math
import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.metrics import ndcg_score
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from seamark import LandmarkRanker, engine
from seamark.features import InMemory
from seamark.linear_model import Ranking, ndcg, normalised_gains
from seamark.linear_model.ranking import query_codes

DECAYS = {"log": lambda t: math.log(1 + t), "linear": lambda t: t, "quadratic": lambda t: t * t}


def textbook_gain(r, gain="exponential"):
    return 2**r - 1 if gain == "exponential" else r


def textbook_eta(relevance, gain="exponential", decay="log"):
    """Normalised gains of one query, by trying every permutation."""
    gains = [textbook_gain(r, gain) for r in relevance]
    places = itertools.permutations(range(1, len(gains) + 1))
    best = max(sum(g / DECAYS[decay](t) for g, t in zip(gains, p, strict=True)) for p in places)
    return [g / best if best else 0.0 for g in gains]


def textbook_ndcg(scores, relevance, k, gain="exponential", decay="log"):
    """NDCG of one query, the mean over all orders that its scores allow."""
    n = len(scores)
    places = range(1, min(n, k or n) + 1)

    def dcg(order):
        return sum(
            textbook_gain(relevance[i], gain) / DECAYS[decay](t)
            for t, i in zip(places, order, strict=False)
        )

    best = dcg(sorted(range(n), key=lambda i: -relevance[i]))
    falling = sorted(scores, reverse=True)
    allowed = [p for p in itertools.permutations(range(n)) if [scores[i] for i in p] == falling]
    return np.mean([dcg(order) for order in allowed]) / best if best else 0.0


lists = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=5)
several = st.lists(lists, min_size=1, max_size=4)


def flat(queries):
    scores = [float(s) for query in queries for s, _ in query]
    relevance = [r for query in queries for _, r in query]
    return scores, relevance, [i for i, query in enumerate(queries) for _ in query]


def problem(rng, n_queries=12, d=4):
    sizes = rng.integers(2, 8, size=n_queries)
    qid = rng.permutation(np.repeat(np.arange(n_queries), sizes))
    X = rng.normal(size=(len(qid), d))
    y = np.clip(np.round(X @ np.array([1.0, -0.5, 0.2, 0.0])[:d] + 1), 0, 4)
    return X, y, qid


@given(several)
def test_gains_equal_the_textbook(queries):
    _, relevance, qid = flat(queries)
    expected = [e for query in queries for e in textbook_eta([r for _, r in query])]
    np.testing.assert_allclose(normalised_gains(relevance, qid), expected, atol=1e-12)


@given(several, st.sampled_from([None, 1, 2, 10]))
def test_ndcg_equals_the_textbook(queries, k):
    expected = np.mean([textbook_ndcg(*zip(*query, strict=True), k) for query in queries])
    assert ndcg(*flat(queries), k=k) == pytest.approx(expected)


@given(several, st.sampled_from(["exponential", "linear"]), st.sampled_from(sorted(DECAYS)))
def test_gain_and_decay_are_those_of_the_textbook(queries, gain, decay):
    chosen = {"gain": gain, "decay": decay}
    _, relevance, qid = flat(queries)
    expected = [e for query in queries for e in textbook_eta([r for _, r in query], **chosen)]
    np.testing.assert_allclose(normalised_gains(relevance, qid, **chosen), expected, atol=1e-12)
    means = [textbook_ndcg(*zip(*query, strict=True), 3, **chosen) for query in queries]
    assert ndcg(*flat(queries), 3, **chosen) == pytest.approx(np.mean(means))


def test_gain_and_decay_reach_fit_and_score(rng):
    X, y, qid = problem(rng)
    model = Ranking("cv", penalties=[1e-3, 1.0], cv=3, gain="linear", decay="quadratic")
    model.fit(X, y, qid=qid)
    eta = normalised_gains(y, qid, gain="linear", decay="quadratic")
    scaler = StandardScaler().fit(X)
    ridge = Ridge(model.penalty_ * len(y)).fit(scaler.transform(X), eta)
    scores = model.predict(X)
    np.testing.assert_allclose(scores, ridge.predict(scaler.transform(X)), atol=1e-6)
    assert model.score(X, y, qid) == ndcg(scores, y, qid, gain="linear", decay="quadratic")
    ranker = LandmarkRanker("euclidean", n_landmarks=20, head=model, random_state=0)
    ranker.fit(X, y, qid=qid)
    assert ranker.score(X, y, qid=qid) == ndcg(
        ranker.predict(X), y, qid, gain="linear", decay="quadratic"
    )


@pytest.mark.parametrize("wrong", [{"gain": "cubic"}, {"decay": "none"}])
def test_unknown_gains_and_decays_are_refused(wrong, rng):
    X, y, qid = problem(rng)
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
        Ranking(0.1, **wrong).fit(X, y, qid=qid)


@given(several, st.randoms(use_true_random=False), st.sampled_from([None, 1, 3]))
def test_ndcg_is_a_share_and_order_of_rows_is_immaterial(queries, random, k):
    rows = list(zip(*flat(queries), strict=True))
    value = ndcg(*flat(queries), k=k)
    random.shuffle(rows)
    assert 0 <= value <= 1
    assert ndcg(*zip(*rows, strict=True), k=k) == pytest.approx(value)


@given(several)
def test_perfect_order_has_ndcg_one(queries):
    _, relevance, qid = flat(queries)
    relevant = np.mean([any(r for _, r in query) for query in queries])
    assert ndcg(relevance, relevance, qid) == pytest.approx(relevant)


@pytest.mark.parametrize("k", [None, 1, 3])
def test_ndcg_equals_scikit_learn(k, rng):
    relevance, scores = rng.integers(5, size=(20, 7)), rng.integers(6, size=(20, 7)) / 2
    ours = ndcg(scores.ravel(), relevance.ravel(), np.repeat(np.arange(20), 7), k)
    assert ours == pytest.approx(ndcg_score(2.0**relevance - 1, scores, k=k))


def test_ndcg_weighs_queries_by_their_documents(rng):
    scores, relevance = rng.normal(size=6), [0, 1, 2, 1, 0, 3]
    first = ndcg(scores[:2], relevance[:2], [0, 0])
    second = ndcg(scores[2:], relevance[2:], [1, 1, 1, 1])
    weighed = ndcg(scores, relevance, [0, 0, 1, 1, 1, 1], sample_weight=[3, 3, 1, 1, 1, 1])
    assert weighed == pytest.approx((3 * first + second) / 4)


@pytest.mark.parametrize("d", [4, 90])
@pytest.mark.parametrize("penalty", [1e-6, 0.1])
def test_fit_is_ridge_on_normalised_gains(d, penalty, rng):
    X, y, qid = problem(rng)
    X = np.hstack([X, rng.normal(size=(len(X), d - 4))])
    weight = rng.random(len(y))
    model = Ranking(penalty).fit(X, y, qid=qid, sample_weight=weight)
    scaler = StandardScaler().fit(X, sample_weight=weight)
    eta = np.empty(len(y))
    for q in np.unique(qid):
        eta[qid == q] = textbook_eta(y[qid == q])
    ridge = Ridge(penalty * weight.sum()).fit(scaler.transform(X), eta, sample_weight=weight)
    np.testing.assert_allclose(model.predict(X), ridge.predict(scaler.transform(X)), atol=1e-7)


def test_nearly_collinear_features(rng):
    X, y, qid = problem(rng, n_queries=30)
    wide = X @ rng.normal(size=(4, 25)) + 1e-9 * rng.normal(size=(len(X), 25))
    assert Ranking(1e-8).fit(wide, y, qid=qid).score(wide, y, qid) > 0.9


def test_ids_of_any_kind_in_any_order(rng):
    X, y, qid = problem(rng)
    scores = Ranking(0.1).fit(X, y, qid=qid).predict(X)
    for ids in ([f"q{i}" for i in qid], [(i, "q") for i in qid], qid + 0.5, qid.astype(object)):
        np.testing.assert_allclose(Ranking(0.1).fit(X, y, qid=ids).predict(X), scores)
    order = np.argsort(qid)
    again = Ranking(0.1).fit(X[order], y[order], qid=qid[order])
    np.testing.assert_allclose(again.predict(X), scores)


def test_queries_of_one_document_change_nothing(rng):
    X, y, qid = problem(rng)
    more = np.vstack([X, rng.normal(size=(3, 4))]), np.r_[y, 4, 0, 2], np.r_[qid, 100, 101, 102]
    np.testing.assert_allclose(
        Ranking(0.1).fit(more[0], more[1], qid=more[2]).coef_, Ranking(0.1).fit(X, y, qid=qid).coef_
    )


def test_sparse_features_are_features(rng):
    X, y, qid = problem(rng)
    dense = Ranking(0.1).fit(X, y, qid=qid)
    csr = Ranking(0.1).fit(sparse.csr_array(X), y, qid=qid)
    np.testing.assert_allclose(csr.predict(sparse.csr_array(X)), dense.predict(X))


def test_cross_validation_equals_a_loop(rng):
    X, y, qid = problem(rng, d=3)
    X, y = np.hstack([X, rng.normal(size=(len(X), 20))]), rng.permutation(y)
    penalties = [10.0, 1e-3, 0.1]
    model = Ranking("cv", penalties=penalties, cv=4, k=3).fit(X, y, qid=qid)
    expected = []
    for penalty in sorted(penalties):
        scores = np.empty(len(y))
        values = []
        for train, test in GroupKFold(4).split(X, groups=pd.factorize(qid)[0]):
            fold = Ranking(penalty).fit(X[train], y[train], qid=qid[train])
            scores[test] = fold.predict(X[test])
            values.append(ndcg(scores[test], y[test], qid[test], 3) * len(set(qid[test])))
        expected.append(sum(values) / len(set(qid)))
    np.testing.assert_allclose(model.cv_scores_, expected)
    assert model.penalty_ == sorted(penalties)[int(np.argmax(expected))]


@pytest.mark.parametrize("kind", ["plain", "weighted", "collinear"])
def test_of_many_columns_some_judge_penalties_in_proportion(rng, kind):
    X, y, qid = problem(rng, n_queries=120, d=4)
    noise = 1e-5 if kind == "collinear" else 1.0
    X = X @ rng.normal(size=(4, 400)) + noise * rng.normal(size=(len(X), 400))
    weight = rng.integers(1, 4, size=len(y)).astype(float) if kind == "weighted" else None
    penalties = [1e-3, 0.3, 100.0]
    model = Ranking(penalties=penalties, cv=3).fit(X, y, qid=qid, sample_weight=weight)
    some = np.sort(np.random.default_rng(0).permutation(400)[:320])
    expected = []
    for penalty in penalties:
        values = []
        for train, test in GroupKFold(3).split(X, groups=pd.factorize(qid)[0]):
            fold = Ranking(0.8 * penalty)
            of_train = None if weight is None else weight[train]
            fold.fit(X[train][:, some], y[train], qid=qid[train], sample_weight=of_train)
            scores = fold.predict(X[test][:, some])
            values.append(ndcg(scores, y[test], qid[test]) * len(set(qid[test])))
        expected.append(sum(values) / len(set(qid)))
    # Columns are in units of all rows, here in those of the rows without a fold.
    np.testing.assert_allclose(model.cv_scores_, expected, atol=2e-3)
    best = np.flatnonzero(model.cv_scores_ == model.cv_scores_.max())[-1]
    assert model.penalty_ == penalties[best]
    whole = Ranking(model.penalty_).fit(X, y, qid=qid, sample_weight=weight)
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-6, atol=1e-12)


def test_queries_are_numbered_as_they_come():
    for qid in ([7, 7, 2, 9, 2], ["b", "b", "a", "c", "a"]):
        for given_as in (qid, np.array(qid), np.array(qid, dtype=object)):
            assert query_codes(given_as, 5).tolist() == [0, 0, 1, 2, 1]


def test_equal_penalties_go_to_the_largest():
    X = np.tile(np.arange(4.0), 4)[:, None]
    model = Ranking().fit(X, X.ravel(), qid=np.repeat(np.arange(4), 4))
    assert model.penalty_ == pytest.approx(1e3)
    assert model.score(X, X.ravel(), qid=np.repeat(np.arange(4), 4)) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": [1, -2, 0, 1]}, "relevance of document 1 is -2"),
        ({"y": [1, 5000, 0, 1]}, "relevance of document 1 is 5000"),
        ({"y": list("abcd")}, "relevance must be numbers"),
        ({"y": [0, 0, 0, 0]}, "relevance is 0 everywhere"),
        ({"qid": None}, "ranking needs qid="),
        ({"qid": [1, 1, 2]}, "qid has 3 entries for 4 documents"),
        ({"qid": [1, 1, np.nan, 2]}, "qid of document 2 is missing"),
        ({"qid": [1, 2, 3, 4]}, "every query has one document"),
        ({"sample_weight": [0, 0, 0, 0]}, "."),
        ({"X": [[1.0], [np.nan], [2.0], [3.0]]}, "NaN"),
        ({"penalty": 0}, 'penalty=0 must be "cv" or a number above 0'),
        ({"penalty": "auto"}, "penalty='auto' must be"),
        ({"penalty": "cv", "qid": [1, 1, 1, 1]}, 'penalty="cv" needs two folds and two queries'),
    ],
)
def test_refusals_name_the_culprit(change, message):
    data = {"X": [[0.0], [1.0], [2.0], [3.0]], "y": [0, 1, 2, 1], "qid": [1, 1, 2, 2], **change}
    model = Ranking(data.pop("penalty", 0.1))
    with pytest.raises(ValueError, match=message):
        model.fit(**data)


@pytest.mark.parametrize("k", [0, -1])
def test_ndcg_refuses(k):
    with pytest.raises(ValueError, match="must be at least 1"):
        ndcg([1.0], [1], [0], k)
    with pytest.raises(ValueError, match="scores must be 2 finite numbers"):
        ndcg([1.0, np.nan], [1, 0], [0, 0])


def test_routing_hands_qid_through_search_and_pipeline(rng):
    X, y, qid = problem(rng)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), Ranking(0.1)), {"ranking__penalty": [1e-3, 1.0]},
        cv=GroupKFold(3), error_score="raise",
    )  # fmt: skip
    with sklearn.config_context(enable_metadata_routing=True):
        search.fit(X, y, qid=qid, groups=qid)
        routed = search.score(X, y, qid=qid)
    best = search.best_params_["ranking__penalty"]
    plain = make_pipeline(StandardScaler(), Ranking(best)).fit(X, y, ranking__qid=qid)
    assert routed == ndcg(plain.predict(X), y, qid)


def test_clone_and_pickle(rng):
    X, y, qid = problem(rng)
    model = clone(Ranking(0.5, k=2)).fit(X, y, qid=qid)
    again = pickle.loads(pickle.dumps(model))
    assert again.score(X, y, qid) == model.score(X, y, qid)
    assert again.get_params() == Ranking(0.5, k=2).get_params()


@pytest.mark.parametrize("penalty", [0.1, "cv"])
def test_features_in_blocks_are_features(penalty, rng):
    X, y, qid = problem(rng)
    whole = Ranking(penalty).fit(X, y, qid=qid)
    with engine.using(feature_bytes=8 * 4 * 5):  # five rows a block
        blocks = Ranking(penalty).fit(InMemory(X), y, qid=qid)
    np.testing.assert_allclose(blocks.coef_, whole.coef_, rtol=1e-9)
    np.testing.assert_allclose(blocks.predict(InMemory(X)), whole.predict(X), rtol=1e-9)
    assert blocks.penalty_ == whole.penalty_


def test_a_penalty_that_rounding_swallows_is_refused(rng):
    X, y, qid = problem(rng)
    with pytest.raises(ValueError, match="too small for features so nearly collinear"):
        Ranking(1e-300).fit(np.hstack([X, X]), y, qid=qid)
