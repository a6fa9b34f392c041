import numpy as np
import pytest

import naive_goodness as naive
import seamark as sm
from seamark.assessment.goodness import drawn_pairs, pair_margins
from seamark.transfers import SLOPES


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("slope", [1.0, 10.0])
def test_margins_are_those_of_the_definition(n_classes, slope, rng):
    reference = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=8)])
    labels, K = rng.integers(n_classes, size=12), rng.uniform(size=(12, len(reference)))
    first, second = drawn_pairs(reference, 60, rng)
    assert np.all(reference[first] != reference[second])
    w = rng.uniform(-1, 1, 60)
    pairs = list(zip(first, second, strict=True))
    expected = [
        naive.margin_of_pairs(values, label, reference, pairs, w, slope)
        for values, label in zip(K, labels, strict=True)
    ]
    assert np.allclose(pair_margins(K, labels, reference, (first, second), slope) @ w, expected)


def far_and_near(rng, n=600):
    """Two classes whose similarities differ by little, and by much to a few odd references."""
    y = rng.integers(2, size=n)
    K = 0.5 + 0.01 * (y[:, None] == y) + rng.normal(0, 0.004, (n, n))
    odd = rng.random(n) < 0.1
    K[:, odd] = rng.uniform(size=(n, int(odd.sum())))
    return np.clip(K, 0, 1), y


def test_a_steep_ramp_makes_small_differences_a_margin(rng):
    # Differences are 0.01 in the mean, with deviation 0.006: a slope of 100 makes most of them a
    # margin near 1, and the identity leaves 0.01.
    K, y = far_and_near(rng)
    measure = sm.measures.Precomputed(kind="similarity")
    found = sm.assess(measure, K, y, random_state=0)
    slopes, pairs = found.curves["slopes"], found.curves["pairs"]
    assert slopes.x.tolist() == list(SLOPES)
    assert slopes.at(1.0).low > slopes.at(100.0).high
    assert float(pairs.name.partition("slope ")[2]) >= 50
    assert pairs.y[0] < 0.1
    assert np.all(np.diff(pairs.y) >= 0)


def test_pairs_say_nothing_where_nothing_is_to_be_said(rng):
    y = rng.integers(2, size=300)
    found = sm.assess("euclidean", rng.normal(size=(300, 3)), y, random_state=0)
    # At the smallest margin half of the objects miss it, up to four deviations of 100 of them.
    assert 0.3 <= found.curves["pairs"].y[0] <= 0.75
    numbers = sm.assess("euclidean", rng.normal(size=(60, 3)), rng.normal(size=60))
    assert not {"pairs", "slopes", "kernel"} & set(numbers.curves)
