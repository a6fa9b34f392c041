import numpy as np
import pytest

import naive_goodness as naive
import seamark as sm
from seamark import theory
from seamark.assessment.facts import (
    _dimension,
    asymmetry,
    negative_share,
    spectrum,
    triangle_violations,
)
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


def test_the_effective_dimension_is_that_of_theory(rng):
    line, cube = rng.uniform(size=(400, 1)), rng.uniform(size=(400, 3))
    facts = [
        sm.assess("euclidean", X, rng.integers(2, size=400), random_state=0).facts
        for X in (line, cube)
    ]
    # 133 references: 0.9 and 1.6 by the greedy covers, which see few far-off points.
    assert facts[0].value("effective dimension") < 1.3 < facts[1].value("effective dimension")
    found = sm.assess("gaussian", cube, rng.integers(2, size=400), random_state=0)
    assert "effective dimension" not in found.facts.every
    D = sm.cross("euclidean", cube[:100])
    (fact,) = _dimension(D)
    # Whatever the unit of the distance.
    assert fact.value == pytest.approx(theory.effective_dimension(D))
    asked = theory.d2ke_landmarks(D.max() / np.median(D), fact.value, 0.05)
    assert f"{asked:,}" in fact.remark
    assert not _dimension(np.zeros((20, 20)))


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
