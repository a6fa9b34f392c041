"""The search for a penalty, from coarse to fine: what it says is what refitted models say."""

from copy import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose

from naive_ridge import refitted_errors, standardised_ridge
from seamark.features import InMemory
from seamark.linear_model import FoldSums, RidgeClassifier, RidgeRegressor
from seamark.linear_model.ridge_solve import Primal, choose

pytestmark = pytest.mark.usefixtures("dear_factors")
DECADES = 10.0 ** np.arange(-7, 3.1)


@pytest.fixture
def dear_factors(monkeypatch):
    """Factors of 200 columns count as dear, so that the tests need no larger ones."""
    monkeypatch.setattr("seamark.linear_model.ridge_solve.FEW_COLUMNS", 50)


def kernels(rng, n, width, spread):
    """exp(−distance) of points to centres: the flatter, the more collinear."""
    x = rng.normal(size=(n, 3))
    centres = rng.normal(size=(width, 3))
    X = np.exp(-np.linalg.norm(x[:, None] - centres, axis=2) / spread)
    return X, np.sin(2 * x[:, 0]) + x[:, 1] + 0.3 * rng.normal(size=n)


def problem(kind, rng):
    """X, y and weights; wide, tall, all but collinear, weighted, with repeated rows and columns."""
    n, width = {"wide": (240, 300), "tall": (500, 210)}.get(kind, (320, 220))
    X, y = kernels(rng, n, width, 300.0 if kind == "ill-conditioned" else 2.0)
    weights = rng.uniform(0.1, 3, n) if kind == "weighted" else None
    if kind == "duplicated":
        X[160:], y[160:] = X[:160], y[:160]
        X[:, 110:] = X[:, :110]
    return X, y, weights


@pytest.mark.parametrize("kind", ["wide", "tall", "ill-conditioned", "weighted", "duplicated"])
def test_the_search_ends_where_refits_of_all_folds_would(kind, rng):
    X, y, weights = problem(kind, rng)
    folds = np.arange(len(X)) % 4
    model = RidgeRegressor(cv=folds).fit(X, y, weights)
    shares = np.bincount(folds, weights)

    def error(penalty):
        return np.average(refitted_errors(X, y, folds, penalty, weights), weights=shares)

    tried, means = model.cv_results_["penalty"], model.cv_results_["mean_error"][:, 0]
    assert len(tried) < 9  # of twenty half decades
    assert_allclose(means[tried == model.penalty_], error(model.penalty_), 1e-5)
    assert_allclose(means, [error(p) for p in tried], 0.1)  # two folds speak for all
    assert error(model.penalty_) <= 1.02 * min(error(p) for p in DECADES)
    expected = standardised_ridge(X, y, model.penalty_, weights).predict(X)
    assert np.abs(model.predict(X) - expected).max() < 1e-4


def test_any_start_leads_to_the_same_place(rng):
    X, y, _ = problem("tall", rng)
    folds = np.arange(len(X)) % 3
    ridges = Primal(FoldSums.of(InMemory(X), y[:, None], folds), True)
    ends = [choose(ridges, [210], start=10.0**p) for p in (-5.0, -1.0, 3.0)]
    errors = [refitted_errors(X, y, folds, end.penalty).mean() for end in ends]
    assert_allclose(errors, min(errors), 0.01)
    for end in ends:
        assert len(end.left) == 3


def test_a_penalty_that_fails_on_a_later_fold_is_not_chosen(rng, monkeypatch):
    X, y, _ = problem("tall", rng)
    folds = np.arange(len(X)) % 4
    model = RidgeRegressor(cv=folds).fit(X, y)
    least, solve = model.penalty_, Primal.trial

    def failing(self, folds, penalties, sizes):
        found = solve(self, folds, penalties, sizes)
        if 3 in folds:
            found[list(folds).index(3)][np.array(penalties) < 1.5 * least] = np.nan
        return found

    sums = FoldSums.of(InMemory(X), y[:, None], folds)
    monkeypatch.setattr(Primal, "trial", failing)
    again = choose(Primal(sums, True), [210], start=least)
    assert again.penalty > 1.5 * least
    assert np.isfinite(again.results["mean_error"]).any()


def test_least_error_is_what_a_fit_finds(rng):
    X, y, _ = problem("tall", rng)
    for model, target in ((RidgeRegressor(cv=3), y), (RidgeClassifier(cv=3), y > 0)):
        model.set_params(random_state=0)
        error, start = model.task(X, target).least_error()
        fitted = model.fit(X, target)
        assert error == fitted.cv_results_["mean_error"].min()
        assert start == fitted.penalty_
        again = copy(model)
        again._start = start
        again.fit(X, target)
        assert_allclose(again.predict(X), fitted.predict(X), 0.05, 0.05)
        assert not hasattr(again, "_start")


def test_constant_columns_are_left_out_of_the_equations(rng):
    X, y, _ = problem("tall", rng)
    X[:, [0, 7, 209]] = 2.0
    ridges = Primal(FoldSums.of(InMemory(X), y[:, None], np.arange(len(X)) % 3), True)
    kept = np.delete(np.arange(210), [0, 7, 209])
    fewer, sizes = Primal(ridges.data.some(kept), True), [1, 8, 210]
    for without in (-1, 1):
        assert ridges.equations(without).correlation.shape == (207, 207)
        (found,) = ridges.trial([without], [1e-3], sizes)
        assert not found[:, :, [1, 8, 210]].any()
        (expected,) = fewer.trial([without], [1e-3], np.searchsorted(kept, sizes).tolist())
        assert_allclose(np.delete(found, [1, 8, 210], axis=2), expected, 1e-8, 1e-10)


def test_leading_sums_are_those_of_the_leading_columns(rng):
    X, y, _ = problem("tall", rng)
    folds = np.arange(len(X)) % 3
    few = FoldSums.of(InMemory(X), y[:, None], folds).some(np.arange(20))
    alone = FoldSums.of(InMemory(X[:, :20]), y[:, None], folds)
    assert_allclose(few.moments, alone.moments, 1e-12, 1e-9)
    assert few.n_targets == 1
