"""Assessment of "auto" and of tables: each candidate, all together, and the best recommended."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import seamark as sm
from seamark.assessment.report import next_line
from seamark.assessment.verdict import Sentence

N = 240


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "blue", None], N)
    return pd.DataFrame(
        {
            "size": rng.normal(size=N),
            "name": ["".join(rng.choice(list("abcd"), 6)) for _ in range(N)],
            "colour": colour,
            "sold": pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, N), "D"),
        }
    )


@pytest.fixture(scope="module")
def numbers(table):
    noise = np.random.default_rng(1).normal(size=N)
    return 2 * table["size"] + table["name"].str.count("a") + 0.3 * noise


def test_columns_of_a_table_are_compared_and_all_together_are_best(table, numbers, tmp_path):
    found = sm.assess("auto", table, numbers, random_state=0)
    titles = [one.title for one in found]
    assert titles[0] == "all columns together"
    assert {title.partition(":")[0] for title in titles[1:]} == set(table.columns)
    assert found[0].skill > 0.9 > found[1].skill
    assert found[1].title.startswith("size: ")
    assert all(0.9 * N <= one.n_objects <= N for one in found)
    for one in found[:2]:
        names = {"sm": sm, "X": table, "y": numbers}
        exec(next_line(one), names)
        assert names["model"].score(table[names["model"].feature_names_in_], numbers) > 0.5
    html = found.to_html(tmp_path / "p.html").read_text(encoding="utf-8")
    assert html.count("model = sm.") == 1


def test_values_and_rows_are_as_many_as_asked_for(table, numbers):
    found = sm.assess("auto", table, numbers, sample=120, budget=200_000, random_state=0)
    assert all(one.n_objects <= 120 for one in found)
    assert sum(one.n_evaluations for one in found[1:]) <= 200_000


def test_measures_by_column_are_those_given(table, numbers):
    up = np.where(numbers > 0, "up", "down")
    found = sm.assess({"name": "levenshtein", "size": "euclidean"}, table, up, random_state=0)
    titles = {one.title for one in found}
    assert titles == {"name: Levenshtein()", "size: Euclidean()", "all columns together"}


def test_objects_of_one_kind_are_compared_by_what_models_try(table, numbers):
    words = table["name"].tolist()
    found = sm.assess("auto", words, [word.count("a") for word in words], random_state=0)
    titles = {one.title for one in found}
    assert {"Levenshtein()", "NGrams(n=(1, 5))", "several measures together"} <= titles
    source = sm.rows(table, column=["size", "colour"], target=numbers.to_numpy())
    assert "size" in sm.assess("auto", source, random_state=0)[1].title


def test_no_model_is_recommended_of_a_measure_that_is_warned_of(table, numbers):
    useless = np.random.default_rng(2).integers(2, size=N)
    for one in sm.assess("auto", table, useless, random_state=0):
        assert one.verdict[0].level != "good"
        assert "model" not in next_line(one)
    good = sm.assess("euclidean", table[["size"]], numbers, random_state=0)
    assert next_line(good).startswith("model = sm.LandmarkRegressor(sm.measures.Euclidean()")
    doubtful = replace(good, verdict=[Sentence("warn", "Of some use for this task.")])
    assert next_line(doubtful) == 'print(sm.assess("auto", X, y))'


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("levenshtein", [0, 1] * 20, ["sea", "mark"] * 20), "X and y seem to be swapped"),
        ((["sea", "mark"], [0, 1], "levenshtein"), "'levenshtein' is a measure, which comes first"),
        ((["sea", "mark"], "levenshtein", [0, 1]), "'levenshtein' is a measure, which comes first"),
        (("levenshtein", ["sea", "mark"]), "y is missing"),
    ],
)
def test_arguments_in_another_order_are_named(given, said):
    with pytest.raises(ValueError, match=said):
        sm.assess(*given)
