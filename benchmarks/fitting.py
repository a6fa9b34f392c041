"""What a fit costs beside its values: ours and scikit-learn's ridge, interleaved in one process.

``python -m benchmarks.fitting`` needs the data folder (SEAMARK_DATA, or --data) with
``strings/names_language`` and ``series/ucr``, and for ``--digits`` ``strings/mnist_chain8``; writes
``fitting.md`` to --out.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from pathlib import Path

import numba
import numpy as np
from sklearn.linear_model import RidgeClassifierCV, RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import seamark as sm
from seamark.datasets import load
from seamark.landmarks import Generated

PENALTIES = np.logspace(-3, 4, 14)
STEPS = ("values", "tuning", "fitting", "calibration", "other")
SERIES = (("FacesUCR", 50), ("FacesUCR", 300), ("FacesUCR", 1000), ("MelbournePedestrian", 3000))
MOST = {("strings", 1500): 0.25, ("strings", 6000): 0.15}  # of scikit-learn's processor time


def surnames(folder, n, seed=0):
    """So many surnames of 18 languages, and all others, with their labels and lengths."""
    bunch = load("strings/names_language", folder=folder)
    rows = np.random.default_rng(seed).permutation(len(bunch.target))
    lengths = np.diff(bunch.data.offsets).astype(np.float64)
    numbers = lengths + bunch.target  # something to regress on that a name tells about
    return [(bunch.data[some], bunch.target[some], numbers[some]) for some in (rows[:n], rows[n:])]


def seconds(work, clock=time.process_time):
    """Return what some work took, and what it returned."""
    start = clock()
    answer = work()
    return clock() - start, answer


def compared(train, test, *, classes, rounds):
    """Processor seconds of both, by turns, on one thread; ours tunes and computes everything."""
    X, labels, numbers = train
    y, truth = (labels, test[1]) if classes else (numbers, test[2])
    model = sm.LandmarkClassifier if classes else sm.LandmarkRegressor
    ready = sm.LandmarkMap("levenshtein", random_state=0).fit(X)
    phi, other = ready.transform(X), ready.transform(test[0])
    ours, theirs = [], []
    with threadpool_limits(1):
        for turn in range(rounds + 1):
            took, ridge = seconds(
                lambda: (RidgeClassifierCV if classes else RidgeCV)(PENALTIES).fit(phi, y)
            )
            mine, fitted = seconds(lambda: model("levenshtein", n_jobs=1, random_state=0).fit(X, y))
            if turn:  # the first one warms up
                ours.append(mine)
                theirs.append(took)
    scores = fitted.score(test[0], truth), ridge.score(other, truth)
    return np.array(ours), np.array(theirs), scores, fitted.fit_times_


def rivals_of_blocks():
    """Return what our default is compared with: MiniRocket as it is used, of aeon and of ours."""
    from aeon.transformations.collection.convolution_based import MiniRocket

    ours = sm.RandomConvolution(10_000, random_state=0, n_jobs=1)
    return [
        make_pipeline(one, StandardScaler(), RidgeClassifierCV(PENALTIES))
        for one in (MiniRocket(random_state=0), ours)
    ]


def for_aeon(series):
    """Return series of one length as aeon takes them."""
    return np.stack(list(series)).reshape(len(series), 1, -1)


def blocks_compared(folder, name, n, rounds):
    """Processor seconds of our default, and of convolutions with scikit-learn's ridge, by turns.

    The first round, in which aeon compiles, is not counted.
    """
    bunch = load(f"series/ucr/{name}", folder=folder)
    rows = np.random.default_rng(0).permutation(len(bunch.target))
    X, y, other, truth = (
        part[some] for some in (rows[:n], rows[n:]) for part in (bunch.data, bunch.target)
    )
    every = np.empty((3, rounds))
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that small sets have fewer landmarks; numba's own
        numba.set_num_threads(1)
        for turn in range(-1, rounds):
            ours = sm.LandmarkClassifier(n_jobs=1, random_state=0)
            models = [ours, *rivals_of_blocks()]
            for model, took in zip(models, every, strict=True):
                arrays = for_aeon(X) if model is models[1] else X
                took[turn] = seconds(lambda m=model, a=arrays: m.fit(a, y))[0]
        scores = [
            model.score(for_aeon(other) if model is models[1] else other, truth) for model in models
        ]
    return every, scores, ours.fit_times_


def by_threads(train, rounds):
    """Seconds by the clock on one thread and on two, by turns."""
    X, labels, _ = train
    took = {1: [], 2: []}
    for _ in range(rounds):
        for threads, times in took.items():
            with threadpool_limits(threads):
                model = sm.LandmarkClassifier("levenshtein", n_jobs=threads, random_state=0)
                times.append(seconds(lambda m=model: m.fit(X, labels), time.perf_counter)[0])
    return {threads: min(times) for threads, times in took.items()}


def digits(folder):
    """One fit of 60 000 digits on 4096 random strings, on all cores."""
    bunch = load("strings/mnist_chain8", folder=folder)
    train, test = (bunch.split == part for part in (0, 1))
    model = sm.LandmarkClassifier(
        "levenshtein", n_landmarks=4096, landmarks=Generated(sizes=(2, 50)), random_state=0
    )
    start = time.process_time()
    took, _ = seconds(lambda: model.fit(bunch.data[train], bunch.target[train]), time.perf_counter)
    processor = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    score = model.score(bunch.data[test], bunch.target[test])
    return took, processor, score, peak, model.fit_times_


def page(rows, of_blocks, threads, of_digits, machine):
    """Return the page as text."""
    lines = [
        "# What a fit costs",
        "",
        "Processor seconds of `LandmarkClassifier` and `LandmarkRegressor` with all defaults on",
        "surnames of 18 languages (edit distance, 1000 landmarks): ingesting, values, transfer,",
        "penalty, fit and calibration. Beside it scikit-learn's `RidgeClassifierCV` and `RidgeCV`",
        "with 14 penalties on features that are ready. Both by turns in one process, BLAS on one",
        f"thread, after a first round that is not counted; medians. {machine}",
        "Written by `make bench-fitting`.",
        "",
        "| task | rows | ours | scikit-learn | ratio (range) | to reach | score: ours, theirs |",
        "|---|---|---|---|---|---|---|",
    ]
    for task, n, ours, theirs, scores, _ in rows:
        ratios = ours / theirs
        lines.append(
            f"| {task} | {n} | {np.median(ours):.2f} s | {np.median(theirs):.2f} s | "
            f"{np.median(ratios):.3f} ({ratios.min():.3f} to {ratios.max():.3f}) | "
            f"{MOST.get((task, n), '')} | {scores[0]:.4f}, {scores[1]:.4f} |"
        )
    lines += [
        "",
        "Series with all defaults (windows, those of differences, 5,000 convolutions, DTW, MSM:",
        "some 10,000 columns), everything included, beside aeon's `MiniRocket` with scikit-learn's",
        "scaler and `RidgeClassifierCV` (compiled before), and beside 10,000 convolutions of ours",
        "with the same two; the aim is at most 3 times the first:",
        "",
        "| series | rows | ours | MiniRocket and ridge | ratio (range) | our convolutions "
        "and ridge | ratio | score: ours, MiniRocket, convolutions |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, n, every, scores, _ in of_blocks:
        ratios = every[0] / every[1:]
        took = [f"{np.median(one):.2f} s" for one in every]
        lines.append(
            f"| {name} | {n} | {took[0]} | {took[1]} | {np.median(ratios[0]):.2f} "
            f"({ratios[0].min():.2f} to {ratios[0].max():.2f}) | {took[2]} | "
            f"{np.median(ratios[1]):.2f} | {', '.join(f'{one:.4f}' for one in scores)} |"
        )
    lines += ["", "Where our time went, by the clock, in the last round (`fit_times_`):", ""]
    lines += ["| task | rows | " + " | ".join(STEPS) + " |", "|" + "---|" * (2 + len(STEPS))]
    for task, n, *_, times in rows + of_blocks:
        spent = " | ".join(f"{times.get(step, 0.0):.2f} s" for step in STEPS)
        lines.append(f"| {task} | {n} | {spent} |")
    if threads is not None:
        by_clock = f"{threads[1]:.2f} s and {threads[2]:.2f} s"
        lines += ["", f"One thread and two, 6000 strings, by the clock: {by_clock}."]
    if of_digits is not None:
        took, processor, score, peak, times = of_digits
        spent = ", ".join(f"{step} {times.get(step, 0.0):.1f} s" for step in STEPS)
        lines += [
            "",
            f"60 000 digits, 4096 random strings, all cores: {took:.1f} s by the clock "
            f"({processor:.0f} processor seconds; {spent}), accuracy {score:.4f}, peak memory "
            f"{peak:.2f} GB.",
        ]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=None, help="data folder; default: SEAMARK_DATA")
    parser.add_argument("--out", type=Path, default=Path("docs/benchmarks"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--busy", action="store_true", help="nothing by the clock")
    parser.add_argument("--digits", action="store_true", help="60 000 digits too")
    parser.add_argument("--machine", default="", help="a sentence on what it ran on")
    options = parser.parse_args()
    rows = []
    for classes, task in ((True, "strings"), (False, "strings, numbers")):
        for n in (1500, 6000):
            train, test = surnames(options.data, n)
            found = compared(train, test, classes=classes, rounds=options.rounds)
            rows.append((task, n, *found))
    of_blocks = [
        (name, n, *blocks_compared(options.data, name, n, min(options.rounds, 3)))
        for name, n in SERIES
    ]
    threads = None
    if not options.busy:
        threads = by_threads(surnames(options.data, 6000)[0], options.rounds)
    of_digits = digits(options.data) if options.digits else None
    text = page(rows, of_blocks, threads, of_digits, options.machine)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "fitting.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
