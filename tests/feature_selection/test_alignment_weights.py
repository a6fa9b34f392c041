"""The distribution of largest alignment, against a convex solver and its own conditions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from naive_learned import best_alignment
from seamark.feature_selection import alignment_weights

POWERS = [2.0, 2.5, 3.0, 5.0]
values = arrays(np.float64, st.integers(1, 30), elements=st.floats(0, 1e6, width=32))


def divergence(q, power):
    return np.mean((len(q) * q) ** power) - 1.0


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("seed", range(6))
def test_is_as_good_as_a_convex_solver(power, seed):
    rng = np.random.default_rng(seed)
    v = np.square(rng.normal(size=rng.integers(3, 12)))
    rho = rng.exponential(0.3)
    q = alignment_weights(v, rho, power)
    assert q @ v == pytest.approx(best_alignment(v, rho, power), rel=1e-5)


@settings(max_examples=150, deadline=None)
@given(v=values, rho=st.floats(0, 10), power=st.sampled_from(POWERS))
def test_is_a_distribution_within_the_ball(v, rho, power):
    q = alignment_weights(v, rho, power)
    assert q.min() >= 0.0
    assert q.sum() == pytest.approx(1.0)
    assert divergence(q, power) <= rho * len(v) + 1e-9 * len(v) ** (power - 1)
    order = np.argsort(v)
    assert np.all(np.diff(q[order]) >= -1e-12)  # the better a feature, the more weight


@settings(max_examples=80, deadline=None)
@given(v=values, rho=st.floats(1e-3, 5), power=st.sampled_from(POWERS))
def test_knows_no_scale_and_no_origin(v, rho, power):
    q = alignment_weights(v, rho, power)
    np.testing.assert_allclose(alignment_weights(1e6 * v, rho, power), q, atol=1e-7)
    np.testing.assert_allclose(alignment_weights(v + v.max(), rho, power), q, atol=1e-5)


@pytest.mark.parametrize("power", POWERS)
def test_constraint_is_met_where_it_can_be(power):
    v = np.random.default_rng(0).exponential(size=200)
    for rho in (1e-4, 1e-2, 0.3):
        q = alignment_weights(v, rho, power)
        assert divergence(q, power) == pytest.approx(rho * 200, rel=1e-6)


def test_both_ways_agree_near_power_two():
    v = np.random.default_rng(1).exponential(size=500)
    exact, found = (alignment_weights(v, 0.02, power) for power in (2.0, 2.0 + 1e-9))
    np.testing.assert_allclose(exact, found, atol=1e-7)


@pytest.mark.parametrize("power", POWERS)
def test_edge_cases(power):
    uniform = np.full(4, 0.25)
    np.testing.assert_allclose(alignment_weights([5.0] * 4, 3.0, power), uniform)
    np.testing.assert_allclose(alignment_weights([4.0, 3.0, 2.0, 1.0], 0.0, power), uniform)
    tied = alignment_weights([3.0, 3.0, 1.0, 0.0], 1e9, power)
    np.testing.assert_array_equal(tied, [0.5, 0.5, 0.0, 0.0])
    exactly = ((4 / 2) ** (power - 1.0) - 1.0) / 4
    np.testing.assert_allclose(alignment_weights([3.0, 3.0, 1.0, 0.0], exactly, power), tied)
    np.testing.assert_array_equal(alignment_weights([7.0], 1.0, power), [1.0])
    nearly = alignment_weights([1.0, 0.0, 0.0, 0.0], 1e-14, power)
    np.testing.assert_allclose(nearly, uniform, atol=1e-6)
    huge = alignment_weights([-1e308, 1e308], 1e9, power)
    np.testing.assert_array_equal(huge, [0.0, 1.0])


def test_ties_beyond_the_maximum_share_alike():
    q = alignment_weights([3.0, 2.0, 2.0, 2.0, 0.0], 0.1)
    assert q[1] == q[2] == q[3] > 0.0


def test_a_million_features():
    v = np.square(np.random.default_rng(0).normal(size=10**6))
    q = alignment_weights(v, 0.01)
    assert 100 < np.count_nonzero(q) < 400
    assert np.square(q).sum() - 1e-6 == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, np.nan], 0.1), r"v\[1\] is nan"),
        (([], 0.1), "one per feature"),
        (([1.0], -0.1), "at least 0"),
        (([1.0], 0.1, 1.5), "at least 2"),
    ],
)
def test_says_what_is_wrong(arguments, message):
    with pytest.raises(ValueError, match=message):
        alignment_weights(*arguments)
