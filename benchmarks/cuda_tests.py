"""All tests that a GPU can run, a process for each file, side by side; counted for the page.

``python -m benchmarks.cuda_tests`` prints what failed. ``--sanitize`` runs the tests of the kernels
under compute-sanitizer.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:benchmark"]
SUITES = ("measures", "maps", "linear_model", "models")
KERNELS = ("host_*.py", "device_parts.py", "device_rows.py")
LAST = re.compile(r"^.*\b(?:passed|failed|skipped|deselected|errors?)\b.* in [\d.]+s.*$", re.M)
COUNTED = re.compile(r"(\d+) (passed|failed|skipped|errors?|xfailed)")


def commands():
    """Name, command and environment of each process: the kernels' tests, then the CPU's suites."""
    for file in sorted(Path("tests/cuda").glob("test_*.py")):
        yield "tests/cuda", [*PYTEST, str(file), "-k", "gpu or backend or safety"], {}
    for file in sorted(Path("tests/engine").glob("test_*.py")):
        yield "the kernels' suites", [*PYTEST, str(file), "-k", "cuda"], {}
    for room in SUITES:
        for file in sorted(Path("tests", room).glob("test_*.py")):
            yield f"tests/{room}", [*PYTEST, str(file)], {"SEAMARK_ISA": "cuda"}


def sanitized():
    """The kernels' tests under the tools of compute-sanitizer."""
    for tool in ("memcheck", "racecheck"):
        for pattern in KERNELS:
            for file in sorted(Path("tests/cuda").glob(f"test_{pattern}")):
                sanitizer = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9"]
                few = [*PYTEST, str(file), "-k", "gpu and not agrees and not equals and not rounds"]
                yield tool, [*sanitizer, *few], {}


def run(job, limit):
    """Return the name of a job, what pytest counted, and what it said if something failed."""
    name, command, environment = job
    try:
        done = subprocess.run(
            command,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return name, {"out of time": 1}, f"{' '.join(command[-3:])}: not finished in {limit} s"
    text = done.stdout + done.stderr
    last = (LAST.findall(done.stdout) or [""])[-1]
    counts = {word: int(count) for count, word in COUNTED.findall(last)}
    bad = done.returncode not in (0, 5)  # 5: no test of the file was asked for
    told = [
        line for line in text.splitlines() if line.startswith(("FAILED", "ERROR", "E  ", "==="))
    ]
    return name, counts, "\n".join(told[-12:] or [text[-600:]]) if bad else ""


def side_by_side(jobs, workers, limit):
    """Run all; return a line for each name, and what failed."""
    sums, failed, start = {}, [], time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        for name, counts, told in pool.map(lambda job: run(job, limit), jobs):
            known = sums.setdefault(name, {})
            for word, count in counts.items():
                known[word] = known.get(word, 0) + count
            if told:
                failed.append(told)
                print(told, flush=True)
    lines = [
        f"- {name}: {', '.join(f'{count} {word}' for word, count in counts.items()) or 'none'}"
        for name, counts in sums.items()
    ]
    return [*lines, f"- in {time.perf_counter() - start:.0f} s, {workers} side by side"], failed


def counted(table, workers, limit):
    """Count what passes, for the page."""
    lines, failed = side_by_side(commands(), workers, limit)
    table.add("## Tests on this device", "", *lines)
    if failed:
        table.add(f"- **{len(failed)} files have failures**")
    if shutil.which("compute-sanitizer"):
        lines, failed = side_by_side(sanitized(), workers, limit)
        found = f"**reports on {len(failed)} files**" if failed else "no report"
        table.add("", f"`compute-sanitizer` on the tests of the kernels: {found}.", "", *lines)
    table.add("")


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cuda_tests", description=__doc__)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=int, default=280, help="seconds for a file")
    parser.add_argument("--sanitize", action="store_true")
    options = parser.parse_args()
    jobs = sanitized() if options.sanitize else commands()
    lines, failed = side_by_side(jobs, options.workers, options.limit)
    print(*lines, sep="\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
