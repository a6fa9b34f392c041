"""Numbers of any size that float32 holds: squares of tiny ones are not lost."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import naive
import seamark as sm
from every_backend import ENGINES, HERE
from seamark.measures import DTW, Gaussian, Laplacian, Member

LEAST = 2e-45  # float32 holds multiples of this alone
exponents = st.integers(-40, 14)
backend = pytest.mark.parametrize("backend", ENGINES)


def spread(seed, shape, low, high):
    """Normal numbers, each row of a size of its own."""
    rng = np.random.default_rng(seed)
    sizes = 10.0 ** rng.uniform(
        min(low, high), max(low, high), size=(shape[0],) + (1,) * (len(shape) - 1)
    )
    return np.clip(rng.normal(size=shape) * sizes, -9e14, 9e14)


def assert_near(measure, oracle, X, L, atol=0.0):
    expected = naive.cross(oracle, X, L)
    for name in HERE:
        with sm.engine.using(name):
            found = measure.cross(X, L)
        allowed = np.abs(expected) * 2e-4 + atol + LEAST
        assert (np.abs(found - expected) <= allowed).all(), (name, found, expected)


@given(st.integers(0, 99), exponents, exponents)
@settings(max_examples=40, deadline=None)
def test_vectors(seed, low, high):
    """Tiny rows beside large ones, and a coordinate beside a large one that is the same."""
    X = spread(seed, (9, 3), low, high)
    X[1] = X[0]
    X[2, 1:] = X[0, 1:]
    assert_near(sm.measures.get("euclidean"), naive.euclidean, X, X[:6])
    rows = sparse.csr_array(X)
    with np.errstate(under="ignore"):
        found = sm.cross("euclidean", rows, rows[:6])
    np.testing.assert_allclose(found, naive.cross(naive.euclidean, X, X[:6]), rtol=2e-4, atol=LEAST)


@given(st.integers(0, 99), exponents, exponents)
@settings(max_examples=25, deadline=None)
def test_series_and_sets(seed, low, high):
    X = spread(seed, (6, 4, 2), low, high)
    X[1] = X[0]
    largest = np.maximum.outer(*2 * [np.abs(X).max(axis=(1, 2))])[:, :4]
    for local in ("squared", "euclidean"):
        oracle = functools.partial(naive.dtw, local=local)
        assert_near(DTW(local=local), oracle, X, X[:4], 1e-13 * largest)
    for name in ("hausdorff", "modified_hausdorff", "chamfer"):
        oracle = getattr(naive, name)
        assert_near(sm.measures.get(name), oracle, list(X), list(X[:4]), 1e-13 * largest)


@backend
@pytest.mark.parametrize("size", [1e-10, 1e-20, 1e-21, 1e-25, 1e-37])
@pytest.mark.parametrize(
    "name", ["gaussian", "laplacian", "euclidean", "dtw", "hausdorff", "erp", "wdtw"]
)
def test_a_unit_does_not_matter(name, size, backend, rng):
    """Data in another unit: similarities stay, distances have that unit."""
    X = rng.normal(size=(7, 4, 2) if name in ("dtw", "hausdorff", "erp", "wdtw") else (7, 4))
    measure = sm.measures.WDTW(root=True) if name == "wdtw" else sm.measures.get(name)
    with sm.engine.using(backend):
        expected = sm.cross(measure, list(X))
        found = sm.cross(measure, list(size * X))
    unit = 1.0 if measure.kind == "similarity" else size
    np.testing.assert_allclose(found / unit, expected, rtol=1e-4, atol=1e-6)
    if measure.kind == "similarity":
        np.testing.assert_array_equal(np.diag(found), 1.0)


@pytest.mark.parametrize("size", [1e-21, 1e-38])
def test_widths_of_any_size(size):
    """Width and data are of different sizes: 1 for the same, 0 for all others, and no NaN."""
    X = np.array([[1.0], [2.0], [size], [3 * size]])
    for measure, near in ((Gaussian(size), np.exp(-2)), (Laplacian(size), np.exp(-2))):
        expected = np.eye(4)
        expected[2, 3] = expected[3, 2] = near
        np.testing.assert_allclose(measure.cross(X), expected, atol=1e-5)
    found = Member(width=size).cross([[[size]], [[1.0]]], [[size], [2 * size]])
    np.testing.assert_allclose(found, [[1, np.exp(-0.5)], [0, 0]], atol=1e-5)


@pytest.mark.parametrize("d", [5, 16, 17, 300, 4000])
def test_inner_products(d):
    """10⁻⁶ of the norms, also where every addition is rounded the same way."""
    flat, odd = np.full((3, d), 1 / 3), np.full((3, d), 1 / 3)
    odd[:, 0] = 4096.1
    for X in (flat, odd, np.linspace(0.1, 0.7, 3 * d).reshape(3, d)):
        norms = np.linalg.norm(X, axis=1)
        for rows in (X, sparse.csr_array(X.astype(np.float32))):
            error = np.abs(sm.cross("linear", rows) - X @ X.T) / np.outer(norms, norms)
            assert error.max() <= 1e-6


@backend
@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.parametrize(("offset", "size"), [(1e7, 1e-6), (0.0, 1e-25)])
def test_windows_of_small_variation(offset, size, normalised, backend, rng):
    """Far from 0, or tiny: against what is centred in more than float64 first."""
    X, W = offset + size * rng.normal(size=(4, 25)), offset + size * rng.normal(size=(5, 7))

    def shape(rows):
        rows = (rows.astype(np.longdouble) - offset) / size
        if normalised:
            rows = rows - rows.mean(axis=-1, keepdims=True)
            rows = rows / rows.std(axis=-1, keepdims=True)
        return rows

    places = shape(np.lib.stride_tricks.sliding_window_view(X, 7, axis=1))
    squares = ((places[:, :, None] - shape(W)) ** 2).sum(axis=-1).min(axis=1)
    expected = np.sqrt(squares) * (1.0 if normalised else size)
    with sm.engine.using(backend):
        windows = [sm.data.Window(w, normalised=normalised) for w in W]
        found = sm.cross("subsequence", X, windows)
    np.testing.assert_allclose(found, expected.astype(float), rtol=1e-5)


def test_shapes_of_tiny_series(rng):
    X = rng.normal(size=(5, 9))
    shaped = DTW(znormalise=True)
    np.testing.assert_allclose(shaped.cross(1e-21 * X), shaped.cross(X), rtol=1e-5, atol=1e-6)
    assert not shaped.cross(np.full((2, 5), 1e7 + 0.1)).any()
