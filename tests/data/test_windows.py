"""Windows of series: how they are taken in, cut, sliced, compared and kept."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seamark.data import Window, WindowList, Windows, series
from seamark.data.series import _Steps
from seamark.engine.value_cache import digest


def some(rng, n=6):
    X = series.ingest([rng.normal(size=(3, k)).cumsum(axis=1) for k in (40, 50, 61)])
    return Windows().cut(X, n, rng)[0]


def test_lists_are_windows_without_gaps():
    made = Windows().ingest(
        [[1, 2, 3], [[1.0, 2.0], [3.0, 4.0]], Window([5.0, 6.0], 4, (2,), True)]
    )
    assert made.shape == (3,)
    assert made.lengths.tolist() == [3, 2, 2]
    assert made.spans.tolist() == [3, 2, 5]
    assert made[0].channels == (0,)
    assert made[1].channels == (0, 1)
    np.testing.assert_array_equal(made[1].values, [[1.0, 2.0], [3.0, 4.0]])
    assert made[2][1:] == (4, (2,), True, False)
    assert Windows(normalised=1, differenced=True).ingest([[1.0, 2.0]])[0][3:] == (True, True)


def test_slices_take_and_iterate(rng):
    windows = some(rng)
    assert windows[1:4] == windows[[1, 2, 3]] == WindowList.of(list(windows)[1:4])
    assert windows[np.arange(6) % 2 == 0] == windows[::2]
    assert windows[:0].shape == (0,)
    assert windows[[]].shape == (0,)
    with pytest.raises(IndexError):
        windows[6]


def test_copies_are_equal_and_have_one_digest(rng):
    windows = some(rng)
    copy = pickle.loads(pickle.dumps(windows))
    assert copy == windows
    assert digest(copy) == digest(windows)
    other = windows[[0, 0, 2, 3, 4, 5]]
    assert other != windows
    assert digest(other) != digest(windows)
    assert windows != "windows"
    assert windows.nbytes > 0


def test_equal_windows_share_a_group(rng):
    windows = some(rng)
    again = Windows().joined(windows[[0, 1, 0]], windows[[1, 2]])
    np.testing.assert_array_equal(Windows().groups(again), [0, 1, 0, 1, 2])
    dilated = WindowList.of(
        [Window([1.0, 2.0]), Window([1.0, 2.0], 2), Window([0.0]), Window([-0.0])]
    )
    np.testing.assert_array_equal(Windows().groups(dilated), [0, 1, 2, 2])


@pytest.mark.parametrize("differenced", [False, True])
def test_a_window_is_what_its_source_holds(rng, differenced):
    X = [rng.normal(size=(2, k)) for k in (30, 45, 80)]
    windows, sources = Windows(7, 0.5, differenced).cut(series.ingest(X), 200, rng)
    assert set(sources.tolist()) == {0, 1, 2}
    assert {len(w.channels) for w in windows} == {1, 2}
    assert 0.3 < windows.normalised.mean() < 0.7
    for window, source in zip(windows, sources, strict=True):
        x = np.diff(X[source]) if differenced else X[source]
        x = x[list(window.channels)]
        span = 6 * window.dilation + 1
        places = [x[:, p : p + span : window.dilation] for p in range(x.shape[1] - span + 1)]
        assert any((place == np.atleast_2d(window.values)).all() for place in places)


@given(
    lengths=st.lists(st.integers(1, 60), min_size=1, max_size=5),
    length=st.integers(2, 13),
    seed=st.integers(0, 50),
    differenced=st.booleans(),
)
@pytest.mark.filterwarnings("ignore:windows have")
def test_windows_fit_into_the_series_they_come_of(lengths, length, seed, differenced):
    rng = np.random.default_rng(seed)
    X = series.ingest([rng.normal(size=k) for k in lengths])
    windows, sources = Windows(length, 0.8, differenced).cut(X, 25, rng)
    # a series of one step has the one difference 0
    steps = np.maximum(lengths, 2 if differenced else 1)
    assert (windows.spans <= steps[sources]).all()
    longest = np.quantile(steps, 0.9, method="lower")
    assert windows.spans.max() <= longest
    assert windows.dilations.min() >= 1


def test_dilations_are_log_uniform(rng):
    X = series.ingest(rng.normal(size=(4, 1001)))
    windows, _ = Windows().cut(X, 4000, rng)
    assert windows.dilations.max() <= 100
    # u is uniform on [0, log2 100]: a seventh of the doublings each; five deviations of a share
    for low, high in ((1, 2), (2, 4), (8, 16), (32, 64)):
        share = ((windows.dilations >= low) & (windows.dilations < high)).mean()
        assert abs(share - 1 / np.log2(100)) < 5 * np.sqrt(0.15 * 0.85 / 4000)


def test_flat_windows_are_drawn_again(rng):
    X = np.zeros((3, 200))
    X[:, 150:] = rng.normal(size=(3, 50))
    windows, _ = Windows(5, 1.0).cut(series.ingest(X), 100, rng)
    assert min(window.values.std() for window in windows) > 0
    constant, _ = Windows(5, 1.0).cut(series.ingest(np.ones((2, 20))), 4, rng)
    assert len(constant) == 4  # nothing else to be had


def test_short_series_make_short_windows_and_say_so(rng):
    X = series.ingest([rng.normal(size=30), rng.normal(size=4)])
    with pytest.warns(UserWarning, match="windows have 4 values in place of 11"):
        windows, _ = Windows().cut(X, 10, rng)
    assert set(windows.lengths.tolist()) == {4}


def test_one_short_series_does_not_make_all_windows_short(rng):
    X = series.ingest([rng.normal(size=60 if i else 3) for i in range(20)])
    windows, sources = Windows().cut(X, 500, rng)
    assert set(windows.lengths.tolist()) == {11}
    assert windows.spans.max() > 50
    assert set(sources.tolist()) == set(range(1, 20))


def test_drawn_windows_come_of_random_series(rng):
    X = series.ingest(rng.normal(size=(4, 2, 30)))
    assert Windows().draw(5, rng, like=X).shape == (5,)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ([], "at least one window"),
        ([[1.0, float("nan")]], "window 0 holds NaN"),
        ([[1.0], [1e20]], "window 1 holds 1e\\+20, too large"),
        ([[[[1.0]]]], "window 0 has shape"),
        ([["a"]], "window 0 is not an array of real numbers"),
        ([Window([[1.0], [2.0]])], "one row of values for each channel"),
        ([Window([1.0, 2.0], 0)], "window 0 has dilation 0"),
        ([Window([1.0, 2.0], 2**40)], "at most"),
        ([Window([[1.0], [2.0]], 1, (1, 0))], "rising"),
        ([Window([1.0], 1, (-1,))], "from 0"),
    ],
)
def test_bad_windows_are_named(raw, message):
    with pytest.raises((ValueError, TypeError), match=message):
        Windows().ingest(raw)


def test_arrays_that_do_not_fit_are_refused():
    one = {"normalised": [False], "differenced": [False], "dilations": [1]}
    good = {
        "values": [1.0, 2.0],
        "offsets": [0, 2],
        "channels": [0],
        "channel_offsets": [0, 1],
        **one,
    }
    assert len(WindowList(**good)) == 1
    for bad in (
        {"offsets": [0, 3]},
        {"offsets": [1, 2]},
        {"offsets": [0, 2, 2]},
        {"channel_offsets": [0, 2]},
        {"channels": [0, 1, 2], "channel_offsets": [0, 3]},
        {"normalised": []},
        {"values": ["a", "b"]},
        {"values": [[1.0, 2.0]]},
        {"values": [1.0, np.inf]},
    ):
        with pytest.raises(ValueError, match="window"):
            WindowList(**{**good, **bad})


def test_windows_of_one_value_are_not_drawn_again(monkeypatch):
    # One value is always flat; a hundred rounds of draws took ten seconds for forty series.
    X = series.ingest(np.random.default_rng(0).normal(size=(10, 2, 2)))
    drawn = []
    places = _Steps.places
    monkeypatch.setattr(
        _Steps, "places", lambda self, n, *rest: drawn.append(n) or places(self, n, *rest)
    )
    with pytest.warns(UserWarning, match="1 values in place of 2"):
        found, sources = Windows(2, 1.0, True).cut(X, 50, np.random.default_rng(0))
    assert drawn == [50]
    assert len(sources) == len(found) == 50
