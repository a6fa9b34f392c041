"""Windows, random convolutions and the elastic family against aeon.

Run ``NUMBA_NUM_THREADS=1 OMP_NUM_THREADS=1 python -m benchmarks.kernels.series_parts``: it prints
the contests and writes docs/benchmarks/series_kernels.md.
"""

from __future__ import annotations

import argparse
import platform
import time
import warnings
from pathlib import Path

import numpy as np

import seamark as sm
from seamark.data import series

from .contest import Contest, Contestant

ELASTIC = ("msm", "twe", "erp", "edr", "lcss", "wdtw", "adtw", "ddtw")


def walks(n, channels, steps, rng):
    return rng.normal(size=(n, channels, steps)).cumsum(axis=2)


def windows(steps, rng, scale):
    """Windows of 11 values: one transform of ours, and a part of aeon's."""
    from aeon.transformations.collection.shapelet_based import RandomDilatedShapeletTransform

    X = walks(100, 1, steps, rng)
    peer = RandomDilatedShapeletTransform(1000, [11], random_state=0, n_jobs=1)
    peer.fit(X, np.arange(100) % 2)
    few, ours = X[: max(2, int(20 * scale))], series.ingest(X)
    measure = sm.measures.Subsequence()
    L, _ = measure.landmark_domain.cut(ours, 2000, rng)
    places = [
        np.maximum(steps - 10 * np.asarray(d), 1).sum() for d in (peer.shapelets_[3], L.dilations)
    ]
    return Contest(
        name=f"subsequence, windows of 11 in {steps} steps",
        unit="G windows·places/s",
        ours=Contestant("seamark", lambda: measure.cross(ours, L, n_jobs=1), 100.0 * places[1]),
        peers=[Contestant("aeon RDST", lambda: peer.transform(few), float(len(few) * places[0]))],
        floor=15.0,
    )


def convolutions(steps, channels, rng, scale):
    """About 10 000 features of each."""
    from aeon.transformations.collection.convolution_based import MiniRocket

    X = walks(60, channels, steps, rng)
    peer = MiniRocket(10_000, random_state=0, n_jobs=1).fit(X)
    own = sm.RandomConvolution(9996, random_state=0, n_jobs=1).fit(X)
    ingested, few = own.ingest(X), X[: max(2, int(20 * scale))]
    work = 9996.0 * steps
    return Contest(
        name=f"RandomConvolution, {channels} × {steps} steps",
        unit="G features·places/s",
        ours=Contestant("seamark", lambda: own.block(ingested), 60 * work),
        peers=[Contestant("aeon MiniRocket", lambda: peer.transform(few), len(few) * work)],
        floor=3.0,
    )


def elastic(name, channels, window, rng):
    from aeon.distances import get_pairwise_distance_function

    X, L = walks(96, channels, 150, rng), walks(128, channels, 150, rng)
    ours = series.ingest(X), series.ingest(L)
    measure = sm.measures.get(name).set_params(window=window)
    peer = get_pairwise_distance_function(name)
    keywords = {} if window is None else {"window": window}
    pairs = 150.0 * 150.0
    band = "" if window is None else f", band of {window:.0%}"
    return Contest(
        name=f"{name}, {channels} × 150 steps{band}",
        unit="G cells/s (of the whole matrix)",
        ours=Contestant("seamark", lambda: measure.cross(*ours, n_jobs=1), 96 * 128 * pairs),
        peers=[Contestant("aeon", lambda: peer(X[:8], L[:12], **keywords), 96 * pairs)],
        floor=15.0,
    )


def contests(scale):
    rng = np.random.default_rng(3)
    yield from (windows(steps, rng, scale) for steps in (150, 500, 2000))
    for channels in (1, 3):
        yield from (convolutions(steps, channels, rng, scale) for steps in (150, 500, 2000))
    for name in ELASTIC:
        yield from (elastic(name, c, w, rng) for c in (1, 3) for w in (None, 0.1))


def hold(contest, rounds):
    """As `Contest.hold`, by processor time: other programs run beside."""
    everyone = [contest.ours, *contest.peers]
    for contestant in everyone:
        contestant.run()
    for _ in range(rounds):
        for contestant in everyone:
            start = time.process_time()
            contestant.run()
            contestant.seconds.append(time.process_time() - start)
    return contest


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kernels.series_parts")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--only", default="", help="only jobs whose name contains this")
    parser.add_argument("--out", type=Path, default=Path("docs/benchmarks/series_kernels.md"))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for contest in contests(options.scale):
        if options.only in contest.name:
            hold(contest, options.rounds)
            peer, (low, high) = contest.best_peer, contest.spread
            rows.append(
                f"| {contest.name} | {contest.ours.rate / 1e9:.3g} {contest.unit} | "
                f"{peer.rate / 1e9:.3g} ({peer.name}) | {contest.ratio:.1f}× | "
                f"{low:.1f}..{high:.1f} | ≥ {contest.floor:g}× | "
                f"{'yes' if contest.ratio >= contest.floor else '**no**'} |"
            )
            print(rows[-1], flush=True)
    if not options.only:
        options.out.write_text(page(rows))


def page(rows):
    head = "| job | seamark | best peer | ratio | turns | to reach | reached |"
    rule = "| --- | --- | --- | --- | --- | --- | --- |"
    return (
        "# Kernels of series against aeon\n\n"
        f"One thread, processor time, {platform.machine()}, kernels built for "
        f"`{sm.engine.backend().name}`; contestants take turns in one process, best turn each. "
        "Written by `python -m benchmarks.kernels.series_parts`.\n\n"
        + "\n".join([head, rule, *rows])
        + "\n"
    )


if __name__ == "__main__":
    main()
