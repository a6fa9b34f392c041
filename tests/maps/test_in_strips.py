"""What is made of many rows a few at a time is what is made of them at once."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import seamark as sm
from seamark.linear_model.calibration import SoftmaxCalibration
from seamark.maps import CachedFeatures
from seamark.maps.value_cache import ValueCache, smallest_exact

rng = np.random.default_rng(0)
NAMES = ["".join(rng.choice(list("abcde"), rng.integers(2, 9))) for _ in range(150)]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("transfer", ["identity", "decay", "gaussian_decay"])
def test_features_in_strips(monkeypatch, threads, transfer):
    bearings = sm.LandmarkMap(
        "levenshtein", n_landmarks=40, transfer=transfer, scale=False, random_state=0
    ).fit(NAMES)
    X = bearings.ingest(NAMES)
    expected, some = bearings.transform(NAMES), np.array([3, 7, 20])
    monkeypatch.setattr("seamark.maps.value_cache.STRIP_VALUES", 200)
    with sm.engine.using(n_jobs=threads):
        features = CachedFeatures(bearings, X)
        assert_allclose(features.stacked(lambda _, block: block), expected, atol=1e-5)
        wanted = expected[:, some]
        assert_allclose(features.stacked(lambda _, block: block, some), wanted, atol=1e-5)
        order = np.array([9, 2, 149, 77])
        assert_allclose(features.rows(order, some), expected[order][:, some], atol=1e-5)


def test_values_of_some_rows_are_put_together_once(monkeypatch):
    bearings = sm.LandmarkMap("levenshtein", n_landmarks=20, random_state=0).fit(NAMES)
    features = CachedFeatures(bearings, bearings.ingest(NAMES))
    few = features.of_rows(np.arange(5, 90), np.arange(10))
    read, asked = ValueCache.read, []
    monkeypatch.setattr(ValueCache, "read", lambda *a, **k: asked.append(1) or read(*a, **k))
    looks = [few.with_transfers(bearings.transfers_).rows(np.arange(30)) for _ in range(3)]
    assert len(asked) == 1
    for look in looks:
        assert_array_equal(look, features.rows(np.arange(5, 35), np.arange(10)))


@pytest.mark.parametrize(
    ("low", "high", "kind"),
    [(0, 255, "u1"), (-3, 90, "i1"), (0, 300, "u2"), (-300, 9, "i2"), (0, 1e6, "f4")],
)
def test_types_of_strips_agree(monkeypatch, low, high, kind):
    monkeypatch.setattr("seamark.maps.value_cache.STRIP_VALUES", 10)
    values = rng.integers(0, 9, (40, 7)).astype(np.float32)
    values[3, 2], values[37, 5] = low, high
    with sm.engine.using(n_jobs=2):
        small = smallest_exact(values)
        assert small.dtype == np.dtype(kind)
        assert_array_equal(small, values)
        values[20, 0] = 0.5
        assert smallest_exact(values).dtype == np.float32


def test_chances_of_strips_add_up(monkeypatch):
    scores, labels = rng.normal(size=(300, 3)), rng.integers(0, 3, 300)
    weights = rng.uniform(0.5, 2.0, 300)
    scores[np.arange(300), labels] += 1.0
    whole = SoftmaxCalibration.fit(scores, labels, weights)
    monkeypatch.setattr("seamark.linear_model.calibration.CHANCE_ROWS", 17)
    with sm.engine.using(n_jobs=2):
        parts = SoftmaxCalibration.fit(scores, labels, weights)
    assert_allclose(parts.slope, whole.slope, rtol=1e-5)
    assert_allclose(parts.offset, whole.offset, atol=1e-5)
