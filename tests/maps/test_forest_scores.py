"""`ForestScores`: trees as plain arrays, and what a model makes of their scores."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import seamark as sm
from seamark import engine
from seamark.engine.backends import backends
from seamark.maps import forest
from seamark.maps.forest import Kind, TreeRows
from seamark.maps.trees import Levels
from seamark.saving import ModelFileError


def chequered(n=300, d=4, seed=0):
    """Thresholds of two columns decide: no distance sees it among so many."""
    X = np.random.default_rng(seed).normal(size=(n, d))
    return X, ((X[:, 0] > 0.3) ^ (X[:, 1] > -0.2)).astype(int)


@pytest.mark.parametrize("kind", ["two", "three", "numbers", "several"])
@pytest.mark.parametrize("ranks", [False, True])
def test_scores_are_means_of_scikit_learns_trees(monkeypatch, kind, ranks):
    X, y = chequered()
    y = {
        "two": y,
        "three": y + (X[:, 2] > 0),
        "numbers": X[:, 0] + y,
        "several": np.c_[X[:, 0], y],
    }[kind]
    kept, growing = [], TreeRows._grown

    def keeping(*args):
        kept.append(growing(*args))
        return kept[-1]

    monkeypatch.setattr(TreeRows, "_grown", keeping)
    monkeypatch.setattr(TreeRows, "best_kind", lambda *_: Kind(2, ranks))
    one = sm.ForestScores(20, random_state=0).fit(X, y)
    assert len(kept) == 20
    levels, numbers = Levels.of(X)
    rows = TreeRows(levels.codes(np.random.default_rng(1).normal(size=(50, 4))), numbers, y)
    new = rows._numbers(ranks)[0]
    if kind in ("two", "three"):
        assert all(isinstance(tree, DecisionTreeClassifier) for tree in kept)
        wanted = np.mean([tree.predict_proba(new) for tree in kept], axis=0)
        wanted = wanted[:, 1:] if kind == "two" else wanted
    else:
        assert all(isinstance(tree, DecisionTreeRegressor) for tree in kept)
        wanted = np.mean([tree.predict(new).reshape(50, -1) for tree in kept], axis=0)
    np.testing.assert_allclose(one.trees_.mean(rows.codes), wanted, atol=1e-3)  # 16 bits


@pytest.mark.parametrize("several", [False, True])
def test_the_kernel_gives_what_its_twin_in_numpy_gives(several):
    X, y = chequered(700, 5)
    y = np.c_[X @ np.arange(5), y] if several else y + 2 * (X[:, 2] > 1)
    one = sm.ForestScores(30, random_state=0).fit(X, y)
    codes = one.levels_.codes(np.random.default_rng(1).normal(size=(333, 5)))
    found = {}
    for name in backends():
        with engine.using(name):
            found[name] = pickle.loads(pickle.dumps(one.trees_)).mean(codes)
    for name, scores in found.items():
        np.testing.assert_array_equal(scores, found["reference"], err_msg=name)


def test_a_kernel_refuses_nodes_that_lead_out_of_range():
    arrays = {
        "roots": np.array([0], np.int64),
        "children": np.array([1, -1, -1], np.int32),
        "columns": np.zeros(3, np.int32),
        "thresholds": np.zeros(3, np.uint16),
        "leaves": np.array([0, 0, 1], np.int32),
        "values": np.zeros((2, 1), np.float32),
    }
    for name, place, number in [
        ("roots", 0, 3), ("children", 0, 0), ("children", 0, 2), ("columns", 0, -1),
        ("leaves", 1, 2), ("leaves", 1, -1),
    ]:  # fmt: skip
        wrong = {key: array.copy() for key, array in arrays.items()}
        wrong[name][place] = number
        for backend in list(backends().values())[1:]:  # the first is the reference
            with pytest.raises(ValueError, match="out of range"):
                backend.trees(*wrong.values())


def test_rows_at_a_threshold_go_as_in_scikit_learn():
    X = np.array([[1.0], [1.0 + 1e-15], [5.0], [9.0]])
    levels, numbers = Levels.of(X)
    rows = TreeRows(levels.codes(X), numbers, np.arange(4))
    for ranks in (False, True):
        forest = rows.forest(Kind(1, ranks), 5, np.random.default_rng(0))
        apart = forest.mean(rows.codes).argmax(axis=1)
        assert apart[2:].tolist() == [2, 3]
        assert apart[0] == 0
        assert apart[1] == int(ranks)  # float32 does not tell these two apart
    # Halfway between two levels belongs to the smaller one.
    assert levels.codes(np.array([[3.0], [7.0], [7.1], [99.0]])).ravel().tolist() == [1, 2, 3, 3]


def test_very_many_numbers_of_a_column_become_its_quantiles():
    X = np.random.default_rng(0).lognormal(size=(5000, 2))
    levels, numbers = Levels.of(X)
    assert [len(known) for known in numbers] == [1000, 1000]
    counts = np.bincount(levels.codes(X)[:, 0])
    assert counts.min() >= 1
    assert counts.max() <= 10  # of 5 on average


def test_the_kind_of_trees_follows_the_data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 16))
    few_matter = sm.ForestScores(8, random_state=0).fit(X, ((X[:, 0] > 0) ^ (X[:, 1] > 0)) * 1)
    assert few_matter.kind_[0] > 4
    assert sm.ForestScores(8, random_state=0).fit(X[:100], X[:100, 0]).kind_ == (5, False)


def test_many_rows_get_fewer_trees_where_these_would_be_large(monkeypatch):
    X, _ = chequered(3000)
    luck = np.random.default_rng(0).normal(size=3000)
    monkeypatch.setattr(forest, "MOST_LEAVES", 1)
    monkeypatch.setattr(forest, "MOST_LEAVES_A_ROW", 10)
    assert (
        len(sm.ForestScores(100, random_state=0).fit(X, luck).trees_.sizes) == forest.FEWEST_TREES
    )
    assert len(sm.ForestScores(12, random_state=0).fit(X, luck).trees_.sizes) == 12


def test_rows_of_fit_are_scored_by_trees_that_have_not_seen_them():
    X, _ = chequered(400)
    luck = np.random.default_rng(0).integers(0, 2, 400)
    one = sm.ForestScores(60, random_state=0)
    unseen = one.fit_unseen(X, luck)[:, 0]
    assert np.mean((one.transform(X)[:, 0] > 0.5) == luck) > 0.9
    assert abs(np.mean((unseen > 0.5) == luck) - 0.5) < 0.1


def test_of_many_rows_fewer_trees_leave_out_a_fold(monkeypatch):
    grown = []
    X, y = chequered(300)
    grow = forest.TreeRows._grown
    monkeypatch.setattr(
        forest.TreeRows, "_grown", lambda self, *given: grown.append(1) or grow(self, *given)
    )
    counts = []
    for many in (300, 299):  # rows, from which on trees are fewer
        monkeypatch.setattr(forest, "MANY_ROWS", many)
        grown.clear()
        assert len(sm.ForestScores(40, random_state=0).fit(X, y).trees_.sizes) == 40
        of_all = len(grown)
        grown.clear()
        sm.ForestScores(40, random_state=0).fit_unseen(X, y)
        counts.append((len(grown) - of_all) / 5)  # for each of five folds
    assert counts == [40 / forest.OF_EACH_FOLD, 40 / forest.OF_EACH_FOLD_OF_MANY]


def test_a_label_never_touches_the_score_of_its_own_row(monkeypatch):
    X, y = chequered(60)
    changed = y.astype(float)
    changed[7] = 3.0
    monkeypatch.setattr(forest, "_tree_targets", lambda y: y[:, None])  # else in units of all y
    monkeypatch.setattr(forest, "_tree_folds", lambda groups, y, n, rng: np.arange(len(groups)) % n)
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
    folds = forest._tree_folds(np.arange(200), y, 5, rng)
    shares = [y[folds == fold].sum() for fold in range(5)]
    assert max(shares) - min(shares) <= 2
    numbers = rng.normal(size=200)
    folds = forest._tree_folds(np.arange(200), numbers, 5, rng)
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

    def offered(X, y):
        return sm.LandmarkClassifier(relevance=None, random_state=0).fit(X, y).measure_

    assert isinstance(offered(X, y)[-1], sm.ForestScores)
    few, thin = offered(X[:100], y[:100]), offered(sparse.csr_matrix(X), y)
    assert not any(isinstance(one, sm.ForestScores) for one in few + thin)


@pytest.mark.parametrize(
    ("name", "place", "number"),
    [
        ("columns", 0, 9),
        ("columns", 0, -1),
        ("columns", -1, 0),
        ("leaves", 0, 200),
        ("sizes", 0, 0),
        ("sizes", 0, 1),
    ],
)
def test_trees_that_lead_nowhere_are_refused(tmp_path, name, place, number):
    X, y = chequered(60)
    model = sm.LandmarkClassifier([sm.ForestScores(3)], random_state=0).fit(X, y)
    getattr(model.map_.blocks_[0].trees_, name)[place] = number
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
