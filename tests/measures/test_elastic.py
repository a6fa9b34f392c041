"""The elastic family around its kernels: facts, bands, parameters, messages."""

import numpy as np
import pytest

import naive
import naive_elastic
from seamark.checks import check_measure
from seamark.data import series
from seamark.measures import ADTW, DDTW, DTW, EDR, ERP, LCSS, MSM, TWE, WDTW
from seamark.measures.elastic import slopes

EVERY = [MSM, TWE, ERP, EDR, LCSS, WDTW, ADTW, DDTW]
METRICS = [MSM(), MSM(c=0.1), TWE(), TWE(nu=0.5, lmbda=0.0), ERP(), ERP(g=1.0)]


def walks(rng, n=14, channels=1):
    return [rng.normal(size=(channels, k)).cumsum(axis=1) for k in rng.integers(3, 25, n)]


@pytest.mark.parametrize("cls", EVERY)
@pytest.mark.parametrize("window", [None, 0.5])
def test_keeps_its_promises(rng, cls, window):
    check_measure(cls(window=window), [rng.normal(size=(2, k)) for k in (9, 10, 11, 12, 12)])


@pytest.mark.parametrize("measure", METRICS, ids=repr)
@pytest.mark.parametrize("channels", [1, 2])
def test_triangles_hold(rng, measure, channels):
    assert measure.triangle is True
    X = walks(rng, 30, channels) + [np.round(x) for x in walks(rng, 20, channels)]
    D = measure.cross(X, X).astype(np.float64)
    excess = max(float((D - (D[:, j, None] + D[j])).max()) for j in range(len(D)))
    assert excess <= 1e-5 * D.max()


@pytest.mark.parametrize("cls", EVERY)
def test_in_a_band_triangles_are_not_promised(cls):
    assert cls(window=0.1).triangle is None
    assert cls().triangle in (True, False)


@pytest.mark.parametrize("cls", EVERY)
def test_a_band_with_no_path_says_so(rng, cls):
    X, L = [rng.normal(size=10)], [rng.normal(size=10), rng.normal(size=30)]
    with pytest.raises(ValueError, match="leaves no path .*landmark 1, whose lengths differ by 20"):
        cls(window=5).cross(X, L)


@pytest.mark.parametrize("cls", EVERY)
@pytest.mark.parametrize("window", [-1, 1.5, "wide", True])
def test_bad_windows_are_named(cls, window):
    with pytest.raises(ValueError, match="window must be"):
        cls(window=window).cross([[1.0]], [[1.0]])


@pytest.mark.parametrize(
    "measure",
    [
        MSM(c=-1),
        MSM(c="1"),
        TWE(nu=-0.1),
        TWE(lmbda=np.inf),
        ERP(g=np.nan),
        ERP(g=None),
        EDR(epsilon=-1),
        LCSS(epsilon="near"),
        WDTW(g=-1),
        WDTW(g="steep"),
        ADTW(warp_penalty=-1),
    ],
    ids=repr,
)
def test_bad_numbers_are_named(measure):
    name = next(name for name in measure.get_params() if name not in ("window", "root", "nu"))
    name = "nu" if isinstance(measure, TWE) and measure.nu < 0 else name
    with pytest.raises(ValueError, match=f"{name} must be a number"):
        measure.cross([[1.0]], [[1.0]])


@pytest.mark.parametrize("cls", [WDTW, ADTW, DDTW])
def test_roots(rng, cls):
    X, L = walks(rng, 3), walks(rng, 4)
    np.testing.assert_allclose(cls(root=True).cross(X, L) ** 2, cls().cross(X, L), rtol=1e-5)


def test_slopes_of_every_length(rng):
    X = [rng.normal(size=(2, k)) for k in (1, 2, 3, 4, 11)]
    for made, x in zip(slopes(series.ingest(X)), X, strict=True):
        np.testing.assert_allclose(made, naive_elastic.slopes(x), atol=1e-12)


def test_without_warping_costs_they_are_dtw(rng):
    X, L = walks(rng, 5, 2), walks(rng, 6, 2)
    warped = DTW(root=False).cross(X, L)
    np.testing.assert_allclose(ADTW(warp_penalty=0.0).cross(X, L), warped, rtol=1e-5)
    np.testing.assert_allclose(2 * WDTW(g=0.0).cross(X, L), warped, rtol=1e-5)


def test_equal_steps_match_whatever_the_threshold():
    flat = np.ones(6)
    assert EDR().cross([flat], [flat])[0, 0] == 0.0
    assert EDR(epsilon=0.0).cross([[1.0, 2.0]], [[1.0, 2.0]])[0, 0] == 0.0


def test_many_lengths_of_weights(rng):
    # weights depend on the longer length, which differs from lane to lane and row to row
    X, L = walks(rng, 8), walks(rng, 20)
    expected = naive.cross(lambda x, y: naive_elastic.wdtw(x, y, g=0.3), X, L)
    np.testing.assert_allclose(WDTW(g=0.3).cross(X, L), expected, rtol=1e-5)
