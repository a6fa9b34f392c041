"""Boosting of pairs follows its paper's formulas, written as loops."""

import numpy as np
import pytest
from rival_tasks import OVERLAP, y
from test_rival_rules import NEW, VECTORS, WORDS

import seamark as sm
from seamark.baselines import DBoost
from seamark.measures import Euclidean
from seamark.validation import generator


def boosted(D, labels, rounds):
    """AdaBoost as written: loops over pairs and objects; `rounds` holds the pairs each may take."""
    n = len(labels)
    weight, score = [1 / n] * n, np.zeros(n)
    for pairs in rounds:
        tried = []
        for a, b in pairs:
            votes = [float(np.sign(row[b] - row[a])) for row in D]
            good = sum(weight[i] for i in range(n) if votes[i] * labels[i] > 0)
            bad = sum(weight[i] for i in range(n) if votes[i] * labels[i] < 0)
            silent = sum(weight[i] for i in range(n) if votes[i] == 0)
            alpha = 0.5 * np.log((good + 0.5 / n) / (bad + 0.5 / n))
            tried.append((silent + 2 * np.sqrt(good * bad), alpha, votes))
        _, alpha, votes = min(tried, key=lambda pair: round(pair[0], 12))
        score += alpha * np.array(votes)
        weight = [weight[i] * np.exp(-alpha * votes[i] * labels[i]) for i in range(n)]
        weight = [w / sum(weight) for w in weight]
    return score


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_boosting_by_loops(seed):
    model = DBoost("euclidean", n_pairs=7, n_rounds=5, n_candidates=4, random_state=seed)
    labels = np.where(np.random.default_rng(seed).random(24) < 0.7, y, 1 - y)
    model.fit(VECTORS, labels)
    rng = generator(seed)
    sides = [rng.choice(np.flatnonzero(labels == c), 7) for c in (1, 0)]
    rounds = [list(zip(*(rng.choice(side, 4) for side in sides), strict=True)) for _ in range(5)]
    expected = boosted(Euclidean().cross(VECTORS), 2 * labels - 1, rounds)
    np.testing.assert_allclose(model.decision_function(VECTORS), expected, atol=1e-5)


def test_boosting_stops_when_a_pair_is_always_right():
    X, labels = np.arange(12.0)[:, None] + 100 * (np.arange(12) >= 6)[:, None], np.arange(12) >= 6
    model = DBoost("euclidean", random_state=0).fit(X, labels)
    assert len(model.ensembles_[0].weights) == 1
    assert model.score(X, labels) == 1


def test_boosting_tells_many_classes_apart():
    # A class whose pairs are seldom right must not outvote one whose pairs are: scores are summed.
    rng = np.random.default_rng(0)
    labels = np.arange(400) % 8
    X = 3 * np.column_stack([np.cos(labels * np.pi / 4), np.sin(labels * np.pi / 4)])
    X += 0.4 * rng.normal(size=X.shape)
    model = DBoost("euclidean", n_pairs=30, n_rounds=30, random_state=0).fit(X, labels)
    assert model.score(X, labels) > 0.9


def test_boosting_evaluates_each_landmark_once():
    model = DBoost(OVERLAP, n_pairs=500, random_state=0).fit(WORDS, np.arange(24) % 3)
    assert model.n_evaluations_ == 24 * 24
    assert len(model.ensembles_) == 3
    with sm.engine.counting() as counter:
        model.predict(NEW)
    assert counter.evaluations == len(NEW) * len(model.references_)


def test_boosting_learns_and_reads_similarities_too():
    for measure in ("euclidean", "gaussian"):
        X = np.random.default_rng(0).normal(size=(90, 2)) * 0.3
        labels = np.arange(90) % 3
        X += np.array([[0, 0], [2, 0], [0, 2]])[labels]
        model = DBoost(measure, random_state=0).fit(X, labels)
        assert model.score(X, labels) > 0.95


def test_boosting_without_a_useful_pair_predicts_the_frequent_class():
    model = DBoost("levenshtein", n_pairs=5).fit(["a"] * 5, [0, 1, 2, 2, 2])
    assert list(model.predict(["a", "b"])) == [2, 2]
    binary = DBoost("levenshtein", n_pairs=5).fit(["a"] * 5, [0, 0, 1, 1, 1])
    assert list(binary.predict(["a", "b"])) == [1, 1]


def test_pairs_are_one_of_each_class():
    labels = np.where(np.random.default_rng(0).random(24) < 0.7, y, 1 - y)
    model = DBoost("euclidean", n_pairs=50, random_state=0).fit(VECTORS, labels)
    pairs = model.ensembles_[0]
    for columns, label in ((pairs.positive, 1), (pairs.negative, 0)):
        found = model.references_[columns]
        assert all((VECTORS[labels == label] == x).all(axis=1).any() for x in found)
