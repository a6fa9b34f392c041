"""The squared hinge: sums that follow the margin, samples that grow, rows in blocks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from seamark.heads import LinearSVM
from seamark.heads.augmented import AugmentedRows
from seamark.heads.squared_hinge import Curvature, _strides


def with_ones(A):
    return np.column_stack([np.asarray(A, dtype=np.float64), np.ones(len(A))])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 3), (700, 3), (600, 900)])  # one block, and several
def test_rows_multiply_as_one_matrix_in_float64(shape, dtype, rng):
    A = rng.normal(size=shape).astype(dtype)
    full, rows = with_ones(A), AugmentedRows(A)
    theta, factors = rng.normal(size=(shape[1] + 1, 2)), rng.uniform(size=len(A))
    np.testing.assert_allclose(rows.scores(theta), full @ theta, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(rows.scores(theta[:, 0]), full @ theta[:, 0], atol=1e-11)
    np.testing.assert_allclose(rows.sum(factors), factors @ full, atol=1e-10)
    few = np.where(factors > 0.8, factors, 0.0)
    np.testing.assert_allclose(rows.sum(few), few @ full, atol=1e-10)
    some = np.flatnonzero(factors > 0.3)
    expected = full[some].T @ (factors[some, None] * full[some])
    total = np.zeros(expected.shape, order="F")
    rows.add_products(total, some, factors)
    np.testing.assert_allclose(total, np.tril(expected), atol=1e-10)
    rows.add_products(total, some, factors, sign=-1.0)
    np.testing.assert_allclose(total, 0.0, atol=1e-10)
    np.testing.assert_allclose(rows.sum(factors), factors @ full, atol=1e-10)  # ones are ones again


@given(st.lists(st.lists(st.booleans(), min_size=9, max_size=9), min_size=1, max_size=6))
def test_curvature_follows_rows_that_come_and_go(masks):
    rng = np.random.default_rng(0)
    A, costs = rng.normal(size=(9, 4)).astype(np.float32), rng.uniform(0.1, 2.0, 9)
    curvature = Curvature(AugmentedRows(A), costs)
    full = with_ones(A)
    for mask in map(np.array, masks):
        expected = full[mask].T @ (2 * costs[mask, None] * full[mask])
        np.testing.assert_allclose(curvature.of(mask), np.tril(expected), atol=1e-12)


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
