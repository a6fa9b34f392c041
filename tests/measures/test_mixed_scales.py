"""One collection of tiny, large and nearly equal numbers: every value keeps its digits."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import naive
import seamark as sm
from every_backend import ENGINES, HERE
from seamark.measures import (
    DTW,
    Chamfer,
    Euclidean,
    Gaussian,
    Hausdorff,
    Laplacian,
    Manhattan,
    ModifiedHausdorff,
    SqEuclidean,
)

# The promise: so much of the value, and so much of the largest number for every coordinate of a
# difference; squares of distances below TINY are nothing in float32.
RELATIVE, OF_LARGEST, TINY = 1e-4, 1e-14, 1e-18
OF_PRODUCTS = 2e-4  # so much of the value, if it comes of a matrix product

VECTORS = [
    (Manhattan(), naive.manhattan),
    (Euclidean(), naive.euclidean),
]
SETS = [
    (ModifiedHausdorff(), naive.modified_hausdorff),
    (Hausdorff(), naive.hausdorff),
    (Chamfer(), naive.chamfer),
]
SERIES = [
    (DTW(window=w, local=local), functools.partial(naive.dtw, window=w, local=local))
    for w in (None, 2, 0.5)
    for local in ("squared", "euclidean")
]
backend = pytest.mark.parametrize("backend", ENGINES)

sizes = st.sampled_from([1e-6, 1e-3, 1.0, 5e3, 1e6])
numbers = st.builds(lambda size, share: size * share, sizes, st.floats(-1, 1))


@st.composite
def arrays(draw, length, width):
    """Numbers of any size; or a common large one, and what is added to it is small."""
    flat = draw(st.lists(numbers, min_size=length * width, max_size=length * width))
    offset = draw(st.sampled_from([0.0, 0.0, 5e3, -1e6]))
    shrink = draw(st.sampled_from([1.0, 1e-6]))
    return np.array(flat).reshape(length, width) * shrink + offset


@st.composite
def collections(draw, longest=1, fixed=False):
    """Rows and landmarks; some rows are landmarks that were hardly moved."""
    width = draw(st.integers(1, 3))
    length = st.integers(longest if fixed else 1, longest)
    one = length.flatmap(lambda k: arrays(k, width))
    L = draw(st.lists(one, min_size=1, max_size=18))
    X = draw(st.lists(one, min_size=1, max_size=5))
    moved = draw(st.floats(-1e-7, 1e-7))
    return [*X, *(m * (1 + moved) for m in L[:3])], L


def assert_promise(measure, oracle, X, L, terms):
    """By every implementation; the oracle takes longest."""
    relative = OF_PRODUCTS if isinstance(measure, Euclidean) else RELATIVE
    expected = naive.cross(oracle, X, L)
    largest = max(np.abs(x).max() for x in [*X, *L])
    for name in HERE:
        with sm.engine.using(name):
            found = measure.cross(X, L)
        np.testing.assert_allclose(
            found, expected, rtol=relative, atol=OF_LARGEST * terms * largest + TINY, err_msg=name
        )


@given(collections())
@settings(max_examples=60)
def test_vectors(XL):
    X, L = (np.concatenate(side) for side in XL)
    for measure, oracle in VECTORS:
        assert_promise(measure, oracle, X, L, X.shape[1])


@given(collections(longest=6))
@settings(max_examples=60)
def test_sets(XL):
    for measure, oracle in SETS:
        assert_promise(measure, oracle, *XL, 2 * XL[0][0].shape[1])


@given(collections(longest=8, fixed=True))
@settings(max_examples=40)
def test_series(XL):
    X, L = ([x.T for x in side] for side in XL)
    for measure, oracle in SERIES:
        assert_promise(measure, oracle, X, L, 16 * X[0].shape[0])


@pytest.mark.parametrize("measure", [Euclidean(), SqEuclidean(), Gaussian(1.0)], ids=repr)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_numbers_whose_squares_are_nothing_are_no_distance(measure, form):
    points = form(np.array([[0.0], [1e-162], [1e-300]]))
    expected = 1.0 if measure.kind == "similarity" else 0.0
    np.testing.assert_array_equal(measure.cross(points, points), np.full((3, 3), expected))


@given(collections())
def test_kernels_of_distances(XL):
    """The error of a similarity is that of the exponent, times the similarity."""
    X, L = (np.concatenate(side) for side in XL)
    for width in (1e-3, 1.0, 1e4):
        for measure, oracle in (
            (Gaussian(width), naive.gaussian),
            (Laplacian(width), naive.laplacian),
        ):
            expected = naive.cross(functools.partial(oracle, width=width), X, L)
            np.testing.assert_allclose(measure.cross(X, L), expected, rtol=0, atol=2e-4)


@pytest.mark.parametrize("which", ["both", "rows", "landmarks"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("measure", [Euclidean(), SqEuclidean(), Manhattan()], ids=repr)
def test_sparse_rows_that_are_nearly_equal(measure, which, dtype, rng):
    L = np.array([[5000.0, 0.0, 1e-3], [0.0, 2e4, 0.0], [0.0, 0.0, 1.0]]).astype(dtype)
    X = (L + 1e-2 * rng.normal(size=L.shape) * (L != 0)).astype(dtype)
    A = sparse.csr_array(X) if which != "landmarks" else X
    B = sparse.csr_array(L) if which != "rows" else L
    expected = naive.cross(getattr(naive, measure.name), X.astype(float), L.astype(float))
    np.testing.assert_allclose(measure.cross(A, B), expected, rtol=1e-5)


@backend
@pytest.mark.parametrize("outlier", [5000.0, 1e9])
def test_one_outlier_costs_nobody_digits(backend, outlier):
    with sm.engine.using(backend):
        vectors = sm.cross("manhattan", [[0.001]], [[0.0011], [outlier]])
        series = sm.cross("dtw", [[0.001, 0.002]], [[0.0011, 0.0021], [outlier, 0.0]])
        bags = sm.cross("hausdorff", [[[0.001]]], [[[0.0011]], [[outlier]]])
    np.testing.assert_allclose(vectors, [[1e-4, outlier]], rtol=1e-5)
    np.testing.assert_allclose(series, [[np.sqrt(2) * 1e-4, outlier]], rtol=1e-5)
    np.testing.assert_allclose(bags, [[1e-4, outlier]], rtol=1e-5)


@pytest.mark.parametrize("measure", [Manhattan(), DTW(), Hausdorff()], ids=repr)
def test_a_repaired_value_depends_on_its_pair_alone(measure, rng):
    """Bit for bit: alone, or among rows and landmarks that are or are not computed again."""
    L = rng.normal(size=(40, 6)) + np.repeat([0.0, 1e5], 20)[:, None]
    X = L[::3] + 1e-4 * rng.normal(size=L[::3].shape)
    if measure.name == "hausdorff":
        X, L = X.reshape(-1, 3, 2), L.reshape(-1, 3, 2)
    whole = measure.cross(X, L)
    alone = np.concatenate([measure.cross([x], L) for x in X])
    np.testing.assert_array_equal(whole, alone)
    np.testing.assert_array_equal(whole, measure.cross(X, L, n_jobs=2))


@pytest.mark.parametrize("measure", [Manhattan(), DTW()], ids=repr)
def test_instruction_sets_repair_alike(measure, rng):
    L = rng.normal(size=(40, 6)) + np.repeat([0.0, 1e5], 20)[:, None]
    X = L[::3] + 1e-4 * rng.normal(size=L[::3].shape)
    results = {}
    for name in HERE:
        with sm.engine.using(name):
            results[name] = measure.cross(X, L)
    for values in results.values():
        np.testing.assert_allclose(values, results["reference"], rtol=1e-4)
    fused = [values for name, values in results.items() if name in ("v3", "v4")]
    for values in fused[1:]:
        np.testing.assert_array_equal(values, fused[0])
