"""Streamed ridge against refits by scikit-learn, fold by fold and prefix by prefix."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from naive_ridge import refitted_errors, standardised_ridge
from seamark import engine
from seamark.features import InMemory
from seamark.linear_model import RidgeClassifier, RidgeRegressor
from seamark.linear_model.ridge_solve import nested_sizes
from seamark.targets import deal


@parametrize_with_checks(
    [
        RidgeRegressor(),
        RidgeRegressor(0.01, n_features="cv"),
        RidgeRegressor(0.01, fit_intercept=False),
        RidgeClassifier(),
        RidgeClassifier(0.01, calibrate=False),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def plain(rng):
    X = rng.normal(size=(200, 12)) * rng.uniform(0.1, 10, 12) + rng.normal(size=12)
    return X, X @ rng.normal(size=12) + 5 * rng.normal(size=200) + 20


@pytest.fixture
def collinear(rng):
    """exp(−distance) to 300 points on a line: correlations up to 0.9999 and beyond."""
    x, centres = rng.uniform(size=(1200, 1)), rng.uniform(size=300)
    return np.exp(-np.abs(x - centres)), np.sin(6 * x[:, 0]) + 0.3 * rng.normal(size=1200)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("penalty", [1e-6, 0.1, 10.0])
def test_coefficients_are_those_of_ridge_on_standardised_columns(plain, rng, penalty, weighted):
    X, y = plain
    weights = rng.uniform(0, 2, len(X)) if weighted else None
    found = RidgeRegressor(penalty).fit(X, y, weights)
    expected = standardised_ridge(X, y, penalty, weights)
    assert_allclose(found.predict(X), expected.predict(X), 1e-9)
    assert_allclose(X @ found.coef_ + found.intercept_, found.predict(X), 1e-12)


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("penalty", [1e-4, 1e-2, 1.0])
def test_collinear_columns(collinear, precision, penalty):
    X, y = collinear
    assert np.corrcoef(X[:, :50].T)[np.triu_indices(50, 1)].max() > 0.9999
    found = RidgeRegressor(penalty, precision=precision).fit(X, y).predict(X)
    error = np.abs(found - standardised_ridge(X, y, penalty).predict(X)).max()
    assert error < (1e-3 if precision == "single" else 1e-8) * y.std()


def test_auto_turns_to_float64_where_float32_fails(collinear, monkeypatch):
    monkeypatch.setattr("seamark.linear_model.ridge_fit.SMALL_JOB", 0)
    X, y = collinear
    for penalty, precision in [(1e-2, "single"), (1e-9, "double")]:
        found = RidgeRegressor(penalty).fit(X, y)
        assert found.precision_ == precision
        error = np.abs(found.predict(X) - standardised_ridge(X, y, penalty).predict(X)).max()
        assert error < 1e-3 * y.std()
    with pytest.raises(ValueError, match="too nearly collinear for float32"):
        RidgeRegressor(1e-12, precision="single").fit(X, y)
    with pytest.raises(ValueError, match="penalty=1e-30 is too small"):
        RidgeRegressor(1e-30).fit(np.repeat(X, 2, axis=1), y)


def test_cross_validation_of_few_rows_is_in_float64(plain, monkeypatch):
    monkeypatch.setattr("seamark.linear_model.ridge_fit.SMALL_JOB", 0)
    X, y = plain
    assert RidgeRegressor().fit(X, y).precision_ == "single"
    few = 5 * X.shape[1]
    assert len(X) > few
    assert RidgeRegressor().fit(X[:few], y[:few]).precision_ == "double"


def test_well_conditioned_columns_stay_in_float32(plain, monkeypatch):
    monkeypatch.setattr("seamark.linear_model.ridge_fit.SMALL_JOB", 0)
    X, y = plain
    for offset in (0, 1000):
        found = RidgeRegressor(1e-9).fit(X + offset, y)
        assert found.precision_ == "single"
        assert_allclose(found.predict(X + offset), standardised_ridge(X, y, 1e-9).predict(X), 1e-4)
    rows = np.argsort(X[:, 0])
    X[rows[:100], 0] = 3.0
    monkeypatch.setattr("seamark.linear_model.ridge_statistics.FIRST_ROWS", 1)
    X[rows[100:], 0] += 1e6  # first rows that mislead
    with engine.using(feature_bytes=8 * 12 * 50):
        assert RidgeRegressor(1e-3).fit(X[rows], y[rows]).score(X, y) > 0.5


@pytest.mark.parametrize("precision", ["single", "double"])
def test_errors_are_those_of_refitting_each_fold(plain, precision):
    X, y = plain
    folds = np.arange(len(X)) % 4
    model = RidgeRegressor(cv=folds, precision=precision).fit(X, y)
    results = model.cv_results_
    for penalty, mean, sd in zip(
        results["penalty"], results["mean_error"][:, 0], results["sd_error"][:, 0], strict=True
    ):
        errors = refitted_errors(X, y, folds, penalty)
        rtol = 1e-4 if precision == "single" else 1e-9
        assert_allclose([mean, sd], [errors.mean(), errors.std(ddof=1)], rtol)
    assert model.penalty_ == results["penalty"][results["mean_error"][:, 0].argmin()]


def test_nested_sizes_are_refits_on_the_prefix(collinear):
    X, y = collinear
    X, y = X[:600, :40], y[:600]
    folds = np.arange(600) % 5
    model = RidgeRegressor(0.001, n_features="cv", cv=folds).fit(X, y)
    results = model.cv_results_
    assert_array_equal(results["n_features"], nested_sizes(40))
    for size, error in zip(results["n_features"], results["mean_error"][0], strict=True):
        assert_allclose(error, refitted_errors(X[:, :size], y, folds, 0.001).mean(), 1e-8)
    best = results["mean_error"].min()
    slack = results["sd_error"][0, results["mean_error"][0].argmin()] / np.sqrt(5)
    enough = results["n_features"][results["mean_error"][0] <= best + slack]
    assert model.n_features_ == enough.min() < 40
    few = standardised_ridge(X[:, : model.n_features_], y, 0.001)
    assert_allclose(model.predict(X), few.predict(X[:, : model.n_features_]), 1e-8)
    assert model.coef_.shape == (40,)
    assert not model.coef_[model.n_features_ :].any()


def test_a_given_number_of_columns_never_reads_the_others(plain):
    X, y = plain
    model = RidgeRegressor(0.1, n_features=5).fit(InMemory(X), y)
    spoilt = np.hstack([X[:, :5], np.full((200, 7), np.nan)])
    assert_array_equal(model.predict(InMemory(spoilt)), model.predict(X))


def test_the_search_goes_on_beyond_an_edge(plain, rng):
    X, _ = plain
    noise = RidgeRegressor(random_state=0).fit(X, rng.normal(size=len(X)))
    assert noise.penalty_ > 1
    exact = RidgeRegressor(random_state=0).fit(X, X @ np.ones(12))
    assert exact.penalty_ < 1e-7
    assert np.unique(exact.cv_results_["penalty"]).size == exact.cv_results_["penalty"].size


def test_streams_matrices_and_csr_agree(plain):
    X, y = plain
    X = np.where(np.abs(X) < 1, 0, X)
    models = [
        RidgeRegressor(random_state=3).fit(data, y)
        for data in (X, InMemory(X), sparse.csr_array(X), InMemory(sparse.csr_array(X)))
    ]
    for model in models[1:]:
        assert_allclose(model.coef_, models[0].coef_, 1e-10)
        assert_allclose(model.predict(sparse.csr_array(X)), models[0].predict(X), 1e-10)


def test_rows_stand_alone_and_random_state_decides(plain):
    X, y = plain
    first, second = (RidgeRegressor(random_state=1).fit(X, y) for _ in range(2))
    assert_array_equal(first.coef_, second.coef_)
    assert_allclose(first.predict(X[7:20]), first.predict(X)[7:20], 1e-12)


@pytest.mark.parametrize("precision", ["single", "double"])
def test_the_scale_of_weights_means_nothing(plain, rng, precision):
    X, y = plain
    weights = rng.uniform(0, 1, len(X))
    few, many = (
        RidgeRegressor(0.1, precision=precision).fit(X, y, scale * weights)
        for scale in (1e-50, 1e50)
    )
    assert_allclose(few.predict(X), many.predict(X), 1e-5)
    absent = RidgeRegressor(random_state=0).fit(X[:150], y[:150])
    zero = RidgeRegressor(random_state=0).fit(X, y, np.arange(200) < 150)
    assert_allclose(absent.coef_, zero.coef_, 1e-9)


def test_several_targets(plain):
    X, y = plain
    Y = np.column_stack([y, -3 * y + 1, X[:, 0]])
    model = RidgeRegressor(0.05).fit(X, Y)
    assert model.coef_.shape == (3, 12)
    assert model.intercept_.shape == (3,)
    for t in range(3):
        assert_allclose(model.predict(X)[:, t], RidgeRegressor(0.05).fit(X, Y[:, t]).predict(X))


def test_through_the_origin(plain):
    X, y = plain
    model = RidgeRegressor(0.01, fit_intercept=False).fit(X, y)
    size = np.sqrt((X**2).mean(axis=0))
    expected = Ridge(0.01 * len(X), fit_intercept=False, solver="svd").fit(X / size, y)
    assert model.intercept_ == 0
    assert_allclose(model.coef_, expected.coef_ / size, 1e-8)
    folds = np.arange(len(X)) % 3
    chosen = RidgeRegressor("cv", fit_intercept=False, cv=folds).fit(X, y)
    assert chosen.cv_results_["mean_error"].min() < 1.5 * y.var()


@pytest.mark.parametrize("precision", ["single", "double"])
def test_constant_and_repeated_columns_are_harmless(plain, precision):
    X, y = plain
    constant = np.column_stack([X[:, :1], np.full(200, 0.1), np.zeros(200), np.full(200, 1e6), X])
    constant[3, 2] = 1.0  # constant but in one fold
    model = RidgeRegressor(random_state=0, precision=precision).fit(constant, y)
    assert np.isfinite(model.cv_results_["mean_error"]).any()
    assert model.score(constant, y) > 0.9 * RidgeRegressor(random_state=0).fit(X, y).score(X, y)
    assert_array_equal(model.coef_[[1, 3]], 0)


@pytest.mark.parametrize("n", [2, 3, 4, 30])
def test_fewer_rows_than_folds_or_columns(rng, n):
    X = rng.normal(size=(n, 50))
    assert np.isfinite(RidgeRegressor(random_state=0).fit(X, X[:, 0]).predict(X)).all()
    labels = np.arange(n) % 2
    model = RidgeClassifier(random_state=0).fit(X, labels)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_one_row(rng):
    X = rng.normal(size=(1, 3))
    with pytest.raises(ValueError, match="at least 2 rows"):
        RidgeRegressor().fit(X, [2.0])
    assert_allclose(RidgeRegressor(1.0).fit(X, [2.0]).predict(X), [2.0])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"penalty": 0}, "penalty=0 must be 'cv' or a positive number"),
        ({"penalty": "best"}, "penalty='best' must be"),
        ({"n_features": 13}, "n_features=13 must be None, 'cv' or one of 1..12"),
        ({"precision": "half"}, "precision='half' must be"),
        ({"cv": 1}, "cv=1 must be at least 2"),
        ({"cv": np.zeros(200, int)}, "one fold"),
        ({"cv": np.zeros(3, int)}, "one integer per row"),
        ({"cv": ShuffleSplit(3, random_state=0)}, "tested once"),
        ({"cv": [(np.arange(9), np.arange(9, 99))]}, "split 0 of cv leaves rows out"),
    ],
)
def test_mistakes_are_named(plain, parameters, message):
    with pytest.raises(ValueError, match=message):
        RidgeRegressor(**parameters).fit(*plain)


def test_features_of_another_width_are_refused(plain):
    X, y = plain
    model = RidgeRegressor(0.1).fit(InMemory(X), y)
    with pytest.raises(ValueError, match="X has 3 features, but RidgeRegressor was fitted to 12"):
        model.predict(InMemory(X[:, :3]))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        RidgeRegressor(0.1).fit(InMemory(X), y[:5])


def test_folds_share_out_rows_and_classes(rng):
    labels = rng.choice(4, size=101, p=[0.7, 0.2, 0.07, 0.03])
    used = np.ones(101, bool)
    used[::10] = False
    folds = deal(used, 5, rng, labels)
    assert_array_equal(folds == -1, ~used)
    assert np.ptp(np.bincount(folds[used])) <= 1
    for c in range(4):
        assert np.ptp(np.bincount(folds[used & (labels == c)], minlength=5)) <= 1
    splits = KFold(4, shuffle=True, random_state=0)
    numbers = deal(np.ones(101, bool), splits, rng)
    for k, (_, test) in enumerate(splits.split(np.zeros(101))):
        assert_array_equal(np.flatnonzero(numbers == k), test)
    strata = deal(np.ones(101, bool), StratifiedKFold(2), rng, labels)
    assert_array_equal(strata, deal(np.ones(101, bool), strata, rng))


def test_grid_search_and_clone(plain):
    X, y = plain
    search = GridSearchCV(RidgeClassifier(calibrate=False), {"penalty": [0.1, "cv"]}, cv=3)
    assert search.fit(X, y > 20).best_score_ > 0.8
    assert clone(search.best_estimator_).get_params()["calibrate"] is False


def test_ties_of_penalties_go_to_the_largest(rng):
    """A column that says nothing leaves all errors alike, whatever the penalty."""
    X, y = np.ones((40, 1)) * np.arange(2)[None], rng.normal(size=40)
    X[:, 0] = np.tile([1.0, -1.0], 20)
    y = np.repeat(y[:20], 2)  # each pair has both signs: the slope is 0 within every fold
    head = RidgeRegressor(cv=np.repeat(np.arange(5), 8)).fit(X, y)
    errors = head.cv_results_["mean_error"][:, 0]
    assert np.ptp(errors) < 1e-12 * errors.max()
    assert head.penalty_ == head.cv_results_["penalty"].max()
