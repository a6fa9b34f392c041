"""Multinomial regressions of few rows: against scikit-learn, and what they do for many classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from seamark.features import InMemory
from seamark.linear_model import RidgeClassifier, multinomial
from seamark.linear_model.multinomial import PENALTY, Multinomial
from seamark.linear_model.ridge_solve import Dual
from seamark.linear_model.ridge_statistics import FoldRows


def by_scikit_learn(X, labels, weights, scale, allowed):
    """Coefficients and intercepts of its regression on the same columns with the same penalty."""
    shares = weights / weights.sum()
    Z = np.where(allowed, (X - shares @ X) / scale, 0.0)
    weights = len(X) * shares
    penalty = PENALTY * float(shares @ np.square(Z).sum(axis=1))
    model = LogisticRegression(C=1 / penalty, tol=1e-8, max_iter=10_000)
    model.fit(Z, labels, sample_weight=weights)
    coef = model.coef_ * allowed / scale
    return coef, model.intercept_ - coef @ (shares @ X)


def test_the_loss_is_least_with_and_without_each_fold(rng, monkeypatch):
    monkeypatch.setattr(multinomial, "MOST_STEPS", 5000)
    n, R = 40, 60
    X = rng.normal(size=(n, R)) * rng.uniform(0.1, 10, R) + 5
    labels, folds = np.arange(n) % 4, rng.integers(0, 3, n)
    X[:, :4] += np.eye(4)[labels] * X[:, :4].std(axis=0)
    weights = rng.uniform(0.5, 2, n)
    allowed = rng.random((4, R)) < 0.8
    allowed[-1] = True  # the model of all rows may use all columns
    given = InMemory(X), np.eye(4)[labels], folds, weights
    found = Multinomial.fit(Dual(FoldRows.of(*given, allowed=allowed), True), labels, 4)
    shares = weights / weights.sum()
    scale = np.sqrt(shares @ np.square(X - shares @ X))

    coef, intercept = by_scikit_learn(X, labels, weights, scale, allowed[-1])
    logits, expected = X @ found.coef.T + found.intercept, X @ coef.T + intercept
    assert_allclose(logits - logits.mean(axis=1)[:, None], expected, atol=0.02)
    for fold in range(3):
        kept = folds != fold
        parts = X[kept], labels[kept], weights[kept], scale, allowed[fold]
        coef, intercept = by_scikit_learn(*parts)
        logits = found.unseen[~kept]
        expected = X[~kept] @ coef.T + intercept
        assert_allclose(logits - logits.mean(axis=1)[:, None], expected, atol=0.02)


def many_classes(rng, rows=6, n_classes=30, R=400):
    """Rows about centres of which neighbours have much in common."""
    centres = np.cumsum(rng.normal(size=(n_classes, R)), axis=0)
    labels = np.repeat(np.arange(n_classes), rows)
    return centres[labels] + 3 * rng.normal(size=(len(labels), R)), labels


def test_few_rows_of_many_classes_are_likelier_and_right_as_often(rng):
    """Than by the same ridge alone, as it is where the penalty is given."""
    X, labels = many_classes(rng, rows=36)
    known = np.arange(len(X)) % 36 < 6
    model = RidgeClassifier(random_state=0).fit(X[known], labels[known])
    alone = RidgeClassifier(model.penalty_, random_state=0).fit(X[known], labels[known])
    new = X[~known], labels[~known]
    losses = [log_loss(new[1], one.predict_proba(new[0])) for one in (model, alone)]
    assert losses[0] < 0.93 * losses[1]
    assert model.score(*new) >= alone.score(*new)


def test_answers_agree_and_come_from_coefficients(rng):
    X, labels = many_classes(rng)
    model = RidgeClassifier(random_state=0).fit(X, labels)
    new = X + rng.normal(size=X.shape)
    decisions, chances = model.decision_function(new), model.predict_proba(new)
    assert_allclose(decisions, new @ model.coef_.T + model.intercept_, atol=1e-8)
    logits = model.calibration_.slope * decisions
    assert_allclose(np.log(chances) - np.log(chances[:, :1]), logits - logits[:, :1], atol=1e-6)
    assert (model.predict(new) == chances.argmax(axis=1)).all()


@pytest.mark.parametrize("n_classes", [3, 10])
def test_noise_stays_uncertain(rng, n_classes):
    """Ten fits to labels that say nothing: the log loss of new rows is that of a guess."""
    losses = []
    for _ in range(10):
        X, labels = rng.normal(size=(120, 150)), np.arange(120) % n_classes
        model = RidgeClassifier(random_state=0).fit(X, labels)
        new = rng.normal(size=(500, 150))
        losses.append(log_loss(np.arange(500) % n_classes, model.predict_proba(new)))
    assert np.mean(losses) < 1.05 * np.log(n_classes)
