"""`BagScores`: a sparse ridge on all n-grams, and what a model makes of its scores."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge

import seamark as sm
from seamark.maps import scores as bag_scores
from seamark.measures import Levenshtein, NGrams, WeisfeilerLehman


def surnames(n=120, seed=0):
    rng = np.random.default_rng(seed)
    ends = np.array(["ov", "ski", "sen"])
    kinds = rng.integers(0, 3, n)
    return ["".join(rng.choice(list("abcdefgh"), 6)) + ends[k] for k in kinds], kinds


def dense(measure, words, things):
    bags = measure.bags(sm.data.strings.ingest(words))
    matrix = np.zeros((len(words), len(things)))
    for i, (a, b) in enumerate(zip(bags.offsets[:-1], bags.offsets[1:], strict=True)):
        for thing, weight in zip(bags.things[a:b], bags.weights[a:b], strict=True):
            if thing in things:
                matrix[i, list(things).index(thing)] = weight
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def test_scores_are_those_of_a_ridge_on_a_dense_matrix(monkeypatch):
    monkeypatch.setattr(bag_scores, "NEAR_ENOUGH", 1e-6)
    words, kinds = surnames(60)
    one = sm.BagScores(NGrams((1, 2)), random_state=0).fit(words, kinds)
    Z = dense(one.measure_, words, one.things_)
    new = surnames(10, seed=1)[0]
    targets = np.where(kinds[:, None] == np.arange(3), 1.0, -1.0)
    # Columns are not centred, targets are: the constant is their mean.
    ridge = Ridge(one.penalty_, fit_intercept=False).fit(Z, targets - targets.mean(axis=0))
    wanted = ridge.predict(dense(one.measure_, new, one.things_)) + targets.mean(axis=0)
    np.testing.assert_allclose(one.transform(new), wanted, atol=1e-3)


def test_rows_of_fit_are_scored_by_ridges_that_have_not_seen_them():
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcdefgh"), 6)) for _ in range(300)]
    luck = rng.integers(0, 2, 300)
    one = sm.BagScores(random_state=0)
    unseen = one.fit_unseen(words, luck)[:, 0]
    assert np.mean((one.transform(words)[:, 0] > 0) == luck) > 0.6
    assert abs(np.mean((unseen > 0) == luck) - 0.5) < 0.1


def test_a_label_never_touches_the_score_of_its_own_row(monkeypatch):
    monkeypatch.setattr(bag_scores, "PENALTIES", (1.0,))  # else a label may choose another
    words, kinds = surnames(40)
    numbers = kinds.astype(float)
    changed = numbers.copy()
    changed[7] += 1.0
    shown = []
    for y in (numbers, changed):
        monkeypatch.setattr(bag_scores, "score_targets", lambda y: y[:, None].astype(np.float32))
        monkeypatch.setattr(bag_scores, "_bag_folds", lambda groups, y, rng: np.arange(len(y)))
        shown.append(sm.BagScores(cv=40).fit_unseen(words, y)[:, 0])
    assert shown[0][7] == shown[1][7]
    assert not np.array_equal(np.delete(shown[0], 7), np.delete(shown[1], 7))


def test_repeated_objects_share_a_fold_if_most_are_repeated():
    words, kinds = surnames(60)
    twice = sm.BagScores(random_state=0).fit_unseen(words * 2, np.tile(kinds, 2))
    np.testing.assert_allclose(twice[:60], twice[60:], atol=1e-6)


def test_numbers_and_labels_are_scored_too():
    words, kinds = surnames()
    assert sm.BagScores().fit(words, kinds * 1.5).transform(words[:4]).shape == (4, 1)
    labels = (kinds[:, None] == np.arange(3)).astype(np.int8)
    assert sm.BagScores().fit(words, labels).transform(words[:4]).shape == (4, 3)


def test_strings_without_known_things_get_the_constants():
    words, kinds = surnames()
    one = sm.BagScores(random_state=0).fit(words, kinds)
    np.testing.assert_allclose(one.transform([""]), [one.constants_], atol=1e-6)
    some = one.subset(np.array([2, 0]))
    np.testing.assert_array_equal(some.transform(words), one.transform(words)[:, [2, 0]])
    assert some.get_feature_names_out().tolist() == ["bagscores2", "bagscores0"]


def test_graphs_have_bags_too():
    rng = np.random.default_rng(0)
    graphs = []
    for k, n in enumerate(rng.integers(5, 9, 40)):
        near = np.roll(np.eye(n), 1, axis=0)
        near[0, 2] = k % 2  # a chord
        graphs.append(sparse.csr_matrix(np.maximum(near, near.T)))
    kinds = np.arange(40) % 2
    one = sm.BagScores(WeisfeilerLehman()).fit(graphs[:30], kinds[:30])
    assert np.mean((one.transform(graphs[30:])[:, 0] > 0) == kinds[30:]) > 0.9


def test_in_a_model_it_is_kept_saved_and_pickled(tmp_path):
    words, kinds = surnames(300)
    blocks = [sm.BagScores(), sm.LandmarkMap(Levenshtein(), n_landmarks=5)]
    model = sm.LandmarkClassifier(blocks, random_state=0).fit(words[:200], kinds[:200])
    assert model.score(words[200:], kinds[200:]) > 0.95
    assert model.measure_weights_[0] > 0.5
    sm.save(model, tmp_path / "model.sm")
    told = model.predict_proba(words)
    for other in (sm.load(tmp_path / "model.sm"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict_proba(words), told)


def test_out_of_fold_scores_of_noise_are_no_better_than_chance():
    rng = np.random.default_rng(1)
    words = ["".join(rng.choice(list("abcdefgh"), 6)) for _ in range(400)]
    luck = rng.integers(0, 2, 400)
    blocks = [sm.BagScores(), sm.LandmarkMap(Levenshtein(), n_landmarks=20)]
    model = sm.LandmarkClassifier(blocks, random_state=0).fit(words, luck)
    assert model.head_.oof_score_ < 0.6


def test_rows_in_chunks_do_without_it():
    words, kinds = surnames(100)
    model = sm.LandmarkClassifier(random_state=0)
    model.partial_fit(words[:50], kinds[:50]).partial_fit(words[50:], kinds[50:])
    assert not any(one.sees_targets for one in model.map_.blocks_)
    named = sm.LandmarkClassifier([sm.BagScores(), sm.LandmarkMap(Levenshtein())], random_state=0)
    with pytest.raises(ValueError, match=r"BagScores\(\) looks at y"):
        named.partial_fit(words, kinds)


@pytest.mark.parametrize(
    ("make", "y", "message"),
    [
        (sm.BagScores, None, "give them as y"),
        (lambda: sm.BagScores(Levenshtein()), [0, 1], "knows no bags"),
        (lambda: sm.BagScores(cv=0), [0, 1], "cv"),
        (sm.BagScores, [0, 1, 1], "3"),
    ],
)
def test_what_makes_no_sense_is_refused(make, y, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make().fit(["a", "b"], y)
