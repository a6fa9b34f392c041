"""Factors and products divided among threads, against plain ones; and work side by side."""

import threading

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import LinAlgError

from seamark.engine import lapack, side_by_side, using
from seamark.engine.threads import run_tasks


def tiles_of(monkeypatch, least, largest):
    monkeypatch.setattr(lapack, "LEAST_TILE", least)
    monkeypatch.setattr(lapack, "LARGEST_TILE", largest)
    monkeypatch.setattr(lapack, "PANEL_ROWS", 16)


rng = np.random.default_rng(0)


def definite(n, least=0.1):
    A = rng.normal(size=(n + 20, n))
    return A.T @ A / n + least * np.eye(n)


@pytest.mark.parametrize("n", [0, 1, 2, 37, 300])
@pytest.mark.parametrize("threads", [1, 3])
def test_factors_of_tiles_are_the_factor(monkeypatch, n, threads):
    monkeypatch.setattr("seamark.engine.threads.SMALL_MATRIX", 20)
    tiles_of(monkeypatch, 8, 24)
    matrix = definite(n)
    upper, before = np.triu(matrix), matrix.copy()
    with using(n_jobs=threads):
        factor = lapack.cholesky(upper, 0.5)  # of which only the upper half is read
    expected = np.linalg.cholesky(matrix + 0.5 * np.eye(n)) if n else matrix
    assert_allclose(np.tril(factor), expected, atol=1e-13)
    assert_array_equal(upper, np.triu(before))
    right = rng.normal(size=(n, 3))
    solved = lapack.cholesky_solve(factor, right)
    assert_allclose((matrix + 0.5 * np.eye(n)) @ solved, right, atol=1e-10)


@pytest.mark.parametrize("threads", [1, 8])
def test_many_threads_take_smaller_tiles_and_find_the_same(monkeypatch, threads):
    monkeypatch.setattr("seamark.engine.threads.SMALL_MATRIX", 20)
    tiles_of(monkeypatch, 4, 40)
    matrix, vector = definite(100), rng.normal(size=100)
    with using(n_jobs=threads):
        assert_allclose(np.tril(lapack.cholesky(matrix)), np.linalg.cholesky(matrix), atol=1e-13)
        assert_allclose(lapack.upper_times(np.triu(matrix), vector), matrix @ vector, atol=1e-12)


def test_a_leading_block_of_a_factor_solves_the_leading_block():
    matrix, right = definite(9), rng.normal(size=(4, 2))
    factor = lapack.cholesky(matrix)[:4, :4]
    assert_allclose(matrix[:4, :4] @ lapack.cholesky_solve(factor, right), right, atol=1e-12)
    one = lapack.cholesky_solve(factor, right[:, 0])
    assert_allclose(matrix[:4, :4] @ one, right[:, 0], atol=1e-12)
    half = lapack.cholesky_solve(factor, right, "first")
    assert_allclose(np.tril(factor) @ half, right, atol=1e-12)
    both = lapack.cholesky_solve(factor, half, "second")
    assert_allclose(matrix[:4, :4] @ both, right, atol=1e-12)
    with pytest.raises(ValueError, match="4 equations"):
        lapack.cholesky_solve(factor, right[:3])


@pytest.mark.parametrize("whole", [20, 1500])
@pytest.mark.parametrize("bad", [-1.0, np.nan])
@pytest.mark.parametrize("where", [0, 45])
def test_what_is_not_positive_definite_is_told(monkeypatch, whole, bad, where):
    monkeypatch.setattr("seamark.engine.threads.SMALL_MATRIX", whole)
    tiles_of(monkeypatch, 4, 8)
    matrix = definite(50)
    matrix[where, where] = bad
    with using(n_jobs=4), pytest.raises(LinAlgError):
        lapack.cholesky(matrix)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("threads", [1, 3])
def test_products_are_added_to_lower_triangles(monkeypatch, dtype, layout, threads):
    monkeypatch.setattr(lapack, "PRODUCT_TILE", 16)
    matrices = [
        np.array(rng.normal(size=(n, 41)), dtype=dtype, order=layout) for n in (0, 1, 2, 60)
    ]
    totals = rng.normal(size=(4, 41, 41))
    expected = totals + np.stack([A.astype(float).T @ A for A in matrices])
    with using(n_jobs=threads):
        lapack.add_products(totals, matrices)
    lower = np.tril_indices(41)
    assert_allclose(
        totals[:, *lower], expected[:, *lower], rtol=2e-6 if dtype == np.float32 else 1e-13,
        atol=2e-5 if dtype == np.float32 else 1e-13,
    )  # fmt: skip


def test_arrays_that_blas_cannot_walk_are_refused():
    with pytest.raises(ValueError, match="cannot be added"):
        lapack.add_products([np.zeros((3, 3))], [np.zeros((5, 4))])
    with pytest.raises(ValueError, match="float64"):
        lapack.cholesky(np.eye(3, dtype=np.float32))
    with pytest.raises(ValueError, match="float64"):
        lapack.cholesky_solve(np.asfortranarray(np.eye(3))[::-1], np.ones(3))


def test_side_by_side_keeps_the_order_and_uses_the_threads():
    seen, both = set(), threading.Barrier(2, timeout=30)

    def square(x):
        if x < 2:
            both.wait()  # which one thread alone would wait for in vain
        seen.add(threading.get_ident())
        return x * x

    with using(n_jobs=2):
        assert side_by_side(square, range(7)) == [x * x for x in range(7)]
    assert len(seen) == 2
    assert side_by_side(divmod, [7, 8], [2, 3], worth=False) == [(3, 1), (2, 2)]
    assert side_by_side(square, []) == []


def test_work_inside_such_work_is_not_divided_again_and_never_waits():
    def inner(x):
        found = []
        run_tasks([lambda stop: x, lambda stop: x + 1], 2, found.append)
        return threading.get_ident(), found

    def outer(x):
        inside = side_by_side(inner, [x] * 3)
        assert {thread for thread, _ in inside} == {threading.get_ident()}
        return [found for _, found in inside]

    with using(n_jobs=2):
        found = side_by_side(outer, range(8))
    assert found == [[[x, x + 1]] * 3 for x in range(8)]


def test_an_error_ends_the_work_and_is_the_callers():
    done = []

    def fail(x):
        if x == 3:
            raise KeyError(x)
        done.append(x)

    with using(n_jobs=2), pytest.raises(KeyError, match="3"):
        side_by_side(fail, range(100_000))
    assert len(done) < 100_000
    with using(n_jobs=2):  # and the threads are there for others
        assert side_by_side(abs, [-1, -2, -3]) == [1, 2, 3]
