"""Dynamic time warping against aeon and dtaidistance."""

from __future__ import annotations

import numpy as np
from aeon.distances import dtw_pairwise_distance
from dtaidistance import dtw, dtw_ndim

import seamark as sm
from seamark.data import series

from .contest import Contest, Contestant
from .roofs import float_rate

SHARE = 20  # peers get one landmark series in so many: they would take minutes


def walks(n, channels, shortest, longest, rng):
    lengths = rng.integers(shortest, longest, size=n, endpoint=True)
    return [rng.normal(size=(channels, k)).cumsum(axis=1).astype(np.float64) for k in lengths]


def cells(X, L, window):
    if window is None:
        return float(sum(x.shape[1] for x in X)) * float(sum(m.shape[1] for m in L))
    n = X[0].shape[1]
    i, j = np.indices((n, n))
    return float((abs(i - j) <= int(window * n)).sum()) * len(X) * len(L)


def dtai(X, L, window):
    """Time-major arrays in one list, and the block of X against L."""
    both = [np.ascontiguousarray(s.T) for s in [*X, *L]]
    band = None if window is None else int(window * X[0].shape[1]) + 1
    options = {
        "block": ((0, len(X)), (len(X), len(both))),
        "window": band,
        "compact": True,
        "parallel": False,
    }
    if both[0].shape[1] == 1:
        flat = [s[:, 0].copy() for s in both]
        return lambda: dtw.distance_matrix_fast(flat, **options)
    return lambda: dtw_ndim.distance_matrix_fast(both, **options)


def contest(name, X, L, window, floor):
    few = X[:: max(1, len(X) // 40)], L[:: max(1, SHARE)]
    ours, measure = (series.ingest(X), series.ingest(L)), sm.measures.DTW(window=window)
    channels = X[0].shape[0]
    isa = sm.engine.backend().name
    return Contest(
        name=f"DTW, {name}",
        unit="GCUPS",
        ours=Contestant("seamark", lambda: measure.cross(*ours, n_jobs=1), cells(X, L, window)),
        peers=[
            Contestant(
                "aeon", lambda: dtw_pairwise_distance(*few, window=window), cells(*few, window)
            ),
            Contestant("dtaidistance", dtai(*few, window), cells(*few, window)),
        ],
        floor=floor,
        # a subtraction and a fused multiply-add per channel, two minima (the path's sum is fused)
        roof=float_rate(isa) / (2 * channels + 2),
    )


def contests(scale):
    rng = np.random.default_rng(2)
    n = int(600 * scale)
    three, many = walks(n, 3, 100, 200, rng), walks(n, 22, 45, 136, rng)
    one = walks(n, 1, 150, 150, rng)
    yield contest("3 variables, 100..200 × 2..25", three, walks(512, 3, 2, 25, rng), None, 30.0)
    yield contest("22 variables, 45..136 × 2..25", many, walks(512, 22, 2, 25, rng), None, 15.0)
    yield contest("150 × 150, band of 10 %", one, walks(256, 1, 150, 150, rng), 0.1, 30.0)
