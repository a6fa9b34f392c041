"""`LinearSVM` against the objective it minimises, and against scikit-learn's."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from seamark.linear_model import LinearSVM


@parametrize_with_checks([LinearSVM()])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def problem(n_classes=2, seed=0):
    return make_classification(
        300, 12, n_informative=8, n_classes=n_classes, class_sep=0.7, random_state=seed
    )


def objective(theta, X, sign, costs):
    slack = np.maximum(0.0, 1.0 - sign * (X @ theta[:-1] + theta[-1]))
    return 0.5 * theta[:-1] @ theta[:-1] + costs @ slack**2


@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_it_minimises_what_it_says(C, dtype, rng):
    X, y = problem()
    weights = rng.uniform(0.5, 2.0, len(y))
    model = LinearSVM(C, tol=1e-9).fit(X.astype(dtype), y, weights)
    found = np.append(model.coef_[0], model.intercept_)
    args = (X, 2.0 * y - 1, C * weights)
    best = minimize(objective, np.zeros(13), args, method="L-BFGS-B", options={"ftol": 1e-14})
    assert objective(found, *args) <= best.fun * (1 + 1e-5)


def test_several_classes_agree_with_scikit_learn():
    X, y = problem(4)
    # Its intercept is penalised, unless it is scaled up.
    theirs = LinearSVC(dual=False, C=0.1, intercept_scaling=100.0, tol=1e-8).fit(X, y)
    ours = LinearSVM(0.1, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_it_says_when_steps_run_out_and_what_a_cost_is():
    X, y = problem()
    with pytest.warns(ConvergenceWarning, match="took all 1 steps"):
        LinearSVM(1e3, tol=0.0, max_iter=1).fit(X, y)
    with pytest.raises(ValueError, match="C=0 must be a positive number"):
        LinearSVM(0).fit(X, y)


def test_equal_and_constant_columns_do_no_harm():
    X, y = problem()
    twice = np.hstack([X, X, np.ones((300, 2))])
    # Two equal columns share a weight at half the penalty: as one of them does with twice the cost.
    np.testing.assert_allclose(
        LinearSVM(1.0, tol=1e-9).fit(twice, y).decision_function(twice),
        LinearSVM(2.0, tol=1e-9).fit(X, y).decision_function(X),
        atol=1e-3,
    )


def test_nearly_equal_columns_in_float32_and_a_large_cost(rng):
    base = rng.normal(size=(20_000, 1))
    X = (base + 1e-4 * rng.normal(size=(20_000, 30))).astype(np.float32)
    y = base[:, 0] > 0.1 * rng.normal(size=20_000)
    assert LinearSVM(1e3).fit(X, y).score(X, y) > 0.9
