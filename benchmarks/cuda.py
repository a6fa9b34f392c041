"""The GPU's kernels and D2KE's whole fit on one device, against the roofs measured there.

``python -m benchmarks.cuda`` needs CuPy and a GPU; the digits come from the data folder (--data or
SEAMARK_DATA). Writes ``cuda.md`` to --out. ``--only`` names parts, ``--variants`` tries other
layouts of the kernels.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np

import seamark as sm
from benchmarks import cuda_fit, cuda_many, cuda_models, cuda_parts
from benchmarks.cuda_measuring import (
    GO,
    HEAD,
    Table,
    TimedDevice,
    best,
    checked,
    measured,
    random_series,
    random_strings,
    some_rows,
)
from seamark.datasets import load
from seamark.engine.cuda import manhattan, string_groups, tiles, warping
from seamark.engine.cuda.device import the_device
from seamark.engine.cuda.dtw import DTWPlan
from seamark.engine.cuda.levenshtein import LevenshteinPlan
from seamark.engine.cuda.manhattan import ManhattanPlan
from seamark.engine.cuda.sets import SetsPlan
from seamark.engine.cuda.string_groups import Width
from seamark.engine.reference import DTWPlan as ReferenceDTW
from seamark.engine.reference import LevenshteinPlan as ReferenceLevenshtein
from seamark.engine.reference import SetsPlan as ReferenceSets

PARTS = (
    "roofs",
    "strings",
    "series",
    "vectors",
    "parts",
    "elastic",
    "fit",
    "cold",
    "many",
    "library",
    "models",
    "first",
    "interrupted",
)

TILES = [
    # rows of sums to a thread, coordinates in shared memory, unrolled; blocks on a multiprocessor
    (4, 16, 16, 3),
    (4, 16, 16, 4),
    (4, 32, 16, 2),
    (8, 16, 16, 2),
    (8, 16, 8, 2),
]

ROOFS = """
extern "C" __global__ void integers(unsigned* out, int n) {
    unsigned a[8];
    for (int k = 0; k < 8; ++k) a[k] = threadIdx.x * 77 + k;
    for (int i = 0; i < n; ++i)
        #pragma unroll
        for (int k = 0; k < 8; ++k) a[k] = (a[k] & a[(k + 1) % 8]) ^ a[(k + 3) % 8];
    unsigned sum = 0;
    for (int k = 0; k < 8; ++k) sum ^= a[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void floats(float* out, int n, float c) {
    float a[16];
    for (int k = 0; k < 16; ++k) a[k] = threadIdx.x * 0.01f + k;
    for (int i = 0; i < n; ++i)
        #pragma unroll
        for (int k = 0; k < 16; ++k) {
            const float d = a[k] - c;
            a[k] = __fmaf_rn(d, d, a[k] * 0.0f);
        }
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += a[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
"""


# --- the machine ----------------------------------------------------------------------------------


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
        "",
    )


def roofs(device, table):
    cupy = device.cupy
    module = cupy.RawModule(code=ROOFS)
    n, blocks = 20_000, device.multiprocessors * 8

    def rate(name, operations, *rest):
        out = cupy.empty(blocks * 256, np.uint32)
        kernel = module.get_function(name)
        seconds = []
        for _ in range(4):
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            kernel((blocks,), (256,), (out, np.int32(n), *rest))
            end.record()
            end.synchronize()
            seconds.append(cupy.cuda.get_elapsed_time(begin, end) / 1e3)
        return operations * n * blocks * 256 / min(seconds) / 1e12

    found = {
        "integers": rate("integers", 8),
        "floats": rate("floats", 48, np.float32(0.5)),
    }
    a = cupy.empty(1 << 30, np.uint8)
    b = cupy.empty_like(a)
    found["copy"] = 2 * a.nbytes / best(device, lambda: cupy.copyto(b, a)) / 1e12
    square = cupy.random.random((8192, 8192))
    found["float64"] = 2 * 8192**3 / best(device, lambda: square @ square) / 1e12
    single = square.astype(np.float32)
    found["float32"] = 2 * 8192**3 / best(device, lambda: single @ single) / 1e12
    table.add(
        "| roof, measured | |",
        "|---|---|",
        f"| logic of 32-bit words | {found['integers']:.1f} T/s |",
        f"| float32 additions and multiply-adds | {found['floats']:.1f} T/s |",
        f"| copy in memory | {found['copy']:.2f} TB/s |",
        f"| matrix product, float64 | {found['float64']:.1f} TFLOP/s |",
        f"| matrix product, float32 | {found['float32']:.1f} TFLOP/s |",
        "",
    )
    return found


# --- kernels --------------------------------------------------------------------------------------


def one_levenshtein(device, table, name, X, L, n_symbols, dtype=np.float32, words=None, check=True):
    start = time.perf_counter()
    plan = LevenshteinPlan(device, *L, n_symbols, words and [Width(*w) for w in words.items()])
    plan.values(X[0][: X[1][2]], X[1][:3], dtype)
    device.synchronise()
    compiled = time.perf_counter() - start
    kernel, wall, values = measured(device, lambda: plan.values(*X, dtype))
    cells = float(X[1][-1]) * float(L[1][-1])
    rows = np.random.default_rng(0).integers(0, len(X[1]) - 1, 48)
    word = ""
    if check:
        some = some_rows(*X, rows)
        word = checked(
            device,
            values,
            rows,
            lambda: ReferenceLevenshtein(*L, n_symbols),
            lambda reference, out: reference.run(*some, out, GO),
        )
    groups = ", ".join(f"{g.words} words × {len(g.blocks)}" for g in plan.groups)
    table.add(
        f"| {name} | {1e3 * kernel:.2f} ms | {1e3 * wall:.1f} ms | "
        f"{cells / kernel / 1e12:.1f} TCUPS | {word} | {groups}; first call {compiled:.2f} s |"
    )
    return cells / kernel / 1e12


def strings_jobs(data):
    rng = np.random.default_rng(1)
    digits = load("strings/mnist_chain8", folder=data)
    X = sm.objects.strings.ingest(digits.data)
    codes = (X.flat - X.flat.min()).astype(np.int32)
    outlines = codes, X.offsets - X.offsets[0]
    return {
        "70,000 digit outlines × 4096 of 2..50": (
            outlines,
            random_strings(rng, 4096, (2, 51), 8),
            8,
        ),
        "100,000 × 4096, 60 × 60, DNA": (
            random_strings(rng, 100_000, (60, 61), 4),
            random_strings(rng, 4096, (60, 61), 4),
            4,
        ),
        "50,000 of 80 × 4096 of 100..200, DNA": (
            random_strings(rng, 50_000, (80, 81), 4),
            random_strings(rng, 4096, (100, 201), 4),
            4,
        ),
        "70,000 digit outlines × 4096 of 2..8": (outlines, random_strings(rng, 4096, (2, 9), 8), 8),
        "50,000 of 20..80 × 4096 of 5..60, 26 letters": (
            random_strings(rng, 50_000, (20, 81), 26),
            random_strings(rng, 4096, (5, 61), 26),
            26,
        ),
        "20,000 of 80 × 4096 of 5..60, 3000 letters": (
            random_strings(rng, 20_000, (80, 81), 3000),
            random_strings(rng, 4096, (5, 61), 3000),
            3000,
        ),
        "2000 of 500 × 512 of 600..1500, DNA": (
            random_strings(rng, 2000, (500, 501), 4),
            random_strings(rng, 512, (600, 1501), 4),
            4,
        ),
    }


def strings(device, table, data, variants):
    table.add("## Edit distances", "", *HEAD)
    jobs = strings_jobs(data)
    for name, job in jobs.items():
        one_levenshtein(device, table, name, *job)
    name = next(iter(jobs))
    one_levenshtein(device, table, f"{name}, as bytes", *jobs[name], np.uint8)
    if variants:
        string_variants(device, table, list(jobs.items()))
    table.add("")


def string_variants(device, table, jobs):
    """Other word sizes and block shapes; the default ones are put back."""
    choices = {0: [{64: 2}, {64: 4}, {128: 8}, {512: 16}], 1: [{64: 2}, {64: 4}, {128: 8}]}
    choices[2] = [{256: 8}, {512: 16}]
    choices[4] = [{64: 2}, {64: 4}, {128: 8}]
    for number, several in choices.items():
        for words in several:
            name, job = jobs[number]
            one_levenshtein(
                device, table, f"job {number}, words {words}", *job, words=words, check=False
            )
    groups = string_groups
    before = groups.WARPS, groups.PER_STRIP, groups.CAPACITY
    for warps, per_strip, capacity in [
        (1, 8, 640),
        (2, 16, 1280),
        (4, 16, 1280),
        (4, 64, 5120),
        (8, 32, 2560),
        (8, 64, 5120),
        (4, 32, 2560),
    ]:
        groups.WARPS, groups.PER_STRIP, groups.CAPACITY = warps, per_strip, capacity
        for number in (0, 2):
            name = f"job {number}, {warps} warps, {per_strip} texts, {capacity} symbols"
            one_levenshtein(device, table, name, *jobs[number][1], check=False)
    groups.WARPS, groups.PER_STRIP, groups.CAPACITY = before


def band_cells(X, L, band):
    """Cells in the band; of equal lengths only."""
    n, m = int(X[1][1]), int(L[1][1])
    thickness = int(band * min(n, m))
    i = np.arange(n)
    width = np.minimum(i + thickness + 1, m) - np.maximum(i - thickness, 0)
    return float(width.sum()) * (len(X[1]) - 1) * (len(L[1]) - 1)


def one_dtw(device, table, name, X, L, fraction=-1.0, check=True):
    start = time.perf_counter()
    plan = DTWPlan(device, *L, -1, fraction, False)
    plan.values(X[0][: X[1][2]], X[1][:3])
    device.synchronise()
    compiled = time.perf_counter() - start
    kernel, wall, values = measured(device, lambda: plan.values(*X))
    cells = float(X[1][-1]) * float(L[1][-1]) if fraction < 0 else band_cells(X, L, fraction)
    word = ""
    if check:
        rows, columns = np.arange(6), np.arange(0, len(L[1]) - 1, 17)
        some, few = some_rows(*X, rows), some_rows(*L, columns)
        word = checked(
            device,
            values,
            rows,
            lambda: ReferenceDTW(*few, -1, fraction, False),
            lambda reference, out: reference.run(*some, out, GO),
            1e-5,
            columns,
        )
    groups = ", ".join(f"{g.columns} × {g.strips} × {g.n_blocks}" for g in plan.groups)
    table.add(
        f"| {name} | {1e3 * kernel:.2f} ms | {1e3 * wall:.1f} ms | "
        f"{cells / kernel / 1e12:.2f} TCUPS | {word} | {groups}; first call {compiled:.2f} s |"
    )


def series(device, table, variants):
    rng = np.random.default_rng(2)
    table.add("## Dynamic time warping", "", *HEAD)
    short = random_series(rng, 20_000, (100, 201), 3), random_series(rng, 4096, (2, 26), 3)
    long = random_series(rng, 4000, (150, 151), 1), random_series(rng, 4096, (150, 151), 1)
    many = random_series(rng, 4000, (45, 137), 22), random_series(rng, 4096, (2, 26), 22)
    uneven = random_series(rng, 2000, (100, 201), 2), random_series(rng, 2048, (100, 201), 2)
    one_dtw(device, table, "3 variables, 20,000 of 100..200 × 4096 of 2..25", *short)
    one_dtw(device, table, "22 variables, 4000 of 45..136 × 4096 of 2..25", *many)
    one_dtw(device, table, "4000 × 4096, 150 × 150", *long)
    one_dtw(device, table, "4000 × 4096, 150 × 150, band 10 %", *long, fraction=0.1)
    one_dtw(device, table, "2 variables, 2000 × 2048 of 100..200", *uneven)
    if variants:
        series_variants(device, table, short, many, long)
    table.add("")


def series_variants(device, table, short, many, long):
    """Other shapes; the default ones are put back."""
    before = warping.WARPS, warping.SERIES_PER_WARP, warping.BANDED
    for warps, per_warp in [(2, 4), (8, 4), (4, 1), (4, 16)]:
        warping.WARPS, warping.SERIES_PER_WARP = warps, per_warp
        one_dtw(device, table, f"short, {warps} warps, {per_warp} series", *short, check=False)
        one_dtw(device, table, f"long, {warps} warps, {per_warp} series", *long, check=False)
    warping.WARPS, warping.SERIES_PER_WARP, _ = before
    for columns in (8, 12, 24, 32):
        warping.BANDED = columns
        name = f"band 10 %, strips of {columns}"
        one_dtw(device, table, name, *long, fraction=0.1, check=False)
    warping.BANDED = before[2]
    kept = dict(warping.SEVERAL), dict(warping.REGISTERS)
    for columns in (16, 24):
        warping.SEVERAL[1] = columns
        one_dtw(device, table, f"150 × 150, strips of {columns}", *long, check=False)
    for columns in (4, 12, 16):
        warping.SEVERAL[0] = warping.REGISTERS[0] = columns
        one_dtw(device, table, f"22 variables, strips of {columns}", *many, check=False)
    warping.SEVERAL.update(kept[0])
    warping.REGISTERS.update(kept[1])


def vectors(device, table, found, variants):
    vectors_in_tiles(device, table, found)
    if variants:
        before = manhattan.TILE
        for shape in TILES:
            manhattan.TILE = tiles.Tile(*shape)
            table.add(f"### Manhattan, {manhattan.TILE}", "", *HEAD)
            manhattan_jobs(device, table, found.get("floats", 33.0))
        manhattan.TILE = before


def vectors_in_tiles(device, table, found):
    rng = np.random.default_rng(3)
    table.add("## Sets and vectors", "", *HEAD)
    roof = found.get("floats", 33.0)

    def draw(n, sizes):
        offsets = np.concatenate([[0], np.cumsum(rng.integers(*sizes, size=n))]).astype(np.int64)
        return rng.normal(size=(offsets[-1], 128)), offsets

    X, L = draw(2000, (6, 501)), draw(1000, (3, 16))
    plan = SetsPlan(device, *L, np.zeros(128), "larger_mean")
    kernel, wall, values = measured(device, lambda: plan.values(*X))
    rate = 2 * 128 * float(X[1][-1]) * float(L[1][-1]) / kernel / 1e12
    word = checked(
        device,
        values,
        np.arange(8),
        lambda: ReferenceSets(*L, np.zeros(128), "larger_mean"),
        lambda reference, out: reference.run(X[0][: X[1][8]], X[1][:9], out, GO),
        1e-5,
    )
    name = "modified Hausdorff, 2000 of 6..500 × 1000 of 3..15, 128-d"
    table.add(
        f"| {name} | {1e3 * kernel:.2f} ms | {1e3 * wall:.1f} ms | {rate:.1f} T/s, "
        f"{rate / roof:.0%} of the roof | {word} | |"
    )
    manhattan_jobs(device, table, roof)
    table.add("")


def manhattan_jobs(device, table, roof):
    rng = np.random.default_rng(3)
    for n, d in ((50_000, 32), (50_000, 512)):
        A, B = rng.normal(size=(n, d)), rng.normal(size=(1000, d))
        plan = ManhattanPlan(device, B)
        kernel, wall, values = measured(device, lambda plan=plan, A=A: plan.values(A))
        rate = 2 * float(n) * 1000 * d / kernel / 1e12
        exact = np.abs(A[:20, None] - B).sum(axis=2)
        error = np.abs(values[:20].get() / exact - 1).max()
        table.add(
            f"| Manhattan, {n} × 1000, {d}-d | {1e3 * kernel:.2f} ms | {1e3 * wall:.1f} ms | "
            f"{rate:.1f} T/s, {rate / roof:.0%} of the roof | {error:.0e} | |"
        )


# --- whole jobs -----------------------------------------------------------------------------------


def encoder(alphabet):
    """A function from symbols, as bytes, to codes; symbols of no landmark share one."""
    table = np.full(256, len(alphabet), np.uint8)
    table[alphabet] = np.arange(len(alphabet))
    table = table.tobytes()
    return lambda symbols: np.frombuffer(symbols.tobytes().translate(table), np.uint8)


def fit_of(device, X, y, n_landmarks, seed, n_streams):
    """Fit strings that are ingested; returns what is fitted."""
    some = X[:100_000]  # enough to know the alphabet
    L = sm.objects.strings.draw(n_landmarks, np.random.default_rng(seed), like=some, sizes=(2, 50))
    alphabet, codes = np.unique(L.flat, return_inverse=True)

    def plan():
        offsets = L.offsets - L.offsets[0]
        return LevenshteinPlan(device, codes.astype(np.int32), offsets, len(alphabet))

    rows = X.flat, X.offsets - X.offsets[0]
    return cuda_fit.fit(
        device,
        plan,
        *rows,
        y,
        n_classes=10,
        encode=encoder(alphabet),
        seed=seed,
        n_streams=n_streams,
    )


def milliseconds(fitted):
    return ", ".join(f"{name} {1e3 * s:.0f}" for name, s in fitted.clock.parts.items())


def digits_fit(device, table, data, variants, runs):
    table.add("## D2KE on 60,000 digit outlines, R = 4096, γ and penalty by cross-validation", "")
    digits = load("strings/mnist_chain8", folder=data)
    X = sm.objects.strings.ingest(digits.data)
    train, test = X[digits.split == 0], X[digits.split == 1]
    y = np.searchsorted(np.unique(digits.target), digits.target)
    y_train, y_test = y[digits.split == 0], y[digits.split == 1]
    for n_streams in (5, 0) if variants else (5,):
        for seed in (0, 0, 1)[:runs]:
            start = time.perf_counter()
            fitted = fit_of(device, train, y_train, 4096, seed, n_streams)
            seconds = time.perf_counter() - start
            start = time.perf_counter()
            rows = test.flat, test.offsets - test.offsets[0]
            accuracy = float((fitted.predict(device, *rows) == y_test).mean())
            predict = time.perf_counter() - start
            table.add(
                f"- seed {seed}, {n_streams} streams: fit **{seconds:.2f} s**, predict 10,000 "
                f"**{1e3 * predict:.0f} ms**, accuracy **{accuracy:.4f}**, γ {fitted.gamma:.3g}, "
                f"penalty {fitted.penalty:.2g} (ms: {milliseconds(fitted)})"
            )
            del fitted
    device.release()
    free, whole = device.cupy.cuda.runtime.memGetInfo()
    table.add("", f"Device memory in use after the fits: {(whole - free) / 2**30:.2f} GB.", "")


def cold_fits(table, data):
    """The whole fit in new processes: nothing on disk, then everything."""
    table.add("## The first fit of a process", "")
    folder = f"/tmp/seamark_cold_{os.getpid()}"
    command = ["python3", "-W", "ignore", "-m", "benchmarks.cuda", "--only", "fit", "--runs", "1"]
    for name in ("nothing compiled yet", "kernels from the cache on disk"):
        done = subprocess.run(
            [*command, "--data", str(data), "--out", folder],
            env={**os.environ, "CUPY_CACHE_DIR": f"{folder}/cache"},
            capture_output=True,
            text=True,
            check=False,
        )
        lines = [line for line in done.stdout.splitlines() if line.startswith(("- seed", "**"))]
        table.add(f"{name}: {' '.join(lines) or done.stderr[-300:]}", "")


def model_jobs(table, data):
    """The same fits by the public models."""
    table.add("## By the library's models, from lists of Python strings", "")
    cuda_models.digits(table.add, data)
    cuda_models.many(table.add, data, 10_000_000)
    table.add("")


def library_jobs(device, table, data):
    """The same through the library's own door: values come back to the host."""
    table.add('## Through `using("cuda")`', "")
    digits = load("strings/mnist_chain8", folder=data)
    X = sm.objects.strings.ingest(digits.data)
    L = sm.objects.strings.draw(4096, np.random.default_rng(0), like=X, sizes=(2, 50))
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
            ["python3", "-W", "ignore", "-c", code],
            env={**os.environ, "CUPY_CACHE_DIR": folder},
            capture_output=True,
            text=True,
            check=False,
        )
        times = done.stdout.split() or [done.stderr[-300:]]
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
    command = ["python3", "-W", "ignore", "-c", code]
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


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cuda", description=__doc__)
    parser.add_argument("--data", default=os.environ.get("SEAMARK_DATA"))
    parser.add_argument("--out", type=Path, default=Path("docs/benchmarks"))
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--variants", action="store_true")
    parser.add_argument("--runs", type=int, default=3, help="of the whole fit")
    parser.add_argument("--many", type=float, default=1e8, help="strings of the largest job")
    options = parser.parse_args()
    wanted, table = options.only.split(","), Table()
    device = TimedDevice(the_device().cupy)
    machine(device, table)
    found = roofs(device, table) if "roofs" in wanted else {}
    jobs = {
        "strings": lambda: strings(device, table, options.data, options.variants),
        "series": lambda: series(device, table, options.variants),
        "vectors": lambda: vectors(device, table, found, options.variants),
        "parts": lambda: cuda_parts.parts(device, table, found),
        "elastic": lambda: cuda_parts.elastic(device, table, found),
        "fit": lambda: digits_fit(device, table, options.data, options.variants, options.runs),
        "cold": lambda: cold_fits(table, options.data),
        "many": lambda: cuda_many.jobs(device, table, options.data, int(options.many)),
        "library": lambda: library_jobs(device, table, options.data),
        "models": lambda: model_jobs(table, options.data),
        "first": lambda: first_call(table),
        "interrupted": lambda: interrupted(table),
    }
    for name, job in jobs.items():
        if name in wanted:
            start = time.perf_counter()
            try:
                job()
            except Exception as error:  # the other parts are worth having
                table.add(f"**{name} failed: {type(error).__name__}: {error}**", "")
            print(f"[{name}: {time.perf_counter() - start:.1f} s]", flush=True)
            device.release()
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "cuda.md").write_text("\n".join(table.lines) + "\n")


if __name__ == "__main__":
    main()
