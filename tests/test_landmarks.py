"""Where landmarks come from: laws, directions, counts, messages."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seamark import engine
from seamark.data import strings
from seamark.landmarks import (
    Diverse,
    FarthestFirst,
    Generated,
    Given,
    LandmarkPairs,
    Stratified,
    Uniform,
    get_strategy,
    shared_out,
)
from seamark.measures import Custom, Euclidean, Gaussian, Levenshtein, Precomputed

RNG = np.random.default_rng


@pytest.fixture
def X(rng):
    return rng.normal(size=(40, 2))


@pytest.mark.parametrize(
    "strategy", [Uniform(), Stratified(), Diverse(), FarthestFirst()], ids=repr
)
def test_rows_are_distinct_and_are_what_they_say(strategy, X):
    y = np.arange(40) % 3
    chosen = strategy.choose(X, y, Euclidean(), 12, RNG(0))
    assert len(chosen) == len(set(chosen.indices)) == 12
    np.testing.assert_array_equal(chosen.objects, X[chosen.indices])
    everything = strategy.choose(X, y, Euclidean(), 100, RNG(0))
    assert sorted(everything.indices) == list(range(40))


@given(st.lists(st.integers(1, 30), min_size=1, max_size=6), st.integers(0, 100), st.booleans())
def test_shares_add_up(sizes, n, equal):
    shares = shared_out(n, sizes, equal=equal)
    assert sum(shares) == min(n, sum(sizes))
    assert all(0 <= s <= size for s, size in zip(shares, sizes, strict=True))
    if n >= len(sizes):
        assert min(shares) >= 1


def test_stratified_keeps_rare_classes(X):
    y = np.array([0] * 38 + [1, 2])
    for seed in range(20):
        chosen = Stratified().choose(X, y, Euclidean(), 5, RNG(seed))
        assert set(y[chosen.indices]) == {0, 1, 2}


def naive_dselect(D, first, n):
    """DSELECT by its definition: the largest average distance to those chosen."""
    chosen = [first]
    while len(chosen) < n:
        rest = [i for i in range(len(D)) if i not in chosen]
        chosen.append(max(rest, key=lambda i: D[i, chosen].mean()))
    return chosen


def naive_farthest(D, first, n):
    chosen = [first]
    while len(chosen) < n:
        rest = [i for i in range(len(D)) if i not in chosen]
        chosen.append(max(rest, key=lambda i: D[i, chosen].min()))
    return chosen


@pytest.mark.parametrize(
    ("strategy", "oracle"),
    [(Diverse(per_class=False), naive_dselect), (FarthestFirst(), naive_farthest)],
)
@pytest.mark.parametrize("measure", [Euclidean(), Gaussian(width=5.0)], ids=repr)
def test_spreading_follows_the_definition(X, strategy, oracle, measure):
    values = measure.cross(X).astype(float)
    D = values if measure.kind == "distance" else -values
    rows = strategy.choose(X, None, measure, 9, RNG(1)).indices
    assert list(rows) == oracle(D, rows[0], 9)


def test_diverse_takes_as_many_of_each_class(X):
    y = np.array([0] * 30 + [1] * 10)
    rows = Diverse().choose(X, y, Euclidean(), 8, RNG(0)).indices
    assert np.bincount(y[rows]).tolist() == [4, 4]
    assert set(y[rows[:2]]) == {0, 1}  # any first few hold both


def test_spreading_costs_n_evaluations_per_landmark(X):
    with engine.counting() as counter:
        FarthestFirst().choose(X, None, Euclidean(), 9, RNG(0))
    assert counter.evaluations == 40 * 8


def test_spreading_needs_a_direction(X):
    with pytest.raises(ValueError, match="a direction is needed"):
        Diverse().choose(X, None, Custom(lambda a, b: 0.0), 3, RNG(0))


def test_candidates_without_labels(X, rng):
    extra = rng.normal(size=(100, 2)) + 50
    for strategy in (Uniform(extra), Diverse(candidates=extra), FarthestFirst(extra)):
        chosen = strategy.choose(X, np.arange(40) % 2, Euclidean(), 6, RNG(0))
        assert chosen.indices is None
        assert (chosen.objects > 20).all()


def test_generated_objects_are_of_the_kind(X):
    words = strings.ingest(["acgt", "aa"])
    drawn = Generated(sizes=(3, 5)).choose(words, None, Levenshtein(), 7, RNG(0))
    assert len(drawn) == 7
    assert set(drawn.objects.lengths) <= {3, 4, 5}
    assert drawn.indices is None
    own = Generated(sampler=lambda n, rng, like: ["x"] * n)
    assert list(own.choose(words, None, Levenshtein(), 2, RNG(0)).objects) == ["x", "x"]


def test_given_are_taken_as_they_are(X):
    chosen = Given(X[:3].tolist()).choose(X, None, Euclidean(), 99, RNG(0))
    np.testing.assert_array_equal(chosen.objects, X[:3])


def test_pairs_join_different_classes(X):
    y = np.array(["a"] * 20 + ["b"] * 15 + ["c"] * 5)
    chosen = LandmarkPairs().choose(X, y, Euclidean(), 30, RNG(0))
    assert len(chosen) == 30
    labels = y[chosen.indices]
    assert (labels[chosen.pairs[:, 0]] != labels[chosen.pairs[:, 1]]).all()
    with pytest.raises(ValueError, match="at least two classes"):
        LandmarkPairs().choose(X, None, Euclidean(), 3, RNG(0))
    with pytest.raises(ValueError, match="rows of X"):
        LandmarkPairs(of=Generated()).choose(X, y, Euclidean(), 3, RNG(0))


def test_precomputed_landmarks_are_columns(rng):
    K = rng.normal(size=(9, 9))
    measure = Precomputed(kind="distance")
    for strategy in (Uniform(), FarthestFirst()):
        chosen = strategy.choose(K, None, measure, 4, RNG(0))
        assert chosen.objects.indices.tolist() == chosen.indices.tolist()


def test_names_resolve():
    assert isinstance(get_strategy("farthest"), FarthestFirst)
    assert isinstance(get_strategy(["a", "b"]), Given)
    with pytest.raises(ValueError, match="landmarks must be diverse, .*; got 'best'"):
        get_strategy("best")
