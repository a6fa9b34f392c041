"""The squared hinge: sums that follow the margin, samples that grow, rows in blocks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eigh
from sklearn.svm import LinearSVC

from seamark.linear_model import LinearSVM
from seamark.linear_model.newton import Bends, Curvature, DoubleRows
from seamark.linear_model.svm import SquaredHinges, _strides


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
    twice, often = 2.0 * np.ones(len(A)), DoubleRows(A, often=True)
    often.add_products(total, np.arange(len(A)), twice)
    np.testing.assert_allclose(total, np.tril(2.0 * full.T @ full), atol=1e-10)
    np.testing.assert_allclose(often.scores(theta), full @ theta, rtol=1e-11, atol=1e-11)
    assert not rows.scores(np.zeros_like(theta)).any()


@pytest.mark.parametrize("shape", [(1, 3), (700, 3), (3000, 300)])  # several runs in the last
@pytest.mark.parametrize("even", [True, False])
def test_products_of_float32_leave_newtons_matrix_near_itself(shape, even, rng):
    points, marks = rng.uniform(size=(shape[0], 1)), np.linspace(0, 1, shape[1])
    A = np.exp(-0.1 * np.square(points - marks)).astype(np.float32)  # all but collinear
    rows, full = DoubleRows(A), A.astype(np.float64)
    factors = np.full(len(A), 3.0) if even else rng.uniform(0.5, 3.0, len(A))
    factors *= 0.1 / (2.0**-24 * factors.max() * np.square(full).sum() * 1.01)
    assert rows.sure_in_single(factors.max())
    total = np.zeros((shape[1],) * 2, order="F")
    rows.add_products(total, np.arange(len(A)), factors, single=True)
    half = np.arange(0, len(A), 2)
    rows.add_products(total, half, -factors[half], single=True)
    factors[half] = 0.0
    found = np.tril(total) + np.tril(total, -1).T + np.eye(shape[1])
    exact = full.T @ (factors[:, None] * full) + np.eye(shape[1])
    shares = eigh(found, exact, eigvals_only=True)
    assert np.abs(shares - 1.0).max() < 0.25


def test_products_of_float32_are_trusted_where_rounding_is_below_the_penalty():
    rows = DoubleRows(np.ones((1000, 10), dtype=np.float32))
    assert rows.sure_in_single(100.0)
    assert not rows.sure_in_single(200.0)
    assert not DoubleRows(np.full((9, 9), 1e30, dtype=np.float32)).sure_in_single(1.0)  # overflows
    assert not DoubleRows(np.ones((9, 9))).sure_in_single(1.0)  # of float64 nothing is lost


@pytest.mark.parametrize("single", [False, True])
@given(st.lists(st.lists(st.integers(0, 2), min_size=9, max_size=9), min_size=1, max_size=6))
def test_curvature_follows_bends_that_come_and_go(single, all_counts):
    rng = np.random.default_rng(0)
    A, right = rng.normal(size=(9, 4)).astype(np.float32), rng.normal(size=6)
    curvature, weights = Curvature(DoubleRows(A), single), rng.uniform(0.1, 2.0, 9)
    for counts in all_counts:  # how many losses bend at each row
        rows = np.repeat(np.arange(9), counts)
        E = rng.normal(size=(len(rows), 2))
        bends = Bends(rows, weights[rows], E, np.diag([0.3, 0.2]))
        full = np.hstack([A[rows].astype(np.float64), -E])
        expected = full.T @ (weights[rows, None] * full) + np.diag([0.5] * 4 + [0.3, 0.2])
        found = curvature._by_bends(bends, 0.5, right)
        np.testing.assert_allclose(expected @ found, right, atol=1e-9)
        copied = curvature.copy()
        copied.follow(
            bends._replace(factors=2.0 * bends.factors)
        )  # of which the first knows nothing
        for one in (curvature, copied):
            found = one._by_columns(bends, 0.5, right)
            np.testing.assert_allclose(expected @ found, right, atol=1e-4 if single else 1e-9)


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


@pytest.mark.parametrize("n", [600, 9000])  # all rows at once, and a sample before
@pytest.mark.parametrize("C", [1e-2, 1.0, 1e4])  # at the last, float32 products are not trusted
@pytest.mark.parametrize("weighted", [False, True])
def test_float32_rows_lead_where_the_same_rows_in_float64_do(n, C, weighted, rng):
    points, marks = rng.normal(size=(n, 3)), rng.normal(size=(40, 3))
    X = np.exp(-0.1 * np.square(points[:, None] - marks).sum(axis=2)).astype(np.float32)
    y = (points + 0.3 * rng.normal(size=points.shape)).argmax(axis=1)
    weights = rng.uniform(0.5, 2.0, n) if weighted else None
    ours = LinearSVM(C, tol=1e-11, max_iter=100).fit(X, y, weights)
    wide = LinearSVM(C, tol=1e-11, max_iter=100).fit(X.astype(np.float64), y, weights)
    np.testing.assert_allclose(ours.decision_function(X), wide.decision_function(X), atol=1e-3)
    assert ours.n_iter_ <= wide.n_iter_ + 5


@pytest.mark.parametrize("noise", [1e-7, 1e-5, 1e-3])
def test_rounding_that_has_one_direction_costs_a_few_steps_at_most(noise, rng):
    # Columns that hardly vary: sums of equal numbers are all rounded to the same side.
    n, width = 4000, 64
    hidden, columns = rng.normal(size=(n, 1)), rng.uniform(0.1, 1.0, width)
    X = columns * (1.0 + noise * (hidden + rng.normal(size=(n, width))))
    X, y = X.astype(np.float32), hidden[:, 0] + 0.5 * rng.normal(size=n) > 0
    C = 0.099 / (2.0**-24 * 2.0 * float(np.vdot(X, X)))  # the largest that float32 is trusted with
    ours, wide = LinearSVM(C).fit(X, y), LinearSVM(C).fit(X.astype(np.float64), y)
    theta = [np.append(head.coef_[0], head.intercept_) for head in (ours, wide)]
    values = [hinge_objective(one, X.astype(np.float64), y, C) for one in theta]
    assert values[0] <= values[1] * (1 + 1e-6)
    assert ours.n_iter_ <= wide.n_iter_ + 2


def hinge_objective(theta, X, y, C):
    slack = np.maximum(0.0, 1.0 - np.where(y, 1.0, -1.0) * (X @ theta[:-1] + theta[-1]))
    return 0.5 * theta[:-1] @ theta[:-1] + C * slack @ slack


def test_collinear_float32_features_with_large_norms(rng):
    # exp(−γd) features of 60 landmarks on a line, blown up: float32 products have no digit left.
    points, marks = rng.uniform(size=(4000, 1)), np.linspace(0, 1, 60)
    X = (300.0 * np.exp(-0.5 * np.abs(points - marks) ** 2)).astype(np.float32)
    y = np.sin(12 * points[:, 0]) > 0
    ours = LinearSVM(10.0).fit(X, y)
    assert ours.score(X, y) > 0.97
    sign = np.where(y, 1.0, -1.0)
    slack = np.maximum(0.0, 1.0 - sign * ours.decision_function(X))
    value = hinge_objective(np.append(ours.coef_[0], ours.intercept_), X.astype(float), y, 10.0)
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
