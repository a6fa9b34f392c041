"""Set distances against a loop of scipy's cdist, Manhattan against scikit-learn."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances
from threadpoolctl import threadpool_limits

import seamark as sm
from seamark.data import sets

from .contest import Contest, Contestant
from .roofs import float_rate, product_seconds


def unit_sets(n, smallest, largest, d, rng):
    sizes = rng.integers(smallest, largest, size=n, endpoint=True)
    bags = [rng.normal(size=(k, d)).astype(np.float32) for k in sizes]
    return [b / np.linalg.norm(b, axis=1, keepdims=True) for b in bags]


def scipy_loop(X, L):
    out = np.empty((len(X), len(L)), np.float32)
    for i, x in enumerate(X):
        for j, landmark in enumerate(L):
            D = cdist(x, landmark)
            out[i, j] = max(D.min(axis=0).mean(), D.min(axis=1).mean())
    return out


def single_threaded(run):
    def limited():
        with threadpool_limits(1):
            return run()

    return limited


def contests(scale):
    rng = np.random.default_rng(3)
    bags, marks = unit_sets(int(300 * scale), 6, 500, 128, rng), unit_sets(256, 3, 15, 128, rng)
    X, L = sets.ingest(bags), sets.ingest(marks)
    few = bags[::20]
    values = float(sum(len(b) for b in bags)) * len(L.values)
    yield Contest(
        name="modified Hausdorff, sets of 6..500 in 128-d × 3..15",
        unit="G vector pairs/s",
        ours=Contestant("seamark", lambda: sm.cross("modified_hausdorff", X, L, n_jobs=1), values),
        peers=[
            Contestant(
                "scipy cdist loop",
                single_threaded(lambda: scipy_loop(few, marks)),
                float(sum(len(b) for b in few)) * len(L.values),
            )
        ],
        floor=15.0,
        roof=values / product_seconds(len(X.values), len(L.values), 128),
    )
    n, R, d = int(20_000 * scale), 1000, 32
    A, B = rng.normal(size=(n, d)).astype(np.float32), rng.normal(size=(R, d)).astype(np.float32)
    yield Contest(
        name=f"Manhattan, {n} × {d}, R = {R}",
        unit="G coordinates/s",
        ours=Contestant("seamark", lambda: sm.cross("manhattan", A, B, n_jobs=1), n * R * d),
        peers=[
            Contestant(
                "scikit-learn",
                single_threaded(lambda: pairwise_distances(A, B, metric="manhattan")),
                n * R * d,
            )
        ],
        floor=5.0,
        roof=float_rate(sm.engine.backend().name) / 3,
    )
