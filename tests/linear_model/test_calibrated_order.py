"""Probabilities of ordered labels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.datasets import load_diabetes
from sklearn.metrics import log_loss

import seamark as sm
from seamark.linear_model import CalibratedOrder, Ordinal
from seamark.linear_model.calibration import OrderedCalibration, _doubtful


def grades(name):
    """Objects, and grades of them: of a table by distance, and of strings by edits."""
    if name == "diabetes":
        X, y = load_diabetes(return_X_y=True)
        return X / X.std(axis=0), np.digitize(y, [70, 110, 160, 220]), "manhattan"
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("acgt"), rng.integers(6, 20))) for _ in range(700)]
    counted = np.array([word.count("ac") for word in words]) + 0.5 * rng.normal(size=700)
    return words, np.digitize(counted, [0.5, 1.5, 2.5]), "levenshtein"


@pytest.mark.parametrize("name", ["diabetes", "words"])
def test_probabilities_beat_the_shares_of_labels_and_hold_them_on_average(name):
    X, y, measure = grades(name)
    n = len(y) // 2
    model = sm.LandmarkOrdinal(measure, n_landmarks=100, random_state=0).fit(X[:n], y[:n])
    chances = model.predict_proba(X[n:])
    assert chances.shape == (len(y) - n, len(model.classes_))
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-12)
    assert (chances > 0).all()
    shares = np.bincount(y[:n]) / n
    labels = {"labels": model.classes_}
    constant = log_loss(y[n:], np.tile(shares, (len(y) - n, 1)), **labels)
    assert log_loss(y[n:], chances, **labels) < 0.93 * constant
    np.testing.assert_allclose(chances.mean(axis=0), shares, atol=0.06)
    held = model.predict_set(X[n:], 0.9)[np.arange(len(y) - n), y[n:]].mean()
    assert held == pytest.approx(0.9, abs=0.05)
    plain = sm.LandmarkOrdinal(measure, n_landmarks=100, calibrate=False, random_state=0)
    plain.fit(X[:n], y[:n])
    assert not hasattr(plain, "predict_proba")
    np.testing.assert_array_equal(plain.predict(X[n:]), model.predict(X[n:]))
    np.testing.assert_allclose(plain.scores(X[n:]), model.scores(X[n:]))


def naive_loss(parameters, scores, targets):
    """The mean of −log P(label), straight from the definition."""
    slope, cuts = parameters[0], parameters[1:]
    below = expit(cuts - slope * scores[:, None])
    both = np.concatenate([np.zeros((len(scores), 1)), below, np.ones((len(scores), 1))], axis=1)
    return -np.mean((targets * np.log(np.diff(both, axis=1))).sum(axis=1))


@pytest.mark.parametrize("r", [2, 3, 5])
def test_slope_and_cuts_are_the_best_by_the_definition(r, rng):
    scores = rng.normal(size=200)
    ranks = np.digitize(scores + 0.7 * rng.logistic(size=200), np.linspace(-1, 1, r + 1)[1:-1])
    found = OrderedCalibration.fit(scores, ranks)
    targets = _doubtful(ranks, np.ones(200), r)
    np.testing.assert_allclose(targets.sum(axis=1), 1.0)
    theirs = minimize(
        naive_loss, np.r_[1.0, np.linspace(-1, 1, r - 1)], (scores, targets), tol=1e-12
    )
    ours = np.r_[found.slope, found.cuts]
    assert naive_loss(ours, scores, targets) <= theirs.fun + 1e-7
    np.testing.assert_allclose(ours, theirs.x, atol=2e-3)


@given(
    slope=st.floats(0, 50),
    gaps=st.lists(st.floats(1e-6, 100), min_size=1, max_size=6),
    scores=st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=5),
)
@settings(max_examples=50, deadline=None)
def test_probabilities_sum_to_one_and_rise_with_the_score(slope, gaps, scores):
    known = OrderedCalibration(slope, np.cumsum(gaps) - 3.0)
    chances = known.probabilities(np.sort(scores))
    assert np.isfinite(chances).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-9)
    above = 1.0 - np.cumsum(chances, axis=1)
    assert (np.diff(above, axis=0) >= -1e-9).all()


def test_scores_that_say_nothing_leave_the_shares(rng):
    ranks = np.repeat([0, 1, 2], [50, 30, 20])
    found = OrderedCalibration.fit(np.zeros(100), ranks)
    np.testing.assert_allclose(found.probabilities(np.zeros(1))[0], [0.5, 0.3, 0.2], atol=0.02)
    turned = OrderedCalibration.fit(-ranks.astype(float), ranks)
    assert turned.slope == 0.0


def test_separable_labels_keep_a_doubt_and_single_rows_a_chance():
    X = np.arange(20.0)[:, None]
    y = np.repeat([0, 1, 2], [10, 9, 1])
    head = CalibratedOrder(Ordinal(penalty=1e-6)).fit(X, y)
    chances = head.predict_proba(X)
    assert chances.shape == (20, 3)
    assert 0 < chances[0, 2] < chances[-1, 2] < 1
    assert head.oof_confusion_.sum() == 19
    alone = CalibratedOrder(Ordinal()).fit(X[:3], [0, 1, 2])
    assert not hasattr(alone, "predict_proba")
    np.testing.assert_array_equal(
        alone.predict(X[:3]), Ordinal().fit(X[:3], [0, 1, 2]).predict(X[:3])
    )


def test_weights_count_as_rows(rng):
    scores, ranks = rng.normal(size=60), np.arange(60) % 3
    often = rng.integers(1, 4, size=60)
    weighed = OrderedCalibration.fit(scores, ranks, often.astype(float))
    repeated = OrderedCalibration.fit(np.repeat(scores, often), np.repeat(ranks, often))
    grid = np.linspace(-2, 2, 9)
    np.testing.assert_allclose(weighed.probabilities(grid), repeated.probabilities(grid), atol=1e-4)


def test_what_was_right_out_of_fold_is_what_would_be_predicted(rng):
    X = rng.normal(size=(300, 3))
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=300), [-1, 0.2])
    head = CalibratedOrder(Ordinal(), cv=3).fit(X, y)
    folds = head._folds(y, np.ones(300), None)
    right = np.concatenate(
        [
            Ordinal().fit(X[folds != k], y[folds != k]).predict(X[folds == k]) == y[folds == k]
            for k in range(3)
        ]
    )
    assert head.oof_score_ == pytest.approx(right.mean())
