"""`Learned`: columns screened by alignment, chosen by a penalty."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from naive_learned import forward_ridge as from_scratch
from seamark.feature_selection import Learned
from seamark.feature_selection.learned import forward_ridge, quota_order
from seamark.features import InMemory


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
def test_all_columns_are_looked_at_again(ahead, monkeypatch):
    A, Y = standardised(np.random.default_rng(0), n=80, width=30)
    monkeypatch.setattr("seamark.feature_selection.learned.FOLLOWED_COLUMNS", 5)
    monkeypatch.setattr("seamark.feature_selection.learned.FOLLOWED_STEPS", ahead)
    path = path_on(A, Y, 12, 0.05)
    check_ridges(path, A, Y, 0.05, (1, 6, 12))
    if ahead == 1:
        assert path.support.tolist() == from_scratch(A, Y, 12, 0.05)
    else:
        assert path.support[0] == from_scratch(A, Y, 1, 0.05)[0]


@pytest.mark.parametrize("outputs", [1, 4])
@pytest.mark.parametrize("seed", range(3))
def test_a_path_that_follows_few_columns_lowers_the_error_as_much(seed, outputs, monkeypatch):
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(200, 30))
    A = base @ rng.normal(size=(30, 300)) + rng.normal(size=(200, 300))
    A = (A - A.mean(axis=0)) / A.std(axis=0)
    Y = base[:, :6] @ rng.normal(size=(6, outputs)) + 0.3 * rng.normal(size=(200, outputs))
    Y -= Y.mean(axis=0)
    path = path_on(A, Y, 40, 0.05)
    monkeypatch.setattr("seamark.feature_selection.learned.FOLLOWED_STEPS", 1)
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


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_features": 0}, "n_features must be"),
        ({"pool": 1.5}, "pool must be"),
        ({"penalty": 0.0}, "penalty must be"),
        ({"task": "ordinal"}, "task must be one of .*got 'ordinal'"),
    ],
)
def test_says_what_is_wrong(parameters, message):
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(ValueError, match=message):
        Learned(**parameters).fit(X, X[:, 0])


def test_says_that_nothing_goes_with_y():
    with pytest.raises(ValueError, match="none of the 3 columns"):
        Learned(2, random_state=0).fit(np.ones((20, 3)), np.arange(20.0))
