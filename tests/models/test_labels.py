"""Objects with any number of labels."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import cross_val_score
from sklearn.utils.multiclass import type_of_target

import seamark as sm
from seamark.data import hashes
from seamark.linear_model import EachLabel, RidgeClassifier, RidgeLabels, RidgeRegressor
from seamark.linear_model.ridge_fit import hashed_folds
from seamark.targets import holds_labels, label_matrix, label_targets, strata

RNG = np.random.default_rng(5)
WORDS = ["".join(RNG.choice(list("abcde"), RNG.integers(3, 12))) for _ in range(500)]
HAS = np.array([["ab" in w, "c" in w, w[0] == "e"] for w in WORDS]).astype(int)
NAMES = np.array(["both", "sea", "start"])
SETS = [set(NAMES[row > 0].tolist()) for row in HAS]
NEW = slice(350, 500)


def model(**parameters):
    return sm.LandmarkClassifier("levenshtein", n_landmarks=120, random_state=0, **parameters)


FITTED = model().fit(WORDS[:350], SETS[:350])


@given(st.lists(st.sets(st.sampled_from("abcdef")), min_size=2, max_size=12))
def test_sets_are_the_matrix_they_mean(sets):
    named = sorted({one for some in sets for one in some})
    if len(named) < 2 or all(some == sets[0] for some in sets):
        return
    labels, matrix = label_targets(BaseEstimator(), sets)
    assert labels.tolist() == named
    assert [set(labels[row > 0].tolist()) for row in matrix] == sets
    np.testing.assert_array_equal(label_matrix(labels, sets), matrix)
    np.testing.assert_array_equal(label_matrix(labels, sparse.csr_array(matrix)), matrix)


def test_a_matrix_a_sparse_one_a_frame_and_sets_are_one_fit():
    said = FITTED.predict_proba(WORDS[NEW])
    assert said.shape == (150, 3)
    assert FITTED.classes_.tolist() == NAMES.tolist()
    frame = pd.DataFrame(HAS, columns=NAMES)
    lists = np.empty(500, dtype=object)
    lists[:] = [sorted(some) for some in SETS]
    for y in (HAS, HAS.astype(bool), sparse.csr_matrix(HAS), frame, lists, list(map(list, lists))):
        assert holds_labels(y)
        few = y.iloc[:350] if hasattr(y, "iloc") else y[:350]
        other = model().fit(WORDS[:350], few)
        np.testing.assert_allclose(other.predict_proba(WORDS[NEW]), said)
        assert other.multilabel_
    assert model().fit(WORDS[:350], frame[:350]).classes_.tolist() == NAMES.tolist()
    assert model().fit(WORDS[:350], HAS[:350]).classes_.tolist() == [0, 1, 2]


def test_indicator_in_indicator_out_and_score_is_that_of_whole_rows():
    said = FITTED.predict(WORDS[NEW])
    assert type_of_target(said) == "multilabel-indicator"
    assert FITTED.score(WORDS[NEW], SETS[NEW]) == accuracy_score(HAS[NEW], said) > 0.8
    assert FITTED.score(WORDS[NEW], HAS[NEW]) == FITTED.score(WORDS[NEW], SETS[NEW])
    assert (said == (FITTED.predict_proba(WORDS[NEW]) > 0.5)).all()
    assert (said == (FITTED.decision_function(WORDS[NEW]) > 0)).all()
    commonest = np.unique(HAS[NEW], axis=0, return_counts=True)[1].max() / 150
    assert FITTED.score(WORDS[NEW], HAS[NEW]) > commonest + 0.2


@pytest.mark.parametrize("head", ["ridge", "logistic", "svm"])
def test_each_label_has_a_calibrated_probability(head):
    noisy = HAS ^ (np.random.default_rng(0).random(HAS.shape) < 0.1)
    fitted = model(head=head).fit(WORDS[:350], noisy[:350])
    p = fitted.predict_proba(WORDS[NEW])
    truth, share = noisy[NEW], noisy[:350].mean(axis=0)
    losses = [log_loss(truth[:, k], p[:, k]) for k in range(3)]
    of_shares = [log_loss(truth[:, k], np.full(150, share[k])) for k in range(3)]
    assert np.sum(losses) < 0.9 * np.sum(of_shares)
    assert np.abs(p.mean(axis=0) - truth.mean(axis=0)).max() < 0.1


def test_one_ridge_is_a_ridge_for_each_label():
    X = RNG.normal(size=(300, 6))
    Y = (X[:, :3] + 0.3 * RNG.normal(size=(300, 3)) > 0.2).astype(int)
    folds = np.arange(300) % 5
    head = RidgeLabels(penalty=0.1, cv=folds).fit(X, Y)
    for k in range(3):
        alone = RidgeClassifier(penalty=0.1, cv=folds).fit(X, Y[:, k])
        np.testing.assert_allclose(head.coef_[k], alone.coef_[0], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(head.predict_proba(X)[:, k], alone.predict_proba(X)[:, 1], 1e-6)
        counts = alone.oof_confusion_
        np.testing.assert_array_equal(head.oof_confusion_[k], counts)
    both = RidgeRegressor(penalty=0.1).fit(X, 2.0 * Y - 1)
    np.testing.assert_allclose(head.coef_, both.coef_, rtol=1e-9, atol=1e-12)


def test_a_label_that_all_have_or_none_is_said_of_all():
    Y = np.c_[HAS, np.ones(500, int), np.zeros(500, int)]
    for head in ("ridge", "logistic"):
        fitted = model(head=head).fit(WORDS[:350], Y[:350])
        said, p = fitted.predict(WORDS[NEW]), fitted.predict_proba(WORDS[NEW])
        assert said[:, 3].all()
        assert not said[:, 4].any()
        assert p[:, 3].min() > 0.9
        assert p[:, 4].max() < 0.1


def test_folds_hold_a_rare_label_in_equal_parts():
    Y = np.zeros((500, 2), int)
    Y[:10, 0], Y[:300, 1] = 1, 1
    np.testing.assert_array_equal(np.bincount(strata(Y)), [10, 290, 200])
    assert strata(Y.astype(float)) is None


def test_any_head_serves_each_label():
    X, has = RNG.normal(size=(80, 3)), None
    has = (X[:, :2] > 0).astype(int)
    each = EachLabel(LogisticRegression()).fit(X, has)
    for k in range(2):
        alone = LogisticRegression().fit(X, has[:, k])
        np.testing.assert_array_equal(each.predict_proba(X)[:, k], alone.predict_proba(X)[:, 1])
        np.testing.assert_array_equal(each.coef_[k], alone.coef_[0])
    assert model(head="svm").fit(WORDS[:350], SETS[:350]).score(WORDS[NEW], SETS[NEW]) > 0.8


@pytest.mark.parametrize("weighing", ["greedy", "aligned", "learned"])
def test_weighings_choose_by_all_labels(weighing, tmp_path):
    few = sm.LandmarkClassifier("levenshtein", weighing=weighing, n_landmarks=60, random_state=0)
    few.fit(WORDS[:350], SETS[:350])
    assert few.score(WORDS[NEW], SETS[NEW]) > 0.75
    sm.save(few, tmp_path / "few")
    again = sm.load(tmp_path / "few")
    np.testing.assert_array_equal(again.predict_proba(WORDS[NEW]), few.predict_proba(WORDS[NEW]))


@pytest.mark.parametrize("head", ["ridge", "logistic", "svm"])
def test_a_saved_model_says_the_same(head, tmp_path):
    fitted = model(head=head).fit(WORDS[:350], SETS[:350])
    sm.save(fitted, tmp_path / "labels")
    again = sm.load(tmp_path / "labels")
    np.testing.assert_array_equal(again.decision_function(WORDS), fitted.decision_function(WORDS))
    assert again.score(WORDS, SETS) == fitted.score(WORDS, SETS)


def test_explanations_are_of_one_label():
    said = FITTED.explain(WORDS[NEW.start], target="sea")
    assert said.score == pytest.approx(FITTED.decision_function(WORDS[NEW])[0, 1], abs=1e-4)
    assert sum(added for _, added in said.lines()) == pytest.approx(said.score)
    assert {reason.label for reason in said.reasons} <= {"sea", "not sea"}
    assert "of sea" in said.title
    assert "not not" not in str(said)
    with pytest.raises(ValueError, match="say which one to explain, such as .*target='both'"):
        FITTED.explain(WORDS[0])
    with pytest.raises(ValueError, match="one of the labels 'both', 'sea', 'start'; got 'tea'"):
        FITTED.explain(WORDS[0], target="tea")


def test_descriptions_count_labels(tmp_path):
    said = FITTED.describe()
    assert [one.label for one in said.classes] == NAMES.tolist()
    assert [one.n for one in said.classes] == HAS[:350].sum(axis=0).tolist()
    assert said.accuracy == FITTED.head_.oof_score_ > said.constant + 0.2
    assert FITTED.report(tmp_path / "page.html").stat().st_size > 1000


def test_blocks_of_rows_are_the_fit_to_all():
    X = RNG.normal(size=(600, 3))
    Y = (X[:, :2] > 0.3).astype(int)
    head = RidgeClassifier(calibrate=False)
    fitted = sm.LandmarkClassifier("euclidean", landmarks=X[:40] + 0.01, head=head, random_state=0)
    for rows in (slice(0, 300), slice(300, 400), slice(400, 600)):
        fitted.partial_fit(X[rows], Y[rows])
    folds = hashed_folds(hashes(X), fitted.incremental_.seed, fitted.incremental_.n_folds)
    features = fitted.map_.block(fitted.map_.ingest(X))
    whole = RidgeLabels(cv=folds, calibrate=False, precision="double").fit(features, Y)
    np.testing.assert_allclose(
        fitted.decision_function(X), whole.decision_function(features), rtol=1e-4, atol=1e-4
    )


def test_labels_may_come_later_if_they_are_announced():
    late = model().partial_fit(WORDS[:200], SETS[:200], classes=[*NAMES, "never"])
    late.partial_fit(WORDS[200:350], SETS[200:350])
    assert late.classes_.tolist() == sorted([*NAMES, "never"])
    wanted = label_matrix(late.classes_, SETS[NEW])
    assert late.score(WORDS[NEW], wanted) > 0.8
    with pytest.raises(ValueError, match=r"y\[0\] has the label 'x', which was not there in fit"):
        late.partial_fit(["abc"], [{"x"}])


def test_models_stay_what_scikit_learn_expects():
    again = clone(FITTED).fit(WORDS[:350], list("ab") * 175)
    assert not hasattr(again, "multilabel_")
    assert again.predict(["abc"])[0] in "ab"
    assert cross_val_score(model(), WORDS[:300], HAS[:300], cv=2).min() > 0.5
    assert FITTED.__sklearn_tags__().classifier_tags.multi_label


def test_several_numbers_are_predicted_at_once(tmp_path):
    Y = np.array([[len(w), w.count("a")] for w in WORDS], dtype=float)
    several = sm.LandmarkRegressor("levenshtein", random_state=0).fit(WORDS[:350], Y[:350])
    assert several.score(WORDS[NEW], Y[NEW]) > 0.8
    assert several.explain(WORDS[0], target=1).score == pytest.approx(
        several.predict(WORDS[:1])[0, 1], abs=1e-3
    )
    sm.save(several, tmp_path / "several")
    assert sm.load(tmp_path / "several").predict(["abc"]).shape == (1, 2)


@pytest.mark.parametrize(
    ("y", "said"),
    [
        ([{"a"}, {"b", None}], r"y\[1\] is .*give every object a set"),
        ([{"a"}, "b"], r"y\[1\] is 'b', and other objects have sets"),
        ([{"a"}, {"b", 1}], "strings and labels that are numbers"),
        ([{"a"}, {("b", "c")}], r"y\[1\] is"),
        ([{"a"}, set()], "1 label in all"),
        ([["a", "b"], ["c", "d"]], r"shape \(2, 2\).*a matrix of 0 and 1"),
        ([[0, 2], [1, 0]], r"shape \(2, 2\).*a matrix of 0 and 1"),
        (sparse.csr_matrix([[0, 2], [1, 0]]), r"y\[0, 1\] is .*2.*matrix of 0 and 1"),
        ([[0, 1], [0, 1]], "same labels"),
    ],
)
def test_what_is_unclear_is_refused_in_a_sentence(y, said):
    with pytest.raises(ValueError, match=said):
        model().fit(["abc", "bcd"], y)


def test_what_means_nothing_for_labels_is_refused():
    with pytest.raises(ValueError, match="class_weight='balanced' weighs rows by their one class"):
        model(class_weight="balanced").fit(WORDS, HAS)
    with pytest.raises(ValueError, match="chooses per class, and y has several labels"):
        model(tune="held_out_per_class", head="svm").fit(WORDS, HAS)
    with pytest.raises(ValueError, match="predict_proba says how likely each label is"):
        FITTED.predict_set(WORDS[:2])
    with pytest.raises(ValueError, match=r"shape \(5, 2\), and there are 3 labels"):
        FITTED.score(WORDS[:5], HAS[:5, :2])
