"""What is compared if nobody says: only what there is no doubt about, and never an identifier."""

import re
import uuid

import pytest
from cli_runs import NAMES, SEX, run, write_csv

from seamark.cli.options import parser
from seamark.saving import contents

N = len(NAMES)
IDS = list(range(100, 100 + N))
AGES = [20 + i % 7 for i in range(N)]
SIZES = [0.5 + i % 7 for i in range(N)]
KEYS = [str(uuid.UUID(int=7**40 + i)) for i in range(N)]
HEXES = [key.replace("-", "") for key in KEYS]
NOT_ALL = [*map(str, SIZES[:-1]), "NA"]
COMMAS = [f"{size}".replace(".", ",") for size in SIZES]
Y = {"sex": SEX}

DOUBTS = [
    (
        {"id": IDS, "name": NAMES},
        (),
        r"columns of text \(name\) beside columns of numbers \(id \(looks like an identifier\)\); "
        "say what to compare: --column name, or --columns id",
    ),
    (
        {"name": NAMES, "age": AGES, "size": SIZES},
        (),
        r"text \(name\) beside columns of numbers \(age, size\); .* or --columns age,size",
    ),
    (
        {"first name": NAMES, "age": AGES},
        (),
        "--column 'first name', or --columns age",
    ),
    (
        {"size": SIZES, "other": NOT_ALL},
        (),
        rf": other \(numbers, but 'NA' in line {N + 1}\); correct it, or say --columns size",
    ),
    ({"size": NOT_ALL}, (), rf"no numeric columns .* \(size \(numbers, but 'NA' in line {N + 1}\)"),
    ({"size": NOT_ALL}, ("--measure", "osa"), rf"only column of text .* 'NA' in line {N + 1}\)"),
    ({"name": NAMES, "size": NOT_ALL}, (), r"2 columns of text .* \(name, size \(numbers, but"),
    ({"size": COMMAS, "other": COMMAS}, (), "decimal commas; write points"),
    ({"id": IDS, "age": AGES}, (), r"id \(looks like an identifier\); say --columns age"),
    ({"id": IDS}, (), r"to compare: id \(looks like an identifier\); say --columns id"),
    ({"key": KEYS}, (), r"key \(looks like an identifier\); if .*, say --column key"),
    ({"key": HEXES}, (), r"key \(looks like an identifier\)"),
    ({"key": KEYS, "name": NAMES}, (), r"2 columns of text besides .* \(key \(looks like an iden"),
    ({"id": IDS, "age": AGES}, ("--measure", "gaussian"), "say --columns age"),
    ({"age": AGES, "other": NOT_ALL}, ("--measure", "gaussian"), "but 'NA' in line"),
    ({"key": KEYS, "age": AGES}, ("--measure", "levenshtein"), "the only column of text"),
]


@pytest.mark.parametrize("command", ["fit", "assess"])
@pytest.mark.parametrize(("columns", "more", "sentence"), DOUBTS)
def test_what_is_in_doubt_is_asked(tmp_path, capsys, columns, more, sentence, command):
    path = write_csv(tmp_path / "d.csv", columns | Y)
    output = ("-o", tmp_path / "m") if command == "fit" else ("--html", tmp_path / "m")
    assert run(command, path, "--target", "sex", *more, *output) == 2
    said = capsys.readouterr()
    assert re.search(sentence, said.err)
    assert len(said.err.splitlines()) == 1
    assert not (tmp_path / "m").exists()


CERTAIN = [
    ({"name": NAMES}, (), ["name"], ""),
    ({"age": AGES, "size": SIZES}, (), ["age", "size"], ""),
    (
        {"id": IDS, "name": NAMES},
        ("--measure", "levenshtein"),
        ["name"],
        "seamark: note: compared: name; not used: id.\n",
    ),
    (
        {"key": KEYS, "age": AGES},
        ("--measure", "gaussian"),
        ["age"],
        "seamark: note: compared: age; not used: key.\n",
    ),
    ({"id": IDS, "name": NAMES}, ("--column", "name"), ["name"], ""),
    (
        {"id": IDS, "name": NAMES},
        ("--columns", "id"),
        ["id"],
        "seamark: note: 'id' looks like an identifier, which says nothing about new objects.\n",
    ),
]


@pytest.mark.parametrize(("columns", "more", "used", "said"), CERTAIN)
def test_what_is_certain_is_used_and_what_is_left_out_is_said(
    tmp_path, capsys, columns, more, used, said
):
    path = write_csv(tmp_path / "d.csv", columns | Y)
    assert run("fit", path, "--target", "sex", *more, "-o", tmp_path / "m") == 0
    notes = capsys.readouterr().err
    assert "".join(line for line in notes.splitlines(True) if "recognised" not in line) == said
    reading = contents(tmp_path / "m").about["reading"]
    assert (reading["columns"] or [reading["column"]]) == used


def test_a_model_from_python_asks_too(tmp_path, capsys):
    import seamark as sm

    model = sm.LandmarkRegressor("gaussian", random_state=0).fit([[x] for x in SIZES], AGES)
    sm.save(model, tmp_path / "m")
    path = write_csv(tmp_path / "d.csv", {"id": IDS, "size": SIZES})
    assert run("predict", tmp_path / "m", path) == 2
    assert "id (looks like an identifier); say --columns size" in capsys.readouterr().err
    assert run("predict", tmp_path / "m", path, "--columns", "size") == 0


def test_numbers_that_all_differ_are_quantities(tmp_path, capsys):
    path = write_csv(tmp_path / "d.csv", {"size": SIZES, "income": IDS})
    assert run("fit", path, "--target", "income", "-o", tmp_path / "m") == 0
    assert "regress" in capsys.readouterr().out


def test_names_with_commas_stand_in_quotes():
    given = ["fit", "d.csv", "--target", "y", "-o", "m", "--columns", '"last, first", b']
    assert parser().parse_args(given).columns == ["last, first", "b"]


def test_case_is_no_riddle(tmp_path, capsys):
    path = write_csv(tmp_path / "d.csv", {"name": NAMES, "Sex": SEX})
    assert run("fit", path, "--target", "sex", "-o", tmp_path / "m") == 2
    assert "no column 'sex' (did you mean 'Sex'?)" in capsys.readouterr().err
