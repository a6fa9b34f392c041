"""What more threads are worth: one fit of 60,000 digits on 4096 random strings for each number.

``python -m benchmarks.digits_threads`` needs the data folder (SEAMARK_DATA, or --data) with
``strings/mnist_chain8``; each number of threads (--threads) gets a process of its own, whose peak
memory is its own. It prints a table; ``--profile`` adds where the calling thread spent its time,
which is what is left to divide, and ``--names`` fits of 1,500 and 6,000 surnames
(``strings/names_language``) on 1000 landmarks, the least of five.
"""

from __future__ import annotations

import argparse
import cProfile
import io
import json
import os
import pstats
import resource
import subprocess
import sys
import time

STEPS = ("values", "tuning", "fitting", "calibration", "other")
VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "SEAMARK_NUM_THREADS")


def measured(folder, threads, n_landmarks, profiled):
    """Fit in this process; return seconds, processor seconds, peak, score and where time went."""
    import seamark as sm
    from seamark.datasets import load
    from seamark.landmarks import Generated

    bunch = load("strings/mnist_chain8", folder=folder)
    train, test = (bunch.split == part for part in (0, 1))
    X, y = bunch.data[train], bunch.target[train]
    model = sm.LandmarkClassifier(
        "levenshtein",
        n_landmarks=n_landmarks,
        landmarks=Generated(sizes=(2, 50)),
        random_state=0,
        n_jobs=threads,
    )
    # What is loaded and compiled at first use is no part of a fit.
    sm.LandmarkClassifier("levenshtein", n_landmarks=64, n_jobs=threads).fit(X[:600], y[:600])
    profile = cProfile.Profile()
    busy, start = time.process_time(), time.perf_counter()
    if profiled:
        profile.enable()
    model.fit(X, y)
    profile.disable()
    found = {
        "threads": threads,
        "fit": time.perf_counter() - start,
        "processor": time.process_time() - busy,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "times": dict(model.fit_times_),
        "penalty": float(model.head_.penalty_),
        "transfer": repr(model.map_.transfers_[0]),
    }
    found["score"] = float(model.score(bunch.data[test], bunch.target[test]))
    if profiled:
        text = io.StringIO()
        pstats.Stats(profile, stream=text).sort_stats("tottime").print_stats(30)
        found["profile"] = text.getvalue()
    return found


def names(folder, threads, rounds=5):
    """Return the least seconds of a fit to surnames, by how many they are."""
    import numpy as np

    import seamark as sm
    from seamark.datasets import load

    bunch, least = load("strings/names_language", folder=folder), {}
    order = np.random.default_rng(0).permutation(len(bunch.target))
    for n in (1500, 6000):
        X, y, took = bunch.data[order[:n]], bunch.target[order[:n]], []
        for _ in range(rounds):
            start = time.perf_counter()
            sm.LandmarkClassifier("levenshtein", n_jobs=threads, random_state=0).fit(X, y)
            took.append(time.perf_counter() - start)
        least[n] = min(took)
    return least


def in_own_process(options, threads):
    """Run `measured` in a process whose libraries have as many threads."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    environment = os.environ | dict.fromkeys(VARIABLES, str(min(threads, cores or threads)))
    command = [sys.executable, "-m", "benchmarks.digits_threads", "--one", str(threads)]
    command += ["--landmarks", str(options.landmarks)]
    command += ["--data", options.data] if options.data else []
    command += ["--profile"] if options.profile else []
    command += ["--names"] if options.names else []
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def line(found, slowest):
    times = " | ".join(f"{found['times'].get(step, 0.0):.1f} s" for step in STEPS)
    return (
        f"| {found['threads']} | {found['fit']:.1f} s | {slowest / found['fit']:.2f} | "
        f"{found['processor']:.0f} s | {times} | {found['score']:.4f} | {found['peak']:.2f} GB |"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="data folder; default: SEAMARK_DATA")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 8, 16])
    parser.add_argument("--landmarks", type=int, default=4096)
    parser.add_argument("--profile", action="store_true", help="where the calling thread was")
    parser.add_argument("--names", action="store_true", help="fits to surnames too")
    parser.add_argument("--one", type=int, help="fit in this process, print what was found")
    options = parser.parse_args()
    if options.one:
        found = measured(options.data, options.one, options.landmarks, options.profile)
        found["names"] = names(options.data, options.one) if options.names else {}
        print(json.dumps(found))
        return
    titles = ("threads", "fit", "times faster", "processor", *STEPS, "accuracy", "peak memory")
    print(f"{os.cpu_count()} cores\n\n| {' | '.join(titles)} |\n|{'---|' * len(titles)}")
    every = []
    for threads in options.threads:
        every.append(in_own_process(options, threads))
        print(line(every[-1], every[0]["fit"]), flush=True)
    print("\n" + "\n".join(f"{f['threads']}: {f['transfer']}, {f['penalty']:.3g}" for f in every))
    for found in every:
        for n, took in found["names"].items():
            print(f"{found['threads']} threads, {n} surnames: {took:.3f} s")
    for found in every:
        if options.profile:
            print(f"\n{found['threads']} threads\n{found['profile']}")


if __name__ == "__main__":
    main()
