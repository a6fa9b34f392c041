"""The GPU's kernels and whole fits on one device, against the roofs measured there.

``python -m benchmarks.cuda`` needs CuPy and a GPU; the digits come from the data folder (--data or
SEAMARK_DATA). Writes ``cuda.md`` to --out, all of it. ``--only`` names parts. By name alone runs
"layouts", which compares other layouts of the kernels.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import time
from pathlib import Path

import numpy as np

import seamark as sm
from benchmarks import (
    cuda_kernels,
    cuda_models,
    cuda_parts,
    cuda_processes,
    cuda_roofs,
    cuda_tests,
    cuda_variants,
)
from benchmarks.cuda_measuring import Table, TimedDevice
from seamark.engine.cuda.device import the_device

PARTS = (
    "roofs",
    "strings",
    "series",
    "vectors",
    "parts",
    "elastic",
    "models",
    "cold",
    "library",
    "first",
    "interrupted",
    "tests",
)


def machine(device, table):
    cupy = device.cupy
    query = "name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,power.limit"
    asked = ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"]
    shown = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    table.add(
        "# One GPU",
        "",
        f"Device: {shown} (name, driver, clocks now, of memory, at most, power limit); "
        f"{device.multiprocessors} multiprocessors.",
        f"CuPy {cupy.__version__}, CUDA {cupy.cuda.runtime.runtimeGetVersion()}, numpy "
        f"{np.__version__}, seamark {sm.__version__}. Written by `make bench-cuda`.",
        "CUPS: cells of the dynamic programme a second. Layouts that were compared have "
        "[a page of their own](cuda_layouts.md).",
        "",
    )


def jobs(device, table, options, found):
    """What each part does, by its name."""
    data, many = options.data, int(options.many)
    return {
        "strings": lambda: cuda_kernels.strings(device, table, data, found),
        "series": lambda: cuda_kernels.series(device, table),
        "vectors": lambda: cuda_kernels.vectors(device, table, found),
        "parts": lambda: cuda_parts.parts(device, table, found),
        "elastic": lambda: cuda_parts.elastic(device, table, found),
        "models": lambda: cuda_models.jobs(table, data, many, found),
        "cold": lambda: cuda_processes.cold_fits(table, data),
        "library": lambda: cuda_processes.library_jobs(device, table, data),
        "first": lambda: cuda_processes.first_call(table),
        "interrupted": lambda: cuda_processes.interrupted(table),
        "tests": lambda: cuda_tests.counted(table, os.cpu_count(), 280),
        "layouts": lambda: cuda_variants.layouts(device, table, data, found),
    }


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cuda", description=__doc__)
    parser.add_argument("--data", default=os.environ.get("SEAMARK_DATA"))
    parser.add_argument("--out", type=Path, default=Path("docs/benchmarks"))
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--many", type=float, default=1e8, help="strings of the largest job")
    options = parser.parse_args()
    wanted, table = options.only.split(","), Table()
    device = TimedDevice(the_device().cupy)
    machine(device, table)
    found = cuda_roofs.roofs(device, table) if "roofs" in wanted else {}
    options.out.mkdir(parents=True, exist_ok=True)
    for name, job in jobs(device, table, options, found).items():
        if name in wanted:
            start = time.perf_counter()
            try:
                job()
            except Exception as error:  # the other parts are worth having
                table.add(f"**{name} failed: {type(error).__name__}: {error}**", "")
            print(f"[{name}: {time.perf_counter() - start:.1f} s]", flush=True)
            device.release()
        (options.out / "cuda.md").write_text("\n".join(table.lines) + "\n")


if __name__ == "__main__":
    main()
