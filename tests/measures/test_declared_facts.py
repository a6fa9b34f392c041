"""Declared facts, at many parameters, against every triple of objects made to break them."""

import itertools

import numpy as np
import pytest

from seamark.measures import DTW
from seamark.measures.adapters import Aeon, RapidFuzz, Scipy, SklearnKernel

pytestmark = pytest.mark.filterwarnings(
    "ignore:unsafe cast from uint64 to int64", "ignore:invalid value:RuntimeWarning"
)
SLACK = 1e-5  # of the largest value: rounding to float32


def largest_excess(D):
    """D[i, k] − (D[i, j] + D[j, k]) at its largest."""
    return max(float(np.nanmax(D - (D[:, j, None] + D[j]))) for j in range(len(D)))


def check(measure, X):
    """What is declared holds on X; what is declared not to hold is not asked for here."""
    D = measure.cross(X, X).astype(np.float64)
    D = D[np.ix_(*[~np.isnan(D).all(axis=1)] * 2)]
    assert len(D) > 5
    low, high = measure.bounds
    assert low <= np.nanmin(D)
    assert np.nanmax(D) <= high
    slack = SLACK * np.nanmax(np.abs(D))
    if measure.symmetric:
        np.testing.assert_allclose(D, D.T, atol=slack)
    if measure.triangle:
        assert largest_excess(D) <= slack
    if measure.psd:
        assert np.linalg.eigvalsh((D + D.T) / 2)[0] >= -len(D) * slack
    return D


def grid(values, d):
    return np.array(list(itertools.product(values, repeat=d)), dtype=np.float64)


WORDS = ["".join(w) for k in range(5) for w in itertools.product("ab", repeat=k)]
WORDS += ["abc", "cab", "a b", "b a", "ab ab", "ca", "ac", "acb"]
POINTS = np.vstack([grid([-1, 0, 2], 3), np.random.default_rng(0).normal(size=(40, 3))])
SHARES = np.vstack([grid([0, 1, 3], 3)[1:], np.random.default_rng(1).uniform(size=(40, 3))])
BITS = {d: grid([0, 1], d)[1:] for d in (3, 5)}


def series(channels, family):
    rng = np.random.default_rng(channels)
    lengths = rng.integers(1, 6, 70) if family != "equal" else np.full(70, 5)
    scale = rng.choice([0.1, 1.0, 3.0], 70)
    made = [s * rng.normal(size=(channels, k)) for s, k in zip(scale, lengths, strict=True)]
    return [np.round(x) for x in made] if family == "whole" else made


@pytest.mark.parametrize("name", sorted(Scipy.table))
@pytest.mark.parametrize("params", [{}, {"w": np.array([1.0, 0.5, 2.0])}], ids=["", "weights"])
def test_scipy(name, params):
    boolean = name in ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
    if params and name in ("mahalanobis", "seuclidean", "jensenshannon"):
        pytest.skip("takes no weights")
    X = BITS[5 if not params else 3] if boolean else SHARES if name == "jensenshannon" else POINTS
    check(Scipy(name, params).fitted_to(X, np.random.default_rng(0)), X)


@pytest.mark.parametrize("p", [0.5, 1, 1.5, 3, np.inf])
def test_minkowski(p):
    D = check(Scipy("minkowski", {"p": p}), POINTS)
    assert Scipy("minkowski", {"p": p}).triangle is (p >= 1)
    assert (largest_excess(D) > SLACK * float(D.max())) is (p < 1)


@pytest.mark.parametrize("name", sorted(SklearnKernel.table))
@pytest.mark.parametrize(
    "params",
    [{}, {"gamma": 0.3}, {"gamma": -0.3}, {"degree": 2, "coef0": 0}, {"degree": 3, "coef0": -1}],
    ids=repr,
)
def test_sklearn(name, params):
    allowed = {
        "poly": {"gamma", "degree", "coef0"},
        "polynomial": {"gamma", "degree", "coef0"},
        **{kernel: {"gamma"} for kernel in ("rbf", "laplacian", "chi2", "sigmoid")},
    }
    if not params.keys() <= allowed.get(name, set()):
        pytest.skip("takes no such parameter")
    check(SklearnKernel(name, params), SHARES)


@pytest.mark.parametrize("name", sorted(RapidFuzz.table))
def test_rapidfuzz(name):
    pytest.importorskip("rapidfuzz")
    check(RapidFuzz(name), WORDS)


@pytest.mark.parametrize("weights", [(1, 1, 1), (1, 1, 2), (1, 1, 5), (2, 2, 1), (1, 3, 1)])
def test_weighted_edits(weights):
    pytest.importorskip("rapidfuzz")
    check(RapidFuzz("levenshtein", {"weights": weights}), WORDS)


METRICS = sorted(name for name, facts in Aeon.table.items() if facts.triangle)


@pytest.mark.parametrize("family", ["short", "equal", "whole"])
@pytest.mark.parametrize("channels", [1, 2, 3])
@pytest.mark.parametrize("name", METRICS)
def test_aeon_metrics(name, channels, family):
    pytest.importorskip("aeon")
    check(Aeon(name), series(channels, family))


def test_erp_breaks_triangles():
    pytest.importorskip("aeon")
    assert Aeon("erp").triangle is False
    D = check(Aeon("erp"), series(1, "short"))
    assert largest_excess(D) > 0.01 * D.max()


@pytest.mark.parametrize(
    ("name", "params"),
    [("msm", {"window": 0.2}), ("twe", {"window": 0.2}), ("msm", {"independent": False})],
    ids=repr,
)
def test_bands_and_joint_channels_are_not_declared_metric(name, params):
    pytest.importorskip("aeon")
    assert Aeon(name, params).triangle is None
    D = check(Aeon(name, params), series(2, "equal"))
    if "independent" in params:
        assert largest_excess(D) > 0.01 * D.max()


@pytest.mark.parametrize("znormalise", [False, True])
@pytest.mark.parametrize("root", [False, True])
@pytest.mark.parametrize("local", ["squared", "euclidean"])
@pytest.mark.parametrize("window", [None, 0, 1, 0.0, 0.5])
@pytest.mark.parametrize("channels", [1, 2])
def test_warping(channels, window, local, root, znormalise):
    measure = DTW(window, local, root, znormalise)
    check(measure, series(channels, "equal"))
    if measure.triangle is False and not znormalise:
        # Warped, a step meets both constants at no cost; squares are cheaper in two steps than one.
        between = np.array([0.0, 1.0]) if window is None else np.full(30, 0.5)
        D = measure.cross([np.zeros(30), between, np.ones(30)]).astype(np.float64)
        assert largest_excess(D) > SLACK * float(D.max())
