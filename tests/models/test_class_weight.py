"""Classes that weigh more than their rows."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

import seamark as sm
from seamark import LandmarkClassifier
from seamark.tuning import HeldOut


def rare(n, seed):
    """Three objects in a hundred are "yes", and not far from the others."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.03
    return rng.normal(size=(n, 2)) + 1.5 * y[:, None], np.where(y, "yes", "no")


X, Y = rare(1500, 0)
X_NEW, Y_NEW = rare(4000, 1)
EVEN = np.where(Y_NEW == "yes", (Y_NEW == "no").sum() / (Y_NEW == "yes").sum(), 1.0)


def model(**parameters):
    return LandmarkClassifier("euclidean", n_landmarks=40, random_state=0, **parameters)


@pytest.mark.parametrize("tune", ["cv", HeldOut(0.3)])
@pytest.mark.parametrize("head", ["ridge", "svm", "linear_svc", "logistic"])
def test_a_rare_class_is_not_given_up(head, tune):
    for class_weight in ("balanced", {"yes": 30}):
        weighed = model(head=head, tune=tune, class_weight=class_weight).fit(X, Y)
        assert balanced_accuracy_score(Y_NEW, weighed.predict(X_NEW)) > 0.8
    plain = model(head=head, tune=tune).fit(X, Y)
    assert balanced_accuracy_score(Y_NEW, plain.predict(X_NEW)) < 0.75


def test_probabilities_are_those_of_classes_as_frequent_as_they_weigh():
    weighed = model(class_weight="balanced").fit(*rare(6000, 2))
    p = weighed.predict_proba(X_NEW)
    assert (weighed.classes_[p.argmax(axis=1)] == weighed.predict(X_NEW)).all()
    # 118 of "yes" among the new: the sd of their mean is 0.03 in all, and 0.05 in a part.
    assert abs(np.average(p[:, 1], weights=EVEN) - 0.5) < 0.1
    for low, high in ((0.0, 0.5), (0.5, 1.0)):
        some = (low <= p[:, 1]) & (p[:, 1] < high)
        shares = np.average(np.c_[p[some, 1], Y_NEW[some] == "yes"], axis=0, weights=EVEN[some])
        assert abs(shares[0] - shares[1]) < 0.15


def test_a_class_is_not_better_known_for_its_weight():
    """Three rows of a class leave more doubt than three hundred, whatever they weigh."""
    y = np.r_[np.zeros(300, int), np.ones(6, int)]
    Z = y[:, None] + 0.01 * np.random.default_rng(0).normal(size=(306, 1))
    for class_weight in ("balanced", {1: 50}, {0: 0.02}):
        weighed = model(class_weight=class_weight).fit(Z, y)
        assert 0.7 < weighed.predict_proba([[1.0]])[0, 1] < 0.95


def test_tuning_weighs_too():
    plain, weighed = model().fit(X, Y), model(class_weight={"yes": 32.0}).fit(X, Y)
    # Knowing nothing, ±1 of two classes of equal weight has variance 1, of the rare one about 0.1.
    assert min(plain.tuning_["error"]) < 0.2 < min(weighed.tuning_["error"]) < 1


def test_weights_of_ones_change_nothing():
    plain = model().fit(X, Y)
    same = model(class_weight={"yes": 1, "no": 1.0}).fit(X, Y)
    np.testing.assert_allclose(same.decision_function(X), plain.decision_function(X), rtol=1e-6)


def test_class_weights_multiply_sample_weights():
    weights = np.random.default_rng(0).uniform(0.5, 2.0, size=len(Y))
    both = model(head="svm", transfer="identity", class_weight={"yes": 5})
    both.fit(X, Y, sample_weight=weights)
    product = model(head="svm", transfer="identity")
    product.fit(X, Y, sample_weight=weights * np.where(Y == "yes", 5, 1))
    np.testing.assert_array_equal(both.decision_function(X), product.decision_function(X))


def test_heads_that_cannot_weigh_are_refused():
    with pytest.raises(ValueError, match="needs a head whose fit takes sample_weight"):
        model(head=KNeighborsClassifier(), class_weight="balanced").fit(X, Y)
    head = LogisticRegression(class_weight="balanced")
    with pytest.raises(ValueError, match="both weigh classes; leave one"):
        model(head=head, class_weight="balanced").fit(X, Y)
    assert model(head=KNeighborsClassifier()).fit(X, Y).predict(X).shape == Y.shape
    assert model(head=Perceptron(class_weight="balanced")).fit(X, Y).predict(X).shape == Y.shape


def test_cloned_searched_and_saved(tmp_path):
    weighed = model(class_weight={"yes": 30.0})
    assert clone(weighed).get_params()["class_weight"] == {"yes": 30.0}
    search = GridSearchCV(
        weighed, {"class_weight": [None, "balanced"]}, scoring="balanced_accuracy", cv=3
    ).fit(X, Y)
    assert search.best_params_ == {"class_weight": "balanced"}
    weighed.fit(X, Y)
    sm.save(weighed, tmp_path / "rare.seamark")
    loaded = sm.load(tmp_path / "rare.seamark")
    assert loaded.class_weight == {"yes": 30.0}
    np.testing.assert_array_equal(loaded.predict_proba(X_NEW), weighed.predict_proba(X_NEW))
