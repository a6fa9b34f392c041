"""Mixed scores of classes: against a plain minimiser, and where mixing helps and where not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import log_softmax

from seamark.linear_model import RidgeClassifier
from seamark.linear_model.calibration import (
    ChosenCalibration,
    MixedCalibration,
    SoftmaxCalibration,
)


@pytest.fixture
def confused(rng):
    """Scores of which the first adds up what speaks for two classes."""
    labels = rng.integers(0, 4, 800)
    scores = 1.5 * np.eye(4)[labels] + rng.normal(size=(800, 4))
    scores[:, 0] += scores[:, 1]
    return scores, labels


def test_the_loss_is_least(confused, rng):
    scores, labels = confused
    weights = rng.uniform(0.5, 2, len(labels))
    found = MixedCalibration.fit(scores, labels, weights, 2.0)
    doubt = 1 / (weights.sum() + 2)
    targets = np.full(scores.shape, doubt / 3)
    targets[np.arange(len(labels)), labels] = 1 - doubt

    def loss(p):
        logits = scores @ (p[0] * np.eye(4) + p[5:].reshape(4, 4)) + p[1:5]
        fit = -(weights[:, None] * targets * log_softmax(logits, axis=1)).sum()
        return fit + p[5:] @ p[5:] + p[1:5] @ p[1:5] / 2

    expected = minimize(loss, np.r_[1.0, np.zeros(20)], method="BFGS", options={"gtol": 1e-4}).x
    logits = scores @ (expected[0] * np.eye(4) + expected[5:].reshape(4, 4)) + expected[1:5]
    assert_allclose(found.probabilities(scores), np.exp(log_softmax(logits, axis=1)), atol=2e-3)


def test_mixing_is_chosen_where_it_helps(confused):
    scores, labels = confused
    folds = np.arange(len(labels)) % 5
    chosen = ChosenCalibration.of(scores[:400], labels[:400], np.ones(400), folds[:400])
    assert isinstance(chosen.whole, MixedCalibration)
    plain = SoftmaxCalibration.fit(scores[:400], labels[:400])
    own = np.arange(400), labels[400:]
    losses = [-np.log(one.probabilities(scores[400:])[own]).mean() for one in (chosen.whole, plain)]
    assert losses[0] < losses[1] - 0.02
    unseen = chosen.unseen_probabilities(scores[:400], folds[:400])
    for fold, part in enumerate(chosen.parts):
        held = folds[:400] == fold
        assert_allclose(unseen[held], part.probabilities(scores[:400][held]))


def test_mixing_is_left_out_where_it_does_not(rng):
    labels = rng.integers(0, 4, 300)
    scores = 1.5 * np.eye(4)[labels] + rng.normal(size=(300, 4))
    chosen = ChosenCalibration.of(scores, labels, np.ones(300), np.arange(300) % 5)
    assert isinstance(chosen.whole, SoftmaxCalibration)
    few = ChosenCalibration.of(scores[:15], labels[:15], np.ones(15), np.arange(15) % 5)
    assert isinstance(few.whole, SoftmaxCalibration)
    two = ChosenCalibration.of(scores[:, 0], labels % 2, np.ones(300), np.arange(300) % 5)
    assert two.parts == []


def test_many_classes_of_few_rows_are_not_timid(rng):
    """Ten rows each of thirty classes that scores tell apart: they are all but certain."""
    labels = np.repeat(np.arange(30), 10)
    scores = 4 * np.eye(30)[labels] + 0.5 * rng.normal(size=(300, 30))
    chances = SoftmaxCalibration.fit(scores, labels).probabilities(scores)
    assert chances[np.arange(300), labels].mean() > 0.97


def test_a_ridge_decides_by_what_it_mixes(rng):
    """Predictions, decisions and probabilities agree, and coefficients make them."""
    centres = np.array([[0, 0], [1.5, 0], [3.0, 0], [1.5, 2.0]])
    labels = rng.integers(0, 4, 1500)
    X = centres[labels] + 0.6 * rng.normal(size=(1500, 2))
    X = np.exp(-((X[:, None] - X[:12]) ** 2).sum(axis=2))
    model = RidgeClassifier(random_state=0).fit(X[:700], labels[:700])
    decisions = model.decision_function(X[700:])
    assert_allclose(decisions, X[700:] @ model.coef_.T + model.intercept_, atol=1e-9)
    chances = model.predict_proba(X[700:])
    assert_allclose(
        np.log(chances[:, 1:] / chances[:, :1]),
        model.calibration_.slope * (decisions[:, 1:] - decisions[:, :1]),
        atol=1e-6,
    )
    assert (model.predict(X[700:]) == chances.argmax(axis=1)).all()
    right = (model.predict(X[700:]) == labels[700:]).mean()
    assert model.oof_score_ == pytest.approx(right, abs=0.05)
