"""`NeighbourScores`: weighted means of the nearest others, against a plain definition."""

import pickle

import numpy as np
import pytest

import seamark as sm
from seamark.search.neighbour_scores import DECAYS, NUMBERS

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3))
NOISY = X[:, 0] ** 2 + X[:, 1] + 0.1 * RNG.normal(size=300)
TARGETS = {
    "two": (NOISY > 0.5).astype(int),
    "three": (NOISY > 0).astype(int) + (NOISY > 1),
    "numbers": NOISY,
    "several": np.c_[NOISY, X[:, 2]],
    "labels": np.c_[NOISY > 0, X[:, 2] > 0].astype(int),
}


def learned(y):
    """What votes are means of: ±1 of classes and labels, or numbers in one unit."""
    if y.dtype.kind == "f":
        y = y.reshape(len(y), -1)
        return (y - y.mean(axis=0)) / y.std(axis=0)
    if y.ndim == 2:
        return 2.0 * y - 1
    signs = 2.0 * (y[:, None] == np.unique(y)) - 1
    return signs[:, 1:] if signs.shape[1] == 2 else signs


def voted(distances, targets, k, decay):
    """The votes on each row, given its distances to all voters."""
    votes = []
    for row in distances:
        near = np.argsort(row, kind="stable")[:k]
        beyond = row[near] - row[near[0]]
        weights = np.exp(-decay * beyond / beyond[-1]) if beyond[-1] > 0 else np.ones(k)
        votes.append(weights @ targets[near] / weights.sum())
    return np.array(votes)


@pytest.mark.parametrize("kind", TARGETS)
def test_votes_are_those_of_the_definition(kind):
    y = TARGETS[kind]
    targets = learned(y)
    scores = sm.NeighbourScores("manhattan")
    unseen = scores.fit_unseen(X, y)
    new = np.random.default_rng(1).normal(size=(40, 3))
    distances = np.abs(new[:, None] - X).sum(axis=2)
    wanted = voted(distances, targets, scores.k_, scores.decay_)
    np.testing.assert_allclose(scores.transform(new), wanted, atol=1e-3)
    between = np.abs(X[:, None] - X).sum(axis=2)
    np.fill_diagonal(between, np.inf)
    wanted = voted(between, targets, scores.k_, scores.decay_)
    np.testing.assert_allclose(unseen, wanted, atol=1e-3)
    errors = {
        (k, decay): np.square(voted(between, targets, k, decay) - targets).mean()
        for k in NUMBERS
        for decay in (DECAYS if k > 1 else DECAYS[:1])
    }
    assert errors[scores.k_, scores.decay_] <= 1.002 * min(errors.values())


def test_a_similarity_has_the_most_similar_as_the_nearest():
    y = TARGETS["two"]
    scores = sm.NeighbourScores("gaussian").fit(X, y)
    new = np.random.default_rng(1).normal(size=(40, 3))
    likeness = sm.cross("gaussian", new, X)
    wanted = voted(-likeness.astype(np.float64), learned(y), scores.k_, scores.decay_)
    np.testing.assert_allclose(scores.transform(new), wanted, atol=1e-3)


def test_equal_objects_have_one_vote_and_none_on_themselves():
    words = ["sea", "seas", "see", "tea", "teas", "tee"] * 2
    y = np.array([0.0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    scores = sm.NeighbourScores("levenshtein", n_neighbors=1)
    before = scores.fit_unseen(words, y)
    assert list(scores.objects_) == words[:6]
    np.testing.assert_allclose(scores.targets_, learned(y).reshape(2, 6, 1).mean(axis=0), atol=1e-3)
    swapped = y.copy()
    swapped[[0, 6]] = swapped[[6, 0]]  # the same mean
    np.testing.assert_array_equal(scores.fit_unseen(words, swapped), before)
    np.testing.assert_array_equal(before[:6], before[6:])


def test_whole_numbers_take_half_the_room():
    y = TARGETS["two"]
    assert sm.NeighbourScores().fit(np.round(9 * X), y).objects_.dtype == np.float32
    assert sm.NeighbourScores().fit(X, y).objects_.dtype == np.float64


def test_votes_on_luck_are_luck():
    luck = np.random.default_rng(2).integers(0, 2, 300)
    scores = sm.NeighbourScores("euclidean", n_neighbors=1)
    unseen = scores.fit_unseen(X, luck)[:, 0]
    assert np.mean((scores.transform(X)[:, 0] > 0) == luck) == 1.0
    assert abs(np.mean((unseen > 0) == luck) - 0.5) < 0.12  # 4 standard errors


def test_some_objects_vote_for_all():
    scores = sm.NeighbourScores("manhattan", n_objects=50, random_state=0)
    unseen = scores.fit_unseen(X, TARGETS["numbers"])
    assert scores.objects_.shape == (50, 3)
    assert unseen.shape == (300, 1)
    voters = np.flatnonzero((X[:, None] == scores.objects_).all(axis=2).any(axis=1))
    np.testing.assert_array_equal(X[voters], scores.objects_)
    between = np.abs(X[:, None] - scores.objects_).sum(axis=2)
    between[between == 0] = np.inf
    wanted = voted(between, scores.targets_, scores.k_, scores.decay_)
    np.testing.assert_allclose(unseen, wanted, atol=1e-3)


def test_where_all_are_equal_the_mean_is_said():
    scores = sm.NeighbourScores("manhattan").fit(np.ones((5, 2)), np.arange(5) % 2)
    assert scores.informative_ is False
    np.testing.assert_allclose(scores.transform([[1.0, 1.0]]), [[-0.2]], atol=1e-3)


def test_a_model_of_votes_is_saved_and_explained(tmp_path):
    words = ["".join(RNG.choice(list("abc"), 6)) for _ in range(80)]
    y = [word.count("a") > word.count("b") for word in words]
    model = sm.LandmarkClassifier([sm.NeighbourScores("levenshtein")], random_state=0)
    model.fit(words, y)
    sm.save(model, tmp_path / "votes")
    again = sm.load(tmp_path / "votes")
    np.testing.assert_array_equal(again.decision_function(words), model.decision_function(words))
    (block,) = again.map_.blocks_
    assert pickle.loads(pickle.dumps(block)).objects_ is not None
    (told,) = again.explain(["abacab"])
    assert {reason.landmark for reason in told.reasons} <= set(words)


def test_what_says_not_what_is_near_has_no_votes():
    with pytest.raises(ValueError, match="direction"):
        sm.NeighbourScores(sm.measures.Custom(lambda a, b: 0.0, kind=None)).fit(X, TARGETS["two"])
    with pytest.raises(ValueError, match="n_neighbors"):
        sm.NeighbourScores(n_neighbors=0).fit(X, TARGETS["two"])
