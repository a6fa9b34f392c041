"""Ordinal as an estimator: labels, weights, units, refusals."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import check_classifiers_classes, parametrize_with_checks
from test_ordinal import every_kind, problem

from expected_failures import expected_failures
from seamark.linear_model.ordinal import Ordinal


@every_kind
def test_weights_are_repetitions(variant, thresholds, rng):
    X, y = problem(rng)
    weight = rng.integers(0, 4, size=len(y))
    model = Ordinal(variant, thresholds)
    once = clone(model).fit(X, y, sample_weight=weight)
    often = clone(model).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(once.coef_, often.coef_, rtol=1e-6)
    assert once.loss_ == pytest.approx(often.loss_)


@pytest.mark.parametrize("d", [5, 60])
def test_sparse_features_are_features(d, rng):
    X = rng.normal(size=(40, d)) * (rng.random((40, d)) < 0.3)
    y = rng.integers(3, size=40)
    dense, csr = Ordinal().fit(X, y), Ordinal().fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(csr.coef_, dense.coef_)
    scores = csr.decision_function(sparse.csr_array(X))
    np.testing.assert_allclose(scores, dense.decision_function(X))


def test_units_of_features_do_not_matter(rng):
    X, y = problem(rng)
    units, origin = np.array([1e-3, 1.0, 1e5]), np.array([4.0, -2.0, 1e3])
    scores = Ordinal().fit(X, y).decision_function(X)
    moved = Ordinal().fit(X * units + origin, y).decision_function(X * units + origin)
    np.testing.assert_allclose(moved, scores, atol=1e-7)


@pytest.mark.parametrize(
    ("y", "categories", "classes"),
    [
        ([3, 1, 1, 7, 3, 7], None, [1, 3, 7]),
        ([0.5, 1.5, 0.5, 1.5, 0.5, 1.5], None, [0.5, 1.5]),
        ([True, False, True, False, True, True], None, [False, True]),
        (list("mslmsl"), ["s", "m", "l", "xl"], ["s", "m", "l"]),
        (np.array([1, "two", 1, "two", 1, 1], dtype=object), ["two", 1], ["two", 1]),
        (pd.Categorical(list("mslmsl"), list("sml"), ordered=True), None, ["s", "m", "l"]),
        (pd.Series(pd.Categorical([2, 1, 2, 1, 1, 2], [2, 1], ordered=True)), None, [2, 1]),
    ],
)
def test_ordered_labels_of_any_type(y, categories, classes, rng):
    model = Ordinal(categories=categories).fit(rng.normal(size=(6, 2)), y)
    assert model.classes_.tolist() == classes
    assert set(model.predict(rng.normal(size=(20, 2)) * 9).tolist()) <= set(classes)
    assert model.thresholds_.tolist() == ([0.0] if len(classes) == 2 else [1.5, 2.5])


@pytest.mark.parametrize(
    ("parameters", "y", "message"),
    [
        ({}, list("abab"), "the place of '.' is not known: give categories="),
        ({"categories": ["a", "c"]}, list("abab"), "label 'b' of y is not among categories"),
        ({"categories": ["a", "b", "a"]}, list("abab"), "names a label twice"),
        ({}, [2, 2, 2, 2], "y has one class only, 2"),
        ({}, [0.1, 0.2, 0.3, 0.4], "looks continuous"),
        ({"variant": "svm"}, [1, 2, 1, 2], "variant must be one of .*; got 'svm'"),
        ({"thresholds": None}, [1, 2, 1, 2], "thresholds must be one of .*; got None"),
        ({"penalty": 0}, [1, 2, 1, 2], "penalty=0 must be a number above 0"),
        ({"tol": "small"}, [1, 2, 1, 2], "tol='small' must be a number"),
        ({"margin": np.nan}, [1, 2, 1, 2], "margin=nan must be"),
    ],
)
def test_refusals_name_the_culprit(parameters, y, message, rng):
    with pytest.raises(ValueError, match=message):
        Ordinal(**parameters).fit(rng.normal(size=(4, 2)), y)


def test_unseen_label_has_no_rank(rng):
    X, y = problem(rng)
    with pytest.raises(ValueError, match="label 9 was not in the y of fit"):
        Ordinal().fit(X, y).absolute_error(X[:1], [9])


def test_too_few_steps_warn(rng):
    with pytest.warns(ConvergenceWarning, match="max_iter=1 steps"):
        Ordinal(max_iter=1).fit(*problem(rng))


def test_pickle_keeps_everything(rng):
    X, y = problem(rng)
    model = Ordinal("imc", "learned").fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


@parametrize_with_checks(
    [Ordinal(), Ordinal("imc", "learned")], expected_failed_checks=expected_failures
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_strings_with_an_order_are_labels_like_others():
    order = [-1, 1, "one", "three", "two"]  # the check knows labels in this order only
    check_classifiers_classes("Ordinal", Ordinal(categories=order))


def test_decisions_are_depths_between_thresholds():
    model = Ordinal().fit(np.arange(6.0)[:, None], [1, 1, 2, 2, 3, 3])
    X = np.linspace(-2, 8, 50)[:, None]
    depth = model.decision_function(X)
    inside = depth.max(axis=1)
    assert (inside >= 0).all()
    assert (np.sort(depth, axis=1)[:, :-1] <= 0).all()
    np.testing.assert_array_equal(model.classes_[depth.argmax(axis=1)], model.predict(X))
    nearest = np.abs(model.scores(X)[:, None] - model.thresholds_).min(axis=1)
    np.testing.assert_allclose(inside, nearest)
