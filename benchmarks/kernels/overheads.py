"""Costs that are not kernels: threads, import time, memory."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np

import seamark as sm

from . import series, strings, vectors
from .contest import Contest, Contestant

IMPORT = (
    "import time, sklearn.linear_model; start = time.perf_counter(); import seamark; "
    "print(time.perf_counter() - start)"
)


def import_milliseconds(rounds=9):
    """Milliseconds that `import seamark` adds to scikit-learn's, the best of a few.

    With compiled files, as in any installation; the first round writes them.
    """
    command = [sys.executable, "-c", IMPORT]
    compiled = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    seconds = []
    for _ in range(rounds):
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=compiled)
        seconds.append(float(done.stdout))
    return 1000 * min(seconds)


KILOBYTES = """
import gc, sys, time
from pathlib import Path
import seamark as sm
from benchmarks.kernels import overheads
def kilobytes(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))
"""

MEMORY = f"""{KILOBYTES}
name, X, L = overheads.memory_case(sys.argv[1])
sm.cross(name, X[:2], L)                        # what is loaded and allocated once
gc.collect()
Path("/proc/self/clear_refs").write_text("5")   # forget the peak so far
before = kilobytes("VmRSS")
out = sm.cross(name, X, L)
print((kilobytes("VmHWM") - before) / 1024 - out.nbytes / 2**20)
"""


ALIGNED = f"""{KILOBYTES}
model, X, y = overheads.aligned_case()
start = time.perf_counter()
model.fit(X, y)
print(time.perf_counter() - start, kilobytes("VmHWM") / 1024)
"""


def aligned_case():
    """A set of the size and make of adult: 123 columns of 0 and 1, 14 of them 1 in every row."""
    rng = np.random.default_rng(8)
    n, d = 32_561, 123
    X = np.zeros((n, d))
    np.put_along_axis(X, rng.random((n, d)).argpartition(14, axis=1)[:, :14], 1.0, axis=1)
    y = X @ rng.normal(size=d) + rng.normal(size=n) > 0
    features = sm.RandomFourier("gaussian", 20_000, random_state=0)
    model = sm.Aligned(features, rho_per_feature=0.012, n_sample=n // 2, random_state=0)
    return model, X, y


def aligned_seconds_and_megabytes():
    """What it takes to learn weights of 20 000 features on half of the rows."""
    command = [sys.executable, "-c", ALIGNED]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return tuple(float(number) for number in done.stdout.split())


def memory_case(which):
    """A job whose output is a few hundred megabytes."""
    rng = np.random.default_rng(4)
    if which == "levenshtein":
        X = sm.data.strings.ingest(strings.words(60_000, 20, 40, rng))
        return which, X, sm.data.strings.ingest(strings.words(1000, 2, 50, rng))
    if which == "dtw":
        X = sm.data.series.ingest(series.walks(20_000, 3, 20, 40, rng))
        return which, X, sm.data.series.ingest(series.walks(1000, 3, 2, 25, rng))
    if which == "modified_hausdorff":
        X = sm.data.sets.ingest(vectors.unit_sets(20_000, 3, 12, 16, rng))
        return which, X, sm.data.sets.ingest(vectors.unit_sets(1000, 3, 15, 16, rng))
    return which, rng.normal(size=(60_000, 50)), rng.normal(size=(1000, 50))


def extra_megabytes(which):
    """Peak memory of `cross` beyond its inputs, plan and output, in a process of its own."""
    command = [sys.executable, "-c", MEMORY, which]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def thread_contests(scale):
    """Two threads against one, same job."""
    rng = np.random.default_rng(5)
    jobs = {
        "levenshtein": (
            strings.words(int(20_000 * scale), 34, 126, rng),
            strings.words(1000, 2, 50, rng),
        ),
        "dtw": (
            series.walks(int(3000 * scale), 3, 100, 200, rng),
            series.walks(512, 3, 2, 25, rng),
        ),
        "modified_hausdorff": (
            vectors.unit_sets(int(800 * scale), 6, 500, 128, rng),
            vectors.unit_sets(256, 3, 15, 128, rng),
        ),
        "manhattan": (rng.normal(size=(int(60_000 * scale), 32)), rng.normal(size=(1000, 32))),
    }
    for name, (X, L) in jobs.items():
        measure = sm.measures.get(name)
        X, L = measure.domain.ingest(X), measure.domain.ingest(L)

        def run(n_jobs, measure=measure, X=X, L=L):
            return lambda: measure.cross(X, L, n_jobs=n_jobs)

        yield Contest(
            name=f"two threads against one: {name}",
            unit="jobs/s",
            ours=Contestant("2 threads", run(2), 1.0),
            peers=[Contestant("1 thread", run(1), 1.0)],
            floor=1.8,
        )
