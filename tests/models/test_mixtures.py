"""Explanations by examples: mixtures of landmarks, groups, examples, and where likeness lies."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seamark as sm
from seamark.maps import LandmarkMap
from seamark.models.explain import CANDIDATES, Profiles, mixture, near
from seamark.models.explanation import Explanation, Group
from seamark.models.saliency import heaviest, places_of

RNG = np.random.default_rng(0)


def planted(n, middle=("GGTAAG", "TTCAGG", "ACACAC")):
    """Return strings of random letters whose middle says the class, and the classes."""
    rng = np.random.default_rng(1)
    y = np.arange(n) % len(middle)
    sides = ["".join(rng.choice(list("ACGT"), 14)) for _ in range(n)]
    return [side[:7] + middle[k] + side[7:] for side, k in zip(sides, y, strict=True)], y


X, Y = planted(240)
MODEL = sm.LandmarkClassifier("levenshtein", random_state=0).fit(X[:180], Y[:180])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 8), st.integers(1, 6))
def test_shares_are_positive_sum_to_one_and_are_few(seed, n_rows, n):
    rng = np.random.default_rng(seed)
    rows, scores = rng.normal(size=(n_rows, 4)), rng.normal(size=n_rows)
    taken, shares = mixture(rng.normal(size=4), rows, 0.3, scores, n)
    assert 1 <= len(taken) <= n
    assert len(set(taken.tolist())) == len(taken)
    assert (shares > 0).all()
    assert shares.sum() == pytest.approx(1.0)


def test_a_mixture_of_few_is_told_from_one_of_many():
    rows = RNG.normal(size=(30, 40))
    scores = rows @ RNG.normal(size=40)
    shares = np.array([0.5, 0.3, 0.2])
    x = shares @ rows[[3, 8, 20]]
    taken, found = mixture(x, rows, float(shares @ scores[[3, 8, 20]]), scores, 8)
    whole = np.zeros(30)
    whole[taken] = found
    np.testing.assert_allclose(whole[[3, 8, 20]], shares, atol=0.05)
    assert np.delete(whole, [3, 8, 20]).sum() < 0.05


def test_near_takes_the_nearest_of_either_kind():
    values = np.array([5.0, 1.0, np.nan, 3.0])
    assert near(values, "distance").tolist() == [1, 3, 0]
    assert near(values, "similarity").tolist() == [0, 3, 1]
    assert near(np.arange(1000.0), "distance").tolist() == list(range(CANDIDATES))
    spread = near(np.arange(1000.0), None)
    assert spread[0] == 0
    assert spread[-1] == 999


def test_profiles_compute_each_landmark_once():
    asked = []

    def doubled(places):
        asked.extend(places.tolist())
        return places[:, None] * 2.0

    profiles = Profiles(doubled)
    profiles.learn(np.array([3, 1, 3]))
    np.testing.assert_array_equal(profiles.of(np.array([1, 5]))[:, 0], [2.0, 10.0])
    assert asked == [1, 3, 5]


def sums(explanation):
    return sum(added for _, added in explanation.lines())


@pytest.mark.parametrize("target", [None, 0, 2])
def test_lines_sum_to_the_score_of_the_class_asked_about(target):
    scores = MODEL.decision_function(X[180:200])
    said = MODEL.explain(X[180:200], target=target)
    for row, explanation in zip(scores, said, strict=True):
        asked = explanation.prediction if target is None else target
        assert explanation.target == asked
        rest = np.delete(row, asked).max()
        assert explanation.score == pytest.approx(row[asked] - rest, abs=1e-4)
        assert row[explanation.rival] == rest
        assert sums(explanation) == pytest.approx(explanation.score, abs=1e-9)
        shown = explanation.to_frame(rest=True)["contribution"].sum()
        assert shown == pytest.approx(explanation.score, abs=1e-9)


def test_most_of_a_decision_is_shown_and_on_its_side():
    said = MODEL.explain(X[180:])
    shown = np.array([sum(r.contribution for r in one.reasons) for one in said])
    scores = np.array([one.score for one in said])
    assert np.mean(shown > 0) >= 0.95
    assert np.corrcoef(shown, scores)[0, 1] > 0.9
    same = [one.reasons[0].label == one.prediction for one in said]
    assert np.mean(same) > 0.9


def test_a_mixture_is_exact_for_landmarks_themselves():
    landmark = MODEL.landmarks_[4]
    explanation = MODEL.explain(landmark)
    assert explanation.reasons[0].landmark == landmark
    assert explanation.reasons[0].share > 0.5
    assert explanation.fidelity > 0.8


def test_an_unknown_class_is_named():
    with pytest.raises(ValueError, match="target must be one of the classes 0, 1, 2; got 7"):
        MODEL.explain(X[:1], target=7)
    model = sm.LandmarkRegressor("levenshtein", n_landmarks=9, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="target=1 asks about a class"):
        model.explain(X[:1], target=1)


def test_one_of_several_outputs_is_explained():
    both = np.stack([Y, 2.0 * Y + 1.0], axis=1)
    model = sm.LandmarkRegressor("levenshtein", n_landmarks=30, random_state=0).fit(X, both)
    with pytest.raises(ValueError, match="there are 2 outputs; say which"):
        model.explain(X[:1])
    explanation = model.explain(X[:1], target=1)[0]
    assert explanation.score == pytest.approx(model.predict(X[:1])[0, 1], rel=1e-4)
    assert sums(explanation) == pytest.approx(explanation.score)


def test_examples_for_and_against_and_what_would_change_it():
    explanation = MODEL.explain(X[185])
    values = sm.cross("levenshtein", [X[185]], MODEL.landmarks_)[0]
    for some, of_class in ((explanation.supporting, True), (explanation.opposing, False)):
        mine = (MODEL.landmark_labels_ == explanation.prediction) == of_class
        assert some[0].value == values[mine].min()
        assert [one.value for one in some] == sorted(one.value for one in some)
    other = explanation.counterfactual
    assert MODEL.predict([other.landmark])[0] == other.prediction != explanation.prediction
    said = MODEL.predict(MODEL.landmarks_)
    assert other.value == values[said != explanation.prediction].min()


def test_where_is_where_classes_were_planted():
    said = [one for one in MODEL.explain(X[180:]) if one.prediction == Y[180:][0]]
    where = sum(one.saliency for one in said)
    assert where.argmax() in range(7, 13)
    for one in said[:3]:
        assert one.saliency.sum() == pytest.approx(sum(r.contribution for r in one.reasons))


def test_places_of_parts_and_series():
    window = sm.data.Window([1.0, 2.0, 1.0])
    series = np.array([0.0, 0.0, 0.0, 1.0, 2.0, 1.0, 0.0])
    found = places_of(sm.measures.get("subsequence"), series, window)
    assert np.flatnonzero(found).tolist() == [3, 4, 5]
    substring = sm.measures.get("substring")
    assert np.flatnonzero(places_of(substring, "sea at sea", "␂sea")).tolist() == [0, 1, 2]
    assert np.flatnonzero(places_of(substring, b"sea at sea", b"at")).tolist() == [4, 5]
    warped = places_of(sm.measures.get("dtw"), np.array([0.0, 0.0, 5.0, 0.0]), np.zeros(3))
    assert warped.argmin() == 2
    long = places_of(sm.measures.get("dtw"), np.zeros(1001), np.zeros(900))
    assert long.shape == (1001,)
    assert places_of(sm.measures.get("euclidean"), np.zeros(3), np.zeros(3)) is None


def test_the_heaviest_stretch_of_negative_parts():
    assert heaviest(np.array([0.0, -3.0, -2.0, 0.0, 0.5])) == (1, 3)


def test_parts_show_where_they_lie():
    model = sm.LandmarkClassifier("substring", n_landmarks=60, random_state=0).fit(X, Y)
    explanation = model.explain(X[0])
    assert explanation.reasons[0].share is None
    assert len(explanation.saliency) == len(X[0])
    assert sums(explanation) == pytest.approx(explanation.score)


TABLE = pd.DataFrame({"word": X, "price": Y + RNG.normal(size=len(Y))})


def test_blocks_are_named_and_add_up():
    by = {"word": "levenshtein", "price": "passthrough"}
    model = sm.LandmarkClassifier(by, random_state=0).fit(TABLE, Y)
    scores = model.decision_function(TABLE[:6])
    for row, explanation in zip(scores, model.explain(TABLE[:6]), strict=True):
        best, rest = np.sort(row)[::-1][:2]
        assert explanation.score == pytest.approx(best - rest, abs=1e-4)
        assert sums(explanation) == pytest.approx(explanation.score, abs=1e-9)
        assert {reason.block for reason in explanation.reasons} <= {"word", "price"}
        assert any(group.name.startswith("word: like") for group in explanation.groups)
        assert explanation.counterfactual is None


@pytest.mark.parametrize("head", ["svm", "logistic", "linear_svc"])
def test_other_heads_are_taken_apart_alike(head):
    two = Y[:120] > 0
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=30, head=head, random_state=0)
    decisions = model.fit(X[:120], two).decision_function(X[:9])
    for decision, explanation in zip(decisions, model.explain(X[:9]), strict=True):
        assert explanation.score == pytest.approx(abs(decision), rel=1e-3, abs=1e-4)
        assert sums(explanation) == pytest.approx(explanation.score)


@pytest.mark.parametrize(
    "landmarks", ["pairs", "generated", "uniform"], ids=["pairs", "generated", "rows"]
)
@pytest.mark.parametrize("measure", ["levenshtein", ["levenshtein", "indel"]])
def test_all_kinds_of_landmarks_add_up(landmarks, measure):
    model = sm.LandmarkClassifier(measure, n_landmarks=20, landmarks=landmarks, random_state=0)
    model.fit(X[:90], Y[:90])
    scores = np.sort(model.decision_function(X[:4]), axis=1)
    for row, explanation in zip(scores, model.explain(X[:4]), strict=True):
        assert explanation.score == pytest.approx(row[-1] - row[-2], abs=1e-4)
        assert sums(explanation) == pytest.approx(explanation.score, abs=1e-9)


def test_blocks_of_one_column_show_their_measure():
    maps = [LandmarkMap("levenshtein", n_landmarks=20), LandmarkMap("jaro_winkler", n_landmarks=20)]
    explanation = sm.LandmarkClassifier(maps, random_state=0).fit(X, Y).explain(X[:1])[0]
    assert {reason.block for reason in explanation.reasons} <= {"levenshtein", "jaro_winkler"}


def test_html_is_escaped_and_complete():
    hostile = "<img src=x onerror=alert(1)>"
    names = [hostile, "Anna", "Hanna", "Otto", "Ottokar", hostile + "!"] * 3
    labels = ["<b>f</b>", "<b>f</b>", "<b>f</b>", "m", "m", "<b>f</b>"] * 3
    model = sm.LandmarkClassifier("levenshtein", random_state=0).fit(names, labels)
    explanation = model.explain(hostile)
    page = explanation._repr_html_()
    assert "<img" not in page
    assert "<b>f" not in page
    assert "&lt;" in page
    assert "like " in page


def test_where_leaves_out_what_both_classes_have():
    """A long run that all strings share is no reason; four letters that tell them apart are."""
    rng = np.random.default_rng(0)
    shared, marks = "qwertyuiopqwertyuiop", {"a": "MMMM", "b": "NNNN"}
    labels = np.array(list("ab") * 60)
    words = [
        shared + marks[label] + "".join(rng.choice(list("xyz"), 6)) for label in labels.tolist()
    ]
    model = sm.LandmarkClassifier("levenshtein", random_state=0).fit(words[:100], labels[:100])
    for one in model.explain(words[100:]):
        own = one.saliency[20:24]
        assert own.min() > np.delete(one.saliency, range(20, 24)).max()
        assert one.saliency.sum() == pytest.approx(sum(r.contribution for r in one.reasons))
        # A neighbour may be like a rival less.
        assert heaviest(one.saliency) in (
            (20, 24),
            (20, 25),
        )


def test_what_adds_next_to_nothing_is_among_the_others():
    groups = [Group("much", 1, 1.0), Group("little", 1, -0.02), Group("nothing", 2, 0.001)]
    one = Explanation("yes", [], 0.98, groups=groups)
    assert [name for name, _ in one.lines()] == ["much", "little", "all others"]
    assert sum(added for _, added in one.lines()) == pytest.approx(one.score)
