"""What models say of themselves."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, r2_score, recall_score
from sklearn.model_selection import cross_val_predict

import seamark as sm
from seamark.linear_model.calibration import out_of_fold_report, share_interval
from seamark.linear_model.intervals import ErrorsOutOfFold
from seamark.models.describe import medoids, what_compares

RNG = np.random.default_rng(0)
Y = np.arange(150) % 3
POINTS = RNG.normal(size=(150, 2)) + 2.0 * np.eye(3)[Y][:, :2]
LABELS = np.array(["land", "sea", "sky"])[Y]
MODEL = sm.LandmarkClassifier("euclidean", n_landmarks=60, random_state=0).fit(POINTS, LABELS)


def test_what_was_said_is_counted_as_scikit_learn_does():
    scores, weights = RNG.normal(size=(150, 3)), RNG.random(150)
    found = out_of_fold_report(scores, Y, np.arange(150), weights, np.full(150, 0.5))
    said = scores.argmax(axis=1)
    np.testing.assert_array_equal(found.confusion, confusion_matrix(Y, said))
    recall = recall_score(Y, said, average=None, sample_weight=weights)
    np.testing.assert_allclose(found.recall, recall)
    assert found.score == pytest.approx(accuracy_score(Y, said, sample_weight=weights))


def test_the_worst_are_those_that_are_furthest_on_the_wrong_side():
    scores, labels = RNG.normal(size=(40, 3)), RNG.integers(0, 3, 40)
    found = out_of_fold_report(scores, labels, np.arange(40) + 100, np.ones(40), np.ones(40)).worst
    by = scores.max(axis=1) - scores[np.arange(40), labels]
    order = np.argsort(-by, kind="stable")[: len(found)]
    np.testing.assert_array_equal(found[:, 0] - 100, order)
    np.testing.assert_array_equal(found[:, 2], scores.argmax(axis=1)[order])


def test_answers_are_counted_by_how_sure_they_were():
    scores, chances = RNG.normal(size=(150, 3)), RNG.random(150)
    chances[:2] = 0.0, 1.0  # the ends belong to the first and the last step
    weights = RNG.random(150)
    found = out_of_fold_report(scores, Y, np.arange(150), weights, chances).reliability
    right = scores.argmax(axis=1) == Y
    for (said, share, n), low in zip(found, np.arange(10) / 10, strict=True):
        some = (chances >= low) & ((chances < low + 0.1) | (low == 0.9))
        assert n == some.sum()
        assert said == pytest.approx(np.average(chances[some], weights=weights[some]))
        assert share == pytest.approx(np.average(right[some], weights=weights[some]))


def test_probabilities_of_a_fit_can_be_believed_and_are_kept(tmp_path):
    said = MODEL.describe().reliability
    assert sum(one.n for one in said) == 150
    assert all(0 <= one.right <= 1 and 1 / 3 <= one.said <= 1 for one in said)
    gap = sum(one.n * (one.right - one.said) for one in said) / 150
    assert abs(gap) < 0.03  # calibrated on these answers, so on the whole they agree
    sm.save(MODEL, tmp_path / "m.seamark")
    assert sm.load(tmp_path / "m.seamark").describe().reliability == said
    del (old := sm.load(tmp_path / "m.seamark")).head_.oof_reliability_  # as of an earlier version
    assert old.describe().reliability == []


def test_intervals_of_shares_stay_within_bounds():
    for right, n in ((0, 10), (10, 10), (5, 10), (0, 0)):
        low, high = share_interval(right, n)
        assert 0.0 <= low <= high <= 1.0
    assert share_interval(50, 100)[0] == pytest.approx(0.4038, abs=1e-3)


def test_scores_are_those_of_the_folds():
    said = MODEL.describe()
    head = MODEL.head_
    assert said.accuracy == pytest.approx(head.oof_score_)
    assert said.interval[0] < said.accuracy < said.interval[1]
    assert said.constant == pytest.approx(1 / 3)
    assert [one.recall for one in said.classes] == pytest.approx(head.oof_recall_.tolist())
    wrong = sum(one.n for one in said.confused)
    assert 0 < wrong <= said.n - np.trace(head.oof_confusion_)


def test_mistaken_objects_are_shown():
    with_x, without = MODEL.describe(POINTS), MODEL.describe()
    assert len(with_x.mistaken) == len(without.mistaken) > 0
    for one, other in zip(with_x.mistaken, without.mistaken, strict=True):
        assert LABELS[one.index] == one.truth != one.prediction
        np.testing.assert_array_equal(one.object, POINTS[one.index])
        if other.object is not None:
            np.testing.assert_array_equal(one.object, other.object)
    with pytest.raises(ValueError, match="give describe the X of fit"):
        MODEL.describe(POINTS[:1])


def test_prototypes_are_landmarks_of_their_class():
    for one in MODEL.describe(n_prototypes=2).classes:
        assert len(one.prototypes) == 2
        assert sum(p.stands_for for p in one.prototypes) == pytest.approx(1.0)
        for p in one.prototypes:
            assert LABELS[p.index] == one.label
            np.testing.assert_array_equal(p.landmark, POINTS[p.index])


def test_medoids_cover_clusters():
    rows = np.concatenate([RNG.normal(size=(20, 3)) + 30 * k for k in range(3)])
    chosen, shares = medoids(rows, 3)
    assert sorted(k // 20 for k in chosen) == [0, 1, 2]
    assert shares == pytest.approx([1 / 3] * 3)
    assert len(medoids(np.zeros((5, 2)), 3)[0]) == 1


def test_tables_and_numbers_and_other_heads_are_described():
    letters = ["".join(RNG.choice(list("abcde"), 5)) + label[1] for label in LABELS]
    table = pd.DataFrame({"a": letters, "b": POINTS[:, 0]})
    by = {"a": "levenshtein", "b": "passthrough"}
    said = sm.LandmarkClassifier(by, random_state=0).fit(table, Y).describe()
    assert said.blocks[0].name == "a"
    assert sum(one.weight for one in said.blocks) == pytest.approx(1.0)
    number = sm.LandmarkRegressor("euclidean", random_state=0).fit(POINTS, POINTS[:, 0]).describe()
    assert number.accuracy is None
    assert number.prototypes
    other = sm.LandmarkClassifier("euclidean", head="logistic", calibrate=False)
    assert other.fit(POINTS, LABELS).describe().accuracy is None
    assert other.describe().classes[0].prototypes


def test_what_is_said_is_escaped_and_survives_saving(tmp_path):
    words = ["<b>x</b>\x1b[31m", "aaaa", "<i>", "aa"] * 6
    model = sm.LandmarkClassifier("levenshtein", random_state=0).fit(words, ["<p>", "q"] * 12)
    said = model.describe()
    page = said._repr_html_()
    assert "<b>x" not in page
    assert "&lt;b&gt;x" in page
    assert "&lt;p&gt;" in page
    assert "\x1b" not in str(said)
    sm.save(model, tmp_path / "m.seamark")
    assert str(sm.load(tmp_path / "m.seamark").describe()) == str(said)


def test_a_drawn_seed_is_not_said():
    """What a model drew for a map is a number that tells a reader nothing."""
    scores = sm.BagScores(random_state=690177213)
    assert what_compares(scores) == "BagScores()"
    assert scores.random_state == 690177213


def test_numbers_are_scored_by_models_that_had_not_seen_them():
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcd"), 8)) for _ in range(150)]
    y = np.array([word.count("a") for word in words]) * 10.0
    y[7] += 500  # furthest off, whatever is learned
    model = sm.LandmarkRegressor("levenshtein", n_landmarks=60, random_state=0).fit(words, y)
    said = model.describe(words)
    naive = cross_val_predict(
        sm.LandmarkRegressor("levenshtein", n_landmarks=60, random_state=0), words, y, cv=5
    )
    assert said.error == pytest.approx(np.abs(naive - y).mean(), rel=0.25)
    assert said.constant == pytest.approx(np.abs(y - np.median(y)).mean())
    assert said.mistaken[0].index == 7
    assert said.mistaken[0].object == words[7]
    assert said.mistaken[0].truth == y[7]
    assert said.n == 150
    assert "R² out of fold" in str(said)
    assert "furthest off" in str(said)
    assert said.to_dict()["r2"] == said.r2


def test_several_numbers_have_one_mean_score():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    model = sm.LandmarkRegressor("euclidean", random_state=0).fit(
        X, np.stack([X[:, 0], X[:, 1]], 1)
    )
    said = model.describe()
    assert 0.5 < said.r2 <= 1
    assert said.interval is None
    assert said.mistaken == []
    assert "R² out of fold" in str(said)


def test_rows_of_tables_are_told_by_landmarks_alone():
    """A saved model has no rows of fit, but landmarks of each column."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "name": ["".join(rng.choice(list("abcd"), 7)) for _ in range(80)],
            "size": rng.normal(size=80).round(2),
            "age": rng.integers(1, 90, 80),
        }
    )
    y = np.where(table["size"] + rng.normal(size=80) > 0, "big", "small")
    model = sm.LandmarkClassifier(random_state=0).fit(table, y)
    alone = model.describe().mistaken
    assert alone
    for one in alone:
        row = table.iloc[one.index]
        assert one.object
        assert all(one.object[name] == row[name] for name in one.object)
    assert [one.index for one in model.describe(table).mistaken] == [one.index for one in alone]
    numbers = [r for r in model.explain(table[:1])[0].reasons if isinstance(r.landmark, dict)]
    assert all(set(one.landmark) == {"size", "age"} for one in numbers)


def test_the_interval_of_r2_holds_what_is_true_of_all():
    """In 95 of 100 draws of rows, whose R² is known."""
    rng, held = np.random.default_rng(0), []
    for _ in range(300):
        truth = rng.normal(size=(200, 1))
        said = 0.8 * truth + 0.6 * 0.8 * rng.normal(size=(200, 1))
        found = ErrorsOutOfFold.of(truth, said, np.arange(200))
        held.append(found.interval[0, 0] <= 1 - 0.04 - 0.48**2 <= found.interval[0, 1])
        assert found.r2[0] == pytest.approx(r2_score(truth, said))
    assert 0.91 < np.mean(held) < 0.98


@pytest.mark.parametrize(("slope", "more"), [(0.0, 1.36), (0.2, 1.18), (0.95, 1.0)])
def test_an_interval_of_r2_reaches_further_down_where_chance_may_have_lifted_it(slope, more):
    """By a standard error on noise, as that of an accuracy, and hardly where little is chance."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(2000, 1))
    said = slope * truth + 0.1 * slope * rng.normal(size=(2000, 1))
    found = ErrorsOutOfFold.of(truth, said, np.arange(2000))
    low, high = found.interval[0]
    assert (found.r2[0] - low) / (high - found.r2[0]) == pytest.approx(more, abs=0.05)


def test_an_interval_counts_copies_once():
    """Five times the same rows tell no more than the rows do."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    label = (X[:, 0] + rng.normal(size=80) > 0).astype(int)
    number = X[:, 0] + rng.normal(size=80)
    rows = np.tile(np.arange(80), 5)
    for model, y in ((sm.LandmarkClassifier, label), (sm.LandmarkRegressor, number)):
        once, five = (
            model("euclidean", n_landmarks=10, random_state=0).fit(X[some], y[some]).describe()
            for some in (np.arange(80), rows)
        )
        wide, also = (said.interval[1] - said.interval[0] for said in (once, five))
        assert also > 0.8 * wide
