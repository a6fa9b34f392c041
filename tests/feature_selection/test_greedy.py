"""Squared loss: orthogonal matching pursuit, against refits from scratch."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.linear_model import orthogonal_mp
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from seamark.feature_selection import Greedy


def from_scratch(X, Y, k, weights=None, normalise=False):
    """Pursuit as a textbook writes it: least squares anew at every step."""
    weights = np.full(len(X), 1 / len(X)) if weights is None else weights / weights.sum()
    root = np.sqrt(weights)[:, None]
    A, B = root * (X - weights @ X), root * (Y - weights @ Y)
    support, losses, residual = [], [], B
    for _ in range(k):
        scores = np.square(A.T @ residual).sum(axis=1)
        if normalise:
            scores /= np.square(A).sum(axis=0)
        scores[support] = -1
        support.append(int(scores.argmax()))
        W = np.linalg.lstsq(A[:, support], B)[0]
        residual = B - A[:, support] @ W
        losses.append(np.square(residual).sum())
    intercept = weights @ Y - (weights @ X)[support] @ W
    return support, np.array(losses), X[:, support] @ W + intercept


def normal(rng, n=60, width=25, outputs=1):
    X = rng.normal(size=(n, width)) + rng.normal(size=width)
    return X, X[:, :5] @ rng.normal(size=(min(5, width), outputs)) + rng.normal(size=(n, outputs))


def close_exponentials(rng, n=400, width=300):
    """exp(−γd) to landmarks that lie close together, so that all columns correlate."""
    points = rng.random((n, 2))
    X = np.exp(-cdist(points, 2 + 0.07 * rng.random((width, 2))))
    return X, np.sin(5 * points[:, 0]) + points[:, 1]


@given(
    seed=st.integers(0, 10_000),
    k=st.integers(1, 12),
    outputs=st.integers(1, 3),
    normalise=st.booleans(),
    weighted=st.booleans(),
)
def test_equals_refits_from_scratch(seed, k, outputs, normalise, weighted):
    rng = np.random.default_rng(seed)
    X, Y = normal(rng, outputs=outputs)
    weights = rng.integers(0, 4, len(X)).astype(float) if weighted else None
    support, losses, predicted = from_scratch(X, Y, k, weights, normalise)
    greedy = Greedy(k, normalise=normalise).fit(X, Y, weights)
    assert greedy.support_.tolist() == support
    np.testing.assert_allclose(greedy.path_.training, losses, rtol=1e-9)
    np.testing.assert_allclose(greedy.predict(X), predicted, atol=1e-9)
    np.testing.assert_array_equal(greedy.transform(X), X[:, support])


@given(seed=st.integers(0, 10_000), k=st.integers(1, 10))
def test_equals_scikit_learn_on_unit_columns(seed, k):
    X, Y = normal(np.random.default_rng(seed))
    X /= np.linalg.norm(X, axis=0)
    theirs = orthogonal_mp(X, Y[:, 0], n_nonzero_coefs=k)
    greedy = Greedy(k, fit_intercept=False).fit(X, Y[:, 0])
    ours = np.zeros(X.shape[1])
    ours[greedy.support_] = greedy.coef_
    np.testing.assert_allclose(ours, theirs, atol=1e-9)
    assert greedy.intercept_ == 0


def test_finds_a_planted_signal(rng):
    X = rng.normal(size=(300, 500))
    planted = [400, 3, 77, 250]
    y = X[:, planted] @ [4.0, -3.0, 2.0, 1.0] + 5
    greedy = Greedy(20).fit(X, y)
    assert greedy.support_.tolist() == planted
    assert greedy.stopped_ == "residual"
    np.testing.assert_allclose(greedy.coef_, [4, -3, 2, 1])
    np.testing.assert_allclose(greedy.intercept_, 5)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("scouted", [1, 1 << 40])
def test_close_columns_do_not_blow_up(rng, monkeypatch, dtype, scouted):
    monkeypatch.setattr("seamark.feature_selection.pursuit.SCOUTED_VALUES", scouted)
    X, y = close_exponentials(rng)
    X = X.astype(dtype)
    assert np.corrcoef(X.T).min() > 0.999
    greedy = Greedy(60).fit(X, y)
    training = greedy.path_.training
    assert np.all(np.diff(training) <= 0)
    design = np.c_[np.ones(len(X)), X[:, greedy.support_]].astype(float)
    best = design @ np.linalg.lstsq(design, y)[0] - y
    ours = greedy.predict(X) - y
    np.testing.assert_allclose(np.mean(ours**2), training[-1], rtol=1e-6)
    assert np.mean(ours**2) <= np.mean(best**2) * (1 + 1e-6)
    assert training[-1] < 0.2 * np.var(y)
    assert greedy.stopped_ == "span"
    assert np.abs(greedy.coef_).max() < 1e6


def test_duplicates_and_constants_are_passed_over(rng):
    X, y = normal(rng, width=4)
    X = np.hstack([X, X, X @ rng.normal(size=(4, 3)), np.full((60, 2), 7.0)])
    greedy = Greedy(13).fit(X, y)
    assert greedy.stopped_ == "span"
    assert len(greedy.support_) == 4
    # Of equal columns the first is taken.
    np.testing.assert_array_equal(Greedy(1).fit(X[:, :8], y).support_ < 4, True)


def test_a_scouted_array_gives_the_same_support(rng, monkeypatch):
    X, Y = normal(rng, n=200, width=150, outputs=2)
    X += 1000.0  # which costs float32 digits, unless it is centred first
    plain = Greedy(30).fit(X, Y)
    monkeypatch.setattr("seamark.feature_selection.pursuit.SCOUTED_VALUES", 1)
    scouted = Greedy(30).fit(X, Y)
    np.testing.assert_array_equal(scouted.support_, plain.support_)
    np.testing.assert_array_equal(scouted.coef_, plain.coef_)


@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csr_matrix, sparse.csc_array])
def test_sparse_equals_dense(rng, container):
    X, y = normal(rng)
    X[np.abs(X) < 1] = 0
    dense, thin = Greedy(8).fit(X, y[:, 0]), Greedy(8).fit(container(X), y[:, 0])
    np.testing.assert_array_equal(thin.support_, dense.support_)
    np.testing.assert_allclose(thin.coef_, dense.coef_)
    np.testing.assert_allclose(thin.predict(container(X)), dense.predict(X))
    np.testing.assert_array_equal(thin.transform(container(X)).toarray(), dense.transform(X))


def test_validation_stops_near_the_planted_size(rng):
    X = rng.normal(size=(400, 60))
    y = X[:, :6] @ np.full(6, 2.0) + rng.normal(size=400)
    greedy = Greedy(40, validation=0.3, random_state=0).fit(X, y)
    assert set(range(6)) <= set(greedy.support_.tolist())
    assert len(greedy.support_) <= 12
    assert len(greedy.path_.validation) == 40
    assert len(greedy.support_) == greedy.path_.validation.argmin() + 1
    again = Greedy(len(greedy.support_)).fit(X, y)
    np.testing.assert_array_equal(again.coef_, greedy.coef_)  # refitted on all rows


def test_classes_share_a_support(rng):
    X = rng.normal(size=(400, 20))
    scores = X[:, 3:6] + 0.3 * rng.normal(size=(400, 3))
    y = np.array(list("abc"))[scores.argmax(axis=1)]
    greedy = Greedy(3).fit(X, y)
    assert sorted(greedy.support_) == [3, 4, 5]
    assert greedy.coef_.shape == (3, 3)
    assert np.mean(greedy.predict(X) == y) > 0.85
    held = Greedy(20, validation=0.3, random_state=0).fit(X, y)
    assert {3, 4, 5} <= set(held.support_.tolist())


def test_is_a_scikit_learn_transformer(rng):
    X, y = normal(rng)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(25)])
    greedy = Greedy(4).set_output(transform="pandas").fit(frame, y[:, 0])
    names = [f"c{j}" for j in greedy.support_]
    assert list(greedy.transform(frame).columns) == names
    assert list(greedy.get_feature_names_out()) == names
    assert np.flatnonzero(greedy.get_support()).tolist() == sorted(greedy.support_)
    np.testing.assert_array_equal(greedy.get_support(indices=True), greedy.support_)
    np.testing.assert_array_equal(greedy.weights_, np.ones(4))
    loaded = pickle.loads(pickle.dumps(greedy))
    np.testing.assert_array_equal(loaded.predict(frame), greedy.predict(frame))
    assert clone(greedy).get_params() == greedy.get_params()
    assert make_pipeline(Greedy(6), Greedy(2)).fit_transform(X, y[:, 0]).shape == (60, 2)


def test_more_features_than_columns(rng):
    X, y = normal(rng, width=3)
    assert len(Greedy().fit(X, y).support_) == 3
    with pytest.warns(UserWarning, match="n_features=9 is more than the 3 columns of X"):
        assert len(Greedy(9).fit(X, y).support_) == 3


@pytest.mark.parametrize(
    ("parameters", "y", "message"),
    [
        ({"task": "regression"}, np.ones(10), "y is constant .1.0 in all 10 rows."),
        ({"task": "ranks"}, np.arange(10.0), "task must be one of auto.*got 'ranks'"),
        ({"n_features": 0}, np.arange(10.0), "n_features must be a positive whole number, not 0"),
        ({"validation": 1.0}, np.arange(10.0), "validation must be between 0 and 1, not 1.0"),
        ({"budget": -1}, np.arange(10.0), "budget must be a positive number, not -1"),
        ({"insensitivity": -1}, np.arange(10.0), "insensitivity must be 0 or more, not -1"),
        ({"task": "regression"}, np.array(["a", "b"] * 5), "are not numbers; for classes"),
        ({"task": "classification"}, np.zeros(10), "y has one class only, 0.0; give"),
        ({"validation": 0.5}, np.arange(10) == 3, "class True has one row"),
        ({}, np.where(np.arange(10) == 3, np.nan, 1.0), r"y\[3\] is missing"),
    ],
)
def test_refuses_in_a_sentence(rng, parameters, y, message):
    with pytest.raises(ValueError, match=message):
        Greedy(**parameters).fit(rng.normal(size=(10, 3)), y)


def test_refuses_columns_and_weights_in_a_sentence(rng):
    X, y = normal(rng, width=3)
    with pytest.raises(ValueError, match="none of the 2 columns of X lowers the loss"):
        Greedy().fit(np.ones((60, 2)), y)
    with pytest.raises(ValueError, match=r"sample_weight\[5\] is -1; no weight may be negative"):
        Greedy().fit(X, y, np.where(np.arange(60) == 5, -1, 1))
    with pytest.raises(ValueError, match="one number for each of the 60 rows"):
        Greedy().fit(X, y, np.ones(59))


@parametrize_with_checks(
    [
        Greedy(),
        # The default `tol` takes many times the steps, to say the same of the contract.
        Greedy(budget=5.0, tol=0.2),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
