import numpy as np
import pytest

import naive_goodness as naive
import seamark as sm
from seamark.assessment.facts import asymmetry, negative_share, spectrum, triangle_violations
from seamark.assessment.sample import Scale, seen_kind
from seamark.measures import Custom


def test_counts_are_those_of_the_definitions(rng):
    S = rng.uniform(0, 1, (9, 9))
    np.fill_diagonal(S, 0)
    assert np.isclose(asymmetry(S), naive.asymmetry(S))
    assert np.isclose(triangle_violations(S), naive.triangle_violations(S))
    metric = sm.cross("manhattan", rng.normal(size=(12, 3)))
    assert asymmetry(metric) == 0
    assert triangle_violations(metric) == 0


def test_schoenberg_tells_which_distances_make_kernels(rng):
    X = rng.normal(size=(40, 3))
    for name in ("euclidean", "manhattan"):  # exp(−γd) is a kernel for every γ
        assert negative_share(spectrum(sm.cross(name, X), "distance")) < 1e-4
    # Chebyshev's distance in three dimensions is not of negative type.
    assert negative_share(spectrum(sm.cross("chebyshev", X), "distance")) > 0.01
    assert negative_share(spectrum(sm.cross("gaussian", X), "similarity")) < 1e-4
    assert negative_share(spectrum(sm.cross("sigmoid", X), "similarity")) > 0.01


@pytest.mark.parametrize("kind", ["distance", "similarity", None])
def test_values_are_scaled_into_minus_one_to_one(kind, rng):
    X = rng.normal(size=(20, 2))
    D = 7 * sm.cross("euclidean", X)
    square = D if kind != "similarity" else -D
    scale = Scale.seen(Custom(lambda a, b: 0.0, kind=kind), square, square)
    K = scale.apply(square)
    assert scale.kind == (kind or "distance")
    assert np.isclose(K.min(), -1)
    assert np.allclose(K.diagonal(), 1)


def test_a_kernel_keeps_its_zero():
    values = np.array([[4.0, -1.0], [-1.0, 2.0]])
    scale = Scale.seen(Custom(lambda a, b: 0.0, kind="similarity"), values, values)
    assert np.allclose(scale.apply(values), values / 4)
    assert str(scale) == "value / 4"
    small = Scale.seen(Custom(lambda a, b: 0.0, kind="similarity"), values / 8, values / 8)
    assert str(small) == "as they are"


def test_a_measure_without_direction_is_a_similarity():
    assert seen_kind(np.ones((5, 5))) == "similarity"
    assert seen_kind(np.eye(5)) == "similarity"
    assert seen_kind(1 - np.eye(5)) == "distance"
    assert seen_kind(None) == "similarity"
