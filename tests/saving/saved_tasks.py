"""Small tasks in every domain, and what a round trip must keep."""

import numpy as np
from scipy import sparse

import seamark as sm
from seamark.measures import Custom, Gaussian, Levenshtein, Precomputed

rng = np.random.default_rng(11)
N = 40
y = np.arange(N) % 2
VECTORS = rng.normal(size=(N, 3)) + y[:, None]
WORDS = ["ab" * (1 + i % 4) + "xé"[i % 2] * (1 + i % 5) for i in range(N)]


def overlap(a, b):
    """An asymmetric distance: the share of a's letters that b lacks."""
    return len(set(a) - set(b)) / len(set(a))


def sampler(n, rng, like):
    return ["abxé"[: 1 + int(k)] for k in rng.integers(4, size=n)]


MINE = {f"{__name__}.{f.__name__}": f for f in (overlap, sampler)}
DOMAINS = {
    "strings": ("levenshtein", WORDS),
    "bytes": ("levenshtein", [word.encode() for word in WORDS]),
    "series": ("dtw", [rng.normal(loc=i % 2, size=(2, 3 + i % 4)) for i in range(N)]),
    "univariate": ("dtw", rng.normal(size=(N, 6)) + y[:, None]),
    "sets": ("hausdorff", [rng.normal(loc=i % 2, size=(1 + i % 3, 2)) for i in range(N)]),
    "vectors": ("gaussian", VECTORS),
    "sparse": ("euclidean", sparse.csr_array(VECTORS * (rng.random((N, 3)) > 0.3))),
    "precomputed": (Precomputed(), np.abs(VECTORS[:, :1] - VECTORS[:, :1].T)),
    "columns": (Precomputed(square=False, kind="distance"), np.abs(VECTORS)),
    "callable": (overlap, WORDS),
    "custom": (Custom(overlap, kind="distance"), [frozenset(word) for word in WORDS]),
    "dictionaries": (
        Custom(overlap, kind="distance"),
        [{"n": (i, 0.5), **dict.fromkeys(word)} for i, word in enumerate(WORDS)],
    ),
    "algebra": (Gaussian("mean") + 0.5 * Gaussian(2.0).normalised(), VECTORS),
    "several": ([Levenshtein(), Levenshtein().normalised()], WORDS),
    "scipy": ("canberra", VECTORS),
    "rapidfuzz": ("rapidfuzz:jaro_winkler", WORDS),
}
TASKS = {
    sm.LandmarkClassifier: {"y": np.array(["no", "yes"])[y]},
    sm.LandmarkRegressor: {"y": VECTORS[:, 0]},
    sm.LandmarkOrdinal: {"y": np.arange(N) % 3},
    sm.LandmarkRanker: {"y": y.astype(float), "qid": np.arange(N) // 8},
}


def round_trip(model, path, functions=None):
    sm.save(model, path, overwrite=True)
    return sm.load(path, functions)


def said(model, X):
    """All that a model says of objects."""
    methods = ("predict", "predict_proba", "decision_function", "transform")
    return {name: getattr(model, name)(X) for name in methods if hasattr(model, name)}


def assert_same(model, loaded, X):
    assert type(loaded) is type(model)
    before, after = said(model, X), said(loaded, X)
    assert before
    assert before.keys() == after.keys()
    for name, values in before.items():
        np.testing.assert_array_equal(values, after[name])
        assert np.asarray(values).dtype == np.asarray(after[name]).dtype
