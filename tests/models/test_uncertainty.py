"""Intervals, sets of classes, and novelty: as often right as promised, on objects not seen.

Each coverage is of 8,000 new objects by a quantile of 3,000: its deviation is about 0.0064, so that
0.02 is passed by chance in 2 of 1,000 seeds. Seeds are fixed.
"""

import numpy as np
import pytest

import seamark as sm

N, NEW = 3000, 8000


def numbers(rng, n, uneven=True):
    X = rng.uniform(-2, 2, size=(n, 3))
    size = 0.2 + (0.8 * np.abs(X[:, 1]) if uneven else 0.0)
    return X, np.sin(2 * X[:, 0]) + X[:, 2] + size * rng.normal(size=n)


def within(ends, y):
    return (ends[..., 0] <= y) & (y <= ends[..., 1])


@pytest.fixture(scope="module")
def regressor():
    X, y = numbers(np.random.default_rng(0), N)
    return sm.LandmarkRegressor("gaussian", n_landmarks=150, random_state=0).fit(X, y)


@pytest.fixture(scope="module")
def classifier():
    X, labels = blobs(np.random.default_rng(1), N)
    return sm.LandmarkClassifier("euclidean", n_landmarks=60, random_state=0).fit(X, labels)


def blobs(rng, n):
    labels = rng.integers(3, size=n)
    return rng.normal(size=(n, 2)) + 1.3 * np.eye(3)[labels][:, :2] * 1.5, labels


@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.9, 0.95])
def test_intervals_hold_as_many_as_they_say(regressor, coverage):
    X, y = numbers(np.random.default_rng(2), NEW)
    assert within(regressor.predict_interval(X, coverage), y).mean() == pytest.approx(
        coverage, abs=0.02
    )


def test_intervals_are_wide_where_errors_are_large(regressor):
    X, y = numbers(np.random.default_rng(3), NEW)
    ends = regressor.predict_interval(X)
    width = ends[:, 1] - ends[:, 0]
    calm = np.abs(X[:, 1]) < 0.3
    rough = np.abs(X[:, 1]) > 1.5
    assert width[rough].mean() > 1.8 * width[calm].mean()
    np.testing.assert_allclose(ends.mean(axis=1), regressor.predict(X), rtol=1e-5, atol=1e-5)
    # Intervals of one width hold all of the calm ones, and few of the rough.
    assert abs(within(ends[rough], y[rough]).mean() - within(ends[calm], y[calm]).mean()) < 0.1


def test_strings_absent_from_training():
    rng = np.random.default_rng(4)
    words = ["".join(rng.choice(list("abcd"), rng.integers(3, 12))) for _ in range(6000)]
    words = list(dict.fromkeys(words))
    y = np.array([w.count("a") + 0.5 * w.count("ab") for w in words]) + rng.normal(size=len(words))
    model = sm.LandmarkRegressor("levenshtein", n_landmarks=200, random_state=0)
    model.fit(words[:2000], y[:2000])
    held = within(model.predict_interval(words[2000:], 0.9), y[2000:]).mean()
    assert held == pytest.approx(0.9, abs=0.02)


def test_several_targets_and_blocks():
    rng = np.random.default_rng(5)
    X, y = numbers(rng, 1500)
    Y = np.column_stack([y, X[:, 0] + 0.1 * rng.normal(size=1500)])
    maps = [sm.LandmarkMap("gaussian", n_landmarks=80), sm.Coordinates()]
    model = sm.LandmarkRegressor(maps, random_state=0).fit(X[:1000], Y[:1000])
    ends = model.predict_interval(X[1000:])
    assert ends.shape == (500, 2, 2)
    np.testing.assert_allclose(within(ends, Y[1000:]).mean(axis=0), 0.9, atol=0.05)
    few = sm.LandmarkRegressor("gaussian", weighing=sm.Greedy(20), random_state=0)
    few.fit(X[:1000], y[:1000])
    assert within(few.predict_interval(X[1000:]), y[1000:]).mean() == pytest.approx(0.9, abs=0.05)


@pytest.mark.parametrize("coverage", [0.7, 0.8, 0.9, 0.95])
def test_sets_hold_the_true_class_as_often_as_they_say(classifier, coverage):
    X, labels = blobs(np.random.default_rng(6), NEW)
    sets = classifier.predict_set(X, coverage)
    assert sets[np.arange(NEW), labels].mean() == pytest.approx(coverage, abs=0.02)
    assert sets.sum(axis=1).mean() < 3 * coverage


def test_saved_models_say_the_same(regressor, classifier, tmp_path):
    X, _ = numbers(np.random.default_rng(7), 50)
    sm.save(regressor, tmp_path / "r")
    sm.save(classifier, tmp_path / "c")
    loaded = sm.load(tmp_path / "r")
    np.testing.assert_array_equal(loaded.predict_interval(X), regressor.predict_interval(X))
    np.testing.assert_array_equal(loaded.novelty(X), regressor.novelty(X))
    sets = sm.load(tmp_path / "c").predict_set(X[:, :2])
    np.testing.assert_array_equal(sets, classifier.predict_set(X[:, :2]))


def test_too_few_objects_say_nothing():
    words = ["a" * k for k in range(1, 9)]
    model = sm.LandmarkRegressor("levenshtein", random_state=0).fit(words, range(8))
    assert np.isinf(model.predict_interval(words, 0.95)).all()


@pytest.mark.parametrize("coverage", [0, 1, 1.5, "much", True])
def test_odd_coverages_are_refused(regressor, classifier, coverage):
    for say in (regressor.predict_interval, classifier.predict_set):
        with pytest.raises(ValueError, match="coverage must be a number between 0 and 1"):
            say(np.zeros((1, 3 if say == regressor.predict_interval else 2)), coverage)


def test_heads_that_keep_no_errors_say_so():
    X, y = numbers(np.random.default_rng(8), 100)
    head = sm.linear_model.RidgeRegressor()
    model = sm.LandmarkRegressor("gaussian", head=head, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="take head='ridge'"):
        model.predict_interval(X)


def test_heads_without_probabilities_out_of_fold_say_so():
    X, labels = blobs(np.random.default_rng(8), 100)
    model = sm.LandmarkClassifier("euclidean", head="svm", calibrate=False).fit(X, labels)
    with pytest.raises(ValueError, match="take head='ridge'"):
        model.predict_set(X)


def test_novelty_is_even_on_known_objects_and_high_on_others(regressor):
    X, _ = numbers(np.random.default_rng(9), NEW)
    score = regressor.novelty(X)
    assert score.min() >= 0
    assert score.max() <= 1
    # Of 150 landmarks: the deviation of a share is about 0.02.
    assert (score >= 0.95).mean() < 0.1
    assert score.mean() == pytest.approx(0.5, abs=0.08)
    assert (regressor.novelty(X + 10) > 0.99).all()


def test_novelty_of_columns():
    import pandas as pd

    rng = np.random.default_rng(10)
    words = ["".join(rng.choice(list("abc"), rng.integers(4, 9))) for _ in range(300)]
    frame = pd.DataFrame({"name": words, "kind": rng.choice(["x", "y"], 300)})
    y = frame["name"].str.count("a") + (frame["kind"] == "x")
    model = sm.LandmarkRegressor({"name": "levenshtein", "kind": "equality"}, random_state=0)
    model.fit(frame, y)
    odd = pd.DataFrame({"name": ["abcab", None, "zzzzzzzzzzzzzzz"], "kind": ["x", "y", "x"]})
    score = model.novelty(odd)
    assert score[1] == 0
    assert score[2] == 1
    assert model.novelty(odd.assign(kind="z"))[0] == 1


def test_novelty_needs_a_direction():
    model = sm.LandmarkRegressor(lambda x, y: abs(x - y), random_state=0)
    model.fit(list(range(20)), range(20))
    with pytest.raises(ValueError, match="says whether small or large values mean alike"):
        model.novelty([1])


def test_sets_of_a_model_that_knows_nothing_keep_both_classes():
    """Folds and the whole model say nearly the same of all rows: the border is no place to cut."""
    rng = np.random.default_rng(13)
    X, y = rng.normal(size=(2000, 4)), rng.permutation(np.arange(2000) % 2)
    for seed in range(4):
        rows = np.random.default_rng(seed).permutation(2000)
        seen, new = rows[:1000], rows[1000:]
        model = sm.LandmarkClassifier("euclidean", n_landmarks=10, random_state=seed)
        found = model.fit(X[seen], y[seen]).predict_set(X[new], 0.9)
        assert found[np.arange(1000), y[new]].mean() > 0.87
