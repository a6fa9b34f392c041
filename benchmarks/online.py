"""One pass of `AUCClassifier.partial_fit` over a long stream, on one thread.

``python -m benchmarks.online`` writes ``online.md`` to --out. Points are made block by block: the
stream is never in memory, and only `partial_fit` is on the clock.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

import seamark as sm
from seamark.online import FIFO, AUCClassifier, Buffer, Reservoir, RSx, RSx2

FEATURES, BUFFER, BLOCK = 50, 100, 10_000
LIMIT = 20.0  # seconds for a million points


def stream(n: int, seed: int = 0) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Noisy linear classes, one in four positive."""
    rng = np.random.default_rng(seed)
    direction = np.random.default_rng(7).normal(size=FEATURES) / np.sqrt(FEATURES)
    for _ in range(0, n, BLOCK):
        X = rng.normal(size=(BLOCK, FEATURES))
        yield X, (X @ direction + 0.5 * rng.normal(size=BLOCK) > 0.7).astype(int)


def run(buffer: Buffer, n: int, loss: str = "hinge") -> tuple[float, float, float, float]:
    """Wall and processor seconds, AUC on fresh points, growth of the peak memory in megabytes."""
    model = AUCClassifier(loss=loss, buffer=buffer, random_state=0)
    X, y = next(stream(BLOCK))
    model.partial_fit(X, y)  # everything is allocated
    before = peak()
    wall = cpu = 0.0
    for X, y in stream(n, seed=1):
        start, used = time.perf_counter(), time.process_time()
        model.partial_fit(X, y)
        wall += time.perf_counter() - start
        cpu += time.process_time() - used
    grown = peak() - before
    X, y = next(stream(BLOCK, seed=2))
    return wall, cpu, roc_auc_score(y, model.decision_function(X)), grown


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def page(rows: list[tuple[str, str, int, float, float, float, float]]) -> str:
    lines = [
        "# Online AUC over a long stream",
        "",
        f"`AUCClassifier.partial_fit` in blocks of {BLOCK} points with {FEATURES} features, buffer "
        f"{BUFFER}, one thread; to reach: {LIMIT:.0f} s for a million points. Seconds are by the "
        "wall, other jobs of the machine included. Native and numpy make the same random choices "
        f"and the same steps. Written by `make bench-online` with seamark {sm.__version__}.",
        "",
        "| buffer | loss | kernel | points | seconds | processor seconds | AUC | memory grew by |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {name} | {loss} | {kernel} | {n} | {wall:.1f} | {cpu:.1f} | {auc:.4f} | {mb:.0f} MB |"
        for name, loss, kernel, n, wall, cpu, auc, mb in rows
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.online", description=__doc__)
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path, default=Path("docs/benchmarks"))
    asked = parser.parse_args()
    jobs = [(RSx2(BUFFER), "hinge"), (RSx2(BUFFER), "logistic")]
    jobs += [(policy(BUFFER), "hinge") for policy in (FIFO, Reservoir, RSx)]
    native = sm.engine.backend().name
    rows = []
    with threadpool_limits(1):
        for buffer, loss in jobs:
            result = run(buffer, asked.points, loss)
            rows.append((type(buffer).__name__, loss, native, asked.points, *result))
            print(rows[-1], flush=True)
        with sm.engine.using("reference"):
            few = max(BLOCK, asked.points // 20)
            rows.append(("RSx2", "hinge", "numpy", few, *run(RSx2(BUFFER), few)))
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "online.md").write_text(page(rows), encoding="utf-8")
    print(page(rows))


if __name__ == "__main__":
    main()
