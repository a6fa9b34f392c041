"""What the tutorial says is what a newcomer meets: every command, in a shell, in its order."""

import csv
import re

import numpy as np
import pytest

import newcomer
import seamark as sm


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("walk")
    return folder, *newcomer.walk(folder)


def test_the_documents_show_the_whole_way():
    names = [argv[1] for argv in newcomer.commands("docs/tutorial.md")]
    assert names == ["assess", "fit", "describe", "explain", "predict"]
    assert {"assess", "fit", "predict"} <= {argv[1] for argv in newcomer.commands("README.md")}


def test_the_page_says_first_whether_it_is_good(walked):
    folder, said, _ = walked
    page = (folder / "report.html").read_text(encoding="utf-8")
    verdict = re.search(r"Good for this task: [^<]*accuracy ([\d.]+)", page)
    assert float(verdict[1]) > 0.6
    assert page.index("Good for this task") < page.index("Charts")
    assert "report.html" in said["assess"]


def test_a_fit_prints_what_a_person_needs(walked):
    _, said, _ = walked
    for word in ("rows", "3 classes", "blocks", "seconds", "a constant", "recall of 'IE'"):
        assert word in said["fit"]
    accuracy, low, high = map(
        float, re.search(r"accuracy +([\d.]+) \(([\d.]+) … ([\d.]+)\)", said["fit"]).groups()
    )
    assert 0.7 < low < accuracy < high < 0.95


def test_the_page_of_the_model_says_the_same(walked):
    folder, said, _ = walked
    page = (folder / "model.html").read_text(encoding="utf-8")
    accuracy = re.search(r"accuracy out of fold +([\d.]+ \(.*?\))", said["describe"])[1]
    assert f"accuracy {accuracy} on rows it had not seen" in page
    for part in ("recall of each class", "can probabilities be believed?", "time to fit"):
        assert part in page.lower()


def test_the_promise_holds_on_new_rows(walked):
    folder, said, truth = walked
    with (folder / "out.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    right = np.mean([row["prediction"] == site for row, site in zip(rows, truth, strict=True)])
    promised = float(re.search(r"accuracy out of fold +([\d.]+)", said["describe"])[1])
    assert abs(right - promised) < 0.1  # three deviations of 100 rows
    chances = [[float(row[key]) for key in row if key.startswith("prediction_")] for row in rows]
    np.testing.assert_allclose(np.sum(chances, axis=1), 1, atol=1e-3)


def test_python_opens_what_the_command_saved(walked):
    folder, said, _ = walked
    model = sm.load(folder / "dna.seamark")
    with (folder / "out.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    predicted = model.predict([row["dna"] for row in rows])
    assert predicted.tolist() == [row["prediction"] for row in rows]
    explanation = model.explain(rows[0]["dna"])
    assert sum(added for _, added in explanation.lines()) == pytest.approx(explanation.score)
    assert f"predicted {explanation.prediction}, not" in said["explain"]
