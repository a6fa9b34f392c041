"""The measure around its kernel: landmarks that are parts, messages, estimators, files."""

import numpy as np
import pytest
from sklearn.base import clone

import naive
import seamark as sm
from seamark.checks import check_measure
from seamark.data import Window, series
from seamark.measures import Subsequence
from seamark.plotting.text import visible


def walks(rng, n=12, channels=1, least=20):
    return [rng.normal(size=(channels, k)).cumsum(axis=1) for k in rng.integers(least, 80, n)]


@pytest.mark.parametrize(
    "params", [{}, {"differenced": True}, {"length": 5, "share_normalised": 0.0}]
)
@pytest.mark.parametrize("channels", [1, 2])
def test_keeps_its_promises(rng, params, channels):
    check_measure(Subsequence(**params), walks(rng, channels=channels))


def test_lists_are_windows(rng):
    X = [x[0] for x in walks(rng)]
    L = [[0.0, 1.0, 2.0], [1.0, 0.0]]
    expected = naive.cross(naive.subsequence, X, [Window(values) for values in L])
    np.testing.assert_allclose(sm.cross("subsequence", X, L), expected, rtol=1e-5, atol=1e-6)


def test_threads_and_slices_change_nothing(rng):
    X = series.ingest(walks(rng, 30))
    L, _ = Subsequence().landmark_domain.cut(X, 20, rng)
    whole = Subsequence().cross(X, L)
    np.testing.assert_array_equal(Subsequence().cross(X[7:19], L[3:], n_jobs=2), whole[7:19, 3:])


def test_facts():
    measure = Subsequence()
    assert measure.compares_parts
    assert measure.symmetric is False
    assert measure.kind == "distance"
    assert clone(measure).landmark_domain == measure.landmark_domain
    assert Subsequence(7).landmark_domain.length == 7


def test_series_cannot_stand_for_windows(rng):
    with pytest.raises(ValueError, match="compares series with windows.*give the landmarks"):
        Subsequence().cross(walks(rng))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"length": 1}, "length must be a whole number from 2"),
        ({"length": 2.5}, "length must be"),
        ({"share_normalised": 1.5}, "share_normalised must be a number"),
        ({"share_normalised": "all"}, "share_normalised must be a number"),
        ({"differenced": 1}, "differenced must be True or False"),
    ],
)
def test_bad_parameters_are_named(params, message):
    with pytest.raises(ValueError, match=message):
        Subsequence(**params).cross([[1.0, 2.0]], [[1.0]])


def test_windows_of_missing_channels_are_named(rng):
    with pytest.raises(ValueError, match="window 1 lies in channel 2, but the series have 1"):
        Subsequence().cross([[1.0, 2.0]], [Window([1.0]), Window([1.0], 1, (2,))])


def test_what_a_window_is_can_be_read_and_it_is_no_pair():
    window = sm.data.Window(np.arange(8.0), 3, (1, 2), differenced=True)
    text = "window [0 1 2 3 4 5 …], 3 steps apart, in channel 1, 2, differenced"
    assert str(window) == visible(window) == text


def test_no_size_to_normalise_by_is_said_in_a_sentence():
    with pytest.raises(TypeError, match="cannot be normalised"):
        sm.measures.Subsequence().normalised().cross([[1.0, 2.0, 3.0]], [[1.0, 2.0]])
