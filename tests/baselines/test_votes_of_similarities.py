"""Votes of average similarities are those of the definitions."""

import itertools

import numpy as np
import pytest
from rival_tasks import overlap, y
from test_rival_rules import NEW, VECTORS, WORDS

import seamark as sm
from seamark.baselines import AverageSimilarity
from seamark.measures import Custom, Gaussian, Manhattan


@pytest.mark.parametrize("measure", ["gaussian", "manhattan"])
@pytest.mark.parametrize("classes", [2, 3])
def test_strong_vote_is_the_class_of_larger_mean(measure, classes):
    labels = np.array(list("pqr"))[np.arange(24) % classes]
    model = AverageSimilarity(measure).fit(VECTORS, labels)
    sign = 1 if model.measure_.kind == "similarity" else -1
    for x, predicted in zip(VECTORS, model.predict(VECTORS), strict=True):
        K = sign * model.measure_.cross([x], VECTORS)[0].astype(float)
        means = {c: K[labels == c].mean() for c in sorted(set(labels))}
        assert predicted == max(means, key=means.get)
    assert not hasattr(model, "predict_proba")


def test_known_weights_are_those_of_the_definition(rng):
    """Definition 6: the means of w(x')K(x, x') over the objects of each class, of any size."""
    labels, weights = np.array(list("pqr"))[np.arange(24) % 3], rng.uniform(size=24)
    model = AverageSimilarity("gaussian", random_state=0).fit(VECTORS, labels, weights)
    K = model.measure_.cross(VECTORS).astype(float)
    for k, c in enumerate("pqr"):
        expected = [np.mean((w * weights)[labels == c]) for w in K]
        np.testing.assert_allclose(model.decision_function(VECTORS)[:, k], expected, rtol=1e-6)
    some = AverageSimilarity("gaussian", n_per_class=3, random_state=0)
    kept = some.fit(VECTORS, labels, weights)
    places = [np.flatnonzero((x == VECTORS).all(axis=1))[0] for x in kept.references_]
    np.testing.assert_array_equal(kept.reference_weights_, weights[places])
    for bad in (weights[:5], 2 * np.ones(24), np.full(24, np.nan)):
        with pytest.raises(ValueError, match="weights must be 24 numbers from 0 to 1"):
            some.fit(VECTORS, labels, bad)
    with pytest.raises(ValueError, match="leave them out"):
        AverageSimilarity("gaussian", vote="weak").fit(VECTORS, y, np.ones(24))


def test_asymmetric_similarities_are_read_from_the_new_object():
    similar = Custom(lambda a, b: 1 - overlap(a, b), kind="similarity")
    model = AverageSimilarity(similar).fit(["ab", "xyzw"], [0, 1])
    np.testing.assert_allclose(model.decision_function(["abx"]), [1 / 3 - 2 / 3])


@pytest.mark.parametrize("measure", [Gaussian(width=1.0), Manhattan()])
def test_weak_vote_has_the_chance_of_the_definition(measure):
    model = AverageSimilarity(measure, vote="weak", random_state=0).fit(VECTORS, y)
    K = measure.cross(VECTORS).astype(float)
    K = -K if measure.kind == "distance" else K
    low, high = (0, 1) if measure.kind == "similarity" else (K.min(), K.max())
    K = 2 * (K - low) / (high - low) - 1
    chance = [(1 + 0.5 * (row[y == 1].mean() - row[y == 0].mean())) / 2 for row in K]
    np.testing.assert_allclose(model.predict_proba(VECTORS)[:, 1], chance, rtol=1e-5)
    pairs = list(itertools.permutations(range(24), 2))
    same = np.mean([K[i, j] for i, j in pairs if y[i] == y[j]])
    assert model.gamma_ == pytest.approx(
        same - np.mean([K[i, j] for i, j in pairs if y[i] != y[j]]), rel=1e-4
    )
    assert not hasattr(model, "decision_function")


def test_weak_votes_are_as_frequent_as_their_chance():
    # Mean of 4000 independent coins; five standard deviations: a false alarm in 10^6.
    new = np.random.default_rng(1).normal(size=(4000, 3))
    model = AverageSimilarity(vote="weak", random_state=0).fit(VECTORS, y)
    chance = model.predict_proba(new)[:, 1]
    spread = np.sqrt((chance * (1 - chance)).sum())
    assert abs(model.predict(new).sum() - chance.sum()) < 5 * spread
    again = AverageSimilarity(vote="weak", random_state=0).fit(VECTORS, y)
    np.testing.assert_array_equal(model.predict(new), again.predict(new))
    other = AverageSimilarity(vote="weak", random_state=1).fit(VECTORS, y)
    assert (model.predict(new) != other.predict(new)).any()


def test_a_frequent_class_is_always_predicted():
    labels = np.array(["p"] * 5 + ["q"] * 19)
    model = AverageSimilarity("levenshtein", vote="weak").fit(WORDS, labels)
    assert set(model.predict(NEW)) == {"q"}
    np.testing.assert_array_equal(model.predict_proba(NEW)[:, 1], 1.0)
    slightly = np.array(["p"] * 11 + ["q"] * 13)  # 13/24 lies between 1/2 and 1/2 + 2/32
    assert (
        AverageSimilarity("levenshtein", vote="weak", gamma=2.0).fit(WORDS, slightly).always_
        is None
    )
    assert (
        AverageSimilarity("levenshtein", vote="weak", gamma=0.5).fit(WORDS, slightly).always_ == 1
    )


def test_bounds_and_gamma_save_evaluations():
    bounded = sm.measures.Levenshtein().normalised()
    model = AverageSimilarity(bounded, vote="weak", gamma=0.1).fit(WORDS, y)
    assert (model.range_, model.n_evaluations_) == ((-1.0, 0.0), 0)


def test_average_similarity_parameters():
    for options, message in [
        ({"vote": "loud"}, "vote must be"),
        ({"gamma": 3.0}, "gamma must be a positive number up to 2"),
        ({"n_per_class": 0}, "n_per_class must be a positive"),
    ]:
        with pytest.raises(ValueError, match=message):
            AverageSimilarity("levenshtein", **options).fit(WORDS, y)
    with pytest.raises(ValueError, match="Only binary.*use vote='strong'"):
        AverageSimilarity("levenshtein", vote="weak").fit(WORDS, np.arange(24) % 3)


def test_equal_similarities_are_a_fair_coin():
    model = AverageSimilarity("levenshtein", vote="weak").fit(["a"] * 4, [0, 1, 0, 1])
    np.testing.assert_array_equal(model.predict_proba(["a", "b"]), 0.5)
