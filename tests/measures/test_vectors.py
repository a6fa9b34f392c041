"""Measures of vectors against their textbook definitions, dense and sparse."""

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

import naive
import seamark as sm
from every_backend import ENGINES, HERE, kernels_of
from seamark import engine
from seamark.measures import (
    ArcCosineKernel,
    Cosine,
    Euclidean,
    Exponential,
    Gaussian,
    Laplacian,
    Linear,
    Manhattan,
    Polynomial,
    PowerSeries,
    Sigmoid,
    SqEuclidean,
    Vovk,
)

ORACLES = [
    (Manhattan(), naive.manhattan),
    (Euclidean(), naive.euclidean),
    (SqEuclidean(), naive.sqeuclidean),
    (Linear(), naive.dot),
    (Cosine(), naive.cosine),
    (Gaussian(width=1.5), functools.partial(naive.gaussian, width=1.5)),
    (Laplacian(width=2.5), functools.partial(naive.laplacian, width=2.5)),
    (Sigmoid(gamma=0.3, coef0=-1), functools.partial(naive.sigmoid, gamma=0.3, coef0=-1)),
    (Polynomial(2, 0.5, 1.0), functools.partial(naive.polynomial, degree=2, gamma=0.5, coef0=1.0)),
    (Exponential(width=2.0), functools.partial(naive.exponential, width=2.0)),
    (Vovk(degree=4), functools.partial(naive.vovk, degree=4)),
    (PowerSeries([1, 0, 0.5]), functools.partial(naive.power_series, coefficients=[1, 0, 0.5])),
    *[(ArcCosineKernel(p), functools.partial(naive.arc_cosine, order=p)) for p in (0, 1, 2)],
]
IDS = [repr(m) for m, _ in ORACLES]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("measure", "oracle"), ORACLES, ids=IDS)
@pytest.mark.parametrize("d", [1, 2, 3, 17, 40])
def test_dense_equals_textbook(measure, oracle, d, dtype, rng):
    X, L = rng.normal(size=(23, d)).astype(dtype), rng.normal(size=(37, d)).astype(dtype)
    np.testing.assert_allclose(
        measure.cross(X, L), naive.cross(oracle, X, L), rtol=2e-4, atol=1e-5 * d
    )


@pytest.mark.parametrize(("measure", "oracle"), ORACLES, ids=IDS)
@pytest.mark.parametrize("which", ["both", "rows", "landmarks"])
def test_sparse_equals_textbook(measure, oracle, which, rng):
    X = rng.normal(size=(20, 30)) * (rng.random((20, 30)) < 0.2)
    L = rng.normal(size=(7, 30)) * (rng.random((7, 30)) < 0.2)
    A = sparse.csr_matrix(X) if which != "landmarks" else X
    B = sparse.csr_array(L) if which != "rows" else L
    np.testing.assert_allclose(measure.cross(A, B), naive.cross(oracle, X, L), rtol=1e-4, atol=1e-5)


matrices = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 9), st.just(3)),
    elements=st.floats(-100, 100, width=32),
)


@given(matrices, matrices)
def test_distances_on_any_numbers(X, L):
    scale = 1 + np.abs(X).max() + np.abs(L).max()
    for measure, oracle in ORACLES[:3]:
        expected = naive.cross(oracle, X, L)
        size = scale**2 if isinstance(measure, SqEuclidean) else scale
        np.testing.assert_allclose(measure.cross(X, L), expected, rtol=2e-4, atol=2e-6 * size)


@pytest.mark.parametrize("measure", [Euclidean(), SqEuclidean(), Manhattan()], ids=repr)
@pytest.mark.parametrize("offset", [0.0, 100.0, 1e6])
def test_far_from_the_origin_nothing_is_lost(measure, offset, rng):
    X = rng.normal(size=(30, 8)) + offset
    got = measure.cross(X, X)
    expected = naive.cross(getattr(naive, measure.name), X, X)
    np.testing.assert_allclose(got, expected, rtol=2e-4, atol=1e-6)
    assert (got.diagonal() == 0).all()


def test_near_duplicates_keep_their_distance(rng):
    X = rng.normal(size=(50, 20)) * 10
    near = X + 1e-3 * rng.normal(size=X.shape)
    got = Euclidean().cross(X, near).diagonal()
    np.testing.assert_allclose(got, np.linalg.norm(X - near, axis=1), rtol=1e-4)


@pytest.mark.parametrize("d", [1, 511, 512, 513, 3000])
@pytest.mark.parametrize("R", [1, 31, 32, 33, 65])
def test_manhattan_kernel_on_every_instruction_set(d, R, rng):
    X, L = rng.normal(size=(9, d)), rng.normal(size=(R, d))
    expected = naive.cross(naive.manhattan, X, L)
    for name in HERE:
        with engine.using(name):
            np.testing.assert_allclose(sm.cross("manhattan", X, L), expected, 2e-6, 3e-7 * d)


def test_manhattan_is_identical_on_all_native_builds(rng):
    X, L = rng.normal(size=(100, 40)), rng.normal(size=(70, 40))
    results = []
    for name in list(engine.backends.backends())[1:]:
        with engine.using(name):
            results += [sm.cross("manhattan", X, L, n_jobs=j) for j in (1, 2)]
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)


def test_manhattan_kernel_refuses_what_it_cannot_read():
    native = pytest.importorskip("seamark.engine._native")
    X, stop = np.zeros((3, 4), np.float32), np.zeros(1, np.uint8)
    isa = native.isas()[-1]
    with pytest.raises(ValueError, match="number of columns"):
        native.manhattan(X, np.zeros((2, 5), np.float32), np.zeros((3, 2), np.float32), stop, isa)
    with pytest.raises(ValueError, match="wrong shape"):
        native.manhattan(X, X, np.zeros((3, 2), np.float32), stop, isa)
    with pytest.raises(ValueError, match="flag"):
        native.manhattan(X, X, np.zeros((3, 3), np.float32), stop[:0], isa)
    with pytest.raises(ValueError, match="instruction set"):
        native.manhattan(X, X, np.zeros((3, 3), np.float32), stop, "v9")


@pytest.mark.parametrize("name", ENGINES)
def test_manhattan_kernel_on_rows_without_columns(name):
    """Nothing to pack has no address: under UBSan this must not reach memset."""
    out = np.full((3, 40), -1.0, np.float32)
    kernels = kernels_of(name)
    kernels.manhattan(np.zeros((3, 0)), np.zeros((40, 0)), out, np.zeros(1, np.uint8))
    assert (out == 0).all()


def test_widths_come_from_the_data(rng):
    X = rng.normal(size=(60, 4))
    D = naive.cross(naive.euclidean, X, X)[np.tril_indices(60, -1)]
    for rule, value in (("mean", D.mean()), ("median", np.median(D))):
        fitted = Gaussian(width=rule).fitted_to(X, rng)
        assert fitted.width == pytest.approx(value, rel=1e-5)
        assert isinstance(fitted.width, float)
    D1 = naive.cross(naive.manhattan, X, X)[np.tril_indices(60, -1)]
    assert Laplacian().fitted_to(X, rng).width == pytest.approx(D1.mean(), rel=1e-5)
    assert Exponential().fitted_to(X, rng).width == pytest.approx(D.mean(), rel=1e-5)
    assert Sigmoid().fitted_to(X, rng).gamma == 0.25


def test_width_of_many_rows_is_estimated_on_a_sample(rng):
    X = rng.normal(size=(5000, 3))
    width = Gaussian().fitted_to(X, rng).width
    # the mean distance between two standard Gaussian points in three dimensions is 4/√π
    assert width == pytest.approx(4 / np.sqrt(np.pi), rel=0.05)


@pytest.mark.parametrize("X", [np.zeros((1, 3)), np.ones((5, 3))])
def test_no_scale_in_the_data_gives_width_one(X, rng):
    assert Gaussian().fitted_to(X, rng).width == 1.0


def test_cross_fits_on_landmarks_never_per_block(rng):
    X, L = rng.normal(size=(40, 3)), rng.normal(size=(9, 3))
    width = Gaussian().fitted_to(L, rng).width
    np.testing.assert_array_equal(Gaussian().cross(X, L), Gaussian(width=width).cross(X, L))


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (Gaussian(width=0), "width must be positive, not 0"),
        (Gaussian(width="big"), "width must be"),
        (Laplacian(width=-1), "width must be positive"),
        (Sigmoid(gamma="auto"), 'gamma must be a number or "1/d"'),
        (Polynomial(degree=0), "degree must be"),
        (Polynomial(degree=1.5), "degree must be"),
        (Vovk(degree=-2), "degree must be"),
    ],
)
def test_bad_parameters_are_named(measure, message):
    with pytest.raises(ValueError, match=message):
        measure.cross([[1.0]], [[1.0]])


def test_kernels_with_a_limit_check_norms_first(rng):
    with pytest.raises(ValueError, match="row 1 has norm 2.*divide all vectors"):
        Vovk().cross([[0.1], [2.0]], [[0.9]])
    with pytest.raises(ValueError, match="row 0 .*larger width"):
        Exponential(width=0.1).cross([[1.0]], [[1.0]])
    X = rng.uniform(-0.5, 0.5, size=(5, 3))
    np.testing.assert_allclose(Vovk().cross(X), naive.cross(naive.vovk, X, X), rtol=1e-5)


def test_large_jobs_in_blocks_equal_small_ones(rng, monkeypatch):
    X, L = rng.normal(size=(500, 10)), rng.normal(size=(40, 10))
    whole = naive.cross(naive.euclidean, X[:50], L)
    monkeypatch.setattr("seamark.engine.executors.SCRATCH_BYTES", 100_000)
    np.testing.assert_allclose(Euclidean().cross(X, L, n_jobs=2)[:50], whole, rtol=2e-4)


@pytest.mark.parametrize(
    "measure",
    [
        Linear(),
        Polynomial(5, 0.5, 2.0),
        Polynomial(4, coef0=0),
        Exponential(0.9),
        Vovk(),
        Vovk(3),
        PowerSeries([0.5, 0, 2]),
    ],
    ids=repr,
)
def test_a_series_sums_to_its_kernel(measure, rng):
    X = rng.uniform(-0.3, 0.3, size=(8, 3))
    a = measure.maclaurin(60)
    expected = sum(a[n] * (X @ X.T) ** n for n in range(60))
    np.testing.assert_allclose(measure.cross(X), expected, rtol=1e-5, atol=1e-6)


def test_a_kernel_without_a_series_says_so():
    with pytest.raises(TypeError, match="gives no Maclaurin series"):
        Sigmoid(gamma=1.0).maclaurin(3)
    with pytest.raises(ValueError, match="one or more finite numbers"):
        PowerSeries([]).cross([[1.0]])
    with pytest.raises(ValueError, match="order must be 0, 1 or 2"):
        ArcCosineKernel(3).cross([[1.0]])
