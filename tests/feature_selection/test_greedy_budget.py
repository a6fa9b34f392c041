"""Algorithm 2: its guarantee, against a convex solver."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import check_grad, minimize

from seamark.feature_selection import Greedy
from seamark.feature_selection.greedy import EpsilonInsensitive, iteration_bound


def least(loss, X, y, budget):
    """Least mean loss over ‖w‖₁ ≤ budget: w = u − v, u and v not negative."""
    n, width = X.shape
    both = np.hstack([X, -X])

    def objective(uv):
        f = both @ uv
        return loss.value(f, y).mean(), both.T @ loss.slope(f, y) / n

    inside = {
        "type": "ineq",
        "fun": lambda uv: budget - uv.sum(),
        "jac": lambda uv: -np.ones(len(uv)),
    }
    start = np.full(2 * width, budget / (4 * width))
    bounds = [(0, None)] * (2 * width)
    options = {"maxiter": 500, "ftol": 1e-10}
    found = minimize(
        objective,
        start,
        jac=True,
        bounds=bounds,
        constraints=inside,
        method="SLSQP",
        options=options,
    )
    return found.fun


def algorithm_2(loss, X, y, budget, tol):
    """The paper's listing, with a step and a bound that hold for β."""
    w = np.zeros(X.shape[1])
    for _ in range(iteration_bound(loss.smoothness, budget, 1.0, tol)):
        theta = X.T @ loss.slope(X @ w, y) / len(y)
        r = np.abs(theta).argmax()
        gap = theta @ w + budget * np.abs(theta[r])
        if gap <= tol:
            break
        eta = min(1, gap / (4 * budget**2 * loss.smoothness))
        w *= 1 - eta
        w[r] -= eta * np.sign(theta[r]) * budget
    return w


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10_000),
    budget=st.floats(0.1, 3.0),
    beta=st.floats(0.5, 10.0),
    scale=st.sampled_from([0.2, 1.0, 5.0]),
    tol=st.sampled_from([0.02, 0.1]),
)
def test_is_within_tol_of_the_least_loss(seed, budget, beta, scale, tol):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(40, 6))
    y = X[:, 0] - X[:, 3] + 0.1 * rng.normal(size=40)
    loss = EpsilonInsensitive(0.05, beta)
    greedy = Greedy(
        insensitivity=0.05,
        smoothing=beta,
        budget=budget / scale,
        tol=tol,
        fit_intercept=False,
    )
    floor = least(loss, X, y, budget)
    if loss.value(np.zeros(40), y).mean() - floor <= tol:
        return  # w = 0 may do
    greedy.fit(scale * X, y)
    value = loss.value(greedy.predict(scale * X), y).mean()
    assert value - floor <= tol + 1e-6
    np.testing.assert_allclose(greedy.path_.training[-1], value)
    assert np.abs(greedy.coef_).sum() <= budget / scale * (1 + 1e-9)
    assert len(greedy.support_) <= iteration_bound(beta, budget / scale, scale, tol)
    assert greedy.stopped_ in ("gap", "bound")


def test_equals_the_listing(rng):
    X = rng.uniform(-1, 1, size=(80, 12))
    X[0, 0] = 1.0  # so that max |feature| is 1, as the listing wants
    y = 0.8 * X[:, 2] - 0.5 * X[:, 7] + 0.05 * rng.normal(size=80)
    w = algorithm_2(EpsilonInsensitive(0.01, 20.0), X, y, 1.5, 0.05)
    greedy = Greedy(budget=1.5, fit_intercept=False).fit(X, y)
    ours = np.zeros(12)
    ours[greedy.support_] = greedy.coef_
    np.testing.assert_allclose(ours, w, atol=1e-12)


def test_scaled_features_with_a_scaled_budget_predict_the_same(rng):
    X, y = rng.uniform(-1, 1, size=(60, 8)), rng.normal(size=60)
    one = Greedy(budget=2.0).fit(X, y)
    other = Greedy(budget=20.0).fit(X / 10, y)
    np.testing.assert_array_equal(other.support_, one.support_)
    np.testing.assert_allclose(other.predict(X / 10), one.predict(X))


def test_scaled_features_with_the_same_budget_stay_at_nothing(rng):
    # METHODS §3: with K/√R and C_W = B, w = 0 is already within the tolerance.
    X = rng.uniform(-1, 1, size=(60, 400)) / 20
    greedy = Greedy(budget=1.0, fit_intercept=False)
    with pytest.raises(ValueError, match="lower tol"):
        greedy.fit(X, 10 * X[:, 3])


def test_n_features_and_validation_cut_the_path(rng):
    X = rng.uniform(-1, 1, size=(200, 30))
    y = X[:, 2] - X[:, 5] + 0.5 * X[:, 7] + 0.3 * rng.normal(size=200)
    settings = {"budget": 3.0, "tol": 0.03}
    few = Greedy(2, **settings).fit(X, y)
    assert sorted(few.support_) == [2, 5]
    assert few.stopped_ == "n_features"
    many = Greedy(**settings).fit(X, y)
    assert len(many.path_.training) == len(many.support_)
    held = Greedy(**settings, validation=0.3, random_state=0).fit(X, y)
    assert len(held.support_) <= held.path_.validation.argmin() + 1
    assert {2, 5, 7} <= set(held.support_.tolist())


def test_several_outputs_share_the_budget(rng):
    X = rng.uniform(-1, 1, size=(150, 20))
    Y = np.c_[X[:, 3] + X[:, 8], X[:, 3] - X[:, 8]]
    greedy = Greedy(budget=2.0, tol=0.01).fit(X, Y)
    assert set(greedy.support_[:2].tolist()) == {3, 8}
    assert np.linalg.norm(greedy.coef_, axis=0).sum() <= 2.0 + 1e-9


def test_classes_within_a_budget(rng):
    X = rng.uniform(-1, 1, size=(200, 20))
    greedy = Greedy(budget=10.0).fit(X, X[:, 4] > 0)
    assert greedy.support_[0] == 4
    assert np.mean(greedy.predict(X) == (X[:, 4] > 0)) > 0.9
    assert np.abs(greedy.coef_).sum() <= 10.0 + 1e-9


@given(f=st.floats(-4, 4), y=st.sampled_from([-1.0, 1.0]))
def test_the_slope_is_that_of_the_loss(f, y):
    loss, y = EpsilonInsensitive(0.1, 5.0), np.array([y])
    error = check_grad(lambda f: loss.value(f, y)[0], lambda f: loss.slope(f, y), np.array([f]))
    assert error < 1e-5


@given(f=st.floats(-9, 9), beta=st.floats(0.1, 50), epsilon=st.floats(0, 1))
def test_the_smoothed_loss_is_near_the_insensitive_one(f, beta, epsilon):
    value = EpsilonInsensitive(epsilon, beta).value(np.array([f]), np.zeros(1))[0]
    gap = max(0.0, abs(f) - epsilon) - value
    assert -1e-12 <= gap <= 1 / (2 * beta) + 1e-12
