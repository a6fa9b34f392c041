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
    for word in ("rows", "using", "name: levenshtein (", "seconds", "always the median"):
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
    assert "sent: dates (" in said["fit"]  # dates with points
    assert "recall of 'lost'" in said["fit"]
    rows = rows_of(folder / "orders_out.csv")
    right = np.array([row["prediction"] for row in rows]) == truth
    assert right.mean() > 0.85  # 0.95 here
    assert {row["note"] for row in rows} >= {"two\nlines", "  spaced "}  # cells as they came
    page = (folder / "orders_model.html").read_text(encoding="utf-8")
    assert "Most surely mistaken" in page
    assert any(word in page for word in ("株式会社", "Łódź", "Söhne", "Crème"))


@pytest.fixture(scope="module")
def walked_to_the_end(tmp_path_factory):
    folder = tmp_path_factory.mktemp("end")
    return folder, newcomer.walk_to_the_end(folder)


def test_rows_without_a_target_are_refused_or_counted(walked_to_the_end):
    _, said = walked_to_the_end
    assert "'mpg' is missing in line 2 of gaps.csv" in said["refused"]
    assert "--drop-missing-target" in said["refused"]
    assert re.search(r"rows without target +34\b", said["fit"])


def test_a_test_file_gives_scores_like_those_out_of_fold(walked_to_the_end):
    folder, said = walked_to_the_end
    found = re.search(r"R² +([\d.]+) \(95 % interval ([\d.]+) to ([\d.]+)\)", said["evaluate"])
    _, low, high = map(float, found.groups())
    promised = float(re.search(r"R² +([\d.]+)", said["fit"])[1])
    assert low < promised < high
    assert "mean error" in said["evaluate"]
    page = (folder / "scores.html").read_text(encoding="utf-8")
    assert "mpg of test.csv: R² " in page
    assert "predicted against actual" in page.lower()


def test_a_prediction_is_explained_by_columns_that_sum_to_it(walked_to_the_end):
    _, said = walked_to_the_end
    first = said["explain"].split("\nline ")[0].splitlines()
    score = float(re.search(r"score ([+-][\d.]+)", first[1])[1])
    added = [re.match(r"  ([+-][\d.]+)  (\S.*)", line) for line in first[2:]]
    until = next(k for k, one in enumerate(added) if one is None)  # "the 5 strongest"
    assert sum(float(one[1]) for one in added[:until]) == pytest.approx(score, abs=0.02)
    names = [one[2].split(" = ")[0].split(":")[0] for one in added[:until]]
    assert {"weight", "horsepower", "year"} <= set(names)
    assert names.count("weight") == 1


def test_columns_that_matter_are_named(walked_to_the_end):
    folder, said = walked_to_the_end
    columns = "horsepower|weight|year|displacement"
    assert re.search(rf"R² falls most without +({columns}) by", said["fit"])
    page = (folder / "gaps.html").read_text(encoding="utf-8")
    assert "importance of columns" in page.lower()
    assert "all columns together" in said["assess"]
    page = (folder / "columns.html").read_text(encoding="utf-8")
    assert "mpg of gaps.csv (304 rows): R² 0." in page


def test_people_are_found_twice_by_several_columns(tmp_path):
    _, n = newcomer.walk_to_pairs(tmp_path)
    pairs, links = rows_of(tmp_path / "pairs.csv"), rows_of(tmp_path / "links.csv")
    assert len(pairs) == n
    assert len(links) >= 2 * n  # with the first spelling, and with itself
    grouped = rows_of(tmp_path / "grouped.csv")
    assert len({row["group"] for row in grouped} - {"", "-1"}) == n


def test_decided_pairs_teach_which_others_are_one_person(tmp_path):
    found, true = newcomer.walk_to_decisions(tmp_path)
    assert len(found & true) >= 0.95 * len(true)
    assert len(found - true) <= 1
