import json
import pickle
import re

import numpy as np
import pytest

import seamark as sm
from seamark.assessment import Assessment, Comparison
from seamark.assessment.curves import Bench, Bootstrap
from seamark.assessment.judgement import REASONS, explain, permutation_p, quick_model
from seamark.assessment.report import next_line
from seamark.assessment.sample import Sample, draw
from seamark.assessment.tasks import read_task
from seamark.measures import Custom, Linear, Precomputed


@pytest.fixture
def points(rng):
    return rng.normal(size=(90, 3))


def above(points):
    return np.where(points[:, 0] > 0, "up", "down")


def words(rng, n=60):
    return ["".join(rng.choice(list("abc"), size=k)) for k in rng.integers(1, 12, size=n)]


TASKS = {
    "classification": lambda X: {"y": above(X)},
    "regression": lambda X: {"y": X[:, 0]},
    "ordinal": lambda X: {"y": np.digitize(X[:, 0], [-0.5, 0.5]), "task": "ordinal"},
    "ranking": lambda X: {"y": np.digitize(X[:, 0], [0, 1]), "qid": np.arange(90) // 6},
}


@pytest.mark.parametrize("task", TASKS)
def test_every_task_is_judged(task, points, tmp_path):
    found = sm.assess("euclidean", points, **TASKS[task](points), random_state=0)
    assert found.task == task
    assert found.verdict[0].level == "good"
    for one in found.estimates.values():
        assert one.low <= one.value <= one.high
    for curve in found.curves.values():
        assert np.all(curve.low <= curve.y)
        assert np.all(curve.y <= curve.high)
    for name in {"strong", "margin", "hinge"} & set(found.curves):
        assert np.all(np.diff(found.curves[name].y) >= 0)
    if "loss" in found.curves:
        assert np.all(np.diff(found.curves["loss"].y) <= 0)
    assert ("strong" in found.curves) is (task == "classification")
    assert ("loss" in found.curves) is (task != "classification")
    assert found.estimates["landmark model"].value > found.estimates["constant"].value
    page = found.to_html(tmp_path / "report.html").read_text(encoding="utf-8")
    assert found.verdict[0].text.split(";")[0] in page
    given = TASKS[task](points)
    names = {"sm": sm, "X": points, "y": given["y"], "qid": given.get("qid")}
    exec(next_line(found), names)  # the line to copy works as it is
    assert names["model"].predict(points[:2]).shape == (2,)
    with pytest.raises(FileExistsError):
        found.to_html(tmp_path / "report.html")


def test_a_class_may_be_too_rare_to_be_learned(points):
    y = np.where(points[:, 0] > 0, 1, 0)
    y[3] = 2
    found = sm.assess("euclidean", points, y, random_state=0)
    assert found.verdict[0].level == "good"
    assert {one["prediction"] for one in found.document()["explanations"]} <= {0, 1}


def test_every_domain_is_judged(rng):
    strings = words(rng)
    lengths = [len(word) for word in strings]
    found = sm.assess("levenshtein", strings, lengths, task="regression", random_state=0)
    assert found.skill > 0.8
    series = [rng.normal(size=k) for k in rng.integers(4, 9, size=40)]
    assert sm.assess("dtw", series, [len(s) % 2 for s in series]).domain == "series"
    sets = [rng.normal(size=(4, 2)) for _ in range(40)]
    assert sm.assess("hausdorff", sets, np.arange(40) % 2).domain == "sets"
    anything = [{"a": k} for k in range(40)]
    found = sm.assess(lambda x, y: abs(x["a"] - y["a"]), anything, np.arange(40) > 19)
    assert found.facts.every["kind"].text == "distance"
    assert found.verdict[0].level == "good"


def test_a_matrix_is_judged_as_the_measure_is(points):
    y = above(points)
    D = sm.cross("euclidean", points)
    direct = sm.assess("euclidean", points, y, random_state=0)
    matrix = sm.assess(Precomputed(kind="distance"), D, y, random_state=0)
    for name in ("landmark model", "nearest neighbour", "weak γ"):
        assert np.isclose(direct.estimates[name].value, matrix.estimates[name].value, atol=0.02)
    columns = sm.assess(Precomputed(square=False), D[:, :20], y, random_state=0)
    assert columns.verdict[0].level == "good"
    assert "weak γ" not in columns.estimates
    assert "asymmetry" not in columns.facts.every


def test_measures_are_compared_and_ranked(points):
    noise = np.random.default_rng(0)
    blind = Custom(lambda a, b: float(noise.normal()), kind="similarity")
    points = np.concatenate([points, points[:45] + 0.1])
    found = sm.assess([blind, "euclidean"], points, above(points), random_state=0)
    assert isinstance(found, Comparison)
    assert found[0].title == "Euclidean()"
    assert "Useless" in found[1].verdict[0].text
    assert str(found).splitlines()[1].startswith("Euclidean()")


def test_the_same_seed_gives_the_same_verdict(points):
    y = above(points)
    first, again = (sm.assess("gaussian", points, y, random_state=3) for _ in range(2))
    assert first.estimates == again.estimates
    assert [one.text for one in first.verdict] == [one.text for one in again.verdict]


def test_the_document_is_plain(rng):
    strings = words(rng)
    y = ["long" if len(word) > 6 else "short" for word in strings]
    found = sm.assess("levenshtein", strings, y, random_state=0)
    document = found.document()
    written = json.loads(json.dumps(document, allow_nan=False))
    for name, part in document.items():  # JSON has no tuples
        lines = list(map(list, part)) if name in ("summary", "facts") else part
        assert written[name] == lines
    keys = {"title", "domain", "verdict", "figures", "facts", "landmarks", "explanations"}
    keys |= {"summary", "code", "landmarks_title", "mistaken", "mistaken_title"}
    assert set(document) == keys
    assert {one["level"] for one in document["verdict"]} <= {"good", "warn", "bad", "info"}
    for figure in document["figures"]:
        assert figure["kind"] in ("line", "bars")
        for series in figure["series"]:
            given = [series[axis] for axis in ("x", "y", "low", "high") if series[axis] is not None]
            assert len({len(axis) for axis in given}) == 1
    for landmark in document["landmarks"]:
        assert strings[landmark["index"]] == landmark["object"]
        assert y[landmark["index"]] == landmark["label"]
    for one in document["explanations"]:
        assert one["object"] in strings
        assert {one["truth"], one["prediction"]} <= {"long", "short"}
        for reason in one["reasons"]:
            value = sm.cross("levenshtein", [one["object"]], [reason["object"]])[0, 0]
            assert value == reason["value"]


def test_reasons_add_up_to_the_prediction(points):
    # Four landmarks: all are shown, and what they add is relative to an average object.
    found = sm.assess("linear", points, points[:, 0], random_state=0, sample=14)
    assert found.n_references == 4
    rest = [
        one["prediction"] - sum(reason["contribution"] for reason in one["reasons"])
        for one in found.document()["explanations"]
    ]
    assert len(rest) > 2
    assert np.allclose(rest, rest[0])


def test_failures_say_whose_numbers_they_name(rng):
    series = [rng.normal(size=k) for k in rng.integers(4, 30, size=40)]
    with pytest.raises(ValueError, match="leaves no path") as caught:
        sm.assess(sm.measures.DTW(window=1), series, np.arange(40) % 2)
    assert "of the sample that assess drew" in caught.value.__notes__[0]


def test_an_assessment_prints_pickles_and_escapes(points):
    found = sm.assess("euclidean", points, above(points), random_state=0)
    assert isinstance(found, Assessment)
    text = str(found)
    assert text.startswith("Euclidean(): classification, 90 of 90 vectors\n")
    assert "landmark model" in text
    assert repr(found) == "<Assessment of Euclidean(), classification: good>"
    assert str(pickle.loads(pickle.dumps(found))) == text
    hostile = Assessment(**{**vars(found), "title": "<script>alert(1)</script>"})
    assert "<script>" not in hostile._repr_html_()


def test_constant_measures_make_a_page_too(points, tmp_path):
    found = sm.assess([lambda a, b: 1.0, "euclidean"], points, above(points), random_state=0)
    page = found.to_html(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Constant: the measure gives every pair the same value" in page


def test_landmarks_that_are_of_no_use_make_an_assessment_too():
    """Of the rows that are learned from, none has another value than the others."""

    def odd(a, b):
        return float((a == "odd") != (b == "odd"))

    measure = sm.measures.Custom(odd, kind="distance", vectorised=False)
    y = [i % 3 for i in range(60)]
    found = sm.assess(measure, ["a"] * 59 + ["odd"], y, random_state=0)
    assert "20 landmarks" in str(found)


def test_pictures_show_every_figure(points):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    found = sm.assess("euclidean", points, above(points), random_state=0)
    display = found.plot()
    titles = [ax.get_title() for ax in display.axes_]
    assert titles == [figure["title"] for figure in found.document()["figures"]]
    for topic in ("goodness", "landmarks"):
        (ax,) = sm.plotting.AssessmentDisplay.from_assessment(found, about=topic).axes_
        assert ax.lines
    assert sm.plotting.SpectrumDisplay.from_assessment(found).ax_.lines
    pyplot.close("all")


def test_progress_goes_from_start_to_end(points):
    class Heard(sm.engine.Progress):
        total = done = 0

        def start(self, total, unit="values"):
            self.total += total

        def advance(self, amount):
            self.done += amount

    heard = Heard()
    sm.assess("euclidean", points, above(points), progress=heard)
    assert heard.done == heard.total > 0


def test_reasons_speak_for_a_class_above_the_best_other(points):
    # Few landmarks: all are shown, so that they add up to the difference of two scores, as in a
    # model's explanations, from that of an average object.
    task = read_task(np.digitize(points[:, 0], [-0.4, 0.4]), "auto", None)
    rng, silent = np.random.default_rng(1), sm.engine.Progress()
    sample = draw(Linear(), points, task, most=16, budget=10**6, rng=rng, n_jobs=1, progress=silent)
    assert sample.values.shape[1] <= REASONS
    bench = Bench(sample, task, "similarity", Bootstrap(None, len(sample.test), rng), 0)
    model = quick_model(bench, points)
    learn, test = bench.features(model.transfer)
    scores = model.head.decision_function(np.vstack([learn.mean(axis=0), test]))
    for one in explain(bench, model, points).explanations:
        i = next(i for i, row in enumerate(sample.test) if (points[row] == one["object"]).all())
        mine = list(model.head.classes_).index(model.predictions[i])
        rival = np.argsort(scores[1 + i])[-2]
        above = scores[:, mine] - scores[:, rival]
        said = sum(reason["contribution"] for reason in one["reasons"])
        assert np.isclose(said, above[1 + i] - above[0])


def bench(values, y, seed, qid=None):
    n = len(y)
    task = read_task(y, "auto", qid)
    rng = np.random.default_rng(seed)
    sample = Sample(
        measure=Custom(lambda a, b: 0.0, kind="similarity"),
        learn=np.arange(n // 2),
        test=np.arange(n // 2, n),
        reference=None,
        columns=np.arange(values.shape[1]),
        landmarks=np.empty(values.shape[1], dtype=object),
        values=values.astype(np.float32),
        square=None,
        n_evaluations=0,
        seconds=0.0,
    )
    return Bench(sample, task, "similarity", Bootstrap(None, n - n // 2, rng), 0)


def test_p_values_are_uniform_without_a_relation(rng):
    # 100 useless problems: the number with p ≤ 0.2 is Binomial(100, 0.2), outside 6 … 36 with
    # probability 2e-4.
    found = []
    for seed in range(100):
        y = rng.integers(2, size=40)
        found.append(permutation_p(bench(rng.normal(size=(40, 4)), y, seed), rng))
    assert 6 <= np.sum(np.array(found) <= 0.2) <= 36
    assert min(found) >= 1 / 200


def test_queries_are_shuffled_within(rng):
    # Relevance that follows the query alone: shuffled within queries it stays, and p is 1.
    y = np.repeat([0, 1, 2, 3, 1, 2, 3, 0], 5)
    values = rng.normal(size=(40, 3)) + y[:, None]
    assert permutation_p(bench(values, y, 0, qid=np.repeat(np.arange(8), 5)), rng) == 1
    assert permutation_p(bench(values, y.astype(float) + 0.5, 0), rng) < 0.02


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"task": "sorting"}, "task must be one of auto, classification.*got 'sorting'"),
        ({"budget": 0}, "budget must be a positive whole number"),
        ({"sample": 1.5}, "sample must be a positive whole number"),
        ({"y": ["a"] * 90}, "all of y is 'a'"),
        ({"y": ["a", "b"] * 40}, "X has 90 objects and y has 80 targets"),
        ({"y": ["a", "b", None] * 30}, "y\\[2\\] is missing \\(None\\)"),
        ({"y": [np.nan] + [0.5] * 89}, "y\\[0\\] is missing \\(nan\\)"),
        ({"task": "ranking"}, "task='ranking' needs qid"),
        ({"y": [0, 1] * 45, "qid": [0, 1] * 45}, "qid names 2 queries; give at least three"),
        ({"y": [1] + [0] * 89, "qid": np.arange(90) // 9}, "to learn from all have the target 0"),
        ({"qid": [0] * 90, "task": "regression"}, "qid names the query of each object"),
        ({"task": "regression"}, "y holds strings, such as 'up', where numbers are needed"),
    ],
)
def test_mistakes_are_named(changes, message, points):
    with pytest.raises(ValueError, match=message):
        sm.assess("euclidean", points, **({"y": above(points), "random_state": 0} | changes))


def test_few_landmarks_are_named_as_reasons_the_strongest_first(points):
    for y in (above(points), points[:, 0]):
        for one in sm.assess("euclidean", points, y, random_state=0).explained.explanations:
            sizes = [abs(reason["contribution"]) for reason in one["reasons"]]
            assert sizes == sorted(sizes, reverse=True)
            assert len(sizes) == REASONS


def test_landmarks_are_shown_by_what_they_stand_for():
    """Single odd strings once led a list of landmarks by the size of their coefficients."""
    rng = np.random.default_rng(1)
    y = np.arange(120) % 2
    words = ["".join(rng.choice(list("abc" if k else "bcd"), 6)) for k in y]
    odd = rng.choice(120, 15, replace=False)
    for i in odd:
        words[i] = "".join(rng.choice(list("<>&'\"=/%"), int(rng.integers(30, 60))))
    document = sm.assess("levenshtein", words, y, random_state=1).document()
    for label in (0, 1):
        shown = [one for one in document["landmarks"] if one["label"] == label]
        assert 1 <= len(shown) <= 3
        assert shown[0]["index"] not in odd
        assert all(y[one["index"]] == label and one["weight"] is None for one in shown)
        shares = [int(re.search("stands for ([0-9]+)%", one["note"])[1]) for one in shown]
        assert shares == sorted(shares, reverse=True)
        assert abs(sum(shares) - 100) <= 1
    for one in document["mistaken"]:
        assert one["object"] == words[one["index"]]
        assert one["truth"] == y[one["index"]] != one["prediction"]
    assert len(document["mistaken"]) > 0
