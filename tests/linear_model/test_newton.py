"""Newton's method with a line search, against scipy on functions of its kind."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from seamark.linear_model.newton import newton, solve_positive, step_lengths


class Quartics:
    """Σ (a·θ − b)⁴ + p/2 ‖θ‖² for every column of b: slacks are a·θ − b."""

    def __init__(self, A, B, penalty=0.1):
        self.A, self.B, self.penalty = A, B, penalty

    def slacks(self, theta):
        return self.A @ theta - self.B

    def slopes(self, slacks, which):
        return 4 * slacks**3

    def gradient(self, theta, slacks):
        return self.A.T @ (4 * slacks**3) + self.penalty * theta

    def step(self, theta, slacks, which):
        hessians = [self.A.T @ (12 * s[:, None] ** 2 * self.A) for s in slacks.T]
        pairs = zip(hessians, self.gradient(theta, slacks).T, strict=True)
        return -np.column_stack([solve_positive(H, g, self.penalty) for H, g in pairs])

    def along(self, theta, step, which):
        weighed = self.penalty * step
        return self.A @ step, (weighed * theta).sum(axis=0), (weighed * step).sum(axis=0)

    def value(self, theta):
        return (self.slacks(theta) ** 4).sum(axis=0) + self.penalty / 2 * (theta**2).sum(axis=0)

    def unit(self, theta, slacks, which):
        return self.value_at(theta, slacks)

    def value_at(self, theta, slacks):
        return (slacks**4).sum(axis=0) + self.penalty / 2 * (theta**2).sum(axis=0)


@pytest.mark.parametrize("far", [0.0, 100.0])
def test_all_columns_reach_scipys_minimum(far, rng):
    A, B = rng.normal(size=(30, 4)), rng.normal(size=(30, 3)) * [1.0, 10.0, 0.1]
    quartics = Quartics(A, B)
    found = newton(quartics, np.full((4, 3), far), 1e-12, 200)
    assert found.converged
    assert found.steps.max() < 60
    for t in range(3):
        alone = Quartics(A, B[:, [t]])
        best = minimize(lambda v, f=alone: f.value(v[:, None])[0], np.zeros(4), tol=1e-12)
        assert quartics.value(found.theta)[t] <= best.fun * (1 + 1e-7)
        one = newton(alone, np.full((4, 1), far), 1e-12, 200)
        np.testing.assert_allclose(one.theta[:, 0], found.theta[:, t], atol=1e-7)
        assert one.steps[0] == found.steps[t]


def test_it_tells_when_steps_run_out(rng):
    quartics = Quartics(rng.normal(size=(9, 2)), rng.normal(size=(9, 2)))
    found = newton(quartics, np.full((2, 2), 50.0), 1e-12, 2)
    assert not found.converged
    assert found.steps.tolist() == [2, 2]


@given(st.lists(st.floats(1e-3, 1e5), min_size=1, max_size=5), st.floats(0.01, 0.5))
def test_lengths_leave_a_small_slope(least, accuracy):
    least = np.array(least)  # where each function has its least value

    def slope(t, some):
        return (t - least[some]) ** 3

    start = slope(np.zeros(len(least)), np.arange(len(least)))
    lengths = step_lengths(slope, start, accuracy)
    after = slope(lengths, np.arange(len(least)))
    # A step so far that it need not be lengthened may keep half the slope.
    assert np.all((after >= 0.5 * start) & (after <= -accuracy * start))
    assert step_lengths(slope, -start, accuracy).tolist() == [0.0] * len(least)


@pytest.mark.parametrize("order", ["C", "F"])
def test_solutions_of_singular_matrices_are_lifted(order, rng):
    A = rng.normal(size=(6, 4))
    singular = np.array(A @ A.T, order=order)
    found = solve_positive(singular, singular @ np.ones(6))
    np.testing.assert_allclose(singular @ found, singular @ np.ones(6), atol=1e-6)
    np.testing.assert_allclose(solve_positive(np.eye(2), np.eye(2), 1.0), 0.5 * np.eye(2))
