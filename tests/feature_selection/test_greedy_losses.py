"""Classes, and other losses that are refitted by Newton's method."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import check_grad, minimize
from sklearn.linear_model import LogisticRegression

from seamark.feature_selection import Greedy
from seamark.feature_selection.greedy_solvers import (
    EpsilonInsensitive,
    Logistic,
    Squared,
    SquaredHinge,
)

LOSSES = [Squared(), SquaredHinge(), Logistic(), EpsilonInsensitive(0.1, 5.0)]


def classes(rng, n=200, width=20, count=3, noise=1.0):
    X = rng.normal(size=(n, width))
    scores = X[:, 3 : 3 + count] + noise * rng.normal(size=(n, count))
    return X, np.array(list("abcdefg"))[scores.argmax(axis=1)]


def minimised(loss, design, y, weights, ridge):
    """A refit by scipy; the last weight is the intercept."""

    def objective(theta):
        f = design @ theta[:-1] + theta[-1]
        slope = weights * loss.slope(f, y)
        gradient = np.append(design.T @ slope + ridge * theta[:-1], slope.sum())
        return weights @ loss.value(f, y) + ridge / 2 * theta[:-1] @ theta[:-1], gradient

    start = np.zeros(design.shape[1] + 1)
    options = {"maxiter": 10_000, "ftol": 1e-15, "gtol": 1e-10}
    return minimize(objective, start, jac=True, method="L-BFGS-B", options=options).x


def from_scratch(loss, X, Y, k, *, weights, ridge):
    """Forward selection with refits by scipy, from zero each time."""
    X = X - weights @ X
    support = []
    scores = np.column_stack(
        [np.full(len(X), minimised(loss, X[:, :0], y, weights, ridge)[-1]) for y in Y.T]
    )
    for _ in range(k):
        gradient = np.square(X.T @ (weights[:, None] * loss.slope(scores, Y))).sum(axis=1)
        gradient[support] = -1
        support.append(int(gradient.argmax()))
        fits = [minimised(loss, X[:, support], y, weights, ridge) for y in Y.T]
        scores = np.column_stack([X[:, support] @ fit[:-1] + fit[-1] for fit in fits])
    return support, scores


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)
@given(f=st.floats(-4, 4), y=st.sampled_from([-1.0, 1.0]))
def test_slopes_and_smoothness(loss, f, y):
    y = np.array([y])
    error = check_grad(lambda f: loss.value(f, y)[0], lambda f: loss.slope(f, y), np.array([f]))
    assert error < 1e-5
    bend = loss.curvature(np.array([f]), y)
    assert np.all((bend >= 0) & (bend <= loss.smoothness * (1 + 1e-12)))


@given(f=st.floats(-9, 9), beta=st.floats(0.1, 50), epsilon=st.floats(0, 1))
def test_the_smoothed_loss_is_near_the_insensitive_one(f, beta, epsilon):
    value = EpsilonInsensitive(epsilon, beta).value(np.array([f]), np.zeros(1))[0]
    gap = max(0.0, abs(f) - epsilon) - value
    assert -1e-12 <= gap <= 1 / (2 * beta) + 1e-12


@pytest.mark.parametrize("name", ["logistic", "squared_hinge"])
@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_refits_from_scratch(rng, name, count, weighted):
    X, y = classes(rng, count=count)
    weights = rng.integers(0, 4, len(y)).astype(float) if weighted else np.ones(len(y))
    X -= np.average(X, axis=0, weights=weights)
    X /= np.sqrt(np.average(X**2, axis=0, weights=weights))  # where a ridge is one of the weights
    greedy = Greedy(6, loss=name, penalty=1e-4).fit(X, y, weights)
    loss = {"logistic": Logistic(), "squared_hinge": SquaredHinge()}[name]
    Y = np.where(y[:, None] == np.unique(y), 1.0, -1.0)[:, 1 if count == 2 else 0 :]
    support, scores = from_scratch(loss, X, Y, 6, weights=weights / weights.sum(), ridge=1e-4)
    assert greedy.support_.tolist() == support
    ours = greedy.transform(X) @ greedy.coef_.T + greedy.intercept_
    np.testing.assert_allclose(ours, scores, atol=2e-4)
    assert greedy.coef_.shape == (1 if count == 2 else 3, 6)
    assert np.all(np.diff(greedy.path_.training) <= 0)


def test_equals_scikit_learn_on_the_support(rng):
    X, y = classes(rng, count=2)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    greedy = Greedy(5, loss="logistic", penalty=1e-3).fit(X, y)
    theirs = LogisticRegression(C=1 / (1e-3 * len(y)), tol=1e-10, max_iter=1000)
    theirs.fit(greedy.transform(X), y)
    np.testing.assert_allclose(greedy.coef_, theirs.coef_, rtol=1e-4)
    np.testing.assert_allclose(greedy.intercept_, theirs.intercept_, atol=1e-4)
    np.testing.assert_array_equal(greedy.predict(X), theirs.predict(greedy.transform(X)))


@pytest.mark.parametrize("name", ["logistic", "squared_hinge", "squared"])
def test_classes_share_a_support_or_not(rng, name):
    X, y = classes(rng, n=400, noise=0.3)
    shared = Greedy(3, loss=name, task="classification").fit(X, y)
    assert sorted(shared.support_) == [3, 4, 5]
    assert np.mean(shared.predict(X) == y) > 0.85
    own = Greedy(1, loss=name, shared=False).fit(X, y)
    assert sorted(own.support_) == [3, 4, 5]
    assert np.array_equal(np.count_nonzero(own.coef_, axis=1), [1, 1, 1])
    for c, label in enumerate(own.classes_):
        alone = Greedy(1, loss=name).fit(X, np.where(y == label, "yes", "no"))
        weight = own.coef_[c, own.support_.tolist().index(alone.support_[0])]
        np.testing.assert_allclose(weight, alone.coef_[0, 0])


@pytest.mark.parametrize("name", ["logistic", "squared_hinge"])
def test_separable_classes_have_finite_weights(rng, name):
    X = rng.normal(size=(80, 10))
    greedy = Greedy(10, loss=name).fit(X, X[:, 2] > 0.1)
    assert np.isfinite(greedy.coef_).all()
    assert greedy.support_[0] == 2
    np.testing.assert_array_equal(greedy.predict(X), X[:, 2] > 0.1)


def test_units_of_columns_do_not_matter_to_the_ridge(rng):
    X, y = classes(rng)
    one = Greedy(5, loss="logistic", penalty=0.1, normalise=True).fit(X, y)
    units = 10.0 ** rng.integers(-6, 6, X.shape[1])
    other = Greedy(5, loss="logistic", penalty=0.1, normalise=True).fit(X * units, y)
    np.testing.assert_array_equal(other.support_, one.support_)
    np.testing.assert_allclose(other.coef_ * units[one.support_], one.coef_, rtol=1e-5)


def test_close_columns_do_not_blow_up(rng):
    points = rng.random((300, 2))
    distances = np.linalg.norm(points[:, None] - points[:100], axis=2)
    y = (points[:, 0] + 0.1 * rng.normal(size=300)) > 0.5
    greedy = Greedy(40, loss="logistic").fit(np.exp(-0.005 * distances), y)
    assert np.all(np.diff(greedy.path_.training) <= 1e-6)
    assert np.isfinite(greedy.coef_).all()


@pytest.mark.parametrize("every", [2, 3, 7])
def test_fewer_refits_end_in_a_refit(rng, every):
    X, y = classes(rng, n=300)
    each = Greedy(7, loss="logistic").fit(X, y)
    few = Greedy(7, loss="logistic", refit_every=every).fit(X, y)
    assert few.path_.training[-1] < 1.05 * each.path_.training[-1]
    one_by_one = Greedy(7, loss="logistic", refit_every=100).fit(X, y)
    again = LogisticRegression(C=1e6 / len(y), tol=1e-8, max_iter=1000)
    again.fit(one_by_one.transform(X), y == "a")
    np.testing.assert_allclose(one_by_one.coef_[0], again.coef_[0], rtol=1e-2, atol=1e-3)


def test_validation_holds_out_every_class(rng):
    X, y = classes(rng, n=300, noise=0.5)
    greedy = Greedy(20, loss="logistic", validation=0.3, random_state=0).fit(X, y)
    assert {3, 4, 5} <= set(greedy.support_.tolist())
    assert len(greedy.support_) == greedy.path_.validation.argmin() + 1 < 20


def test_insensitive_regression_shrugs_off_outliers(rng):
    X = rng.normal(size=(200, 15))
    y = 2 * X[:, 4] - X[:, 9]
    y[:10] += 50 * rng.normal(size=10)
    greedy = Greedy(2, loss="epsilon_insensitive", smoothing=100.0).fit(X, y)
    assert greedy.support_.tolist() == [4, 9]
    np.testing.assert_allclose(greedy.coef_, [2, -1], atol=0.02)
