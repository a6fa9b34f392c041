"""A fit holds what its budget allows."""

import os
import tracemalloc

import numpy as np
import pytest

import seamark as sm


@pytest.mark.parametrize("measure", ["manhattan", pytest.param("auto", marks=pytest.mark.slow)])
def test_a_fit_stays_within_its_budget(measure):
    # Values of all landmarks alone would be 80 MB a block, and there are up to five blocks.
    rng = np.random.default_rng(0)
    n_landmarks, budget = 1000, 64 << 20
    X = rng.normal(size=(20_000, 10)).astype(np.float32)
    y = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
    model = sm.LandmarkClassifier(
        measure, n_landmarks=n_landmarks, budget=budget, effort="quick", random_state=0
    )
    tracemalloc.start()
    try:
        model.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    matrices = (os.cpu_count() or 1) * 8 * n_landmarks**2
    assert peak <= 1.3 * (budget + X.nbytes + matrices)
