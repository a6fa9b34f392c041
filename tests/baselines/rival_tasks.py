"""Small tasks in several domains, and one estimator of each rival."""

import numpy as np

from seamark.baselines import (
    AverageSimilarity,
    DBoost,
    KernelRegression,
    NearestNeighboursClassifier,
    NearestNeighboursRegressor,
    PseudoEuclidean,
    SubstitutionSVM,
)
from seamark.measures import Custom

rng = np.random.default_rng(7)
y = np.arange(24) % 2
OBJECTS = {
    "levenshtein": ["ab" * (1 + i % 4) + "xy"[i % 2] * (1 + i % 5) for i in range(24)],
    "modified_hausdorff": [
        rng.normal(loc=i % 2, size=(int(k), 2)) for i, k in enumerate(rng.integers(1, 6, size=24))
    ],
    "euclidean": rng.normal(size=(24, 3)) + y[:, None],
    "dtw": [
        np.outer([1, -1], np.linspace(0, i % 2, int(k))) + 0.3 * rng.normal(size=(2, int(k)))
        for i, k in enumerate(rng.integers(4, 9, size=24))
    ],
}
RIVALS = {
    "regression": KernelRegression(),
    "references": KernelRegression(n_references=9),
    "rbf": SubstitutionSVM(),
    "negative": SubstitutionSVM(kernel="negative"),
    "embedding": PseudoEuclidean(),
    "some embedded": PseudoEuclidean(n_landmarks=8, n_components=3),
    "strong": AverageSimilarity(),
    "weak": AverageSimilarity(vote="weak", n_per_class=6),
    "neighbours": NearestNeighboursClassifier(n_neighbors=3),
    "neighbours' mean": NearestNeighboursRegressor(n_neighbors=3),
    "boosting": DBoost(n_pairs=20, n_rounds=10),
}


def overlap(a, b):
    """An asymmetric distance of strings: the share of a's letters that b lacks."""
    return len(set(a) - set(b)) / len(set(a))


OVERLAP = Custom(overlap, kind="distance")
