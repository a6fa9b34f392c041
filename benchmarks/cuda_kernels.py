"""Kernels of edit distances, warping, sets and vectors on one GPU: rates against roofs."""

from __future__ import annotations

import time

import numpy as np

import seamark as sm
from benchmarks.cuda_measuring import (
    GO,
    HEAD,
    checked,
    measured,
    random_series,
    random_strings,
    some_rows,
)
from seamark.datasets import load
from seamark.engine.cuda.series import DTWPlan
from seamark.engine.cuda.strings import LevenshteinPlan, Width
from seamark.engine.cuda.vectors import ManhattanPlan, SetsPlan
from seamark.engine.reference import LevenshteinPlan as ReferenceLevenshtein
from seamark.engine.reference import SetsPlan as ReferenceSets
from seamark.engine.reference import dtw as ReferenceDTW


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
    X = sm.data.strings.ingest(digits.data)
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


def strings(device, table, data, found):
    table.add("## Edit distances", "", *HEAD)
    jobs = strings_jobs(data)
    rates = [one_levenshtein(device, table, name, *job) for name, job in jobs.items()]
    found["distances"] = rates[0]
    name = next(iter(jobs))
    one_levenshtein(device, table, f"{name}, as bytes", *jobs[name], np.uint8)
    table.add(
        "",
        "The last column: 32-bit words of a lane × blocks of 32 lanes, and the first call, which "
        "may compile.",
        "",
    )


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


def series_jobs():
    """Series and landmarks: short ones, of many variables, long ones, of unequal lengths."""
    rng = np.random.default_rng(2)
    short = random_series(rng, 20_000, (100, 201), 3), random_series(rng, 4096, (2, 26), 3)
    long = random_series(rng, 4000, (150, 151), 1), random_series(rng, 4096, (150, 151), 1)
    many = random_series(rng, 4000, (45, 137), 22), random_series(rng, 4096, (2, 26), 22)
    uneven = random_series(rng, 2000, (100, 201), 2), random_series(rng, 2048, (100, 201), 2)
    return short, many, long, uneven


def series(device, table):
    short, many, long, uneven = series_jobs()
    table.add("## Dynamic time warping", "", *HEAD)
    one_dtw(device, table, "3 variables, 20,000 of 100..200 × 4096 of 2..25", *short)
    one_dtw(device, table, "22 variables, 4000 of 45..136 × 4096 of 2..25", *many)
    one_dtw(device, table, "4000 × 4096, 150 × 150", *long)
    one_dtw(device, table, "4000 × 4096, 150 × 150, band 10 %", *long, fraction=0.1)
    one_dtw(device, table, "2 variables, 2000 × 2048 of 100..200", *uneven)
    table.add("", "The last column: columns of a strip × strips × blocks of 32 landmarks.", "")


def vectors(device, table, found):
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
    table.add(
        "",
        "Two instructions a coordinate are counted for sets (a difference, a multiply-add) and for "
        "Manhattan distances (a difference, an addition of its absolute value).",
        "",
    )


def manhattan_jobs(device, table, roof):
    rng = np.random.default_rng(3)
    for n, d in ((50_000, 32), (50_000, 512)):
        A, B = rng.normal(size=(n, d)), rng.normal(size=(1000, d))
        plan = ManhattanPlan(device, B)
        rows = A, np.arange(n + 1)
        kernel, wall, values = measured(device, lambda plan=plan, rows=rows: plan.values(*rows))
        rate = 2 * float(n) * 1000 * d / kernel / 1e12
        exact = np.abs(A[:20, None] - B).sum(axis=2)
        error = np.abs(values[:20].get() / exact - 1).max()
        table.add(
            f"| Manhattan, {n} × 1000, {d}-d | {1e3 * kernel:.2f} ms | {1e3 * wall:.1f} ms | "
            f"{rate:.1f} T/s, {rate / roof:.0%} of the roof | {error:.0e} | |"
        )
