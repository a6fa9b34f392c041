"""What is compared where options do not say: what Python compares, but for identifiers."""

import json
import re
import uuid

import numpy as np
import pytest
from cli_runs import NAMES, SEX, read_csv, run, write_csv

import seamark as sm
from seamark.cli.options import parser
from seamark.saving import contents

N = len(NAMES)
IDS = list(range(100, 100 + N))
AGES = [20 + i % 7 for i in range(N)]
SIZES = [0.5 + i % 7 for i in range(N)]
KEYS = [str(uuid.UUID(int=7**40 + i)) for i in range(N)]
NOT_ALL = [*map(str, SIZES[:-1]), "NA"]
COMMAS = [f"{size}".replace(".", ",") for size in SIZES]
DAYS = [f"2024-{1 + i % 12:02}-05" for i in range(N)]
Y = {"sex": SEX}

TABLES = [
    {"name": NAMES, "age": AGES, "size": SIZES},
    {"name": NAMES},
    {"age": AGES, "size": SIZES},
    {"size": NOT_ALL, "age": AGES},
    {"name": NAMES, "sold": DAYS, "ok": ["True", "False", "True"] * 9, "size": NOT_ALL},
    {"name": [*NAMES[:-1], ""], "size": SIZES},
]


@pytest.mark.parametrize("columns", TABLES, ids="-".join)
def test_the_same_file_gives_the_blocks_that_python_gives(columns, tmp_path, capsys):
    pd = pytest.importorskip("pandas", reason="reads the file in Python")
    path = write_csv(tmp_path / "d.csv", columns | Y)
    frame = pd.read_csv(path)
    python = sm.LandmarkClassifier(random_state=0).fit(frame.drop(columns="sex"), frame["sex"])
    assert run("fit", path, "--target", "sex", "-o", tmp_path / "m", "--quiet") == 0
    fitted = sm.load(tmp_path / "m")
    assert repr(fitted.measure_) == repr(python.measure_)
    assert run("predict", tmp_path / "m", path, "--proba", "-o", tmp_path / "out.csv") == 0
    chances = [float(row["prediction_f"]) for row in read_csv((tmp_path / "out.csv").read_text())]
    expected = python.predict_proba(frame.drop(columns="sex"))[:, 0]
    np.testing.assert_allclose(chances, expected, atol=1e-6)


CHOSEN = [
    ({"id": IDS, "name": NAMES}, (), ["name"], "not used: id (looks like an identifier); name"),
    ({"key": KEYS, "age": AGES}, (), ["age"], "not used: key (looks like an identifier); name"),
    ({"id": IDS, "name": NAMES}, ("--measure", "levenshtein"), ["name"], "not used: id (looks"),
    ({"key": KEYS, "age": AGES}, ("--measure", "gaussian"), ["age"], "not used: key (looks like"),
    ({"name": NAMES, "age": AGES}, ("--measure", "gaussian"), ["age"], "not used: name; name col"),
    ({"id": IDS, "name": NAMES}, ("--column", "name"), ["name"], ""),
    ({"id": IDS, "name": NAMES}, ("--columns", "id"), ["id"], "'id' looks like an identifier, "),
]


@pytest.mark.parametrize(("columns", "more", "used", "said"), CHOSEN)
def test_what_is_left_out_is_said(tmp_path, capsys, columns, more, used, said):
    path = write_csv(tmp_path / "d.csv", columns | Y)
    assert run("fit", path, "--target", "sex", *more, "-o", tmp_path / "m") == 0
    notes = [line for line in capsys.readouterr().err.splitlines() if "recognised" not in line]
    assert "".join(notes).startswith(f"seamark: note: {said}" if said else "")
    assert len(notes) == bool(said)
    reading = contents(tmp_path / "m").about["reading"]
    assert list(reading["table"] or reading["columns"] or [reading["column"]]) == used


OPEN = [
    ({"id": IDS}, (), "no columns besides the target but identifiers"),
    ({"size": COMMAS, "other": COMMAS}, (), "'size' of .* has decimal commas; write points"),
    ({"size": ["1.234", *COMMAS[1:]]}, (), "'1,5' in line 3, with a decimal comma, and '1.234' in"),
    ({"size": [*map(str, SIZES[:-1]), "dear"]}, (), f"numbers, but 'dear' in line {N + 1}; corr"),
    ({"name": NAMES, "note": NAMES}, ("--measure", "osa"), r"2 columns of text .* \(name, note\)"),
    ({"key": KEYS, "age": AGES}, ("--measure", "levenshtein"), "no columns of text .* NAME"),
    ({"name": NAMES}, ("--measure", "gaussian"), "no numeric columns besides the target"),
    ({"size": NOT_ALL}, ("--measure", "gaussian"), rf"'size' is 'NA' in line {N + 1}"),
]


@pytest.mark.parametrize("command", ["fit", "assess"])
@pytest.mark.parametrize(("columns", "more", "sentence"), OPEN)
def test_what_cannot_be_chosen_is_asked(tmp_path, capsys, columns, more, sentence, command):
    path = write_csv(tmp_path / "d.csv", columns | Y)
    output = ("-o", tmp_path / "m") if command == "fit" else ("--html", tmp_path / "m")
    assert run(command, path, "--target", "sex", *more, *output) == 2
    said = capsys.readouterr()
    if command == "fit" or more:
        assert re.search(sentence, said.err)
    assert len(said.err.splitlines()) == 1
    assert not (tmp_path / "m").exists()


def test_dedupe_asks_what_to_compare_of_text_and_numbers(tmp_path, capsys):
    path = write_csv(tmp_path / "d.csv", {"first name": NAMES, "age": AGES})
    assert run("dedupe", path, "--within", 1) == 2
    said = capsys.readouterr().err
    assert "1 column of text besides the target (first name) and columns of numbers (age)" in said
    assert "--column 'first name'" in said


def test_rows_without_a_target_are_left_out_and_counted(tmp_path, capsys, settings_of):
    names = [f"{name}{'abc'[i % 3]}{i}" for i, name in enumerate(NAMES * 4)]
    columns = {"name": names, "sex": ["", *(SEX * 4)[1:-1], ""]}
    path = write_csv(tmp_path / "d.csv", columns)
    given = ("fit", path, "--target", "sex", "--column", "name", "-o", tmp_path / "m", "--json")
    assert run(*given) == 2
    assert "'sex' is missing in line 2" in capsys.readouterr().err
    assert run(*given, "--drop-missing-target") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["objects"], found["rows_without_target"]) == (4 * N - 2, 2)
    assert run("assess", path, "--target", "sex", "--drop-missing-target", "--json") == 0
    capsys.readouterr()
    settings_of(chunk_rows=30)
    with sm.engine.using(hashed_from=70):
        assert run(*given, "--drop-missing-target", "--force") == 0
    assert json.loads(capsys.readouterr().out)["rows_without_target"] == 2
    none = write_csv(tmp_path / "none.csv", {"name": ["a", "b"], "sex": ["", ""]})
    asked = ("--target", "sex", "--drop-missing-target", "-o", tmp_path / "n")
    assert run("fit", none, *asked) == 2
    assert "no row with a target" in capsys.readouterr().err


def test_a_model_from_python_takes_all_numbers_but_identifiers(tmp_path, capsys):
    model = sm.LandmarkRegressor("gaussian", random_state=0).fit([[x] for x in SIZES], AGES)
    sm.save(model, tmp_path / "m")
    path = write_csv(tmp_path / "d.csv", {"id": IDS, "size": SIZES})
    assert run("predict", tmp_path / "m", path) == 0
    rows = read_csv(capsys.readouterr().out)
    expected = model.predict([[x] for x in SIZES])
    assert [float(row["prediction"]) for row in rows] == pytest.approx(expected)


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
