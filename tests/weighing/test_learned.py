"""`Learned`: columns screened by alignment, chosen by a penalty."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from naive_learned import forward_ridge as from_scratch
from seamark.features import InMemory
from seamark.weighing import Learned
from seamark.weighing.fold_columns import FoldColumns
from seamark.weighing.fold_paths import Race
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


def path_on(A, Y, size, penalty):
    C = A.T @ A / len(A)

    def products(some, others):
        return C[some] if others is None else C[np.ix_(some, others)]

    return forward_ridge(products, np.diag(C), A.T @ Y / len(A), size, penalty)


def check_ridges(path, A, Y, penalty, sizes, rtol=1e-6):
    """Every leading part of a path is the ridge on its columns."""
    for size in sizes:
        B = A[:, path.support[:size]]
        beta = np.linalg.solve(B.T @ B / len(A) + penalty * np.eye(size), B.T @ Y / len(A))
        np.testing.assert_allclose(path.coefficients(size), beta, rtol=rtol, atol=1e-9)


@pytest.mark.parametrize("penalty", [1e-6, 0.05, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_every_step_lowers_the_penalised_error_most(penalty, seed):
    A, Y = standardised(np.random.default_rng(seed))
    path = path_on(A, Y, 8, penalty)
    assert path.support.tolist() == from_scratch(A, Y, 8, penalty)
    check_ridges(path, A, Y, penalty, (1, 5, 8))


@pytest.mark.parametrize("ahead", [1, 3])
def test_all_columns_are_looked_at_again(ahead, settings_of):
    A, Y = standardised(np.random.default_rng(0), n=80, width=30)
    settings_of(followed_columns=5, followed_steps=ahead)
    path = path_on(A, Y, 12, 0.05)
    check_ridges(path, A, Y, 0.05, (1, 6, 12))
    if ahead == 1:
        assert path.support.tolist() == from_scratch(A, Y, 12, 0.05)
    else:
        assert path.support[0] == from_scratch(A, Y, 1, 0.05)[0]


@pytest.mark.parametrize("outputs", [1, 4])
@pytest.mark.parametrize("seed", range(3))
def test_a_path_that_follows_few_columns_lowers_the_error_as_much(seed, outputs, settings_of):
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(200, 30))
    A = base @ rng.normal(size=(30, 300)) + rng.normal(size=(200, 300))
    A = (A - A.mean(axis=0)) / A.std(axis=0)
    Y = base[:, :6] @ rng.normal(size=(6, outputs)) + 0.3 * rng.normal(size=(200, outputs))
    Y -= Y.mean(axis=0)
    path = path_on(A, Y, 40, 0.05)
    settings_of(followed_steps=1)
    each = path_on(A, Y, 40, 0.05)
    assert len(set(path.support)) == 40
    check_ridges(path, A, Y, 0.05, (1, 20, 40), rtol=1e-5)
    for size in (10, 40):
        lowered = [np.square(one.coordinates[:size]).sum() for one in (path, each)]
        assert lowered[0] > 0.97 * lowered[1]


def test_path_ends_where_nothing_is_left():
    A, _ = standardised(np.random.default_rng(0), width=5)
    C = np.zeros((5, 5))
    C[:2, :2] = A[:, :2].T @ A[:, :2] / len(A)  # three columns are not to be chosen
    b = np.zeros((5, 1))
    b[:2] = [[0.3], [0.2]]
    assert len(forward_ridge(lambda some, _: C[some], np.diag(C), b, 5, 0.1)) == 2


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
def test_models_without_each_fold_choose_as_if_alone(held, settings_of):
    settings_of(shared_bytes=held)
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
