"""Adapters: the values of the library called pair by pair, and facts that hold."""

import itertools

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial import distance
from sklearn.metrics import pairwise

from seamark.checks import check_measure
from seamark.measures import Aeon, RapidFuzz, Scipy, SklearnKernel, adapters
from seamark.measures.adapters import Adapter

# What numba says while it compiles aeon for the first time.
pytestmark = pytest.mark.filterwarnings("ignore:unsafe cast from uint64 to int64")
QUICK_AEON = ("erp", "twe", "lcss", "wdtw", "manhattan")


def with_slow_aeon(names):
    slow = pytest.mark.slow  # numba compiles each for seconds
    return [name if name in QUICK_AEON else pytest.param(name, marks=slow) for name in names]


def one_by_one(function, X, L):
    return np.array([[function(x, y) for y in L] for x in X], dtype=np.float64)


def check_facts(measure: Adapter, X, tolerance=1e-5):
    """Try to break what a measure promises on the objects X."""
    K = measure.cross(X, X).astype(np.float64)
    seen = K[~np.isnan(K)]
    assert seen.size
    low, high = measure.bounds
    assert low <= seen.min()
    assert seen.max() <= high
    slack = tolerance * max(1.0, float(np.abs(seen).max()))
    if measure.symmetric:
        np.testing.assert_allclose(K, K.T, atol=slack)
    if measure.triangle is not None:
        assert measure.kind == "distance"
        excess = float(np.nanmax(K[:, None, :] - K[:, :, None] - K[None, :, :]))
        assert (excess <= slack) is measure.triangle
    if measure.psd is not None:
        assert measure.kind == "similarity"
        assert bool(np.linalg.eigvalsh(K)[0] >= -slack * len(K)) is measure.psd
    own, other = np.diag(K), K[~np.eye(len(K), dtype=bool)]
    if not np.isnan(own).any():  # an object is never less alike itself than others, on average
        nearer = bool(own.mean() < np.nanmean(other))
        assert nearer is (measure.kind == "distance")


# scipy


@pytest.fixture
def points():
    return np.random.default_rng(0).normal(size=(40, 3)) + 0.1


@pytest.fixture
def bits():
    return np.array(list(itertools.product([0.0, 1.0], repeat=5)))


def scipy_pair(name, points):
    extra = {"mahalanobis": np.linalg.inv(np.cov(points.T)), "seuclidean": points.var(0, ddof=1)}
    function = getattr(distance, name)
    return (lambda x, y: function(x, y, extra[name])) if name in extra else function


@pytest.mark.parametrize("name", sorted(Scipy.table))
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_scipy_values_and_facts(name, points, bits):
    boolean = name in ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
    X = bits[1:] if boolean else np.abs(points) if name == "jensenshannon" else points
    expected = one_by_one(scipy_pair(name, X), X, X)
    np.testing.assert_allclose(Scipy(name).cross(X), expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(Scipy(name).cross(X, X), expected, rtol=1e-6, atol=1e-7)
    check_facts(Scipy(name).fitted_to(X, np.random.default_rng(0)), X)


def test_scipy_boolean_metrics_ask_only_whether_a_coordinate_is_zero():
    assert Scipy("jaccard").cross([[2.0, 0.0]], [[3.0, 0.0]]) == 0
    assert Scipy("jaccard").cross([[2.0, 0.0]], [[3.0, 1.0]]) == 0.5


def test_scipy_parameters(points):
    w = np.array([1.0, 0.0, 2.0])
    expected = one_by_one(lambda x, y: distance.minkowski(x, y, p=3, w=w), points, points[:4])
    values = Scipy("minkowski", {"p": 3, "w": w}).cross(points, points[:4])
    np.testing.assert_allclose(values, expected, rtol=1e-6)
    np.testing.assert_array_equal(
        values, Scipy("minkowski", (("p", 3), ("w", w))).cross(points, points[:4])
    )
    half = Scipy("minkowski", {"p": 0.5})
    assert half.triangle is False
    check_facts(half, points)
    assert Scipy("mahalanobis", {"VI": np.diag([1.0, -1.0])}).triangle is None
    with pytest.raises(TypeError, match="cdist does not take params="):
        Scipy("canberra", {"depth": 1}).cross(points)
    with pytest.raises(TypeError, match="params must be a dict"):
        Scipy("canberra", 3).cross(points)


@pytest.mark.parametrize("name", ["mahalanobis", "seuclidean"])
def test_scipy_is_fitted_once_and_not_per_block(name, points):
    measure = Scipy(name).fitted_to(points, np.random.default_rng(0))
    assert Scipy(name).params is None
    whole = measure.cross(points, points[:7])
    parts = [measure.cross(points[i : i + 9], points[:7]) for i in range(0, 40, 9)]
    np.testing.assert_array_equal(whole, np.concatenate(parts))
    assert measure.fitted_to(points[:3], np.random.default_rng(0)) is measure
    fitted_on_landmarks = Scipy(name).fitted_to(points[:7], np.random.default_rng(0))
    np.testing.assert_array_equal(
        Scipy(name).cross(points, points[:7]), fitted_on_landmarks.cross(points, points[:7])
    )


def test_scipy_says_what_it_cannot_estimate(points):
    with pytest.raises(ValueError, match="covariance of 3 rows with 3 columns"):
        Scipy("mahalanobis").cross(points, points[:3])
    points[:, 1] = 2.0
    with pytest.raises(ValueError, match="column 1 does not vary"):
        Scipy("seuclidean").cross(points)


@pytest.mark.parametrize("metric", ["canberra", "seuclidean"])
def test_scipy_refuses_sparse(metric, points):
    X = sparse.csr_matrix(points)
    with pytest.raises(TypeError, match="X is sparse, and scipy's distances need dense"):
        Scipy(metric).cross(X)
    with pytest.raises(TypeError, match="X is sparse"):
        Scipy(metric).cross(X, points)


# scikit-learn


@pytest.mark.parametrize("name", sorted(SklearnKernel.table))
def test_sklearn_values_and_facts(name, points):
    X = np.abs(points)
    function = pairwise.PAIRWISE_KERNEL_FUNCTIONS[name]
    expected = one_by_one(lambda x, y: function(x[None], y[None])[0, 0], X, X)
    for values in (SklearnKernel(name).cross(X), SklearnKernel(function).cross(X, X)):
        np.testing.assert_allclose(values, expected, rtol=1e-6, atol=1e-7)
    check_facts(SklearnKernel(name), X)


@pytest.mark.parametrize("name", sorted(SklearnKernel.table))
def test_sklearn_sparse(name, points):
    X = sparse.csr_matrix(np.abs(points))
    measure = SklearnKernel(name)
    if name in ("chi2", "additive_chi2"):
        with pytest.raises(TypeError, match="needs dense vectors"):
            measure.cross(X)
        return
    dense = measure.cross(X.toarray(), X[:5].toarray())
    for a, b in [(X, X[:5]), (X.toarray(), X[:5]), (X, X[:5].toarray())]:
        np.testing.assert_allclose(measure.cross(a, b), dense, rtol=1e-5, atol=1e-6)


def test_sklearn_parameters_change_facts(points):
    assert SklearnKernel("rbf", {"gamma": 2.0}).psd is True
    assert SklearnKernel("rbf", {"gamma": -1.0}).psd is None
    assert SklearnKernel("poly", {"degree": 2, "coef0": 0}).psd is True
    assert SklearnKernel("poly", {"coef0": -1}).psd is None
    expected = pairwise.rbf_kernel(points, points[:3], gamma=2.0)
    values = SklearnKernel("rbf", {"gamma": 2.0}).cross(points, points[:3])
    np.testing.assert_allclose(values, expected, rtol=1e-6, atol=1e-30)


# RapidFuzz


@pytest.fixture(scope="module")
def words():
    rng = np.random.default_rng(1)
    drawn = ["".join(rng.choice(list("abc "), rng.integers(0, 12))) for _ in range(60)]
    return list(dict.fromkeys([*drawn, "ca", "ac", "abc", "naïve 🐟", "ab cd", "cd ab", "a" * 80]))


@pytest.mark.parametrize("name", sorted(RapidFuzz.table))
def test_rapidfuzz_values_facts_and_orientation(name, words):
    pytest.importorskip("rapidfuzz")
    scorer = adapters._scorer(name)
    expected = one_by_one(scorer, words, words).astype(np.float32)
    measure = RapidFuzz(name)
    np.testing.assert_array_equal(measure.cross(words, words[:9]), expected[:, :9])
    np.testing.assert_array_equal(measure.cross(words[:9], words), expected[:9])
    np.testing.assert_array_equal(measure.cross(words), expected)
    np.testing.assert_array_equal(RapidFuzz(scorer).cross(words), expected)
    check_facts(measure, [w for w in words if w])


def test_rapidfuzz_weights_are_asymmetric():
    distance = pytest.importorskip("rapidfuzz.distance")
    words = ["sea", "seamark", "mark", "", "mare"]
    for weights, symmetric in [((1, 3, 2), False), ((2, 2, 1), True), ((1, 1, 2), True)]:
        measure = RapidFuzz("levenshtein", {"weights": weights})
        assert measure.symmetric is symmetric
        expected = one_by_one(
            lambda x, y, w=weights: distance.Levenshtein.distance(x, y, weights=w), words, words
        )
        np.testing.assert_array_equal(measure.cross(words), expected)
        np.testing.assert_array_equal(measure.cross(words, words[:2]), expected[:, :2])


def test_rapidfuzz_processor_cutoff_and_bytes(words):
    pytest.importorskip("rapidfuzz")
    assert RapidFuzz("osa", {"processor": str.lower}).cross(["SEA"], ["sea"]) == 0
    assert RapidFuzz("osa", {"score_cutoff": 2}).cross(["seamark"], ["x"]) == 3
    ascii_words = [w for w in words if w.isascii()]
    np.testing.assert_array_equal(
        RapidFuzz("jaro").cross([w.encode() for w in ascii_words]),
        RapidFuzz("jaro").cross(ascii_words),
    )


# aeon


@pytest.fixture(scope="module")
def traces():
    rng = np.random.default_rng(2)
    return [rng.normal(size=(2, rng.integers(5, 20))) for _ in range(30)]


@pytest.mark.parametrize("name", with_slow_aeon(sorted(Aeon.table)))
@pytest.mark.parametrize("channels", [1, 2])
def test_aeon_values_and_facts(name, channels, traces):
    aeon = pytest.importorskip("aeon.distances")
    X = [x[0] if channels == 1 else x for x in traces]
    if name == "shift_scale":
        with pytest.raises(ValueError, match="needs series of one length"):
            Aeon(name).cross(X)
        X = [x[..., :5].copy() for x in X]
    expected = one_by_one(lambda x, y: aeon.distance(x, y, method=name), X, X)
    measure = Aeon(name)
    np.testing.assert_allclose(measure.cross(X), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(measure.cross(X, X[:3]), expected[:, :3], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(measure.cross(X[:3], X), expected[:3], rtol=1e-5, atol=1e-6)
    if name == "erp":  # only short series break its triangles
        X = [x[..., : 1 + i % 4] * (1 + i % 3) for i, x in enumerate(X)]
    if channels == 1 or measure.triangle is not False:  # two channels seldom break a triangle
        check_facts(measure, X)


def test_aeon_unequal_rows_against_equal_landmarks():
    """aeon itself looks at the lengths of the second collection only."""
    aeon = pytest.importorskip("aeon.distances")
    rng = np.random.default_rng(3)
    X = [rng.normal(size=n) for n in (30, 5, 60, 12)]
    L = [rng.normal(size=8) for _ in range(3)]
    for params in ({}, {"window": 0.5}):
        expected = one_by_one(lambda x, y, p=params: aeon.erp_distance(x, y, **p), X, L)
        np.testing.assert_allclose(Aeon("erp", params).cross(X, L), expected, rtol=1e-5)
        one = Aeon("erp", params).cross(X, L[:1], n_jobs=2)
        np.testing.assert_allclose(one, expected[:, :1], rtol=1e-5)


def test_aeon_threads_give_the_same(traces):
    pytest.importorskip("aeon.distances")
    measure = Aeon("twe")
    np.testing.assert_array_equal(measure.cross(traces, n_jobs=1), measure.cross(traces, n_jobs=64))


@pytest.mark.parametrize(
    ("measure", "objects"),
    [
        ("rapidfuzz:jaro_winkler", ["sea", "mark", "seamark", "", "see", "saw"]),
        ("rapidfuzz:damerau_levenshtein", ["sea", "mark", "seamark", "", "see", "saw"]),
        ("canberra", np.abs(np.random.default_rng(0).normal(size=(9, 3)))),
        ("scipy:mahalanobis", np.random.default_rng(1).normal(size=(9, 3))),
        ("sklearn:chi2", np.abs(np.random.default_rng(2).normal(size=(9, 3)))),
    ],
)
def test_adapters_keep_the_promises_of_measures(measure, objects):
    check_measure(measure, objects)
