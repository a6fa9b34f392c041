"""What is wrong is said in one sentence, and by the exit code."""

import argparse
import re
import warnings

import pytest
from cli_runs import NAMES, SEX, run, write_csv

import seamark as sm

ERRORS = [
    (("--target", "gender"), "no column 'gender'; its columns are name, sex"),
    (("--column", "nome"), "no column 'nome' .did you mean 'name'.*; its columns are name, sex"),
    (("--column", "surname"), "no column 'surname'"),
    (("--columns", "name"), "'name' is 'Anna' in line 2 of .*, which is no number"),
    (("--measure", "levenstein"), "unknown measure 'levenstein' .did you mean 'levenshtein'"),
    (("--measure", "gaussian"), "no numeric columns besides the target"),
    (("--measure", "gaussian", "--column", "name"), "--column does not go with a measure of vec"),
    (("--measure", "sail"), "unknown measure 'sail'; `seamark measures` lists what there is"),
    (("--measure", "rapidfuzz:sail"), "`seamark measures` lists what rapidfuzz has"),
    (("--column", "sex"), "'sex' is the --target; it cannot also be used"),
    (("--query", "sex"), "'sex' is the --target; it cannot also be used"),
    (("--jobs", "0"), "--jobs must not be 0"),
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
    ({"a": [1.0, "0,5", 3.0], "y": [0, 1, 0]}, "'0,5' in line 3 .*; write decimal points"),
    ({"a": [1.0, "1_0", 3.0], "y": [0, 1, 0]}, "'a' is '1_0' in line 3 .*, which is no number"),
    ({"a": [1.0, 2.0, 3.0], "y": ["p", "", "q"]}, "'y' is missing in line 3"),
    ({"a": [1.0, 2.0, 3.0], "y": ["p", "p", "p"]}, "'y' of .* has one class only, 'p'"),
    ({"a": [1.0, 2.0, 3.0], "y": ["p", "q", "r"]}, "'y' of .* is different for every object"),
]


@pytest.mark.parametrize(("columns", "sentence"), BROKEN)
def test_cells_that_are_wrong(tmp_path, capsys, columns, sentence):
    path = write_csv(tmp_path / "d.csv", columns)
    assert run("fit", path, "--target", "y", "--columns", "a", "-o", tmp_path / "m") == 2
    assert re.search(sentence, capsys.readouterr().err)


LONG = {"id": ["r", "r", "s"], "t": [1, 2, 1], "x": [0.5, 1.5, 2.5], "y": ["p", "p", "q"]}
BROKEN_LONG = [
    ({"t": [1, 1, 1]}, "'t' is 1 in line 3 of .* and in line 2, of the same series"),
    ({"y": ["p", "q", "q"]}, "'y' in line 3 of .* is not what it is in line 2; rows of one object"),
    ({"id": ["r", "", "s"]}, "'id' is missing in line 3"),
    ({"x": [0.5, "", 2.5]}, "'x' is missing in line 3"),
]


@pytest.mark.parametrize(("wrong", "sentence"), BROKEN_LONG)
def test_long_formats_that_are_wrong(tmp_path, capsys, wrong, sentence):
    path = write_csv(tmp_path / "d.csv", LONG | wrong)
    given = ("--id", "id", "--time", "t", "--value", "x")
    assert run("fit", path, "--target", "y", *given, "-o", tmp_path / "m") == 2
    assert re.search(sentence, capsys.readouterr().err)


def test_usage_is_2_help_is_0_and_nothing_is_abbreviated(capsys):
    assert run() == 2
    assert run("fit") == 2
    assert run("sail") == 2
    assert run("measures", "--js") == 2
    assert run("fit", "a.csv", "--target", "y", "-o", "m", "--landmarks", "0") == 2
    assert run("fit", "a.csv", "--target", "y", "-o", "m", "--measure-arg", "width") == 2
    assert "KEY=VALUE" in capsys.readouterr().err
    assert run("fit", "a.csv", "--target", "y", "-o", "m", "--seed", "-1") == 2
    assert "must be a whole number from 0" in capsys.readouterr().err
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
    assert run(*given, "--debug") == 1
    shown = capsys.readouterr().err
    assert "Traceback" in shown
    assert "in broken" in shown
    assert shown.endswith("seamark: failed: the sea is rough\n")


def test_interrupted_is_130(names, tmp_path, capsys, monkeypatch):
    def stopped(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(sm.LandmarkClassifier, "fit", stopped)
    assert run("fit", names, "--target", "sex", "--column", "name", "-o", tmp_path / "m") == 130
    assert capsys.readouterr().err == "seamark: interrupted.\n"
    assert not (tmp_path / "m").exists()


def test_warnings_are_a_line_and_quiet_is_quiet(names, tmp_path, capsys):
    given = ("fit", names, "--target", "sex", "--column", "name", "--measure", "levenshtein")
    given += ("--landmarks", 500, "--force")
    assert run(*given, "-o", tmp_path / "m") == 0
    assert "seamark: warning: --landmarks 500, but" in capsys.readouterr().err
    assert run(*given, "-o", tmp_path / "m", "--quiet") == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("text", ["hello", "PK\x03\x04"])
def test_a_model_that_is_none(names, tmp_path, capsys, text):
    (tmp_path / "m").write_text(text)
    assert run("predict", tmp_path / "m", names) == 2
    assert "not a seamark model, or it is damaged" in capsys.readouterr().err


def test_a_model_whose_columns_make_no_sense(names, tmp_path, capsys):
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=5, random_state=0).fit(NAMES, SEX)
    for reading in ([1], {"column": 3}, {"sail": "x"}):
        sm.save(model, tmp_path / "m", overwrite=True, about={"reading": reading})
        assert run("predict", tmp_path / "m", names) == 2
        assert "this version cannot read" in capsys.readouterr().err


def test_a_name_that_is_taken(names, tmp_path, capsys):
    assert run("fit", names, "--target", "sex", "--column", "name", "-o", tmp_path / "m") == 0
    assert run("predict", tmp_path / "m", names, "--name", "sex") == 2
    assert "has a column 'sex' already; choose another --name" in capsys.readouterr().err
    assert run("predict", tmp_path / "m", names, "-o", tmp_path / "o.parquet") == 2
    assert "written as csv, tsv, jsonl, not as parquet" in capsys.readouterr().err


def test_numbers_that_may_be_quantities_are_a_note(vectors, tmp_path, capsys):
    given = ("fit", vectors, "--columns", "a,b", "--target")
    assert run(*given, "stars", "-o", tmp_path / "m") == 0
    assert "note: the 3 whole numbers of 'stars' are taken for classes" in capsys.readouterr().err
    assert run(*given, "stars", "-o", tmp_path / "q", "--quiet") == 0
    assert run(*given, "stars", "-o", tmp_path / "c", "--task", "classify") == 0
    assert run(*given, "label", "-o", tmp_path / "l") == 0
    assert capsys.readouterr().err == ""


def test_empty_strings_are_objects_and_a_note(tmp_path, capsys):
    path = write_csv(tmp_path / "d.csv", {"name": [*NAMES, "", ""], "sex": [*SEX, "f", "m"]})
    assert run("fit", path, "--target", "sex", "--column", "name", "-o", tmp_path / "m") == 0
    sentence = "'name' is empty in 2 of 29 rows, first in line 29 of"
    assert sentence in capsys.readouterr().err


def test_a_warning_is_said_once(names, tmp_path, capsys, monkeypatch):
    fit = sm.LandmarkClassifier.fit

    def warned(self, *args, **options):
        for line in (1, 2):
            warnings.warn_explicit("shallow", UserWarning, "chart.py", line)
        return fit(self, *args, **options)

    monkeypatch.setattr(sm.LandmarkClassifier, "fit", warned)
    assert run("fit", names, "--target", "sex", "--column", "name", "-o", tmp_path / "m") == 0
    assert capsys.readouterr().err == "seamark: warning: shallow\n"


def test_ctrl_c_while_options_are_read_is_130(monkeypatch):
    def interrupted(self, argv):
        raise KeyboardInterrupt

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", interrupted)
    assert run("measures") == 130


@pytest.mark.parametrize("columns", [("--column", "name"), ("--all-columns",)])
def test_a_text_that_would_take_minutes_to_compare_is_refused(columns, tmp_path, capsys):
    names = [*NAMES[:7], "ab" * 100_001, *NAMES[8:]]
    table = {"name": names, "n": [str(i % 5) for i in range(len(names))], "sex": SEX}
    path = write_csv(tmp_path / "long.csv", table)
    assert run("fit", path, "--target", "sex", *columns, "-o", tmp_path / "m") == 2
    said = capsys.readouterr().err
    assert "'name' has 200,002 characters in line 9" in said
    assert "shorten it, or leave the row out" in said
