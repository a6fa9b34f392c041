"""One row at a time: threads that share a model, and the served example over loopback."""

import gc
import http.client
import json
import os
import socket
import subprocess
import sys
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import seamark as sm

EXAMPLE = Path(__file__).parents[2] / "examples/serving"
RNG = np.random.default_rng(0)
NAMES = ["".join(RNG.choice(list("abcdefgh"), RNG.integers(3, 9))) for _ in range(400)]


@pytest.fixture(scope="module")
def model():
    y = ["f" if "a" in name else "m" for name in NAMES]
    return sm.LandmarkClassifier(random_state=0).fit(NAMES, y)  # the default: a union of blocks


def test_eight_threads_get_the_bits_that_one_gets(model):
    expected = [model.predict_proba([name]) for name in NAMES]

    def hammer(seed):
        order = np.random.default_rng(seed).permutation(len(NAMES))
        return all(
            np.array_equal(model.predict_proba([NAMES[i]]), expected[i]) for i in order.tolist()
        )

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(hammer, range(8)))


def test_threads_may_be_the_first_to_ask(model, tmp_path):
    """Landmarks are compiled by whoever comes first, here by several at once."""
    sm.save(model, tmp_path / "m.seamark")
    expected = model.predict_proba(NAMES[:8])
    for _ in range(5):
        fresh = sm.load(tmp_path / "m.seamark")
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(fresh.predict_proba, ([name] for name in NAMES[:8])))
        np.testing.assert_allclose(np.concatenate(found), expected, rtol=1e-6)


def test_memory_stays_where_it_is_over_many_calls(model):
    """Caches of Python and numpy fill up first; what each call leaves behind never ends."""
    smallest_object = 16
    tracemalloc.start()
    try:
        for _ in range(30):
            before = tracemalloc.get_traced_memory()[0]
            for name in NAMES:
                model.predict([name])
            gc.collect()
            growth = tracemalloc.get_traced_memory()[0] - before
            if growth < smallest_object * len(NAMES):
                return
        raise AssertionError(f"the last {len(NAMES)} calls left {growth} bytes behind")
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def server(model, tmp_path_factory):
    pytest.importorskip("starlette", reason="the example's own requirements")
    pytest.importorskip("uvicorn", reason="the example's own requirements")
    path = tmp_path_factory.mktemp("served") / "names.seamark"
    sm.save(model, path)
    held = socket.socket()  # bound until the end, so that nobody else is given its port
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    port = held.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "serve:app", "--host", "127.0.0.1"]
    process = subprocess.Popen(
        [*command, "--port", str(port), "--log-level", "error"],
        cwd=EXAMPLE,
        env={**os.environ, "SEAMARK_MODEL": str(path), "SEAMARK_NUM_THREADS": "1"},
    )
    try:
        _wait_for(port, process)
        yield port
    finally:
        process.terminate()
        process.wait()
        held.close()


def _wait_for(port, process):
    end = time.monotonic() + 120
    while time.monotonic() < end:
        assert process.poll() is None, "the server ended"
        with suppress(OSError):
            if asked(port, "GET", "/health")[0] == 200:
                return
        time.sleep(0.1)
    raise AssertionError("the server did not answer within two minutes")


def asked(port, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b"{}")
    finally:
        connection.close()


def test_the_server_says_what_the_model_says_under_load(server, model):
    def ask(i):
        some = [NAMES[i], NAMES[-i - 1]]
        status, said = asked(server, "POST", "/predict", json.dumps({"objects": some}))
        assert status == 200
        assert said["predictions"] == model.predict(some).tolist()
        np.testing.assert_allclose(said["probabilities"], model.predict_proba(some), atol=1e-6)
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(200)))


def test_the_server_tells_its_version_and_model(server, model):
    status, said = asked(server, "GET", "/version")
    assert status == 200
    assert said["seamark"] == sm.__version__
    assert said["model"] == "LandmarkClassifier"
    assert said["landmarks"] == model.map_.n_landmarks_ > 0
    assert len(said["file"]) == 64


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"no json", 400, "send JSON"),
        (b'["Anna"]', 400, "send JSON"),
        (b'{"objects": []}', 422, "list of 1 to 1000"),
        (json.dumps({"objects": ["a"] * 1001}), 422, "list of 1 to 1000"),
        (b'{"objects": ["a", 3]}', 422, "object 1 is no string"),
        (json.dumps({"objects": ["a" * 10_001]}), 422, "object 0 is no string"),
        (b"[" * 200_000, 400, "send JSON"),
        (b" " * (1 << 20) + b" " * 10, 413, "longer than 1048576 bytes"),
    ],
)
def test_the_server_refuses_what_is_too_much_or_makes_no_sense(server, body, status, said):
    found, answer = asked(server, "POST", "/predict", body)
    assert found == status
    assert said in answer["error"]
    assert asked(server, "GET", "/health") == (200, {"status": "ok"})
