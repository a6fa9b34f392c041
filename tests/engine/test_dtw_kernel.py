"""The DTW kernel on every instruction set, and its numpy reference, against the textbook."""

import json
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from every_backend import ENGINES, HERE, kernels_of

try:
    from seamark.engine import _native
except ImportError:
    _native = None

ISAS = _native.isas() if _native else []
FUSED = [isa for isa in ISAS if isa != "baseline"]
GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "dtw_aeon.json").read_text())
WINDOWS = [None, 0, 1, 3, 10, 0.0, 0.1, 0.25, 0.5, 0.95, 1.0]


@pytest.fixture(scope="module")
def native():
    return pytest.importorskip("seamark.engine._native")


def flat(series):
    """(channels, time) arrays to time-major values and offsets."""
    channels = series[0].shape[0] if series else 1
    values = np.concatenate([s.T for s in series] or [np.zeros((0, channels))])
    offsets = np.cumsum([0, *(s.shape[1] for s in series)])
    return np.ascontiguousarray(values, np.float32), offsets.astype(np.int64)


def make_plan(engine, L, window=None, euclidean=False):
    steps = window if isinstance(window, int) else -1
    fraction = window if isinstance(window, float) else -1.0
    args = (*flat(L), steps, fraction, euclidean)
    return kernels_of(engine).dtw(*args)


def costs(engine, X, L, window=None, euclidean=False):
    out = np.full((len(X), len(L)), np.nan, np.float32)
    plan = make_plan(engine, L, window, euclidean)
    plan.run(*flat(X), out, np.zeros(1, np.uint8))
    return out


def textbook(X, L, window, euclidean):
    local = "euclidean" if euclidean else "squared"
    return naive.cross(lambda x, y: naive.dtw(x, y, window, local, root=False), X, L)


def assert_textbook(X, L, window, euclidean, rtol):
    """Compare every implementation; the textbook is slow, and asked once."""
    expected = textbook(X, L, window, euclidean)
    for engine in HERE:
        found = costs(engine, X, L, window, euclidean)
        np.testing.assert_allclose(found, expected, rtol=rtol, err_msg=engine)


def random_series(rng, lengths, channels):
    return [rng.standard_normal((channels, n)).astype(np.float32) for n in lengths]


@pytest.mark.parametrize("euclidean", [False, True])
@pytest.mark.parametrize("channels", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("window", WINDOWS)
def test_agrees_with_textbook(channels, window, euclidean):
    rng = np.random.default_rng(channels)
    X = random_series(rng, [1, 2, 9, 16, 23], channels)
    L = random_series(rng, [1, 2, 3, 16, 16, 9, 30], channels)
    assert_textbook(X, L, window, euclidean, rtol=2e-6)


@pytest.mark.parametrize("window", [None, 5, 0.1, 0.5])
def test_equal_lengths_fill_whole_blocks(window):
    rng = np.random.default_rng(5)
    X, L = random_series(rng, [40] * 3 + [33], 1), random_series(rng, [40] * 17, 1)
    assert_textbook(X, L, window, False, rtol=4e-6)


@pytest.mark.parametrize("channels", [1, 3])
def test_long_against_short(channels):
    rng = np.random.default_rng(6)
    X = random_series(rng, [1, 13], channels)
    L = random_series(rng, [900, 1300, 5], channels)
    assert_textbook(X, L, None, False, rtol=1e-5)
    for engine in HERE:
        back = costs(engine, L, X)
        np.testing.assert_allclose(back, costs(engine, X, L).T, rtol=1e-5, err_msg=engine)


series_lists = st.lists(st.integers(1, 14), min_size=1, max_size=6)
windows = st.one_of(st.none(), st.integers(0, 16), st.floats(0.0, 1.0))


@settings(max_examples=60, deadline=None)
@given(
    n=series_lists,
    m=series_lists,
    channels=st.integers(1, 5),
    window=windows,
    euclidean=st.booleans(),
    seed=st.integers(0, 99),
)
def test_any_input_agrees_with_textbook(n, m, channels, window, euclidean, seed):
    rng = np.random.default_rng(seed)
    X, L = random_series(rng, n, channels), random_series(rng, m, channels)
    assert_textbook(X, L, window, euclidean, rtol=3e-6)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("window", GOLDEN["cases"][0]["costs"])
def test_fractional_windows_are_those_of_aeon(engine, window):
    for channels in (1, 3):
        cases = [c for c in GOLDEN["cases"] if len(c["x"]) == channels]
        X, L = [np.array(c["x"]) for c in cases], [np.array(c["y"]) for c in cases]
        expected = [c["costs"][window] for c in cases]
        # All landmarks in one plan: blocks of mixed lengths; then each alone.
        np.testing.assert_allclose(np.diag(costs(engine, X, L, float(window))), expected, rtol=1e-6)
        alone = [costs(engine, [x], [y], float(window))[0, 0] for x, y in zip(X, L, strict=True)]
        np.testing.assert_array_equal(alone, np.diag(costs(engine, X, L, float(window))))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("window", [None, 4, 0.2])
@pytest.mark.parametrize("channels", [1, 2, 6])
def test_symmetric_to_the_last_bit(engine, window, channels):
    rng = np.random.default_rng(8)
    X, L = random_series(rng, range(1, 30), channels), random_series(rng, range(3, 26), channels)
    one, other = costs(engine, X, L, window), costs(engine, L, X, window)
    np.testing.assert_array_equal(one, other.T)


@pytest.mark.skipif(len(FUSED) < 2, reason="needs two instruction sets that fuse")
@pytest.mark.parametrize("euclidean", [False, True])
@pytest.mark.parametrize("window", [None, 6, 0.15])
@pytest.mark.parametrize("channels", [1, 2, 3, 9])
def test_instruction_sets_agree_to_the_last_bit(channels, window, euclidean):
    rng = np.random.default_rng(9)
    lengths = rng.integers(1, 300, 50)
    X, L = random_series(rng, lengths[:20], channels), random_series(rng, lengths[20:], channels)
    results = [costs(isa, X, L, window, euclidean) for isa in FUSED]
    np.testing.assert_array_equal(results[0], results[1])
    baseline = costs("baseline", X, L, window, euclidean)
    np.testing.assert_allclose(baseline, results[0], rtol=5e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_band_without_a_path_is_infinite(engine):
    rng = np.random.default_rng(10)
    X, L = random_series(rng, [3, 10, 40], 1), random_series(rng, [3, 6, 40, 41, 60], 1)
    out = costs(engine, X, L, 2)
    lengths = np.array([3, 10, 40])[:, None] - np.array([3, 6, 40, 41, 60])
    np.testing.assert_array_equal(np.isinf(out), abs(lengths) > 2)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("window", [None, 3, 0.1])
def test_length_100_000_needs_memory_of_its_length(engine, window):
    n = 100_000 if engine != "reference" else 5_000
    long, one = [np.ones((1, n), np.float32)], [np.zeros((1, 1), np.float32)]
    expected = n if window != 3 else np.inf
    assert costs(engine, long, one, window)[0, 0] == pytest.approx(expected)
    assert costs(engine, one, long, window)[0, 0] == pytest.approx(expected)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("window", [2, 0.0])
def test_long_against_long_in_a_narrow_band(isa, window):
    x = np.arange(100_000, dtype=np.float32)[None] % 7
    y = x + np.float32(0.5)
    expected = costs(isa, [x], [y], window)[0, 0]
    assert expected == pytest.approx(25_000 if window == 0.0 else expected)
    assert expected <= 25_000


@pytest.mark.parametrize("engine", ENGINES)
def test_no_landmarks_and_no_series(engine):
    x = [np.ones((1, 4), np.float32)]
    assert costs(engine, x, []).shape == (1, 0)
    assert costs(engine, [], x).shape == (0, 1)
    assert make_plan(engine, x).n_landmarks == 1


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("channels", [2, 5])
def test_slice_of_a_collection_into_strided_rows(engine, channels):
    rng = np.random.default_rng(12)
    X, L = random_series(rng, [5, 8, 3, 7], channels), random_series(rng, [4, 2, 6], channels)
    values, offsets = flat(X)
    wide = np.full((2, 8), -1, np.float32)
    plan = make_plan(engine, L, 0.5)
    plan.run(values, offsets[1:4].copy(), wide[:, 2:5], np.zeros(1, np.uint8))
    np.testing.assert_allclose(wide[:, 2:5], textbook(X[1:3], L, 0.5, False), rtol=2e-6)
    assert (np.delete(wide, [2, 3, 4], axis=1) == -1).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_stop_leaves_at_once(engine):
    x = [np.ones((1, 4), np.float32)]
    out = np.full((1, 1), -1, np.float32)
    make_plan(engine, x).run(*flat(x), out, np.ones(1, np.uint8))
    assert out[0, 0] == -1


@pytest.mark.parametrize("isa", ISAS)
def test_threads_share_a_plan(isa):
    rng = np.random.default_rng(13)
    X, L = random_series(rng, rng.integers(5, 60, 40), 3), random_series(rng, range(2, 40), 3)
    plan, expected = make_plan(isa, L, 0.2), costs(isa, X, L, 0.2)
    results = [np.empty_like(expected) for _ in range(4)]
    runs = [(*flat(X), out, np.zeros(1, np.uint8)) for out in results]
    threads = [threading.Thread(target=plan.run, args=run) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for out in results:
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_would_read_out_of_bounds_is_refused(engine):
    x = [np.ones((2, 4), np.float32)]
    values, offsets = flat(x)
    plan, stop, out = make_plan(engine, x), np.zeros(1, np.uint8), np.empty((1, 1), np.float32)
    with pytest.raises(ValueError, match="channels"):
        plan.run(values[:, :1].copy(), offsets, out, stop)
    with pytest.raises(ValueError, match="range"):
        plan.run(values, offsets + 1, out, stop)
    with pytest.raises(ValueError, match="range"):
        plan.run(values, offsets - 1, out, stop)
    with pytest.raises(ValueError, match="empty"):
        plan.run(values, np.array([2, 2]), out, stop)
    with pytest.raises(ValueError, match="fall"):
        plan.run(values, np.array([0, 4, 3]), np.empty((2, 1), np.float32), stop)
    with pytest.raises(ValueError, match="shape"):
        plan.run(values, offsets, np.empty((1, 2), np.float32), stop)
    make = kernels_of(engine).dtw
    with pytest.raises(ValueError, match="not both"):
        make(values, offsets, 3, 0.5, False)
    with pytest.raises(ValueError, match="empty"):
        make(values, np.array([0, 0]), -1, -1.0, False)


def test_unknown_instruction_set_is_refused(native):
    values, offsets = flat([np.ones((1, 2), np.float32)])
    with pytest.raises(ValueError, match="instruction set"):
        native.DTWPlan(values, offsets, -1, -1.0, False, "v9")
