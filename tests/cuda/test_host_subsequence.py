"""The CUDA kernels of windows in series, on the host and on a GPU, against the reference."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seamark.data import Window, WindowList
from seamark.engine.cuda.series import NOTED_PAIRS
from seamark.engine.cuda.windows import SubsequencePlan
from seamark.engine.reference import SubsequencePlan as Reference

GO = np.zeros(1, np.uint8)
FLAT = 1e-3


def windows(rng, n, channels, most=9, dilations=6):
    made = []
    for _ in range(n):
        where = np.sort(rng.choice(channels, rng.integers(1, channels + 1), replace=False))
        values = rng.normal(size=(len(where), rng.integers(1, most + 1)))
        shape, steps = (bool(b) for b in rng.random(2) < 0.5)
        made.append(
            Window(values, int(rng.integers(1, dilations)), tuple(where.tolist()), shape, steps)
        )
    return made


def series(rng, lengths, channels):
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return rng.normal(size=(offsets[-1], channels)).cumsum(axis=0), offsets


def arrays(L, channels):
    L = WindowList.of(L)
    flags = L.normalised.astype(np.uint8), L.differenced.astype(np.uint8)
    fixed = L.values, L.offsets, L.dilations, L.channels, L.channel_offsets
    return *fixed, *flags, channels, FLAT


def distances(make, X, L):
    out = np.full((len(X[1]) - 1, len(L)), np.nan, np.float32)
    make(*arrays(L, X[0].shape[1])).run(*X, out, GO)
    return out


def on(device):
    return lambda *given: SubsequencePlan(device, *given)


def assert_near(device, X, L, rtol=1e-5, atol=1e-5):
    found, expected = (distances(make, X, L) for make in (on(device), Reference))
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol)


@pytest.mark.parametrize("channels", [1, 3])
def test_agrees_with_the_reference(device, rng, channels):
    X = series(rng, [1, 2, 9, 40, 133, 300], channels)
    assert_near(device, X, windows(rng, 60, channels))


def test_many_windows_that_are_alike(device, rng):
    L = [Window(rng.normal(size=11), 2, (0,), k % 3 > 0, False) for k in range(60)]
    assert_near(device, series(rng, [200, 33, 65, 97, 129, 21, 161], 1), L)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_scales_do_not_matter(device, rng, scale):
    X, L = series(rng, [70, 30], 2), windows(rng, 20, 2)
    far = [w._replace(values=scale * w.values) for w in L]
    raw = np.array([1.0 if w.normalised else scale for w in L], np.float32)
    expected = distances(Reference, X, L)
    found = distances(on(device), (scale * X[0], X[1]), far) / raw
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e9])
@pytest.mark.parametrize("room", [NOTED_PAIRS, 2])
def test_a_window_is_found_where_it_was_cut(device, rng, monkeypatch, offset, room):
    monkeypatch.setattr("seamark.engine.cuda.series.NOTED_PAIRS", room)
    x = np.sin(np.arange(120) * rng.uniform(0.02, 0.4, size=(4, 1))) + offset
    cut = [(s, p, d) for s in range(4) for p, d in ((0, 1), (30, 3), (17, 9))]
    L = [
        Window(x[s, p : p + 10 * d + 1 : d], d, (0,), k % 2 > 0) for k, (s, p, d) in enumerate(cut)
    ]
    found = distances(on(device), (x.reshape(-1, 1), np.arange(0, 481, 120)), L)
    own = found[[s for s, _, _ in cut], np.arange(len(cut))]
    assert own.max() <= 1e-6 + 20 * offset * 2**-52
    expected = distances(Reference, (x.reshape(-1, 1), np.arange(0, 481, 120)), L)
    np.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-4)


def test_flat_places_have_no_shape(device, rng):
    x = np.zeros(60)
    x[40:] = rng.normal(size=20)
    X = np.concatenate([x[:30], x[:40] + 7.0, x])[:, None], np.array([0, 30, 70, 130])
    L = [Window([0.0, 1.0, 0.0, -1.0], normalised=True), Window([2.0] * 3, normalised=True)]
    assert_near(device, X, [*L, Window([0.0] * 3), Window([0.0, 0.0, 1.0], 2, differenced=True)])


def test_a_short_row_repeats_its_last_value(device):
    L = [
        Window([1.0, 2.0, 2.0, 2.0]),
        Window([1.0, 0.0, 0.0], differenced=True),
        Window([1.0, 2.0], 5),
    ]
    X = np.array([[1.0], [2.0], [4.0]]), np.array([0, 2, 3])
    assert_near(device, X, L)
    assert not distances(on(device), X, L)[0].any()


def test_long_windows_go_to_smaller_tiles(device, rng):
    L = [Window(rng.normal(size=700), 1, (0,), k > 10) for k in range(20)]
    assert_near(device, series(rng, [900, 710], 1), L)


def test_series_too_long_for_shared_memory(device, rng):
    L = [Window(rng.normal(size=9), 40, (0,), k % 2 > 0) for k in range(5)]
    assert_near(device, series(rng, [6000, 400], 1), L)


def test_a_window_too_large_for_the_chip_is_named(host):
    L = [Window([1.0]), Window(np.zeros(20_000))]
    with pytest.raises(ValueError, match="landmark 1 has 20000 values, more than the GPU"):
        SubsequencePlan(host, *arrays(L, 1))


def test_rows_come_in_parts_that_fit(host, rng, monkeypatch):
    X, L = series(rng, [40] * 9, 1), windows(rng, 12, 1)
    expected = distances(on(host), X, L)
    monkeypatch.setattr(host, "room", 12_000)
    np.testing.assert_array_equal(distances(on(host), X, L), expected)


def test_nothing_to_do(device, rng):
    L = windows(rng, 3, 1)
    none = np.zeros((0, 1)), np.zeros(1, np.int64)
    assert distances(on(device), none, L).shape == (0, 3)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(1, 50), min_size=1, max_size=3), st.integers(1, 9), st.integers(0, 99))
def test_any_input(host, lengths, n, seed):
    rng = np.random.default_rng(seed)
    assert_near(host, series(rng, lengths, 2), windows(rng, n, 2), rtol=2e-5, atol=2e-5)
