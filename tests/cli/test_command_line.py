"""The commands, in this process: what they write and say."""

import json
import re
import sys

import numpy as np
import pytest
from cli_runs import NAMES, SEX, read_csv, run, write_csv

import seamark as sm
from seamark.cli.columns import Reading, read_objects
from seamark.cli.messages import show_table
from seamark.cli.tables import read_table
from seamark.data import series
from seamark.saving import contents


def test_fit_then_predict_strings(names, tmp_path, capsys):
    model, out = tmp_path / "m.seamark", tmp_path / "out.csv"
    fit = ("fit", names, "--target", "sex", "--column", "name", "--measure", "levenshtein")
    assert run(*fit, "-o", model) == 0
    shown = capsys.readouterr()
    assert "Levenshtein()" in shown.out
    assert shown.err == ""
    assert run("predict", model, names, "--proba", "-o", out) == 0
    assert capsys.readouterr().out == ""
    rows = read_csv(out.read_text())
    assert [row["prediction"] for row in rows] == SEX
    assert [row["name"] for row in rows] == NAMES
    chances = [float(row["prediction_f"]) + float(row["prediction_m"]) for row in rows]
    np.testing.assert_allclose(chances, 1.0)
    # The file is the library's own.
    python = sm.LandmarkClassifier("levenshtein", random_state=0).fit(NAMES, SEX)
    np.testing.assert_array_equal(sm.load(model).predict_proba(NAMES), python.predict_proba(NAMES))


def test_the_only_text_column_is_found(names, tmp_path, capsys):
    assert (
        run("fit", names, "--target", "sex", "--measure", "levenshtein", "-o", tmp_path / "m") == 0
    )
    assert contents(tmp_path / "m").about["reading"]["column"] == "name"


def test_vectors_and_every_task(vectors, tmp_path, capsys):
    tasks = {
        "classify": ("label", "up"),
        "regress": ("amount", None),
        "ordinal": ("stars", None),
        "rank": ("stars", None),
    }
    for task, (target, _) in tasks.items():
        path = tmp_path / task
        more = ("--query", "query") if task == "rank" else ()
        given = ("fit", vectors, "--target", target, "--columns", "a,b", "--task", task, *more)
        assert run(*given, "-o", path, "--json") == 0
        assert json.loads(capsys.readouterr().out)["task"] == task
        assert run("predict", path, vectors) == 0
        rows = read_csv(capsys.readouterr().out)
        if task in ("classify", "ordinal"):
            assert np.mean([row["prediction"] == row[target] for row in rows]) > 0.8
        else:
            pairs = np.array([(row["prediction"], row[target]) for row in rows], dtype=float)
            assert np.corrcoef(pairs.T)[0, 1] > 0.8


@pytest.mark.parametrize(
    ("target", "more", "task"),
    [
        ("label", (), "classify"),
        ("amount", (), "regress"),
        ("stars", (), "classify"),
        ("stars", ("--query", "query"), "rank"),
        ("label", ("--order", "down,up"), "ordinal"),
    ],
)
def test_the_task_is_guessed(vectors, tmp_path, capsys, target, more, task):
    given = ("fit", vectors, "--target", target, "--columns", "a,b", *more, "--json")
    assert run(*given, "-o", tmp_path / "m") == 0
    assert json.loads(capsys.readouterr().out)["task"] == task


def test_all_numeric_columns_but_the_target(vectors, tmp_path, capsys):
    given = ("fit", vectors, "--target", "amount", "--query", "query", "--task", "regress")
    assert run(*given, "--measure", "gaussian", "-o", tmp_path / "m") == 0
    assert contents(tmp_path / "m").about["reading"]["columns"] == ["a", "b", "stars"]


@pytest.mark.parametrize("value", ["x", "x,y"])
def test_series_in_long_format(series, tmp_path, capsys, value):
    given = ("fit", series, "--target", "state", "--id", "run", "--time", "t", "--value", value)
    assert run(*given, "-o", tmp_path / "m", "--measure-arg", "window=3") == 0
    assert "window=3" in capsys.readouterr().out
    assert run("predict", tmp_path / "m", series, "--name", "guess") == 0
    rows = read_csv(capsys.readouterr().out)
    assert {tuple(row) for row in rows} == {("run", "guess")}
    assert len({row["run"] for row in rows}) == len(rows) == 20
    right = [row["guess"] == ["calm", "rough"][int(row["run"][3:]) % 2] for row in rows]
    assert np.mean(right) > 0.8


def test_sets_in_long_format(series, tmp_path, capsys):
    given = ("fit", series, "--target", "state", "--id", "run", "--value", "x,y")
    assert run(*given, "-o", tmp_path / "m") == 0
    assert re.search(
        r"using +(member|chamfer|Summaries|modified_hausdorff)", capsys.readouterr().out
    )
    assert run("predict", tmp_path / "m", series, "--json") == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == 20


def test_a_model_saved_in_python_predicts_too(names, tmp_path, capsys):
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=5, random_state=0).fit(NAMES, SEX)
    sm.save(model, tmp_path / "m")
    assert run("predict", tmp_path / "m", names, "--column", "name", "-o", tmp_path / "o.tsv") == 0
    assert (tmp_path / "o.tsv").read_text().startswith("name\tsex\tprediction\n")
    sm.save(sm.LandmarkMap(), tmp_path / "map")
    assert run("predict", tmp_path / "map", names) == 2
    assert "a LandmarkMap, which cannot predict" in capsys.readouterr().err


def test_never_overwrites_without_force(names, tmp_path, capsys):
    model, out = tmp_path / "m", tmp_path / "o.csv"
    fit = ("fit", names, "--target", "sex", "--column", "name", "--quiet", "-o", model)
    assert run(*fit) == 0
    before = model.read_bytes()
    assert run(*fit, "--landmarks", 4) == 2
    assert "already exists; use --force to overwrite it." in capsys.readouterr().err
    assert model.read_bytes() == before
    assert run(*fit, "--measure", "levenshtein", "--landmarks", 4, "--force") == 0
    assert sm.load(model).map_.n_landmarks_ == 4
    out.write_text("precious")
    assert run("predict", model, names, "-o", out) == 2
    assert out.read_text() == "precious"
    assert run("predict", model, names, "-o", out, "--force") == 0
    assert out.read_text().startswith("name,sex,prediction\n")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m", "names.csv", "o.csv"]


def test_times_may_be_dates(tmp_path, capsys):
    days = ["2026-01-02", "2026-01-01", "2025-12-31"]
    path = write_csv(tmp_path / "d.csv", {"id": ["r"] * 3, "t": days, "x": [3, 2, 1]})
    objects = read_objects(read_table(path), Reading(id="id", time="t", value=["x"]), series)
    assert [x.tolist() for x in objects.data] == [[1.0, 2.0, 3.0]]


def test_measures(capsys):
    assert run("measures") == 0
    listed = capsys.readouterr().out
    for name in sm.measures.catalogue():
        assert name in listed
    assert "rapidfuzz:levenshtein" in listed
    assert run("measures", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    gaussian = next(one for one in found["measures"] if one["name"] == "gaussian")
    assert (gaussian["objects"], gaussian["bounds"]) == ("vectors", [0.0, 1.0])
    assert run("measures", "gausian") == 2
    assert "did you mean 'gaussian'" in capsys.readouterr().err


def test_tables_by_rich_take_no_markup(capsys, monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    show_table(("a",), [("[red]x[/red]",)])
    assert "[red]x[/red]" in capsys.readouterr().out


@pytest.mark.parametrize(("seed", "low", "high"), [(None, 0.9, 1.0), (0, -0.5, 0.4)])
def test_fit_says_how_well_it_does_on_unseen_numbers(tmp_path, capsys, seed, low, high):
    # Shuffled targets: R² of 0 or less is expected; 0.4 would be a p below 10⁻⁴ with 60 objects.
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] if seed is None else np.random.default_rng(seed).permutation(X[:, 0])
    path = write_csv(tmp_path / "d.csv", {"a": X[:, 0], "b": X[:, 1], "y": y})
    assert (
        run("fit", path, "--target", "y", "--columns", "a,b", "-o", tmp_path / "m", "--json") == 0
    )
    assert low <= json.loads(capsys.readouterr().out)["out_of_fold_r2"] <= high
