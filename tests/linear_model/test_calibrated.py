"""Probabilities for classifiers that have none of their own, or bad ones."""

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import log_loss
from sklearn.svm import SVC, LinearSVC

import seamark as sm
from seamark.linear_model import Calibrated, EachLabel, LinearSVM

SPLICE = sm.datasets.load_splice()
ORDER = np.random.default_rng(0).permutation(len(SPLICE.target))
TRAIN, TEST = ORDER[:600], ORDER[600:1400]
PRIOR = np.tile(np.unique(SPLICE.target[TRAIN], return_counts=True)[1] / 600, (800, 1))


def losses(**parameters):
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=80, random_state=0, **parameters)
    model.fit(SPLICE.data[TRAIN], SPLICE.target[TRAIN])
    chances = model.predict_proba(SPLICE.data[TEST])
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-6)
    assert (model.classes_[chances.argmax(axis=1)] == model.predict(SPLICE.data[TEST])).all()
    return log_loss(SPLICE.target[TEST], chances / chances.sum(axis=1, keepdims=True))


@pytest.fixture(scope="module")
def logistic():
    return losses(head="logistic", calibrate=False)


@pytest.mark.parametrize(
    "head",
    ["svm", "linear_svc", "logistic", LinearSVC(C=0.01), SGDClassifier(random_state=0)],
    ids=str,
)
def test_every_head_is_better_than_the_shares_of_classes_and_near_logistic(head, logistic):
    loss = losses(head=head)
    assert loss < 0.8 * log_loss(SPLICE.target[TEST], PRIOR)
    assert loss < logistic + 0.05


def test_the_slope_is_the_best_for_rows_left_out(rng):
    X = rng.normal(size=(400, 3))
    y = rng.permutation(3)[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)]
    y = np.where(rng.random(400) < 0.2, rng.integers(3, size=400), y)
    fitted = Calibrated(LinearSVM(), cv=4).fit(X, y)
    folds = fitted._folds(y, np.ones(400), None)
    scores = np.empty((400, 3))
    for k in range(4):
        one = LinearSVM().fit(X[folds != k], y[folds != k])
        scores[folds == k] = one.decision_function(X[folds == k])
    tried = {f: log_loss(y, softmax(f * fitted.slopes_[0] * scores, axis=1)) for f in (0.8, 1, 1.2)}
    assert min(tried, key=tried.get) == 1
    np.testing.assert_array_equal(fitted.predict(X), LinearSVM().fit(X, y).predict(X))
    np.testing.assert_array_equal(fitted.coef_, LinearSVM().fit(X, y).coef_)


class Loud(LinearSVM):
    """Its scores are a thousand times as large."""

    def decision_function(self, X):
        return 1000 * super().decision_function(X)


def test_scores_of_any_size_are_taken(rng):
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + 0.5 * rng.normal(size=300) > 0
    soft, loud = Calibrated(LinearSVM()).fit(X, y), Calibrated(Loud()).fit(X, y)
    np.testing.assert_allclose(soft.predict_proba(X), loud.predict_proba(X), atol=1e-4)
    assert log_loss(y, loud.predict_proba(X)) < 0.45


def test_rows_alone_in_their_class_are_in_no_fold(rng):
    X = rng.normal(size=(41, 2))
    y = np.r_[np.repeat([0, 1], 20), 2]
    fitted = Calibrated(LogisticRegression()).fit(X, y)
    assert fitted.oof_confusion_.sum() == 40
    assert fitted.predict_proba(X).shape == (41, 3)
    assert Calibrated(LogisticRegression()).fit(X[-2:], y[-2:]).slopes_.tolist() == [1.0]
    weights = np.r_[np.ones(30), np.zeros(10), 1]
    assert Calibrated(LogisticRegression()).fit(X, y, weights).oof_confusion_.sum() == 30


def test_copies_share_a_fold_unless_a_class_would_be_lost():
    y = np.r_[np.repeat([0, 1], 12), 2, 2]
    groups = np.r_[np.repeat(np.arange(12), 2), 12, 12]
    head = Calibrated(LogisticRegression())
    folds = head._folds(y[:24], np.ones(24), groups[:24])
    assert (folds[::2] == folds[1::2]).all()
    folds = head._folds(y, np.ones(26), groups)
    assert all(set(y[folds != k]) == {0, 1, 2} for k in range(3))


def test_models_without_a_fold_do_without_its_landmarks():
    """A row that is a landmark is at 0 from itself, as no new object is."""
    asked = []

    class Watched(LinearSVM):
        def fit(self, X, y, sample_weight=None):
            asked.append(X.shape)
            return super().fit(X, y, sample_weight)

    X = np.random.default_rng(0).normal(size=(90, 3))
    sm.LandmarkClassifier("euclidean", n_landmarks=90, head=Watched()).fit(X, X[:, 0] > 0)
    assert asked == [(90, 90), (60, 60), (60, 60), (60, 60)]


def test_each_class_may_have_columns_of_its_own(rng):
    X = rng.normal(size=(120, 2))
    y = np.arctan2(*X.T) // 2.1
    model = sm.LandmarkClassifier("euclidean", head="svm", tune="held_out_per_class")
    model.set_params(n_landmarks=20, random_state=0)
    chances = model.fit(X[:80], y[:80]).predict_proba(X[80:])
    assert log_loss(y[80:], chances, labels=model.classes_) < 0.9


def test_labels_have_a_slope_each(rng):
    X = rng.normal(size=(500, 2))
    Y = (X + [0.1, 1.5] * rng.normal(size=(500, 2)) > 0).astype(int)
    fitted = Calibrated(EachLabel(LinearSVC())).fit(X[:300], Y[:300])
    assert fitted.slopes_[0] > 1.1 * fitted.slopes_[1]
    chances = fitted.predict_proba(X[300:])
    np.testing.assert_array_equal(chances > 0.5, fitted.predict(X[300:]) > 0)
    for k in range(2):
        assert log_loss(Y[300:, k], chances[:, k]) < 0.65


def test_sets_descriptions_and_files_know_them(tmp_path):
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=80, head="svm", random_state=0)
    model.fit(SPLICE.data[TRAIN], SPLICE.target[TRAIN])
    truth = np.searchsorted(model.classes_, SPLICE.target[TEST])
    held = model.predict_set(SPLICE.data[TEST], 0.9)[np.arange(800), truth]
    assert abs(held.mean() - 0.9) < 0.04
    said = model.describe()
    assert said.accuracy == model.head_[-1].oof_score_
    assert abs(said.accuracy - model.score(SPLICE.data[TEST], SPLICE.target[TEST])) < 0.06
    sm.save(model, tmp_path / "svm")
    again = sm.load(tmp_path / "svm").predict_proba(SPLICE.data[TEST])
    np.testing.assert_array_equal(again, model.predict_proba(SPLICE.data[TEST]))


def test_without_calibration_heads_are_as_they_are(rng):
    X = rng.normal(size=(60, 2))
    model = sm.LandmarkClassifier("euclidean", head="svm", calibrate=False)
    assert not hasattr(model, "predict_proba")
    assert not hasattr(model.fit(X, X[:, 0] > 0), "predict_proba")
    assert hasattr(sm.LandmarkClassifier("euclidean", head="svm"), "predict_proba")


def test_scores_of_pairs_of_classes_are_refused(rng):
    X, y = rng.normal(size=(80, 2)), np.arange(80) % 4
    with pytest.raises(ValueError, match="6 scores for 4 classes; take one with a score for each"):
        Calibrated(SVC(decision_function_shape="ovo")).fit(X, y)
