"""Hashes of texts and sums of a calibration on a device, against those of the host."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seamark as sm
from seamark.data import hashes, strings
from seamark.engine import backends
from seamark.engine.cuda import Cuda
from seamark.engine.cuda.statistics import SoftmaxSums, hashes_on
from seamark.linear_model.calibration import SoftmaxCalibration


def test_hashes_are_the_hosts(device, rng):
    for alphabet in ("\x00ab", "aß€", "a\U0001f30a"):
        texts = ["".join(rng.choice(list(alphabet), k)) for k in rng.integers(0, 40, 200)]
        X = strings.ingest(texts)[3:190]
        found = hashes_on(device, X.flat, X.offsets - X.offsets[0])
        np.testing.assert_array_equal(found, hashes(X))
    assert len(hashes_on(device, np.zeros(0, np.uint8), np.zeros(1, np.int64))) == 0


@given(st.lists(st.text(), min_size=1, max_size=5))
def test_hashes_of_any_text(host, texts):
    X = strings.ingest(texts)
    found = hashes_on(host, X.flat, X.offsets - X.offsets[0])
    np.testing.assert_array_equal(found, hashes(X))


def test_sums_of_a_softmax(device, rng):
    scores, weights = 3 * rng.normal(size=(321, 4)), rng.uniform(size=321)
    offsets = np.array([0.0, 0.3, -1.0, 2.0])
    logs, slope, chances = SoftmaxSums(device, scores, weights)(1.7, offsets)
    logits = 1.7 * scores + offsets
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(logs, weights @ np.log(np.exp(logits).sum(axis=1)), rtol=1e-12)
    np.testing.assert_allclose(slope, weights @ (expected * scores).sum(axis=1), rtol=1e-10)
    np.testing.assert_allclose(chances, weights @ expected, rtol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 5])
def test_a_calibration_is_the_hosts(device, rng, monkeypatch, n_classes):
    labels = rng.integers(0, n_classes, 400)
    scores = rng.normal(size=(400, n_classes))
    scores[np.arange(400), labels] += 1.0
    scores = scores if n_classes > 2 else scores[:, 1] - scores[:, 0]
    weights = rng.uniform(0.5, 2.0, 400)
    here = SoftmaxCalibration.fit(scores, labels, weights)
    monkeypatch.setattr("seamark.linear_model.calibration.DEVICE_SCORES", 0)
    with sm.engine.using(backend=Cuda(device, backends.backend())):
        there = SoftmaxCalibration.fit(scores, labels, weights)
    np.testing.assert_allclose(there.slope, here.slope, rtol=1e-6)
    np.testing.assert_allclose(there.offset, here.offset, rtol=1e-4, atol=1e-6)


def test_many_classes_stay_on_the_host(host):
    assert SoftmaxSums.fits(host, 100)
    assert not SoftmaxSums.fits(host, 1000)


def test_bytes_that_no_landmark_has(device, rng):
    """Texts in bytes are encoded there: letters of no landmark, wide landmarks, wide texts."""
    for landmarks, wide in ((["abc", "bd"], []), (["aß€", "b"], []), (["abc", "ß"], ["€ab"])):
        X = wide + ["".join(rng.choice(list("abcxyz"), k)) for k in rng.integers(0, 9, 50)]
        expected = sm.cross("levenshtein", X, landmarks)
        with sm.engine.using(backend=Cuda(device, backends.backend())):
            np.testing.assert_array_equal(sm.cross("levenshtein", X, landmarks), expected)


def test_codes_of_bytes_are_checked(host):
    codes, offsets = np.array([0, 1, 1], np.int32), np.array([0, 2, 3])
    plan = Cuda(host, backends.backend()).levenshtein(codes, offsets, 2)
    with pytest.raises(ValueError, match="codes out of range"):
        plan.read_bytes(np.full(256, 3, np.uint8))
    plan.read_bytes(np.full(256, 2, np.uint8))
    out = np.empty((1, 2), np.float32)
    plan.run(np.array([7, 200, 9], np.uint8), np.array([0, 3]), out, np.zeros(1, np.uint8))
    np.testing.assert_array_equal(out, [[3.0, 3.0]])
    with pytest.raises(ValueError, match="offsets out of range"):
        plan.run(np.zeros(2, np.uint8), np.array([0, 3]), out, np.zeros(1, np.uint8))
    with pytest.raises(ValueError, match="codes out of range"):
        plan.run(np.full(3, 3, np.int32), np.array([0, 3]), out, np.zeros(1, np.uint8))
