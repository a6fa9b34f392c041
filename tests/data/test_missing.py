"""Missing values inside series: elastic measures leave steps out, windows interpolate."""

import numpy as np
import pytest

import seamark as sm
from seamark.checks import check_object_estimator
from seamark.data import series
from seamark.data.missing import interpolated, shares_missing
from seamark.measures import ADTW, DDTW, DTW, EDR, ERP, LCSS, MSM, TWE, WDTW, Subsequence

ELASTIC = [DTW(), DTW(window=0.5, znormalise=True), DDTW(), WDTW(), ADTW(), MSM(), TWE(), ERP()]
ELASTIC += [EDR(), LCSS()]


def walks(seed, n=12, steps=40):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=steps + k).cumsum() for k in range(n)]


def with_holes(walks, seed, share=0.2):
    """Return the series with missing values, and without these steps."""
    rng = np.random.default_rng(seed)
    holes = [rng.random(len(x)) < share for x in walks]
    broken = [np.where(hole, np.nan, x) for x, hole in zip(walks, holes, strict=True)]
    return broken, [x[~hole] for x, hole in zip(walks, holes, strict=True)]


@pytest.mark.parametrize("measure", ELASTIC, ids=repr)
def test_elastic_measures_leave_out_steps_without_a_value(measure):
    rows, short_rows = with_holes(walks(0), 1)
    landmarks, short_landmarks = with_holes(walks(2), 3)
    found = measure.cross(rows, landmarks)
    np.testing.assert_allclose(found, measure.cross(short_rows, short_landmarks), rtol=1e-5)


def test_a_channel_that_is_missing_beside_others_is_interpolated():
    whole = np.array([[0.0, 1.0, 2.0, 3.0, 4.0], [5.0, 3.0, 1.0, 2.0, 0.0]])
    broken = whole.copy()
    broken[0, 2] = np.nan  # where 2 lies between 1 and 3
    other = [np.zeros((2, 4))]
    np.testing.assert_array_equal(DTW().cross([broken], other), DTW().cross([whole], other))
    broken[:, 3] = np.nan
    shorter = np.delete(whole, 3, axis=1)
    shorter[0, 2] = 1 + (4 - 1) / 3
    np.testing.assert_allclose(
        DTW().cross([broken], other), DTW().cross([shorter], other), rtol=1e-6
    )


@pytest.mark.parametrize("differenced", [False, True])
def test_windows_and_convolutions_interpolate(differenced):
    broken, _ = with_holes(walks(4), 5)
    steps = [np.arange(len(x)) for x in broken]
    last = [np.flatnonzero(~np.isnan(x))[-1] + 1 for x in broken]
    lines = [
        np.interp(at, at[~np.isnan(x)], x[~np.isnan(x)])[:end]
        for x, at, end in zip(broken, steps, last, strict=True)
    ]
    windows = sm.LandmarkMap(
        Subsequence(length=7, differenced=differenced), landmarks="parts", random_state=0
    )
    np.testing.assert_allclose(
        windows.fit_transform(broken), windows.fit_transform(lines), rtol=1e-5, atol=1e-6
    )
    kernels = sm.RandomConvolution(500, random_state=0)
    np.testing.assert_array_equal(kernels.fit_transform(broken), kernels.fit_transform(lines))


def test_padding_at_the_end_is_no_part_of_a_series():
    rows = walks(6)
    padded = np.full((len(rows), max(map(len, rows))), np.nan)
    for row, x in zip(padded, rows, strict=True):
        row[: len(x)] = x
    for measure in (DTW(), Subsequence(length=5)):
        model = sm.LandmarkRegressor(measure, random_state=0)
        own, same = (model.fit(X, range(len(rows))).predict(X) for X in (rows, padded[:, None, :]))
        np.testing.assert_allclose(own, same, rtol=1e-5)


def test_search_skips_comparisons_and_finds_what_all_of_them_find():
    broken, short = with_holes(walks(7, n=60), 8)
    index = sm.Index("dtw").fit(broken)
    queries, _ = with_holes(walks(9, n=5), 10)
    values = DTW().cross(queries, short)
    _, found = index.query(queries, k=3)
    np.testing.assert_array_equal(found, np.argsort(values, axis=1, kind="stable")[:, :3])


@pytest.mark.parametrize("channels", [1, 3])
def test_defaults_learn_from_what_is_missing(channels, tmp_path):
    rng = np.random.default_rng(11)
    X, y = rng.normal(size=(160, channels, 50)), np.arange(160) % 2
    X[rng.random(X.shape) < np.where(y, 0.25, 0.05)[:, None, None]] = np.nan
    model = sm.LandmarkClassifier(random_state=0).fit(X[:100], y[:100])
    assert model.score(X[100:], y[100:]) > 0.9  # values alone say nothing
    explanation = model.explain(X[100:101])[0]
    assert explanation.lines()[1][0].startswith("missing values: share missing")
    assert sum(added for _, added in explanation.lines()) == pytest.approx(explanation.score)
    sm.save(model, tmp_path / "model")
    loaded = sm.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(X[100:]), model.predict(X[100:]))
    model.report(tmp_path / "page.html")
    assert "missing values" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_whole_series_have_no_block_for_missing_values():
    X = np.random.default_rng(12).normal(size=(40, 1, 30))
    model = sm.LandmarkClassifier(random_state=0).fit(X, [0, 1] * 20)
    assert not any(isinstance(one, sm.maps.MissingShares) for one in model.map_.blocks_)


def test_what_cannot_be_used_is_said():
    with pytest.raises(ValueError, match=r"Series 1 has no value: all are NaN\. Drop it\."):
        DTW().cross([[1.0, 2.0], [np.nan, np.nan]], [[1.0]])
    with pytest.raises(ValueError, match="Series 0 has no value in channel 1"):
        DTW().cross([[[1.0, 2.0], [np.nan, np.nan]]], [[[1.0], [2.0]]])
    with pytest.raises(ValueError, match="infinity"):
        DTW().cross([[1.0, np.inf, np.nan]], [[1.0]])


def test_equal_series_are_equal_with_missing_values():
    X = series.ingest([[1.0, np.nan, 2.0], [1.0, -np.nan, 2.0], [1.0, 0.0, 2.0]])
    groups = X.domain.groups(X)
    assert groups[0] == groups[1] != groups[2]
    np.testing.assert_allclose(shares_missing(X).ravel(), [1 / 3, 1 / 3, 0])
    assert [len(x) for x in interpolated(X)] == [3, 3, 3]


def test_object_checks_of_the_shares(rng):
    waves = [rng.normal(size=5 + k % 4) for k in range(24)]
    for wave in waves[::3]:
        wave[1] = np.nan
    check_object_estimator(sm.maps.MissingShares(), waves)
