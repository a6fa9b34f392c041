"""The CUDA kernels of dynamic time warping, on the host and on a GPU, against the reference."""

import numpy as np
import pytest

from seamark.engine.backends import backends
from seamark.engine.cuda.series import NOTED_PAIRS, DTWPlan
from seamark.engine.reference import dtw as Reference

GO = np.zeros(1, np.uint8)


def series(rng, lengths, channels):
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    values = rng.normal(size=(offsets[-1], channels)).astype(np.float32)
    return values.astype(np.float64), offsets


def costs(make, X, L, *band):
    out = np.full((len(X[1]) - 1, len(L[1]) - 1), np.nan, np.float32)
    make(*L, *band).run(*X, out, GO)
    return out


def on(device):
    return lambda *arguments: DTWPlan(device, *arguments)


CASES = [
    # landmarks, series, channels, band of steps, of a share, Euclidean
    ((2, 26), (1, 40), 3, -1, -1.0, False),
    ((13, 17), (1, 40), 2, -1, -1.0, False),
    ((2, 30), (1, 20), 1, -1, -1.0, True),
    ((2, 60), (1, 40), 5, -1, -1.0, False),
    ((1, 90), (1, 70), 1, -1, -1.0, False),
    ((60, 90), (60, 90), 1, 40, -1.0, False),
    ((40, 41), (40, 41), 1, 3, -1.0, False),
    ((1, 90), (1, 90), 2, -1, 0.3, False),
    ((40, 41), (40, 41), 1, -1, 0.1, False),
    ((1, 40), (1, 40), 4, -1, 0.9, True),
    ((1, 30), (1, 30), 1, 0, -1.0, False),
    ((1, 30), (1, 30), 1, -1, 1.0, False),
]


@pytest.mark.parametrize("case", CASES)
def test_agrees_with_the_reference(device, rng, case):
    landmarks, rows, channels, *band = case
    L = series(rng, rng.integers(*landmarks, size=40), channels)
    X = series(rng, rng.integers(*rows, size=15), channels)
    found, expected = costs(on(device), X, L, *band), costs(Reference, X, L, *band)
    np.testing.assert_allclose(found, expected, rtol=3e-6)


@pytest.mark.parametrize("case", CASES[::3])
def test_rounds_as_the_fused_kernels_of_the_cpu(device, rng, case):
    native = [kernels for name, kernels in backends().items() if name in ("v3", "v4")]
    if not native:
        pytest.skip("no native kernels that fuse are here")
    landmarks, rows, channels, *band = case
    L = series(rng, rng.integers(*landmarks, size=40), channels)
    X = series(rng, rng.integers(*rows, size=15), channels)
    expected = costs(native[-1].dtw, X, L, *band)
    np.testing.assert_array_equal(costs(on(device), X, L, *band), expected)


@pytest.mark.parametrize("band", [(-1, -1.0, False), (30, -1.0, True), (-1, 0.5, False)])
@pytest.mark.parametrize("room", [NOTED_PAIRS, 3])
def test_what_float32_cannot_tell_apart(device, rng, monkeypatch, band, room):
    monkeypatch.setattr("seamark.engine.cuda.series.NOTED_PAIRS", room)
    values, offsets = series(rng, [5, 9, 30, 12], 2)
    values += 1e6 + rng.normal(scale=1e-3, size=values.shape)
    near = values + rng.normal(scale=1e-4, size=values.shape)
    X, L = (near, offsets), (values, offsets)
    found, expected = costs(on(device), X, L, *band), costs(Reference, X, L, *band)
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_rows_come_in_parts_that_fit(host, rng, monkeypatch):
    L, X = series(rng, [5, 70, 9], 1), series(rng, [40] * 8, 1)
    expected = costs(on(host), X, L, -1, -1.0, False)
    monkeypatch.setattr(host, "room", 1000)  # two rows
    np.testing.assert_array_equal(costs(on(host), X, L, -1, -1.0, False), expected)
