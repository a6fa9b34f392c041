"""AUCClassifier: good orders over vectors, strings and series, rare classes, thresholds."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

import seamark as sm
from seamark.checks import check_object_estimator
from seamark.datasets import load_splice, load_vowels
from seamark.online import FIFO, AUCClassifier, BufferPerClass, Reservoir
from seamark.online.auc import threshold

rng = np.random.default_rng(5)
WORDS = ["ab" * (1 + i % 4) + "xy"[i % 2] * (1 + i % 7) for i in range(24)]
SERIES = [rng.normal(size=(2, int(k))) + i % 2 for i, k in enumerate(rng.integers(3, 9, size=24))]


@pytest.mark.parametrize(("measure", "X"), [("levenshtein", WORDS), ("dtw", SERIES)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_object_checks(measure, X, n_classes):
    bearings = sm.LandmarkMap(measure, n_landmarks=5, random_state=0)
    check_object_estimator(AUCClassifier(bearings), X, np.arange(24) % n_classes)


def test_a_stream_of_strings():
    splice = load_splice()
    y = splice.target == splice.target[0]
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:800], order[800:1200]
    bearings = sm.LandmarkMap("levenshtein", n_landmarks=100, random_state=0)
    model = AUCClassifier(bearings, step=30.0, random_state=0)
    for block in np.split(train, 8):
        model.partial_fit(splice.data[block], y[block])
    assert model.map_.landmarks_.shape == (100,)
    assert roc_auc_score(y[test], model.decision_function(splice.data[test])) > 0.8


def test_several_classes_of_series():
    vowels = load_vowels()
    train, test = vowels.split == 0, vowels.split == 1
    bearings = sm.LandmarkMap("dtw", n_landmarks=60, random_state=0)
    model = AUCClassifier(bearings, step=30.0, n_passes=20, random_state=0)
    model.fit(vowels.data[train], vowels.target[train])
    assert model.coef_.shape == (9, 60)
    assert model.score(vowels.data[test], vowels.target[test]) > 0.7


def test_a_fitted_map_stays_as_it_is():
    bearings = sm.LandmarkMap("levenshtein", n_landmarks=3, random_state=1).fit(WORDS[:12])
    model = AUCClassifier(FrozenEstimator(bearings), random_state=0)
    model.partial_fit(WORDS[12:], np.arange(12) % 2)
    assert list(model.map_.landmarks_) == list(bearings.landmarks_)


def test_as_good_as_batch_logistic_regression():
    X, y = make_classification(3000, 20, flip_y=0.1, random_state=0)
    scores = [
        roc_auc_score(y[2000:], model.fit(X[:2000], y[:2000]).decision_function(X[2000:]))
        for model in (LogisticRegression(), AUCClassifier(random_state=0))
    ]
    assert scores[1] > scores[0] - 0.01


@pytest.mark.parametrize("buffer", [None, BufferPerClass(Reservoir(50))])
def test_a_class_of_one_in_a_hundred(buffer):
    X, y = make_classification(6000, 10, weights=[0.99], flip_y=0, random_state=1)
    model = AUCClassifier(buffer=buffer, random_state=0)
    for start in range(0, 4000, 100):
        model.partial_fit(X[start : start + 100], y[start : start + 100], classes=[0, 1])
    assert roc_auc_score(y[4000:], model.decision_function(X[4000:])) > 0.9


def test_steps_follow_a_drifting_scale():
    # The features grow a thousandfold along the stream: the order is learned all the same.
    X, y = make_classification(3000, 5, n_redundant=0, class_sep=1.5, random_state=0)
    scale = np.geomspace(1, 1000, 3000)[:, None]
    model = AUCClassifier(buffer=FIFO(100), average=False, random_state=0).partial_fit(X * scale, y)
    batch = LogisticRegression().fit(X, y)
    assert roc_auc_score(y, model.decision_function(X)) > (
        roc_auc_score(y, batch.decision_function(X)) - 0.02
    )


def test_thresholds_maximise_balanced_accuracy(rng):
    for _ in range(50):
        scores = rng.integers(0, 6, size=12).astype(float)
        positive = rng.random(12) < rng.uniform(0.2, 0.8)
        if len(set(positive)) < 2 or len(set(scores)) < 2:
            continue

        def accuracy(cut, scores=scores, positive=positive):
            return (scores[positive] > cut).mean() + (scores[~positive] <= cut).mean()

        middles = np.unique(scores)[:-1] + 0.5
        best = max(accuracy(m) for m in middles)
        assert accuracy(threshold(scores, positive)) == pytest.approx(best)


def test_a_side_without_points_gets_nothing():
    scores = np.array([0.0, 3.0])
    assert threshold(scores, np.array([False, False])) > 3
    assert threshold(scores, np.array([True, True])) < 0


def test_several_similarities_are_one_map():
    """As if their features stood side by side."""
    words = ["Anna", "Hanna", "Johanna", "Otto", "Ottokar", "Ottilo"] * 9
    labels = [word[0] in "O" for word in words]
    parts = [
        sm.LandmarkMap(measure, n_landmarks=5, random_state=0)
        for measure in ("levenshtein", "jaro_winkler")
    ]
    several = AUCClassifier(sm.maps.MapUnion(parts), random_state=0).fit(words, labels)
    beside = sm.maps.MapUnion(parts).fit(words, labels).transform(words)
    alone = AUCClassifier(random_state=0).fit(beside, labels)
    assert several.coef_.shape == (1, 10)
    np.testing.assert_allclose(several.coef_, alone.coef_, rtol=1e-5, atol=1e-7)
    assert several.predict(["Joanna", "Otho"]).tolist() == [False, True]
