"""The warping measure around its kernel: bands, roots, normalising, accuracy, messages."""

import numpy as np
import pytest

import naive
import seamark as sm
from seamark.measures import DTW


def walks(rng, lengths, channels=2):
    return [rng.normal(size=(channels, k)).cumsum(axis=1) for k in lengths]


@pytest.mark.parametrize("local", ["squared", "euclidean"])
@pytest.mark.parametrize("root", [True, False])
@pytest.mark.parametrize("channels", [1, 2, 3, 5])
def test_equals_textbook(rng, local, root, channels):
    X, L = walks(rng, [1, 2, 9, 30], channels), walks(rng, [1, 3, 17], channels)
    expected = naive.cross(lambda x, y: naive.dtw(x, y, local=local, root=root), X, L)
    np.testing.assert_allclose(DTW(local=local, root=root).cross(X, L), expected, rtol=1e-5)


@pytest.mark.parametrize("window", [None, 1.0, 0.5, 0.2, 25, 30])
def test_bands_equal_textbook(rng, window):
    X, L = walks(rng, [20, 25, 30]), walks(rng, [22, 28, 40, 45])
    expected = naive.cross(lambda x, y: naive.dtw(x, y, window=window), X, L)
    np.testing.assert_allclose(DTW(window=window).cross(X, L), expected, rtol=1e-5)


@pytest.mark.parametrize("window", [0, 19])
def test_a_band_with_no_path_says_so(rng, window):
    X, L = walks(rng, [10, 10]), walks(rng, [10, 30])
    with pytest.raises(
        ValueError, match="leaves no path .*landmark 1, whose lengths differ by 20; widen"
    ):
        DTW(window=window).cross(X, L)
    expected = naive.cross(lambda x, y: naive.dtw(x, y, window=window), X, L[:1])
    np.testing.assert_allclose(DTW(window=window).cross(X, L[:1]), expected, rtol=1e-5)


@pytest.mark.parametrize("window", [-1, 1.5, -0.1, "wide", True, float("nan")])
def test_bad_windows_are_named(window):
    with pytest.raises(ValueError, match="window must be"):
        DTW(window=window).cross([[1.0]], [[1.0]])


def test_bad_local_cost_is_named():
    with pytest.raises(ValueError, match="local must be"):
        DTW(local="manhattan").cross([[1.0]], [[1.0]])


def test_znormalising_per_series_and_channel(rng):
    X = [5 + 100 * x for x in walks(rng, [12, 30])]
    L = [-3 + 0.01 * x for x in walks(rng, [9, 15])]
    L[0][1] = 7.0  # a constant channel becomes zero
    expected = naive.cross(lambda x, y: naive.dtw(naive.znormalise(x), naive.znormalise(y)), X, L)
    np.testing.assert_allclose(DTW(znormalise=True).cross(X, L), expected, rtol=1e-4)


def test_a_common_offset_costs_no_digits(rng):
    X, L = walks(rng, [40] * 5, 1), walks(rng, [30] * 6, 1)
    near = DTW().cross(X, L)
    far = DTW().cross([x + 1e6 for x in X], [m + 1e6 for m in L])
    np.testing.assert_allclose(far, near, rtol=1e-5)


def test_float32_keeps_its_promise_on_long_series(rng):
    # the textbook in float64 would take minutes: the numpy reference computes in float64
    X, L = walks(rng, [1000] * 2, 1), walks(rng, [1000] * 3, 1)
    with sm.engine.using("reference"):
        exact = DTW().cross(X, L)
    np.testing.assert_allclose(DTW().cross(X, L), exact, rtol=1e-5)


def test_memory_mapped_and_float32_series(rng, tmp_path):
    X = rng.normal(size=(20, 15)).astype(np.float32)
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    np.testing.assert_array_equal(DTW().cross(mapped), DTW().cross(X))


def test_a_slice_is_computed_like_its_copy(rng):
    X = sm.data.series.ingest(walks(rng, [5, 9, 12, 7, 20]))
    np.testing.assert_array_equal(
        DTW().cross(X[1:4], X[2:]), DTW().cross(list(X)[1:4], list(X)[2:])
    )
