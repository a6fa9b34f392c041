"""The CUDA kernels of the elastic family, on the host and on a GPU, against the CPU's."""

import numpy as np
import pytest

from seamark.engine.backends import backends
from seamark.engine.cuda.series import RULES, ElasticPlan
from seamark.engine.reference.series import ElasticPlan as Reference

GO = np.zeros(1, np.uint8)
NUMBERS = {
    "wdtw": (0.4, 0.0),
    "adtw": (0.2, 0.0),
    "erp": (0.0, 0.0),
    "edr": (-1.0, 0.0),
    "lcss": (0.4, 0.0),
    "msm": (0.3, 0.0),
    "twe": (0.05, 0.4),
}
CASES = {
    # landmarks, series, channels, band of steps, of a share
    "strips": ((20, 45), (1, 40), 1, -1, -1.0),
    "a share": ((1, 40), (1, 40), 2, -1, 0.3),
    "steps": ((28, 36), (28, 36), 1, 9, -1.0),
    "channels": ((5, 9), (1, 30), 5, -1, -1.0),
}


def series(rng, lengths, channels, rule):
    """Numbers that float32 holds; those of "twe" with a step of origin before them."""
    offsets = np.concatenate([[0], np.cumsum(lengths + (rule == "twe"))]).astype(np.int64)
    values = rng.normal(size=(offsets[-1], channels)).astype(np.float32)
    return values.astype(np.float64), offsets


def both(rng, rule, case):
    landmarks, rows, channels, *band = CASES[case]
    channels = 1 if rule == "msm" else channels
    L = series(rng, rng.integers(*landmarks, size=40), channels, rule)
    X = series(rng, rng.integers(*rows, size=9), channels, rule)
    return X, (*L, *band, rule, *NUMBERS[rule], np.full(channels, 0.5))


def costs(make, X, measure):
    out = np.full((len(X[1]) - 1, len(measure[1]) - 1), np.nan, np.float32)
    make(*measure).run(*X, out, GO)
    return out


def on(device):
    return lambda *arguments: ElasticPlan(device, *arguments)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("rule", RULES)
def test_agrees_with_the_reference(device, rng, rule, case):
    X, measure = both(rng, rule, case)
    expected = costs(Reference, X, measure)
    assert np.isfinite(expected).any()
    np.testing.assert_allclose(costs(on(device), X, measure), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("rule", RULES)
def test_rounds_as_the_fused_kernels_of_the_cpu(device, rng, rule, case):
    native = [kernels for name, kernels in backends().items() if name in ("v3", "v4")]
    if not native:
        pytest.skip("no native kernels that fuse are here")
    X, measure = both(rng, rule, case)
    expected = costs(native[-1].elastic, X, measure)
    np.testing.assert_array_equal(costs(on(device), X, measure), expected)


@pytest.mark.parametrize("rule", ["erp", "wdtw"])
def test_rows_come_in_parts_that_fit(host, rng, monkeypatch, rule):
    X, measure = both(rng, rule, "strips")
    expected = costs(on(host), X, measure)
    monkeypatch.setattr(host, "room", 2000)
    np.testing.assert_array_equal(costs(on(host), X, measure), expected)


def test_nothing_to_do(device, rng):
    X, measure = both(rng, "adtw", "steps")
    none = np.zeros((0, 1)), np.zeros(1, np.int64)
    assert costs(on(device), none, measure).shape == (0, 40)
    assert costs(on(device), X, (*none, *measure[2:])).shape == (9, 0)
