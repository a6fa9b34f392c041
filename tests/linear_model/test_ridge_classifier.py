"""Ridge classifiers: probabilities, offsets, weights of classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, make_classification
from sklearn.metrics import log_loss

from naive_ridge import standardised_ridge
from seamark.features import InMemory
from seamark.linear_model import RidgeClassifier, SoftmaxCalibration


@pytest.fixture
def plain(rng):
    X = rng.normal(size=(200, 12)) * rng.uniform(0.1, 10, 12) + rng.normal(size=12)
    return X, X @ rng.normal(size=12) + 5 * rng.normal(size=200) + 20


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:1200], y[:1200], X[1200:], y[1200:]


def test_classifier_on_digits(digits):
    X, y, X_test, y_test = digits
    model = RidgeClassifier(random_state=0).fit(X, y)
    scores, probabilities = model.decision_function(X_test), model.predict_proba(X_test)
    assert scores.shape == probabilities.shape == (len(X_test), 10)
    assert_array_equal(model.predict(X_test), probabilities.argmax(axis=1))
    assert_array_equal(model.predict(X_test), scores.argmax(axis=1))
    assert model.score(X_test, y_test) > 0.88
    assert 0.9 < model.oof_score_ < 1
    assert log_loss(y_test, probabilities) < 0.4
    confidence = probabilities.max(axis=1).mean()
    assert abs(confidence - model.score(X_test, y_test)) < 0.06


def test_unseen_scores_are_those_of_refitted_models(digits):
    X, y = digits[0][:300], digits[1][:300] % 2
    folds = np.arange(300) % 3
    model = RidgeClassifier(0.1, cv=folds).fit(X, y)
    right = 0
    for k in range(3):
        out = folds == k
        refit = standardised_ridge(X[~out], 2.0 * y[~out] - 1, 0.1)
        right += np.sum((refit.predict(X[out]) + model.calibration_.offset[1] > 0) == y[out])
    assert model.oof_score_ == pytest.approx(right / 300)


def test_offsets_mend_the_threshold_of_unequal_classes():
    X, y = make_classification(3000, 5, weights=[0.9], class_sep=1.0, random_state=0)
    plain = RidgeClassifier(random_state=0, calibrate=False).fit(X, y)
    model = RidgeClassifier(random_state=0).fit(X, y)
    assert model.score(X, y) >= plain.score(X, y)
    assert abs(model.predict_proba(X)[:, 1].mean() - y.mean()) < 0.01
    assert not hasattr(plain, "predict_proba")
    assert not hasattr(plain, "oof_score_")


def test_class_weights_are_sample_weights():
    X, y = make_classification(300, 5, weights=[0.8], random_state=0)
    names = np.array(["no", "yes"])[y]
    given = RidgeClassifier(random_state=0, class_weight={"no": 1, "yes": 4}).fit(X, names)
    weighted = RidgeClassifier(random_state=0).fit(X, names, np.where(y == 1, 4.0, 1.0))
    assert_allclose(given.predict_proba(X), weighted.predict_proba(X), 1e-6)
    balanced = RidgeClassifier(random_state=0, class_weight="balanced").fit(X, names)
    assert balanced.predict_proba(X)[:, 1].mean() > y.mean() + 0.05


def test_one_class_is_named(rng):
    with pytest.raises(ValueError, match="y has one class only, 'sea'; .* with weights above 0"):
        RidgeClassifier().fit(rng.normal(size=(5, 2)), ["sea"] * 5)


def test_a_class_of_one_row(rng):
    X = rng.normal(size=(40, 3))
    labels = np.array(["a", "b"] * 19 + ["a", "rare"])
    model = RidgeClassifier(random_state=0).fit(X, labels)
    assert_array_equal(model.classes_, ["a", "b", "rare"])
    assert np.isfinite(model.predict_proba(X)).all()


def test_two_passes_for_probabilities_and_one_without(plain):
    class Counting(InMemory):
        passes = 0

        def chunks(self, columns=None):
            Counting.passes += 1
            return super().chunks(columns)

    X, y = plain
    RidgeClassifier(calibrate=False).fit(Counting(X), y > 20)
    assert Counting.passes == 1
    RidgeClassifier().fit(Counting(X), y > 20)
    assert Counting.passes == 3


def test_scores_that_say_nothing_are_not_turned_around(rng):
    labels = rng.integers(0, 3, 300)
    fitted = SoftmaxCalibration.fit(-np.eye(3)[labels], labels)
    assert fitted.slope > 0
    assert fitted.offset.sum() == pytest.approx(0)
    fixed = SoftmaxCalibration.fit(rng.normal(size=300), labels % 2, offsets=False)
    assert_array_equal(fixed.offset, 0)


def test_offsets_that_cost_accuracy_out_of_fold_are_left_out():
    # The log loss asks for an offset towards the second class: one of its rows is far off.
    scores = np.concatenate([np.full(60, -0.1), np.full(60, 0.1), np.full(25, -4.0)])
    labels = np.repeat([0, 1, 1], [60, 60, 25])
    weights = np.ones(len(labels))
    free = SoftmaxCalibration.fit(scores, labels, weights)
    assert np.mean((scores + free.offset[1] > 0) == labels) < np.mean((scores > 0) == labels) - 0.2
    assert not SoftmaxCalibration.safe(scores, labels, weights).offset.any()


def test_a_class_of_few_objects_that_come_often_does_not_cost_the_others_accuracy():
    # One class is ten objects, fifty times each: a fold takes all copies away, new rows do not.
    rng = np.random.default_rng(0)
    centres = 1.2 * rng.normal(size=(3, 8))
    few = np.repeat(rng.normal(size=(10, 8)), 50, axis=0)
    y = np.repeat([0, 1, 2, 3], [300, 300, 300, 500])
    X = np.concatenate([centres[y[:900]] + rng.normal(size=(900, 8)), few])
    groups = np.concatenate([np.arange(900), 900 + np.repeat(np.arange(10), 50)])
    model = RidgeClassifier(1e-3, random_state=0).fit(InMemory(X, groups), y)
    plain = RidgeClassifier(1e-3, calibrate=False, random_state=0).fit(InMemory(X, groups), y)
    new_y = np.repeat([0, 1, 2], 1000)
    new = centres[new_y] + rng.normal(size=(3000, 8))
    assert model.score(new, new_y) >= plain.score(new, new_y)


def test_a_smaller_penalty_than_that_of_the_squared_error_is_taken_if_right_more_often():
    rng = np.random.default_rng(6)
    centres = rng.normal(size=(12, 6))
    y = rng.choice(12, 600, p=np.r_[0.4, np.full(11, 0.6 / 11)])
    points = centres[y] + 0.5 * rng.normal(size=(600, 6))
    X = np.exp(-1.5 * np.linalg.norm(points[:, None] - points[:120], axis=2))
    model = RidgeClassifier(random_state=0).fit(X, y)
    least = model.cv_results_["penalty"][model.cv_results_["mean_error"][:, 0].argmin()]
    by_squares = RidgeClassifier(least, random_state=0).fit(X, y)
    assert model.penalty_ < least
    assert model.oof_score_ > by_squares.oof_score_
