"""Buffers: what they hold, in law and in fact.

Laws are tested by chi-square with fixed seeds at a false-alarm rate of 1e-4 for each test.
"""

import pickle
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, chi2_contingency, chisquare

from seamark.online import FIFO, BufferPerClass, Reservoir, RSx, RSx2

ALARM = 1e-4
POLICIES = [FIFO, Reservoir, RSx, RSx2]


def contents(policy, size, n, runs, seed=0):
    """What the slots hold after n points, over many runs."""
    rng = np.random.default_rng(seed)
    return np.array(
        [policy(size, random_state=rng).extend(np.arange(n)).columns[0] for _ in range(runs)]
    )


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("n", [1, 3, 4])
def test_until_it_is_full_a_buffer_holds_exactly_the_past(policy, n):
    buffer = policy(4, random_state=0).extend(np.arange(n))
    assert len(buffer) == n
    assert list(buffer) == list(range(n))


def test_fifo_holds_the_last_points():
    buffer = FIFO(3)
    for z in range(8):
        buffer.update(z)
    assert sorted(buffer) == [5, 6, 7]


@pytest.mark.parametrize("n", [4, 6])
def test_a_reservoir_is_a_uniform_subset(n):
    held = contents(Reservoir, 3, n, 3000)
    subsets = list(combinations(range(n), 3))
    counts = np.zeros(len(subsets))
    for row in np.sort(held, axis=1):
        counts[subsets.index(tuple(row))] += 1
    assert chisquare(counts).pvalue > ALARM


@pytest.mark.parametrize("policy", [RSx, RSx2])
@pytest.mark.parametrize("n", [4, 5, 9])  # 4 is the repopulation
def test_slots_are_independent_and_uniform(policy, n):
    held = contents(policy, 3, n, 2000)
    for slot in held.T:
        assert chisquare(np.bincount(slot, minlength=n)).pvalue > ALARM
    for a, b in combinations(held.T, 2):
        assert chisquare(np.bincount(n * a + b, minlength=n * n)).pvalue > ALARM


@pytest.mark.parametrize("n", [3, 6])
def test_rsx_and_rsx2_have_the_same_law(n):
    joint = [
        np.bincount(c[:, 0] * n + c[:, 1], minlength=n * n)
        for c in (contents(RSx, 2, n, 2000, seed=1), contents(RSx2, 2, n, 2000, seed=2))
    ]
    assert chi2_contingency(joint).pvalue > ALARM


def test_a_point_takes_as_many_slots_of_rsx2_as_a_binomial_says():
    copies = (contents(RSx2, 4, 6, 2000) == 5).sum(axis=1)
    expected = 2000 * binom.pmf(np.arange(5), 4, 1 / 6)
    observed = np.bincount(copies, minlength=5)
    joined = [np.append(x[:3], x[3:].sum()) for x in (observed, expected)]
    assert chisquare(*joined).pvalue > ALARM


@given(st.sampled_from(POLICIES), st.integers(1, 6), st.lists(st.integers(0, 9), max_size=6))
def test_cutting_the_stream_changes_nothing(policy, size, cuts):
    Z = np.arange(25.0)
    whole = policy(size, random_state=3).extend(Z)
    parts = policy(size, random_state=3)
    for block in np.split(Z, sorted(3 * c for c in cuts if 3 * c < 25)):
        parts.extend(block)
    assert list(whole) == list(parts)
    assert list(whole.extend(Z)) == list(parts.extend(Z))


@pytest.mark.parametrize("policy", [*POLICIES, lambda s, **kw: BufferPerClass(RSx2(s), **kw)])
@pytest.mark.parametrize("seen", [0, 2, 5, 30])
def test_a_pickled_buffer_goes_on_as_if_nothing_had_happened(policy, seen):
    X, y = np.arange(60.0)[:, None], np.arange(60) % 2
    buffer = policy(4, random_state=1).extend((X[:seen], y[:seen]))
    other = pickle.loads(pickle.dumps(buffer)).extend((X[seen:], y[seen:]))
    buffer.extend((X[seen:], y[seen:]))
    for ours, theirs in zip(buffer.columns, other.columns, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@given(st.lists(st.integers(0, 2), max_size=40), st.integers(0, 40))
def test_one_reservoir_per_class_keeps_rare_classes(labels, cut):
    X, y = np.arange(float(len(labels))), np.array(labels, dtype=int)
    buffer = BufferPerClass(Reservoir(3), n_classes=3, random_state=0)
    buffer.extend((X[:cut], y[:cut])).extend((X[cut:], y[cut:]))
    held = buffer.columns if buffer.columns_ else (np.array([]), np.array([], int))
    np.testing.assert_array_equal(
        np.bincount(held[1], minlength=3), np.minimum(np.bincount(y, minlength=3), 3)
    )
    np.testing.assert_array_equal(y[held[0].astype(int)], held[1])  # points keep their labels


def test_memory_does_not_grow_with_the_stream(rng):
    buffer = RSx2(5, random_state=0).extend(rng.normal(size=(10, 3)))
    column = buffer.columns_[0]
    buffer.extend(rng.normal(size=(1000, 3)))
    assert buffer.columns_[0] is column
    assert buffer.seen_ == 1010


def test_points_of_another_shape_are_refused():
    buffer = FIFO(3).extend(np.zeros((2, 4)))
    with pytest.raises(ValueError, match="one shape"):
        buffer.update(np.zeros(5))
    assert buffer.seen_ == 2


def test_a_size_must_be_a_number():
    with pytest.raises(ValueError, match="size must be a positive whole number, not 0"):
        FIFO(0).update(1.0)
