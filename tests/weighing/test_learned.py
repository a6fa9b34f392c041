"""`Learned`: columns screened by alignment, chosen by a penalty."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from naive_learned import forward_ridge as from_scratch
from seamark.features import InMemory
from seamark.weighing import Learned, fold_paths
from seamark.weighing.forward import forward_ridge
from seamark.weighing.learned import PENALTIES, SIZES
from seamark.weighing.screening import quota_order


@parametrize_with_checks([Learned(n_features=3)])
def test_is_a_scikit_learn_transformer(estimator, check):
    check(estimator)


def standardised(rng, n=60, width=15, outputs=2):
    A = rng.normal(size=(n, width)) @ rng.normal(size=(width, width))
    Y = A[:, :4] @ rng.normal(size=(4, outputs)) + rng.normal(size=(n, outputs))
    return (A - A.mean(axis=0)) / A.std(axis=0), Y - Y.mean(axis=0)


@pytest.mark.parametrize("penalty", [1e-6, 0.05, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_every_step_lowers_the_penalised_error_most(penalty, seed):
    A, Y = standardised(np.random.default_rng(seed))
    C = A.T @ A / len(A)
    path = forward_ridge(lambda j, _: C[j], np.diag(C), A.T @ Y / len(A), 8, penalty)
    assert path.support.tolist() == from_scratch(A, Y, 8, penalty)
    for size in (1, 5, 8):
        B = A[:, path.support[:size]]
        beta = np.linalg.solve(B.T @ B / len(A) + penalty * np.eye(size), B.T @ Y / len(A))
        np.testing.assert_allclose(path.coefficients(size), beta, rtol=1e-6, atol=1e-9)


def test_path_ends_where_nothing_is_left():
    A, _ = standardised(np.random.default_rng(0), width=5)
    C = np.zeros((5, 5))
    C[:2, :2] = A[:, :2].T @ A[:, :2] / len(A)  # three columns are not to be chosen
    b = np.zeros((5, 1))
    b[:2] = [[0.3], [0.2]]
    assert len(forward_ridge(lambda j, _: C[j], np.diag(C), b, 5, 0.1)) == 2


def test_quotas_hear_every_output():
    # The second output correlates less with everything; without a quota none of its columns
    # would be among the first four.
    loud = np.array([0.9, 0.8, 0.7, 0.6, 0.0, 0.0])
    quiet = np.array([0.0, 0.0, 0.0, 0.0, 0.2, 0.1])
    order = quota_order(np.column_stack([loud, quiet]))
    assert set(order[:4]) == {0, 1, 4, 5}


@pytest.mark.parametrize("most", [1, 7, 30])
def test_the_first_of_a_quota_are_the_first_of_all(most):
    rng = np.random.default_rng(most)
    for n_outputs in (1, 4):
        correlations = rng.integers(12, size=(30, n_outputs)) / 12  # with many ties
        ranks = np.argsort(np.argsort(-correlations, axis=0, kind="stable"), axis=0)
        every = np.lexsort((-correlations.sum(axis=1), ranks.min(axis=1)))
        np.testing.assert_array_equal(quota_order(correlations, most), every[:most])


def planted(rng, n=400, width=60):
    """Six columns matter; every column has nine near copies."""
    base = rng.normal(size=(n, width))
    pool = np.repeat(base, 10, axis=1) + 0.05 * rng.normal(size=(n, 10 * width))
    return pool.astype(np.float32), base


def test_copies_are_chosen_once():
    pool, base = planted(np.random.default_rng(0))
    y = base[:, :6] @ np.array([3.0, 2.5, 2.0, 1.5, 1.2, 1.0])
    learned = Learned(6, random_state=0).fit(pool, y)
    assert sorted(learned.support_ // 10) == list(range(6))


def test_classes_and_features_in_blocks():
    pool, base = planted(np.random.default_rng(1))
    y = base[:, :4].argmax(axis=1)
    names = np.array(["n", "e", "s", "w"])[y]
    learned = Learned(4, random_state=0).fit(pool, names)
    assert sorted(learned.support_ // 10) == list(range(4))
    same = clone(learned).fit(InMemory(pool), names)
    np.testing.assert_array_equal(same.support_, learned.support_)
    np.testing.assert_array_equal(learned.transform(pool), pool[:, learned.support_])
    as_classes = Learned(4, task="classification", random_state=0).fit(pool, y)
    assert set(as_classes.support_ // 10) == set(range(4))


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


def test_columns_of_tiny_numbers_lead_somewhere():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(80, 60)) * 10.0 ** rng.uniform(-24, -18, 60)
    y = X[:, :3] @ (1 / X[:, :3].std(axis=0))
    learned = Learned(30, random_state=0).fit(X.astype(np.float32), y)
    assert set(learned.support_[:3]) == {0, 1, 2}


def test_screening_and_sampling():
    pool, base = planted(np.random.default_rng(4))
    y = base[:, :3].sum(axis=1)
    learned = Learned(3, n_screened=40, n_sample=200, random_state=0).fit(pool, y)
    assert sorted(learned.support_ // 10) == [0, 1, 2]


def folded(seed):
    """Columns about far away means, some constant or doubled; classes; folds; columns offered."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 40)).astype(np.float32)
    y = np.array(["b", "a", "c"])[np.argmax(X[:, :3] + 0.5 * rng.normal(size=(150, 3)), axis=1)]
    X[:, 5], X[:, 6], X[:, 7] = 3.0, X[:, 0], 100 + X[:, 1]
    folds = rng.permutation(np.arange(150) % 4 - (np.arange(150) < 10))  # ten are left out
    offered = [np.flatnonzero(rng.random(40) < 0.8) for _ in range(3)] + [None, None]
    return X, y, folds, offered


@pytest.mark.parametrize("ahead", [1, 3, 16])
def test_products_made_when_asked_for_are_those_of_all(ahead, monkeypatch):
    X = folded(7)[0].astype(np.float64)
    Y = X[:, 8:11] + 0.1 * np.random.default_rng(0).normal(size=(150, 3))
    whole = fold_paths.Shown(X, Y)
    path = whole.path(5, 0.05)
    assert len(whole.known) == 40
    monkeypatch.setattr(fold_paths, "AHEAD", ahead)
    few = fold_paths.Shown(X, Y)
    few.known[path.support[0]] = whole.known[path.support[0]]  # so that not all are made
    found = few.path(5, 0.05)
    assert len(few.known) < 40 or ahead == 16
    np.testing.assert_array_equal(found.support, path.support)
    np.testing.assert_allclose(found.coefficients(5), path.coefficients(5), atol=1e-5)
    for j, row in few.known.items():
        np.testing.assert_allclose(row, whole.known[j], atol=1e-6)


@pytest.mark.parametrize("held", [0, 1 << 20])
def test_models_without_each_fold_choose_as_if_alone(held, monkeypatch):
    monkeypatch.setattr("seamark.weighing.learned.HELD_BYTES", held)
    X, y, folds, offered = folded(5)
    for n_screened in (15, 100):
        learned = Learned(6, n_screened=n_screened, random_state=0)
        found = learned.fit_folds(X, y, folds, offered)
        for fold, columns in enumerate(found):
            shown = (folds >= 0) & (folds != fold)
            own = np.arange(40) if offered[fold] is None else offered[fold]
            alone = clone(learned).fit(X[shown][:, own], y[shown])
            np.testing.assert_array_equal(columns, own[alone.support_])


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


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_features": 0}, "n_features must be"),
        ({"pool": 1.5}, "pool must be"),
        ({"penalty": 0.0}, "penalty must be"),
        ({"task": "ordinal"}, "task='ordinal'"),
    ],
)
def test_says_what_is_wrong(parameters, message):
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(ValueError, match=message):
        Learned(**parameters).fit(X, X[:, 0])


def test_says_that_nothing_goes_with_y():
    with pytest.raises(ValueError, match="none of the 3 columns"):
        Learned(2, random_state=0).fit(np.ones((20, 3)), np.arange(20.0))
