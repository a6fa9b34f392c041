"""Whole processes on one GPU: first calls, Ctrl-C, and values that come back to the host."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np

import seamark as sm
from seamark.datasets import load


def library_jobs(device, table, data):
    """The same through the library's own door: values come back to the host."""
    table.add('## Through `using("cuda")`', "")
    digits = load("strings/mnist_chain8", folder=data)
    X = sm.data.strings.ingest(digits.data)
    L = sm.data.strings.draw(4096, np.random.default_rng(0), like=X, sizes=(2, 50))
    with sm.engine.using("cuda"):
        for _ in range(2):
            start = time.perf_counter()
            sm.cross("levenshtein", X, L)
            seconds = time.perf_counter() - start
        start = time.perf_counter()
        sm.cross("levenshtein", X[:1], L)
        one = time.perf_counter() - start
    table.add(
        f"`sm.cross` of 70,000 × 4096 edit distances into host memory: {seconds:.2f} s; of one "
        f"string: {1e3 * one:.1f} ms.",
        "",
    )


def cold_fits(table, data):
    """The whole fit in new processes: nothing on disk, then everything."""
    table.add("## The first fit of a process", "")
    folder = f"/tmp/seamark_cold_{os.getpid()}"
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.cuda_models", "--runs", "1"]
    for name in ("nothing compiled yet", "kernels from the cache on disk"):
        done = subprocess.run(
            [*command, "--many", "0", "--data", str(data)],
            env={**os.environ, "CUPY_CACHE_DIR": f"{folder}/cache"},
            capture_output=True,
            text=True,
            check=False,
        )
        lines = [line[2:] for line in done.stdout.splitlines() if line.startswith("- ")]
        table.add(f"- {name}: {' '.join(lines) or done.stderr[-300:]}")
    table.add("")


def first_call(table):
    """Import, compile and run in new processes: nothing on disk, then everything."""
    code = (
        "import time; t=time.perf_counter(); import cupy; cupy.zeros(3).sum()\n"
        "a=time.perf_counter(); import seamark as sm; b=time.perf_counter()\n"
        "with sm.engine.using('cuda'): sm.cross('levenshtein', ['sea'], ['mark'])\n"
        "c=time.perf_counter()\n"
        "with sm.engine.using('cuda'): sm.cross('dtw', [[1.0, 2.0]], [[1.0]])\n"
        "print(f'{a-t:.2f} {b-a:.2f} {c-b:.2f} {time.perf_counter()-c:.2f}')"
    )
    folder = f"/tmp/seamark_first_{os.getpid()}"
    for name in ("nothing compiled yet", "from the cache on disk"):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code],
            env={**os.environ, "CUPY_CACHE_DIR": folder},
            capture_output=True,
            text=True,
            check=False,
        )
        times = ", ".join(done.stdout.split()) or done.stderr[-300:]
        table.add(f"First call, {name}: CuPy, seamark, edit distances, DTW take {times} s.", "")


def interrupted(table):
    """Ctrl-C in the middle of a long job: how soon it is heard, and what is left."""
    code = (
        "import numpy as np, seamark as sm\n"
        "rng = np.random.default_rng(0)\n"
        "L = [''.join(rng.choice(list('ACGT'), 400)) for _ in range(4096)]\n"
        "X = L * 40\n"
        "with sm.engine.using('cuda'):\n"
        "    sm.cross('levenshtein', X[:10], L); print('begun', flush=True)\n"
        "    try: sm.cross('levenshtein', X, L); print('finished')\n"
        "    except KeyboardInterrupt:\n"
        "        print('again', float(sm.cross('levenshtein', X[:1], L[:1])[0, 0]))\n"
    )
    command = [sys.executable, "-W", "ignore", "-c", code]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    running.stdout.readline()
    time.sleep(0.3)
    start = time.perf_counter()
    running.send_signal(signal.SIGINT)
    said, wrong = running.communicate(timeout=60)
    seconds, answer = time.perf_counter() - start, (said or wrong)[-200:].strip()
    table.add(
        f"Ctrl-C in a job of seconds: heard, and the next job done, within {seconds:.2f} s, the "
        f"process' end included ({answer}).",
        "",
    )
