"""`BoostedScores`: scikit-learn's boosted trees as plain arrays, and scores of unseen rows."""

import pickle

import numpy as np
import pytest
from scipy import sparse

import seamark as sm
from seamark.maps.boosting import Boosting

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 4))
X[:, 3] = RNG.integers(0, 3, 400)
TWO = ((X[:, 0] > 0.3) ^ (X[:, 1] > -0.2)).astype(int)
TARGETS = {
    "two": TWO,
    "three": TWO + (X[:, 2] > 0),
    "numbers": X[:, 0] ** 2 + X[:, 1],
    "several": np.c_[X[:, 0], X[:, 3] + X[:, 1]],
}


@pytest.fixture
def grown(monkeypatch):
    """Every estimator of scikit-learn's that is fitted, in turn."""
    kept, fitting = [], Boosting._fitted

    def keeping(*args, **options):
        kept.append(fitting(*args, **options))
        return kept[-1]

    monkeypatch.setattr(Boosting, "_fitted", keeping)
    return kept


@pytest.mark.parametrize("kind", TARGETS)
def test_scores_are_those_of_scikit_learn(grown, kind):
    one = sm.BoostedScores(40, random_state=0).fit(X, TARGETS[kind])
    new = np.random.default_rng(1).normal(size=(50, 4))
    codes = one.levels_.codes(new)
    if kind in ("two", "three"):
        wanted = grown[-1].decision_function(codes).reshape(50, -1)
    else:  # the last are those of all rows
        wanted = np.stack([model.predict(codes) for model in grown[-len(one.n_iter_) :]], axis=1)
    np.testing.assert_allclose(one.transform(new), wanted, atol=0.005)  # 16 bits a leaf
    assert one.n_features_out_ == wanted.shape[1]


def test_rounds_are_the_median_of_those_after_which_folds_err_least(grown):
    one = sm.BoostedScores(200, cv=3, random_state=0).fit(X, TARGETS["numbers"])
    assert one.n_iter_ == [sorted(model.validation_score_.argmax() for model in grown[:3])[1]]
    assert grown[-1].n_iter_ == one.n_iter_[0] < 200


def test_rows_of_fit_are_scored_by_trees_that_have_not_seen_them():
    luck = np.random.default_rng(1).integers(0, 2, 400)
    one = sm.BoostedScores(random_state=0)
    unseen = one.fit_unseen(X, luck)[:, 0]
    assert np.mean((one.transform(X)[:, 0] > 0) == luck) > 0.7
    assert abs(np.mean((unseen > 0) == luck) - 0.5) < 0.1


def test_a_label_never_touches_the_score_of_its_own_row():
    rows, y = np.r_[X[:60], X[:60]], np.r_[X[:60, 0], X[:60, 0]]
    changed = y.copy()
    changed[7] += 0.01  # as little as leaves the folds and their order as they are
    before, after = (
        sm.BoostedScores(3, random_state=0).fit_unseen(rows, t * 1.0)[:, 0] for t in (y, changed)
    )
    np.testing.assert_array_equal(before[:60], before[60:])  # copies share a fold
    assert abs(before[7] - after[7]) < 1e-3  # but for the unit of all y
    assert not np.array_equal(before, after)


def test_classes_that_a_fold_does_not_know():
    y = np.where(np.arange(400) == 5, 7, TARGETS["three"])
    one = sm.BoostedScores(20, random_state=0)
    unseen = one.fit_unseen(X, y)
    assert unseen.shape == (400, 4)
    assert np.isfinite(unseen).all()
    assert unseen[5].argmax() != 3
    alone = sm.BoostedScores(5, random_state=0).fit_unseen(X[:30], (np.arange(30) == 2) * 1)
    assert np.isfinite(alone).all()


def test_equal_rows_alone_teach_nothing():
    same = np.zeros((10, 2))
    found = sm.BoostedScores(random_state=0).fit_unseen(same, np.arange(10) % 2)
    assert np.ptp(found) == 0


def test_sparse_rows_missing_numbers_and_subsets(tmp_path):
    y = TARGETS["three"]
    dense = sm.BoostedScores(10, random_state=0).fit(X, y)
    thin = sm.BoostedScores(10, random_state=0).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(thin.transform(sparse.csr_matrix(X)), dense.transform(X), atol=1e-5)
    some = dense.subset(np.array([2, 0]))
    np.testing.assert_array_equal(some.transform(X), dense.transform(X)[:, [2, 0]])
    gapped = X.copy()
    gapped[::7, 0] = np.nan
    one = sm.BoostedScores(missing=True, random_state=0).fit(gapped, TWO)
    said = one.transform(gapped)
    assert np.mean((said[:, 0] > 0) == TWO) > 0.9
    sm.save(one, tmp_path / "m")
    np.testing.assert_array_equal(sm.load(tmp_path / "m").transform(gapped), said)


def test_in_a_model_it_is_kept_explained_saved_and_pickled(tmp_path):
    X = np.random.default_rng(2).normal(size=(900, 6))
    y = (np.abs(X[:, 0]) + X[:, 1] ** 2 > 1).astype(int)
    blocks = [sm.BoostedScores(), sm.LandmarkMap("manhattan", n_landmarks=30)]
    model = sm.LandmarkClassifier(blocks, random_state=0).fit(X[:600], y[:600])
    assert model.score(X[600:], y[600:]) > 0.9
    assert model.measure_weights_[0] > 0.8
    assert f"x0 = {X[0, 0]:.4}" in str(model.explain(X[:1]))  # trees speak of columns
    sm.save(model, tmp_path / "model.sm")
    told = model.predict_proba(X)
    for other in (sm.load(tmp_path / "model.sm"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict_proba(X), told)


@pytest.mark.parametrize(
    ("options", "y", "message"),
    [
        ({}, None, "give them as y"),
        ({"max_iter": 0}, [0, 1], "max_iter"),
        ({"cv": 1}, [0, 1], "cv"),
    ],
)
def test_what_makes_no_sense_is_refused(options, y, message):
    with pytest.raises(ValueError, match=message):
        sm.BoostedScores(**options).fit([[0.0], [1.0]], y)


def test_the_default_offers_it_where_there_is_time():
    X = np.random.default_rng(0).normal(size=(600, 12))
    many = np.arange(600) % 40

    def offers(X, y):
        blocks = sm.models.auto.auto_measure(fitted(y), X)
        return any(isinstance(one, sm.BoostedScores) for one in blocks)

    def fitted(y):
        model = sm.LandmarkClassifier(random_state=0)
        model.classes_ = np.unique(y)
        return model

    assert offers(X, many % 2)
    assert not offers(X, many)
    assert not offers(X[:300], many[:300] % 2)
    assert not offers(sparse.csr_matrix(X), many % 2)
