"""Trials of parameters on one reading of the features, against fits that know nothing of others."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from seamark.features import InMemory
from seamark.linear_model import LinearSVM, RidgeClassifier, Trials

GRIDS = {
    "svm": (LinearSVM(tol=1e-8), [{"C": C} for C in (1e-4, 1e-2, 1.0)]),
    "logistic": (LogisticRegression(), [{"C": C} for C in (0.01, 1.0)]),
    "ridge": (RidgeClassifier(random_state=0), [{"penalty": p} for p in (1e-3, 1.0)]),
}
every_head = pytest.mark.parametrize("name", GRIDS)


class Reads(InMemory):
    """Features that count how often they are read."""

    n_reads = 0

    def chunks(self, columns=None):
        type(self).n_reads += 1
        return super().chunks(columns)


def task(rng, n_classes=3):
    X = rng.normal(size=(90, 25)) * rng.uniform(0.1, 10.0, 25)
    y = (X[:, :n_classes] / X[:, :n_classes].std(axis=0) + rng.normal(size=(90, n_classes))).argmax(
        axis=1
    )
    mixed = rng.permutation(90)
    return X, y, (np.sort(mixed[:60]), np.sort(mixed[60:])), rng.integers(1, 4, 90).astype(float)


def explicit(head, X, y, sides, weights):
    """Fit from nothing, and score."""
    rest, held = sides
    scaler = StandardScaler().fit(X[rest])
    head = clone(head).fit(scaler.transform(X[rest]), y[rest], sample_weight=weights[rest])
    return head.score(scaler.transform(X[held]), y[held], sample_weight=weights[held])


@every_head
def test_scores_are_those_of_explicit_fits(name, rng):
    head, grid = GRIDS[name]
    X, y, sides, weights = task(rng)
    Reads.n_reads = 0
    found = Trials(Reads(X), {"sample_weight": weights, "qid": None}, sides).scores(head, grid, y)
    expected = [explicit(clone(head).set_params(**p), X, y, sides, weights) for p in grid]
    np.testing.assert_allclose(found, expected)
    assert Reads.n_reads == 2 or name == "ridge"


@every_head
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_of_classes_are_those_of_each_against_the_rest(name, n_classes, rng):
    head, grid = GRIDS[name]
    X, y, sides, weights = task(rng, n_classes)
    labels = np.arange(3) if n_classes == 3 else np.array([1])
    trials = Trials(InMemory(X), {"sample_weight": weights}, sides)
    found = trials.scores_of_classes(head, grid, y, labels)
    expected = [
        [explicit(clone(head).set_params(**p), X, y == label, sides, weights) for p in grid]
        for label in labels
    ]
    np.testing.assert_allclose(found, expected)
