"""Mahalanobis and Bilinear against their definitions; their facts; what they refuse."""

import numpy as np
import pytest
from scipy import sparse

import seamark as sm
from seamark.checks import check_measure
from seamark.measures import Bilinear, Mahalanobis


def psd(rng, d=4, rank=4):
    A = rng.normal(size=(d, rank))
    return A @ A.T


@pytest.mark.parametrize("rank", [2, 4])
@pytest.mark.parametrize("squared", [False, True])
def test_mahalanobis_is_as_defined(rank, squared, rng):
    W, X, L = psd(rng, rank=rank), rng.normal(size=(20, 4)), rng.normal(size=(5, 4))
    expected = np.array([[(x - y) @ W @ (x - y) for y in L] for x in X])
    expected = expected if squared else np.sqrt(expected)
    measure = Mahalanobis(W, squared=squared)
    np.testing.assert_allclose(sm.cross(measure, X, L), expected, rtol=2e-4)
    np.testing.assert_allclose(sm.cross(measure, sparse.csr_array(X), L), expected, rtol=2e-4)
    check_measure(measure, X)


@pytest.mark.parametrize("kind", ["psd", "symmetric", "any"])
def test_bilinear_is_as_defined(kind, rng):
    W = psd(rng) if kind == "psd" else rng.normal(size=(4, 4))
    W = W + W.T if kind == "symmetric" else W
    X, L = rng.normal(size=(20, 4)), rng.normal(size=(5, 4))
    measure = Bilinear(W)
    assert (measure.symmetric, measure.psd) == (kind != "any", kind == "psd")
    np.testing.assert_allclose(sm.cross(measure, X, L), X @ W @ L.T, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(
        sm.cross(measure, sparse.csr_array(X), L), X @ W @ L.T, rtol=1e-4, atol=1e-5
    )
    np.testing.assert_allclose(measure.self_values(X), np.diag(X @ W @ X.T))
    check_measure(measure, X)


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (Bilinear(np.zeros((2, 3))), "square"),
        (Bilinear(np.full((2, 2), np.nan)), "NaN"),
        (Mahalanobis(np.diag([1.0, -1.0])), "positive semidefinite"),
        (Mahalanobis(np.array([[1.0, 1.0], [0.0, 1.0]])), "positive semidefinite"),
        (Bilinear(np.eye(3)), "2 features and W is for 3"),
        (Mahalanobis(np.eye(3)), "2 features and W is for 3"),
    ],
)
def test_what_makes_no_sense_is_refused(measure, message):
    with pytest.raises(ValueError, match=message):
        sm.cross(measure, np.eye(2))
