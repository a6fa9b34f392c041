"""Other layouts of the kernels than those that were chosen: `benchmarks.cuda --only layouts`."""

from __future__ import annotations

from benchmarks.cuda_kernels import (
    manhattan_jobs,
    one_dtw,
    one_levenshtein,
    series_jobs,
    strings_jobs,
)
from benchmarks.cuda_measuring import HEAD
from seamark.engine.cuda import series, strings, vectors

TILES = [
    # rows of sums to a thread, coordinates in shared memory, unrolled; blocks on a multiprocessor
    (4, 16, 16, 3),
    (4, 16, 16, 4),
    (4, 32, 16, 2),
    (8, 16, 16, 2),
    (8, 16, 8, 2),
]


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
    groups = strings
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


def series_variants(device, table, short, many, long):
    """Other shapes; the default ones are put back."""
    before = series.WARPS, series.SERIES_PER_WARP, series.BANDED
    for warps, per_warp in [(2, 4), (8, 4), (4, 1), (4, 16)]:
        series.WARPS, series.SERIES_PER_WARP = warps, per_warp
        one_dtw(device, table, f"short, {warps} warps, {per_warp} series", *short, check=False)
        one_dtw(device, table, f"long, {warps} warps, {per_warp} series", *long, check=False)
    series.WARPS, series.SERIES_PER_WARP, _ = before
    for columns in (8, 12, 24, 32):
        series.BANDED = columns
        name = f"band 10 %, strips of {columns}"
        one_dtw(device, table, name, *long, fraction=0.1, check=False)
    series.BANDED = before[2]
    kept = dict(series.SEVERAL), dict(series.REGISTERS)
    for columns in (16, 24):
        series.SEVERAL[1] = columns
        one_dtw(device, table, f"150 × 150, strips of {columns}", *long, check=False)
    for columns in (4, 12, 16):
        series.SEVERAL[0] = series.REGISTERS[0] = columns
        one_dtw(device, table, f"22 variables, strips of {columns}", *many, check=False)
    series.SEVERAL.update(kept[0])
    series.REGISTERS.update(kept[1])


def vector_variants(device, table, roof):
    """Other tiles; the default one is put back."""
    before = vectors.TILE
    for shape in TILES:
        vectors.TILE = vectors.Tile(*shape)
        table.add("", f"### Manhattan, {vectors.TILE}", "", *HEAD)
        manhattan_jobs(device, table, roof)
    vectors.TILE = before


def layouts(device, table, data, found):
    """All of them."""
    short, many, long, _ = series_jobs()
    table.add("## Layouts", "", *HEAD)
    string_variants(device, table, list(strings_jobs(data).items()))
    series_variants(device, table, short, many, long)
    vector_variants(device, table, found.get("floats", 33.0))
    table.add("")
