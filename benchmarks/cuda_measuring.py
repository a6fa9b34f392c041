"""What the benchmarks of one GPU share: kernels timed by events, tables, random objects, checks."""

from __future__ import annotations

import time
from collections import defaultdict

import numpy as np

from seamark.engine.cuda.device import Device

GO = np.zeros(1, np.uint8)
REPEATS = 5
HEAD = (
    "| job | kernel | with upload | rate | against the reference | |",
    "|---|---|---|---|---|---|",
)


WAIT = """
extern "C" __global__ void wait(long long clocks) {
    const long long start = clock64();
    while (clock64() - start < clocks) {}
}
"""


class TimedDevice(Device):
    """Measures every launch by events on the device, when it is told to."""

    def __init__(self, cupy):
        super().__init__(cupy)
        self.events, self.timed = [], False
        self._wait = cupy.RawKernel(WAIT, "wait")

    def launch(self, source, kernel, defines, *rest):
        if not self.timed:
            super().launch(source, kernel, defines, *rest)
            return
        self._wait(
            (1,), (1,), (np.int64(400_000),)
        )  # Python's share of a launch is not the kernel's
        begin, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        begin.record()
        super().launch(source, kernel, defines, *rest)
        end.record()
        self.events.append((kernel, begin, end))

    def synchronise(self):
        """Wait until all that was launched is finished."""
        self.cupy.cuda.get_current_stream().synchronize()

    def seconds(self):
        """Return seconds by kernel since the last call."""
        self.synchronise()
        sums = defaultdict(float)
        for kernel, begin, end in self.events:
            sums[kernel] += self.cupy.cuda.get_elapsed_time(begin, end) / 1e3
        self.events.clear()
        return sums


def measured(device, work):
    """Median seconds of all kernels that `work` launches, and of `work` itself; its last result."""
    kernels, walls = [], []
    for device.timed in (False, True):
        for _ in range(REPEATS):
            start = time.perf_counter()
            result = work()
            device.synchronise()
            walls.append(time.perf_counter() - start)
            kernels.append(sum(device.seconds().values()))
    device.timed = False
    return float(np.median(kernels[REPEATS:])), float(np.median(walls[1:REPEATS])), result


class Table:
    """Lines of the page, printed as they come."""

    def __init__(self):
        self.lines = []

    def add(self, *lines):
        self.lines += lines
        print(*lines, sep="\n", flush=True)


def best(device, work):
    work()
    seconds = []
    for _ in range(REPEATS):
        device.synchronise()
        start = time.perf_counter()
        work()
        device.synchronise()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def random_strings(rng, n, lengths, n_symbols):
    offsets = np.concatenate([[0], np.cumsum(rng.integers(*lengths, size=n))]).astype(np.int64)
    return rng.integers(0, n_symbols, offsets[-1]).astype(np.int32), offsets


def checked(device, values, rows, make_reference, run, rtol=0.0, columns=slice(None)):
    """Compare some rows with the numpy reference; returns a word for the table."""
    expected = np.empty((len(rows), values.shape[1]), np.float32)[:, columns]
    expected = np.ascontiguousarray(expected)
    run(make_reference(), expected)
    found = values[device.cupy.asarray(rows)].get()[:, columns].astype(np.float32)
    if rtol == 0.0:
        wrong = int((found != expected).sum())
        return "equal" if wrong == 0 else f"**{wrong} of {found.size} differ**"
    error = float(np.max(np.abs(found - expected) / np.maximum(np.abs(expected), 1e-30)))
    return f"{error:.0e}" if error <= rtol else f"**{error:.0e}**"


def some_rows(codes, offsets, rows):
    lengths = np.diff(offsets)[rows]
    parts = [codes[offsets[r] : offsets[r + 1]] for r in rows]
    return np.concatenate(parts), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def random_series(rng, n, lengths, channels):
    offsets = np.concatenate([[0], np.cumsum(rng.integers(*lengths, size=n))]).astype(np.int64)
    return rng.normal(size=(offsets[-1], channels)).astype(np.float32).astype(float), offsets
