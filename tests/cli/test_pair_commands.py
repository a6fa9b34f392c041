"""`seamark dedupe`, `seamark link` and `seamark outliers`."""

import json

import numpy as np
import pytest
from cli_runs import read_csv, run, write_csv

import seamark as sm
from seamark.cli import dedupe
from seamark.search.tables import DIFFERENCES

COMPANIES = ["Acme Ltd", "Apex Inc", "Acme Ltd.", "=ACME", "Apex, Inc"]


@pytest.fixture
def companies(tmp_path):
    return write_csv(tmp_path / "c.csv", {"nr": range(10, 15), "company": COMPANIES})


def test_pairs_of_one_table(companies, capsys):
    assert run("dedupe", companies, "--column", "company", "--within", 1) == 0
    said = capsys.readouterr()
    assert said.err == "seamark: 2 pairs in 2 groups.\n"
    rows = read_csv(said.out)
    assert [(r["left"], r["right"], r["value"], r["group"]) for r in rows] == [
        ("2", "4", "1.0", "0"),
        ("3", "6", "1.0", "1"),
    ]
    assert rows[1]["right_text"] == "Apex, Inc"


def test_rows_with_their_groups(companies, tmp_path, capsys):
    out = tmp_path / "out.csv"
    assert (
        run("dedupe", companies, "--column", "company", "--within", 4, "--groups", "-o", out) == 0
    )
    rows = read_csv(out.read_text())
    assert [row["nr"] for row in rows] == ["10", "11", "12", "13", "14"]
    assert rows[3]["company"] == "'=ACME"  # a spreadsheet must not run it
    assert rows[0]["group"] == rows[2]["group"] != rows[1]["group"] == rows[4]["group"]
    assert run("dedupe", companies, "--column", "company", "--within", 4, "-o", out) == 2
    assert "--force" in capsys.readouterr().err
    assert run("dedupe", out, "--column", "company", "--within", 4, "--groups") == 2
    assert "has a column 'group' already" in capsys.readouterr().err


def test_links_of_two_tables(companies, tmp_path, capsys):
    other = write_csv(tmp_path / "o.csv", {"firm": ["Apex Inc.", "Baltic"], "x": [1, 2]})
    asked = ["link", companies, other, "--column", "company", "--within", 1, "--quiet"]
    assert run(*asked, "--other-column", "firm", "--json") == 0
    (pair,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert (pair["left"], pair["right"], pair["right_text"]) == (3, 2, "Apex Inc.")
    assert run(*asked) == 2
    assert "has no column 'company'" in capsys.readouterr().err


def test_numbers_and_series(vectors, series, capsys):
    assert run("dedupe", vectors, "--columns", "a,b", "--within", 0.01, "--quiet") == 0
    assert capsys.readouterr().out.startswith("left,right,value,group")
    long = ["--id", "run", "--time", "t", "--value", "x"]
    assert run("dedupe", series, *long, "--within", 2, "--groups", "--quiet") == 0
    rows = read_csv(capsys.readouterr().out)
    of_runs = {(row["run"], row["group"]) for row in rows}
    assert len(of_runs) == 20


def test_outliers(companies, series, tmp_path, capsys):
    asked = ["outliers", companies, "--column", "company", "--neighbours", 2]
    assert run(*asked) == 0
    rows = read_csv(capsys.readouterr().out)
    # Acme Ltd: 1 edit to Acme Ltd., 8 to Apex Inc; ties do not matter to the mean
    far = {row["company"]: float(row["outlier"]) for row in rows}
    values = sm.cross("levenshtein", COMPANIES)
    expected = np.sort(values, axis=1)[:, 1:3].mean(axis=1)
    assert list(far.values()) == expected.tolist()
    assert run(*asked, "--measure", "jaro_winkler", "--name", "odd") == 0
    odd = [float(row["odd"]) for row in read_csv(capsys.readouterr().out)]
    assert np.argmax(odd) == 3
    assert all(value < 0 for value in odd)
    long = ["--id", "run", "--time", "t", "--value", "x"]
    assert run("outliers", series, *long, "-o", tmp_path / "far.csv", "--json") == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 20
    assert run("outliers", companies, "--column", "company") == 2
    assert "--neighbours 5 needs more than the 5 objects" in capsys.readouterr().err
    assert run(*asked, "--name", "nr") == 2
    assert "has a column 'nr' already" in capsys.readouterr().err


def test_refusals(companies, capsys):
    assert run("dedupe", companies, "--column", "company", "--within", 9, "--max-pairs", 3) == 2
    assert "raise --max-pairs" in capsys.readouterr().err
    two = ["--measure", "osa", "--measure", "indel"]
    assert run("dedupe", companies, "--column", "company", "--within", 1, *two) == 2
    assert "give --measure once" in capsys.readouterr().err
    assert run("dedupe", companies, "--column", "company") == 2
    assert "--within" in capsys.readouterr().err
    assert run("dedupe", companies, "--column", "company", "--within", "nan") == 2
    assert "finite number" in capsys.readouterr().err


PEOPLE = {
    "name": ["Anna Berg", "Ana Berg", "Otto Kahn", "Oto Kahn", "Anna Berg"],
    "city": ["Oslo", "", "Rome", "Roma", "Lima"],
    "born": ["1970-05-01", "1970-05-11", "1981-02-03", "1981-02-03", "2001-07-09"],
    "size": [1.5, 1.5, 2.5, "", 9],
}
NEAR = ("--column", "name:levenshtein", "--column", "born:date", "--column", "size")
LIMITS = ("--within", "name=2", "--within", "born=31", "--within", "size=1")


def test_pairs_by_several_columns(tmp_path, capsys):
    path = write_csv(tmp_path / "p.csv", PEOPLE)
    assert run("dedupe", path, *NEAR, *LIMITS) == 0
    said = capsys.readouterr()
    assert said.err == "seamark: 2 pairs in 2 groups.\n"
    rows = read_csv(said.out)
    assert [(r["left"], r["right"], r["group"]) for r in rows] == [("2", "3", "0"), ("4", "5", "1")]
    assert (rows[0]["name_right"], rows[0]["born_value"]) == ("Ana Berg", "10.0")
    assert (rows[1]["size_right"], rows[1]["size_value"]) == ("", "")
    assert run("dedupe", path, *NEAR, *LIMITS, "--groups", "--quiet") == 0
    assert [row["group"] for row in read_csv(capsys.readouterr().out)] == ["0", "0", "1", "1", ""]
    new = write_csv(tmp_path / "n.csv", {"name": ["Otto Kahnn"], "born": ["1981-02-01"]})
    given = ("--column", "name", "--column", "born:date", "--within", "name=2", "--within")
    assert run("link", path, new, *given, "born=5", "--json", "--quiet") == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["left"], row["right"]) for row in rows] == [(4, 2), (5, 2)]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((*NEAR, "--within", 2), "give --within NAME=LIMIT, once for each"),
        ((*NEAR, *LIMITS, "--within", "name=3"), "once for each column"),
        ((*NEAR, "--within", "nome=2"), "'nome' is not among the columns"),
        ((*NEAR, *LIMITS, "--measure", "osa"), "say measures as --column NAME:MEASURE"),
        (("--column", "name", "--within", 1, "--within", 2), "give --within once"),
        (("--column", "name:date", "--column", "size", "--within", "size=1"), "no date such as"),
    ],
)
def test_limits_that_make_no_sense(given, said, tmp_path, capsys):
    path = write_csv(tmp_path / "p.csv", PEOPLE)
    assert run("dedupe", path, *given) == 2
    assert said in capsys.readouterr().err


def test_a_limit_is_a_number(tmp_path, capsys):
    path = write_csv(tmp_path / "p.csv", PEOPLE)
    assert run("dedupe", path, "--column", "name", "--within", "near") == 2
    assert "neither LIMIT nor NAME=LIMIT" in capsys.readouterr().err


def test_a_column_of_numbers_is_not_taken_for_text_in_silence(tmp_path, capsys):
    """An edit distance of at most 0.3 finds equal spellings alone."""
    path = write_csv(tmp_path / "d.csv", {"x": [8.8, 8.9, 20, 55], "name": list("abcd")})
    assert run("dedupe", path, "--column", "x", "--within", 0.3) == 2
    said = capsys.readouterr().err
    assert "--column x:number --within x=0.3" in said
    assert run("dedupe", path, "--column", "x:number", "--within", "x=0.3") == 0
    assert "1 pair in 1 group" in capsys.readouterr().err
    assert run("dedupe", path, "--column", "x", "--measure", "levenshtein", "--within", 1) == 0


def test_columns_may_be_named_with_all_that_search_knows_by_name():
    assert set(dedupe.NAMES) == set(DIFFERENCES)
