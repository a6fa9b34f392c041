"""The papers' largest fit, and ten and a hundred million strings, through the models on one GPU.

``python -m benchmarks.cuda_models --data FOLDER`` prints what it measures; `benchmarks.cuda` writes
the page.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import os
import pstats
import resource
import time
from contextlib import contextmanager
from itertools import pairwise

import numpy as np

import seamark as sm
from benchmarks.cuda_many import Peak, sampled
from seamark.datasets import load
from seamark.landmarks import Generated

LENGTHS = (2, 50)
DISTANCES = 35.0  # TCUPS of the kernel on outlines, where it is not measured in the same run


def seconds_of(job):
    """What a job returns, and how long it took."""
    start = time.perf_counter()
    found = job()
    return found, time.perf_counter() - start


@contextmanager
def profiling(wanted):
    """Print where the time went, if that is wanted."""
    watched = cProfile.Profile()
    if wanted:
        watched.enable()
    yield
    if wanted:
        watched.disable()
        pstats.Stats(watched).sort_stats("tottime").print_stats(45)
        pstats.Stats(watched).sort_stats("cumtime").print_stats(60)


def model_of(n_landmarks, seed):
    return sm.LandmarkClassifier(
        "levenshtein",
        n_landmarks=n_landmarks,
        landmarks=Generated(sizes=LENGTHS),
        random_state=seed,
    )


def parts(model):
    return ", ".join(f"{name} {1e3 * s:.0f}" for name, s in model.fit_times_.items())


def roofs_of(n, symbols, R, found):
    """Milliseconds that values and sums would take at the rates of their kernels."""
    cells = float(symbols) * R * np.mean(LENGTHS)
    products = 2.0 * n * (R + 11) ** 2
    values = 1e3 * cells / (1e12 * found.get("distances", DISTANCES))
    sums = 1e3 * products / (1e12 * found.get("float64", 60.0))
    return f"at the roofs: values {values:.0f}, sums of all folds {sums:.0f}"


def split(data):
    """Digit outlines as Python strings and their classes: for training, and for tests."""
    digits = load("strings/mnist_chain8", folder=data)
    X, y = np.array(list(digits.data), dtype=object), np.asarray(digits.target)
    return [(X[digits.split == k].tolist(), y[digits.split == k]) for k in (0, 1)]


def digits(say, data, runs=3, profiled=False, found=None):
    """The whole D2KE fit, γ and penalty tuned, by the public model."""
    (X, y), (X_test, y_test) = split(data)
    for run in range(runs):
        with sm.engine.using("cuda"):
            model = model_of(4096, run // 2)
            with profiling(profiled and run == runs - 1):
                _, fit = seconds_of(lambda model=model: model.fit(X, y))
            times = [seconds_of(lambda model=model: model.predict(X_test)) for _ in range(2)]
        accuracy = float((times[-1][0] == y_test).mean())
        say(
            f"- 60,000 outlines, R = 4096, seed {run // 2}{', first of its process' * (not run)}: "
            f"fit **{fit:.2f} s**, predict 10,000 **{1e3 * times[-1][1]:.0f} ms**, accuracy "
            f"**{accuracy:.4f}**, penalty {model.head_.penalty_:.2g} (ms: {parts(model)}; "
            f"{roofs_of(len(X), sum(map(len, X)), 4096, found or {})})"
        )


def many_rows(device, X, y, n):
    """So many outlines with edits, ingested, and their classes."""
    rows = sm.data.strings.ingest(X)
    codes, offsets, parents = sampled(device, rows.flat, rows.offsets - rows.offsets[0], n, 1)
    return type(rows)(codes, offsets, rows.domain), y[parents]


def as_list(rows):
    """Return the same as a list of Python strings."""
    text = rows.flat.tobytes().decode("latin-1")
    return [text[a:b] for a, b in pairwise((rows.offsets - rows.offsets[0]).tolist())]


def many(say, data, n, form="list", bound=None, profiled=False, found=None):
    """Outlines with edits by the public model, from a list of strings or encoded arrays."""
    from seamark.engine.cuda.device import the_device

    device = the_device()
    (X, y), (X_test, y_test) = split(data)
    rows, targets = many_rows(device, X, y, n)
    symbols = int(rows.offsets[-1])
    given = as_list(rows) if form == "list" else rows
    del rows
    device.release()
    with Peak(device.cupy) as peak, sm.engine.using("cuda", device_bytes=bound):
        model = model_of(1024, 0)
        with profiling(profiled):
            _, fit = seconds_of(lambda model=model: model.fit(given, targets))
        accuracy = float((model.predict(X_test) == y_test).mean())
    host = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    whence = "from a list of Python strings" if form == "list" else "from encoded arrays"
    allowed = "" if bound is None else f", {bound >> 30} GB of device memory allowed"
    say(
        f"- {n:,} outlines with edits, {whence}{allowed}, R = 1024: fit **{fit:.2f} s**, accuracy "
        f"on the 10,000 test outlines {accuracy:.4f}, at most {peak.most / 2**30:.1f} GB on the "
        f"device, {host:.0f} GB on the host (ms: {parts(model)}, reading and sampling the rest; "
        f"{roofs_of(n, symbols, 1024, found or {})})"
    )
    del model
    gc.collect()
    say(f"  After it {device.cupy.get_default_memory_pool().used_bytes():,} bytes are in use.")


def jobs(table, data, most, found):
    """All of them, for the page."""
    table.add(
        "## Whole fits",
        "",
        '`LandmarkClassifier("levenshtein", landmarks=Generated(sizes=(2, 50)))` with '
        '`engine.using("cuda")`, γ and penalty by cross-validation, calibrated.',
        "",
    )
    digits(table.add, data, 5, found=found)
    ten = min(10_000_000, most)
    many(table.add, data, ten, found=found)
    many(table.add, data, ten, bound=4 << 30, found=found)
    if most > ten:
        many(table.add, data, most, "arrays", 16 << 30, found=found)
    table.add(
        "",
        "Strings are digit outlines with random edits; making them is not counted. Above 100,000 "
        "rows, γ and the calibration are settled on a sample of 100,000, and sums are over all.",
        "",
    )


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cuda_models", description=__doc__)
    parser.add_argument("--data", default=os.environ.get("SEAMARK_DATA"))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--many", type=float, default=1e7)
    parser.add_argument("--arrays", action="store_true", help="in place of a list of strings")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    if options.runs:
        digits(print, options.data, options.runs, options.profile)
    if options.many:
        form = "arrays" if options.arrays else "list"
        many(print, options.data, int(options.many), form, profiled=options.profile)


if __name__ == "__main__":
    main()
