"""`ForestScores`: trees as plain arrays, and what a model makes of their scores."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import seamark as sm
from seamark.maps import scores as forest_scores
from seamark.maps.scores import Trees, grown
from seamark.saving import ModelFileError


def chequered(n=300, d=4, seed=0):
    """Thresholds of two columns decide: no distance sees it among so many."""
    X = np.random.default_rng(seed).normal(size=(n, d))
    return X, ((X[:, 0] > 0.3) ^ (X[:, 1] > -0.2)).astype(int)


@pytest.mark.parametrize("kind", ["two", "three", "numbers", "several"])
def test_scores_are_means_of_scikit_learns_trees(monkeypatch, kind):
    X, y = chequered()
    y = {
        "two": y,
        "three": y + (X[:, 2] > 0),
        "numbers": X[:, 0] + y,
        "several": np.c_[X[:, 0], y],
    }[kind]
    kept = []

    def keeping(*args):
        kept.append(grown(*args))
        return kept[-1]

    monkeypatch.setattr(forest_scores, "grown", keeping)
    one = sm.ForestScores(20, random_state=0).fit(X, y)
    assert len(kept) == 20
    new = one._scaled(np.random.default_rng(1).normal(size=(50, 4)))
    if kind in ("two", "three"):
        assert all(isinstance(tree, DecisionTreeClassifier) for tree in kept)
        wanted = np.mean([tree.predict_proba(new) for tree in kept], axis=0)
        wanted = wanted[:, 1:] if kind == "two" else wanted
    else:
        assert all(isinstance(tree, DecisionTreeRegressor) for tree in kept)
        wanted = np.mean([tree.predict(new).reshape(50, -1) for tree in kept], axis=0)
    np.testing.assert_allclose(one.trees_.mean(new), wanted, atol=1e-5)


def test_rows_at_a_threshold_go_as_in_scikit_learn():
    step = np.spacing(np.float32(1))
    X = np.array([[1.0], [1.0 + 2 * step], [1.0 + 3 * step]], np.float32)
    tree = DecisionTreeClassifier().fit(X[[0, 2]], [0, 1])
    # The threshold is 1.5 steps above 1: the nearest float32 would send the row between left.
    assert np.float32(tree.tree_.threshold[0]) == X[1, 0]
    np.testing.assert_array_equal(Trees.of([tree], 2).mean(X).ravel(), tree.predict(X))


def test_rows_of_fit_are_scored_by_trees_that_have_not_seen_them():
    X, _ = chequered(400)
    luck = np.random.default_rng(0).integers(0, 2, 400)
    one = sm.ForestScores(60, random_state=0)
    unseen = one.fit_unseen(X, luck)[:, 0]
    assert np.mean((one.transform(X)[:, 0] > 0.5) == luck) > 0.9
    assert abs(np.mean((unseen > 0.5) == luck) - 0.5) < 0.1


def test_a_label_never_touches_the_score_of_its_own_row(monkeypatch):
    X, y = chequered(60)
    changed = y.astype(float)
    changed[7] = 3.0
    monkeypatch.setattr(
        forest_scores, "_tree_targets", lambda y: y[:, None]
    )  # else in units of all y
    monkeypatch.setattr(
        forest_scores, "_tree_folds", lambda groups, y, n, rng: np.arange(len(groups)) % n
    )
    before, after = (
        sm.ForestScores(40, random_state=0).fit_unseen(X, t)[:, 0] for t in (y * 1.0, changed)
    )
    assert before[7] == after[7]
    assert not np.allclose(before, after)


def test_equal_rows_share_a_fold_and_y_is_alike_in_all():
    X, y = chequered(80)
    twice = sm.ForestScores(30, random_state=0).fit_unseen(np.r_[X, X], np.r_[y, y])
    np.testing.assert_array_equal(twice[:80], twice[80:])
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    folds = forest_scores._tree_folds(np.arange(200), y, 5, rng)
    shares = [y[folds == fold].sum() for fold in range(5)]
    assert max(shares) - min(shares) <= 2
    numbers = rng.normal(size=200)
    folds = forest_scores._tree_folds(np.arange(200), numbers, 5, rng)
    assert np.ptp([numbers[folds == fold].mean() for fold in range(5)]) < 0.15


def test_columns_of_any_size_are_told_apart():
    X, y = chequered()
    far = X * [1e-9, 1e6, 1.0, 1.0] + [0.0, 1e12, 0.0, 0.0]
    told = sm.ForestScores(50, random_state=0).fit(far, y).transform(far)[:, 0] > 0.5
    assert np.mean(told == y) > 0.95


def test_sparse_rows_subsets_and_names():
    X, y = chequered()
    y = y + 2 * (X[:, 2] > 1)
    one = sm.ForestScores(10, random_state=0).fit(sparse.csr_matrix(X), y)
    dense = sm.ForestScores(10, random_state=0).fit(X, y)
    np.testing.assert_allclose(one.transform(sparse.csr_matrix(X)), dense.transform(X), atol=1e-6)
    some = dense.subset(np.array([2, 0]))
    np.testing.assert_array_equal(some.transform(X), dense.transform(X)[:, [2, 0]])
    assert some.get_feature_names_out().tolist() == ["forestscores2", "forestscores0"]


def test_in_a_model_it_is_kept_saved_and_pickled(tmp_path):
    X, y = chequered(800, 6)
    blocks = [sm.ForestScores(), sm.LandmarkMap("manhattan", n_landmarks=30)]
    model = sm.LandmarkClassifier(blocks, random_state=0).fit(X[:600], y[:600])
    assert model.score(X[600:], y[600:]) > 0.9
    assert model.measure_weights_[0] > 0.8
    sm.save(model, tmp_path / "model.sm")
    told = model.predict_proba(X)
    for other in (sm.load(tmp_path / "model.sm"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict_proba(X), told)


def test_scores_of_noise_are_no_better_than_chance():
    X, _ = chequered(600)
    luck = np.random.default_rng(1).integers(0, 2, 600)
    blocks = [sm.ForestScores(), sm.LandmarkMap("manhattan", n_landmarks=20)]
    model = sm.LandmarkClassifier(blocks, random_state=0).fit(X, luck)
    assert model.head_.oof_score_ < 0.58


def test_the_default_offers_it_to_tables_of_some_rows():
    X, y = chequered(600, 12)
    offered = sm.LandmarkClassifier(random_state=0, relevance=None).fit(X, y).measure_
    assert isinstance(offered[-1], sm.ForestScores)
    few = sm.LandmarkClassifier(random_state=0).fit(X[:100], y[:100]).measure_
    thin = sm.LandmarkClassifier(random_state=0).fit(sparse.csr_matrix(X), y).measure_
    assert not any(isinstance(one, sm.ForestScores) for one in few + thin)


@pytest.mark.parametrize(("name", "node"), [("left", 0), ("right", 0), ("columns", 9)])
def test_trees_that_lead_nowhere_are_refused(tmp_path, name, node):
    X, y = chequered(60)
    model = sm.LandmarkClassifier([sm.ForestScores(3)], random_state=0).fit(X, y)
    # A child that is its own parent would be walked for ever; a column that is not there is memory.
    getattr(model.map_.blocks_[0].trees_, name)[0] = node
    sm.save(model, tmp_path / "model.sm")
    with pytest.raises(ModelFileError):
        sm.load(tmp_path / "model.sm")


@pytest.mark.parametrize(
    ("options", "y", "message"),
    [
        ({}, None, "give them as y"),
        ({"n_trees": 0}, [0, 1], "n_trees"),
        ({"cv": 1}, [0, 1], "cv"),
        ({}, [0, 1, 1], "3"),
    ],
)
def test_what_makes_no_sense_is_refused(options, y, message):
    with pytest.raises(ValueError, match=message):
        sm.ForestScores(**options).fit([[0.0], [1.0]], y)


def test_no_ridge_finds_the_y_of_a_row_by_what_is_missing_in_its_score():
    # One ridge on the scores and on columns that tell what is near: y = sum of all - sum of others.
    rng = np.random.default_rng(2)
    X, luck = rng.normal(size=(250, 3)), rng.integers(0, 2, 250)
    blocks = [sm.LandmarkMap("manhattan", n_landmarks=200), sm.ForestScores()]
    model = sm.LandmarkClassifier(blocks, random_state=0).fit(X, luck)
    assert model.head_.oof_score_ < 0.6
    found = model.head_.blocks_
    assert found["rule"] == "averaged" or found["weights"][1] == 0
    for other in (sm.LandmarkOrdinal, sm.LandmarkRanker):
        extra = {"qid": np.arange(600) // 10} if other is sm.LandmarkRanker else {}
        many = other(random_state=0, n_landmarks=20, relevance=None)
        many.fit(rng.normal(size=(600, 3)), rng.integers(0, 3, 600), **extra)
        assert not any(isinstance(one, sm.ForestScores) for one in many.measure_)


def test_numbers_may_be_missing(tmp_path):
    X, y = chequered()
    X[::7, 0] = np.nan
    one = sm.ForestScores(50, missing=True, random_state=0).fit(X, y)
    said = one.transform(X)
    assert np.isfinite(said).all()
    assert np.mean((said[:, 0] > 0.5) == y) > 0.9
    sm.save(one, tmp_path / "m")
    np.testing.assert_array_equal(sm.load(tmp_path / "m").transform(X), said)
