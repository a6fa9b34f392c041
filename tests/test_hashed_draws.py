"""Many rows: folds and landmarks are drawn by a hash of seed and object, and not by row numbers."""

import numpy as np
import pytest
from scipy import stats

import seamark as sm
from seamark import engine
from seamark.data import hashes, series, sets, strings, vectors
from seamark.landmarks import (
    AtMost,
    Diverse,
    FarthestFirst,
    LandmarkPairs,
    Parts,
    Stratified,
    Uniform,
)
from seamark.landmarks.base import groups_in
from seamark.linear_model import LinearSVM
from seamark.measures import Euclidean, Levenshtein
from seamark.targets import deal, split_off
from seamark.tuning import HeldOut, Task

RNG = np.random.default_rng
FEW = 50


def words(n, seed=0):
    rng = RNG(seed)
    return ["".join(rng.choice(list("acgt"), size=8)) for _ in range(n)]


@pytest.fixture
def hashed():
    with sm.engine.using(hashed_from=FEW):
        yield


def test_the_limit_is_a_setting():
    X = strings.ingest(words(FEW + 1))
    assert sm.engine.settings().hashed_from == 100_000
    assert groups_in(X, strings).max() == FEW
    with sm.engine.using(hashed_from=FEW):
        np.testing.assert_array_equal(groups_in(X, strings), hashes(X))
        assert groups_in(X[:FEW], strings).max() == FEW - 1


@pytest.mark.parametrize("cv", [2, 5])
def test_folds_do_not_hang_on_the_order_of_rows(hashed, cv):
    names = words(400)
    keys = hashes(strings.ingest(names * 2))
    used = np.ones(800, dtype=bool)
    folds = deal(used, cv, RNG(1), groups=keys)
    assert sorted(set(folds)) == list(range(cv))
    np.testing.assert_array_equal(folds[:400], folds[400:])  # equal objects fall together
    order = RNG(2).permutation(800)
    labels = RNG(3).integers(2, size=800)
    np.testing.assert_array_equal(deal(used, cv, RNG(1), labels, keys[order]), folds[order])
    assert np.any(deal(used, cv, RNG(2), groups=keys) != folds)


def test_rows_left_out_change_nothing_for_others(hashed):
    keys = hashes(strings.ingest(words(300)))
    used = RNG(0).uniform(size=300) < 0.7
    whole = deal(np.ones(300, dtype=bool), 4, RNG(1), groups=keys)
    np.testing.assert_array_equal(deal(used, 4, RNG(1), groups=keys), np.where(used, whole, -1))


def test_few_rows_and_rows_without_groups_are_dealt_evenly(hashed):
    keys = hashes(strings.ingest(words(300)))
    assert np.ptp(np.bincount(deal(np.ones(300, dtype=bool), 7, RNG(0)))) == 1
    few = np.arange(300) < FEW
    assert np.ptp(np.bincount(deal(few, 5, RNG(0), groups=keys)[few])) == 0


@pytest.mark.parametrize(
    "groups",
    [
        np.repeat([0, 1, 2], 100),  # too few for five folds: copies are parted
        np.r_[np.zeros(270, int), np.arange(1, 31)],  # one object is nearly all rows
        np.repeat(np.arange(8), 40),  # a hash would leave folds empty
    ],
)
def test_where_a_hash_would_leave_folds_empty_rows_are_dealt(hashed, groups):
    for seed in range(5):
        folds = deal(np.ones(len(groups), dtype=bool), 5, RNG(seed), groups=groups)
        assert sorted(set(folds)) == list(range(5))


def test_every_class_may_have_one_object(hashed):
    groups = np.repeat([3, 4], 100)
    folds = deal(np.ones(200, dtype=bool), 2, RNG(0), groups, groups)
    assert np.bincount(folds[:100]).tolist() == [50, 50]


@pytest.mark.parametrize("strategy", [Uniform(), Stratified(), AtMost(20, "uniform")], ids=repr)
def test_landmarks_are_those_of_the_smallest_hashes(hashed, strategy):
    names = words(300)
    X, y = strings.ingest(names * 2), np.arange(600) % 3
    chosen = strategy.choose(X, y, Levenshtein(), 20, RNG(5))
    assert len(chosen) == len(set(chosen.objects)) == 20
    assert list(X[chosen.indices]) == list(chosen.objects)
    order = RNG(2).permutation(600)
    again = strategy.choose(X[order], y[order], Levenshtein(), 20, RNG(5))
    assert list(again.objects) == list(chosen.objects)
    other = strategy.choose(X, y, Levenshtein(), 20, RNG(6))
    assert set(other.objects) != set(chosen.objects)


def test_the_smallest_of_chunks_are_the_smallest_of_all(hashed):
    # What whoever reads rows in chunks will do: keep the smallest so far.
    from seamark.data import seed_from, with_seed

    X = strings.ingest(words(400))
    chosen = Uniform().choose(X, None, Levenshtein(), 15, RNG(5))
    seed, kept = seed_from(RNG(5)), {}
    for start in range(0, 400, 70):
        chunk = X[start : start + 70]
        kept |= dict(zip(with_seed(hashes(chunk), seed).tolist(), chunk, strict=True))
        kept = dict(sorted(kept.items())[:15])
    assert list(kept.values()) == list(chosen.objects)


def test_classes_have_their_shares(hashed):
    X = RNG(0).normal(size=(300, 2))
    y = np.repeat([0, 1, 2], [200, 90, 10])
    rows = Stratified().choose(X, y, Euclidean(), 30, RNG(0)).indices
    assert np.bincount(y[rows]).tolist() == [20, 9, 1]


@pytest.mark.parametrize("strategy", [Diverse(), FarthestFirst(), LandmarkPairs()], ids=repr)
def test_other_strategies_work_with_many_rows(hashed, strategy):
    X = strings.ingest(words(60) * 2)
    chosen = strategy.choose(X, np.arange(120) % 2, Levenshtein(), 10, RNG(0))
    assert len(chosen) == 10


@pytest.mark.parametrize("strategy", [Diverse(), Diverse(per_class=False), FarthestFirst()])
def test_landmarks_far_apart_do_not_hang_on_the_order_of_rows(hashed, strategy):
    """Edit distances tie often, so that the first of several as far would be one by its row."""
    X, y, order = strings.ingest(words(200)), np.arange(200) % 3, RNG(2).permutation(200)
    chosen = strategy.choose(X, y, Levenshtein(), 12, RNG(5))
    again = strategy.choose(X[order], y[order], Levenshtein(), 12, RNG(5))
    assert list(again.objects) == list(chosen.objects)
    np.testing.assert_array_equal(order[again.indices], chosen.indices)
    assert set(strategy.choose(X, y, Levenshtein(), 12, RNG(6)).objects) != set(chosen.objects)


@pytest.mark.parametrize(
    ("measure", "X"),
    [
        (sm.measures.Substring(), strings.ingest(words(200))),
        (sm.measures.Subsequence(), series.ingest([RNG(k).normal(size=20 + k) for k in range(90)])),
        (sm.measures.Member(), sets.ingest([RNG(k).normal(size=(3, 2)) for k in range(90)])),
    ],
    ids=repr,
)
def test_parts_do_not_hang_on_the_order_of_rows(hashed, measure, X):
    order = RNG(2).permutation(len(X))
    chosen = Parts().choose(X, None, measure, 8, RNG(5))
    again = Parts().choose(X[order], None, measure, 8, RNG(5))
    np.testing.assert_array_equal(order[again.sources], chosen.sources)
    values = engine.run(measure.compile(chosen.objects), X)
    np.testing.assert_array_equal(engine.run(measure.compile(again.objects), X), values)


@pytest.mark.parametrize("classes", [1, 3])
def test_rows_held_out_do_not_hang_on_their_order(hashed, classes):
    X, order = strings.ingest(words(300) * 2), RNG(2).permutation(600)
    keys, labels = hashes(X), None if classes == 1 else hashes(X) % classes
    rng = np.random.RandomState
    fitted, held = split_off(np.arange(600), 0.25, rng(3), labels, keys)
    assert sorted([*fitted, *held]) == list(range(600))
    assert len(held) == pytest.approx(150, abs=6)
    assert not set(keys[fitted]) & set(keys[held])
    if labels is not None:
        shares = np.bincount(labels[held]) / np.bincount(labels)
        np.testing.assert_allclose(shares, 0.25, atol=0.02)
        labels = labels[order]
    moved = split_off(np.arange(600), 0.25, rng(3), labels, keys[order])[1]
    np.testing.assert_array_equal(np.sort(order[moved]), held)


def test_what_tuning_holds_out_does_not_hang_on_the_order_of_rows(hashed):
    keys, labels, order = (
        hashes(strings.ingest(words(200))),
        np.arange(200) % 3,
        RNG(2).permutation(200),
    )

    def held_out(rows):
        task = Task(labels[rows], LinearSVM(), {}, labels[rows], None, groups=keys[rows])
        return rows[HeldOut(0.25).sides(task, np.argsort(rows)[:20], RNG(7))[1]]

    held = held_out(np.arange(200))
    assert len(held) == pytest.approx(50, abs=2)
    np.testing.assert_array_equal(np.sort(held_out(order)), held)


def test_every_object_has_the_same_chance(hashed):
    X = vectors.ingest(np.arange(60.0)[:, None])
    drawn = [Uniform().choose(X, None, Euclidean(), 6, RNG(seed)).indices for seed in range(1500)]
    counts = np.bincount(np.concatenate(drawn), minlength=60)
    # Without replacement counts vary less: scaled to a chi-square; false alarms 10⁻³.
    spread = ((counts - 150.0) ** 2 / 150.0).sum() / (1 - 6 / 60) * (59 / 60)
    assert 1e-3 < stats.chi2.sf(spread, 59) < 1 - 1e-3


def test_models_learn_the_same_from_rows_in_another_order(hashed):
    names = words(200)
    y = np.array([name.count("a") for name in names], dtype=float)
    order = RNG(1).permutation(200)
    one, other = (
        sm.LandmarkRegressor("levenshtein", n_landmarks=30, random_state=0).fit(
            [names[row] for row in rows], y[rows]
        )
        for rows in (np.arange(200), order)
    )
    assert list(one.landmarks_) == list(other.landmarks_)
    np.testing.assert_allclose(one.predict(names), other.predict(names), rtol=1e-3, atol=1e-3)


def test_weighings_and_random_maps_take_hashed_groups(hashed):
    X = RNG(0).normal(size=(120, 3))
    y = (X[:, 0] > 0).astype(int)
    model = sm.LandmarkClassifier("gaussian", n_landmarks=20, weighing="greedy", random_state=0)
    assert model.fit(X, y).score(X, y) > 0.8
    fourier = sm.RandomFourier(n_components=20, random_state=0)
    assert sm.Aligned(fourier, random_state=0).fit(X, y).transform(X).shape[0] == 120
