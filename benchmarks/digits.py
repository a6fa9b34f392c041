"""D2KE at its paper's size: 60 000 digit outlines against 4096 random strings, end to end.

``python -m benchmarks.digits`` needs the data folder (SEAMARK_DATA, or --data) with
``strings/mnist_chain8``; writes ``digits.md`` and ``digits.png`` to --out.
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path

import numpy as np

import seamark as sm
from seamark.baselines import NearestNeighboursClassifier
from seamark.datasets import load
from seamark.landmarks import Generated
from seamark.linear_model import RidgeClassifier

LENGTHS = (2, 50)


def fit_and_score(train, test, n_landmarks, seed):
    """Seconds to fit and to predict, accuracy, and the model."""
    model = sm.LandmarkClassifier(
        "levenshtein",
        n_landmarks=n_landmarks,
        landmarks=Generated(sizes=LENGTHS),
        random_state=seed,
    )
    start = time.perf_counter()
    model.fit(*train)
    fitted = time.perf_counter()
    accuracy = model.score(*test)
    return fitted - start, time.perf_counter() - fitted, accuracy, model


def nearest(train, test, n):
    """Seconds per object and accuracy of exact 1-NN with the same kernel, on a few objects."""
    model = NearestNeighboursClassifier("levenshtein").fit(*train)
    start = time.perf_counter()
    accuracy = model.score(test[0][:n], test[1][:n])
    return (time.perf_counter() - start) / n, accuracy


def growth(train):
    """Seconds of a fit with nothing to choose over n at R = 512, of the values over R."""
    fixed = sm.LandmarkClassifier(
        "levenshtein",
        n_landmarks=512,
        landmarks=Generated(sizes=LENGTHS),
        transfer="identity",
        head=RidgeClassifier(penalty=1e-4, calibrate=False),
        random_state=0,
    )
    by_n = []
    for n in (7500, 15_000, 30_000, 60_000):
        start = time.perf_counter()
        fixed.fit(train[0][:n], train[1][:n])
        by_n.append((n, time.perf_counter() - start))
    few = (train[0][:10_000], train[1][:10_000])
    by_R = []
    for R in (256, 512, 1024, 2048):
        L = sm.data.strings.draw(R, np.random.default_rng(0), like=few[0], sizes=LENGTHS)
        start = time.perf_counter()
        sm.cross("levenshtein", few[0], L)
        by_R.append((R, time.perf_counter() - start))
    return by_n, by_R


def picture(by_n, by_R, path):
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    titles = ("fit, nothing to choose, R = 512", "values alone, n = 10 000")
    for panel, points, name, title in zip(axes, (by_n, by_R), ("n", "R"), titles, strict=True):
        x, seconds = zip(*points, strict=True)
        panel.plot(x, seconds, "o-", color="#1f6f8b")
        panel.set(xlabel=name, ylabel="seconds", title=title, ylim=0, xlim=0)
    figure.savefig(path, dpi=120)


def page(rows, one_nn, grown, path):
    per_object, accuracy_1nn = one_nn
    lines = [
        "# D2KE on 60 000 digit outlines",
        "",
        "Freeman chain codes of 60 000 training and 10 000 test digits (`strings/mnist_chain8`),",
        f"edit distance, 4096 random strings of {LENGTHS[0]}..{LENGTHS[1]} letters, γ and penalty",
        "chosen by cross-validation; training and prediction end to end. Written by",
        "`python -m benchmarks.digits`.",
        "",
        "| seed | fit | predict 10 000 | accuracy | transfer | penalty | evaluations |",
        "|---|---|---|---|---|---|---|",
    ]
    for seed, (fit, predict, accuracy, model) in enumerate(rows):
        lines.append(
            f"| {seed} | {fit:.1f} s | {predict:.2f} s | {accuracy:.4f} | "
            f"{model.map_.transfers_[0]} | {model.head_.penalty_:.2g} | "
            f"{model.n_evaluations_ / 1e6:.0f} M |"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    mean = np.mean([row[2] for row in rows])
    ratio = per_object / (np.mean([row[1] for row in rows]) / 10_000)
    lines += [
        "",
        f"Mean accuracy {mean:.4f} (to reach: 0.977); longest fit and prediction "
        f"{max(r[0] + r[1] for r in rows):.0f} s (limit 90); peak memory {peak:.2f} GB (limit 4).",
        "",
        f"Exact 1-NN with the same kernel: accuracy {accuracy_1nn:.3f} on the first 1000 test "
        f"objects, {1e6 * per_object:.0f} µs per object: {ratio:.0f} times what our prediction "
        "costs (to reach: 20).",
        "",
        "A fit with nothing to choose, over n at R = 512: "
        + ", ".join(f"n = {n}: {s:.2f} s" for n, s in grown[0])
        + "; the values alone, over R at n = 10 000: "
        + ", ".join(f"R = {R}: {s:.2f} s" for R, s in grown[1])
        + ".",
        "",
        "![growth](digits.png)",
        "",
    ]
    path.write_text("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.digits", description=__doc__)
    parser.add_argument("--data", help="data folder; default: SEAMARK_DATA")
    parser.add_argument("--out", type=Path, default=Path("docs/benchmarks"))
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    digits = load("strings/mnist_chain8", folder=options.data)
    train, test = (
        (digits.data[digits.split == part], digits.target[digits.split == part]) for part in (0, 1)
    )
    rows = []
    for seed in range(options.seeds):
        rows.append(fit_and_score(train, test, 4096, seed))
        print(f"seed {seed}: fit {rows[-1][0]:.1f} s, accuracy {rows[-1][2]:.4f}", flush=True)
    one_nn, grown = nearest(train, test, 1000), growth(train)
    options.out.mkdir(parents=True, exist_ok=True)
    page(rows, one_nn, grown, options.out / "digits.md")
    picture(*grown, options.out / "digits.png")
    print((options.out / "digits.md").read_text())


if __name__ == "__main__":
    main()
