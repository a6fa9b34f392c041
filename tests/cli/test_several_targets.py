"""Labels in one cell, a column for each label, and several numbers: learned, and written back."""

import json

import numpy as np
import pytest
from cli_runs import read_csv, run, write_csv

import seamark as sm

PARTS = {"sea": "aqua", "land": "terra", "sky": "aero"}


def table(n=160, seed=0):
    rng = np.random.default_rng(seed)
    has = rng.random((n, 3)) < 0.5
    words = []
    for row in has:
        parts = [p for p, yes in zip(PARTS.values(), row, strict=True) if yes]
        words.append("".join(rng.permutation([*parts, "".join(rng.choice(list("xyz"), 3))])))
    tags = ["; ".join(t for t, yes in zip(PARTS, row, strict=True) if yes) for row in has]
    columns = {"word": words, "tags": tags} | {
        name: has[:, k].astype(int) for k, name in enumerate(PARTS)
    }
    return columns | {"length": [len(w) for w in words], "parts": has.sum(axis=1)}


@pytest.fixture
def words(tmp_path):
    return write_csv(tmp_path / "words.csv", table())


@pytest.fixture
def new(tmp_path):
    return write_csv(tmp_path / "new.csv", table(40, seed=1))


BY = ("--column", "word", "--measure", "levenshtein")


def test_labels_in_a_cell_come_back_in_a_cell(words, new, tmp_path, capsys):
    model, out = tmp_path / "m.seamark", tmp_path / "out.csv"
    asked = ("--target", "tags", "--separator", ";")
    assert run("fit", words, *asked, *BY, "-o", model, "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["task"] == "labels"
    assert said["labels"] == {name: sum(map(int, table()[name])) for name in ("land", "sea", "sky")}
    assert said["out_of_fold_all_right"] > 0.9
    assert said["all_right_of_a_constant"] < 0.3
    assert said["out_of_fold_f1"] > 0.95
    assert run("predict", model, new, "-o", out, "--proba") == 0
    rows = read_csv(out.read_text())
    found = [set(filter(None, row["prediction"].split(";"))) for row in rows]
    true = [set(filter(None, row["tags"].split("; "))) for row in rows]
    assert np.mean([a == b for a, b in zip(found, true, strict=True)]) > 0.9
    for row, labels in zip(rows, found, strict=True):
        assert labels == {name for name in PARTS if float(row[f"prediction_{name}"]) > 0.5}
    fitted = sm.load(model)
    assert fitted.multilabel_
    assert fitted.classes_.tolist() == ["land", "sea", "sky"]


@pytest.mark.parametrize("yes_and_no", [("1", "0"), ("yes", "No"), ("True", "false")])
def test_a_column_for_each_label_comes_back_as_columns(yes_and_no, tmp_path, capsys):
    columns = table()
    for name in ("sea", "sky"):
        columns[name] = [yes_and_no[0] if one else yes_and_no[1] for one in columns[name]]
    path, model = write_csv(tmp_path / "w.csv", columns), tmp_path / "m.seamark"
    asked = ("--target", "sea", "--target", "sky")
    assert run("fit", path, *asked, *BY, "-o", model, "--quiet") == 0
    assert "all labels right" in capsys.readouterr().out
    assert run("predict", model, path, "--proba", "--quiet") == 0
    rows = read_csv(capsys.readouterr().out)
    for name in ("sea", "sky"):
        said = [row[f"prediction_{name}"] == "1" for row in rows]
        assert (
            np.mean([a == (r[name] == yes_and_no[0]) for a, r in zip(said, rows, strict=True)])
            > 0.95
        )
        assert said == [float(row[f"prediction_{name}_proba"]) > 0.5 for row in rows]
    assert run("explain", model, path, "--rows", "1", "--target", "sky", "--quiet") == 0
    assert "sky" in capsys.readouterr().out


def test_several_numbers_have_intervals_each(words, tmp_path, capsys):
    model, asked = tmp_path / "m.seamark", ("--target", "length", "--target", "parts")
    assert run("fit", words, *asked, *BY, "-o", model, "--quiet") == 0
    capsys.readouterr()
    assert run("predict", model, words, "--coverage", "0.9", "--quiet") == 0
    rows = read_csv(capsys.readouterr().out)
    for name in ("length", "parts"):
        low, said, high, true = (
            np.array([float(row[c]) for row in rows])
            for c in (
                f"prediction_{name}_low",
                f"prediction_{name}",
                f"prediction_{name}_high",
                name,
            )
        )
        assert np.abs(said - true).mean() < 0.5
        assert ((low <= said) & (said <= high)).all()


def test_a_table_of_several_kinds_takes_labels_too(words, tmp_path, capsys):
    model = tmp_path / "m.seamark"
    asked = ("--target", "tags", "--separator", ";", "--column", "word", "--column", "length")
    assert run("fit", words, *asked, "-o", model, "--quiet") == 0
    capsys.readouterr()
    assert run("predict", model, words, "--quiet") == 0
    assert "prediction" in capsys.readouterr().out.splitlines()[0]


def test_series_in_long_format_have_one_set_of_labels_each(tmp_path, capsys):
    rng = np.random.default_rng(0)
    rows = [
        (i, t, rng.normal() * (1 + 5 * (i % 2)), "odd|any" if i % 2 else "any")
        for i in range(12)
        for t in range(6)
    ]
    names = ("run", "t", "x", "tags")
    path = write_csv(tmp_path / "s.csv", dict(zip(names, zip(*rows, strict=True), strict=True)))
    by = ("--id", "run", "--time", "t", "--value", "x", "--target", "tags", "--separator", "|")
    model = tmp_path / "m.seamark"
    assert run("fit", path, *by, "--measure", "dtw", "-o", model, "--quiet") == 0
    capsys.readouterr()
    assert run("predict", model, path, "--quiet") == 0
    assert len(read_csv(capsys.readouterr().out)) == 12
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    columns["tags"][3] = "odd"
    assert run("fit", write_csv(tmp_path / "t.csv", columns), *by, "-o", tmp_path / "n") == 2
    assert "'tags' in line 5" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--target", "sea", "--target", "sea"), "named twice"),
        (("--target", "sea", "--target", "word"), "cannot also be used to predict"),
        (("--target", "sea", "--target", "tags"), "which is no number"),
        (("--target", "sea", "--target", "parts", "--task", "classify"), "'parts' is '"),
        (("--target", "sea", "--target", "none"), "no column 'none'"),
        (("--target", "sea", "--target", "sky", "--task", "ordinal"), "not with ordinal"),
        (("--target", "tags", "--target", "sky", "--separator", ";"), "cells of one --target"),
        (("--target", "one", "--separator", ";"), "fewer than two different labels"),
        (("--target", "sea", "--target", "never"), "no row of"),
        (("--target", "tags", "--separator", ";", "--class-weight", "balanced"), "not with labels"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_said_in_a_sentence(asked, said, tmp_path, capsys):
    columns = table(20) | {"one": ["only"] * 20, "never": [0] * 20}
    path = write_csv(tmp_path / "w.csv", columns)
    assert run("fit", path, *asked, *BY, "-o", tmp_path / "m") == 2
    assert said in capsys.readouterr().err


def test_assess_says_that_it_wants_one_target(words, capsys):
    assert run("assess", words, "--target", "sea", "--target", "sky", *BY) == 2
    assert "name one --target" in capsys.readouterr().err
