"""Sums, multiples, normalised and negated measures, and the facts they inherit."""

import numpy as np
import pytest
from sklearn.base import clone

import naive
import seamark as sm
from seamark.checks import check_measure
from seamark.measures import (
    DTW,
    Cosine,
    Custom,
    Euclidean,
    Gaussian,
    Levenshtein,
    Linear,
    Manhattan,
    Polynomial,
    Precomputed,
    Sigmoid,
    SqEuclidean,
)

WORDS = ["sea", "mark", "seamark", "", "see", "ab", "aba", "ba"]


@pytest.fixture
def X(rng):
    return rng.normal(size=(12, 3))


def test_sum_and_multiple(X):
    m = Euclidean() + 2 * Manhattan() + Manhattan() * 0.5
    expected = Euclidean().cross(X) + 2.5 * Manhattan().cross(X)
    np.testing.assert_allclose(m.cross(X), expected, rtol=1e-5)
    check_measure(m, X)


def test_facts_of_sums():
    assert (Euclidean() + Manhattan()).triangle is True
    assert (Euclidean() + SqEuclidean()).triangle is None
    assert (Gaussian() + Linear()).psd is True
    assert (Gaussian() + Sigmoid()).psd is None
    assert (Gaussian() + Cosine()).bounds == (-1.0, 2.0)
    assert (Gaussian() + Gaussian()).kind == "similarity"
    assert (Gaussian() + Gaussian()).symmetric is True
    unknown, lopsided = Precomputed(), Precomputed(symmetric=False)
    assert (unknown + unknown).symmetric is None
    assert (lopsided + Precomputed(symmetric=True)).symmetric is False
    assert (lopsided + lopsided).symmetric is None
    assert (lopsided + unknown).symmetric is None


def test_facts_of_multiples():
    m = 3 * Gaussian()
    assert (m.bounds, m.kind, m.psd, m.symmetric) == ((0.0, 3.0), "similarity", True, True)
    assert (0.5 * Manhattan()).triangle is True


def test_facts_of_negated():
    m = Euclidean().negated()
    assert (m.kind, m.bounds, m.symmetric) == ("similarity", (-np.inf, 0.0), True)
    assert m.triangle is None
    assert m.negated().kind == "distance"
    assert Gaussian().negated().kind == "distance"
    assert Precomputed().negated().kind is None


def test_normalised_similarities(X):
    for m in (Linear(), Polynomial(degree=2), Gaussian(width=1.0), 5 * Linear(), Cosine()):
        K = m.cross(X).astype(float)
        root = np.sqrt(np.diag(K))
        got = m.normalised().cross(X)
        np.testing.assert_allclose(got, K / np.outer(root, root), rtol=1e-3, atol=1e-6)
        check_measure(m.normalised(), X)
    assert Linear().normalised().bounds == (-1.0, 1.0)
    assert Gaussian().normalised().bounds == (0.0, 1.0)
    np.testing.assert_allclose(Linear().normalised().cross(X), Cosine().cross(X), atol=1e-6)


def test_normalised_levenshtein():
    m = Levenshtein().normalised()
    got = m.cross(WORDS)
    for i, a in enumerate(WORDS):
        for j, b in enumerate(WORDS):
            longer = max(len(a), len(b))
            expected = naive.levenshtein(a, b) / longer if longer else 0.0
            assert got[i, j] == pytest.approx(expected)
    assert (m.kind, m.bounds, m.symmetric) == ("distance", (0.0, 1.0), True)
    assert m.triangle is None
    check_measure(m, WORDS)


@pytest.mark.parametrize("m", [Euclidean(), DTW(), Linear().negated()], ids=repr)
def test_other_distances_say_why_not(m):
    with pytest.raises(TypeError, match="cannot be normalised: .* distance of an object to itself"):
        m.normalised().cross(np.eye(3))


def test_unknown_kind_cannot_be_normalised():
    with pytest.raises(TypeError, match="rows of new objects do not"):
        Precomputed().normalised().cross(np.eye(3))


def test_no_positive_self_similarity_is_named(X):
    with pytest.raises(ValueError, match="row 2 has self-similarity 0"):
        Linear().normalised().cross(np.array([[1.0], [2.0], [0.0]]))


@pytest.mark.parametrize("factor", [0.0, -1.0, np.inf, np.nan])
def test_only_positive_factors(factor, X):
    with pytest.raises(ValueError, match="positive number"):
        (factor * Linear()).cross(X)


def test_only_measures_of_one_kind_and_domain_add(X):
    with pytest.raises(ValueError, match="cannot add a distance and a similarity"):
        (Euclidean() + Gaussian()).cross(X)
    with pytest.raises(ValueError, match="cannot add a measure of strings and one of vectors"):
        (Levenshtein() + Euclidean()).cross(WORDS)
    with pytest.raises(TypeError):
        Euclidean() + 1
    with pytest.raises(TypeError):
        Euclidean() * "2"


def test_parameters_reach_inside(X):
    m = (Gaussian() + Linear()).set_params(left__width=2.0)
    assert m.left.width == 2.0
    assert clone(m).get_params()["left__width"] == 2.0
    fitted = (2 * Gaussian()).fitted_to(X, np.random.default_rng(0))
    assert isinstance(fitted.measure.width, float)


def test_blocks_of_combined_plans(X, rng, monkeypatch):
    m = Euclidean() + Manhattan()
    L = rng.normal(size=(5, 3))
    expected = Euclidean().cross(X, L) + Manhattan().cross(X, L)
    with monkeypatch.context() as small:
        small.setattr("seamark.engine.executors.SCRATCH_BYTES", 64)
        np.testing.assert_allclose(m.cross(X, L), expected, rtol=1e-6)
        mixed = m + Custom(lambda x, y: 1.0, kind="distance")  # parts at home in two places
        np.testing.assert_allclose(mixed.cross(X, L), expected + 1, rtol=1e-6)


def test_a_sum_counts_both(X):
    with sm.engine.counting() as counter:
        (Euclidean() + Manhattan()).cross(X, X)
    assert counter.evaluations == 2 * 144
