"""Products of rows judge folds as models on their columns would."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import LinAlgError

from naive_ridge import refitted_scores
from seamark.features import InMemory
from seamark.linear_model import RidgeClassifier
from seamark.linear_model.ridge_fit import RidgeTask, fit_ridge
from seamark.linear_model.ridge_solve import Dual, Grams, PenaltyChoice, Primal
from seamark.linear_model.ridge_statistics import FoldRows, FoldSums

K = 4


def rows_of(rng, *, n=40, width=70, weighted=False, centred=True, hidden="one"):
    """Rows whose columns some folds may not use: each column one fold, several, or none."""
    X = rng.normal(size=(n, width)) * rng.uniform(0.1, 10, width) + rng.normal(size=width)
    X[:, 3] = 2.0  # constant
    Y = X[:, :2] + rng.normal(size=(n, 2))
    weights = rng.uniform(0.1, 2, n) if weighted else None
    folds = rng.permutation(np.arange(n) % K)
    data = FoldRows.of(InMemory(X), Y, folds, weights, centred=centred)
    allowed = np.ones((K + 1, width), dtype=bool)
    if hidden == "one":
        allowed[np.arange(width) % K, np.arange(width)] = False
    elif hidden == "several":
        allowed[:-1] = rng.random((K, width)) < 0.6
    return replace(data, allowed=None if hidden == "none" else allowed)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("hidden", ["none", "one", "several"])
def test_residuals_are_those_of_models_on_columns(rng, weighted, centred, hidden):
    data = rows_of(rng, weighted=weighted, centred=centred, hidden=hidden)
    ridges, penalties = Dual(data, centred), [1e-5, 0.1, 30.0]
    found = ridges.trial(range(K), penalties, [70])
    parts = [data.rows[data.folds == fold] for fold in range(K)]
    given = data.centre, data.scale, data.n_features
    sums = FoldSums(np.stack([part.T @ part for part in parts]), *given, allowed=data.allowed)
    every = Primal(sums, centred).trial(range(K), penalties, [70])
    for fold, residuals, vectors in zip(range(K), found, every, strict=True):
        expected = data.rows[data.folds == fold] @ vectors
        assert_allclose(residuals, expected, 1e-7, 1e-7)
        squares = np.square(expected).sum(axis=2)
        assert_allclose(ridges.squared_errors(fold, residuals), squares, 1e-7)


def test_equal_rows_are_solved_at_small_penalties_and_refused_below_0(rng):
    X, folds = np.repeat(rng.normal(size=(20, 70)), 2, axis=0), np.arange(40) // 2 % K
    data = FoldRows.of(InMemory(X), X[:, :1], folds)
    ridges = Dual(data, True)
    expected = X[:, :1] - refitted_scores(X, X[:, :1], folds, 1e-6)
    for fold, found in enumerate(ridges.left(PenaltyChoice(1e-6, 70, {}))):
        assert_allclose(found * data.scale[-1], expected[folds == fold], 1e-5, 1e-5)
    with pytest.raises(LinAlgError):
        ridges.left(PenaltyChoice(-1e-3, 70, {}))


def test_factors_are_weights_of_products(rng):
    data = rows_of(rng)
    factors = np.repeat([1.0, 0.3, 0.0], [30, 25, 15])
    unit = Dual(data, True).unit[-1]
    parts = [Grams.of(data, unit * (factors == f)) for f in (1.0, 0.3, 0.0)]
    added, whole = Grams.added(parts, np.array([1.0, 0.09, 0.0])), Grams.of(data, unit * factors)
    for fold in (*range(K), -1):
        assert_allclose(added.of_fold(fold), whole.of_fold(fold), 1e-9, 1e-9)
    ridges, plain = Dual(data, True, factors=factors, made=added), Dual(data, True, factors=factors)
    assert ridges.top() == pytest.approx(plain.top())
    assert_allclose(ridges.vectors(0.1, 70), plain.vectors(0.1, 70))


def test_the_largest_eigenvalue_is_that_of_the_columns(rng):
    data = rows_of(rng, weighted=True)
    found = Dual(data, True)
    Z = found.leading(70)._centred_gram()
    assert found.top() == pytest.approx(np.linalg.eigvalsh(Z)[-1], rel=0.05)


@pytest.mark.parametrize("penalty", [None, 0.3])
def test_unseen_scores_need_no_second_pass(rng, penalty):
    X, weights = rng.normal(size=(50, 80)), rng.uniform(0.5, 2, 50)
    Y = X[:, :2] + 0.1 * rng.normal(size=(50, 2))
    folds = np.where(np.arange(50) < 45, np.arange(50) % K, -1)
    task = RidgeTask(InMemory(X), Y, folds, weights, penalty, False, True)
    fit = fit_ridge(task)
    some = X[:45], Y[:45], folds[:45]
    expected = refitted_scores(*some, fit.choice.penalty, weights[:45])
    assert_allclose(fit.unseen_scores(task)[:45], expected, 1e-6, 1e-6)


def test_folds_too_many_for_products_are_judged_by_columns(rng, monkeypatch):
    X = rng.normal(size=(30, 50))
    y = X[:, 0] > 0
    models = [RidgeClassifier(cv=np.arange(30)).fit(X, y)]
    monkeypatch.setattr("seamark.linear_model.ridge_solve.ROW_PRODUCTS_BYTES", 0)
    models.append(RidgeClassifier(cv=np.arange(30)).fit(X, y))
    assert models[0].penalty_ == pytest.approx(models[1].penalty_)
    assert_allclose(models[0].coef_, models[1].coef_, 1e-6, 1e-9)
    assert_allclose(models[0].intercept_, models[1].intercept_, 1e-5, 1e-7)


@pytest.mark.parametrize("columns", [[0, 2, 1, 3], [1, 2, 3], [5, 0], [4], []])
def test_some_columns_are_those_asked_for(rng, columns):
    """A run of columns is copied at once; what only spans as many columns is no run."""
    rows, asked = rows_of(rng, width=6, hidden="none"), np.array(columns, dtype=np.intp)
    kept = np.concatenate([[0], 1 + asked, [7, 8]])
    np.testing.assert_array_equal(rows.some(asked).rows, rows.rows[:, kept])
