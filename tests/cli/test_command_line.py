"""The commands, in this process: what they write, say and return."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

import seamark as sm
from seamark.cli import main
from seamark.saving import contents

NAMES = ["Anna", "Hanna", "Johanna", "Susanna", "Rosanna", "Otto", "Ottokar", "Lotto", "Botto"] * 3
SEX = ["f", "f", "f", "f", "f", "m", "m", "m", "m"] * 3


def write_csv(path, columns):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return str(path)


def read_csv(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def names(tmp_path):
    return write_csv(tmp_path / "names.csv", {"name": NAMES, "sex": SEX})


@pytest.fixture
def vectors(tmp_path):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2)).round(3)
    label = np.where(X[:, 0] > 0, "up", "down")
    columns = {"a": X[:, 0], "b": X[:, 1], "note": ["x"] * 60, "label": label}
    more = {"amount": (X[:, 0] * 2).round(3), "stars": np.digitize(X[:, 0], [-0.5, 0.5])}
    return write_csv(tmp_path / "v.csv", {**columns, **more, "query": np.arange(60) // 10})


@pytest.fixture
def series(tmp_path):
    rng = np.random.default_rng(4)
    rows = [
        (f"run{i}", t, x, -x, ["calm", "rough"][i % 2])
        for i in range(20)
        for t, x in enumerate(rng.normal(scale=1 + 4 * (i % 2), size=5 + i % 3).round(3))
    ]
    order = rng.permutation(len(rows))  # a long format need not be sorted
    columns = zip(*(rows[i] for i in order), strict=True)
    names = ("run", "t", "x", "y", "state")
    return write_csv(tmp_path / "s.csv", dict(zip(names, columns, strict=True)))


def run(*argv):
    return main([str(one) for one in argv])


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
    assert run("fit", vectors, "--target", "amount", "--query", "query", "--task", "regress",
               "-o", tmp_path / "m") == 0  # fmt: skip
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
    assert "ModifiedHausdorff" in capsys.readouterr().out
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
    assert "a LandmarkMap, which predicts nothing" in capsys.readouterr().err


def test_predictions_are_written_as_they_are(tmp_path, capsys):
    """Spreadsheets run cells that begin with `=`; the page on the command line says so."""
    path = write_csv(
        tmp_path / "d.csv",
        {"t": ["=1+1", "=1+2", "b", "bb"] * 3, "y": ["=A1", "=A1", "b", "b"] * 3},
    )
    assert run("fit", path, "--target", "y", "--column", "t", "-o", tmp_path / "m") == 0
    capsys.readouterr()
    assert run("predict", tmp_path / "m", path) == 0
    assert read_csv(capsys.readouterr().out)[0] == {"t": "=1+1", "y": "=A1", "prediction": "=A1"}


def test_never_overwrites_without_force(names, tmp_path, capsys):
    model, out = tmp_path / "m", tmp_path / "o.csv"
    fit = ("fit", names, "--target", "sex", "--column", "name", "--quiet", "-o", model)
    assert run(*fit) == 0
    before = model.read_bytes()
    assert run(*fit, "--landmarks", 4) == 2
    assert "exists already; to replace it, say so:" in capsys.readouterr().err
    assert model.read_bytes() == before
    assert run(*fit, "--landmarks", 4, "--force") == 0
    assert sm.load(model).map_.n_landmarks_ == 4
    out.write_text("precious")
    assert run("predict", model, names, "-o", out) == 2
    assert out.read_text() == "precious"
    assert run("predict", model, names, "-o", out, "--force") == 0
    assert out.read_text().startswith("name,sex,prediction\n")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m", "names.csv", "o.csv"]


ERRORS = [
    (("--target", "gender"), "no column 'gender'; its columns are name, sex"),
    (("--column", "surname"), "no column 'surname'"),
    (("--columns", "name"), "'name' is 'Anna' in line 2 of .*, which is no number"),
    (("--measure", "levenstein"), "unknown measure 'levenstein'; did you mean 'levenshtein'"),
    (("--measure", "gaussian"), "no numeric columns besides the target"),
    (("--measure", "gaussian", "--column", "name"), "--column does not go with a measure of vec"),
    (("--measure", "dtw"), "name its columns with --id, --time and --value"),
    (("--measure", "hausdorff"), "name its columns with --id and --value"),
    (("--measure", "levenshtein", "--measure-arg", "window=3"), "has no parameter 'window'"),
    (("--measure", "gaussian", "--measure-arg", "width=-1"), "width"),
    (("--column", "name", "--task", "regress"), "'sex' is 'f' in line 2 of .*, which is no number"),
    (("--column", "name", "--task", "rank"), "needs the column of queries: --query"),
    (("--column", "name", "--order", "f,m", "--task", "classify"), "--order goes with"),
    (("--column", "name", "--order", "f,x"), "'sex' is m in line 7 of .*, which --order f,x lacks"),
    (("--column", "name", "--measure", "levenshtein", "--measure", "osa"), "takes one --measure"),
    (("--measure", "dtw", "--measure", "osa"), "different kinds of objects"),
    (("--encoding", "utf-16", "--column", "name"), "is not utf-16|no column"),
]


@pytest.mark.parametrize(("given", "sentence"), ERRORS, ids=lambda x: " ".join(x)[:40])
def test_one_sentence_and_exit_code_2(names, tmp_path, capsys, given, sentence):
    target = () if "--target" in given else ("--target", "sex")
    assert run("fit", names, *target, *given, "-o", tmp_path / "m") == 2
    shown = capsys.readouterr()
    assert re.search(sentence, shown.err)
    assert shown.err.startswith("seamark: error: ")
    assert len(shown.err.splitlines()) == 1
    assert shown.out == ""
    assert not (tmp_path / "m").exists()


BROKEN = [
    ({"a": [1.0, "", 3.0], "y": [0, 1, 0]}, "'a' is missing in line 3 of .*; fill or drop"),
    ({"a": [1.0, "nan", 3.0], "y": [0, 1, 0]}, "'a' is nan in line 3"),
    ({"a": [1.0, "1e999", 3.0], "y": [0, 1, 0]}, "'a' is 1e999 in line 3"),
    ({"a": [1.0, "1_0", 3.0], "y": [0, 1, 0]}, "'a' is '1_0' in line 3 .*, which is no number"),
    ({"a": [1.0, 2.0, 3.0], "y": ["p", "", "q"]}, "'y' is missing in line 3"),
    ({"a": [1.0, 2.0, 3.0], "y": ["p", "p", "p"]}, "one class only, 'p'"),
]


@pytest.mark.parametrize(("columns", "sentence"), BROKEN)
def test_cells_that_are_wrong(tmp_path, capsys, columns, sentence):
    path = write_csv(tmp_path / "d.csv", columns)
    assert run("fit", path, "--target", "y", "--columns", "a", "-o", tmp_path / "m") == 2
    assert re.search(sentence, capsys.readouterr().err)


LONG = {"id": ["r", "r", "s"], "t": [1, 2, 1], "x": [0.5, 1.5, 2.5], "y": ["p", "p", "q"]}
BROKEN_LONG = [
    ({"t": [1, 1, 1]}, "'t' is 1 in line 3 of .* and in line 2, of the same series"),
    ({"y": ["p", "q", "q"]}, "'y' is q in line 3 of .* and p in line 2, of the same object"),
    ({"id": ["r", "", "s"]}, "'id' is missing in line 3"),
    ({"x": [0.5, "", 2.5]}, "'x' is missing in line 3"),
]


@pytest.mark.parametrize(("wrong", "sentence"), BROKEN_LONG)
def test_long_formats_that_are_wrong(tmp_path, capsys, wrong, sentence):
    path = write_csv(tmp_path / "d.csv", LONG | wrong)
    given = ("--id", "id", "--time", "t", "--value", "x")
    assert run("fit", path, "--target", "y", *given, "-o", tmp_path / "m") == 2
    assert re.search(sentence, capsys.readouterr().err)


def test_times_may_be_dates(tmp_path, capsys):
    from seamark.cli.columns import Reading, read_objects
    from seamark.cli.tables import read_table
    from seamark.objects import series

    days = ["2026-01-02", "2026-01-01", "2025-12-31"]
    path = write_csv(tmp_path / "d.csv", {"id": ["r"] * 3, "t": days, "x": [3, 2, 1]})
    objects = read_objects(read_table(path), Reading(id="id", time="t", value=["x"]), series)
    assert [x.tolist() for x in objects.data] == [[1.0, 2.0, 3.0]]


def test_usage_is_2_help_is_0_and_nothing_is_abbreviated(capsys):
    assert run() == 2
    assert run("fit") == 2
    assert run("sail") == 2
    assert run("measures", "--js") == 2
    assert run("fit", "a.csv", "--target", "y", "-o", "m", "--landmarks", "0") == 2
    assert run("fit", "a.csv", "--target", "y", "-o", "m", "--measure-arg", "width") == 2
    assert "KEY=VALUE" in capsys.readouterr().err
    assert run("--help") == 0
    assert run("--version") == 0
    assert sm.__version__ in capsys.readouterr().out


def test_what_fails_is_1_and_debug_shows_where(names, tmp_path, capsys, monkeypatch):
    def broken(*args, **options):
        raise RuntimeError("the sea\nis rough")

    monkeypatch.setattr(sm.LandmarkClassifier, "fit", broken)
    given = ("fit", names, "--target", "sex", "--column", "name", "-o", tmp_path / "m")
    assert run(*given) == 1
    assert capsys.readouterr().err == "seamark: failed: the sea is rough\n"
    with pytest.raises(RuntimeError):
        run(*given, "--debug")


def test_interrupted_is_130(names, tmp_path, capsys, monkeypatch):
    def stopped(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(sm.LandmarkClassifier, "fit", stopped)
    assert run("fit", names, "--target", "sex", "--column", "name", "-o", tmp_path / "m") == 130
    assert capsys.readouterr().err == "seamark: interrupted.\n"
    assert not (tmp_path / "m").exists()


def test_warnings_are_a_line_and_quiet_is_quiet(names, tmp_path, capsys):
    given = ("fit", names, "--target", "sex", "--column", "name", "--landmarks", 500, "--force")
    assert run(*given, "-o", tmp_path / "m") == 0
    assert "seamark: warning: n_landmarks=500, but" in capsys.readouterr().err
    assert run(*given, "-o", tmp_path / "m", "--quiet") == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("text", ["hello", "PK\x03\x04"])
def test_a_model_that_is_none(names, tmp_path, capsys, text):
    (tmp_path / "m").write_text(text)
    assert run("predict", tmp_path / "m", names) == 2
    assert "damaged, or no saved model" in capsys.readouterr().err


def test_a_model_whose_columns_make_no_sense(names, tmp_path, capsys):
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=5, random_state=0).fit(NAMES, SEX)
    for reading in ([1], {"column": 3}, {"sail": "x"}):
        sm.save(model, tmp_path / "m", overwrite=True, about={"reading": reading})
        assert run("predict", tmp_path / "m", names) == 2
        assert "which columns it was fitted to" in capsys.readouterr().err


def test_a_name_that_is_taken(names, tmp_path, capsys):
    assert run("fit", names, "--target", "sex", "--column", "name", "-o", tmp_path / "m") == 0
    assert run("predict", tmp_path / "m", names, "--name", "sex") == 2
    assert "has a column 'sex' already; choose another --name" in capsys.readouterr().err
    assert run("predict", tmp_path / "m", names, "-o", tmp_path / "o.parquet") == 2
    assert "written as csv, tsv, jsonl, not as parquet" in capsys.readouterr().err


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
    from seamark.cli.showing import show_table

    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    show_table(("a",), [("[red]x[/red]",)])
    assert "[red]x[/red]" in capsys.readouterr().out


def spawned(*argv, **options):
    command = [sys.executable, "-m", "seamark", *map(str, argv)]
    return subprocess.run(command, capture_output=True, timeout=120, check=False, **options)


def test_the_process_pipes_utf_8(tmp_path):
    path = write_csv(tmp_path / "d.csv", {"t": ["ñandú", "naïve"] * 6, "y": ["sí", "no"] * 6})
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    assert run("fit", path, "--target", "y", "--column", "t", "-o", tmp_path / "m") == 0
    data = (tmp_path / "d.csv").read_bytes()
    done = spawned("predict", tmp_path / "m", "-", env=environment, input=data)
    assert (done.returncode, done.stderr) == (0, b"")
    assert [row["prediction"] for row in read_csv(done.stdout.decode())] == ["sí", "no"] * 6


def test_the_process_exits_with_the_code(tmp_path):
    missing = spawned("fit", tmp_path / "no.csv", "--target", "y", "-o", tmp_path / "m")
    assert (missing.returncode, missing.stdout) == (2, b"")
    assert b"Traceback" not in missing.stderr


WAITING = """
import sys, time
from seamark.cli import main

class Input:
    class buffer:
        def read():
            print("reading", flush=True)
            time.sleep(100)

sys.stdin = Input
sys.exit(main(["fit", "-", "--target", "y", "-o", "m"]))
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are other there")
def test_ctrl_c_while_waiting_for_input(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", WAITING],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    ) as process:
        assert process.stdout.readline() == b"reading\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr.read() == b"seamark: interrupted.\n"
    assert not list(tmp_path.iterdir())
