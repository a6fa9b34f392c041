"""Ridges from rows against ridges from sums, and both against scikit-learn."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from naive_ridge import refitted_errors, standardised_ridge
from seamark.features import InMemory
from seamark.linear_model import Ranking, RidgeClassifier, RidgeRegressor
from seamark.linear_model.ridge_fit import RidgeTask
from seamark.linear_model.ridge_solve import Dual, Primal


def both_forms(model, *data, **options):
    """Fit by sums and by rows, whatever is quicker."""
    models = []
    for is_wide in (False, True):
        with patch.object(RidgeTask, "is_wide", is_wide):
            models.append(model().fit(*data, **options))
    return models


def assert_same(primal, dual, rtol=1e-7):
    assert_allclose(dual.penalty_, primal.penalty_, 1e-9)
    assert dual.n_features_ == primal.n_features_
    assert_allclose(dual.coef_, primal.coef_, rtol, rtol * np.abs(primal.coef_).max())
    assert_allclose(dual.intercept_, primal.intercept_, rtol, rtol)
    assert dual.cv_results_.keys() == primal.cv_results_.keys()
    for name, values in primal.cv_results_.items():
        assert_allclose(dual.cv_results_[name], values, rtol)


def assert_same_errors(primal, dual, rtol):
    """Errors of all that both tried: rounding may choose among equals, and search on from there."""
    tables = [
        dict(
            zip(
                np.log10(m.cv_results_["penalty"]).round(6),
                m.cv_results_["mean_error"],
                strict=True,
            )
        )
        for m in (primal, dual)
    ]
    both = sorted(tables[0].keys() & tables[1].keys())
    first, second = (np.array([table[p] for p in both]) for table in tables)
    assert len(both) >= min(8, len(tables[0]))
    assert_allclose(second, first, rtol)


@pytest.fixture
def collinear(rng):
    """exp(−distance) of 150 points on a line to 400 others: correlations beyond 0.9999."""
    x, centres = rng.uniform(size=(150, 1)), rng.uniform(size=400)
    return np.exp(-np.abs(x - centres)), np.sin(6 * x[:, 0]) + 0.3 * rng.normal(size=150)


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(8, 40),
    width=st.integers(1, 60),
    n_targets=st.integers(1, 3),
    weighted=st.booleans(),
    centred=st.booleans(),
    n_features=st.sampled_from([None, "cv", 1]),
    penalty=st.sampled_from([1e-6, 1.0, "cv"]),
)
def test_rows_and_sums_tell_the_same(
    seed, n, width, n_targets, weighted, centred, n_features, penalty
):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, width)) * rng.uniform(0.1, 10, width) + rng.normal(size=width)
    X[:, rng.integers(width)] = 3.0  # constant
    Y = X[:, :1] + rng.normal(size=(n, n_targets))
    weights = rng.uniform(0.1, 2, n) * (np.arange(n) > 1) if weighted else None

    def model():
        return RidgeRegressor(
            penalty, n_features=n_features, fit_intercept=centred, cv=4, random_state=0
        )

    primal, dual = both_forms(model, X, Y, weights)
    if "cv" in (penalty, n_features):
        assert_same_errors(primal, dual, 1e-5)
    else:
        assert_same(primal, dual, 1e-6)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_errors_are_those_of_refitting_each_fold(collinear, rng, dtype, weighted):
    X, y = collinear
    X, Y = X.astype(dtype), np.column_stack([y, -2 * y + rng.normal(size=len(y))])
    weights = rng.uniform(0.1, 2, len(X)) if weighted else None
    folds = np.arange(len(X)) % 4
    model = RidgeRegressor(cv=folds).fit(X, Y, weights)
    exact, shares = X.astype(np.float64), np.bincount(folds, weights)
    results = model.cv_results_
    for penalty, error in zip(results["penalty"], results["mean_error"][:, 0], strict=True):
        expected = refitted_errors(exact, Y, folds, penalty, weights)
        assert_allclose(error, np.average(expected, weights=shares), 1e-6)
    expected = standardised_ridge(exact, Y, model.penalty_, weights).predict(exact)
    assert np.abs(model.predict(X) - expected).max() < 1e-7


@pytest.mark.parametrize("penalty", [1e-8, 1e-4, 1.0])
def test_collinear_columns(collinear, penalty):
    X, y = collinear
    assert np.corrcoef(X[:, :50].T)[np.triu_indices(50, 1)].max() > 0.9999
    found = RidgeRegressor(penalty).fit(X, y).predict(X)
    error = np.abs(found - standardised_ridge(X, y, penalty).predict(X)).max()
    assert error < 1e-9 * y.std()


class Masked(InMemory):
    """Columns that are made of a row each, and not to be used by models that must not know it."""

    def columns_without(self, hidden):
        return np.flatnonzero(~hidden[np.arange(self.shape[1]) % len(hidden)])


@pytest.mark.parametrize("n_features", [None, "cv"])
def test_columns_that_folds_may_not_use(collinear, n_features, monkeypatch):
    monkeypatch.setattr(
        "seamark.linear_model.ridge_solve.FEW_COLUMNS", 200
    )  # the same search for both
    X, y = collinear

    def model():
        return RidgeRegressor(n_features=n_features, random_state=1)

    primal, dual = both_forms(model, Masked(X), y)
    assert_same(primal, dual, rtol=1e-5)
    free = model().fit(X, y)
    assert np.abs(free.cv_results_["mean_error"] / dual.cv_results_["mean_error"] - 1).max() > 1e-3


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classifiers_are_calibrated_alike(collinear, rng, n_classes, monkeypatch):
    monkeypatch.setattr(
        "seamark.linear_model.ridge_solve.FEW_COLUMNS", 200
    )  # the same search for both
    X, y = collinear
    labels = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))

    def model():
        return RidgeClassifier(class_weight="balanced", random_state=0)

    primal, dual = both_forms(model, X, labels, rng.uniform(0.5, 2, len(X)))
    assert_same(primal, dual, rtol=1e-5)
    assert dual.oof_score_ == primal.oof_score_
    assert_allclose(dual.predict_proba(X), primal.predict_proba(X), atol=1e-6)


def test_ranking(rng):
    X, relevance, queries = rng.normal(size=(60, 90)), rng.integers(0, 4, 60), np.arange(60) % 12
    X[:, 0] += relevance
    primal, dual = both_forms(Ranking, X, relevance, qid=queries)
    assert dual.penalty_ == primal.penalty_
    assert_allclose(dual.cv_scores_, primal.cv_scores_, 1e-9)
    assert_allclose(dual.coef_, primal.coef_, 1e-6, 1e-9)


def test_rows_in_use_decide_the_form(rng):
    X, y = rng.normal(size=(50, 30)), rng.normal(size=(50, 1))
    folds = np.arange(50) % 5
    task = RidgeTask(InMemory(X), y, folds, None, None, False, True)
    assert isinstance(task.ridges(), Primal)
    few = np.where(np.arange(50) < 30, folds, -1)
    task = RidgeTask(InMemory(X), y, few, None, None, False, True)
    assert isinstance(task.ridges(), Dual)
    assert task.ridges().data.rows.shape == (30, 32)
    nested = RidgeTask(InMemory(X), y, few, None, None, True, True)
    assert isinstance(nested.ridges(), Primal)  # five sizes: five factors


def test_float32_is_for_sums_only(collinear):
    X, y = collinear
    assert RidgeRegressor(0.1).fit(X, y).precision_ == "double"
    single = RidgeRegressor(0.1, precision="single").fit(X, y)
    assert single.precision_ == "single"
    assert_allclose(single.predict(X), RidgeRegressor(0.1).fit(X, y).predict(X), atol=1e-3)


def test_a_penalty_that_rounding_swallows(collinear):
    X, y = collinear
    with pytest.raises(ValueError, match="penalty=1e-30 is too small"):
        RidgeRegressor(1e-30).fit(np.tile(X[:100], (2, 1)), np.tile(y[:100], 2))
    X, queries = np.tile(X[:20], (2, 1)), np.repeat([0, 1, 2, 3], 10)
    with pytest.raises(ValueError, match="penalty=1e-30 is too small"):
        Ranking(penalties=[1e-30]).fit(X, np.arange(40) % 3, qid=queries)


def test_rows_are_read_once_and_repeat(collinear):
    class Counting(InMemory):
        passes = 0

        def chunks(self, columns=None):
            Counting.passes += 1
            return super().chunks(columns)

    X, y = collinear
    first = RidgeRegressor(random_state=0).fit(Counting(X), y)
    assert Counting.passes == 1
    assert_array_equal(first.coef_, RidgeRegressor(random_state=0).fit(X, y).coef_)
