"""Ridges on blocks of columns, against explicit refits."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import lsq_linear, minimize
from scipy.special import log_softmax
from sklearn.linear_model import Ridge

from seamark.features import Features, InMemory
from seamark.linear_model import RidgeClassifier, RidgeRegressor
from seamark.linear_model.ridge_blocks import (
    LARGEST,
    BlockRidge,
    JointRidge,
    StackedRidge,
    _are_classes,
    _factors,
    _weights_of,
    decision_weights,
    fit_blocks,
)
from seamark.linear_model.ridge_fit import RidgeTask

K = 4


class InBlocks(InMemory):
    """A matrix whose columns belong to blocks."""

    def __init__(self, matrix, owners):
        super().__init__(matrix)
        self.owners = np.asarray(owners)


def made(n=120, sizes=(6, 9, 4), n_targets=2, seed=0):
    """Blocks of which the first two hold the targets, with noise, and the last holds nothing."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(n, 3))
    blocks = [
        hidden[:, :2] @ rng.normal(size=(2, sizes[0])),
        hidden @ rng.normal(size=(3, sizes[1])),
    ]
    blocks = [block + 0.5 * rng.normal(size=block.shape) for block in blocks]
    blocks.append(rng.normal(size=(n, sizes[2])))
    Y = hidden @ rng.normal(size=(3, n_targets)) + 0.3 * rng.normal(size=(n, n_targets)) + 5.0
    owners = np.repeat(np.arange(3), sizes)
    return np.concatenate(blocks, axis=1) * 3 + 1, Y, owners


def task_of(phi, Y, owners, folds, weights=None):
    return RidgeTask(InBlocks(phi, owners), Y, folds, weights, None, False, True)


def alone_of(ridges, owners):
    return [BlockRidge.of(ridges, np.flatnonzero(owners == b)) for b in range(owners.max() + 1)]


def together_of(task, owners, factors):
    ridges = task.ridges()
    return JointRidge.of(ridges, alone_of(ridges, owners), factors)


def refitted(phi, Y, factors, penalty, rows, weights=None):
    """Predict by a ridge on some rows; columns are in units of all rows, times factors."""
    w = np.ones(len(phi)) if weights is None else weights
    mean = np.average(phi, axis=0, weights=w)
    scale = np.sqrt(np.average((phi - mean) ** 2, axis=0, weights=w))
    Z = (phi - mean) / scale * factors
    model = Ridge(alpha=penalty * w[rows].sum()).fit(Z[rows], Y[rows], sample_weight=w[rows])
    return model.predict(Z).reshape(len(phi), -1)


def naive_average(phi, Y, owners, penalties, folds, weights):
    """Weights of out-of-fold predictions, by explicit refits, and their error."""
    w = np.ones(len(Y)) if weights is None else weights
    steps, rest = np.empty((len(penalties), *Y.shape)), np.empty(Y.shape)
    for fold in range(K):
        train, test = folds != fold, folds == fold
        mean = np.average(Y[train], axis=0, weights=w[train])
        rest[test] = Y[test] - mean
        for b, penalty in enumerate(penalties):
            found = refitted(phi[:, owners == b], Y, 1.0, penalty, train, weights)
            steps[b, test] = found[test] - mean
    root = np.sqrt(w)[:, None]
    A = np.stack([(step * root).ravel() for step in steps], axis=1)
    found = lsq_linear(A, (rest * root).ravel(), bounds=(0, LARGEST), tol=1e-14)
    sizes = np.linalg.norm(A, axis=0)
    return found.x, sizes, 2 * found.cost / (w.sum() * Y.shape[1])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "sizes"), [(120, (6, 9, 4)), (40, (30, 50, 25)), (60, (8, 90, 20))])
def test_averaged_blocks_are_explicit_refits(n, sizes, weighted):
    phi, Y, owners = made(n, sizes)
    rng = np.random.default_rng(1)
    folds = rng.permutation(np.arange(n) % K)
    weights = rng.uniform(0.2, 1.0, size=n) if weighted else None
    task = task_of(phi, Y, owners, folds, weights)
    fit = fit_blocks(task)
    averaged = fit.rules[0]  # whichever won, the average is what is tested here
    expected, sizes, error = naive_average(phi, Y, owners, averaged.penalty, folds, weights)
    # Those that move predictions by next to nothing are 0.
    difference = np.abs(averaged.weights - expected) * sizes
    assert difference.max() <= 2e-3 * (expected * sizes).max()
    assert averaged.error == pytest.approx(error, rel=5e-4)  # faint ones were put to 0
    assert fit.tried["error"][0] == pytest.approx(averaged.error)


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 6))
def test_weights_are_the_least_of_a_quadratic_form(seed, n_blocks, rank):
    """Nothing is out of bounds, and no weight could be moved inside them to lower the form."""
    A = np.random.default_rng(seed).normal(size=(rank, n_blocks + 1))
    P = A.T @ A
    w = _weights_of(P)
    if (P[1:, 0] >= 0).all():  # then no weight would be least, and all are alike
        w = np.zeros(n_blocks)
    slope = P[1:, 0] + P[1:, 1:] @ w
    size = np.sqrt(np.diag(P)[1:] * P[0, 0]) + 1e-12
    assert (w >= 0).all()
    assert (w <= LARGEST + 1e-9).all()
    below = w < LARGEST - 1e-3
    assert (slope[below] / size[below] > -5e-3).all()  # what is next to nothing was put to 0
    assert (slope[w > 0] / size[w > 0] < 5e-3).all()


@pytest.mark.parametrize("n", [120, 14])
@pytest.mark.parametrize("factors", [(1.0, 1.0, 1.0), (1.0, 0.3, 0.0), (0.2, 1.0, 2.0)])
def test_factors_after_standardising_are_explicit_refits(n, factors):
    phi, Y, owners = made(n)
    folds = np.arange(n) % K
    task = task_of(phi, Y, owners, folds)
    factors = np.array(factors)
    together = together_of(task, owners, factors)
    total = 0.0
    for fold in range(K):
        train, test = folds != fold, folds == fold
        found = refitted(phi, Y, factors[owners], together.penalty, train)
        total += np.square(Y[test] - found[test]).sum()
    assert together.error == pytest.approx(total / Y.size, rel=1e-5)


def test_a_factor_is_a_penalty_over_its_square():
    """Columns times f, with penalty λ, are the columns with penalty λ/f²."""
    phi, Y, owners = made()
    task = task_of(phi, Y, owners, np.arange(len(Y)) % K)
    factors = np.array([1.0, 0.4, 0.7])
    together = together_of(task, owners, factors)
    equations = task.ridges().equations()
    lam = np.diag(together.penalty / factors[owners] ** 2)
    correlation = np.triu(equations.correlation) + np.triu(equations.correlation, 1).T
    beta = np.linalg.solve(correlation + lam, equations.response)
    found = -together.left(-1)[1:-2]
    np.testing.assert_allclose(found, equations.unit[:, None] * beta, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("n", [150, 16])
def test_fold_models_and_the_final_one_are_what_the_rule_says(n):
    phi, Y, owners = made(n)
    folds = np.arange(n) % K
    task = task_of(phi, Y, owners, folds)
    fit = fit_blocks(task)
    error = np.square(Y - fit.unseen_scores(task)).mean()
    assert min(fit.tried["error"]) == pytest.approx(error, rel=1e-6)


def test_a_block_that_does_not_help_is_dropped():
    phi, Y, owners = made(400, (6, 9, 40))
    head, columns = RidgeRegressor(random_state=0).fitted_to(InBlocks(phi, owners), Y, {})
    assert head.blocks_["weights"][2] == 0.0
    np.testing.assert_array_equal(columns, np.arange(15))
    assert head.coef_.shape == (2, 15)
    assert head.score(phi[:, :15], Y) > 0.9


def test_blocks_of_noise_alone_leave_the_mean():
    rng = np.random.default_rng(0)
    phi, y = rng.normal(size=(300, 6)), rng.normal(size=300) + 4.0
    head, columns = RidgeRegressor(random_state=0).fitted_to(
        InBlocks(phi, [0, 0, 0, 1, 1, 1]), y, {}
    )
    assert len(columns if columns is not None else head.coef_) > 0  # a map without features is none
    np.testing.assert_allclose(
        head.predict(phi[:, columns] if columns is not None else phi), y.mean(), atol=0.3
    )


def test_averages_win_where_blocks_differ_in_kind():
    """Blocks that want very different penalties: one ridge on all does worse than it could."""
    phi, Y, owners = made(80, (3, 60, 3), seed=4)
    fit = fit_blocks(task_of(phi, Y, owners, np.arange(80) % K))
    plain = fit.tried["error"][fit.tried["tried"].index("together")]
    assert min(fit.tried["error"]) < plain


def test_one_block_is_the_plain_ridge():
    phi, Y, _ = made()
    alike = RidgeRegressor(random_state=0).fit(InBlocks(phi, np.zeros(19, dtype=int)), Y)
    plain = RidgeRegressor(random_state=0).fit(phi, Y)
    np.testing.assert_array_equal(alike.coef_, plain.coef_)
    assert not hasattr(alike, "blocks_")


@pytest.mark.parametrize("options", [{"penalty": 0.1}, {"n_features": "cv"}])
def test_what_is_given_or_nested_is_one_ridge(options):
    phi, Y, owners = made()
    head = RidgeRegressor(random_state=0, **options).fit(InBlocks(phi, owners), Y)
    plain = RidgeRegressor(random_state=0, **options).fit(phi, Y)
    np.testing.assert_allclose(head.coef_, plain.coef_)


def test_leading_columns_alone_are_in_blocks_too():
    phi, Y, owners = made()
    head = RidgeRegressor(random_state=0, n_features=10).fit(InBlocks(phi, owners), Y)
    few = RidgeRegressor(random_state=0).fit(InBlocks(phi[:, :10], owners[:10]), Y)
    np.testing.assert_allclose(head.coef_[:, :10], few.coef_, rtol=1e-6, atol=1e-9)
    assert not head.coef_[:, 10:].any()
    one = RidgeRegressor(random_state=0, n_features=6).fit(InBlocks(phi, owners), Y)
    assert not hasattr(one, "blocks_")


def test_classes_are_calibrated_by_the_models_of_the_folds():
    phi, Y, owners = made(300)
    labels = np.where(Y[:, 0] > 5.0, "high", "low")
    head = RidgeClassifier(random_state=0).fit(InBlocks(phi, owners), labels)
    assert head.score(phi, labels) > 0.85
    assert head.oof_score_ > 0.8
    chance = head.predict_proba(phi)[np.arange(300), (labels == "low").astype(int)]
    assert -np.log(chance).mean() < 0.5


def test_one_row_for_each_class_is_no_constant():
    """Folds never hold a class that their models know, so they are not asked."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(12, 20))
    head = RidgeClassifier(random_state=0).fit(InBlocks(centres, np.arange(20) % 2), np.arange(12))
    assert not head.cv_reliable_
    assert head.predict(centres).tolist() == list(range(12))


class Hiding(InBlocks):
    """Columns that folds must not know."""

    def columns_without(self, hidden):
        return (
            np.flatnonzero(np.arange(self.shape[1]) % K != int(np.flatnonzero(hidden)[0]) % K)
            if hidden.any()
            else None
        )


def test_folds_do_without_their_own_columns():
    phi, Y, owners = made(80)
    features: Features = Hiding(phi, owners)
    head = RidgeRegressor(cv=np.arange(80) % K).fit(features, Y)
    assert head.blocks_["rule"] in ("averaged", "together")
    task = task_of(phi, Y, owners, np.arange(80) % K)
    allowed = np.array([np.arange(19) % K != f for f in range(K)] + [np.ones(19, dtype=bool)])
    for fold, (coef, _) in enumerate(fit_blocks(replace(task, allowed=allowed)).fold_models()):
        assert not coef[:, ~allowed[fold]].any()


def test_blocks_made_with_targets_are_never_joined_with_others():
    phi, Y, owners = made(40, (6, 9, 4))
    ridges = task_of(phi, Y, owners, np.arange(40) % K).ridges()
    averaged = StackedRidge.of(ridges, alone_of(ridges, owners))
    assert averaged.weights[:2].all()
    for told in np.array([[1, 0, 0], [0, 1, 1], [1, 1, 1]], dtype=bool):
        tried = _factors(averaged, told)
        assert all((factors[told] == 0).all() and factors.any() for factors in tried)
        assert bool(tried) != told.all()


def _scores_of_blocks(n, n_classes, seed, useless=0):
    """Signs of classes, and what blocks say of rows: each the truth with noise of its own."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, n)
    signs = np.where(labels[:, None] == np.arange(n_classes), 1.0, -1.0)
    signs = signs[:, 1:] if n_classes == 2 else signs
    scores = [signs * size + rng.normal(size=signs.shape) for size in (0.6, 0.3)]
    scores += [rng.normal(size=signs.shape) for _ in range(useless)]
    return signs, np.full(signs.shape, 0.1), scores


@pytest.mark.parametrize("n_classes", [2, 4])
def test_weights_of_classes_are_the_most_likely(n_classes):
    signs, constant, scores = _scores_of_blocks(1500, n_classes, 0)
    w = np.random.default_rng(1).uniform(0.5, 2.0, 1500)
    found = decision_weights(signs, constant, scores, w)

    def loss(parameters):
        mixed = np.tensordot(parameters, [constant, *scores], axes=1)
        both = np.hstack([-mixed, mixed]) if n_classes == 2 else mixed
        labels = np.hstack([-signs, signs]).argmax(axis=1) if n_classes == 2 else signs.argmax(1)
        return -w @ log_softmax(both, axis=1)[np.arange(1500), labels]

    wanted = minimize(loss, np.ones(3), method="Nelder-Mead", options={"maxiter": 2000}).x
    np.testing.assert_allclose(found[1] / found[0], wanted[2] / wanted[1], rtol=2e-2)
    mixed = found[0] * scores[0] + found[1] * scores[1]
    truth = signs - constant
    factor = (w @ (mixed * truth).sum(axis=1)) / (w @ np.square(mixed).sum(axis=1))
    assert factor == pytest.approx(1.0) or found.max() == LARGEST


def test_a_block_that_is_right_more_often_counts_however_faint_it_is():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 5, 3000)
    signs = np.where(labels[:, None] == np.arange(5), 1.0, -1.0)
    faint = 0.01 * (signs * 2.0 + rng.normal(size=signs.shape))
    loud = signs * 0.4 + rng.normal(size=signs.shape)
    found = decision_weights(signs, np.zeros(signs.shape), [faint, loud], np.ones(3000))
    assert 0.01 * found[0] > found[1]


def test_blocks_without_which_classes_are_as_likely_get_no_weight():
    signs, constant, scores = _scores_of_blocks(4000, 3, 2, useless=2)
    found = decision_weights(signs, constant, scores, np.ones(4000))
    assert (found[:2] > 0).all()
    assert (found[2:] == 0).all()
    kept = decision_weights(signs, constant, scores, np.ones(4000), np.array([1, 0, 0, 1], bool))
    assert kept[1] == kept[2] == 0


def test_numbers_and_labels_are_no_classes():
    signs = np.where(np.eye(4)[[0, 1, 2, 3, 1]] > 0, 1.0, -1.0)
    assert _are_classes(signs)
    assert _are_classes(signs[:, :1])
    assert not _are_classes(np.random.default_rng(0).normal(size=(5, 1)))
    assert not _are_classes(np.where(np.ones((5, 4)) > 0, 1.0, -1.0))  # any number of labels


def test_many_columns_are_averaged_by_what_makes_classes_likely(monkeypatch):
    monkeypatch.setattr("seamark.linear_model.ridge_blocks.MOST_TOGETHER", 5)
    rng = np.random.default_rng(0)
    blocks = [rng.normal(size=(600, 6)) for _ in range(3)]
    y = (blocks[0] @ rng.normal(size=6) + 0.5 * blocks[1] @ rng.normal(size=6) > 0).astype(int)
    features = InBlocks(np.hstack(blocks), np.repeat([0, 1, 2], 6))
    model = RidgeClassifier(random_state=0).fit(features, y)
    weights = model.blocks_["weights"]
    assert (weights[:2] > 0.5).all()
    amounts = np.linalg.norm(model.coef_.reshape(3, 6), axis=1)
    assert amounts[2] < 0.1 * amounts[0]
    assert abs(model.oof_score_ - np.mean(model.predict(features) == y)) < 0.05
