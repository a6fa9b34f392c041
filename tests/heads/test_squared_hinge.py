"""The squared hinge: sums that follow the margin, samples that grow, rows in blocks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from seamark.heads import LinearSVM
from seamark.heads.curvature import Bends, Curvature, DoubleRows
from seamark.heads.squared_hinge import SquaredHinges, _strides


def with_ones(A):
    return np.column_stack([np.asarray(A, dtype=np.float64), np.ones(len(A))])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 3), (700, 3), (600, 900)])  # one chunk, and several
def test_rows_multiply_as_one_matrix_in_float64(shape, dtype, rng):
    A = rng.normal(size=shape).astype(dtype)
    full, rows = A.astype(np.float64), DoubleRows(A)
    theta, factors = rng.normal(size=(shape[1], 2)), rng.uniform(size=len(A))
    np.testing.assert_allclose(rows.scores(theta), full @ theta, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(rows.scores(theta[:, 0]), full @ theta[:, 0], atol=1e-11)
    np.testing.assert_allclose(rows.sum(factors), factors @ full, atol=1e-10)
    some = np.flatnonzero(factors > 0.3)
    expected = full[some].T @ (factors[some, None] * full[some])
    total = np.zeros(expected.shape, order="F")
    rows.add_products(total, some, factors[some])
    np.testing.assert_allclose(total, np.tril(expected), atol=1e-10)
    rows.add_products(total, some, -factors[some])
    np.testing.assert_allclose(total, 0.0, atol=1e-10)


@given(st.lists(st.lists(st.integers(0, 2), min_size=9, max_size=9), min_size=1, max_size=6))
def test_curvature_follows_bends_that_come_and_go(all_counts):
    rng = np.random.default_rng(0)
    A, right = rng.normal(size=(9, 4)).astype(np.float32), rng.normal(size=6)
    curvature, weights = Curvature(DoubleRows(A)), rng.uniform(0.1, 2.0, 9)
    for counts in all_counts:  # how many losses bend at each row
        rows = np.repeat(np.arange(9), counts)
        E = rng.normal(size=(len(rows), 2))
        bends = Bends(rows, weights[rows], E, np.diag([0.3, 0.2]))
        full = np.hstack([A[rows].astype(np.float64), -E])
        expected = full.T @ (weights[rows, None] * full) + np.diag([0.5] * 4 + [0.3, 0.2])
        for solve in (curvature._by_bends, curvature._by_columns):
            np.testing.assert_allclose(expected @ solve(bends, 0.5, right), right, atol=1e-9)


@given(st.integers(1, 200_000), st.integers(1, 2000))
def test_samples_grow_from_enough_rows_to_all(n, width):
    strides = _strides(n, width)
    assert strides[-1] == 1
    assert strides == sorted(set(strides), reverse=True)
    assert all(n // stride >= max(1000, 4 * width) for stride in strides[:-1])


@pytest.mark.parametrize("order", ["shuffled", "sorted", "one class first", "rare"])
def test_order_of_rows_and_rare_classes_do_not_change_the_solution(order, rng):
    n = 9000
    X = rng.normal(size=(n, 5)).astype(np.float32)
    y = X[:, 0] + 0.5 * rng.normal(size=n) > (3.4 if order == "rare" else 0.0)
    rank = np.argsort(y, kind="stable") if order == "sorted" else np.arange(n)
    if order == "one class first":
        rank[::9] = np.flatnonzero(~y)[:1000]  # the rows of the first sample
        rank[np.arange(n) % 9 > 0] = np.setdiff1d(np.arange(n), rank[::9])
    X, y = X[rank], y[rank]
    assert 0 < y.sum() < n
    ours = LinearSVM(1.0, tol=1e-9).fit(X, y)
    theirs = LinearSVC(dual=False, intercept_scaling=1000.0, tol=1e-8, max_iter=10_000)
    theirs.fit(X.astype(np.float64), y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-3, atol=1e-3)


def test_collinear_float32_features_with_large_norms(rng):
    # exp(−γd) features of 60 landmarks on a line, blown up: float32 products have no digit left.
    points, marks = rng.uniform(size=(4000, 1)), np.linspace(0, 1, 60)
    X = (300.0 * np.exp(-0.5 * np.abs(points - marks) ** 2)).astype(np.float32)
    y = np.sin(12 * points[:, 0]) > 0
    ours = LinearSVM(10.0).fit(X, y)
    assert ours.score(X, y) > 0.97
    sign = np.where(y, 1.0, -1.0)
    slack = np.maximum(0.0, 1.0 - sign * ours.decision_function(X))
    value = 0.5 * np.sum(ours.coef_**2) + 10.0 * slack @ slack
    gradient = np.append(ours.coef_[0], 0.0) - 20.0 * (sign * slack) @ with_ones(X)
    # What a gradient step could still gain, far below the objective.
    curvature = 1.0 + 20.0 * np.linalg.norm(with_ones(X)[slack > 0], 2) ** 2
    assert gradient @ gradient / (2 * curvature) < 1e-4 * value


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_more_columns_than_rows_are_solved_in_the_space_of_the_rows(dtype, rng):
    X = rng.normal(size=(40, 200)).astype(dtype)
    y = X[:, :5].sum(axis=1) + rng.normal(size=40) > 0
    ours = LinearSVM(0.01, tol=1e-10).fit(X, y)
    theirs = LinearSVC(C=0.01, dual=False, intercept_scaling=1000.0, tol=1e-10, max_iter=10_000)
    np.testing.assert_allclose(ours.coef_, theirs.fit(X, y).coef_, atol=1e-4)
    # Weights are sums of rows: nothing of them is left outside the rows' space.
    rows = np.linalg.qr(X.T.astype(np.float64))[0]
    np.testing.assert_allclose(ours.coef_ @ rows @ rows.T, ours.coef_, atol=1e-9)


@pytest.mark.parametrize("shape", [(60, 200), (60, 40), (400, 40)])  # by rows, rows, columns
@pytest.mark.parametrize("weighted", [False, True])
def test_a_path_of_costs_equals_fits_that_start_from_nothing(shape, weighted, rng):
    X = rng.normal(size=shape)
    y = (X[:, :4] + 0.5 * rng.normal(size=(len(X), 4))).argmax(axis=1)
    weights = rng.integers(0, 3, len(X)).astype(float) if weighted else None
    grid = [{"C": C} for C in (1e-4, 1e-2, 1.0, 1e-3)]
    heads = LinearSVM(tol=1e-12).fit_each(grid, X, y, weights)
    for head, parameters in zip(heads, grid, strict=True):
        alone = LinearSVM(tol=1e-12, **parameters).fit(X, y, weights)
        assert parameters["C"] == head.C
        np.testing.assert_allclose(head.coef_, alone.coef_, atol=1e-6)
        np.testing.assert_allclose(head.intercept_, alone.intercept_, atol=1e-6)


@pytest.mark.parametrize("C", [1e-4, 1e-2, 1.0, 1e4])
@pytest.mark.parametrize("columns", [30, 90])
def test_rows_by_rows_and_columns_find_the_same(C, columns, rng):
    X = rng.normal(size=(60, columns))
    X[30:] = X[:30]  # every row twice: the Gram matrix is singular
    signs = np.where(rng.integers(3, size=60)[:, None] == np.arange(3), 1.0, -1.0)
    found = []
    for few in (True, False):
        hinges = SquaredHinges(X, signs)
        hinges.few = few
        hinges.start = np.zeros((61 if few else columns + 1, 3))
        found.append(hinges.minimise(np.full(60, C), 1e-12, 100))
    assert found[0][3]
    assert found[1][3]
    np.testing.assert_allclose(found[0][0], found[1][0], atol=1e-5)
    np.testing.assert_allclose(found[0][1], found[1][1], atol=1e-5)
