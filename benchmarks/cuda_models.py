"""The papers' largest fit, and ten million strings, through the library's own models on one GPU.

``python -m benchmarks.cuda_models --data FOLDER`` prints what it measures; `benchmarks.cuda` writes
the page.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import time
from itertools import pairwise

import numpy as np

import seamark as sm
from seamark.datasets import load
from seamark.landmarks import Generated

LENGTHS = (2, 50)


def seconds_of(job):
    """What a job returns, and how long it took."""
    start = time.perf_counter()
    found = job()
    return found, time.perf_counter() - start


def model_of(n_landmarks, seed):
    return sm.LandmarkClassifier(
        "levenshtein",
        n_landmarks=n_landmarks,
        landmarks=Generated(sizes=LENGTHS),
        random_state=seed,
    )


def parts(model):
    return ", ".join(f"{name} {1e3 * s:.0f}" for name, s in model.fit_times_.items())


def split(data):
    """Digit outlines as Python strings and their classes: for training, and for tests."""
    digits = load("strings/mnist_chain8", folder=data)
    X, y = np.array(list(digits.data), dtype=object), np.asarray(digits.target)
    return [(X[digits.split == k].tolist(), y[digits.split == k]) for k in (0, 1)]


def digits(say, data, runs=3, profiled=False):
    """The whole D2KE fit, γ and penalty tuned, by the public model."""
    (X, y), (X_test, y_test) = split(data)
    for run in range(runs):
        watched = cProfile.Profile() if profiled and run == runs - 1 else None
        with sm.engine.using("cuda"):
            model = model_of(4096, run // 2)
            if watched:
                watched.enable()
            _, fit = seconds_of(lambda model=model: model.fit(X, y))
            if watched:
                watched.disable()
            times = [seconds_of(lambda model=model: model.predict(X_test)) for _ in range(2)]
        accuracy = float((times[-1][0] == y_test).mean())
        say(
            f"- 60,000 outlines, R = 4096, seed {run // 2}: fit **{fit:.2f} s**, predict 10,000 "
            f"**{1e3 * times[-1][1]:.0f} ms**, accuracy **{accuracy:.4f}**, "
            f"penalty {model.head_.penalty_:.2g} (ms: {parts(model)})"
        )
        if watched:
            pstats.Stats(watched).sort_stats("tottime").print_stats(45)
            pstats.Stats(watched).sort_stats("cumtime").print_stats(60)


def sampled_strings(device, X, y, n):
    """So many outlines with edits, as a list of Python strings, and their classes."""
    from benchmarks.cuda_many import sampled

    rows = sm.objects.strings.ingest(X)
    codes, offsets, parents = sampled(device, rows.flat, rows.offsets - rows.offsets[0], n, 1)
    text, ends = codes.tobytes().decode("latin-1"), offsets.tolist()
    return [text[a:b] for a, b in pairwise(ends)], y[parents]


def many(say, data, n, profiled=False):
    """Outlines with edits, from a list of Python strings, by the public model."""
    from seamark.engine.cuda.device import the_device

    (X, y), (X_test, y_test) = split(data)
    strings, targets = sampled_strings(the_device(), X, y, n)
    watched = cProfile.Profile() if profiled else None
    with sm.engine.using("cuda"):
        model = model_of(1024, 0)
        if watched:
            watched.enable()
        _, fit = seconds_of(lambda: model.fit(strings, targets))
        if watched:
            watched.disable()
        accuracy = float((model.predict(X_test) == y_test).mean())
    say(
        f"- {n:,} outlines with edits, from a list of strings, R = 1024: fit **{fit:.2f} s**, "
        f"accuracy on the 10,000 test outlines {accuracy:.4f} (ms: {parts(model)})"
    )
    if watched:
        pstats.Stats(watched).sort_stats("tottime").print_stats(40)
        pstats.Stats(watched).sort_stats("cumtime").print_stats(60)


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cuda_models", description=__doc__)
    parser.add_argument("--data", default=os.environ.get("SEAMARK_DATA"))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--many", type=float, default=1e7)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    if options.runs:
        digits(print, options.data, options.runs, options.profile)
    if options.many:
        many(print, options.data, int(options.many), options.profile)


if __name__ == "__main__":
    main()
