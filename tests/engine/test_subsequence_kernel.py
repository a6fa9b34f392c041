"""Windows found in series, on every instruction set and in numpy, against the textbook."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import seamark as sm
from every_backend import ENGINES, HERE, kernels_of
from seamark.data import Window, WindowList, series
from seamark.engine.backends import backends

ISAS = list(backends())[1:]
FUSED = [isa for isa in ISAS if isa != "baseline"]
measure = sm.measures.Subsequence()


def cross(engine, X, L):
    with sm.engine.using(engine):
        return measure.cross(X, L, n_jobs=1)


def random_windows(rng, n, channels, most=9):
    made = []
    for _ in range(n):
        where = np.sort(
            rng.choice(channels, rng.integers(1, channels, endpoint=True), replace=False)
        )
        values = rng.normal(size=(len(where), rng.integers(1, most, endpoint=True)))
        facts = rng.random(2) < 0.5
        made.append(
            Window(values, int(rng.integers(1, 6)), tuple(where.tolist()), *map(bool, facts))
        )
    return made


def random_series(rng, lengths, channels):
    return [rng.normal(size=(channels, k)).cumsum(axis=1) for k in lengths]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("channels", [1, 3])
def test_agrees_with_textbook(engine, channels):
    rng = np.random.default_rng(channels)
    X = random_series(rng, [1, 2, 9, 40, 133], channels)
    L = random_windows(rng, 25, channels)
    expected = naive.cross(naive.subsequence, X, L)
    np.testing.assert_allclose(cross(engine, X, L), expected, rtol=1e-5, atol=1e-5)


@settings(max_examples=20, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 50), min_size=1, max_size=3),
    n=st.integers(1, 9),
    channels=st.integers(1, 4),
    scale=st.sampled_from([1e-6, 1.0, 1e6]),
    seed=st.integers(0, 99),
)
def test_any_input_agrees_with_textbook(lengths, n, channels, scale, seed):
    rng = np.random.default_rng(seed)
    X = [scale * x for x in random_series(rng, lengths, channels)]
    L = [w._replace(values=scale * w.values) for w in random_windows(rng, n, channels)]
    expected = naive.cross(naive.subsequence, X, L)
    raw = np.array([not w.normalised for w in L])
    for engine in HERE:
        got = cross(engine, X, L)
        np.testing.assert_allclose(got, expected, rtol=2e-5, atol=2e-5, err_msg=engine)
        scaled, wanted = got[:, raw] / scale, expected[:, raw] / scale
        np.testing.assert_allclose(scaled, wanted, rtol=2e-5, atol=2e-5, err_msg=engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("offset", [0.0, 1e4, 1e9])
def test_a_window_is_found_where_it_was_cut(engine, offset):
    rng = np.random.default_rng(3)
    smooth = np.sin(np.arange(120) * rng.uniform(0.02, 0.4, size=(4, 1))) + offset
    X = series.ingest(smooth)
    L, sources = measure.landmark_domain.cut(X, 60, rng)
    values = cross(engine, X, L)
    own = values[sources, np.arange(60)]
    # 2^-52 of the offset is what doubles keep of it; the deviation is about 0.7
    assert own.max() <= 1e-6 + 20 * offset * 2**-52
    expected = naive.cross(naive.subsequence, smooth, L[:8])
    np.testing.assert_allclose(values[:, :8], expected, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("engine", ENGINES)
def test_flat_places_have_no_shape(engine):
    x = np.zeros(60)
    x[40:] = np.random.default_rng(4).normal(size=20)
    shape = Window([0.0, 1.0, 0.0, -1.0], normalised=True)
    flat, level = Window([2.0, 2.0, 2.0], normalised=True), Window([0.0, 0.0, 0.0])
    X = [x[:30], x[:40] + 7.0, x]
    values = cross(engine, X, [shape, flat, level])
    np.testing.assert_allclose(
        values, naive.cross(naive.subsequence, X, [shape, flat, level]), atol=1e-5
    )
    assert values[0, 0] == pytest.approx(2.0)  # a place without shape is all 0: the root of M
    assert values[0, 1] == values[2, 1] == values[2, 2] == 0.0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_short_row_repeats_its_last_value(engine):
    L = [
        Window([1.0, 2.0, 2.0, 2.0]),
        Window([1.0, 0.0, 0.0], differenced=True),
        Window([1.0, 2.0], 5),
    ]
    np.testing.assert_allclose(cross(engine, [[1.0, 2.0]], L), [[0.0, 0.0, 0.0]])
    np.testing.assert_allclose(
        cross(engine, [[4.0]], L), naive.cross(naive.subsequence, [[4.0]], L)
    )


@pytest.mark.skipif(len(FUSED) < 2, reason="needs two instruction sets that fuse")
def test_instruction_sets_agree_to_the_last_bit():
    rng = np.random.default_rng(5)
    X, L = random_series(rng, rng.integers(20, 300, 10), 3), random_windows(rng, 150, 3, 15)
    one, other = (cross(isa, X, L) for isa in FUSED)
    np.testing.assert_array_equal(one, other)


def arrays(L, n_channels=1, flat=1e-3):
    flags = (L.normalised.astype(np.uint8), L.differenced.astype(np.uint8))
    return (
        L.values,
        L.offsets,
        L.dilations,
        L.channels,
        L.channel_offsets,
        *flags,
        n_channels,
        flat,
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_strided_rows_slices_and_stop(engine):
    rng = np.random.default_rng(6)
    L = WindowList.of(random_windows(rng, 5, 1))
    plan = kernels_of(engine).subsequence(*arrays(L))
    values, offsets = rng.normal(size=(30, 1)), np.array([0, 9, 20, 30])
    wide, go = np.full((2, 8), -1, np.float32), np.zeros(1, np.uint8)
    plan.run(values, offsets[1:], wide[:, 2:7], go)
    expected = naive.cross(naive.subsequence, [values[9:20, 0], values[20:, 0]], L)
    np.testing.assert_allclose(wide[:, 2:7], expected, rtol=1e-5, atol=1e-5)
    assert (np.delete(wide, range(2, 7), axis=1) == -1).all()
    wide[:] = -1
    plan.run(values, offsets[1:], wide[:, 2:7], go + 1)
    assert (wide == -1).all()
    assert plan.n_landmarks == 5


@pytest.mark.parametrize("isa", ISAS)
def test_threads_share_a_plan(isa):
    rng = np.random.default_rng(7)
    X = series.ingest(random_series(rng, rng.integers(5, 60, 40), 1))
    L = WindowList.of(random_windows(rng, 30, 1))
    plan, expected = backends()[isa].subsequence(*arrays(L)), cross(isa, X, L)
    results = [np.empty_like(expected) for _ in range(4)]
    runs = [(X.values, X.offsets, out, np.zeros(1, np.uint8)) for out in results]
    threads = [threading.Thread(target=plan.run, args=run) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for out in results:
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_would_read_out_of_bounds_is_refused(engine):
    L = WindowList.of([Window([1.0, 2.0])])
    make = kernels_of(engine).subsequence
    plan, stop, out = make(*arrays(L)), np.zeros(1, np.uint8), np.empty((1, 1), np.float32)
    x = np.ones((4, 1))
    for values, offsets, where, message in (
        (np.ones((4, 2)), [0, 4], out, "channels"),
        (x, [0, 5], out, "range"),
        (x, [-1, 4], out, "range"),
        (x, [2, 2], out, "empty"),
        (x, [0, 4], np.empty((1, 2), np.float32), "shape"),
    ):
        with pytest.raises(ValueError, match=message):
            plan.run(values, np.array(offsets), where, stop)
    with pytest.raises(ValueError, match="channel"):
        make(*arrays(L, 0))
    values, offsets, dilations, *rest = arrays(L)
    with pytest.raises(ValueError, match="window|dilation"):
        make(values, offsets, dilations * 0, *rest)
    with pytest.raises(ValueError, match="window"):
        make(values[:0], offsets * 0, dilations, *rest)
