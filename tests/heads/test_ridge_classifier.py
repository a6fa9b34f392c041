"""Ridge classifiers: probabilities, offsets, weights of classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, make_classification
from sklearn.metrics import log_loss

from naive_ridge import standardised_ridge
from seamark.features import InMemory
from seamark.heads import RidgeClassifier, SoftmaxCalibration


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
