"""A verdict never contradicts the numbers it shows, whatever they are."""

import re

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import seamark as sm
from seamark.assessment.curves import Curve, Estimate
from seamark.assessment.facts import Observation, Observations
from seamark.assessment.verdict import ENOUGH, Grounds, sentences
from seamark.measures import Custom

shares = st.floats(0, 1) | st.sampled_from([0.0, 0.444, 0.4444, 0.5, 1.0])


@st.composite
def estimates(draw):
    low, value, high = sorted(draw(st.tuples(shares, shares, shares)))
    return Estimate(value, low, high)


@st.composite
def curves(draw):
    x = np.array(draw(st.lists(st.integers(1, 500), min_size=1, max_size=6, unique=True)))
    y = np.array(draw(st.lists(shares, min_size=len(x), max_size=len(x))))
    return Curve("", "", "", np.sort(x).astype(float), y, y, y)


@st.composite
def evidences(draw):
    across, twins = sorted(draw(st.tuples(shares, shares)))
    facts = {"duplicates": twins, "contradictory duplicates": across}
    recalls = draw(st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), estimates()))
    return Grounds(
        facts=Observations({name: Observation(name, value, "") for name, value in facts.items()}),
        p_value=draw(st.sampled_from([0.005, 0.01, 0.02, 0.05, 0.06, 0.5, 1.0])),
        score_name="accuracy",
        n_test=draw(st.integers(2, 200)),
        base=draw(estimates()),
        model=draw(estimates()),
        nearest=draw(st.none() | estimates()),
        landmarks=draw(st.none() | curves()),
        chosen=draw(st.none() | curves()),
        balanced=draw(estimates()),
        recalls=recalls,
    )


INTERVAL = r"(\S+?)(?: \((\S+) … (\S+)\))?"
BASELINE = r"baseline \(a constant\) ([\d.e-]*\d)"


def numbers(found):
    """Value, low and high end, as a sentence shows them."""
    value, low, high = found
    return float(value), float(low or value), float(high or value)


@settings(max_examples=400, deadline=None)
@given(evidences())
def test_sentences_follow_from_the_numbers_in_them(e):
    first, *others = (one.text for one in sentences(e))
    check_judgement(e, first)
    for text in others:
        check_further(e, text)


def check_judgement(e, text):
    shown = re.search(rf"accuracy {INTERVAL} on unseen rows, {BASELINE}", text)
    (_, low, _), constant = numbers(shown.groups()[:3]), float(shown[4])
    word = text.split()[0].strip(":")
    if word in ("Good", "Of", "Weak"):
        assert low > constant
        assert "(p = " not in text
    else:
        p = float(re.search(r"\(p = (\S+)\)", text)[1])
        assert (p <= 0.01) == (word == "No")
    if word in ("No", "Useless"):
        assert low <= constant
    if word == "Useless":
        assert p > 0.05
        assert e.n_test >= 40


def check_further(e, text):
    if text.startswith("The nearest neighbour does better"):
        _, low, _ = numbers(re.search(rf"\({INTERVAL}\):", text).groups())
        assert low > float(f"{e.model.high:.3g}")
    if re.match(r"\d+ landmarks? give", text):
        check_landmarks(e, text)
    if text.startswith(("Duplicates", "Contradictions")):
        across = e.facts.value("contradictory duplicates")
        repeated = e.facts.value("duplicates") - across
        leaky = text.startswith("Duplicates")
        assert f" {repeated if leaky else across:.0%} of the objects" in text
        assert not leaky or repeated > across
    if text.startswith("Never recognised"):
        named = re.match(r"Never recognised: (.*?)(?: and 1 more)?\. All", text)[1].split(", ")
        assert all(e.recalls[name].value == 0 for name in named)


def check_landmarks(e, text):
    most, curve = e.landmarks.y.max(), e.landmarks
    level = e.base.value + ENOUGH * (most - e.base.value)
    few = int(text.split()[0])
    assert f"of the gain of {int(curve.x[-1])}" in text
    reached = curve.y >= min(level, most)
    assert few == curve.x[reached].min()
    assert ("1 landmark gives" in text) == (few == 1)
    chosen = re.search(r"(\d+) chosen greedily (does|do) too", text)
    if chosen:
        number = int(chosen[1])
        assert number < few
        assert e.chosen.y[e.chosen.x == number].max() >= level
        assert (chosen[2] == "does") == (number == 1)


# The cases that were reported


def test_an_interval_around_the_constant_is_no_better_than_it():
    e = Grounds(
        Observations({}), 0.005, "accuracy", 9, Estimate(0.444, 0, 1), Estimate(0.444, 0.111, 0.778)
    )
    text = sentences(e)[0].text
    assert text.startswith("No better than a constant: accuracy 0.444 ")
    assert "eak" not in text
    assert len(sentences(e)) == 1


def test_a_coarse_measure_is_not_called_leaky():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), rng.integers(2, size=300)
    coarse = Custom(lambda a, b: float((a[0] > 0) != (b[0] > 0)), kind="distance")
    for targets in (y, rng.normal(size=300)):  # classes and numbers: neither repeats
        words = [one.text.split(":")[0] for one in sm.assess(coarse, X, targets).verdict]
        assert "Contradictions" in words
        assert "Duplicates" not in words


def test_a_rare_class_that_is_never_found_is_named():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(600) < 590, "no", "<yes>")
    found = sm.assess("euclidean", rng.normal(size=(600, 2)), y, random_state=0)
    assert found.estimates["recall of <yes>"].value == 0
    assert found.estimates["recall of no"].value == 1
    assert found.estimates["balanced accuracy"].value == 0.5
    assert found.estimates["constant"].value == found.estimates["landmark model"].value
    assert "Never recognised: <yes>. All held-out objects of this class" in str(found)
    assert "recall of <yes>" in str(found)
    assert found.to_frame().loc["recall of <yes>"].tolist() == [
        0.0,
        0.0,
        found.estimates["recall of <yes>"].high,
    ]
    assert found.estimates["recall of <yes>"].high > 0.5  # of three objects little is known
    html = found._repr_html_()
    assert "recall of &lt;yes&gt;" in html
    assert "<yes>" not in html
    rows = [(name, remark) for name, _, remark in found.document()["facts"]]
    assert ("recall of <yes>", "of the landmark model") in rows
    assert ("balanced accuracy", "of the landmark model") in rows


def test_perfect_scores_have_an_interval():
    X = np.repeat([0.0, 5.0], 60)[:, None] + np.linspace(0, 1, 120)[:, None]
    found = sm.assess("euclidean", X, np.repeat([0, 1], 60), random_state=0)
    assert re.fullmatch(r"1 \(0\.9\d* … 1\)", str(found.estimates["landmark model"]))
    assert str(Estimate(1.0, 1.0, 1.0)) == "1"
