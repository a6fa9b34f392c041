"""The ridge by passes over the rows, against a textbook's and the one that adds up products."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import seamark as sm
from naive_ridge import standardised_ridge
from seamark import engine
from seamark.features import InMemory
from seamark.linear_model import RidgeClassifier, RidgeLabels, RidgeRegressor, iterative, ridge


@pytest.fixture
def by_passes(monkeypatch):
    """Have every ridge fitted by passes over the rows."""
    monkeypatch.setattr(ridge, "iterates", lambda task: True)


@pytest.fixture
def directly(monkeypatch):
    monkeypatch.setattr(ridge, "iterates", lambda task: False)


@pytest.fixture
def kernel(rng):
    """exp(−distance) to 300 points: correlations of 0.99 and more."""
    points, centres = rng.normal(size=(3000, 4)), rng.normal(size=(300, 4))
    distances = np.sqrt(((points[:, None] - centres) ** 2).sum(axis=2))
    signal = np.sin(2 * points[:, 0]) + points[:, 1] * points[:, 2]
    return np.exp(-0.3 * distances), signal + 0.3 * rng.normal(size=3000)


def relative(found, expected):
    return np.linalg.norm(found - expected) / np.linalg.norm(expected - expected.mean(axis=0))


@pytest.mark.parametrize("penalty", [1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("kind", ["plain", "weighted", "several", "origin", "by rows", "few kept"])
def test_the_optimum_is_that_of_the_textbook(by_passes, kernel, rng, monkeypatch, kind, penalty):
    X, y = kernel
    weights = rng.uniform(0, 2, len(y)) * (rng.uniform(size=len(y)) > 0.1)
    weights = weights if kind == "weighted" else None
    y = np.stack([y, y**2, rng.normal(size=len(y))], axis=1) if kind == "several" else y
    if kind == "by rows":  # the preconditioner cannot have a factor for all columns
        monkeypatch.setattr(iterative, "LARGEST_FACTOR", 250)
    if kind == "few kept":  # the basis is emptied again and again
        monkeypatch.setattr(iterative, "BASIS_BYTES", 24 * 300 * 6)
    head = RidgeRegressor(penalty, fit_intercept=kind != "origin", random_state=0)
    found = head.fit(X, y, weights).predict(X)
    if kind == "origin":
        scale = np.sqrt((X**2).mean(axis=0))
        Z = X / scale
        expected = Z @ np.linalg.solve(Z.T @ Z / len(y) + penalty * np.eye(300), Z.T @ y / len(y))
    else:
        expected = standardised_ridge(X, y, penalty, weights).predict(X)
    assert relative(found, expected) < 1e-3


def test_held_out_errors_are_those_of_the_scores(by_passes, kernel):
    X, y = kernel
    head = RidgeRegressor(calibrate=True, random_state=0)
    fit, task = head._fit(InMemory(X), y[:, None], None, None, True)
    held = np.flatnonzero(task.folds >= 0)
    assert len(held) == pytest.approx(len(y) / 10, abs=3)
    scores = fit.unseen_scores(task)[held, 0]
    shown = np.setdiff1d(np.arange(len(y)), held)
    known = standardised_ridge(X[shown], y[shown], fit.choice.penalty)
    assert relative(scores, known.predict(X[held])) < 0.02  # which is close enough to compare
    tried, errors = fit.choice.results["penalty"], fit.choice.results["mean_error"][:, 0]
    assert_allclose(errors[tried == fit.choice.penalty], np.mean((scores - y[held]) ** 2), 1e-3)
    assert len(tried) >= 3
    assert errors.min() > 0.998 * errors[tried == fit.choice.penalty]


def test_scores_are_as_good_as_those_of_the_direct_ridge(kernel, monkeypatch):
    X, y = kernel
    classes, new = np.digitize(y, [-1, 0, 1]), slice(2000, None)
    score = []
    for chosen in (False, True):
        monkeypatch.setattr(ridge, "iterates", lambda task, chosen=chosen: chosen)
        model = RidgeClassifier(random_state=0).fit(X[:2000], classes[:2000])
        chances = model.predict_proba(X[new])[np.arange(1000), classes[new]]
        score.append([model.score(X[new], classes[new]), -np.log(chances).mean()])
    assert score[1][0] > score[0][0] - 0.02
    assert score[1][1] < score[0][1] + 0.06  # 200 rows calibrate in place of 2,000
    assert model.oof_score_ == pytest.approx(score[1][0], abs=0.1)


def test_equal_objects_are_held_out_together(by_passes, kernel):
    X, y = kernel
    groups = np.arange(len(y)) % 1000
    head = RidgeRegressor(1e-2, random_state=0)
    task = head._fit(InMemory(X, groups), y[:, None], None, None, True)[1]
    held = task.folds >= 0
    assert_array_equal(held, np.isin(groups, groups[held]))
    assert 0.05 < held.mean() < 0.2


class FromRows(InMemory):
    """Column k comes from row k."""

    def columns_without(self, hidden):
        return np.flatnonzero(~hidden[: self.shape[1]])


def test_columns_of_held_out_rows_are_left_out_while_these_are_unseen(by_passes, kernel):
    X, y = kernel
    fit, task = RidgeRegressor(1e-2, random_state=0)._fit(FromRows(X), y[:, None], None, None, True)
    held = task.folds[:300] >= 0
    assert held.any()
    coef = fit.without_held_out[0][0]
    assert not coef[held].any()
    assert coef[~held].all()
    assert fit.coef[0].all()


def test_the_number_of_columns_is_chosen_on_held_out_rows(by_passes, rng, monkeypatch):
    monkeypatch.setattr(iterative, "FEW_COLUMNS", 20)
    X = rng.normal(size=(3000, 80))
    y = X[:, :20] @ rng.normal(size=20) + rng.normal(size=3000)
    model = RidgeRegressor(n_features="cv", random_state=0).fit(X, y)
    assert model.n_features_ == 20
    assert_array_equal(model.cv_results_["n_features"], [10, 20, 40])
    expected = standardised_ridge(X[:, :20], y, model.penalty_).predict(X[:, :20])
    assert relative(model.predict(X), expected) < 1e-3


def test_constant_columns_and_labels(by_passes, rng):
    X = rng.normal(size=(500, 30))
    X[:, 3] = 7.0
    Y = X[:, :2] + 0.5 * rng.normal(size=(500, 2)) > 0
    model = RidgeLabels(random_state=0).fit(X, Y)
    assert not model.coef_[:, 3].any()
    assert (model.predict(X) == Y).mean() > 0.8
    with pytest.raises(ValueError, match="row 5 hold NaN"):
        RidgeRegressor(random_state=0).fit(
            InMemory(np.where(np.arange(500)[:, None] == 5, np.nan, X)), Y[:, 0]
        )


def test_passes_are_taken_where_products_would_be_dearer():
    assert not iterative.is_cheaper(100_000, 1000)
    assert not iterative.is_cheaper(5000, 4000)
    assert iterative.is_cheaper(60_000, 8000)
    assert iterative.is_cheaper(1_000_000, 10_000)
    with engine.using(budget=200 << 20):
        assert iterative.iterative_bytes(20_000) < 400 << 20


def test_a_model_of_many_landmarks(monkeypatch, rng):
    """The whole way: the model does with passes what it does with sums."""
    words = ["".join(rng.choice(list("abcd"), rng.integers(3, 9))) for _ in range(1500)]
    y = np.array([word.count("a") > word.count("b") for word in words])
    score = []
    for chosen in (False, True):
        monkeypatch.setattr(ridge, "iterates", lambda task, chosen=chosen: chosen)
        model = sm.LandmarkClassifier("levenshtein", n_landmarks=300, random_state=0)
        score.append(model.fit(words[:1000], y[:1000]).score(words[1000:], y[1000:]))
    assert score[1] > score[0] - 0.02


def test_many_rows_are_streamed(monkeypatch, rng):
    """Rows that are read in chunks: passes over all of them, and the same optimum."""
    words = ["".join(rng.choice(list("abcd"), rng.integers(3, 12))) for _ in range(1200)]
    y = np.array([word.count("a") - word.count("b") for word in words])
    predictions = []
    for chosen in (False, True):
        monkeypatch.setattr(ridge, "iterates", lambda task, chosen=chosen: chosen)
        head = RidgeRegressor(1e-2)
        transfer = sm.transfers.Decay(0.2)
        with engine.using(hashed_from=400, chunk_rows=250):
            model = sm.LandmarkRegressor(
                "levenshtein", n_landmarks=80, head=head, transfer=transfer, random_state=0
            ).fit(words, y)
        assert model.n_rows_ == 1200
        assert model.head_.precision_ == "single" or not chosen
        predictions.append(model.predict(words))
    assert relative(*predictions) < 1e-3


def test_penalties_of_streamed_rows_are_chosen(monkeypatch, rng):
    monkeypatch.setattr(ridge, "iterates", lambda task: True)
    words = ["".join(rng.choice(list("abcd"), rng.integers(3, 12))) for _ in range(1600)]
    y = np.array([word.count("a") + rng.normal() > word.count("b") for word in words])
    with engine.using(hashed_from=400, chunk_rows=250):
        model = sm.LandmarkClassifier("levenshtein", n_landmarks=80, random_state=0)
        model.fit(words[:1200], y[:1200])
    plain = sm.LandmarkClassifier("levenshtein", n_landmarks=80, random_state=0)
    monkeypatch.setattr(ridge, "iterates", lambda task: False)
    expected = plain.fit(words[:1200], y[:1200]).score(words[1200:], y[1200:])
    assert len(model.head_.cv_results_["penalty"]) >= 3
    assert model.score(words[1200:], y[1200:]) > expected - 0.04
