"""Columns on one scale: against scikit-learn's scalers, for vectors, sparse ones and sets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.preprocessing import QuantileTransformer, StandardScaler

import seamark as sm
from seamark.measures import Chamfer, Euclidean, Levenshtein, Manhattan, Member, ScaledColumns

SCALES = np.array([1.0, 1e-6, 1e6, 3.0])


def rows(n=200, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 4)) * SCALES + 7 * SCALES


@pytest.mark.parametrize("factors", [None, np.array([1.0, 0.5, 0.0, 2.0])])
def test_values_are_those_of_standardised_columns(factors):
    X = rows()
    scaled = StandardScaler().fit_transform(X) * (1.0 if factors is None else factors)
    found = ScaledColumns(Manhattan(), scaling="standard", relevance=factors).cross(X)
    np.testing.assert_allclose(found, cdist(scaled, scaled, "cityblock"), rtol=2e-4, atol=1e-5)


def test_landmarks_are_scaled_as_the_data_were():
    X = rows()
    measure = ScaledColumns(Euclidean()).fitted_to(X, np.random.default_rng(0))
    scaled = StandardScaler().fit_transform(X)
    np.testing.assert_allclose(
        measure.cross(X[:5], X[:3]), cdist(scaled[:5], scaled[:3]), rtol=2e-4, atol=1e-5
    )


def test_ranks_are_near_scikit_learns():
    X = np.random.default_rng(1).lognormal(size=(2000, 2))
    measure = ScaledColumns(Manhattan(), scaling="ranks").fitted_to(X, np.random.default_rng(0))
    ours = measure.prepared(X)
    theirs = QuantileTransformer(output_distribution="normal").fit_transform(X)
    middle = np.abs(theirs).max(axis=1) < 2  # ours end at the outermost of 64 quantiles
    assert np.abs(ours - theirs)[middle].max() < 0.1


def test_heavy_tails_alone_are_ranked():
    X = rows()
    X[:, 3] = np.exp(3 * np.random.default_rng(2).normal(size=200))
    measure = ScaledColumns(Manhattan()).fitted_to(X, np.random.default_rng(0))
    assert np.isnan(measure.knots[0]).tolist() == [True, True, True, False]
    far = X[:1].copy()
    far[0, 3] = 1e12  # an outlier is no further than the last rank
    assert measure.cross(X[:1], far)[0, 0] < 6


def test_many_equal_values_share_a_score():
    X = np.r_[np.zeros(90), np.linspace(1, 400, 30)][:, None]
    measure = ScaledColumns(Manhattan(), scaling="ranks").fitted_to(X, np.random.default_rng(0))
    scores = measure.prepared(X)[:, 0]
    assert np.ptp(scores[:90]) == 0
    assert (np.diff(scores[90:]) >= 0).all()
    assert scores[90] > scores[0]


def test_a_column_that_does_not_vary_does_not_count():
    X = np.c_[rows()[:, :1], np.full(200, 0.1) * 3]
    new = X[:3].copy()
    new[:, 1] = 1e9
    measure = ScaledColumns(Manhattan()).fitted_to(X, np.random.default_rng(0))
    np.testing.assert_array_equal(measure.cross(new, X[:3]), measure.cross(X[:3]))


def test_sparse_rows_are_divided_only():
    dense = np.random.default_rng(3).poisson(0.5, size=(60, 5)).astype(float) * [1, 9, 1, 50, 1]
    X = sparse.csr_array(dense)
    found = ScaledColumns(Manhattan()).cross(X)
    scaled = dense / dense.std(axis=0)
    np.testing.assert_allclose(found, cdist(scaled, scaled, "cityblock"), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("inside", [Chamfer(), Member()])
def test_sets_are_scaled_member_by_member(inside):
    rng = np.random.default_rng(4)
    sets = [rng.normal(size=(k, 2)) * [1, 1000] for k in (3, 5, 2, 7)]
    ingested = sm.data.sets.ingest(sets)
    measure = ScaledColumns(inside).fitted_to(ingested, rng)
    whole = StandardScaler().fit(np.concatenate(sets))
    landmarks = sets[:2] if inside.kind and not inside.compares_parts else np.concatenate(sets[:1])
    by_hand = [whole.transform(one) for one in sets[:2]]
    if inside.compares_parts:
        by_hand = whole.transform(landmarks)
    expected = inside.cross([whole.transform(one) for one in sets], by_hand)
    np.testing.assert_allclose(measure.cross(ingested, landmarks), expected, rtol=1e-4, atol=1e-5)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.floats(1e-3, 1e3), st.floats(-1e3, 1e3))
def test_units_of_columns_do_not_matter(seed, unit, shift):
    X = np.random.default_rng(seed).normal(size=(30, 3))
    again = X * [unit, 1, 1] + [0, shift, 0]
    for scaling in ("standard", "ranks"):
        measure = ScaledColumns(Manhattan(), scaling=scaling)
        np.testing.assert_allclose(measure.cross(X), measure.cross(again), rtol=1e-3, atol=1e-3)


def test_the_checks_of_measures_pass():
    X = rows(40)
    fitted = ScaledColumns(Euclidean()).fitted_to(X, np.random.default_rng(0))
    sm.checks.check_measure(fitted, X)


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        (ScaledColumns(Levenshtein()), "no columns"),
        (ScaledColumns(Manhattan(), scaling="log"), "scaling must be"),
        (ScaledColumns(Manhattan(), relevance=np.array([1.0, 2.0])), "2 numbers and X has 4"),
        (ScaledColumns(Manhattan(), relevance=np.array([1.0, -2, 1, 1])), "not be negative"),
        (ScaledColumns(Manhattan(), relevance=np.ones((2, 2))), "flat array"),
    ],
)
def test_what_makes_no_sense_is_said(measure, said):
    with pytest.raises((TypeError, ValueError), match=said):
        measure.cross(rows(10))


def test_a_measure_inside_is_fitted_to_scaled_columns_though_the_scale_is_given():
    X = rows()
    fitted = ScaledColumns(sm.measures.Gaussian(width="median")).fitted_to(
        X, np.random.default_rng(0)
    )
    given = ScaledColumns(
        sm.measures.Gaussian(width="median"), centre=fitted.centre, unit=fitted.unit
    ).fitted_to(X, np.random.default_rng(0))
    assert given.measure.width == pytest.approx(fitted.measure.width)
    assert given.measure.width < 100  # columns as they came are a million wide
