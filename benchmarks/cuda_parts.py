"""Parts of objects and the elastic family on one GPU: rates of their kernels against roofs."""

from __future__ import annotations

import numpy as np

from benchmarks.cuda_measuring import (
    GO,
    HEAD,
    checked,
    measured,
    random_series,
    random_strings,
    some_rows,
)
from seamark.engine.cuda.series import ElasticPlan
from seamark.engine.cuda.strings import SubstringPlan
from seamark.engine.cuda.vectors import MembersPlan
from seamark.engine.cuda.windows import SubsequencePlan
from seamark.engine.reference import ElasticPlan as ReferenceElastic
from seamark.engine.reference import MembersPlan as ReferenceMembers
from seamark.engine.reference import StringsPlan as ReferenceStrings
from seamark.engine.reference import SubsequencePlan as ReferenceSubsequence

LOGIC, FLOATS = 15.9, 32.7  # T/s, where the roofs are not measured in the same run
STEP = 12  # logical operations that a word and a symbol take, before any plane
CELL = {"wdtw": 5, "adtw": 7, "erp": 6, "edr": 10, "lcss": 6, "msm": 18, "twe": 10}
"""Float operations of a cell of one channel, minima and comparisons among them."""
NUMBERS = {"wdtw": 0.05, "adtw": 1.0, "erp": 0.0, "edr": -1.0, "lcss": 1.0, "msm": 1.0, "twe": 1e-3}


def row(table, name, kernel, wall, rate, word, note=""):
    table.add(
        f"| {name} | {1e3 * kernel:.2f} ms | {1e3 * wall:.1f} ms | {rate} | {word} | {note} |"
    )


def parts(device, table, found):
    """Substrings, members, windows."""
    table.add("## Parts: substrings, members of sets, windows", "", *HEAD)
    for lengths in ((2, 9), (2, 16), (10, 61)):
        substrings(device, table, found.get("integers", LOGIC), lengths)
    for d in (16, 128):
        members(device, table, found.get("floats", FLOATS), d)
    for steps, shape in ((150, 1.0), (150, 0.0), (500, 0.8), (1500, 0.8)):
        windows(device, table, found.get("floats", FLOATS), steps, shape)
    table.add(
        "",
        f"`substring`: {STEP} logical operations for a word and a symbol, and about 2.5 for each "
        "plane of its count. `member`: two instructions a coordinate. `subsequence`: one "
        "multiply-add for each value of a window by shape, two instructions for a raw one; places "
        "of a series are dealt to 32 lanes, so that windows with few places leave lanes idle.",
        "",
    )


def substrings(device, table, roof, lengths):
    rng = np.random.default_rng(4)
    X, L = random_strings(rng, 70_000, (20, 61), 8), random_strings(rng, 4096, lengths, 8)
    plan = SubstringPlan(device, *L, 8)
    kernel, wall, values = measured(device, lambda: plan.values(*X))
    some = np.arange(0, 70_000, 2500)
    word = checked(
        device,
        values,
        some,
        lambda: ReferenceStrings("substring", *L, 8),
        lambda reference, out: reference.run(*some_rows(*X, some), out, GO),
    )
    operations = 0
    for group in plan.groups:
        planes = group.defines["PLANES"]
        step = STEP + 1 + planes // 2 + 2 * planes
        operations += step * len(group.blocks) * 32 * group.words * float(X[1][-1])
    cells = float(X[1][-1]) * float(L[1][-1])
    share = operations / kernel / 1e12 / roof
    rate = f"{cells / kernel / 1e12:.1f} TCUPS, {share:.0%} of the roof of logic"
    name = f"substring, 70,000 of 20..60 × 4096 of {lengths[0]}..{lengths[1] - 1}, 8 letters"
    row(table, name, kernel, wall, rate, word, ", ".join(f"{len(g.blocks)}" for g in plan.groups))


def members(device, table, roof, d):
    rng = np.random.default_rng(5)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(3, 200, size=5000))]).astype(np.int64)
    X, L = rng.normal(size=(offsets[-1], d)), rng.normal(size=(2048, d))
    plan = MembersPlan(device, L, np.zeros(d))
    kernel, wall, values = measured(device, lambda: plan.values(X, offsets))
    word = checked(
        device,
        values,
        np.arange(8),
        lambda: ReferenceMembers(L, np.zeros(d)),
        lambda reference, out: reference.run(X[: offsets[8]], offsets[:9], out, GO),
        3e-5,
    )
    rate = 2 * d * float(offsets[-1]) * 2048 / kernel / 1e12
    name = f"member, 5000 of 3..199 × 2048, {d}-d"
    row(table, name, kernel, wall, f"{rate:.1f} T/s, {rate / roof:.0%} of the roof", word)


def windows(device, table, roof, steps, shape):
    rng = np.random.default_rng(6)
    R, M, n = 4000, 11, 1_500_000 // steps
    X = random_series(rng, n, (steps, steps + 1), 1)
    most = np.log2((steps - 1) / (M - 1))
    dilations = np.floor(2 ** rng.uniform(0, most, R)).astype(np.int64)
    normalised = (rng.random(R) < shape).astype(np.uint8)
    where = np.zeros(R, np.int64), np.arange(R + 1)
    L = rng.normal(size=R * M), np.arange(0, R * M + 1, M), dilations, *where
    given = *L, normalised, np.zeros(R, np.uint8), 1, 1e-3
    plan = SubsequencePlan(device, *given)
    kernel, wall, values = measured(device, lambda: plan.values(*X))
    own = measured_main(device, lambda: plan.values(*X))
    word = checked(
        device,
        values,
        np.arange(4),
        lambda: ReferenceSubsequence(*given),
        lambda reference, out: reference.run(*some_rows(*X, np.arange(4)), out, GO),
        1e-4,
    )
    places = np.maximum(steps - (M - 1) * dilations, 1)
    pairs = float((places * np.where(normalised, 1, 2)).sum()) * M * n
    rate = f"{pairs / kernel / 1e12:.1f} T/s, {pairs / kernel / 1e12 / roof:.0%} of the roof"
    note = f"windows·places {float(places.sum()) * n / kernel / 1e12:.2f} T/s; ms: {own}"
    name = f"subsequence, {n} of {steps} × 4000 of 11 values, {shape:.0%} by shape"
    row(table, name, kernel, wall, rate, word, note)


def measured_main(device, work):
    """Milliseconds of each kernel, for the last column."""
    device.timed = True
    device.seconds()
    work()
    took = ", ".join(f"{name} {1e3 * s:.2f}" for name, s in device.seconds().items())
    device.timed = False
    return took


def elastic(device, table, found):
    """The elastic family, and how wide its strips should be."""
    table.add("## The elastic family", "", *HEAD)
    rng, roof = np.random.default_rng(7), found.get("floats", FLOATS)
    for lengths, rules in (((150, 151), CELL), ((13, 17), ("msm", "twe"))):
        X, L = random_series(rng, 2000, (150, 151), 1), random_series(rng, 2048, lengths, 1)
        cells = float(X[1][-1]) * float(L[1][-1])
        for rule in rules:
            seconds, wall, word, note = one_elastic(device, rule, X, L)
            rate = cells / seconds / 1e12
            share = rate * CELL[rule] / roof
            name = f"{rule}, 2000 of 150 × 2048 of {lengths[0]}..{lengths[1] - 1}"
            row(
                table, name, seconds, wall, f"{rate:.2f} TCUPS, {share:.0%} of the roof", word, note
            )
    counted = ", ".join(f"{count} (`{rule}`)" for rule, count in CELL.items())
    table.add(
        "",
        f"Float instructions of a cell, comparisons and minima among them: {counted}. `wdtw` reads "
        "a weight for each cell. The last column: columns of a strip × strips × blocks.",
        "",
    )


def one_elastic(device, rule, X, L):
    number = NUMBERS[rule], 1.0 if rule == "twe" else 0.0

    def led(series):  # a step of origin before every series
        if rule != "twe":
            return series
        values, offsets = series
        return np.insert(values, offsets[:-1], 0.0, axis=0), offsets + np.arange(len(offsets))

    rows, landmarks = led(X), led(L)
    given = -1, -1.0, rule, *number, np.zeros(1)
    plan = ElasticPlan(device, *landmarks, *given)
    kernel, wall, values = measured(device, lambda: plan.values(*rows))
    few, columns = np.arange(4), np.arange(0, 2048, 37)
    word = checked(
        device,
        values,
        few,
        lambda: ReferenceElastic(*some_rows(*landmarks, columns), *given),
        lambda reference, out: reference.run(*some_rows(*rows, few), out, GO),
        1e-5,
        columns,
    )
    note = ", ".join(f"{g.columns} × {g.strips} × {g.n_blocks}" for g in plan.groups)
    return kernel, wall, word, note
