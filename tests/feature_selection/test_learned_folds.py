"""Learned columns without each fold: sums, errors, and how many to choose."""

import numpy as np
import pytest
from sklearn.base import clone
from test_learned import standardised

from seamark.feature_selection import Learned
from seamark.feature_selection.learned import PENALTIES, SIZES, FoldColumns, Race


def test_errors_on_folds_are_those_of_penaltys_fitted_without_them():
    rng = np.random.default_rng(2)
    A, Y = standardised(rng, n=90, width=12)
    learned = Learned(4, penalty="cv", random_state=0).fit(A, Y)
    folds = np.array(learned.cv_results_["error"])
    assert folds.shape == (4, 1)
    assert learned.penalty_ == learned.cv_results_["penalty"][int(folds.argmin())]
    # Any honest estimate lies between the training error and the variance.
    B = A[:, learned.support_]
    residual = Y - B @ np.linalg.lstsq(B, Y)[0]
    assert np.square(residual).sum() / 90 < folds.min() < np.square(Y).sum() / 90


def test_folds_stop_before_noise_is_fitted():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 1000)).astype(np.float32)
    y = X[:, :8] @ np.ones(8) + 0.3 * rng.normal(size=150)
    learned = Learned(random_state=0).fit(X, y)
    assert learned.cv_results_["n_features"] == [8, 16, 32, 64, 128, 256]
    assert set(range(8)) <= set(learned.support_)
    assert len(learned.support_) <= 32


def folded(seed):
    """Columns about far away means, some constant or doubled; classes; folds; columns offered."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 40)).astype(np.float32)
    y = np.array(["b", "a", "c"])[np.argmax(X[:, :3] + 0.5 * rng.normal(size=(150, 3)), axis=1)]
    X[:, 5], X[:, 6], X[:, 7] = 3.0, X[:, 0], 100 + X[:, 1]
    folds = rng.permutation(np.arange(150) % 4 - (np.arange(150) < 10))  # ten are left out
    offered = [np.flatnonzero(rng.random(40) < 0.8) for _ in range(3)] + [None, None]
    return X, y, folds, offered


@pytest.mark.parametrize("without", [None, 0, 1, 3])
def test_rows_without_a_fold_are_standardised_by_sums(without):
    X, _, folds, _ = folded(7)
    X, folds = X[folds >= 0].astype(np.float64), folds[folds >= 0]
    X[folds == 1, 9] = 1e3 * np.arange(np.sum(folds == 1))  # elsewhere it hardly varies
    X[:, 10] = np.where(folds == 3, np.arange(len(X)), 2.0)  # elsewhere it does not
    Y = X[:, 12:15] + 100.0
    own = np.r_[3:15, 0]
    shown = FoldColumns.of(X, Y, folds, np.arange(len(X))).shown(without, own)
    kept = folds != without if without is not None else np.ones(len(X), dtype=bool)
    A, varies = X[kept][:, own], shown.unit > 0
    lost = {None: [5], 0: [5], 1: [5, 9], 3: [5, 10]}[without]
    assert own[~varies].tolist() == lost
    A = (A - A.mean(axis=0))[:, varies] / A.std(axis=0)[varies]
    some = np.flatnonzero(varies)
    expected = A.T @ A / len(A)
    np.testing.assert_allclose(shown.products(some, some), expected, atol=2e-5)
    np.testing.assert_allclose(shown.products(some[:3])[:, some], expected[:3], atol=2e-5)
    moved = Y[kept] - Y[kept].mean(axis=0)
    np.testing.assert_allclose(shown.response[some], A.T @ moved / len(A), atol=2e-5)
    assert not shown.response[~varies].any()


def test_errors_of_hidden_rows_are_those_of_a_ridge_without_them():
    X, _, folds, _ = folded(8)
    X, folds = X[folds >= 0], folds[folds >= 0]
    Y = X[:, 8:10] + 5.0
    shown = FoldColumns.of(X, Y, folds, np.arange(len(X))).shown(2)
    path = shown.path(6, 0.05)
    kept, found = folds != 2, shown.errors(path, [2, 6])
    for size, errors in zip([2, 6], found, strict=True):
        A = X[:, path.support[:size]].astype(np.float64)
        A = (A - A[kept].mean(axis=0)) / A[kept].std(axis=0)
        gram = A[kept].T @ A[kept] / kept.sum() + 0.05 * np.eye(size)
        moved = Y - Y[kept].mean(axis=0)
        beta = np.linalg.solve(gram, A[kept].T @ moved[kept] / kept.sum())
        expected = np.square(moved - A @ beta)[~kept].sum(axis=1)
        np.testing.assert_allclose(errors, expected, rtol=1e-3, atol=1e-5)


def test_sizes_are_given_up_when_surely_worse_and_not_before():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=60)
    clearly, hardly = noise + 1.0 + 0.5 * rng.random(60), noise + 0.05 * rng.normal(size=60)
    race = Race([8, 16, 32])
    race.add([np.array([noise, hardly, clearly]), np.array([noise + 2, noise + 2, noise + 2])])
    assert race.sizes == [8, 16]
    race.add([np.array([noise, hardly]), np.array([noise + 2, noise + 2])])
    assert np.isnan(race.means()[:, 2]).all()
    assert race.best() == (0, int(hardly.mean() < noise.mean()))
    # A larger number that another penalty makes good is not given up.
    race = Race([8, 16])
    race.add([np.array([noise, clearly]), np.array([noise + 2, noise - 0.1])])
    assert race.sizes == [8, 16]


@pytest.mark.parametrize("held", [0, 1 << 20])
def test_models_without_each_fold_choose_as_if_alone(held, monkeypatch):
    monkeypatch.setattr("seamark.feature_selection.learned.SHARED_BYTES", held)
    X, y, folds, offered = folded(5)
    for n_screened in (15, 100):
        learned = Learned(6, n_screened=n_screened, random_state=0)
        found = learned.fit_folds(X, y, folds, offered)
        for fold, columns in enumerate(found):
            shown = (folds >= 0) & (folds != fold)
            own = np.arange(40) if offered[fold] is None else offered[fold]
            alone = clone(learned).fit(X[shown][:, own], y[shown])
            # Columns 6 and 7 are copies of 0 and 1 but for rounding, which may choose either.
            copies = np.arange(40)
            copies[[6, 7]] = 0, 1
            np.testing.assert_array_equal(copies[columns], copies[own[alone.support_]])


def test_folds_decide_how_many_columns_models_choose():
    X, _, folds, offered = folded(6)
    X, folds = X[folds >= 0], folds[folds >= 0]
    y = np.argmax(X[:, 8:] @ np.random.default_rng(0).normal(size=(32, 3)), axis=1).astype(str)
    found = Learned(penalty="cv", random_state=0).fit_folds(X, y, folds, offered)
    Y = np.where(y[:, None] == np.unique(y), 1.0, -1.0)
    errors = np.zeros((len(PENALTIES), len(SIZES)))
    for i, penalty in enumerate(PENALTIES):
        for fold in range(4):
            shown, own = folds != fold, offered[fold]
            own = np.arange(40) if own is None else own
            path = Learned(40, penalty=penalty).fit(X[shown][:, own], y[shown]).support_
            for k, size in enumerate(SIZES):
                A = X[:, own[path[:size]]].astype(np.float64)
                A = (A - A[shown].mean(axis=0)) / A[shown].std(axis=0)
                centred = Y - Y[shown].mean(axis=0)
                gram = A[shown].T @ A[shown] / shown.sum() + penalty * np.eye(A.shape[1])
                beta = np.linalg.solve(gram, A[shown].T @ centred[shown] / shown.sum())
                errors[i, k] += np.square(centred - A @ beta)[~shown].sum()
    i, k = divmod(int(errors.argmin()), len(SIZES))
    best = Learned(SIZES[k], penalty=PENALTIES[i], random_state=0)
    for one, expected in zip(found, best.fit_folds(X, y, folds, offered), strict=True):
        np.testing.assert_array_equal(one, expected)
    assert 0 < k < len(SIZES) - 1  # else nothing is tested
    assert len({tuple(one) for one in found}) > 1
