"""Values of parts that stay on the device: those of the host, and in the smallest type."""

import numpy as np
import pytest
from apart import Apart

import seamark as sm
from seamark.engine import backends
from seamark.engine.cuda import Cuda
from seamark.engine.executors import run_on


@pytest.fixture(params=["apart", "gpu"])
def device(request):
    return request.getfixturevalue(request.param)


WORDS = ["sea", "mark", "seamark", "", "see"]
JOBS = [
    ("substring", WORDS, ["sea", "␂ma", "k␃"], np.uint8),
    (sm.measures.Substring(ends=False), WORDS, ["sea", "rk"], np.uint8),
    ("member", [np.eye(3), np.ones((2, 3))], np.eye(3)[:2], np.float32),
    ("subsequence", [[0.0, 1.0, 4.0, 9.0], [2.0, 1.0, 0.0]], [[1.0, 3.0], [2.0] * 3], np.float32),
]


@pytest.mark.parametrize(("measure", "X", "L", "kept"), JOBS, ids=lambda job: str(job)[:12])
def test_values_stay_on_the_device(device, measure, X, L, kept):
    expected = sm.cross(measure, X, L)
    measure = sm.measures.get(measure) if isinstance(measure, str) else measure
    rows, landmarks = measure.domain.ingest(X), measure.landmark_domain.ingest(L)
    with sm.engine.using(backend=Cuda(device, backends.backend())):
        values = run_on(device, measure.compile(landmarks), rows)
    assert not isinstance(values, np.ndarray)
    assert values.dtype == kept
    out = np.empty(values.shape, values.dtype)
    device.download(values, out)
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-6)
    assert isinstance(values, Apart) or hasattr(values, "get")
