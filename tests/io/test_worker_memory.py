"""A worker keeps its memory while it works on a partition, and gives it back afterwards."""

import json
import os
import platform
import subprocess
import sys

import pytest

CODE = """
import json, resource
import numpy as np
from pathlib import Path
from seamark.io.dask import keeping_memory

def faults(work):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    work()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

def work():
    for _ in range(100):
        np.ones(1 << 17)  # 1 MB

def held():
    some = [np.ones(1 << 17) for _ in range(60)]
    del some[:-1]

plain = faults(work)
before = resident()
with keeping_memory(), keeping_memory():
    kept = faults(work)
    held()
    inside = resident() - before
print(json.dumps({"plain": plain, "kept": kept, "again": faults(work),
    "inside": inside, "after": resident() - before}))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the settings are those of glibc")
def test_memory_is_kept_inside_and_given_back_after():
    environment = {**os.environ, "MALLOC_TRIM_THRESHOLD_": "65536"}
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env=environment,
    )
    found = json.loads(done.stdout)
    assert found["plain"] > 20_000  # 256 pages of each array
    assert found["kept"] < 2_000
    assert found["again"] > 20_000
    assert found["inside"] > 40 << 20
    assert found["after"] < 10 << 20
