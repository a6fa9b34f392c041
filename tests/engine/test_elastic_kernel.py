"""Elastic kernels on every instruction set, and in numpy, against textbooks and aeon."""

import json
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import naive_elastic
import seamark as sm
from every_backend import ENGINES, HERE, kernels_of
from seamark.data import series
from seamark.engine.backends import backends
from seamark.measures import MSM, get

ISAS = list(backends())[1:]
FUSED = [isa for isa in ISAS if isa != "baseline"]
NAMES = ["msm", "twe", "erp", "edr", "lcss", "wdtw", "adtw", "ddtw"]
GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "elastic_aeon.json").read_text())
NUMBERS = {
    "msm": {"c": 0.3},
    "twe": {"nu": 0.05, "lmbda": 0.4},
    "erp": {"g": 0.5},
    "edr": {"epsilon": 0.6},
    "lcss": {"epsilon": 0.4},
    "wdtw": {"g": 0.4},
    "adtw": {"warp_penalty": 0.2},
    "ddtw": {},
}


def cross(engine, measure, X, L):
    with sm.engine.using(engine):
        return measure.cross(X, L, n_jobs=1)


def expected(name, X, L, **params):
    return naive.cross(lambda x, y: getattr(naive_elastic, name)(x, y, **params), X, L)


def assert_textbook(name, X, L, wanted, **params):
    """Compare every implementation with the textbook, which is slow, and was asked once."""
    for engine in HERE:
        got = cross(engine, get(name)._with(**params), X, L)
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6, err_msg=engine)


def walks(rng, lengths, channels):
    return [rng.normal(size=(channels, k)) for k in lengths]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("window", [None, 0.3])
def test_agrees_with_textbook(name, channels, window):
    rng = np.random.default_rng(channels)
    X, L = walks(rng, [3, 9, 22], channels), walks(rng, [4, 9, 9, 17, 30], channels)
    params = {"window": window, **NUMBERS[name]}
    assert_textbook(name, X, L, expected(name, X, L, **params), **params)


@pytest.mark.parametrize("name", NAMES)
def test_bands_of_steps_and_whole_blocks(name):
    rng = np.random.default_rng(4)
    X, L = walks(rng, [25, 26], 1), walks(rng, [25] * 17 + [27], 1)
    assert_textbook(name, X, L, expected(name, X, L, window=3), window=3)


@settings(max_examples=25, deadline=None)
@given(
    name=st.sampled_from(NAMES),
    n=st.lists(st.integers(1, 12), min_size=1, max_size=3),
    m=st.lists(st.integers(1, 12), min_size=1, max_size=3),
    channels=st.integers(1, 3),
    window=st.one_of(st.none(), st.integers(12, 14), st.floats(0.5, 1.0)),
    seed=st.integers(0, 99),
)
def test_any_input_agrees_with_textbook(name, n, m, channels, window, seed):
    rng = np.random.default_rng(seed)
    X, L = walks(rng, n, channels), walks(rng, m, channels)
    wanted = expected(name, X, L, window=window)
    if np.isfinite(wanted).all():
        assert_textbook(name, X, L, wanted, window=window)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", range(len(GOLDEN["cases"])))
def test_values_are_those_of_aeon(engine, case):
    one = GOLDEN["cases"][case]
    for name, params, value in one["values"]:
        if np.isfinite(value):
            got = cross(
                engine, get(name)._with(**params), [np.array(one["x"])], [np.array(one["y"])]
            )
            assert got[0, 0] == pytest.approx(value, rel=1e-5, abs=1e-6), (name, params)


@pytest.mark.skipif(len(FUSED) < 2, reason="needs two instruction sets that fuse")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("window", [None, 0.2])
def test_instruction_sets_agree_to_the_last_bit(name, window):
    rng = np.random.default_rng(9)
    lengths = rng.integers(3, 150, 40)
    X, L = walks(rng, lengths[:10], 2), walks(rng, lengths[10:], 2)
    one, other = (cross(isa, get(name)._with(window=window), X, L) for isa in FUSED)
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", NAMES)
def test_symmetric_and_0_to_itself(engine, name):
    rng = np.random.default_rng(8)
    X = walks(rng, range(1, 20), 2)
    values = cross(engine, get(name), X, X)
    np.testing.assert_allclose(values, values.T, rtol=1e-6)
    assert np.abs(values.diagonal()).max() <= 1e-6


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["msm", "erp", "edr", "adtw"])  # TWE begins at 0
def test_a_common_offset_costs_no_digits(engine, name):
    rng = np.random.default_rng(10)
    X, L = walks(rng, [30] * 3, 1), walks(rng, [25] * 3, 1)
    moved = {"g": 1e6} if name == "erp" else {}
    near = cross(engine, get(name), X, L)
    far = cross(engine, get(name)._with(**moved), [x + 1e6 for x in X], [y + 1e6 for y in L])
    np.testing.assert_allclose(far, near, rtol=1e-5)


def arguments(X, rule="erp", steps=-1, fraction=-1.0, gap=1):
    flat = np.ascontiguousarray(X.flat, np.float64)
    return flat, X.offsets, steps, fraction, rule, 0.5, 0.5, np.zeros(gap)


@pytest.mark.parametrize("engine", ENGINES)
def test_strided_rows_slices_and_stop(engine):
    rng = np.random.default_rng(6)
    L = series.ingest([x[0] for x in walks(rng, [4, 7, 9], 1)])
    plan = kernels_of(engine).elastic(*arguments(L))
    values, offsets = rng.normal(size=(30, 1)), np.array([0, 9, 20, 30])
    wide, go = np.full((2, 7), -1, np.float32), np.zeros(1, np.uint8)
    plan.run(values, offsets[1:], wide[:, 2:5], go)
    wanted = expected("erp", [values[9:20, 0], values[20:, 0]], L)
    np.testing.assert_allclose(wide[:, 2:5], wanted, rtol=1e-5)
    assert (np.delete(wide, [2, 3, 4], axis=1) == -1).all()
    wide[:] = -1
    plan.run(values, offsets[1:], wide[:, 2:5], go + 1)
    assert (wide == -1).all()
    assert plan.n_landmarks == 3


@pytest.mark.parametrize("isa", ISAS)
def test_threads_share_a_plan(isa):
    rng = np.random.default_rng(13)
    X, L = series.ingest(walks(rng, range(5, 40), 1)), series.ingest(walks(rng, range(2, 30), 1))
    plan = backends()[isa].elastic(*arguments(L, "wdtw", fraction=0.3))
    results = [np.empty((len(X), len(L)), np.float32) for _ in range(4)]
    runs = [(X.values, X.offsets, out, np.zeros(1, np.uint8)) for out in results]
    threads = [threading.Thread(target=plan.run, args=run) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    plan.run(X.values, X.offsets, alone := np.empty_like(results[0]), np.zeros(1, np.uint8))
    for out in results:
        np.testing.assert_array_equal(out, alone)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_would_read_out_of_bounds_is_refused(engine):
    L = series.ingest([[1.0, 2.0, 3.0]])
    make = kernels_of(engine).elastic
    plan, stop, out = make(*arguments(L)), np.zeros(1, np.uint8), np.empty((1, 1), np.float32)
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
    two = series.ingest(np.ones((1, 2, 5)))
    for bad, message in (
        (arguments(L, "soft"), "no elastic measure"),
        (arguments(two, "msm"), "one channel"),
        (arguments(two, "erp"), "one number per channel"),
        (arguments(L, steps=1, fraction=0.5), "not both"),
        (arguments(series.ingest([[1.0]]), "twe"), "empty"),
    ):
        with pytest.raises(ValueError, match=message):
            make(*bad)


def test_channels_of_msm_are_added_up():
    rng = np.random.default_rng(3)
    X, L = walks(rng, [8, 12], 3), walks(rng, [9, 10], 3)
    parts = [MSM().cross([x[k] for x in X], [y[k] for y in L]) for k in range(3)]
    np.testing.assert_allclose(MSM().cross(X, L), sum(parts), rtol=1e-6)
