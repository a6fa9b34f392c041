"""One row at a time: a call, a load, memory over many calls, and the served example over loopback.

``make bench-serving`` runs it.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import psutil
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import seamark as sm
from benchmarks.scale import names

CALLS, REQUESTS, CLIENTS = 100_000, 10_000, 8


def median_us(call, repeats: int = 5, calls: int = 2_000) -> float:
    """Return the least median of several rounds, in microseconds."""
    found = []
    for _ in range(repeats):
        times = np.empty(calls)
        for i in range(calls):
            start = time.perf_counter()
            call()
            times[i] = time.perf_counter() - start
        found.append(np.median(times))
    return 1e6 * min(found)


def one_call(model) -> None:
    """Compare a prediction with scikit-learn's empty pipeline, and watch memory."""
    empty = make_pipeline(FunctionTransformer(), FunctionTransformer())
    x = np.zeros((1, 1))
    empty.fit(x)
    ours, theirs = (
        median_us(lambda: model.predict(["otokari"])),
        median_us(lambda: empty.transform(x)),
    )
    print(
        f"predict of one string, 256 landmarks: {ours:.0f} µs; an empty pipeline: {theirs:.0f} µs"
    )
    process, some = psutil.Process(), names(1000, 3)
    for i in range(5_000):
        model.predict([some[i % 1000]])
    before = process.memory_info().rss
    for i in range(CALLS):
        model.predict([some[i % 1000]])
    grown = (process.memory_info().rss - before) / 1024
    print(f"memory after {CALLS} calls: {grown:+.0f} kB")


def load(path: Path) -> None:
    """Time the load of a saved model in a process that has the package already."""
    times = []
    for _ in range(20):
        start = time.perf_counter()
        sm.load(path)
        times.append(time.perf_counter() - start)
    print(f"load of {path.stat().st_size / 1024:.0f} kB: {1e3 * np.median(times):.1f} ms")


def serve(path: Path) -> None:
    """Ask the served example, eight clients at once, one string a request."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "serve:app", "--port", str(port)]
    environment = {**os.environ, "SEAMARK_MODEL": str(path), "SEAMARK_NUM_THREADS": "1"}
    server = subprocess.Popen(
        [*command, "--log-level", "error"], cwd="examples/serving", env=environment
    )
    try:
        while True:
            try:
                http.client.HTTPConnection("127.0.0.1", port).request("GET", "/health")
                break
            except OSError:
                time.sleep(0.1)
        _load(port)
    finally:
        server.terminate()
        server.wait()


def _load(port: int) -> None:
    times: list[float] = []
    body = json.dumps({"objects": ["otokari"]})

    def client() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for _ in range(REQUESTS // CLIENTS):
            start = time.perf_counter()
            connection.request("POST", "/predict", body)
            connection.getresponse().read()
            times.append(time.perf_counter() - start)

    began = time.perf_counter()
    threads = [threading.Thread(target=client) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - began
    p50, p99 = 1e3 * np.percentile(times, [50, 99])
    print(
        f"{len(times)} requests, {CLIENTS} clients, one worker: "
        f"{len(times) / seconds:.0f} a second, median {p50:.1f} ms, 99 % within {p99:.1f} ms"
    )


def main() -> None:
    """Fit, save, and run all."""
    some = names(5_000, 0)
    sex = ["f" if one.endswith(("na", "mi", "da", "ri")) else "m" for one in some]
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=256, random_state=0).fit(some, sex)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "names.seamark"
        sm.save(model, path)
        load(path)
        one_call(model)
        serve(path)


if __name__ == "__main__":
    main()
