"""What the tutorial says is what a newcomer meets: every command, in a shell, in its order.

First with the tutorial's table, then with an awkward one of the newcomer's own.
"""

import csv
import re

import numpy as np
import pandas as pd
import pytest

import newcomer
import seamark as sm


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("walk")
    return folder, *newcomer.walk(folder)


@pytest.fixture(scope="module")
def walked_alone(tmp_path_factory):
    folder = tmp_path_factory.mktemp("alone")
    return folder, *newcomer.walk_alone(folder)


def rows_of(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_documents_show_the_whole_way():
    names = [argv[1] for argv in newcomer.commands("docs/tutorial.md")]
    assert names == ["assess", "fit", "describe", "explain", "predict"]
    assert {"assess", "fit", "predict"} <= {argv[1] for argv in newcomer.commands("README.md")}


def test_the_page_says_first_whether_it_is_good(walked):
    folder, said, _ = walked
    page = (folder / "report.html").read_text(encoding="utf-8")
    verdict = re.search(r"Good for this task: [^<]*accuracy ([\d.]+)", page)
    assert float(verdict[1]) > 0.8
    assert page.index("Good for this task") < page.index("Charts")
    assert "report.html" in said["assess"]


def test_a_fit_prints_what_a_person_needs(walked):
    _, said, _ = walked
    for word in ("rows", "columns", "name: Levenshtein()", "seconds", "always the median"):
        assert word in said["fit"]
    found = re.search(r"R² +([\d.]+) \(95 % interval ([\d.]+) to ([\d.]+)\)", said["fit"])
    r2, low, high = map(float, found.groups())
    assert 0.75 < low < r2 < high < 0.95


def test_the_page_of_the_model_says_the_same(walked):
    folder, said, _ = walked
    page = (folder / "model.html").read_text(encoding="utf-8")
    r2 = float(re.search(r"R² out of fold +([\d.]+) \(", said["describe"])[1])
    assert f"R² {r2:.2f} on unseen rows" in page
    for part in ("Explain this object", "Furthest off", "Typical examples", "time to fit"):
        assert part.lower() in page.lower()


def test_the_promise_holds_on_new_rows(walked):
    folder, said, truth = walked
    rows = rows_of(folder / "out.csv")
    found = np.array([float(row["prediction"]) for row in rows])
    promised = float(re.search(r"mean error +([\d.]+)", said["describe"])[1])
    assert abs(found - truth).mean() == pytest.approx(promised, rel=0.35)  # of 60 rows
    low, high = (
        np.array([float(row[f"prediction_{end}"]) for row in rows]) for end in ("low", "high")
    )
    assert 0.8 < np.mean((low <= truth) & (truth <= high)) < 0.99


def test_python_opens_what_the_command_saved(walked):
    folder, said, _ = walked
    model, new = sm.load(folder / "cars.seamark"), pd.read_csv(folder / "new.csv")
    written = [float(row["prediction"]) for row in rows_of(folder / "out.csv")]
    np.testing.assert_allclose(model.predict(new), written, rtol=1e-5)
    explanation = model.explain(new[:1])[0]
    assert sum(added for _, added in explanation.lines()) == pytest.approx(explanation.score)
    assert f"predicted {explanation.prediction:.4g}" in said["explain"]


def test_an_awkward_table_needs_no_more(walked_alone):
    folder, said, truth = walked_alone
    assert "price €, amount" in said["fit"]  # decimal commas, gaps
    assert "sent: DateParts()" in said["fit"]  # dates with points
    assert "of no use" in said["fit"]
    assert "recall of 'lost'" in said["fit"]
    rows = rows_of(folder / "orders_out.csv")
    right = np.array([row["prediction"] for row in rows]) == truth
    assert right.mean() > 0.85  # 0.95 here
    assert {row["note"] for row in rows} >= {"two\nlines", "  spaced "}  # cells as they came
    page = (folder / "orders_model.html").read_text(encoding="utf-8")
    assert "Most surely mistaken" in page
    assert any(word in page for word in ("株式会社", "Łódź", "Söhne", "Crème"))
